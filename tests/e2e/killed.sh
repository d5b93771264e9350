#!/bin/bash
# kill -9 of a running target keeps everything up to that moment. Usage: killed.sh [COMPILER OPTION…],
# the program then being compiled by that.
. "$(dirname "$0")/lib.sh"

program=$FIXTURES/killed
if [ $# -gt 0 ]; then
	need "$1"
	program=$work/killed
	"$@" -O2 -w -o "$program" "$E2E/../fixtures/killed.c" 2>"$work/build" ||
		skip "it cannot be built here: $(tail -n 1 "$work/build")"
fi

: >"$work/out"
"$TARE" record -q --small-functions=keep -o "$work/profile.tare" -- "$program" \
	>"$work/out" 2>"$work/err" &
recorder=$!
# The target outlives its recorder: whatever fails here, it must not stay behind.
clean_up() {
	kill -KILL $(cat /proc/"$recorder"/task/*/children) "$recorder" || true
	rm -rf "$work"
} 2>/dev/null
at_end clean_up
for _ in $(seq 100); do
	[ "$(wc -l <"$work/out")" -lt 20 ] || break
	sleep 0.1
done
[ "$(wc -l <"$work/out")" -ge 20 ] || fail "the target does not run: $(cat "$work/err")"
target=$(cat /proc/"$recorder"/task/*/children)
[ -n "$target" ] || fail "the recorder has no child"
kill -KILL $target
status=0
wait "$recorder" || status=$?
[ "$status" = 137 ] || fail "status $status after SIGKILL, expected 137: $(cat "$work/err")"

report functions
calls_of() {
	awk -F, -v name="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["function"] == name { sum += $at["calls"] }
		END { print sum + 0 }' "$work/functions.csv"
}
outer=$(calls_of outer)
inner=$(calls_of inner)
# The last whole line that was seen; up to 1000 calls may have followed before the next one.
seen=$(grep -E '^outer [0-9]+000$' "$work/out" | tail -n 1 | cut -d' ' -f2)
[ "$outer" -ge "$seen" ] || fail "$seen outer calls were made before the kill, $outer are reported"
[ "$outer" -le $((seen + 2001)) ] || fail "$outer outer calls reported, about $seen were made"
[ "$inner" -ge $(((outer - 1) * 100)) ] && [ "$inner" -le $((outer * 100 + 100)) ] ||
	fail "$inner inner calls do not fit $outer outer ones of 100 each"
compare sums "$work/functions.csv"
