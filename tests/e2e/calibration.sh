#!/bin/bash
# What probes cost is measured at the begin and at the end of each process, and is in the profile.
. "$(dirname "$0")/lib.sh"
need sqlite3

record "$FIXTURES/forks"

processes=$(sqlite3 "$work/profile.tare" "SELECT count(*) FROM process")
[ "$processes" -gt 1 ] || fail "the fixture has $processes processes"
for pair in enter call call_indirect enter_flags call_flags; do
	profile_says 0 "SELECT count(*) FROM process WHERE begin_${pair}_inside_ticks <= 0 OR
		begin_${pair}_outside_ticks <= 0"
done
profile_says 0 "SELECT count(*) FROM process WHERE begin_counters_ticks <= 0 OR begin_gates_ticks <= 0"
# What is subtracted is what was measured at the begin, of a forked child that of its parent.
profile_says 0 "SELECT count(*) FROM process WHERE cost_enter_ticks <> begin_enter_inside_ticks OR
	cost_leave_ticks <> begin_enter_outside_ticks OR cost_call_ticks <> begin_call_inside_ticks
	OR cost_return_ticks <> begin_call_outside_ticks"
# Measured again where the end was seen: not where a process became another program.
profile_says 1 "SELECT count(*) FROM process WHERE id = 1 AND ended AND end_enter_inside_ticks > 0"
profile_says 0 "SELECT count(*) FROM process WHERE NOT (end_enter_inside_ticks > 0) =
	(end_enter_outside_ticks > 0 AND end_call_inside_ticks > 0 AND end_call_outside_ticks > 0)"

# Processes that begin soon after each other take over what one of them has measured, and those that are
# short do not measure at their end either.
for _ in $(seq 24); do echo /bin/true; done >"$work/many"
record sh "$work/many"
measured="begin_enter_inside_ticks, begin_enter_outside_ticks, begin_call_inside_ticks,
	begin_call_outside_ticks, begin_call_indirect_inside_ticks, begin_call_indirect_outside_ticks,
	begin_enter_flags_inside_ticks, begin_enter_flags_outside_ticks, begin_call_flags_inside_ticks,
	begin_call_flags_outside_ticks, begin_bare_ticks, begin_syscall_ticks"
profile_says 1 "SELECT count(*) <= 12 FROM (SELECT DISTINCT $measured FROM process WHERE name = 'true')"
profile_says 24 "SELECT count(*) FROM process WHERE name = 'true' AND begin_enter_inside_ticks > 0"
