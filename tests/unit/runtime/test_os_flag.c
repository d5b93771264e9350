/*
 * The OS flag against what the kernel itself counted: every switch, fault, signal and system call
 * marks its interval, and no more intervals are marked than the kernel had occasions.
 * Arguments: the runtime, the fixture.
 */
#include "tests/support/probed_session.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MARKS_ASIDE = 20 }; /* of what a part does beside its loop */

struct part {
	unsigned long key, interrupts;
	long count, voluntary, involuntary, faults;
	/* Intervals of its node: by cause, waits beside what else there was of them; and each once.
	 */
	uint64_t marked[TARE_OS_CAUSES], all;
	uint64_t by_syscall; /* of these, with the system call's number */
};

static struct probed_session session;

static int session_begin(void **state)
{
	(void)state;
	probed_session_run(&session, "os");
	probed_thread_check(session.threads[0]);
	return 0;
}

static int session_finish(void **state)
{
	(void)state;
	probed_session_end(&session);
	return 0;
}

static struct part part_in(const struct probed_session *run, const char *name,
			   unsigned syscall_number)
{
	const struct tare_thread_file *thread = run->threads[0];
	const struct tare_os_record *records = probed_os(thread);
	struct part part = {0};
	char line[64];

	snprintf(line, sizeof(line), "\n%s ", name);
	const char *at = strstr(run->output, line);

	assert_non_null(at);
	assert_int_equal(
		sscanf(at + strlen(line),
		       "%lx count %ld voluntary %ld involuntary %ld faults %ld interrupts %lu",
		       &part.key, &part.count, &part.voluntary, &part.involuntary, &part.faults,
		       &part.interrupts),
		6);
	for (uint64_t i = 0; i < thread->os_count; i++) {
		if (probed_nodes(thread)[records[i].node].key != part.key ||
		    records[i].cause == TARE_RECORD_WAITS)
			continue;
		assert_true(records[i].cause < TARE_OS_CAUSES);
		part.marked[records[i].cause] += records[i].count;
		if (records[i].cause == TARE_OS_BLOCKED || records[i].cause == TARE_OS_PREEMPTED)
			continue;
		part.all += records[i].count;
		if (records[i].syscall_number == syscall_number)
			part.by_syscall += records[i].count;
	}
	return part;
}

static struct part part_of(const char *name, unsigned syscall_number)
{
	return part_in(&session, name, syscall_number);
}

/* At most one mark more per occasion of the kernel that the part did not ask for itself. */
static void assert_marks(const struct part *part, uint64_t expected)
{
	const uint64_t other = part->interrupts + (uint64_t)part->involuntary + MARKS_ASIDE;

	assert_in_range(part->all, expected, expected + other);
}

static void test_means(void **state)
{
	(void)state;
	assert_true(session.processes[0]->os_means & TARE_OS_BY_SITES);
	if (session.processes[0]->os_means !=
	    (TARE_OS_BY_SELECTOR | TARE_OS_BY_RSEQ | TARE_OS_BY_SITES))
		print_message("this host lacks a means: %u\n", session.processes[0]->os_means);
}

static void test_system_calls(void **state)
{
	const struct part part = part_of("system_calls", SYS_getppid);

	(void)state;
	assert_marks(&part, (uint64_t)part.count);
	assert_in_range(part.by_syscall,
			(uint64_t)part.count - (uint64_t)part.faults - (uint64_t)part.involuntary,
			(uint64_t)part.count);
}

/*
 * A sleep whose time is over before the thread has gone to sleep does not switch, and what the
 * program counts begins and ends a little outside of what the marks are about.
 */
static void assert_blocked(const struct part *part)
{
	assert_true(part->voluntary >= part->count / 2);
	assert_in_range(part->marked[TARE_OS_BLOCKED] + MARKS_ASIDE, part->voluntary,
			part->voluntary + 2 * MARKS_ASIDE);
}

static void test_blocked(void **state)
{
	const struct part part = part_of("sleeps", SYS_nanosleep);

	(void)state;
	assert_marks(&part, (uint64_t)part.count);
	assert_blocked(&part);
	assert_in_range(part.by_syscall,
			(uint64_t)part.count - (uint64_t)part.faults - (uint64_t)part.involuntary,
			(uint64_t)part.count);
}

static void test_blocked_without_site(void **state)
{
	const struct part part = part_of("unseen_sleeps", SYS_nanosleep);

	(void)state;
	if (!(session.processes[0]->os_means & TARE_OS_BY_RSEQ))
		skip();
	assert_blocked(&part);
	assert_int_equal(part.by_syscall, 0);
}

static void test_faults(void **state)
{
	const struct part part = part_of("faults", SYS_getppid);

	(void)state;
	if (!(session.processes[0]->os_means & TARE_OS_BY_SELECTOR))
		skip();
	assert_marks(&part, (uint64_t)part.count);
	assert_true(part.marked[TARE_OS_MINOR_FAULT] + part.marked[TARE_OS_MAJOR_FAULT] +
			    (uint64_t)part.involuntary + (uint64_t)part.voluntary >=
		    (uint64_t)part.count);
}

static void test_signals(void **state)
{
	const struct part part = part_of("raises", SYS_getppid);

	(void)state;
	if (!(session.processes[0]->os_means & TARE_OS_BY_SELECTOR))
		skip();
	assert_marks(&part, (uint64_t)part.count);
}

static void test_nothing_false(void **state)
{
	const struct part part = part_of("quiet", SYS_getppid);

	(void)state;
	assert_marks(&part, 0);
	assert_int_equal(part.marked[TARE_OS_SYSCALL], 0);
	assert_true(part.marked[TARE_OS_BLOCKED] <= (uint64_t)part.voluntary + MARKS_ASIDE);
	assert_true(part.marked[TARE_OS_PREEMPTED] <= (uint64_t)part.involuntary + MARKS_ASIDE);
}

/* Another process wants the same processor all the time. */
static void test_preempted(void **state)
{
	const int processor = sched_getcpu();
	cpu_set_t before, one;
	struct probed_session run;

	(void)state;
	CPU_ZERO(&one);
	CPU_SET(processor, &one);
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	const pid_t other = fork();
	while (!other)
		;
	probed_session_run(&run, "preempted");
	kill(other, SIGKILL);
	assert_int_equal(waitpid(other, NULL, 0), other);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	const struct part part = part_in(&run, "preempted", SYS_getppid);
	assert_true(part.involuntary >= part.count);
	assert_in_range(part.marked[TARE_OS_PREEMPTED] + MARKS_ASIDE / 2, part.involuntary,
			part.involuntary + MARKS_ASIDE);
	assert_int_equal(part.by_syscall, 0);
	probed_session_end(&run);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_means),	      cmocka_unit_test(test_system_calls),
		cmocka_unit_test(test_blocked),	      cmocka_unit_test(test_blocked_without_site),
		cmocka_unit_test(test_faults),	      cmocka_unit_test(test_signals),
		cmocka_unit_test(test_nothing_false), cmocka_unit_test(test_preempted),
	};

	if (!probed_session_arguments(argc, argv))
		return 2;
	return cmocka_run_group_tests(tests, session_begin, session_finish);
}
