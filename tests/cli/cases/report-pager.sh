# Text on a terminal goes through $PAGER; a pager that is left early is no error.
command -v script >/dev/null || skip "no script"
"$PROGRAMS/../golden/make_profile" .
export TERM=xterm COLUMNS=100 NO_COLOR=1
unset PAGER LESS
tty_report() { # PAGER ARGUMENT…: on a terminal; PAGER "-" is no PAGER
	local pager=$1 arguments
	shift
	printf -v arguments ' %q' "$@"
	if [ "$pager" = - ]; then
		script -qec "$TARE report$arguments" /dev/null
	else
		PAGER=$pager script -qec "$TARE report$arguments" /dev/null
	fi </dev/null | tr -d '\r' >shown
	echo "status ${PIPESTATUS[0]}"
}
count() {
	grep -c recorded "$1"
}

echo "through the pager:"
tty_report 'cat >paged' functions work.tare
count paged
wc -l <shown
rm paged
echo "not where it is not wanted:"
tty_report 'cat >paged' functions work.tare --no-pager
count shown
tty_report '' functions work.tare
count shown
tty_report cat functions work.tare
count shown
tty_report 'cat >paged' functions work.tare --format=csv --limit=1
wc -l <shown
tty_report 'cat >paged' functions work.tare -o file
PAGER='cat >paged' tare report functions work.tare | grep -c recorded
ls paged 2>&1

echo "less, and its options:"
mkdir bin
printf '#!/bin/sh\necho "less $LESS"\ncat >/dev/null\n' >bin/less
chmod +x bin/less
PATH=$PWD/bin:$PATH tty_report - functions work.tare
cat shown
LESS=M PATH=$PWD/bin:$PATH tty_report - functions work.tare
cat shown
rm bin/less
ln -s "$(command -v script)" "$(command -v tr)" bin
PATH=$PWD/bin tty_report - functions work.tare
count shown

echo "left early:"
for _ in 1 2 3 4 5; do
	tty_report 'exec <&-' calltree work.tare --limit=0 --columns=all
	cat shown
done
tty_report true functions work.tare
cat shown

echo "not to be had:"
tty_report './no-pager 2>/dev/null' functions work.tare
cat shown
