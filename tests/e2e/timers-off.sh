#!/bin/bash
# Samples that the process takes of itself are taken only where the recording is on, of the process and of the thread.
. "$(dirname "$0")/lib.sh"
need sqlite3
by_timers

for options in "" --method=sample; do
	record_options=($options)
	record "$FIXTURES/works_while_off"
	samples_in() {
		sqlite3 "$work/profile.tare" "SELECT coalesce(sum(v.samples), 0) FROM stack_value v
			JOIN stack s ON s.id = v.stack JOIN location l ON l.id = s.location
			JOIN function f ON f.id = l.function WHERE f.name = '$1'"
	}
	[ "$(samples_in while_on)" -gt 0 ] || fail "${options:-default}: no sample while on"
	for name in process_off thread_off; do
		[ "$(samples_in $name)" = 0 ] || fail "${options:-default}: $(samples_in $name) samples in $name, beside $(samples_in while_on)"
	done
done
