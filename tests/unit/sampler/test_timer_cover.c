/* A processor has a timer of its own while it switches often, and only then. */
#include "sampler/timer_cover.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LONG_TIME 10000000000ULL

static const struct event by_timer = {
	.kind = EVENT_COUNTED, .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK};
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

static struct timer_cover cover_of(const struct event *event, int number)
{
	struct perf_events set = {.options = {.events = event, .event_count = 1}};
	struct timer_cover cover;

	vec_push(&set.processors, ((struct perf_processor){.number = number}));
	timer_cover_init(&cover, &set);
	vec_fini(&set.processors);
	return cover;
}

static bool has_timer(const struct timer_cover *cover)
{
	return cover->processors.data[0].timer >= 0;
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
static void skip_unless_permitted(struct timer_cover *cover)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK};
	const int fd = perf_event_open(&attr, PERF_EVERYTHING, cover->processors.data[0].number);

	if (fd >= 0) {
		close(fd);
		return;
	}
	print_message("skipped: this user may open no events of processors\n");
	timer_cover_note(cover, 0);
	timer_cover_look(cover, LONG_TIME);
	assert_int_equal(cover->processors.len, 0);
	timer_cover_fini(cover);
	skip();
}

static void test_many_switches(void **state)
{
	struct timer_cover cover = cover_of(&by_timer, pinned_processor());
	uint64_t time = LONG_TIME;

	(void)state;
	skip_unless_permitted(&cover);
	/* Nothing has come from it yet. */
	timer_cover_look(&cover, time);
	assert_int_equal(cover.processors.data[0].switches, -1);
	timer_cover_note(&cover, 0);
	timer_cover_look(&cover, time += TIMER_COVER_LOOK_NS);
	assert_true(cover.processors.data[0].switches >= 0);
	assert_false(has_timer(&cover));
	/* Twice as many as make a timer worth while. */
	switch_often(SWITCH_RATE_MANY / 50);
	timer_cover_look(&cover, time + TIMER_COVER_LOOK_NS - 1);
	assert_false(has_timer(&cover)); /* too early to look */
	timer_cover_look(&cover, time += TIMER_COVER_LOOK_NS);
	assert_true(has_timer(&cover));
	/* It keeps the timer while it switches half as often, and no longer. */
	switch_often(SWITCH_RATE_FEW / 5 * 13 / 20);
	timer_cover_note(&cover, 0);
	timer_cover_look(&cover, time += 10 * (uint64_t)TIMER_COVER_LOOK_NS);
	assert_true(has_timer(&cover));
	timer_cover_look(&cover, time += 20 * (uint64_t)TIMER_COVER_LOOK_NS);
	assert_false(has_timer(&cover));
	timer_cover_fini(&cover);
}

static void test_quiet_processors_are_left_alone(void **state)
{
	struct timer_cover cover = cover_of(&by_timer, pinned_processor());

	(void)state;
	skip_unless_permitted(&cover);
	timer_cover_note(&cover, 0);
	timer_cover_look(&cover, LONG_TIME);
	switch_often(SWITCH_RATE_MANY / 50);
	timer_cover_look(&cover, LONG_TIME + TIMER_COVER_LOOK_NS);
	assert_true(has_timer(&cover));
	timer_cover_look(&cover, 2 * LONG_TIME);
	assert_false(has_timer(&cover));
	assert_int_equal(cover.processors.data[0].switches, -1);
	timer_cover_fini(&cover);
}

static void test_what_has_no_timer(void **state)
{
	struct timer_cover cover = cover_of(&other, 0);

	(void)state;
	assert_int_equal(cover.processors.len, 0);
	timer_cover_note(&cover, 0);
	timer_cover_look(&cover, LONG_TIME);
	timer_cover_fini(&cover);
}

/* A processor that does not exist stands for one whose events are refused. */
static void test_refused(void **state)
{
	struct timer_cover cover = cover_of(&by_timer, 1 << 20);

	(void)state;
	timer_cover_note(&cover, 0);
	timer_cover_look(&cover, LONG_TIME);
	assert_int_equal(cover.processors.len, 0);
	timer_cover_note(&cover, 0);
	timer_cover_look(&cover, 2 * LONG_TIME);
	timer_cover_fini(&cover);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_switches),
		cmocka_unit_test(test_quiet_processors_are_left_alone),
		cmocka_unit_test(test_what_has_no_timer),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
