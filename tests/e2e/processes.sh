#!/bin/bash
# Processes begin and end in every way: the program sees what it sees without tare, every process is
# there with all of its calls, and values add up.
. "$(dirname "$0")/lib.sh"

record_options=(--small-functions=keep)
check() {
	compare_all
	"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
}
complete() {
	! grep -q '"incomplete_reason": "' "$work/summary.json" ||
		fail "$*: $(grep '"incomplete_reason"' "$work/summary.json")"
}

same "$FIXTURES/processes"
check

ulimit -c 0
for mode in exit quick_exit _exit handler main-first stopped other-exit other-_exit; do
	same "$FIXTURES/endings" $mode
	check
	complete "mode $mode"
done
for mode in abort segv kill other-abort other-segv other-kill; do
	same "$FIXTURES/endings" $mode
	check
done
same "$FIXTURES/endings" overflow
report functions
compare sums "$work/functions.csv"

# Core files are written as without tare, where the system writes them beside the program.
if [ "$(cat /proc/sys/kernel/core_pattern)" = core ] && ulimit -c unlimited 2>/dev/null; then
	for kind in plain recorded; do
		prefix=()
		[ $kind = plain ] || prefix=("$TARE" record -q -o "$work/profile.tare" --)
		run_in "$work/$kind" "${prefix[@]}" "$FIXTURES/endings" segv
		ls "$work/$kind" | sed 's/[0-9]*$//' >"$work/$kind.cores"
	done
	cmp "$work/plain.cores" "$work/recorded.cores" || fail "core files differ"
fi
