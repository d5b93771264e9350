#!/bin/bash
# Commands that are sampled: known proportions come out, the program is what it is without tare,
# threads, children and executed programs are there, and no file is changed or copied for it.
. "$(dirname "$0")/lib.sh"
need_perf
record_options=(--method=sample -F 4000)

# Proportions, and stacks that reach the root.
record "$FIXTURES/proportions" 5000
report functions
shares_hold
all=$(cell functions function least inclusive_samples)
deeper=$(cell functions function deeper inclusive_samples)
[ "$deeper" -ge $((all * 99 / 100)) ] || fail "least was called by deeper in $deeper of $all samples"
root=$(cell functions function main inclusive_samples)
rounds=$(cell functions function round_of_work inclusive_samples)
[ "$rounds" -ge 200 ] && [ "$root" -ge "$rounds" ] || fail "main has $root samples, its callee $rounds"
[ ! -e "$XDG_CACHE_HOME/tare/sampled" ] || fail "sampling has made copies"
COLUMNS=1000 "$TARE" report summary "$work/profile.tare" --format=text --no-pager >"$work/summary"
grep -q '^method *sample .*--frequency=4000' "$work/summary" || fail "the header does not name the method"
grep -q '^samples ' "$work/summary" || fail "the header does not count the samples"

# Output, files, status and signals are the program's own.
same "$FIXTURES/forks"
same "$FIXTURES/threads"
same "$FIXTURES/endings" exit
same "$FIXTURES/endings" abort
same bash -c 'echo out; echo err >&2; echo file >file; exit 7'
[ "$(cat "$work/recorded.status")" = 7 ] || fail "status $(cat "$work/recorded.status"), expected 7"
same env # the environment too
for command in "$work/absent" /; do
	status=0
	"$TARE" record -q --method=sample -o "$work/no.tare" -- "$command" 2>"$work/err" || status=$?
	[ "$status" = 126 ] || [ "$status" = 127 ] || fail "status $status of $command"
	[ ! -e "$work/no.tare" ] || fail "a profile of a command that did not run"
done

# A script runs as itself.
printf '#!/bin/sh\nexit 3\n' >"$work/script"
chmod +x "$work/script"
same "$work/script"
report processes
[ "$(rows processes)" -ge 1 ] || fail "the script's process is missing"

# 50 children, and programs that these execute.
record "$FIXTURES/proportions" 150 50
report processes
[ "$(rows processes)" = 50 ] || fail "$(rows processes) processes, expected 50"
report functions
shares_hold "50 processes"
record bash -c "(exec $FIXTURES/proportions 500) & $FIXTURES/proportions 500; wait"
report processes
programs=$(grep -c "$FIXTURES/proportions" "$work/processes.csv")
[ "$programs" = 2 ] || fail "$programs executed programs, expected 2: $(cat "$work/processes.csv")"

# Threads, by their numbers.
record "$FIXTURES/threads"
report threads
[ "$(rows threads)" -ge 300 ] || fail "$(rows threads) threads, expected 300 and more"

# Only the command.
record_options=(--method=sample -F 4000 --no-follow)
record "$FIXTURES/proportions" 500 4
report processes
[ "$(rows processes)" = 1 ] || fail "$(rows processes) processes with --no-follow"

# Waiting is seen as such.
record_options=(--method=sample --off-cpu)
record sleep 0.4
report functions --event=off-cpu
waited=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["exclusive_weight"] > 0 { sum += $at["exclusive_weight"] } END { print int(sum / 1000000) }' \
	"$work/functions.csv")
[ "$waited" -ge 390 ] || fail "sleep 0.4 has waited $waited ms"
# And when it could run and did not, which may be asked for by name as well.
report threads --event=preempted
record_options=(--method=sample --off-cpu --event=preempted)
record sleep 0

# Several events, by period.
record_options=(--method=sample --event=cpu-clock --event=page-faults:1)
record "$FIXTURES/proportions" 500
report functions --event=page-faults
faults=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ sum += $at["exclusive_samples"] } END { print sum }' "$work/functions.csv")
[ "$faults" -ge 20 ] || fail "$faults page faults of a program that begins"

# All processors, what is not the command's being discarded.
record_options=(--method=sample -a)
"$FIXTURES/proportions" 100000 &
other=$!
record "$FIXTURES/proportions" 3000
kill $other
report processes
[ "$(rows processes)" = 1 ] || fail "-a with a command has samples of others, or none: $(cat "$work/processes.csv")"
report functions
shares_hold "all processors"
COLUMNS=1000 "$TARE" report summary "$work/profile.tare" --format=text --no-pager >"$work/summary"
grep -qE '; [1-9][0-9,]* taken outside of the target' "$work/summary" || fail "nothing was discarded"
