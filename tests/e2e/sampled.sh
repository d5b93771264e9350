#!/bin/bash
# A signal handler that unwinds thousands of times a second never meets a stack that it cannot.
. "$(dirname "$0")/lib.sh"

# samples NAME COMMAND…
samples() {
	local name=$1
	shift
	"$@" >"$work/stdout" 2>"$work/stderr" || fail "$name: $(cat "$work/stdout" "$work/stderr")"
	echo "$name: $(cat "$work/stdout" "$work/stderr")"
}

samples plain "$FIXTURES/sampled"
"$TARE" instrument -q --probes=all --small-functions=keep -o "$work/instrumented" \
	"$FIXTURES/sampled"
samples dormant "$work/instrumented"
samples recorded "$TARE" record -q -o "$work/profile.tare" -- "$FIXTURES/sampled"
samples libraries "$TARE" record -q --probes=all --small-functions=keep --module='*' \
	-o "$work/profile.tare" -- "$FIXTURES/sampled"
