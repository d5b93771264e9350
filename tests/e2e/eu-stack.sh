#!/bin/bash
# libdw, from another process, unwinds stacks with copies to their end: the functions of the program
# are those that call each other, whenever it is stopped.
. "$(dirname "$0")/lib.sh"

need eu-stack awk
stops=25

# Frames of the program in the stack of each stop; between them may be others, of libraries.
check='
function rank(name) {
	return index(" leaf compares sorts works main _start ", " " name " ")
}
function finish() {
	if (!seen) return
	if (last != "_start") wrong++
	stacks++
}
/^TID/ { finish(); seen = 1; last = ""; place = 0; next }
/^#/ && rank($3) {
	if (rank($3) <= place || (last == "compares" && $3 != "sorts") ||
	    (last == "sorts" && $3 != "works") || (last == "works" && $3 != "main")) wrong++
	last = $3
	place = rank($3)
}
END { finish(); print stacks " stacks, " wrong + 0 " wrong"; exit wrong > 0 || stacks < 1 }'

# stop NAME COMMAND…
stop() {
	local name=$1
	shift
	begin_debugged "$@"
	for _ in $(seq $stops); do
		eu-stack -p "$pid" 2>>"$work/err" || true
	done >"$work/stacks"
	kill "$pid"
	wait || true
	[ -s "$work/stacks" ] || skip "eu-stack may not attach here: $(head -n 1 "$work/err")"
	awk "$check" "$work/stacks" >"$work/result" ||
		fail "$name: $(cat "$work/result"; grep -B 12 -A 3 compares "$work/stacks" | head -n 40)"
	echo "$name: $(cat "$work/result")"
}

stop plain "$FIXTURES/debugged"
"$TARE" instrument -q --probes=all --small-functions=keep -o "$work/debugged" "$FIXTURES/debugged"
stop dormant "$work/debugged"
stop recorded "$TARE" record -q --small-functions=keep -o "$work/profile.tare" -- \
	"$FIXTURES/debugged"
stop libraries "$TARE" record -q --small-functions=keep --module='*' -o "$work/profile.tare" -- \
	"$FIXTURES/debugged"
