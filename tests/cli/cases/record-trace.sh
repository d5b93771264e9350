# Sizes of the event log that are none, and reports of profiles with and without one.
for size in many 1K 100T 5X -1 64KB; do
	tare record --trace=$size -q -o out.tare -- "$PROGRAMS/plain_program" >/dev/null
	echo "status $?"
done
tare record -q -o without.tare -- "$PROGRAMS/plain_program" >/dev/null
tare report calltrace without.tare
echo "status $?"
# A merged profile does not say either when its threads waited.
tare merge -q without.tare without.tare -o merged.tare 2>/dev/null
tare export --format=chrome merged.tare -o out.json
echo "status $?"
tare record -q --trace -o with.tare -- "$PROGRAMS/plain_program" >/dev/null
tare report calltrace with.tare --sort=time
echo "status $?"
tare report calltrace with.tare --from=nowhere
echo "status $?"
tare report calltrace with.tare --columns=function
echo "status $?"
tare export with.tare
echo "status $?"
tare export --format=chrme with.tare
echo "status $?"
tare export --format=chrome with.tare without.tare
echo "status $?"
tare export --format=chrome missing.tare
echo "status $?"
# A device stays one.
mkfifo pipe
cat pipe >copied &
tare export --format=chrome with.tare -o pipe
echo "status $?"
wait
[ -p pipe ] && grep -c traceEvents copied
tare export --format=chrome with.tare -o missing/out.json
echo "status $?"
ls out.json 2>&1
