#!/bin/bash
# cpu-use.sh METHOD: what the recorder read of CPU clocks adds up to what the shell says of itself
# and of its children, in intervals that no process can have exceeded.
. "$(dirname "$0")/lib.sh"
need sqlite3
[ "$1" = instrument ] || need_perf

query() {
	sqlite3 "$work/profile.tare" "$1"
}

record_options=(--method="$1")
# Its own CPU time and its children's, before its end.
record bash -c 'burn() { for ((i = 0; i < $1; i++)); do :; done; }
	burn 60000; sleep 0.1; bash -c "for ((i = 0; i < 60000; i++)); do :; done" & wait
	for j in 1 2 3 4 5; do (burn 2000); done; burn 10000; times'
told=$(awk '{ for (i = 1; i <= NF; i++) { split($i, part, /[ms]/); sum += 60 * part[1] + part[2] } } END { print sum }' \
	"$work/recorded.stdout")
seen=$(query "SELECT sum(cpu_ticks) / ticks_per_second FROM cpu_use, session")
# More by what it used until its end; less by what it used before its program began, which takes longer where
# the machine is slow, as the rest does.
awk "BEGIN { exit !($seen > 0.97 * $told - 0.03 && $seen < 1.25 * $told + 0.2) }" ||
	fail "CPU use of $seen s was recorded, the shell tells $told s"
[ "$(query "SELECT count(*) > 3 FROM cpu_use JOIN process p ON p.id = process WHERE p.name LIKE 'bash%'")" = 1 ] ||
	fail "no CPU use over time: $(query "SELECT * FROM cpu_use")"
# A process has used some milliseconds before its begin is known.
odd=$(query "SELECT c.* FROM cpu_use c, session s
	WHERE c.begin_ticks > c.end_ticks OR c.begin_ticks < s.begin_ticks OR c.end_ticks > s.end_ticks
	OR (process IS NOT NULL
	    AND cpu_ticks > $(nproc) * (c.end_ticks - c.begin_ticks) * 1.05 + 0.006 * ticks_per_second)")
[ -z "$odd" ] || fail "CPU use that cannot be: $odd"
many=$(query "SELECT process, count(*) FROM cpu_use GROUP BY process HAVING count(*) > 520")
[ -z "$many" ] || fail "too many intervals: $many"
