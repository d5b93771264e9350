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

for probes in merged all; do
	record_options=(--small-functions=keep --probes=$probes)
	same "$work/program"
	compare_all
	if grep -q '^# inside' "$work/recorded.stdout"; then
		report calltree
		compare inside "$work/recorded.stdout" "$work/calltree.csv"
	fi
	"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
	for loss in "events_unmatched\": $unmatched" 'events_dropped": 0' 'calls_too_deep": 0' \
		'stacks_lost": 0' 'calls_aside": 0'; do
		grep -q "\"$loss,\?$" "$work/summary.json" ||
			fail "with --probes=$probes $(grep "\"${loss%%\"*}\"" "$work/summary.json")"
	done
done

# The event log follows the thread from stack to stack, and says how the calls ended that stayed behind.
[ "$source" = contexts.c ] && [[ " $* " != *" -static "* ]] || exit 0
record_options=(--trace --small-functions=keep)
same "$work/program"
report functions
report calltrace
"$E2E/trace_check" replay "$work/calltrace.csv" "$work/functions.csv" || fail "the log is not the tree's"
