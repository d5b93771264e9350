# What a profile has not: one sentence that says what to record instead, and status 1.
try() {
	tare report "$@" 2>&1 >/dev/null
	echo "status $?"
}
"$PROGRAMS/../golden/make_profile" .
try os sampled.tare
try coverage sampled.tare
try calltrace sampled.tare
try timeline sampled.tare
try methods sampled.tare
try functions sampled.tare --method=instrument
try functions sampled.tare --columns=calls,function
try lines work.tare
try instructions work.tare
try lines both.tare --method=instrument
try calltrace both.tare --method=sample
try methods work.tare
try functions work.tare --method=sample
try functions work.tare --event=cpu-clock
try functions work.tare --from=1
try calltree both.tare --sort=inclusive_samples
try functions sampled.tare --event=cpu-clok
try functions sampled.tare --event=instructions
try methods both.tare --event=cpu-clock
try functions sampled.tare --from=2 --to=1
try functions sampled.tare --from=nowhere
try functions vector.tare --from=1
try calltree sampled.tare --thread=1
