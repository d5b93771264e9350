#!/bin/bash
# The pages of tare report --interactive on a terminal: every key, other sizes, and that the terminal is
# as it was after q, ^C, ^Z and signals.
. "$(dirname "$0")/lib.sh"

need tmux gcc stty

cat >"$work/work.c" <<'C'
#include <pthread.h>
#include <sys/prctl.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void inner_most(int i)
{
	for (int j = 0; j < 200; j++)
		sum += (unsigned long)(i * j);
}

__attribute__((noinline)) static void outer_loop(void)
{
	for (int i = 0; i < TIMES; i++)
		inner_most(i);
	sum++;
}

static void *run(void *name)
{
	prctl(PR_SET_NAME, name);
	outer_loop();
	return 0;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], 0, run, i < 2 ? "pool" : "bad\033[2J");
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], 0);
	outer_loop();
}
C
cd "$work"
gcc -g -O1 -pthread -DTIMES=20000 -o work work.c
gcc -g -O1 -pthread -DTIMES=200000 -o long work.c
"$TARE" record -q --exact --call-sites -o p.tare -- ./work $'\033]2;owned\a\033[2J'
"$TARE" report functions p.tare --format=csv --columns=function | tail -n +2 >names
n=$(wc -l <names)
m=$(grep -n '^outer_loop$' names | cut -d: -f1) # its row

"$TARE" record -q -o default.tare -- ./long
"$TARE" record -q --lines -o lines.tare -- ./long

tmux_() {
	LC_ALL=C.UTF-8 tmux -u -S "$work/tmux" -f /dev/null "$@"
}
at_end 'tmux_ kill-server 2>/dev/null || true; rm -rf "$work"'

tmux_ new-session -d -x 100 -y 30 "exec env PS1='> ' LC_ALL=C.UTF-8 bash --norc --noprofile -i"

screen() {
	tmux_ capture-pane -p
}

# shows TEXT…: waits until all of it is on the screen.
shows() {
	local text try
	for text; do
		for ((try = 0; try < 400; try++)); do
			grep -qF -- "$text" <<<"$(screen)" && continue 2
			sleep 0.05
		done
		screen
		fail "the screen does not show: $text"
	done
}

lacks() {
	local try
	for ((try = 0; try < 400; try++)); do
		grep -qF -- "$1" <<<"$(screen)" || return 0
		sleep 0.05
	done
	screen
	fail "the screen still shows: $1"
}

key() {
	tmux_ send-keys "$@"
}

# after KEY… -- TEXT…: what the screen shows after the keys.
after() {
	while [ "$1" != -- ]; do
		key "$1"
		shift
	done
	shift
	shows "$@"
}

command_line() {
	key -l "$1"
	key Enter
}

# restored STATUS: the last command ended with it, and the terminal is as it was before.
restored() {
	command_line "echo ended \$? \$((40 + 2))"
	shows "ended $1 42"
	command_line "stty -g >after; echo kept \$((40 + 3))"
	shows "kept 43"
	cmp before after || fail "the terminal's settings are others after status $1"
	[ "$(tmux_ display -p '#{alternate_on} #{cursor_flag} #{keypad_cursor_flag}')" = "0 1 0" ] ||
		fail "the terminal's screen, cursor or keys are others after status $1"
	command_line clear
	lacks ended
}

begin() {
	command_line "${2-}$TARE report -i $1"
	shows "? keys  q quit"
}

command_line "stty -g >before; clear; echo ready \$((40 + 1))"
shows "ready 41"

# ---- every key ----
begin "p.tare"
shows "1 summary" "p.tare: ./work" '\x1b]2;owned\x07'
after 2 -- "inner_most" "1 of"
after Down -- "2 of"
after k -- "1 of"
after j -- "2 of"
after Up -- "1 of"
after End -- "$n of $n"
after g -- "1 of $n"
after G -- "$n of $n"
after Home PageDown -- "$n of $n"
after PageUp -- "1 of $n"
after Space -- "$n of $n"
after b -- "1 of $n"
after s -- "by cpu_exclusive_percent"
after r -- "by cpu_exclusive_percent upwards"
after S -- "by cpu_exclusive "
lacks upwards
after p -- "; shares"
lacks "Calls"
after p -- "; values"
after p w -- "; wide"
after ">" "<" w -- "Calls"
lacks "; wide"
after / -- "search: _"
key -l outerx
after BSpace Enter -- "$m of $n"
after / Escape -- "$m of $n"
after n -- "found from the begin on"
after N -- "found from the end on"
after Enter -- "callers of outer_loop" "Called by" "Calls (values"
after BSpace -- "inner_most"
lacks "callers of"
after c -- "callers of outer_loop"
after Escape -- "$m of $n"
after a -- "annotate of outer_loop" "inner_most(i);"
after A -- "call"
lacks "inner_most(i);"
after A -- "inner_most(i);"
after Escape -- "$m of $n"
after A -- "annotate of outer_loop" "call"
after BSpace -- "$m of $n"
after 3 -- "work (" "by cpu_inclusive"
after E -- "1 of 1"
after Right -- "1 of 5"
after Left -- "1 of 1"
after l -- "1 of 5"
after h -- "1 of 1"
after Enter -- "1 of 5" 'bad\x1b[2J'
after End e -- "outer_loop" "inner_most"
after E / -- "search: _"
key -l inner
after Enter -- "inner_most"
after m -- "threads merged" "pool (2 threads)"
after m -- "threads are apart again"
lacks "pool (2 threads)"
after 5 -- "Lifetime"
after t -- "only process work"
after T -- "Lifetime"
lacks "only process"
after Enter -- "only process work" "by cpu_inclusive"
after T -- "4 inverted"
lacks "only process"
after 4 -- "inner_most" "by cpu_exclusive"
after Tab -- "Lifetime"
after BTab -- "by cpu_exclusive"
after 8 -- "work.c:"
after 9 Enter -- "functions of"
after '?' -- "Keys;"
after x -- "functions of"
after F1 -- "Keys;"
after q -- "functions of"
key q
restored 0

begin "p.tare --merge-threads --root=outer_loop --fold-recursion --my-code"
after 2 -- "by cpu_exclusive"
after Enter -- "callers of"
after 3 -- "outer_loop" "by cpu_inclusive"
lacks "work ("
key q
restored 0

# ---- what samples and counts tell of places, beside calls ----
begin "functions default.tare"
after / -- "search: _"
key -l inner_most
after Enter a -- "annotate of inner_most" "sum += (unsigned long)(i * j);"
after 8 -- "work.c:9"
after 9 Tab -- "add %"
after 1 -- "pool (2 threads)"
key q
restored 0
begin "branches lines.tare"
shows "160,000,000" "work.c:8"
after 8 -- "Executions" "work.c:"
key q
restored 0

# ---- other sizes ----
begin "functions p.tare"
for size in "40 8" "24 6" "23 6" "30 5" "3 2" "200 60" "80 24"; do
	tmux_ resize-window -x "${size% *}" -y "${size#* }"
	case $size in
	"23 6" | "30 5") shows "too small" ;;
	"3 2") ;;
	*) shows "1 of $n" ;;
	esac
done
after Down -- "2 of $n"
after 1 -- "recorded  "
key q
restored 0

# ---- leaving ----
begin "p.tare"
key C-c
restored 130
for number in TERM:143 HUP:129 QUIT:131 SEGV:139 USR1:138; do
	command_line "ulimit -c 0; sh -c 'echo \$\$ >pid; exec $TARE report -i p.tare'"
	shows "? keys  q quit"
	kill -"${number%:*}" "$(cat pid)"
	restored "${number#*:}"
done
begin "functions p.tare"
key C-z
shows "Stopped"
command_line "stty -g >after; echo stopped \$((40 + 5))"
shows "stopped 45"
cmp before after || fail "the terminal's settings are others after ^Z"
command_line fg
shows "1 of $n"
after Down -- "2 of $n"
tmux_ resize-window -x 90 -y 20
after Down -- "3 of $n"
key q
restored 0

command_line "sh -c 'echo \$\$ >pid; exec $TARE report -i functions p.tare'"
shows "1 of $n"
kill -STOP "$(cat pid)"
shows "Stopped"
command_line fg
after Down -- "2 of $n"
key q
restored 0

# A terminal that goes away ends it, also where it ignores that.
tmux_ new-window -d -n gone "trap '' HUP; echo \$\$ >pid; exec $TARE report -i p.tare"
for ((try = 0; try < 400; try++)); do
	tmux_ capture-pane -p -t gone | grep -qF "? keys" && break
	sleep 0.05
done
tmux_ kill-window -t gone
for ((try = 0; try < 400; try++)); do
	kill -0 "$(cat pid)" 2>/dev/null || break
	sleep 0.05
done
! kill -9 "$(cat pid)" 2>/dev/null || fail "it goes on without a terminal"

# ---- colours and characters ----
begin "functions p.tare"
tmux_ capture-pane -p -e | grep -q $'\033\\[[0-9;]*3[0-7]m' || fail "there are no colours"
key q
restored 0
begin "functions p.tare" "NO_COLOR=1 "
tmux_ capture-pane -p -e >colors
! grep -q $'\033\\[[0-9;]*[39][0-7]m' colors || fail "there are colours in spite of NO_COLOR"
key q
restored 0
begin "calltree p.tare" "LC_ALL=C "
! LC_ALL=C grep -q '[^ -~]' <<<"$(screen)" || fail "there are characters beyond ASCII"
key q
restored 0
[ "$(tmux_ display -p '#{pane_title}')" != owned ] || fail "the command line has set the title"

# ---- no such terminal ----
for term in dumb no-such-terminal ""; do
	command_line "TERM=$term $TARE report -i p.tare 2>error"
	restored 1
	grep -q "^tare report: --interactive needs a terminal whose cursor can be placed, and TERM is \"$term\"" \
		error || fail "TERM=$term: $(cat error)"
done
"$TARE" report -i p.tare </dev/null >out 2>error && fail "without a terminal it succeeds"
grep -q 'needs a terminal as standard input and output' error || fail "$(cat error)"
[ ! -s out ] || fail "without a terminal something is written"
