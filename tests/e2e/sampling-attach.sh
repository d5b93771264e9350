#!/bin/bash
# Processes that run already: they go on as if nothing was, whatever they or the recorder do.
. "$(dirname "$0")/lib.sh"
need_perf

target= recorder= server=
clean_up() {
	kill -KILL $([ -z "$target" ] || pgrep -P "$target") $target $recorder $server || true
	wait || true
	rm -rf "$work"
} 2>/dev/null
at_end clean_up

# wait_for TEXT FILE: until the file has a line with it.
wait_for() {
	for _ in $(seq 200); do
		grep -qs -- "$1" "$2" && return
		sleep 0.1
	done
	fail "no \"$1\" in $2: $(cat "$2")"
}

# attach PIDS OPTION…: in the background, until sampling has begun.
attach() {
	local pids=$1
	shift
	"$TARE" record -v -F 4000 -o "$work/profile.tare" -p "$pids" "$@" 2>"$work/attached" &
	recorder=$!
	wait_for 'sampling has begun' "$work/attached"
}

# ended STATUS: the recorder has, with a profile; one that does not end is told from one that is slow.
ended() {
	local status=0 guard
	(sleep 120 && kill -ABRT $recorder) >/dev/null 2>&1 &
	guard=$!
	wait $recorder || status=$?
	kill $guard
	wait $guard || true
	recorder=
	[ "$status" = "$1" ] || fail "the recorder ended with $status: $(cat "$work/attached")"
	grep -q 'wrote' "$work/attached" || fail "no profile: $(cat "$work/attached")"
}

# For a time, and until a signal.
"$FIXTURES/proportions" 10000000 2 >/dev/null 2>&1 &
target=$!
attach $target -d 3
ended 0
report functions
shares_hold "-d 3"
# Below nohup, SIGHUP is to be ignored.
signals="INT TERM HUP"
[ $((0x$(awk '/^SigIgn/ {print $2}' /proc/self/status) & 1)) = 0 ] || signals="INT TERM"
for signal in $signals; do
	rm "$work/profile.tare"
	attach $target
	sleep 0.3
	kill -$signal $recorder
	ended 0
	report functions
	[ "$(cell functions function most exclusive_samples)" -gt 0 ] || fail "no samples before SIG$signal"
	kill -0 $target || fail "SIG$signal to the recorder ended the target"
done
# Two processes by their numbers, once each.
other=$(cat /proc/$target/task/$target/children | tr -d ' ')
attach "$target,$other" -d 0.5
ended 0
report processes
[ "$(rows processes)" = 2 ] || fail "$(rows processes) processes instead of 2"
kill -KILL $target $other
wait $target 2>/dev/null || true

# A title in the place of the arguments is the command, without the empty ones that it leaves, and what goes on has no
# exit status.
"$FIXTURES/titled" with many arguments that leave room >"$work/titled" &
target=$!
wait_for titled "$work/titled"
attach $target -d 0.3
ended 0
"$TARE" report functions "$work/profile.tare" >"$work/titled"
grep -qx 'command  *titled: waiting for work' "$work/titled" && ! grep -q 'exit status' "$work/titled" ||
	fail "$(head -n 3 "$work/titled")"
kill -KILL $target
wait $target 2>/dev/null || true

# The target ends.
"$FIXTURES/proportions" 10000 &
target=$!
attach $target
ended 0
wait $target || fail "the target's status is $?"

# It forks, executes, and ends.
mkfifo "$work/go"
bash -c "read -r _ <$work/go; $FIXTURES/proportions 300; $FIXTURES/proportions 300 & wait; exec $FIXTURES/proportions 300" &
target=$!
attach $target
timeout 60 bash -c 'echo go >"$1"' go "$work/go" || fail "the shell does not read"
ended 0
wait $target || fail "the target's status is $?"
report processes
programs=$(grep -c "$FIXTURES/proportions" "$work/processes.csv")
[ "$programs" = 3 ] || fail "$programs programs were executed, expected 3: $(cat "$work/processes.csv")"

# The recorder is killed: the target goes on, and what was collected is there.
mkdir -m 700 "$work/runtime"
"$FIXTURES/proportions" 10000000 &
target=$!
XDG_RUNTIME_DIR=$work/runtime TMPDIR=$work/runtime attach $target
session=$(readlink /proc/$recorder/fd/* | grep -E '/tare\.[^/]*$' | head -n 1)
[ -d "$session" ] || fail "the recorder has no session"
for _ in $(seq 100); do
	[ "$(stat -c %s "$session/samples")" -lt 3000 ] || break
	sleep 0.1
done
kill -KILL $recorder
wait $recorder 2>/dev/null || true
recorder=
kill -0 $target || fail "the target ended with its recorder"
"$TARE" recover "$session" >"$work/recovered" 2>&1 || fail "tare recover: $(cat "$work/recovered")"
grep -q 'recorder was killed' "$work/recovered" || fail "not said to be partial: $(cat "$work/recovered")"
[ ! -e "$session" ] || fail "the session is still there"
report functions
shares_hold "recovered"
kill -KILL $target
wait $target 2>/dev/null || true
target=

# A server under load: no request fails, and it serves on.
if command -v redis-server redis-benchmark >/dev/null; then
	redis-server --port 0 --unixsocket "$work/socket" --save '' --appendonly no --daemonize no \
		>"$work/server" 2>&1 &
	server=$!
	for _ in $(seq 100); do
		[ ! -S "$work/socket" ] || break
		sleep 0.1
	done
	redis-benchmark -s "$work/socket" -n 20000 -t get,set -q >"$work/plain" 2>&1 ||
		fail "redis does not serve: $(cat "$work/plain")"
	attach $server
	redis-benchmark -s "$work/socket" -n 60000 -t get,set -q >"$work/loaded" 2>&1 ||
		fail "redis failed while it was sampled: $(cat "$work/loaded")"
	kill -INT $recorder
	ended 0
	! grep -qi error "$work/loaded" || fail "requests failed: $(cat "$work/loaded")"
	[ "$(redis-cli -s "$work/socket" ping)" = PONG ] || fail "redis does not answer any more"
	report processes
	[ "$(cell processes pid $server inclusive_samples)" -gt 50 ] || fail "few samples of redis"
	kill $server
	wait $server || fail "redis ended with $?"
	server=
fi

# The program's file is replaced while it runs: it is read as it was, not as what stands there now.
cp "$FIXTURES/proportions" "$work/program"
"$work/program" 10000000 &
target=$!
for _ in $(seq 100); do
	[ "$(readlink /proc/$target/exe)" != "$work/program" ] || break
	sleep 0.05
done
rm "$work/program"
cp /bin/true "$work/program"
attach $target -d 0.5
ended 0
report functions
shares_hold "a file that was replaced"
kill -KILL $target
wait $target 2>/dev/null || true
target=
