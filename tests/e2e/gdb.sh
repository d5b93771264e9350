#!/bin/bash
# gdb shows in copies, stubs and handlers the functions that it shows in the original.
. "$(dirname "$0")/lib.sh"

need gdb awk

# debug NAME COMMAND…: starts it, attaches and steps.
debug() {
	local name=$1
	shift
	begin_debugged "$@"
	gdb -nx -batch -p "$pid" -x "$SCRIPTS/tare-gdb.py" -x "$E2E/gdb_stacks.py" \
		>"$work/gdb" 2>"$work/gdb.err" || {
		grep -q 'ptrace: Operation not permitted' "$work/gdb.err" &&
			{ kill "$pid"; skip "gdb may not attach here"; }
		fail "$name: $(tail -n 8 "$work/gdb" "$work/gdb.err")"
	}
	wait || true
	echo "$name: $(grep stacks "$work/gdb")"
}

debug plain "$FIXTURES/debugged"
"$TARE" instrument -q --probes=all --small-functions=keep -o "$work/debugged" "$FIXTURES/debugged"
debug dormant "$work/debugged"
debug recorded "$TARE" record -q --small-functions=keep -o "$work/profile.tare" -- \
	"$FIXTURES/debugged"
debug libraries "$TARE" record -q --small-functions=keep --module='*' -o "$work/profile.tare" -- \
	"$FIXTURES/debugged"
