#!/bin/bash
# A recorder that is killed leaves its session directory; the target goes on, and `tare recover`
# builds the profile from what was left.
. "$(dirname "$0")/lib.sh"

mkdir -m 700 "$work/runtime"
: >"$work/out"
XDG_RUNTIME_DIR=$work/runtime TMPDIR=$work/runtime "$TARE" record -q --small-functions=keep \
	-o "$work/profile.tare" -- "$FIXTURES/killed" >"$work/out" 2>"$work/err" &
recorder=$!
target=
clean_up() {
	kill -KILL $target $recorder || true
	[ -z "${session:-}" ] || rm -rf "$session"
	rm -rf "$work"
} 2>/dev/null
trap clean_up EXIT
for _ in $(seq 100); do
	[ "$(wc -l <"$work/out")" -lt 20 ] || break
	sleep 0.1
done
read -r target _ <<<"$(cat /proc/"$recorder"/task/*/children)"
[ -n "$target" ] || fail "the target does not run: $(cat "$work/err")"
session=$(tr '\0' '\n' <"/proc/$target/maps" | sed -n 's,^.* \(/.*\)/thread\..*$,\1,p' | head -n 1)
[ -d "$session" ] || fail "no session directory is mapped into the target"

kill -KILL "$recorder"
wait "$recorder" 2>/dev/null || true
recorder=
before=$(wc -l <"$work/out")
for _ in $(seq 200); do
	[ "$(wc -l <"$work/out")" -gt "$before" ] && break
	sleep 0.1
done
[ "$(wc -l <"$work/out")" -gt "$before" ] || fail "the target ended with its recorder"
kill -KILL $target
# Gone, or a zombie that nobody waits for.
while state=$(awk '{print $3}' "/proc/$target/stat" 2>/dev/null) && [ "$state" != Z ]; do
	sleep 0.05
done

"$TARE" recover "$session" -o "$work/profile.tare" >"$work/recover.out" 2>&1 ||
	fail "tare recover: $(cat "$work/recover.out")"
report functions
seen=$(grep -E '^outer [0-9]+000$' "$work/out" | tail -n 1 | cut -d' ' -f2)
printf 'outer calls %s %s\n' "$seen" $((seen + 2001)) >"$work/truth"
compare values "$work/truth" "$work/functions.csv"
compare sums "$work/functions.csv"
"$TARE" report summary "$work/profile.tare" --format=text --no-pager >"$work/summary"
grep -qi -E 'cut off|incomplete|partial' "$work/summary" ||
	fail "the report does not say that the recording was cut off"
