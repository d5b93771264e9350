#!/bin/bash
# A stack that overflows ends the program as without tare, or is handled on another stack; then all
# that was called is gone, and counted. The probe that it happens in may lose the handler's events.
. "$(dirname "$0")/lib.sh"

need gcc
gcc -O1 -g0 -w -fno-optimize-sibling-calls -pthread -I"$E2E/../fixtures" -o "$work/program" \
	"$E2E/../fixtures/stacks/overflow.c"
ulimit -c 0
for probes in merged all; do
	record_options=(--small-functions=keep --probes=$probes)
	same "$work/program"
	compare_all
	same "$work/program" unhandled
	[ "$(cat "$work/plain.status")" = 139 ] || fail "status $(cat "$work/plain.status")"
	report functions
	compare sums "$work/functions.csv"
done
