# Files that cannot be shown, and outputs that cannot be written: one sentence and status 1.
try() {
	tare report "$@" 2>&1
	echo "status $?"
}
"$PROGRAMS/../golden/make_profile" .
try functions missing.tare
printf 'no profile' >text.tare
try functions text.tare
try functions .
head -c 9000 work.tare >cut-off.tare
try functions cut-off.tare
cp work.tare damaged.tare
printf '\377\377\377\377' | dd of=damaged.tare bs=1 seek=4096 conv=notrunc status=none
try functions damaged.tare
try functions work.tare -o missing/out
try callers evalate work.tare
try callers 'no such thing at all' work.tare
try functions work.tare --process=nobody
tare report functions work.tare --format=csv 2>&1 >/dev/full
echo "status $?"
ls | grep -v "^[a-z]*\.tare$"
