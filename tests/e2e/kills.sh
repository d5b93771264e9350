#!/bin/bash
# kill -9 at random moments, of programs that never do the same for long: every profile opens, is
# marked partial, and adds up. So does what `tare recover` makes after a kill of the recorder.
# Usage: kills.sh [COUNT]
. "$(dirname "$0")/lib.sh"
need cc

count=${1:-12}
modes=(calls contexts threads forks plugins system)
RANDOM=${SEED:-$$}
echo "seed ${SEED:-$$}"

mkdir "$work/plugins"
for name in one two three; do
	cc -shared -fPIC -O2 -DPLUGIN=$name -DSALT=${#name} -o "$work/plugins/$name.so" \
		"$E2E/../fixtures/plugin.c"
done
recorder=
target=
clean_up() {
	[ -z "$recorder" ] || kill -KILL $target $recorder || true
	[ -z "${session:-}" ] || rm -rf "$session"
	rm -rf "$work"
} 2>/dev/null
trap clean_up EXIT

wait_until() {
	for _ in $(seq 600); do
		! "$@" || return 0
		sleep 0.05
	done
	fail "this never came true: $* $(cat "$work/err")"
}
# One run of $mode, until its target is at work.
begin() {
	: >"$work/out"
	mkdir -p -m 700 "$work/sessions"
	XDG_RUNTIME_DIR=$work/sessions TMPDIR=$work/sessions "$TARE" record -q \
		--small-functions=keep -o "$work/profile.tare" -- "$FIXTURES/restless" "$mode" \
		"$work/plugins" >"$work/out" 2>"$work/err" &
	recorder=$!
	wait_until test -s "$work/out"
	read -r target _ <<<"$(cat /proc/$recorder/task/*/children)"
	[ -n "$target" ] || fail "mode $mode does not run: $(cat "$work/err")"
	sleep "0.$(printf %03d $((RANDOM % 150)))"
}
check() {
	"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json" ||
		fail "mode $mode: the profile does not open"
	! grep -q -E 'was cut off|are damaged|cannot use' "$work/summary.json" ||
		fail "mode $mode: $(grep -E 'cut off|damaged|cannot use' "$work/summary.json")"
	grep -q -E 'was killed|was still running' "$work/summary.json" ||
		fail "mode $mode: the profile does not say that the program was killed"
	report functions
	compare sums "$work/functions.csv"
	report threads
	compare whole "$work/threads.csv" "$work/functions.csv"
}

for i in $(seq "$count"); do
	mode=${modes[i % ${#modes[@]}]}
	begin
	kill -KILL $target
	status=0
	wait $recorder 2>/dev/null || status=$?
	recorder=
	[ $status = 137 ] || fail "mode $mode: status $status after SIGKILL: $(cat "$work/err")"
	check
done

# The recorder, while the target goes on.
for mode in threads plugins; do
	begin
	session=$(tr '\0' '\n' <"/proc/$target/maps" |
		sed -n 's,^.* \(/.*\)/process\..*$,\1,p' | head -n 1)
	[ -d "$session" ] || fail "mode $mode: no session directory is mapped into the target"
	kill -KILL $recorder
	wait $recorder 2>/dev/null || true
	sleep "0.$(printf %03d $((RANDOM % 100)))"
	kill -KILL $target
	recorder=
	# Gone, or a zombie that nobody waits for.
	while state=$(awk '{print $3}' "/proc/$target/stat" 2>/dev/null) && [ "$state" != Z ]; do
		sleep 0.02
	done
	"$TARE" recover "$session" -o "$work/profile.tare" >"$work/recover.out" 2>&1 ||
		fail "tare recover: $(cat "$work/recover.out")"
	session=
	grep -q 'partial' "$work/recover.out" || fail "recovered, and not partial"
	check
done
