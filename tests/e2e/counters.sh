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
		sqlite3 "$work/profile.tare" "SELECT '$name ' || coalesce(sum(iif(entered, entered, called)), 0) FROM counted c
			JOIN function f ON f.id = c.function JOIN module m ON m.id = f.module WHERE f.name = '$name'"
	done
}
approximate() {
	sqlite3 "$work/profile.tare" "SELECT coalesce(max(approximate), 0) FROM counted WHERE entered + called"
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

for options in "" --adaptive=1 --probes=all --small-functions=keep; do
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

# A small function is counted without a probe, and the report says so; nothing else is as small.
record_options=()
record "$work/moved" threads
"$TARE" report coverage -v "$work/profile.tare" | grep -qE '^ .* counted +0x[0-9a-f]+ +tiny ' ||
	fail "tiny is not said to be counted: $("$TARE" report coverage -v "$work/profile.tare" | grep tiny)"
"$TARE" report functions -v "$work/profile.tare" | tr -s ' \n' ' ' | grep -qE '[0-9]+ small counted' ||
	fail "the header does not tell of counted functions: $("$TARE" report functions -v "$work/profile.tare" | head -20)"
"$TARE" instrument --verify -q moved || fail "the copy that counts differs"

# Threads that go on to call while the process ends, and ever more that begin then: the loader has
# closed the program.
cat >ends.c <<'EOF'
#include <pthread.h>
#include <unistd.h>
static volatile long calls;
__attribute__((noinline)) static void call(void) { for (volatile int i = 0; i < 20; i++) calls++; }
static void *go_on(void *unused) { for (;;) call(); return unused; }
static void *come_and_go(void *unused) { for (int i = 0; i < 2000; i++) call(); return unused; }
static void *begin_others(void *unused)
{
	for (;;) {
		pthread_t thread;
		if (!pthread_create(&thread, 0, come_and_go, 0))
			pthread_detach(thread);
	}
	return unused;
}
int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++) {
		pthread_t thread;
		pthread_create(&thread, 0, argc > 1 && !i ? begin_others : go_on, 0);
	}
	usleep(argc > 1 ? 0 : 20000);
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
same "$work/ends" begin_others

# A copy that another version of tare has made counts where this one does not know: its calls do not
# count, in no thread.
cat >foreign.c <<'EOF'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static void (*library)(void);
static void *call(void *unused) { library(); return unused; }
int main(int argc, char **argv)
{
	for (int round = 0; argc == 2 && round < 3; round++) {
		void *handle = dlopen(argv[1], RTLD_NOW);
		pthread_t threads[4];
		library = (void (*)(void))dlsym(handle, "library");
		call(0);
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], 0, call, 0);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], 0);
		dlclose(handle);
	}
	return puts("called");
}
EOF
echo 'void library(void) { for (volatile int i = 0; i < 50; i++) ; }' >library.c
gcc -O1 -fPIC -shared -o libforeign.so library.c
gcc -O1 -w -pthread -o foreign foreign.c -ldl
"$TARE" instrument --small-functions=keep -o copy.so libforeign.so 2>instrument.err || fail "$(cat instrument.err)"
python3 - <<'EOF'
data = bytearray(open("copy.so", "rb").read())
at = data.index(b"tare\0\0\0\0") + 8
data[at:at + 4] = (data[at] + 1).to_bytes(4, "little")
open("copy.so", "wb").write(data)
EOF
record_options=(--small-functions=keep)
same "$work/foreign" "$work/copy.so"

# The place of a closed library is other memory's: threads that begin then have counters of their own.
cat >replaced.c <<'EOF'
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
static pthread_barrier_t all;
__attribute__((noinline)) static void call(void) { for (volatile int i = 0; i < 20; i++) ; }
static void *work(void *unused) { call(); pthread_barrier_wait(&all); return unused; }
static void begin(int count)
{
	pthread_t threads[8];
	pthread_barrier_init(&all, 0, count);
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], 0, work, 0);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], 0);
}
int main(int argc, char **argv)
{
	void *handle = dlopen(argv[argc - 1], RTLD_NOW);
	const uintptr_t at = (uintptr_t)dlsym(handle, "library") & -4096;

	begin(2);
	dlclose(handle);
	if (mmap((void *)(at - 16 * 4096), 4096 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		return 1;
	begin(8);
	return puts("call 10");
}
EOF
gcc -O1 -w -pthread -o replaced replaced.c -ldl
same "$work/replaced" "$work/libforeign.so"
[ "$(counted)" = "call 10" ] && [ "$(approximate)" = 0 ] || fail "$(counted), approximate $(approximate)"

# A function whose probes were switched off has all its calls, and is not marked for it.
record_options=(--adaptive=1)
record "$work/moved" threads
[ "$(sqlite3 "$work/profile.tare" "SELECT (SELECT count(*) FROM disarm) + (SELECT sum(learned) FROM counted)")" -gt 0 ] || fail "nothing was disarmed"
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

# A library of which there is no copy may set the base, too, by an instruction that nobody sees: one in the closure, one
# that is opened later, in the first thread and in others.
cat >taker.c <<'END'
static unsigned long there = 77;
unsigned long take(void)
{
	unsigned long was, other;
	__asm__ volatile("rdgsbase %0" : "=r"(was));
	__asm__ volatile("wrgsbase %0" : : "r"(&there));
	__asm__ volatile("movq %%gs:0, %0" : "=r"(other) : : "memory");
	return was ? 0 : other;
}
END
cat >takes.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/auxv.h>
static unsigned long (*taken)(void);
unsigned long take(void);
__attribute__((noinline, noipa)) void hot(volatile long *sum)
{
	*sum += 1;
}
static void *works(void *name)
{
	volatile long sum = 0;
	for (int i = 0; i < 1000; i++)
		hot(&sum);
	printf("# %s %lu\n", (char *)name, taken());
	for (int i = 0; i < 1000; i++)
		hot(&sum);
	return NULL;
}
int main(void)
{
	pthread_t thread;
	if (!(getauxval(AT_HWCAP2) & 2))
		return 77;
#ifdef LINKED
	taken = take;
#else
	taken = dlsym(dlopen(LATER, RTLD_NOW), "take");
#endif
	for (int i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, works, "thread");
		pthread_join(thread, NULL);
	}
	works("first");
	puts("hot 8000");
	return 0;
}
END
gcc -O2 -w -mfsgsbase -shared -fPIC -o libtaker.so taker.c
gcc -O2 -w -pthread -DLINKED -o takes_linked takes.c "$work/libtaker.so"
gcc -O2 -w -pthread -DLATER="\"$work/libtaker.so\"" -o takes_later takes.c -ldl
for program in takes_linked takes_later; do
	record_options=("--module=$program" --small-functions=count)
	same "$work/$program"
	[ "$(cat "$work/plain.status")" != 77 ] || { echo "threads may not set bases here: not tried" && break; }
	[ "$(counted | grep '^hot')" = "hot 8000" ] || fail "$program: counts are lost: $(counted)"
	[ "$(approximate)" = 1 ] || fail "$program: counts beside code that sets the base are said to be exact"
done
record_options=()
