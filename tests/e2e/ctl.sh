#!/bin/bash
# Control from outside of a program that computes: paused, started, marked, dumped, stopped; and depth.
. "$(dirname "$0")/lib.sh"

# Turns of about a second: nothing of the program looks at the outside meanwhile.
"$TARE" record -q --paused --small-functions=keep -o "$work/profile.tare" -- \
	"$FIXTURES/computes" 30000000 2>"$work/err" &
recorder=$!
clean_up() {
	kill -KILL ${target:-} $recorder || true
	rm -rf "$work"
} 2>/dev/null
at_end clean_up
ctl() {
	"$TARE" ctl "$@" || fail "tare ctl $* failed"
}
# Waits until the status has the pattern.
await() {
	local status
	for _ in $(seq 200); do
		status=$("$TARE" ctl $recorder status --json 2>/dev/null || true)
		[[ $status != *$1* ]] || return 0
		kill -0 $recorder 2>/dev/null || fail "the recorder is gone: $(cat "$work/err")"
		sleep 0.1
	done
	fail "never so: $1; but $status"
}
calls() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["function"] == "leaf" { print $at["calls"]; found = 1 } END { if (!found) print 0 }' "$1"
}
# A snapshot adds up as a profile does.
dump() {
	ctl $target dump -q -o "$work/profile.tare"
	report functions
	[ "$1" = paused ] || compare sums "$work/functions.csv"
	cp "$work/functions.csv" "$work/$1.csv"
}

await '"pid":'
target=$("$TARE" ctl $recorder status --json | sed -n 's/.*"pid": \([0-9]*\).*/\1/p' | head -n 1)
await '"threads": 0'
dump paused
[ "$(calls "$work/paused.csv")" = 0 ] || fail "calls while paused: $(cat "$work/paused.csv")"

ctl $target start
await '"threads": 1'
"$TARE" ctl $target status | grep -q "process $target .* is on" || fail "it is not on"
ctl $target mark 5 'by hand'
dump one
for _ in $(seq 100); do
	dump two
	[ "$(calls "$work/two.csv")" -le "$(calls "$work/one.csv")" ] || break
	sleep 0.1
done
[ "$(calls "$work/two.csv")" -gt "$(calls "$work/one.csv")" ] || fail "no calls between two snapshots"
"$TARE" report "$work/profile.tare" --format=text >"$work/summary"
grep -q 'snapshot' "$work/summary" || fail "a snapshot does not say that it is one"

"$TARE" top $target --once >"$work/top" || fail "tare top --once failed"
grep -q ' leaf  computes$' "$work/top" || fail "tare top does not show leaf: $(cat "$work/top")"
"$TARE" top $recorder --json --count=2 --interval=0.2 --rows=1 >"$work/top.json"
[ "$(grep -c '"functions": \[{"function": ' "$work/top.json")" = 2 ] ||
	fail "not two tables of JSON: $(cat "$work/top.json")"

# Levels: the recording is suspended twice, the process stopped.
ctl $recorder suspend
ctl $target suspend
ctl $target stop --process
ctl $target resume
"$TARE" ctl $target status | grep -q 'the recording is off, suspended 1 times' || fail "not off"
ctl $target resume
"$TARE" ctl $target status | grep -q "process $target .* is off, stopped" || fail "the process is not off"
# A thread takes note at its next interrupt or system call.
for _ in $(seq 100); do
	dump three
	dump four
	[ "$(calls "$work/three.csv")" != "$(calls "$work/four.csv")" ] || break
	sleep 0.1
done
[ "$(calls "$work/three.csv")" = "$(calls "$work/four.csv")" ] || fail "calls while stopped"
ctl $target start --process
kill -KILL $target
wait $recorder || true
report functions
compare sums "$work/functions.csv"
[ "$(calls "$work/functions.csv")" -ge "$(calls "$work/four.csv")" ] || fail "calls were lost"
report marks
grep -q ',5,by hand,' "$work/marks.csv" || fail "the mark is not there: $(cat "$work/marks.csv")"
recorder=

# Three calls deep: main, turn, the outermost branch. The time of those below is its own; they are only
# counted. By default one in between might be only counted before, and what it calls be less deep.
record_options=(--exact --small-functions=keep --max-depth=3)
record "$FIXTURES/computes" 100 once
report functions
compare sums "$work/functions.csv"
[ "$(calls "$work/functions.csv")" -gt 0 ] || fail "the leaves are not counted"
[ "$(sqlite3 "$work/profile.tare" "SELECT count(*) FROM node n JOIN function f ON f.id = n.function
	WHERE f.name = 'leaf'")" = 0 ] || fail "a leaf in spite of the depth"
"$TARE" report summary "$work/profile.tare" --format=json |
	grep -q '"calls_beyond_depth": 1[89][0-9][0-9]' || fail "other than 1900 calls beyond the depth"
