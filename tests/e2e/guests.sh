#!/bin/bash
# A program that another one runs by itself, in its own process, and that has the session's variables
# for whatever reason: the runtime in it finds out, executes nothing, and takes them away.
. "$(dirname "$0")/lib.sh"

need gcc
gcc -g -O0 -o "$work/overrun" "$E2E/../fixtures/overrun.c" >"$work/build" 2>&1 ||
	skip "the program cannot be built: $(tail -n 1 "$work/build")"
cd "$work"
runtime=$(realpath "$(dirname "$TARE")/../../runtime/libtare-runtime.so")

# A recording with a process that waits until $work/end is written to.
mkfifo "$work/end"
"$TARE" record -q -o "$work/profile.tare" -- \
	sh -c "echo \$\$ >'$work/pid'; read line <'$work/end'" &
for _ in $(seq 600); do
	session=$(grep -o '/[^ ]*/tare\.[^/]*' "/proc/$(cat "$work/pid" 2>/dev/null)/maps" 2>/dev/null |
		head -n 1 || true)
	[ -z "$session" ] || [ ! -S "$session/socket" ] || break
	sleep 0.1
done
[ -S "$session/socket" ] || fail "the recording does not begin"
finish() {
	echo >"$work/end"
	wait
}

tried= guests=0
tool=$(ls /usr/lib*/valgrind/memcheck-amd64-linux /usr/lib*/*/valgrind/memcheck-amd64-linux 2>/dev/null |
	head -n 1 || true)
if [ -n "$tool" ]; then
	tried="$tried valgrind"
	guests=$((guests + 1))
	status=0
	env VALGRIND_LAUNCHER=/usr/bin/valgrind LD_AUDIT="$runtime" TARE_SESSION="$session" \
		"$tool" -q --error-exitcode=9 "$work/overrun" a >"$work/out" 2>"$work/err" || status=$?
	[ $status = 9 ] && grep -q 'Invalid write of size 1' "$work/err" && grep -q '^argument a' "$work/out" ||
		{ finish; fail "valgrind ends with $status: $(cat "$work/out" "$work/err")"; }
	! grep -E 'TARE_SESSION|LD_AUDIT' "$work/out" || { finish; fail "the guest of valgrind has the variables"; }
fi
if command -v qemu-x86_64 >/dev/null; then
	tried="$tried qemu"
	guests=$((guests + 1))
	qemu-x86_64 -r 9.8.7 -E LD_AUDIT="$runtime" -E TARE_SESSION="$session" "$work/overrun" a \
		>"$work/out" 2>"$work/err" || { finish; fail "qemu fails: $(cat "$work/err")"; }
	grep -q '^release 9.8.7' "$work/out" ||
		{ finish; fail "the program has left qemu: $(cat "$work/out")"; }
	! grep -E 'TARE_SESSION|LD_AUDIT' "$work/out" || { finish; fail "the guest of qemu has the variables"; }
fi
# The same by hand in a process of its own is recorded.
env LD_AUDIT="$runtime" TARE_SESSION="$session" "$work/overrun" own >"$work/out" ||
	{ finish; fail "a process of the session fails"; }
finish
[ -n "$tried" ] || skip "neither valgrind nor qemu-x86_64 is installed"
echo "guests of:$tried"
report processes
[ "$(grep -c overrun "$work/processes.csv")" = 1 ] ||
	fail "recorded: $(cut -d, -f4 "$work/processes.csv")"
"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
grep -q "\"programs_not_followed\": $guests," "$work/summary.json" ||
	fail "$guests guests: $(grep programs_not_followed "$work/summary.json")"
