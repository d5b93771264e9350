#!/bin/bash
# A command that is recorded again gets copies without the probes of what was learned to be counted only. Calls stay
# exact, the program's own results as they are, and its copy equal to the original for the verifier. Another command,
# and whoever wants everything timed, has all probes.
. "$(dirname "$0")/lib.sh"

need gcc python3 sqlite3
cd "$work"
export XDG_CACHE_HOME=$work/cache
mkdir "$XDG_CACHE_HOME"
cat >hot.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define HOT __attribute__((noinline, noclone))

static HOT unsigned direct(unsigned x)
{
	for (int i = 0; i < 8; i++)
		x = x * 3 + i;
	return x;
}

static HOT unsigned pointed(unsigned x)
{
	for (int i = 0; i < 8; i++)
		x = x * 5 + i;
	return x;
}

static HOT unsigned outer(unsigned x)
{
	return direct(x) + direct(x + 1) + (unsigned)rand_r(&x);
}

static unsigned (*volatile by_pointer)(unsigned) = pointed;
static long (*volatile magnitude)(long) = labs;

struct part {
	unsigned long rounds;
	unsigned sum;
};

/* At least two seconds of processor time, so that tare waits for more. */
static HOT void *rounds(void *part_at)
{
	struct part *part = part_at;
	struct timespec now;

	do {
		for (int i = 0; i < 100000; i++, part->rounds++)
			part->sum += outer(i) + by_pointer(i) + (unsigned)magnitude(-i);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec < 1);
	return NULL;
}

int main(void)
{
	struct part parts[2] = {{0}};
	pthread_t thread;

	pthread_create(&thread, NULL, rounds, &parts[1]);
	rounds(&parts[0]);
	pthread_join(thread, NULL);
	parts[0].sum += (unsigned)magnitude(-1);
	const unsigned long all = parts[0].rounds + parts[1].rounds;
	printf("outer %lu\ndirect %lu\npointed %lu\nrand_r %lu\nrounds 2\n", all, 2 * all, all, all);
	return 0;
}
END
gcc -O1 -o hot hot.c -pthread


take() {
	record "$work/hot" "${@:2}"
	report functions
	python3 - "$work" <<'END' || fail "$1"
import csv, sys
work = sys.argv[1]
rows = {row["function"]: row for row in csv.DictReader(open(f"{work}/functions.csv"))}
truth = dict(line.split() for line in open(f"{work}/recorded.stdout"))
assert len(truth) == 5, truth
for name, count in truth.items():
    assert rows[name]["calls"] == count, (name, count, rows[name])
END
	wait_for_later
}
ask() {
	sqlite3 "$work/profile.tare" "$1"
}
# How much a counted call of `direct` has cost: its counter, and this many probes passed by.
probes() {
	ask "SELECT round((1.0 * sum(c.cost_ticks) / sum(c.entered) * 256 - p.begin_counters_ticks) / p.begin_gates_ticks)
		FROM counted c JOIN function f ON f.id = c.function JOIN process p ON p.id = c.process
		WHERE f.name = 'direct'"
}
# Nothing counts the calls of `labs`, through pointers, while its call site is not timed.
is_approximate() {
	[ "$(ask "SELECT sum(c.approximate) FROM counted c JOIN function f ON f.id = c.function WHERE f.name = 'labs'")" = 1 ]
}
copies() {
	find "$XDG_CACHE_HOME" -path '*/copy/hot' | wc -l
}

take "the first recording"
[ "$(copies)" = 2 ] || fail "$(copies) copies after the first recording"
[ "$(probes)" = 2.0 ] || fail "the first copy has $(probes) probes for a call"
is_approximate || fail "the first recording takes calls through pointers for exact"
for copy in $(find "$XDG_CACHE_HOME" -path '*/copy/hot'); do
	"$TARE" instrument --verify --original=hot "$copy" >verified || fail "$(head -n 5 verified)"
	grep -o '[0-9]* probes' verified
done >counts
[ "$(sort -u counts | wc -l)" = 2 ] || fail "both copies have $(sort -u counts)"

take "the second recording"
[ "$(probes)" = 0.0 ] || fail "the second copy has $(probes) probes for a call"
is_approximate || fail "the second recording takes calls through pointers for exact"
"$TARE" report summary profile.tare >summary
grep -q "from the start [0-9]* function" summary || fail "the summary does not say what was learned"

# A little more was learned, perhaps; then there is one copy more at most.
take "the third recording"
[ "$(copies)" -le 3 ] || fail "$(copies) copies after the third recording"

take "another command" argument
[ "$(probes)" = 2.0 ] || fail "another command has $(probes) probes for a call"
for options in --no-learned --exact "--function=*" "--start-at=rounds"; do
	record_options=("$options")
	record "$work/hot"
	wait_for_later
	case $options in
	--exact)
		report functions
		python3 - <<'END' || fail "with --exact"
import csv
rows = {row["function"]: row for row in csv.DictReader(open("functions.csv"))}
assert rows["direct"]["disarmed"] == "0", rows["direct"]
END
		;;
	*) [ "$(probes)" != 0.0 ] || fail "with $options the copy has no probes" ;;
	esac
done
record_options=()

# Nothing is left for later where a recording is short, or has no cache.
before=$(copies)
"$TARE" record -q -o short.tare -- ./hot </dev/null >/dev/null
wait_for_later
[ "$("$TARE" instrument --learned ./hot 2>&1 >/dev/null | grep -c 'belongs to --cache')" = 1 ] ||
	fail "--learned without --cache"
[ "$(copies)" -le $((before + 1)) ] || fail "$(copies) copies, $before before"
