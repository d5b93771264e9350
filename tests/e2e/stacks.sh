#!/bin/bash
# Calls on other stacks than the thread's own are counted exactly, and nothing is lost on the way.
# Usage: stacks.sh COMPILER OPTION… SOURCE
. "$(dirname "$0")/lib.sh"

compiler=$1
source=${!#}
# That of the system, if there is another: see panics.sh.
[ "$compiler" != rustc ] || [ ! -x /usr/bin/rustc ] || compiler=/usr/bin/rustc
need "$compiler"
[ "$1" = rustc ] || compiler="$compiler -g0 -w -I$E2E/../fixtures"
# shellcheck disable=SC2086
$compiler "${@:2:$#-2}" -o "$work/program" "$E2E/../fixtures/stacks/$source" 2>"$work/errors" ||
	skip "$1 does not build $source: $(grep -m 1 error "$work/errors")"

# A static program ends calls of its start-up that began before anything was recorded.
unmatched=0
[[ " $* " != *" -static "* ]] || unmatched='[0-3]'

# The program behaves alike, and all calls are there, whether each is timed or most are only counted.
# The tree of calls is exact where each is timed.
for probes in merged all; do
	for times in --adaptive --exact; do
		record_options=(--small-functions=keep --probes=$probes)
		[ $times = --adaptive ] || record_options+=($times) # it is the default
		same "$work/program"
		compare_all
		compare calls "$work/threads.csv" "$work/functions.csv"
		losses=('events_dropped": 0' 'calls_too_deep": 0' 'stacks_lost": 0' 'calls_aside": 0'
			"events_unmatched\": $unmatched")
		"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
		for loss in "${losses[@]}"; do
			grep -q "\"$loss,\?$" "$work/summary.json" ||
				fail "with --probes=$probes $times $(grep "\"${loss%%\"*}\"" "$work/summary.json")"
		done
	done
	if grep -q '^# inside' "$work/recorded.stdout"; then
		report calltree
		compare inside "$work/recorded.stdout" "$work/calltree.csv"
	fi
done

# The event log follows the thread from stack to stack, and says how the calls ended that stayed behind.
# The functions' report also has calls that counters alone have seen, as those by a last jump.
[ "$source" = contexts.c ] && [[ " $* " != *" -static "* ]] || exit 0
record_options=(--trace --small-functions=keep)
same "$work/program"
report calltree
report calltrace
"$E2E/trace_check" replay "$work/calltrace.csv" "$work/calltree.csv" || fail "the log is not the tree's"
