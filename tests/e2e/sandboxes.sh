#!/bin/bash
# Programs that put themselves into a sandbox while they run: nothing that the runtime does may be
# what their filters kill for, and what is recorded still adds up.
. "$(dirname "$0")/lib.sh"

record_options=(--small-functions=keep)
sandboxed() {
	same "$FIXTURES/sandboxed" "$1"
	[ "$(cat "$work/plain.status")" != 77 ] || skip "$(cat "$work/plain.stdout")"
	[ "$(cat "$work/plain.status")" = 7 ] ||
		skip "mode $1 of the test program does not run here: status $(cat "$work/plain.status")"
	report functions
	compare sums "$work/functions.csv"
	report threads
	compare whole "$work/threads.csv" "$work/functions.csv"
	"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
}
says() {
	grep -q -- "$1" "$work/summary.json" || fail "the report does not say: $1"
}

# No clock: recorded up to there.
for mode in strict no-tsc; do
	sandboxed $mode
	compare counts "$work/recorded.stdout" "$work/functions.csv"
	says 'gave up the right to read the clock'
done
# Nor system calls: the same.
sandboxed dispatch
compare counts "$work/recorded.stdout" "$work/functions.csv"
says 'hands system calls to its own handler'
# Filters: recorded to the end, without the causes of OS events, nor CPU time of what was switched.
for mode in filter mute stacked errors children threads; do
	# Threads that the sandbox gives no pages for share their counters, which may lose a call then: ≈.
	[ $mode != threads ] || record_options+=(--exact)
	sandboxed $mode
	compare counts "$work/recorded.stdout" "$work/functions.csv"
	says '"os_causes_unknown": [1-9]'
	says '"cpu_unread": [1-9]'
done
record_options=(--small-functions=keep)
# Files that a forked child has, too, find room in its list, however many they are.
printf 'int plug(void) { return 1; }\n' >"$work/plug.c"
gcc -shared -fPIC -o "$work/plug.so" "$work/plug.c"
plugs=()
for i in $(seq 80); do
	cp "$work/plug.so" "$work/plug-with-a-name-of-some-length.$i.so"
	plugs+=("$work/plug-with-a-name-of-some-length.$i.so")
done
same "$FIXTURES/sandboxed" closed "${plugs[@]}"
[ "$(cat "$work/plain.status")" = 7 ] || fail "the test program does not open its plug-ins"
"$TARE" report summary -v "$work/profile.tare" >"$work/text"
! grep 'no room in its list' "$work/text" || fail "modules of a confined child are lost"
# More threads than files were laid aside for: counted.
sandboxed crowd
says '"threads_lost": [1-9]'
says 'found no room for their data'

# The same where each thread samples itself: its timers, and how their handler ends, may be forbidden.
by_itself=(filter mute stacked errors children threads crowd)
"$FIXTURES/refused" 1 true || { echo "no filter can refuse perf here: not tried" && by_itself=(); }
for mode in "${by_itself[@]}"; do
	status=0
	"$FIXTURES/sandboxed" $mode >"$work/plain.stdout" || [ $? = 7 ] || fail "mode $mode does not run"
	"$FIXTURES/refused" 1 "$TARE" record -q --small-functions=keep -o "$work/refused.tare" -- "$FIXTURES/sandboxed" $mode >"$work/refused" ||
		status=$?
	[ $status = 7 ] || fail "mode $mode ends with $status without perf"
	cmp -s "$work/plain.stdout" "$work/refused" || fail "mode $mode prints something else without perf"
done

# Root's servers that give up their rights in each of their children, which have many threads.
if [ "$(id -u)" = 0 ]; then
	sandboxed users
	compare counts "$work/recorded.stdout" "$work/functions.csv"
	! grep '"threads_lost": [1-9]' "$work/summary.json" || fail "threads of another user are lost"
	# And the files of their samples, where each thread samples itself.
	if [ ${#by_itself[@]} != 0 ]; then
		"$FIXTURES/refused" 1 "$TARE" record -q -o "$work/refused.tare" -- "$FIXTURES/sandboxed" users >"$work/refused" ||
			[ $? = 7 ] || fail "not recorded without perf"
		"$TARE" report summary --format=json "$work/refused.tare" >"$work/summary.json" || fail "no report"
		! grep '"threads_lost": [1-9]' "$work/summary.json" || fail "samples of threads of another user are lost"
	fi
else
	echo "only root can give up root's rights: not tried"
fi

# Real programs with sandboxes of their own, where they are installed.
record_options=()
for path in "$(command -v file)" "$FIXTURES/counts" /etc/passwd; do
	! command -v file >/dev/null || same file "$path"
done
if command -v xz >/dev/null; then
	seq 20000 >"$work/numbers"
	input=$work/numbers
	same xz -c
	xz -c "$work/numbers" >"$work/numbers.xz"
	input=$work/numbers.xz
	same xz -dc
	same xz -t
	input=/dev/null
fi
# man starts each of its helpers in a sandbox that forbids sockets: they run unprofiled, and are counted.
if command -v man >/dev/null && command -v groff >/dev/null; then
	printf '.TH T 1\n.SH NAME\nt \\- test\n.SH DESCRIPTION\nHello.\n' >"$work/t.1"
	same env MANPAGER=cat man -P cat -l "$work/t.1"
fi
exit 0
