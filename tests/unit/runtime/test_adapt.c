/*
 * Functions that are disarmed while they run: who is, and that calls in progress then end cleanly:
 * not unwound, not counted, and with all times adding up.
 */
#include "runtime/control/looks.h"
#include "runtime/control/phases.h"
#include "runtime/control/sites.h"
#include "tests/support/adaptive_module.h"

static void test_short_and_dear(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, MANY, PAIR - 1);
	calls(&thread, SHORTER, SUMS_CALLS_MIN - 1, 1);
	calls(&thread, SHARED, MANY, 1);
	calls(&thread, LONG, MANY, 100 * PAIR);
	thread.file->preempted_ticks += DUE; /* what judge lets pass is no work */
	judge(&thread);
	assert_int_equal(file.arm[SHORT], 0);
	assert_int_equal(file.arm[SHORTER], TARE_ARMED); /* not called often enough */
	assert_int_equal(file.arm[LONG], TARE_ARMED);
	assert_int_equal(file.arm[BYTES], TARE_ARMED); /* shares its code */
	assert_int_equal(noted, 1);
	assert_int_equal(noted_keys[0], key(SHORT));
	assert_int_equal(noted_calls[0], MANY);
	assert_int_equal(renewals, 1);
	thread_end(&thread);
}

/* A machine where others run makes no function longer. */
static void test_without_time_of_the_system(void **state)
{
	const struct accumulate_event late = {.kind = TARE_EVENT_LEAVE,
					      .sp = SP_TOP - 128,
					      .os = true,
					      .os_cause = TARE_OS_SWITCH,
					      .preempted_ticks = (uint64_t)MANY * PAIR * 2,
					      .syscall_number = 0xffff};
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, MANY, 1);
	enter(&thread, 0, SHORT, 2);
	apply(&thread, late, (uint64_t)MANY * PAIR * 2, false);
	thread.ticks += (uint64_t)MANY * PAIR * SUMS_BUDGET * 2; /* all together cost little */
	judge(&thread);
	assert_int_equal(file.arm[SHORT], 0);
	thread_end(&thread);
}

static void test_rare_ones_are_kept(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, MANY, 1);
	thread.ticks += (uint64_t)MANY * PAIR * SUMS_SHARE;
	judge(&thread);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	assert_int_equal(noted, 0);
	thread_end(&thread);
}

static void test_off_by_default(void **state)
{
	struct thread thread;

	(void)state;
	state_session.settings.adaptive_percent = 0;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, MANY, 1);
	judge(&thread);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	thread_end(&thread);
}

/* Disarms SHORT from a thread of its own. */
static void short_disarm(void)
{
	struct thread other;

	thread_begin(&other);
	calls(&other, SHORT, MANY, 1);
	judge(&other);
	assert_int_equal(file.arm[SHORT], 0);
	thread_end(&other);
}

/* One that loops over a function which was in progress gets all time behind its last event. */
static void test_top_of_another_thread(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	enter(&thread, 100, SHORT, 2);
	short_disarm();
	leave(&thread, 1000000, 1, true); /* of LONG; that of SHORT did not come */
	const struct tare_node *node = node_of(&thread, key(SHORT));

	assert_int_equal(context_calls(node), 0);
	assert_int_equal(node->elapsed_ticks, 0);
	assert_int_equal(node_of(&thread, key(LONG))->elapsed_ticks, 1000100);
	assert_ptr_equal(top_of(&thread), nodes_of(&thread));
	thread_end(&thread);
}

/* Below another call it stays until that one ends, and keeps the time until then. */
static void test_below_another_call(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	enter(&thread, 10, SHORT, 2);
	enter(&thread, 20, LONG, 3);
	short_disarm();
	/* an event that the renewal sent to the general path; the call goes on */
	enter(&thread, 5, SHORTER, 4);
	leave(&thread, 5, 4, true);
	assert_int_equal(top_of(&thread)->key, key(LONG));
	/* the end of the call above must not take the short way */
	assert_true((0 - top_of(&thread)->sp) & TARE_CALL_SPECIAL);
	leave(&thread, 30, 3, true);
	assert_int_equal(node_of(&thread, key(SHORT))->elapsed_ticks, 20);
	assert_ptr_equal(top_of(&thread), node_of(&thread, key(LONG)));
	leave(&thread, 7, 1, false);
	assert_int_equal(node_of(&thread, key(LONG))->elapsed_ticks, 17);
	thread_end(&thread);
}

/* An end that was on its way when the byte was cleared is one. */
static void test_end_on_its_way(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	enter(&thread, 10, SHORT, 2);
	short_disarm();
	leave(&thread, 5, 2, true);
	assert_int_equal(context_calls(node_of(&thread, key(SHORT))), 1);
	assert_int_equal(node_of(&thread, key(SHORT))->elapsed_ticks, 5);
	thread_end(&thread);
}

static void test_recursion(void **state)
{
	enum { DEPTH = 20 };
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	for (uint64_t i = 0; i < DEPTH; i++)
		enter(&thread, 1, SHORT, 2 + i);
	short_disarm();
	leave(&thread, 50, 1, true);
	assert_ptr_equal(top_of(&thread), nodes_of(&thread));
	assert_int_equal(node_of(&thread, key(LONG))->elapsed_ticks, 51);
	thread_end(&thread);
}

static const struct accumulate_event site_call = {
	.kind = TARE_EVENT_CALL, .arm = (uint64_t)&file.arm[SITE], .sp = SP_TOP - 128};
static const struct accumulate_event site_back = {.kind = TARE_EVENT_RETURN, .sp = SP_TOP - 128};

static void site_calls(struct thread *thread, uint64_t target, int count, bool general)
{
	struct accumulate_event call = site_call;

	call.key = target;
	for (int i = 0; i < count; i++) {
		apply(thread, call, 1, general);
		apply(thread, site_back, 1, general);
	}
}

/* Calls through a pointer to what has no probes: the site is found at events that are looked at. */
static void test_call_through_pointer(void **state)
{
	struct thread thread;
	int looks = 0;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	site_calls(&thread, key(SITE), MANY, false);
	judge(&thread);
	while (looks_want_next(&thread.adapt) && file.arm[SITE]) {
		site_calls(&thread, key(SITE), 1, true);
		looks++;
	}
	assert_int_equal(looks, SITES_DULL_MIN);
	assert_int_equal(file.arm[SITE], 0);
	assert_int_equal(noted, 1);
	assert_int_equal(noted_keys[0], key(SITE));
	assert_int_equal(noted_calls[0], MANY);
	assert_ptr_equal(top_of(&thread), node_of(&thread, key(LONG)));
	leave(&thread, 100, 1, true);
	assert_ptr_equal(top_of(&thread), nodes_of(&thread));
	thread_end(&thread);
}

/* One from which long functions are called, too, stays. */
static void test_call_of_several(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	site_calls(&thread, key(SITE), MANY, false);
	judge(&thread);
	for (int i = 0; i < 20; i++) {
		site_calls(&thread, key(SITE), 1, true);
		site_calls(&thread, key(SITE) + 1, 1, true);
	}
	assert_int_equal(file.arm[SITE], TARE_ARMED);
	assert_int_equal(noted, 0);
	leave(&thread, 100, 1, true);
	thread_end(&thread);
}

/* A target that reports itself is timed by that. */
static void test_call_of_what_reports_itself(void **state)
{
	struct accumulate_event call = site_call;
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	call.key = key(SHORT);
	for (int i = 0; i < SITES_DULL_MIN + 1; i++) {
		assert_int_equal(file.arm[SITE], TARE_ARMED);
		apply(&thread, call, 1, true);
		enter(&thread, 1, SHORT, 2);
		leave(&thread, 1, 2, true);
		apply(&thread, site_back, 1, true);
	}
	assert_int_equal(file.arm[SITE], 0);
	assert_int_equal(noted_what[0], TARE_DISARM_PLACE);
	leave(&thread, 100, 1, true);
	thread_end(&thread);
}

/* What all cost together is bounded: the shortest go, also such as are long beside their probes. */
static void test_budget(void **state)
{
	enum { LONGER = SHORTER }; /* bytes */
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, 5 * MANY, 2 * PAIR);
	calls(&thread, LONGER, 400, 1000 * PAIR);
	calls(&thread, LONG, 400, 1000 * PAIR);
	judge(&thread);
	assert_int_equal(file.arm[SHORT], 0);
	assert_int_equal(file.arm[LONGER], TARE_ARMED);
	assert_int_equal(file.arm[LONG], TARE_ARMED);
	thread_end(&thread);
}

/* A function that was long and is short now goes as soon as that costs. */
static void test_of_late(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, 1000, 1000 * PAIR);
	judge(&thread);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	calls(&thread, SHORT, MANY, PAIR / 2);
	judge(&thread);
	assert_int_equal(file.arm[SHORT], 0);
	thread_end(&thread);
}

/* Only the clock knows waits. */
static void test_what_waits_is_timed(void **state)
{
	const struct accumulate_event late = {.kind = TARE_EVENT_LEAVE,
					      .sp = SP_TOP - 128,
					      .os = true,
					      .blocked_ticks = MANY * 1000,
					      .os_cause = TARE_OS_SYSCALL,
					      .syscall_number = 0};
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, MANY, 1);
	calls(&thread, SHORTER, MANY, 1);
	enter(&thread, 0, SHORT, 2);
	apply(&thread, late, MANY * 1000, false);
	judge(&thread);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	assert_int_equal(file.arm[SHORTER], 0);
	thread_end(&thread);
}

/* What a call in progress has waited is not taken from those that have ended. */
static void test_waits_in_progress(void **state)
{
	const struct accumulate_event call = {.kind = TARE_EVENT_ENTER,
					      .key = key(SHORTER),
					      .stub = stub(SHORTER),
					      .sp = SP_TOP - 192,
					      .os = true,
					      .os_cause = TARE_OS_SWITCH,
					      .preempted_ticks = MANY * 10000,
					      .syscall_number = 0xffff};
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, MANY, 200 * PAIR);
	enter(&thread, 1, SHORT, 2);
	apply(&thread, call, MANY * 10000, false);
	leave(&thread, 1, 3, false);
	for (int i = 0; i < 2; i++) {
		enter(&thread, 1, SHORTER, 3);
		leave(&thread, DUE, 3, true);
	}
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	leave(&thread, 1, 2, true);
	leave(&thread, 1, 1, true);
	thread_end(&thread);
}

/* Looks of phases.h at what the counters say, `calls` of SHORT each. */
static void look(struct thread *thread, int count, uint32_t calls)
{
	for (int i = 0; i < count; i++) {
		counted[SHORT] += calls;
		judge(thread);
		thread->ticks += 1ULL << 28;
		thread->file->lost_ticks += 1ULL << 28;
	}
}

/* Timed again when it is rare, twice as late the second time; not while it is not called at all. */
static void test_phases(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, MANY, 1);
	judge(&thread);
	assert_int_equal(file.arm[SHORT], 0);
	look(&thread, 10, 0);
	look(&thread, 10, 1 << 24);
	assert_int_equal(file.arm[SHORT], 0);
	look(&thread, PHASES_LOOKS, 10);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	assert_int_equal(noted_what[noted - 1], TARE_DISARM_TAKEN_BACK);
	calls(&thread, SHORT, MANY, 1);
	judge(&thread);
	assert_int_equal(file.arm[SHORT], 0);
	assert_int_equal(noted_what[noted - 1], TARE_DISARM_PLACE);
	look(&thread, 1, 10); /* the first look only takes note */
	look(&thread, PHASES_LOOKS * 2 - 1, 10);
	look(&thread, 1, 1 << 24); /* busy once more: from the start */
	look(&thread, PHASES_LOOKS * 2 - 1, 10);
	assert_int_equal(file.arm[SHORT], 0);
	look(&thread, 1, 10);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	thread_end(&thread);
}

/* The end of a call whose begin was not seen is no event, in this thread or another. */
static void test_end_of_what_is_timed_again(void **state)
{
	struct thread thread, other;

	(void)state;
	thread_begin(&other);
	enter(&other, 0, LONG, 1);
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, MANY, 1);
	judge(&thread);
	look(&thread, 1, 0);
	look(&thread, PHASES_LOOKS, 10);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	enter(&other, 5, LONG, 4); /* below two calls of SHORT */
	leave(&other, 5, 4, true);
	leave(&other, 5, 3, true);
	leave(&other, 5, 2, true);
	assert_int_equal(other.file->unmatched, 0);
	leave(&other, 5, 1, true);
	assert_ptr_equal(top_of(&other), nodes_of(&other));
	thread_end(&other);
	leave(&thread, 5, 1, true);
	thread_end(&thread);
}

/* Another module's functions at the same addresses are others. */
static void test_forgotten(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	short_disarm();
	adapt_forget(key(0), key(0) + 0x1000);
	enter(&thread, 0, LONG, 1);
	enter(&thread, 0, SHORT, 2);
	leave(&thread, 3, 1, true);
	assert_int_equal(node_of(&thread, key(LONG))->unwound, 0);
	assert_int_equal(context_calls(node_of(&thread, key(SHORT))), 1);
	accumulate_fini(&thread.local);
	munmap(thread.file, FILE_BYTES);
}

/* What an earlier recording has learned: silent before the first call, and timed again when rare.
 */
static void test_disarmed_from_the_start(void **state)
{
	struct thread thread;

	(void)state;
	file.counted[SITE].target = 0; /* calls through a pointer */
	assert_true(disarmed_start(&file.module, SHORT));
	assert_true(disarmed_start(&file.module, SITE));
	assert_false(disarmed_start(&file.module, BYTES));
	assert_int_equal(file.arm[SHORT], 0);
	assert_int_equal(file.arm[SITE], 0);
	assert_int_equal(file.arm[LONG], TARE_ARMED);
	assert_true(disarmed_now(key(SHORT)));
	assert_false(disarmed_ever(key(SITE)));
	assert_false(disarmed_ever(key(LONG)));
	assert_int_equal(noted, 0);
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	look(&thread, PHASES_LOOKS, 10); /* the first look only takes note */
	assert_int_equal(file.arm[SHORT], 0);
	look(&thread, 1, 10);
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	assert_int_equal(file.arm[SITE], 0);
	assert_false(disarmed_now(key(SHORT)));
	assert_true(disarmed_ever(key(SHORT)));
	thread_end(&thread);
}

/* Nothing is disarmed where there is no byte to clear, and nobody's calls end unseen. */
static void test_without_a_byte(void **state)
{
	uint8_t nobodys = 1;

	(void)state;
	assert_false(disarmed_add(key(LONG), 0, 5));
	assert_false(disarmed_ever(key(LONG)));
	assert_false(disarmed_add(key(LONG), (uint64_t)&nobodys, 5));
	assert_false(disarmed_ever(key(LONG)));
	assert_false(disarmed_add_site((uint64_t)&nobodys));
	assert_int_equal(nobodys, 1);
	file.arm[LONG] = 0;
	assert_false(disarmed_add(key(LONG), (uint64_t)&file.arm[LONG], 5));
	assert_false(disarmed_ever(key(LONG)));
	assert_int_equal(noted, 0);
}

/* Each module's bytes are judged by its own counters; what has none stays as it is. */
static void test_counters_of_modules(void **state)
{
	struct thread thread;

	(void)state;
	second.module = (struct tare_module){
		.abi = TARE_MODULE_ABI,
		.function_count = BYTES,
		.arm_offset = (char *)second.arm - (char *)&second.module,
		.counter_count = BYTES,
		.counted_offset = (char *)second.counted - (char *)&second.module};
	memset(second.arm, 0, sizeof(second.arm));
	arming_add(&second.module);
	file.module.counter_count = SITE;
	assert_true(disarmed_start(&file.module, SHORT));
	assert_true(disarmed_start(&file.module, SITE));
	assert_true(disarmed_start(&second.module, SHORT));
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	look(&thread, 1, 0);
	for (int i = 0; i < PHASES_LOOKS; i++) {
		counted[SITE] += 10;
		look(&thread, 1, 10);
	}
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	assert_int_equal(file.arm[SITE], 0);
	assert_int_equal(second.arm[SHORT], 0);
	arming_remove(&second.module);
	thread_end(&thread);
}

/* Where nothing is counted, as in a process without room for it, nothing may stay untimed. */
static void test_process_without_counters(void **state)
{
	(void)state;
	assert_true(disarmed_start(&file.module, SHORT));
	assert_true(disarmed_start(&file.module, LONG));
	adapt_begin_process();
	assert_int_equal(file.arm[SHORT], 0);
	counted_nowhere = true;
	state_session.settings.adaptive_percent = 0;
	adapt_begin_process();
	assert_int_equal(file.arm[SHORT], 0);
	state_session.settings.adaptive_percent = 100;
	adapt_begin_process();
	assert_int_equal(file.arm[SHORT], TARE_ARMED);
	assert_int_equal(file.arm[LONG], TARE_ARMED);
	assert_int_equal(noted, 2);
	assert_int_equal(noted_what[1], TARE_DISARM_TAKEN_BACK);
	assert_int_equal(renewals, 1);
}

/* A busy thread is judged less and less often. */
static void test_pauses(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	judge(&thread);
	const uint64_t first = thread.adapt.pause_ticks;

	assert_in_range(thread.adapt.due_ticks, thread.ticks + 1, thread.ticks + first);
	judge(&thread);
	assert_int_equal(thread.adapt.pause_ticks, 2 * first);
	for (int i = 0; i < 20; i++)
		judge(&thread);
	assert_in_range(thread.adapt.pause_ticks, 2 * first, 8 * first);
	thread_end(&thread);
}

/* The time of thousands of nodes is added up only where that may save more than it takes. */
static void test_judging_pays(void **state)
{
	enum { PATHS = NODES_MAX - 8 };
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	judge(&thread);
	for (int i = 0; i < PATHS; i++)
		apply(&thread,
		      (struct accumulate_event){.kind = TARE_EVENT_ENTER,
						.key = key(LONG) + 64 + 64 * (uint64_t)i,
						.stub = stub(LONG),
						.sp = SP_TOP - 128},
		      1, false),
			leave(&thread, 1, 2, false);
	judge(&thread);
	assert_int_equal(thread.file->node_count > PATHS, true);
	const uint64_t due = thread.adapt.due_ticks;

	judge(&thread);
	assert_int_equal(thread.adapt.due_ticks, due); /* nothing was taken since */
	thread.file->lost_ticks += 8192ULL * PATHS;
	thread.ticks += 8192ULL * PATHS;
	judge(&thread);
	assert_int_not_equal(thread.adapt.due_ticks, due);
	thread_end(&thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_without_time_of_the_system),
		TEST(test_short_and_dear),
		TEST(test_rare_ones_are_kept),
		TEST(test_off_by_default),
		TEST(test_top_of_another_thread),
		TEST(test_below_another_call),
		TEST(test_end_on_its_way),
		TEST(test_recursion),
		TEST(test_call_through_pointer),
		TEST(test_call_of_several),
		TEST(test_call_of_what_reports_itself),
		TEST(test_forgotten),
		TEST(test_budget),
		TEST(test_of_late),
		TEST(test_what_waits_is_timed),
		TEST(test_waits_in_progress),
		TEST(test_phases),
		TEST(test_end_of_what_is_timed_again),
		TEST(test_disarmed_from_the_start),
		TEST(test_without_a_byte),
		TEST(test_counters_of_modules),
		TEST(test_process_without_counters),
		TEST(test_pauses),
		TEST(test_judging_pays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
