#!/bin/bash
# Recording from function to function: exactly what is called between them is there.
. "$(dirname "$0")/lib.sh"

calls() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["function"] == name { calls += $at["calls"] } END { print calls + 0 }' "$work/functions.csv"
}

for probes in merged all; do
	# What an earlier recording has mostly learned not to time is met all the same.
	record_options=(--small-functions=keep --probes=$probes)
	record "$FIXTURES/triggers"
	record_options=(--small-functions=keep --probes=$probes '--start-at=begin*' --stop-at=end)
	same "$FIXTURES/triggers"
	report functions
	compare counts "$work/recorded.stdout" "$work/functions.csv"
	compare sums "$work/functions.csv"
	for name in unseen end; do
		[ "$(calls $name)" = 0 ] || fail "$name is in the profile: $(cat "$work/functions.csv")"
	done
done
"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
grep -q -e '--start-at=begin\* --stop-at=end' "$work/summary.json" || fail "the profile does not say so"

# Without a start, until the first stop: ten calls, and those of no later round.
record_options=(--small-functions=keep --stop-at=end)
same "$FIXTURES/triggers"
report functions
compare sums "$work/functions.csv"
[ "$(calls unseen) $(calls seen) $(calls end)" = '10 0 0' ] || fail "not only the calls before the stop"

# A function that matches both starts; nothing ever stops then.
record_options=(--small-functions=keep --start-at=rounds --stop-at='/^rounds$/')
same "$FIXTURES/triggers"
report functions
compare sums "$work/functions.csv"
[ "$(calls rounds) $(calls end)" = '1 200' ] || fail "not all from the start on: $(cat "$work/functions.csv")"

# The recording as a whole is off: the start alone does not switch it on.
record_options=(--small-functions=keep --paused --start-at=rounds)
same "$FIXTURES/triggers"
report functions
[ "$(calls rounds)" = 0 ] || fail "it was recorded while paused"
