/*
 * The timer between ticks: what starts and stops it, and not on the way to a system call; where the
 * call is that a probe stands before; and that time which the thread did not run is given again.
 * The timer is the kernel's, set to so long that it never passes.
 */
#include "runtime/timer/timer_thread.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND_NS 1000000000ULL
#define ELSEWHERE 0x10000ULL /* code of the program */

enum { RETURN_WORD = 10, WORDS = 32, STUB_BYTES = 32 };

struct timer_state timer_state;

static struct timer_thread thread;
static uint64_t words[WORDS]; /* registers at a probe, and what is above them */
static uint8_t stub[STUB_BYTES];
static bool cannot_wait;

bool timer_call_cannot_wait(const struct probes_registers *registers, uint32_t *files)
{
	assert_ptr_equal(registers, words);
	assert_ptr_equal(files, &thread.between.files);
	return cannot_wait;
}

uint64_t timer_delay_draw(uint64_t *random, uint64_t mean_ns)
{
	assert_ptr_equal(random, &thread.random);
	return 2 * mean_ns;
}

/* lea 128(%rsp),%rsp; jmp +1000 */
static const uint8_t end[] = {0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0, 0xe9, 0xe8, 3, 0, 0};

static int set_up(void **state)
{
	struct sigevent never = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};

	(void)state;
	memset(&thread, 0, sizeof(thread));
	memset(stub, 0, sizeof(stub));
	memcpy(stub, end, sizeof(end));
	words[RETURN_WORD] = (uint64_t)stub;
	cannot_wait = false;
	timer_state.between_mean_ns = 500 * SECOND_NS;
	thread.between.has_timer = true;
	thread.probe = (struct timer_probe){.call = ELSEWHERE + 100, .back = ELSEWHERE + 200};
	return (int)syscall(SYS_timer_create, CLOCK_MONOTONIC, &never, &thread.between.timer);
}

static int tear_down(void **state)
{
	(void)state;
	return (int)syscall(SYS_timer_delete, thread.between.timer);
}

/* What the kernel's timer has left, in whole seconds and one more; 0 when it stands. */
static uint64_t left_seconds(void)
{
	struct timer_interval times = {0};

	assert_int_equal(syscall(SYS_timer_gettime, thread.between.timer, &times), 0);
	assert_int_equal(times.interval.tv_sec, 0);
	return times.first.tv_sec || times.first.tv_nsec ? (uint64_t)times.first.tv_sec + 1 : 0;
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static void stop(void)
{
	timer_between_stop(&thread, (const struct probes_registers *)words);
}

/* Whether a tick at that place starts it. */
static bool starts(struct timer_context context)
{
	thread.between.runs = false;
	timer_between_start(&thread, &context);
	return thread.between.runs;
}

/* ---- the place of a system call ---- */

static void test_place_of_the_call(void **state)
{
	(void)state;
	stop();
	assert_int_equal(thread.probe.call, (uint64_t)stub + sizeof(end) + 1000);
	assert_int_equal(thread.probe.back, (uint64_t)stub);
	assert_int_equal(thread.probe.sp, (uint64_t)words);
	/* behind popf, and backwards */
	stub[16] = 0x9d;
	memcpy(stub + 17, end, sizeof(end));
	memset(stub + 17 + 9, 0xff, 4);
	words[RETURN_WORD] = (uint64_t)(stub + 16);
	stop();
	assert_int_equal(thread.probe.call, (uint64_t)stub + 17 + sizeof(end) - 1);
	assert_int_equal(thread.probe.back, (uint64_t)stub + 16);
}

static void test_place_of_other_code(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(end) - 4; i++) {
		thread.probe.back = 0;
		thread.probe.call = 1;
		stub[i] ^= 1;
		stop();
		assert_int_equal(thread.probe.call, 0);
		stub[i] ^= 1;
	}
	/* Without a timer nobody asks. */
	thread.between.has_timer = false;
	thread.probe = (struct timer_probe){0};
	stop();
	assert_int_equal(thread.probe.back, 0);
}

/* ---- starting and stopping ---- */

static void test_system_calls_stop_it(void **state)
{
	(void)state;
	assert_true(starts((struct timer_context){.rip = ELSEWHERE}));
	assert_int_equal(left_seconds(), 1000);
	cannot_wait = true;
	stop();
	assert_true(thread.between.runs);
	assert_int_equal(left_seconds(), 1000);
	cannot_wait = false;
	stop();
	assert_false(thread.between.runs);
	assert_int_equal(left_seconds(), 0);
}

static void test_what_does_not_start_it(void **state)
{
	const struct timer_context elsewhere = {.rip = ELSEWHERE};

	(void)state;
	timer_state.between_mean_ns = 0;
	assert_false(starts(elsewhere));
	timer_state.between_mean_ns = 500 * SECOND_NS;
	thread.between.has_timer = false;
	assert_false(starts(elsewhere));
	thread.between.has_timer = true;
	thread.probe.call = 0; /* not known */
	assert_false(starts(elsewhere));
	assert_int_equal(left_seconds(), 0);
	/* One that runs goes on. */
	thread.between.runs = true;
	timer_between_start(&thread, &elsewhere);
	assert_int_equal(left_seconds(), 0);
}

/* Between the probe and the call, and before a call that the kernel makes again. */
static void test_on_the_way_to_a_call(void **state)
{
	const uint64_t call = thread.probe.call, back = thread.probe.back;

	(void)state;
	assert_false(starts((struct timer_context){.rip = call}));
	assert_true(starts((struct timer_context){.rip = call + 2}));
	assert_false(starts((struct timer_context){.rip = back}));
	assert_false(starts((struct timer_context){.rip = back + 15}));
	assert_true(starts((struct timer_context){.rip = back + 16}));
	assert_true(starts((struct timer_context){.rip = back - 1}));
	assert_false(starts((struct timer_context){.rip = ELSEWHERE, .rcx = ELSEWHERE + 2}));
	assert_true(starts((struct timer_context){.rip = ELSEWHERE, .rcx = ELSEWHERE + 3}));
}

/* In tare's own code for that probe, which is below it on the stack; not for another one. */
static void test_in_the_runtime(void **state)
{
	const uint64_t own = (uint64_t)&starts;

	(void)state;
	thread.probe.sp = 0x7fff00000000;
	assert_false(starts((struct timer_context){.rip = own, .rsp = thread.probe.sp - 65535}));
	assert_true(starts((struct timer_context){.rip = own, .rsp = thread.probe.sp - 65536}));
	assert_true(starts((struct timer_context){.rip = own, .rsp = thread.probe.sp + 8}));
}

/* ---- when it has passed ---- */

/* Whether it is a sample where the thread has run so long of a delay. */
static bool passed(uint64_t ran_ns, uint64_t delay_ns, uint64_t rip)
{
	const struct timer_context context = {.rip = rip};

	thread.between.runs = true;
	thread.between.delay_ns = delay_ns;
	thread.between.begin_cpu_ns = cpu_ns() - ran_ns;
	return timer_between_passed(&thread, &context);
}

static void test_passed(void **state)
{
	(void)state;
	assert_true(passed(100 * SECOND_NS, 100 * SECOND_NS, ELSEWHERE));
	assert_false(thread.between.runs);
	/* The clocks may differ by an eighth. */
	assert_true(passed(88 * SECOND_NS, 100 * SECOND_NS, ELSEWHERE));
	assert_int_equal(left_seconds(), 0);
	/* What it has waited for a processor is given again. */
	assert_false(passed(60 * SECOND_NS, 100 * SECOND_NS, ELSEWHERE));
	assert_true(thread.between.runs);
	assert_in_range(left_seconds(), 39, 40);
	assert_in_range(thread.between.delay_ns, 39 * SECOND_NS, 40 * SECOND_NS);
	assert_in_range(cpu_ns() - thread.between.begin_cpu_ns, 0, SECOND_NS);
}

static void test_passed_on_the_way_to_a_call(void **state)
{
	const struct timer_context context = {.rip = ELSEWHERE};

	(void)state;
	assert_false(passed(60 * SECOND_NS, 100 * SECOND_NS, thread.probe.call));
	assert_false(thread.between.runs);
	assert_int_equal(left_seconds(), 0);
	/* It was stopped too late. */
	thread.between.begin_cpu_ns = 0;
	thread.between.delay_ns = 0;
	assert_false(timer_between_passed(&thread, &context));
}

int main(void)
{
#define BETWEEN_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		BETWEEN_TEST(test_place_of_the_call),
		BETWEEN_TEST(test_place_of_other_code),
		BETWEEN_TEST(test_system_calls_stop_it),
		BETWEEN_TEST(test_what_does_not_start_it),
		BETWEEN_TEST(test_on_the_way_to_a_call),
		BETWEEN_TEST(test_in_the_runtime),
		BETWEEN_TEST(test_passed),
		BETWEEN_TEST(test_passed_on_the_way_to_a_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
