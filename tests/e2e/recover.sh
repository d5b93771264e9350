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
at_end clean_up
for _ in $(seq 100); do
	[ "$(wc -l <"$work/out")" -lt 20 ] || break
	sleep 0.1
done
read -r target _ <<<"$(cat /proc/"$recorder"/task/*/children)"
[ -n "$target" ] || fail "the target does not run: $(cat "$work/err")"
session=$(tr '\0' '\n' <"/proc/$target/maps" | sed -n 's,^.* \(/.*\)/thread\..*$,\1,p' | head -n 1)
[ -d "$session" ] || fail "no session directory is mapped into the target"

# listed STATE: tare recover tells the session's; --clean lets one alone that is written.
listed() {
	XDG_RUNTIME_DIR=$work/runtime "$TARE" recover >"$work/listed" || fail "tare recover: $?"
	grep -q "^$session .*  $1 .*killed" "$work/listed" || fail "not listed as $1: $(cat "$work/listed")"
}
kept() {
	status=0
	XDG_RUNTIME_DIR=$work/runtime "$TARE" recover --clean "$session" 2>"$work/cleaned" || status=$?
	[ "$status" = 1 ] && grep -q 'is in use' "$work/cleaned" && [ -d "$session" ] ||
		fail "--clean while it is written: $status $(cat "$work/cleaned")"
}
listed "being recorded"
kept
kill -KILL "$recorder"
wait "$recorder" 2>/dev/null || true
recorder=
listed "still written"
kept
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

listed "profile to make"
# A copy of it with counts that cannot be, for which there is no room, and one that is removed.
cp -a "$session" "${session%.*}.copied"
cp -a "$session" "${session%.*}.remove"
python3 - "$work/runtime" "${session%.*}" <<'EOF'
import glob, sys
for path in glob.glob(sys.argv[2] + ".copied/process.*"):
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        for at in range(96, 136, 8):
            data[at:at + 8] = (0xffeaa1a1).to_bytes(8, "little")
        file.seek(0)
        file.write(data)
EOF
"$TARE" recover "${session%.*}.copied" -o "$work/damaged.tare" >"$work/damaged.out" 2>&1 ||
	fail "tare recover of damaged files: $(cat "$work/damaged.out")"
grep -q 'are damaged in' "$work/damaged.out" && ! grep -q '42931' "$work/damaged.out" ||
	fail "counts that cannot be are believed: $(cat "$work/damaged.out")"
XDG_RUNTIME_DIR=$work/runtime "$TARE" doctor | grep -q 'left-overs.*of interrupted recordings' ||
	fail "tare doctor does not tell of left-overs"
XDG_RUNTIME_DIR=$work/runtime "$TARE" recover --clean "${session%.*}.remove" >"$work/cleaned"
grep -q "removed ${session%.*}.remove" "$work/cleaned" && [ ! -e "${session%.*}.remove" ] ||
	fail "--clean: $(cat "$work/cleaned")"

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
