# What tells a recording's command line, where passwords may stand, is its owner's alone; the umask
# decides on the rest. Formats are asked, not believed.
umask 022
tare record -q --trace -o run.tare -- "$PROGRAMS/plain_program" hunter2
cp -p run.tare other.tare
chmod 644 run.tare
tare record -q --trace -o run.tare -- "$PROGRAMS/plain_program" hunter2
tare merge -q -o merged.tare run.tare other.tare
"$PERF_DATA" 0 /no/such/program >perf.data
tare import -q perf.data -o imported.tare
stat -c '%a %n' *.tare *.old
told() { # FILE: its mode is that of what it tells
	local mode expected=644
	mode=$(stat -c %a "$1")
	! { cat "$1"; gzip -dcq "$1" 2>/dev/null; } | grep -q hunter2 || expected=600
	[ "$mode" = $expected ] || echo "$1 has mode $mode, expected $expected"
	seen="$seen $mode"
}
seen=
for format in pprof speedscope callgrind folded firefox chrome perfetto csv json; do
	tare export --format=$format -o $format.out run.tare && told $format.out
done
echo "exports:$seen"
seen=
for format in text csv json; do
	tare report functions --format=$format -o report.$format run.tare && told report.$format
	tare diff --format=$format -o diff.$format other.tare run.tare && told diff.$format
done
echo "tables:$seen"
cp "$PROGRAMS/plain_program" program
chmod 755 program
# The data of a page are packed.
tare export --format=html -o page.html run.tare
tare view -o view.html run.tare
tare instrument -o copy program 2>/dev/null
stat -c '%a %n' page.html view.html copy
umask 077
tare export --format=folded -o folded.out run.tare
tare instrument -o copy program 2>/dev/null
stat -c '%a %n' folded.out copy
