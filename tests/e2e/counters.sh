#!/bin/bash
# Counters have every call: of threads, forked children, libraries that come late, processes that are
# killed, static programs; with all probes on and with few of them. Where the program uses %gs itself,
# it gets what it would have without tare, and the profile says that counts may lack some.
. "$(dirname "$0")/lib.sh"

need gcc python3 sqlite3
cd "$work"
sources=$E2E/../fixtures
gcc -O1 -w -fPIC -shared -o liblate.so "$sources/counters_library.c"
gcc -O1 -w -pthread -o moved "$sources/counters.c" -ldl
gcc -O1 -w -pthread -no-pie -o fixed "$sources/counters.c" -ldl
gcc -O1 -w -pthread -static -o static "$sources/counters.c" -ldl 2>/dev/null || fail "no static program can be built"

# What the counters of all processes say: "name count", of functions that the program tells of.
counted() {
	awk '!/^#/ { print $1 }' "$work/recorded.stdout" | while read -r name; do
		sqlite3 "$work/profile.tare" "SELECT '$name ' || coalesce(sum(entered), 0) FROM counted c
			JOIN function f ON f.id = c.function JOIN module m ON m.id = f.module WHERE f.name = '$name'"
	done
}
approximate() {
	sqlite3 "$work/profile.tare" "SELECT coalesce(max(approximate), 0) FROM counted"
}

# try PROGRAM HOW…: the same as plain, and counted exactly.
try() {
	same "$@"
	grep -v '^#' "$work/recorded.stdout" | sort >truth
	counted | sort | cmp -s truth - || fail "$* (${record_options[*]}): $(counted | sort | diff truth -)"
	[ "$(approximate)" = 0 ] || fail "$* (${record_options[*]}): counts are said to be approximate"
	report functions
	compare counts truth "$work/functions.csv"
}

for options in "" --adaptive=1; do
	record_options=()
	[ -z "$options" ] || record_options=("$options")
	for program in moved fixed; do
		try "$work/$program" threads
		try "$work/$program" forks
		try "$work/$program" late "$work/liblate.so"
		try "$work/$program" killed
	done
	try "$work/static" threads
	try "$work/static" forks
	try "$work/static" killed
done

# Threads that go on to call while the process ends: the loader has closed the program by then.
cat >ends.c <<'EOF'
#include <pthread.h>
#include <unistd.h>
static volatile long calls;
__attribute__((noinline)) static void call(void) { for (volatile int i = 0; i < 20; i++) calls++; }
static void *go_on(void *unused) { for (;;) call(); return unused; }
int main(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_t thread;
		pthread_create(&thread, 0, go_on, 0);
	}
	usleep(20000);
	return 7;
}
EOF
cat >slow_end.c <<'EOF'
#include <unistd.h>
int slow_end;
__attribute__((destructor)) static void wait_a_moment(void) { usleep(200000); }
EOF
gcc -O1 -fPIC -shared -o libslow_end.so slow_end.c
gcc -O1 -pthread -o ends ends.c -Wl,--no-as-needed -L. -lslow_end -Wl,-rpath,"$work"
record_options=(--small-functions=keep)
same "$work/ends"

# A function whose probes were switched off has all its calls, and is not marked for it.
record_options=(--adaptive=1)
record "$work/moved" threads
[ "$(sqlite3 "$work/profile.tare" "SELECT count(*) FROM disarm")" -gt 0 ] || fail "nothing was disarmed"
"$TARE" report functions "$work/profile.tare" >text
grep -q '216,000 ' text || fail "hot has not all of its calls: $(cat text)"
grep '216,000 ' text | grep -q '>=' && fail "a number that is exact is marked: $(cat text)"

# %gs: the program's values are its own, also from before; nothing is lost where one thread counts.
gcc -O1 -w -pthread -DREADS_GS -o reads "$sources/counters.c" -ldl
record_options=()
for program in moved reads; do
	same "$work/$program" gs
	grep -q '^# kept 1' "$work/recorded.stdout" || fail "$program: the base that was set is not kept"
	[ "$(approximate)" = 1 ] || fail "$program: counts of a program that uses %gs are said to be exact"
	"$TARE" report functions "$work/profile.tare" | grep -q '^~ ' || fail "$program: the text does not show it"
done
same "$work/moved" gs
[ "$(counted | grep '^hot')" = "hot 221000" ] || fail "counts are lost: $(counted)"
