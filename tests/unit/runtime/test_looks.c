/*
 * Functions that go by single events, while probes are dear; and what stays, as another thread
 * waits in it.
 */
#include "runtime/control/looks.h"
#include "runtime/control/waiters.h"
#include "tests/support/adaptive_module.h"

/* The thread works for so long, and its probes take one in `part` of that beside it. */
static void dear(struct thread *thread, uint64_t ticks, uint64_t part)
{
	thread->file->lost_ticks += ticks / part;
	thread->ticks += ticks / part;
	enter(thread, ticks, LONG, 2);
	leave(thread, 0, 2, true);
}

static void looked_call(struct thread *thread, int byte)
{
	apply(thread,
	      (struct accumulate_event){.kind = TARE_EVENT_ENTER,
					.key = key(byte),
					.stub = stub(byte),
					.sp = SP_TOP - 128},
	      1, true);
	if (top_of(thread)->key == key(byte))
		leave(thread, 1, 2, true);
}

/* Counts the events that are looked at from now on, each of which is a call of LONG. */
static int looks_over(struct thread *thread)
{
	int looks = 0;

	for (; looks_want_next(&thread->adapt); looks++)
		assert_in_range(looks, 0, 1000);
	return looks;
}

/* Only while the probes are dear; where that found nothing, the next ones wait longer and longer.
 */
static void test_looks_rest(void **state)
{
	enum { WORK = 1 << 20 };
	struct thread thread;
	uint64_t rests[6] = {0};

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	judge(&thread);
	assert_int_equal(looks_over(&thread), 0);
	for (int i = 0; i < 6; i++) {
		int looks = 0;

		for (; !looks; rests[i]++) {
			assert_in_range(rests[i], 0, 100);
			dear(&thread, WORK, 2);
			looks = looks_over(&thread);
		}
		assert_in_range(looks, 10, 100);
	}
	assert_in_range(rests[2], 2, 10);
	assert_true(rests[1] < rests[2] && rests[2] < rests[3]);
	assert_int_equal(rests[5], rests[4]);
	thread_end(&thread);
}

/* Who is called twice within a look, and is short, goes at once, however large the tree is. */
static void test_looks_find_functions(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	judge(&thread);
	calls(&thread, SHORT, MANY, 1);
	calls(&thread, SHORTER, LOOKS_CALLS_MIN - 2, 1);
	looked_call(&thread, SHORT);
	looked_call(&thread, SHORT);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);	      /* nothing is looked at */
	thread.adapt.due_ticks = thread.ticks + (1ULL << 40); /* nor added up */
	dear(&thread, 1 << 21, SUMS_BUDGET / 2);
	assert_true(thread.adapt.looks > 0);
	looked_call(&thread, SHORTER);
	looked_call(&thread, SHORT);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	looked_call(&thread, LONG);
	looked_call(&thread, LONG);
	assert_int_equal(file.arm[LONG], TARE_ARMED);
	looked_call(&thread, SHORT);
	assert_int_equal(file.arm[SHORT], 0);
	assert_int_equal(noted_keys[0], key(SHORT));
	assert_in_range(noted_calls[0], MANY, MANY + 4);
	assert_int_equal(file.arm[SHORTER], TARE_ARMED); /* met once, with too few calls */
	looked_call(&thread, SHORTER);
	assert_int_equal(file.arm[SHORTER], TARE_ARMED);
	looked_call(&thread, SHORTER);
	assert_int_equal(file.arm[SHORTER], 0);
	thread_end(&thread);
}

/* Where the probes take very much, who is met once goes. */
static void test_looks_at_once(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORTER, LOOKS_CALLS_MIN - 2, 1);
	judge(&thread); /* the sum has few calls of it, too */
	calls(&thread, SHORT, SUMS_CALLS_MIN - 1, 1);
	thread.adapt.due_ticks = thread.ticks + (1ULL << 40);
	dear(&thread, 1 << 21, 2);
	looked_call(&thread, SHORTER);
	looked_call(&thread, LONG);
	looked_call(&thread, SHORT);
	assert_int_equal(file.arm[SHORT], 0);
	assert_int_equal(file.arm[LONG], TARE_ARMED);
	assert_int_equal(file.arm[SHORTER], TARE_ARMED); /* it has too few calls */
	thread_end(&thread);
}

static void waiting_calls(struct thread *thread, int count)
{
	const struct accumulate_event late = {.kind = TARE_EVENT_LEAVE,
					      .sp = SP_TOP - 128,
					      .os = true,
					      .blocked_ticks = 1000,
					      .os_cause = TARE_OS_SYSCALL,
					      .syscall_number = 0};

	for (int i = 0; i < count; i++) {
		enter(thread, 0, SHORT, 2);
		apply(thread, late, 1000, true);
	}
}

/* A thread that never waits in it must not disarm what another one waits in. */
static void test_what_waits_elsewhere_is_timed(void **state)
{
	struct thread waits, thread;

	(void)state;
	thread_begin(&waits);
	thread_begin(&thread);
	enter(&waits, 0, LONG, 1);
	enter(&thread, 0, LONG, 1);
	waiting_calls(&waits, 20);
	calls(&thread, SHORT, MANY, 1);
	calls(&thread, SHORTER, MANY, 1);
	judge(&thread);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	assert_int_equal(file.arm[SHORTER], 0);
	/* Nor by single events. */
	thread.adapt.due_ticks = thread.ticks + (1ULL << 40);
	dear(&thread, 1 << 21, 2);
	assert_true(thread.adapt.looks > 0);
	looked_call(&thread, SHORT);
	looked_call(&thread, SHORT);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	/* Until that one has seldom waited in it. */
	calls(&waits, SHORT, 100 * MANY, PAIR - 1);
	judge(&waits);
	assert_int_equal(file.arm[SHORT], 0);
	thread_end(&waits);
	thread_end(&thread);
}

/* ---- what leads to waits ---- */

/* Is worth the probes of MANY calls. */
#define WORTH_TICKS ((uint64_t)TARE_JUDGED_LEADS * MANY * PAIR)

/* Calls of SHORT, in each of which SHORTER waits. */
static void wait_at(struct thread *thread, uint64_t depth, uint64_t ticks)
{
	const struct accumulate_event late = {.kind = TARE_EVENT_LEAVE,
					      .sp = SP_TOP - depth * 64,
					      .os = true,
					      .blocked_ticks = ticks,
					      .os_cause = TARE_OS_SYSCALL,
					      .syscall_number = 0};

	enter(thread, 1, SHORTER, depth);
	apply(thread, late, ticks, true);
}

static void leading_calls(struct thread *thread, int count, uint64_t ticks)
{
	for (int i = 0; i < count; i++) {
		enter(thread, 1, SHORT, 2);
		wait_at(thread, 3, ticks);
		leave(thread, 1, 2, true);
	}
}

/* Beside so much work the probes of MANY calls are dear, yet may be paid by waits. */
static void work_beside(struct thread *thread)
{
	thread->ticks += (uint64_t)TARE_JUDGED_LEADS_SHARE * MANY * PAIR;
}

static void test_what_leads_to_waits_is_timed(void **state)
{
	struct thread waits, thread;

	(void)state;
	thread_begin(&waits);
	thread_begin(&thread);
	enter(&waits, 0, LONG, 1);
	leading_calls(&waits, 3, WORTH_TICKS);
	calls(&waits, SHORT, MANY, 1);
	work_beside(&waits);
	judge(&waits);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	assert_true(waiters_below(key(SHORT)) >= 3 * WORTH_TICKS);
	assert_int_equal(waiters_below(key(SHORTER)), 0);
	/* Another thread's waits pay for so many calls of this one, and no more. */
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, 2 * MANY, 1);
	work_beside(&thread);
	work_beside(&thread);
	judge(&thread);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	calls(&thread, SHORT, 2 * MANY, 1);
	work_beside(&thread);
	work_beside(&thread);
	judge(&thread);
	assert_int_equal(file.arm[SHORT], 0);
	adapt_forget(key(0), key(0) + 0x1000);
	assert_int_equal(waiters_below(key(SHORT)), 0);
	leave(&thread, 1, 1, false);
	leave(&waits, 1, 1, false);
	thread_end(&waits);
	thread_end(&thread);
}

/* Too much of the work is not to be paid by waits; nor are many calls by short ones. */
static void test_what_leads_to_waits_and_goes(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	leading_calls(&thread, 2, WORTH_TICKS / 3);
	calls(&thread, SHORT, MANY, 1);
	work_beside(&thread);
	judge(&thread);
	assert_int_equal(file.arm[SHORT], 0);
	thread_end(&thread);
	module_end_again(NULL);
	module_begin_again(NULL);
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	leading_calls(&thread, 1, 2 * WORTH_TICKS);
	calls(&thread, SHORT, MANY, 1);
	judge(&thread);
	assert_int_equal(file.arm[SHORT], 0);
	thread_end(&thread);
}

/* A function that recurs has called what waits once. */
static void test_waits_below_recursion(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	enter(&thread, 1, SHORT, 2);
	enter(&thread, 1, LONG, 3);
	enter(&thread, 1, SHORT, 4);
	wait_at(&thread, 5, 1000);
	leave(&thread, 1, 4, true);
	leave(&thread, 1, 3, true);
	leave(&thread, 1, 2, true);
	judge(&thread);
	judge(&thread);
	assert_int_equal(waiters_below(key(SHORT)), 1000);
	assert_int_equal(waiters_below(key(LONG)), 1000);
	thread_end(&thread);
}

/* Single events know it before anything was added up. */
static void test_looks_leave_what_leads_to_waits(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	leading_calls(&thread, 1, WORTH_TICKS);
	calls(&thread, SHORT, LOOKS_CALLS_MIN, 1);
	calls(&thread, SITE, LOOKS_CALLS_MIN, 1);
	thread.adapt.due_ticks = thread.ticks + (1ULL << 40);
	dear(&thread, 1 << 21, 2);
	looked_call(&thread, SHORT);
	looked_call(&thread, SITE);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	assert_int_equal(file.arm[SITE], 0);
	thread_end(&thread);
}

/* A few calls say nothing; and a function of a module that is gone is another one. */
static void test_who_is_no_waiter(void **state)
{
	struct thread waits, thread;

	(void)state;
	thread_begin(&waits);
	thread_begin(&thread);
	enter(&waits, 0, LONG, 1);
	waiting_calls(&waits, 6);
	assert_false(waiters_know(key(SHORT)));
	waiting_calls(&waits, 6);
	assert_true(waiters_know(key(SHORT)));
	waiters_take_back(thread.file, key(SHORT)); /* that is not for others to say */
	assert_true(waiters_know(key(SHORT)));
	adapt_forget(key(0) + 0x10000, key(0) + 0x20000);
	assert_true(waiters_know(key(SHORT)));
	adapt_forget(key(0), key(0) + 0x1000);
	assert_false(waiters_know(key(SHORT)));
	waiters_note(waits.file, &waits.adapt); /* LONG, of which there are few */
	assert_false(waiters_know(key(LONG)));
	leave(&waits, 1, 1, false);
	thread_end(&waits);
	thread_end(&thread);
}

/* Two may wait by turns: while one of them does not, the other has said that it did. */
static void test_two_wait_by_turns(void **state)
{
	struct thread one, other;

	(void)state;
	thread_begin(&one);
	thread_begin(&other);
	enter(&one, 0, LONG, 1);
	enter(&other, 0, LONG, 1);
	waiting_calls(&one, 20);
	waiting_calls(&other, 20);
	waiters_take_back(one.file, key(SHORT));
	assert_true(waiters_know(key(SHORT)));
	waiting_calls(&one, 20);
	waiters_take_back(other.file, key(SHORT));
	assert_true(waiters_know(key(SHORT)));
	waiters_take_back(one.file, key(SHORT));
	assert_false(waiters_know(key(SHORT)));
	leave(&one, 1, 1, false);
	leave(&other, 1, 1, false);
	thread_end(&other);
	thread_end(&one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_waits_elsewhere_is_timed),
		TEST(test_what_leads_to_waits_is_timed),
		TEST(test_what_leads_to_waits_and_goes),
		TEST(test_waits_below_recursion),
		TEST(test_looks_leave_what_leads_to_waits),
		TEST(test_who_is_no_waiter),
		TEST(test_two_wait_by_turns),
		TEST(test_looks_rest),
		TEST(test_looks_find_functions),
		TEST(test_looks_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
