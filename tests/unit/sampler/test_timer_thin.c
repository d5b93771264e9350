/* A processor has fewer samples by timers while it switches often, and only then. */
#include "sampler/timer_thin.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LONG_TIME 10000000000ULL

static const struct event by_timer = {.kind = EVENT_COUNTED,
				      .type = PERF_TYPE_SOFTWARE,
				      .config = PERF_COUNT_SW_CPU_CLOCK,
				      .frequency = 997};
static const struct event seldom = {.kind = EVENT_COUNTED,
				    .type = PERF_TYPE_SOFTWARE,
				    .config = PERF_COUNT_SW_CPU_CLOCK,
				    .frequency = PERF_EVENTS_TIMER_FEW};
static const struct event asked_for = {.kind = EVENT_COUNTED,
				       .type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .frequency = 997,
				       .is_steady = true};
static const struct event other = {
	.kind = EVENT_COUNTED, .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS};

/* The processor that this program has gone to. */
static int pinned_processor(void)
{
	const int number = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(number, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
	return number;
}

static struct perf_events set;

static struct timer_thin thin_of(const struct event *event, int number)
{
	struct timer_thin thin;

	set = (struct perf_events){.options = {.events = event, .event_count = 1}};
	vec_push(&set.processors, ((struct perf_processor){.number = number}));
	timer_thin_init(&thin, &set);
	return thin;
}

static void end(struct timer_thin *thin)
{
	timer_thin_fini(thin);
	vec_fini(&set.processors);
}

static bool is_thinned(void)
{
	return set.processors.data[0].timers.thinned;
}

/* At least so many switches of the processor: a byte goes to a child and back. */
static void switch_often(int count)
{
	int there[2], back[2];
	char byte = 'x';

	assert_int_equal(pipe(there) | pipe(back), 0);
	const pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	for (int i = 0; i < count; i++) {
		assert_int_equal(write(there[1], &byte, 1), 1);
		assert_int_equal(read(back[0], &byte, 1), 1);
	}
	close(there[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(there[0]);
	close(back[0]);
	close(back[1]);
}

/* Where this user may open no events of processors, that is all there is to see. */
static void skip_unless_permitted(struct timer_thin *thin)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK};
	const int fd = perf_event_open(&attr, PERF_EVERYTHING, set.processors.data[0].number);

	if (fd >= 0) {
		close(fd);
		return;
	}
	print_message("skipped: this user may open no events of processors\n");
	timer_thin_note(thin, 0);
	timer_thin_look(thin, LONG_TIME, TIMER_THIN_SAMPLES);
	assert_int_equal(thin->processors.len, 0);
	end(thin);
	skip();
}

static void test_many_switches(void **state)
{
	struct timer_thin thin = thin_of(&by_timer, pinned_processor());
	uint64_t time = LONG_TIME;

	(void)state;
	skip_unless_permitted(&thin);
	/* Nothing has come from it yet. */
	timer_thin_look(&thin, time, TIMER_THIN_SAMPLES);
	assert_int_equal(thin.processors.data[0].switches, -1);
	timer_thin_note(&thin, 0);
	/* Nor enough for a short run. */
	timer_thin_look(&thin, time += TIMER_THIN_LOOK_NS, TIMER_THIN_SAMPLES - 1);
	assert_int_equal(thin.processors.data[0].switches, -1);
	timer_thin_look(&thin, time += TIMER_THIN_LOOK_NS, TIMER_THIN_SAMPLES);
	assert_true(thin.processors.data[0].switches >= 0);
	assert_false(is_thinned());
	/* Twice as many as make it worth while. */
	switch_often((int)TIMER_THIN_LIMITS.many / 50);
	timer_thin_look(&thin, time + TIMER_THIN_LOOK_NS - 1, TIMER_THIN_SAMPLES);
	assert_false(is_thinned()); /* too early to look */
	timer_thin_look(&thin, time += TIMER_THIN_LOOK_NS, TIMER_THIN_SAMPLES);
	assert_true(is_thinned());
	/* It stays so while it switches half as often, and no longer. */
	switch_often((int)TIMER_THIN_LIMITS.few / 5 * 13 / 20);
	timer_thin_note(&thin, 0);
	timer_thin_look(&thin, time += 10 * (uint64_t)TIMER_THIN_LOOK_NS, TIMER_THIN_SAMPLES);
	assert_true(is_thinned());
	timer_thin_look(&thin, time += 20 * (uint64_t)TIMER_THIN_LOOK_NS, TIMER_THIN_SAMPLES);
	assert_false(is_thinned());
	end(&thin);
}

static void test_quiet_processors_are_left_alone(void **state)
{
	struct timer_thin thin = thin_of(&by_timer, pinned_processor());

	(void)state;
	skip_unless_permitted(&thin);
	timer_thin_note(&thin, 0);
	timer_thin_look(&thin, LONG_TIME, TIMER_THIN_SAMPLES);
	switch_often((int)TIMER_THIN_LIMITS.many / 50);
	timer_thin_look(&thin, LONG_TIME + TIMER_THIN_LOOK_NS, TIMER_THIN_SAMPLES);
	assert_true(is_thinned());
	timer_thin_look(&thin, 2 * LONG_TIME, TIMER_THIN_SAMPLES);
	assert_false(is_thinned());
	assert_int_equal(thin.processors.data[0].switches, -1);
	end(&thin);
}

static void test_what_has_no_timer_or_keeps_it(void **state)
{
	const struct event *const events[] = {&other, &seldom, &asked_for};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct timer_thin thin = thin_of(events[i], 0);

		assert_int_equal(thin.processors.len, 0);
		timer_thin_note(&thin, 0);
		timer_thin_look(&thin, LONG_TIME, TIMER_THIN_SAMPLES);
		end(&thin);
	}
}

/* ---- of a process that begins threads ---- */

enum { THREADS = 2000 };

static void *begin_nothing(void *argument)
{
	return argument;
}

/* Once a byte comes: THREADS of them, one after the other, on one processor. */
static pid_t thread_maker(const int go[2])
{
	const pid_t child = fork();
	pthread_t thread;
	char byte;

	assert_true(child >= 0);
	if (child)
		return child;
	pinned_processor();
	close(go[1]);
	if (read(go[0], &byte, 1) != 1)
		_exit(1);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, begin_nothing, NULL) ||
		    pthread_join(thread, NULL))
			_exit(1);
	_exit(0);
}

/* Of what the rings have: how many threads have begun. */
static size_t take_forks(pid_t process)
{
	size_t forks = 0, size, used;

	vec_foreach (processor, &set.processors) {
		struct perf_record record;

		perf_ring_look(&processor->ring);
		for (const void *bytes; (bytes = perf_ring_next(&processor->ring, &size));) {
			const struct perf_layout *layout = perf_events_layout(&set, bytes, size);

			assert_true(perf_record_read(layout, bytes, size, &record, &used));
			assert_int_not_equal(record.type, PERF_RECORD_LOST);
			forks += record.type == PERF_RECORD_FORK &&
				 record.task.pid == (uint32_t)process;
			perf_ring_consume(&processor->ring, size);
		}
	}
	return forks;
}

static void test_each_thread_is_told_of_once(void **state)
{
	const struct perf_events_options options = {.events = &by_timer, .event_count = 1};
	struct error err;
	int go[2], status;
	size_t forks = 0;

	(void)state;
	assert_int_equal(pipe(go), 0);
	const pid_t child = thread_maker(go);
	const bool good =
		perf_events_begin(&set, &options, &err) && perf_events_add(&set, child, &err);
	if (good) {
		perf_events_enable(&set, true);
		assert_int_equal(write(go[1], "g", 1), 1);
	}
	close(go[1]);
	for (bool thinned = true; good && !waitpid(child, &status, WNOHANG); thinned = !thinned) {
		for (size_t i = 0; i < set.processors.len; i++)
			perf_events_thin_timers(&set, i, thinned);
		forks += take_forks(child);
	}
	close(go[0]);
	if (good)
		forks += take_forks(child);
	perf_events_close(&set);
	if (!good) {
		print_message("skipped: %s\n", err.message);
		waitpid(child, &status, 0);
		skip();
	}
	assert_int_equal(status, 0);
	assert_int_equal(forks, THREADS);
}

/* A processor that does not exist stands for one whose events are refused. */
static void test_refused(void **state)
{
	struct timer_thin thin = thin_of(&by_timer, 1 << 20);

	(void)state;
	timer_thin_note(&thin, 0);
	timer_thin_look(&thin, LONG_TIME, TIMER_THIN_SAMPLES);
	assert_int_equal(thin.processors.len, 0);
	timer_thin_note(&thin, 0);
	timer_thin_look(&thin, 2 * LONG_TIME, TIMER_THIN_SAMPLES);
	end(&thin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_switches),
		cmocka_unit_test(test_quiet_processors_are_left_alone),
		cmocka_unit_test(test_what_has_no_timer_or_keeps_it),
		cmocka_unit_test(test_each_thread_is_told_of_once),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
