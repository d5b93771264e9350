#!/bin/bash
# Where perf_event_open is refused, timers in the processes sample: the program does not see them,
# and what they tell is right.
. "$(dirname "$0")/lib.sh"
need sqlite3
by_timers

# ask SQL: of the profile.
ask() {
	sqlite3 "$work/profile.tare" "$1"
}
# has SQL WORDS…: the answer is true, or the test fails with the words.
has() {
	[ "$(ask "SELECT $1")" = 1 ] || {
		shift
		fail "not so: $*: $(ask 'SELECT * FROM sampling'): $(ask 'SELECT * FROM session')"
	}
}
# Kept samples whose innermost function is one of these.
leaves="stack_value v JOIN stack s ON s.id = v.stack JOIN location l ON l.id = s.location
	JOIN function f ON f.id = l.function JOIN module m ON m.id = f.module"

# ---- chosen, and said ----

for error in 1 13 38; do
	"$FIXTURES/refused" $error "$REAL_TARE" record --method=sample -o "$work/profile.tare" \
		-- true 2>"$work/stderr"
	grep -q 'sampled by timers.*refused' "$work/stderr" || fail "$(cat "$work/stderr")"
done
COLUMNS=1000 "$TARE" report summary "$work/profile.tare" >"$work/summary"
grep -q 'collector timer' "$work/summary" || fail "$(cat "$work/summary")"
for option in --off-cpu --all --unwind=fp --event=page-faults --event=cpu-clock:1000000; do
	! "$TARE" record --method=sample $option -o "$work/none.tare" -- true 2>"$work/stderr" ||
		fail "$option was accepted"
	grep -q 'takes perf_event_open, which is refused' "$work/stderr" ||
		fail "$option: $(cat "$work/stderr")"
	[ ! -e "$work/none.tare" ] || fail "$option left a profile"
done

# ---- what they tell ----

# 70, 20 and 10 percent: of some 400 samples each within four times its standard deviation.
record "$FIXTURES/proportions" 20000 1
has "count(*) > 0 AND total(truncated) <= 4 FROM stack_value" "all stacks are complete, but for one tick"
for share in most:70 some:20 least:10; do
	has "abs(total(v.weight * (f.name = '${share%:*}')) / total(v.weight) -
		${share#*:} / 100.0) < 4 * sqrt(${share#*:} / 100.0 * (1 - ${share#*:} / 100.0) /
		total(v.samples)) FROM $leaves" "share of $share"
done


# Of one that waits after some milliseconds of work each time, as a server does: samples stand for its time.
cat >"$work/bursts.c" <<'END'
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sum;
int main(void)
{
	while (clock() < 2 * CLOCKS_PER_SEC) {
		const clock_t begin = clock();
		while (clock() - begin < CLOCKS_PER_SEC / 160)
			for (int i = 0; i < 10000; i++)
				sum += i;
		usleep(50);
	}
	printf("%ld\n", clock());
	return 0;
}
END
gcc -O1 -w -o "$work/bursts" "$work/bursts.c"
own_time() {
	has "abs(sum(weight) / 1e3 / $(cat "$work/recorded.stdout") - 1) < 0.12 FROM stack_value" \
		"samples stand for $(cat "$work/recorded.stdout") us${1:-}"
}
record "$work/bursts"
own_time
has "interrupt_ns = 0 FROM sampling" "nothing goes by them, so nothing is taken off"
# Also where another one has the processor in turn, and few of the kernel's ticks meet it.
if command -v taskset >/dev/null; then
	processor=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
	taskset -c "$processor" sh -c 'while :; do :; done' &
	neighbour=$!
	record taskset -c "$processor" "$work/bursts"
	kill $neighbour
	own_time " on a shared processor"
fi
# Of times that go by them, their handlers and signals are taken off; together it is the clock's.
record_options=()
record "$work/bursts"
has "interrupt_ns BETWEEN 500 AND 500000 FROM sampling" "what a sample takes"
"$TARE" report summary --format=json "$work/profile.tare" >"$work/summary.json"
"$TARE" report functions --format=csv "$work/profile.tare" >"$work/functions.csv"
python3 - "$work/summary.json" "$(cat "$work/recorded.stdout")" "$work/functions.csv" <<'END' || fail "what samples take is not taken off"
import csv, json, sys
header = json.load(open(sys.argv[1]))["header"]
own_ns = float(sys.argv[2]) * 1000
# The clock may decide all of them, then nothing is taken off, and no column says what decides.
by_samples = [row for row in csv.DictReader(open(sys.argv[3])) if row.get("timed_by") == "samples" and row["exclusive_samples"] not in ("", "0")]
assert (header["interrupts_ns"] > 0) == bool(by_samples), (header, by_samples)
assert header["interrupts_ns"] <= header["overhead_ns"] < own_ns / 3, header
assert abs((header["cpu_ns"] + header["overhead_ns"]) / own_ns - 1) < 0.12, (header, own_ns)
END
record_options=(--method=sample)
# Forked and executed programs, and threads, have their own. The shell may be done before its first.
record sh -c "'$FIXTURES/proportions' 4000 2; exec '$FIXTURES/proportions' 4000"
has "count(DISTINCT t.process) = 3 FROM stack_value v JOIN thread t ON t.id = v.thread
	JOIN process p ON p.id = t.process WHERE p.name = 'proportions'" \
	"samples of three processes"

# Static executables take the runtime along. musl has no unwind information for what calls main. One tick may meet
# code whose stack cannot be followed, and stands for four samples where ticks are four milliseconds long.
for compiler in "gcc -static" "gcc -static-pie" "musl-gcc -static"; do
	command -v "${compiler%% *}" >/dev/null || continue
	# shellcheck disable=SC2086
	$compiler -O2 -o "$work/static" "$E2E/../fixtures/proportions.c"
	record "$work/static" 6000
	has "samples > 20 AND truncated <= 4 + samples * ('$compiler' LIKE 'musl%') FROM sampling" \
		"stacks of a program built by $compiler"
	has "count(*) > 0 FROM $leaves WHERE f.name = 'most'" "functions of one built by $compiler"
done

# ---- what programs see ----

for program in threads forks signals longjmp; do
	same "$FIXTURES/$program"
done
same "$FIXTURES/interrupted"
# One that falls between the system call of clone3 and what its child does next has no rules of its
# own; where a new thread has to wait for a processor, it stands for several.
has "samples > 100 AND truncated <= samples / 20 FROM sampling" "samples of a program that guards itself"
has "complete = 0 AND incomplete_reason LIKE '%no room for the timers%' FROM session" \
	"signal stacks that were too small are told"
# A signal stack as large as the C library's SIGSTKSZ has room for what the kernel stores by default, on
# processors with AMX, too. One that has none is told of although the program never takes it away.
cat >"$work/signal_stack.c" <<'END'
#include <signal.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
	static char room[65536];
	const stack_t stack = {.ss_sp = room, .ss_size = (size_t)atoi(argv[argc - 1])};
	volatile unsigned long sum = 0;
	if (sigaltstack(&stack, NULL))
		return 2;
	while (clock() < CLOCKS_PER_SEC / 2)
		for (int i = 0; i < 100000; i++)
			sum += i;
	return 0;
}
END
gcc -O1 -w -o "$work/signal_stack" "$work/signal_stack.c"
record "$work/signal_stack" 8192
has "samples > 50 FROM sampling" "samples of a program with a usual signal stack"
has "complete = 1 FROM session" "all of its time was sampled"
record "$work/signal_stack" 2048
has "complete = 0 AND incomplete_reason LIKE '%no room for the timers%' FROM session" \
	"a signal stack that stays too small is told"
# Threads that end while the process does.
cat >"$work/ends.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
static volatile int go;
static void *run(void *at)
{
	while (!go)
		;
	return at;
}
int main(void)
{
	pthread_t threads[8];
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	go = 1;
	exit(0);
}
END
gcc -O1 -w -pthread -o "$work/ends" "$work/ends.c"
same sh -c "i=0; while [ \$i -lt 100 ]; do '$work/ends' || echo \"it died: \$?\"; i=\$((i + 1)); done"
# Emulators handle all real-time signals: there is another one, which is ignored by default. A program that
# handles that, too, is not sampled, and this is said.
cat >"$work/every_signal.c" <<'END'
#include <signal.h>
#include <stdio.h>
#include <time.h>
static volatile int came;
static volatile unsigned long sum;
static void on_signal(int number)
{
	came += number;
}
__attribute__((noinline)) static void part(int i)
{
	sum += i;
}
int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = on_signal};
	struct sigaction before;
	int failed = 0;
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		failed += sigaction(number, &action, &before) || before.sa_handler != SIG_DFL;
	raise(SIGURG);
	failed += sigaction(SIGURG, NULL, &before) || before.sa_handler != SIG_DFL;
	raise(SIGURG);
	if (argc > 1)
		failed += sigaction(SIGURG, &action, NULL) != 0;
	while (clock() < CLOCKS_PER_SEC / 2)
		for (int i = 0; i < 10000; i++)
			part(i);
	failed += raise(SIGURG) != 0;
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		failed += raise(number) != 0;
	failed += sigaction(SIGURG, NULL, &before) || before.sa_handler != (argc > 1 ? on_signal : SIG_DFL);
	printf("%d %d\n", came, failed);
	return 0;
}
END
gcc -O1 -w -o "$work/every_signal" "$work/every_signal.c"
same "$work/every_signal"
grep -q ' 0$' "$work/recorded.stdout" || fail "signals: $(cat "$work/recorded.stdout")"
has "samples > 50 AND truncated <= 4 FROM sampling" "samples of a program that handles all real-time signals"
record_options=()
same "$work/every_signal"
"$TARE" report --no-pager "$work/profile.tare" | grep -E "samples stand for|no sample was" && fail "samples are said to be missing"
same "$work/every_signal" urgent
"$TARE" report --no-pager "$work/profile.tare" | grep -qE "^! *(no sample was taken in .* of CPU|samples stand for .* CPU only)" ||
	fail "missing samples are not said: $("$TARE" report --no-pager "$work/profile.tare")"
record_options=(--method=sample)
# Under filters of their own: no call of the runtime's that they do not allow.
for mode in no-tsc filter errors threads children crowd; do
	same "$FIXTURES/sandboxed" $mode
done

# Threads that end before their first tick leave no file each; and what it takes to make them is their maker's.
record "$FIXTURES/crowds" 8000 4
has "count(*) < 4000 FROM thread" "threads without a sample share files"
has "10 * total(truncated) < total(samples) AND total(samples) > 0 FROM sampling" \
	"stacks of threads that make threads reach their roots"

# ---- what is lost is counted ----

# A program that is killed leaves its samples.
run_in "$work/recorded" "$TARE" record -q --method=sample -o "$work/profile.tare" -- \
	sh -c "'$FIXTURES/proportions' 4000; kill -9 \$\$"
[ "$(cat "$work/recorded.status")" = 137 ] || fail "the status is $(cat "$work/recorded.status")"
has "samples > 20 FROM sampling" "samples of killed processes"
# No room in the session.
record_options=(--method=sample --max-disk=1M)
record "$FIXTURES/proportions" 50 60
has "total(threads_lost) + total(children_lost) > 0 AND count(*) > 10 FROM process" \
	"what is beyond the limit is counted"
# No timer for the user: nothing is sampled, the threads are counted, and the program is unharmed.
record_options=(--method=sample)
if (ulimit -i 0) 2>/dev/null; then
	ulimit -S -i 0
	record "$FIXTURES/proportions" 100
	has "threads_lost = 1 FROM process" "threads without a timer are counted"
fi
