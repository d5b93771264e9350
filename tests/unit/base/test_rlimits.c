/* Limits of resources: raised for this process, given back to programs, and stacks that suffice. */
#include "base/rlimits.h"

#include "base/parallel.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/in_child.h"

static const __rlimit_resource_t resources[] = {RLIMIT_AS,    RLIMIT_CPU,    RLIMIT_DATA,
						RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC,
						RLIMIT_STACK};

enum { RESOURCES = sizeof(resources) / sizeof(resources[0]), MARK_STEP = 256 };

static void lower(__rlimit_resource_t resource, rlim_t soft)
{
	struct rlimit limit;

	getrlimit(resource, &limit);
	limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
	setrlimit(resource, &limit);
}

static int check_raised_and_given_back(void)
{
	struct rlimit given[RESOURCES], now;
	struct sigaction action;

	lower(RLIMIT_FSIZE, 1000);
	lower(RLIMIT_STACK, 256 << 10);
	lower(RLIMIT_NOFILE, 100);
	lower(RLIMIT_CPU, 50);
	lower(RLIMIT_AS, 1ULL << 34);
	for (size_t i = 0; i < RESOURCES; i++)
		getrlimit(resources[i], &given[i]);
	rlimits_raise();
	for (size_t i = 0; i < RESOURCES; i++) {
		getrlimit(resources[i], &now);
		const rlim_t least = resources[i] == RLIMIT_STACK	 ? RLIMITS_STACK_BYTES
				     : given[i].rlim_max < RLIM_INFINITY ? given[i].rlim_max
									 : 1ULL << 40;
		if (resources[i] != RLIMIT_NOFILE && now.rlim_cur < least &&
		    now.rlim_cur < given[i].rlim_max)
			return 1;
		if (now.rlim_max < given[i].rlim_max)
			return 2;
	}
	rlimits_give_back();
	for (size_t i = 0; i < RESOURCES; i++) {
		getrlimit(resources[i], &now);
		if (memcmp(&now, &given[i], sizeof(now)) != 0)
			return 3;
	}
	sigaction(SIGXFSZ, NULL, &action);
	return action.sa_handler == SIG_DFL ? 0 : 4;
}

static void test_raised_and_given_back(void **state)
{
	(void)state;
	assert_int_equal(in_child(check_raised_and_given_back), 0);
}

static int check_signal_of_large_files(void)
{
	const struct rlimit none = {0};
	FILE *file = tmpfile();

	rlimits_raise();
	setrlimit(RLIMIT_FSIZE, &none);
	return !file || write(fileno(file), "x", 1) != -1;
}

static void test_too_large_files_are_errors(void **state)
{
	(void)state;
	assert_int_equal(in_child(check_signal_of_large_files), 0);
}

/* Touches some MiB of stack. */
static int use_stack(void *context)
{
	enum { USED_BYTES = 6 << 20 };
	volatile char used[USED_BYTES];

	(void)context;
	for (size_t i = USED_BYTES; i > 0; i -= MARK_STEP)
		used[i - 1] = 1;
	return used[USED_BYTES - 1] + 6;
}

/* As a process that may not have more: with a hard limit. A privileged one may. */
static int check_small_stack(void)
{
	const struct rlimit small = {.rlim_cur = 256 << 10, .rlim_max = 256 << 10};

	setrlimit(RLIMIT_STACK, &small);
	return rlimits_run_with_stack(use_stack, NULL) != 7;
}

static void test_stack_where_the_own_may_not_grow(void **state)
{
	(void)state;
	assert_int_equal(in_child(check_small_stack), 0);
}

static void *use_thread_stack(void *result)
{
	*(int *)result = use_stack(NULL);
	return NULL;
}

static void test_stack_of_threads(void **state)
{
	pthread_t thread;
	int result = 0;

	(void)state;
	/* The C library's own default is that of the limit when the process began. */
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 256 << 10);
	pthread_setattr_default_np(&small);
	pthread_attr_destroy(&small);
	assert_true(parallel_start_thread(&thread, use_thread_stack, &result));
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(result, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_raised_and_given_back),
		cmocka_unit_test(test_too_large_files_are_errors),
		cmocka_unit_test(test_stack_where_the_own_may_not_grow),
		cmocka_unit_test(test_stack_of_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
