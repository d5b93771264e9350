status() {
	"$@"
	echo "status $?"
}
"$PROGRAMS/../golden/make_profile" .
status tare merge
status tare merge -o out.tare
status tare merge work.tare
status tare merge -o out.tare --keep=threads work.tare
status tare merge -o out.tare work.tare missing.tare
echo text >text.tare
status tare merge -o out.tare work.tare text.tare
head -c 20000 work.tare >cut-off.tare
status tare merge -o out.tare work.tare cut-off.tare
cp work.tare newer.tare
printf '\377' | dd of=newer.tare bs=1 seek=63 conv=notrunc status=none
status tare merge -o out.tare work.tare newer.tare
ln work.tare same.tare
status tare merge -o same.tare changed.tare work.tare
status tare merge -o missing/out.tare work.tare
# Nothing was begun; then one file is enough, and an output that exists is kept.
find . -name 'out.tare*'
status tare merge -o out.tare sampled.tare
status tare merge -o out.tare -q work.tare changed.tare
status tare merge -o out.tare hostile.tare empty.tare cut.tare
ls out.tare*
