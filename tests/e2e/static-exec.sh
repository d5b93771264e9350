#!/bin/bash
# Programs that start static executables, by every system call and name: the outcome is the same, and
# the copy runs where the original might. Usage: static-exec.sh [LINKER OPTION…]
. "$(dirname "$0")/lib.sh"

need gcc
gcc -O2 -w "$@" -o "$work/starter" "$E2E/../fixtures/static_exec.c" 2>"$work/build" &&
	echo 'int main(void) { return 7; }' >"$work/started.c" &&
	gcc -O2 -static -o "$work/started" "$work/started.c" 2>>"$work/build" ||
	skip "static programs cannot be built here: $(tail -n 1 "$work/build")"
start() {
	cp "$work/started" allowed
	cp "$work/started" forbidden
	chmod a-x forbidden
	cp "$work/started" privileged
	chmod u+s privileged
	head -c 3000 "$work/started" >cut
	chmod +x cut
	echo text >text
	chmod +x text
	"$work/starter" allowed forbidden privileged cut text missing
}
export -f start
export work
same bash -c start
grep -q '^allowed, way 0: 7$' "$work/plain.stdout" || fail "it does not start: $(cat "$work/plain.stdout")"
report processes
# By a path, a descriptor, from a directory, a descriptor that was opened for its path alone, and an
# absolute path.
count=$(grep -c allowed "$work/processes.csv" || true)
[ "$count" = 5 ] || fail "$count instead of 5 are followed"
! grep -q privileged "$work/processes.csv" || fail "a privileged program was replaced"
