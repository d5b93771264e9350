#!/bin/bash
# tare record --exec: the command has the process that a harness has started, and whose end it waits for. It
# sees, writes and returns what it does without tare, and the recorder is nobody's business.
. "$(dirname "$0")/lib.sh"

need python3
cd "$work"
profile=$work/profile.tare
record=("$TARE" record --exec -o "$profile" --small-functions=keep)

profile_appears() {
	local count
	for count in $(seq 1200); do
		[ ! -e "$profile" ] || return 0
		sleep 0.1
	done
	fail "no profile after $1"
}

# harness KIND OPTION… -- COMMAND…: its output is in $work/KIND.
harness() {
	local kind=$1
	shift
	"$E2E/harness" "$@" >"$work/$kind" 2>"$work/$kind.stderr" ||
		fail "$kind: $(cat "$work/$kind" "$work/$kind.stderr")"
	[ ! -s "$work/$kind.stderr" ] || fail "$kind: $(cat "$work/$kind.stderr")"
}

# behaves STATUS OPTION… -- COMMAND…: the same plain and recorded, but for how often it has served
# until the signal came, which the profile knows; ends with STATUS in the profile.
behaves() {
	local expected=$1 options=() plain=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		case $1 in
		recorder=*) ;;
		say=*) plain+=(say="asked to end") ;;
		*) plain+=("$1") ;;
		esac
		shift
	done
	shift
	rm -f "$profile"
	harness plain "${plain[@]}" -- "$@"
	harness recorded "${options[@]}" -- "${record[@]}" -- "$@"
	profile_appears "${options[*]}"
	grep -v -e '^serve ' -e '^tare record: ' recorded >recorded.same
	grep -v '^serve ' plain | diff - recorded.same || fail "differs: ${options[*]}"
	report functions
	compare sums functions.csv
	! grep '^serve ' recorded >truth || compare counts truth functions.csv
	"$TARE" report summary --format=json "$profile" >summary.json
	grep -q "\"exit_status\": *$expected[,}]" summary.json ||
		fail "${options[*]}: $(grep -o '"exit_status[^,]*' summary.json), expected $expected"
}

served=$FIXTURES/served
behaves 7 signal= -- "$served" end
behaves 7 signal=TERM recorder=none -- "$served"
# All is over for the harness while the recorder has not even seen the end. Since Linux 6.15 the
# kernel tells the status of a process that its parent has collected.
status=137
[ "$(printf '6.15\n%s\n' "$(uname -r)" | sort -V | head -n 1)" = 6.15 ] || status=-1
behaves $status signal=KILL recorder=stop blocked=yes -- "$served"
behaves 7 signal=TERM recorder=none collects=yes -- "$served"
[ ! -e "$(cat session)" ] || fail "the session is left behind: $(cat session)"

# On a terminal, which is its own as a shell's, ^C is for the command, and the last line for who looks.
behaves 7 signal=INT terminal=yes recorder=none say="to see it" -- "$served"
grep -q "^tare record: wrote $profile; to see it: .*tare report $profile\$" recorded ||
	fail "nothing is said on the terminal: $(cat recorded)"

# Without its recorder the command goes on, and what there is until its end can be recovered.
rm -f "$profile"
harness recorded signal=TERM recorder=kill -- "${record[@]}" -- "$served"
grep -q '^status 7$' recorded || fail "with a killed recorder: $(cat recorded)"
"$TARE" recover -o "$profile" "$(cat session)" 2>recover.stderr || fail "$(cat recover.stderr)"
report functions
compare sums functions.csv
grep '^serve ' recorded >truth
compare counts truth functions.csv

# The profile waits for what the command leaves behind only with --wait.
rm -f "$profile"
mkfifo go
cat >leave <<'S'
#!/bin/sh
(read -r line <go; /bin/echo "$line" >said) >/dev/null 2>&1 9>&- &
exit 3
S
chmod +x leave
record+=(--wait)
harness recorded signal= -- "${record[@]}" -- "$work/leave"
[ "$(cat recorded)" = "status 3" ] || fail "a script: $(cat recorded)"
[ ! -e "$profile" ] || fail "--wait does not wait"
echo later >go
profile_appears --wait
report processes
grep -q echo processes.csv || fail "children are not recorded: $(cat processes.csv)"
unset 'record[-1]'

# What is wrong is said once, before anything is executed, with the status of tare.
refused() {
	local expected=$1 words=$2 status=0
	shift 2
	"$TARE" record --exec "$@" >refused.stdout 2>refused.stderr || status=$?
	[ $status = "$expected" ] || fail "status $status of $*: $(cat refused.stderr)"
	[ ! -s refused.stdout ] || fail "it was executed: $*"
	[ "$(wc -l <refused.stderr)" = 1 ] && grep -q "$words" refused.stderr ||
		fail "said of $*: $(cat refused.stderr)"
}
refused 125 'cannot be written' -o "$work/nowhere/x.tare" -- "$served" end
refused 127 'No such file' -- "$work/nothing"
refused 126 'not be executed' -- "$E2E/lib.sh"
refused 125 'matches no function' --function=nothing_like_it -- "$served" end
if unshare -pf true 2>/dev/null; then
	status=0
	unshare -pf "$TARE" record --exec -- "$served" end >refused.stdout 2>refused.stderr || status=$?
	[ $status = 125 ] && grep -q 'process 1' refused.stderr && [ ! -s refused.stdout ] ||
		fail "as process 1: status $status: $(cat refused.stderr)"
fi

# Who ends the process before there is a command ends the recorder, too: here it waits for a loader
# that does not say what it loads.
if command -v gcc >/dev/null; then
	mkfifo listing listed
	printf '#!/bin/sh\necho >"%s/listing"\nread -r line <"%s/listed"\n' "$work" "$work" >loader
	chmod +x loader
	echo 'int main(void) { return 0; }' | gcc -x c -Wl,--dynamic-linker="$work/loader" -o odd -
	"$TARE" record --exec -o "$work/early.tare" -- "$work/odd" >early.out 2>&1 &
	pid=$!
	read -r line <listing
	# With two processors there is one that instruments libraries ahead. What is about to execute the
	# loader is still called as its parent is, for a moment.
	for _ in $(seq 100); do
		recorders=$(grep -lzx -e "$work/early[.]tare" /proc/[0-9]*/cmdline 2>/dev/null | wc -l)
		[ "$recorders" != 2 ] && [ "$recorders" != 3 ] || break
		sleep 0.1
	done
	[ "$recorders" = 2 ] || [ "$recorders" = 3 ] ||
		fail "$recorders processes of tare, expected two or three"
	kill $pid
	status=0
	wait $pid || status=$?
	[ $status = 143 ] || fail "status $status of a process that was asked to end"
	for _ in $(seq 600); do
		grep -lzx -e "$work/early[.]tare" /proc/[0-9]*/cmdline >/dev/null 2>&1 || break
		sleep 0.1
	done
	! grep -lzx -e "$work/early[.]tare" /proc/[0-9]*/cmdline 2>/dev/null || fail "its recorder goes on"
	echo >listed
	[ ! -e early.tare ] || fail "there is a profile of nothing"
fi

# Sampled: by perf where that is permitted, and by timers.
sampled() {
	rm -f "$profile"
	harness recorded signal= -- "$@" --exec -o "$profile" -- "$FIXTURES/proportions" 10000
	profile_appears "$*"
	report functions
	shares_hold "$*"
}
if (need_perf) >/dev/null; then
	sampled "$TARE" record --method=sample
	! "$TARE" record -q -a -o everything.tare -- true 2>/dev/null || sampled "$TARE" record -a
fi
sampled_by_timers() {
	by_timers
	sampled "$TARE" record --method=sample
}
status=0
(sampled_by_timers) >timers || status=$?
[ $status = 0 ] || [ $status = 77 ] || fail "$(cat timers)"
cat timers

# A server as it is.
if command -v redis-server >/dev/null; then
	rm -f "$profile"
	(exec "${record[@]}" -- redis-server --port 0 --unixsocket "$work/redis" --save "") >redis.out 2>&1 &
	pid=$!
	for _ in $(seq 600); do
		! grep -q -i 'ready to accept' redis.out || break
		sleep 0.1
	done
	kill $pid
	status=0
	wait $pid || status=$?
	[ $status = 0 ] || fail "status $status of redis: $(tail -n 3 redis.out)"
	grep -q -i 'bye bye' redis.out || fail "redis was not asked: $(tail -n 3 redis.out)"
	profile_appears redis
	report functions
	compare sums functions.csv
fi
exit 0
