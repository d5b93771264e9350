#!/bin/bash
# The event log is the tree's: replayed, it gives the same calls. A ring keeps the last events and
# counts the others. Usage: trace.sh FIXTURE
. "$(dirname "$0")/lib.sh"

check() {
	"$E2E/trace_check" "$@" || fail "(trace_check $*)"
}

for probes in all merged; do
	[ $probes = merged ] || [ "$1" = counts ] || continue
	record_options=(--trace --small-functions=keep --probes=$probes)
	same "$FIXTURES/$1"
	report functions
	report calltrace
	# Calls whose events a signal's probes took the place of have been counted all the same.
	"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
	check replay "$work/calltrace.csv" "$work/functions.csv" \
		"$(sed -n 's/.*"events_dropped": \([0-9]*\).*/\1/p' "$work/summary.json")"
done
compare counts "$work/recorded.stdout" "$work/functions.csv"

"$TARE" export --format=chrome "$work/profile.tare" -o "$work/chrome.json"
check chrome "$work/chrome.json" "$work/calltrace.csv"
"$TARE" export --format=perfetto "$work/profile.tare" -o "$work/trace.pftrace"
check perfetto "$work/trace.pftrace" "$work/calltrace.csv"
if command -v protoc >/dev/null; then
	protoc --decode=Trace -I "$E2E/data" perfetto.proto <"$work/trace.pftrace" >"$work/decoded"
	begun=$(grep -c 'type: TYPE_SLICE_BEGIN' "$work/decoded")
	ended=$(grep -c 'type: TYPE_SLICE_END' "$work/decoded")
	[ "$begun" = "$ended" ] || fail "protoc sees $begun begins and $ended ends"
	# What the schema does not know appears as a bare number.
	! grep -qE '^ *[0-9]+[: ]' "$work/decoded" || fail "fields that the schema does not have"
else
	echo "without protoc: it is not installed"
fi

[ "$1" = counts ] || exit 0
record_options=(--trace=64K --small-functions=keep)
same "$FIXTURES/$1"
"$TARE" report calltrace "$work/profile.tare" --format=json >"$work/calltrace.json"
check kept "$work/calltrace.json"
# At most what was asked for, with 64 bytes per row of the profile's tables for the rest.
size=$(sqlite3 "$work/profile.tare" 'SELECT sum(length(data)) FROM trace_chunk') ||
	skip "sqlite3 is not installed"
[ "$size" -le 65536 ] || fail "a ring of 64K left $size bytes"

# A range of time and depth leaves what lies in it.
report calltrace --from=0 --to=0.001
[ "$(wc -l <"$work/calltrace.csv")" = 1 ] || fail "events before the program began"
report calltrace --depth=1
! grep -q ',fibonacci,' "$work/calltrace.csv" || fail "calls deeper than one"
grep -q ',main,' "$work/calltrace.csv" || fail "the outermost call is missing"
