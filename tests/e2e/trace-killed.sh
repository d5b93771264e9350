#!/bin/bash
# kill -9 keeps the event log up to its last whole record.
. "$(dirname "$0")/lib.sh"

for trace in --trace --trace=64K; do
	: >"$work/out"
	"$TARE" record -q $trace --small-functions=keep -o "$work/profile.tare" -- "$FIXTURES/killed" \
		>"$work/out" 2>"$work/err" &
	recorder=$!
	for _ in $(seq 1000); do
		[ ! -s "$work/out" ] || break
		sleep 0.02
	done
	target=$(cat /proc/"$recorder"/task/*/children)
	[ -n "$target" ] || fail "the target does not run: $(cat "$work/err")"
	kill -KILL $target
	wait "$recorder" || true
	reason=$("$TARE" report summary "$work/profile.tare" --format=json |
		sed -n 's/.*"incomplete_reason": "\(.*\)",*$/\1/p')
	case $reason in
	*"event log"*) fail "after SIGKILL: $reason" ;;
	*killed*) ;;
	*) fail "no word of the kill: $reason" ;;
	esac
	[ $trace = --trace ] || continue
	report functions
	report calltrace
	# The tree and the log are not written in one step.
	"$E2E/trace_check" replay "$work/calltrace.csv" "$work/functions.csv" 1 ||
		fail "the log of a killed program differs from its tree"
done
