#!/bin/bash
# Processes that nobody records: tare top samples them by itself, and has the shares that a recording
# of the same seconds has. Recordings that only sample are found by the processes that they sample.
. "$(dirname "$0")/lib.sh"
need_perf

# A name that no other process here has.
name=proportions-$$
cp "$FIXTURES/proportions" "$work/$name"
"$work/$name" 1000000000 1 &
target=$!
clean_up() {
	kill -KILL $target ${waiter:-} ${recorder:-} || true
	rm -rf "$work"
} 2>/dev/null
at_end clean_up

# sums FILE: for each function of a table of tare top, "most ns".
sums() {
	tr '{' '\n' <"$1" | sed -n 's/^"function": "\([a-z]*\)".*"interval_cpu_exclusive_ns": \([0-9]*\).*/\1 \2/p'
}

"$TARE" top $target --json --interval=4 --count=1 >"$work/top.json" 2>"$work/top.err" &
top=$!
sleep 0.5 # else it may show the recording that begins now
record_options=(--method=sample -e cpu-clock -F 997)
"$TARE" record -q "${record_options[@]}" -o "$work/profile.tare" -d 4 -p "$name" || fail "-p NAME finds no process"
wait $top || fail "tare top failed: $(cat "$work/top.err")"
report functions
shares_hold "the recording"
sums "$work/top.json" >"$work/sums"
all=0
for function in most some least; do
	all=$((all + $(cell functions function $function exclusive_samples)))
done
for function in most some least; do
	recorded=$(cell functions function $function exclusive_samples)
	awk -v name="$function" -v recorded="$recorded" -v all="$all" '
		$1 ~ /^(most|some|least)$/ { ns[$1] = $2; whole += $2 }
		END {
			samples = whole * 997 / 1e9
			share = recorded / all
			# six standard deviations of the difference of two shares, each of its samples
			bound = 6 * sqrt(share * (1 - share) * (1 / all + 1 / (samples + 1))) + 0.005
			off = ns[name] / (whole + 1) - share
			exit !(samples >= 50 && off * off <= bound * bound)
		}' "$work/sums" || fail "$function has another share in tare top: $(cat "$work/sums") beside $recorded of $all samples"
done
kill -0 $target || fail "the process did not survive to be looked at"

# Text: columns of waits, none of calls; -p takes the name too; nothing stays behind.
"$TARE" top -p "$name" --once --interval=0.5 >"$work/top" || fail "tare top -p NAME failed"
grep -q "^ *CPU ms/s.* CPU ms  function, module$" "$work/top" || fail "other columns: $(cat "$work/top")"
! grep -q 'calls' "$work/top" || fail "columns of calls without calls: $(cat "$work/top")"
grep -q " most  $name$" "$work/top" || fail "tare top does not show most: $(cat "$work/top")"
for session in /dev/shm/tare.*/recording; do
	! grep -qs "^sampled_pids $target$" "$session" || fail "a session was left: $session"
done

# layout FILE TABLES HEADING…: so many tables with one of the headings, and the names of all rows below "function".
layout() {
	awk -v tables="$2" -v first="$3" -v second="${4-}" '
		$0 != "" && ($0 == first || $0 == second) { found++; begin = index($0, "function"); next }
		/^$/ || /processes, [0-9]+ threads/ { begin = 0; next }
		begin {
			rows++
			if (substr($0, 1, begin - 1) !~ /^( +[0-9]+(\.[0-9])?)+  $/ || substr($0, begin, 1) == " ")
				bad = bad $0 "\n"
		}
		END { printf "%s", bad; exit found != tables || !rows || bad != "" }' "$1" || fail "another layout: $(cat "$1")"
}
"$TARE" top -p "$name" --batch --count=2 --interval=0.5 --rows=3 >"$work/top" || fail "tare top --batch failed"
layout "$work/top" 2 ' CPU ms/s  blocked  preempt     CPU ms  function, module' ' CPU ms/s     CPU ms  function, module'
[ "$(grep -c " $name$" "$work/top")" -le 6 ] || fail "more rows than asked for: $(cat "$work/top")"
cp "$FIXTURES/proportions" "$work/layout-$$"
"$TARE" record -q -o "$work/calls.tare" -- "$work/layout-$$" 1000000000 1 &
recorder=$!
waiter= # ends with the test, whatever comes
for _ in $(seq 100); do
	pid=$(pgrep -P $recorder "layout-$$" || true)
	waiter=$pid
	[ -n "$pid" ] && "$TARE" top "$pid" --once >"$work/top" 2>"$work/err" && grep -q ' main ' "$work/top" && break
	sleep 0.1
done
layout "$work/top" 1 ' CPU ms/s  blocked  preempt   calls/s     CPU ms       calls  function, module'
kill -KILL "$pid"
wait $recorder || true
recorder=

# A recording that samples is found by its process: it can be looked at, and a snapshot taken.
"$TARE" record -q "${record_options[@]}" -o "$work/other.tare" -p $target &
recorder=$!
for _ in $(seq 100); do
	"$TARE" ctl $target status >"$work/status" 2>"$work/err" && break
	sleep 0.1
done
grep -q "^recorder $recorder, writes $work/other.tare" "$work/status" ||
	fail "another recorder, or none: $(cat "$work/status" "$work/err")"
"$TARE" top $target --once >"$work/top" || fail "tare top of a recording that samples failed"
grep -q ' CPU ms ' "$work/top" || fail "no table: $(cat "$work/top")"
"$TARE" ctl $target dump -q -o "$work/snapshot.tare" || fail "no snapshot of a recording that samples"
"$TARE" ctl $target stop 2>"$work/err" && fail "samples cannot be stopped"
grep -q 'only samples' "$work/err" || fail "another reason: $(cat "$work/err")"
! "$TARE" ctl $$ status 2>"$work/err" || fail "a process that nobody samples is recorded"
kill -INT $recorder
wait $recorder || fail "the recording failed"
recorder=
# A command that is sampled, and its child.
"$TARE" record -q --method=sample -o "$work/other.tare" -- sh -c 'sleep 60; true' &
recorder=$!
child=
for _ in $(seq 100); do
	for parent in $(pgrep -P $recorder); do
		child=$child$(pgrep -x -P "$parent" sleep || true)
	done
	[ -z "$child" ] || break
	sleep 0.1
done
[ -n "$child" ] || fail "the command has not started its child"
"$TARE" ctl "$child" status >"$work/status" || fail "the child of a command that is sampled is not found"
kill -KILL "$child"
wait $recorder || true
recorder=

# Time that is waited, where the kernel tells of it.
sh -c 'while :; do sleep 0.05; done' &
waiter=$!
"$TARE" top $waiter --once --json --interval=1 >"$work/top.json" || fail "tare top of who waits failed"
if "$TARE" record -q --method=sample --off-cpu -o "$work/waits.tare" -- true 2>/dev/null; then
	grep -q '"interval_blocked_exclusive_ns": [1-9]' "$work/top.json" || fail "nobody waits: $(cat "$work/top.json")"
fi

# Where perf is refused, one sentence says so.
"$FIXTURES/refused" 1 true || skip "all but the refusal: $("$FIXTURES/refused" 1 true 2>&1)"
status=0
"$FIXTURES/refused" 1 "$TARE" top $target --once >"$work/top" 2>"$work/err" || status=$?
[ $status = 1 ] || fail "status $status where perf is refused"
[ "$(wc -l <"$work/err")" = 1 ] && grep -q '^tare top: ' "$work/err" || fail "no sentence: $(cat "$work/err")"
