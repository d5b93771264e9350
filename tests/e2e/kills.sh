#!/bin/bash
# kill -9 at random moments, of programs that never do the same for long: the target, its recorder, and
# both at once, some of these while the recording still begins. Every profile opens, is marked partial,
# and adds up, with what `tare recover` makes after a kill of the recorder. Nothing is left in memory
# that `tare recover` does not list, and nothing at all after `tare recover --clean`.
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
# Sessions stand in a directory of their own, in memory as usual where there is such.
sessions=$(mktemp -d /dev/shm/tare-e2e-XXXXXX) || { sessions=$work/sessions && mkdir -m 700 "$sessions"; }
export XDG_RUNTIME_DIR=$sessions TMPDIR=$sessions
recorder=
target=
clean_up() {
	[ -z "$recorder" ] || kill -KILL $target $recorder || true
	rm -rf "$work" "$sessions"
} 2>/dev/null
at_end clean_up

wait_until() {
	for _ in $(seq 600); do
		! "$@" || return 0
		sleep 0.05
	done
	fail "this never came true: $* $(cat "$work/err")"
}
start() {
	: >"$work/out"
	target=
	"$TARE" record -q --small-functions=keep -o "$work/profile.tare" -- "$FIXTURES/restless" "$mode" \
		"$work/plugins" >"$work/out" 2>"$work/err" &
	recorder=$!
}
wait_random() { # MILLISECONDS at most
	sleep "0.$(printf %03d $((RANDOM % $1)))"
}
find_target() {
	read -r target _ <<<"$(cat /proc/$recorder/task/*/children 2>/dev/null)" || true
}
# One run of $mode, until its target is at work.
begin() {
	start
	wait_until test -s "$work/out"
	find_target
	[ -n "$target" ] || fail "mode $mode does not run: $(cat "$work/err")"
	wait_random 150
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

# Gone, or a zombie that nobody waits for.
is_gone() {
	local state
	state=$(awk '{print $3}' "/proc/$1/stat" 2>/dev/null) || return 0
	[ -z "$state" ] || [ "$state" = Z ]
}
none_is_written() {
	"$TARE" recover | grep "^$sessions/" >"$work/listed" || true
	! grep -q -E '  (being recorded|still written)  ' "$work/listed"
}
# What is left is listed, and in $session if it has a profile.
find_left() {
	local directory
	session=
	# Children of the target may still work for a moment.
	wait_until none_is_written
	for directory in "$sessions"/* "$sessions"/.[!.]*; do
		[ -e "$directory" ] || continue
		grep -q "^$directory " "$work/listed" ||
			fail "$1, mode $mode: not listed: $directory, $(cat "$work/listed")"
		! grep -q "^$directory .*  profile to make  " "$work/listed" || session=$directory
	done
}
recover() {
	"$TARE" recover "$session" -o "$work/profile.tare" >"$work/recover.out" 2>&1 ||
		fail "$1, mode $mode: tare recover: $(cat "$work/recover.out")"
	grep -q 'partial' "$work/recover.out" || fail "$1, mode $mode: recovered, and not partial"
	[ ! -e "$session" ] || fail "$1, mode $mode: $session was recovered and is still there"
}
# Each by its name: what others have left stays. One without a recording has to be a minute old.
nothing_left() {
	local directory
	for directory in "$sessions"/tare.*; do
		[ -e "$directory" ] || continue
		touch -d '2 minutes ago' "$directory"
		"$TARE" recover --clean -q "$directory"
	done
	[ -z "$(ls -A "$sessions")" ] || fail "$1, mode $mode: this is left: $(find "$sessions")"
}

kill_target() {
	begin
	kill -KILL $target
	status=0
	wait $recorder 2>/dev/null || status=$?
	recorder=
	[ $status = 137 ] || fail "mode $mode: status $status after SIGKILL: $(cat "$work/err")"
	[ -z "$(ls -A "$sessions")" ] || fail "$1, mode $mode: this is left: $(find "$sessions")"
	check
}
# The recorder, while the target goes on.
kill_recorder() {
	begin
	kill -KILL $recorder
	wait $recorder 2>/dev/null || true
	wait_random 100
	kill -KILL $target
	recorder=
	wait_until is_gone $target
	find_left "$1"
	[ -n "$session" ] || fail "$1, mode $mode: nothing to recover: $(cat "$work/listed")"
	recover "$1"
	check
}
kill_both() {
	begin
	kill -KILL $(shuf -e $recorder $target)
	wait $recorder 2>/dev/null || true
	recorder=
	wait_until is_gone $target
	find_left "$1"
	[ -n "$session" ] || fail "$1, mode $mode: nothing to recover: $(cat "$work/listed")"
	recover "$1"
	check
}
# While the recording begins: there may be no target yet, and nothing to make.
kill_early() {
	start
	wait_random 300
	find_target
	kill -KILL $recorder $target 2>/dev/null
	wait $recorder 2>/dev/null || true
	recorder=
	[ -z "$target" ] || wait_until is_gone $target
	find_left "$1"
	[ -z "$session" ] || recover "$1"
	[ -z "$session" ] || "$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json" ||
		fail "$1, mode $mode: the profile does not open"
}

victims=(target recorder both target recorder both target early)
declare -A killed=()
for i in $(seq "$count"); do
	mode=${modes[RANDOM % ${#modes[@]}]}
	victim=${victims[(i - 1) % ${#victims[@]}]}
	rm -f "$work/profile.tare"
	kill_$victim "kill $i of $victim"
	nothing_left "kill $i of $victim"
	killed[$victim]=$((${killed[$victim]:-0} + 1))
done
for victim in "${!killed[@]}"; do
	echo "$victim: ${killed[$victim]} kills"
done
