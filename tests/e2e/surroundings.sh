#!/bin/bash
# Programs that change what is around them (descriptors, root, user, environment, umask, limits,
# namespaces, selectors) and go on: in the same thread, a new one, a forked child and a program that
# they execute.
. "$(dirname "$0")/lib.sh"

record_options=(--small-functions=keep)
surroundings() {
	same "$FIXTURES/surroundings" "$@"
	if [ "$(cat "$work/plain.status")" = 77 ]; then
		skipped="$skipped $*"
		return 0
	fi
	compare_all
	"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
}
followed() {
	grep -q "\"programs_not_followed\": $1" "$work/summary.json" ||
		[ "$(cat "$work/plain.status")" = 77 ] ||
		fail "programs not followed: $(grep programs_not_followed "$work/summary.json"), expected $1"
}

skipped=
for mode in descriptors environment directory umask no-umask not-dumpable signals user-namespace \
	selectors modes lowest-descriptors 'environment umask directory signals descriptors'; do
	surroundings $mode
	followed 0
done
surroundings root
followed 0 # nothing is to be executed there
for mode in user mounts few-descriptors; do
	# As another user the program executes itself again, which needs a way to it.
	if [ $mode = user ] && [ "$(id -u)" = 0 ] && ! setpriv --reuid=nobody --regid=nogroup \
		--clear-groups test -x "$FIXTURES/surroundings"; then
		skipped="$skipped $mode"
		continue
	fi
	surroundings $mode
	followed 1
done

# No file may be written: output through a pipe.
run_in "$work/plain" sh -c "'$FIXTURES/surroundings' no-files | cat"
run_in "$work/recorded" "$TARE" record -q -o "$work/profile.tare" "${record_options[@]}" -- \
	sh -c "'$FIXTURES/surroundings' no-files | cat"
cmp "$work/plain.stdout" "$work/recorded.stdout" || fail "output differs without files"
report functions
compare sums "$work/functions.csv"

# Processes of the same id, in namespaces of their own, at the same time.
if unshare -pf true 2>/dev/null; then
	same unshare -pf sh -c "'$FIXTURES/surroundings' directory; echo \$\$"
	# Each runs functions that the other has not.
	mkfifo "$work/fifo"
	"$TARE" record -q -o "$work/profile.tare" "${record_options[@]}" -- sh -c "
		unshare -pf '$FIXTURES/surroundings' directory & unshare -pf '$FIXTURES/counts' & wait" \
		>"$work/both" || fail "two namespaces: status $?"
	report functions
	compare sums "$work/functions.csv"
	! grep -q '\[unknown\]' "$work/functions.csv" ||
		fail "addresses of one process were looked up in another's modules"
else
	skipped="$skipped pid-namespaces"
fi
if unshare -rm true 2>/dev/null; then
	same unshare -rm sh -c 'id -u; echo mounts'
	# Copies that the process cannot see, as its home is another one there: of programs, and of libraries.
	same unshare -rm sh -c "mount -t tmpfs none '$XDG_CACHE_HOME' && sh -c 'echo home' && '$FIXTURES/counts'"
fi
! command -v bwrap >/dev/null || ! bwrap --ro-bind / / --dev /dev true 2>/dev/null ||
	same bwrap --ro-bind / / --dev /dev --tmpfs /tmp --unshare-pid --die-with-parent \
		sh -c 'echo inside; ls -d /tmp; exit 5'

# Limits that leave no room for more than the program's own.
same sh -c 'ulimit -n 16; echo few descriptors | tr a-z A-Z'

# The C library takes its memory from where it does without tare: what the loader allocates for an auditor
# may come before it knows that it is the program's.
if command -v cc >/dev/null; then
	cat >"$work/heap.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	char *block = malloc(1000);
	printf("%d\n", block < (char *)sbrk(0) && (char *)sbrk(0) - block < 1 << 20);
	return 0;
}
C
	cc -o "$work/heap" "$work/heap.c"
	same "$work/heap"
	[ "$(cat "$work/plain.stdout")" = 1 ] || echo "malloc does not use brk here"
fi

[ -z "$skipped" ] || echo "not permitted here:$skipped"
exit 0
