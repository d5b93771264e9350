# Commands that are given no profile take the newest one of this directory, and say which.
mkdir profiles
"$PROGRAMS/../golden/make_profile" profiles
mkdir work && cd work || exit 1
try() {
	tare "$@" 2>&1 >shown
	echo "status $? of $*: $([ -s shown ] && echo shown)"
}
echo "none:"
for words in report 'report functions' 'report callers main' 'annotate main' 'export --format=csv' view diff; do
	# shellcheck disable=SC2086
	try $words
done
echo "the newest, not what is none:"
cp ../profiles/work.tare a.tare
cp ../profiles/work.tare b.tare
cp ../profiles/work.tare c.tare
cp ../profiles/work.tare b.tare.old
echo text >text.tare
mkdir directory.tare
mkfifo fifo.tare
touch -d '3 hours ago' b.tare
touch -d '3 days ago' a.tare c.tare
for words in report 'report functions' 'report callers main' 'annotate main' 'export --format=csv' 'view -o page.html' diff; do
	# shellcheck disable=SC2086
	try $words
done
ls page.html
echo "of two that are as old, the first by name; one that has replaced none:"
rm b.tare
touch -r a.tare c.tare
try report threads
try diff
echo "one that is named is taken as ever:"
try report functions c.tare
try annotate main missing.tare
try report callers missing.tare
