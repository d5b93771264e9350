/* What a program needs is known, and its original skipped, only after a process has executed that.
 */
#include "cache/children.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/bin/sleep", other_path[] = "/bin/cat";
static const struct instrumented file = {.path = path}, other = {.path = other_path};

/* A process with this environment; it lives until it is killed. */
static pid_t start(char *variable)
{
	char *arguments[] = {path, "60", NULL}, *environment[] = {variable, NULL};
	int ends[2];
	char byte;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	const pid_t pid = fork();
	if (!pid) {
		execve(path, arguments, environment);
		_exit(127);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void ask(struct children *children, char *variable)
{
	const pid_t pid = start(variable);

	assert_int_equal(children_static_tls_bytes(children, &file, pid), 0);
	end(pid);
}

static void test_originals_are_skipped_once_they_were_executed(void **state)
{
	struct children children = {0};
	uint64_t bytes = 1;

	(void)state;
	assert_false(children_may_skip(&children, &file, &bytes));
	ask(&children, "USER=me");
	assert_true(children_may_skip(&children, &file, &bytes));
	assert_int_equal(bytes, 0);
	assert_false(children_may_skip(&children, &other, &bytes));
	children_fini(&children);
}

static void test_variables_of_the_loader_are_another_case(void **state)
{
	struct children children = {0};
	uint64_t bytes;

	(void)state;
	ask(&children, "LD_LIBRARY_PATH=/nowhere");
	assert_false(children_may_skip(&children, &file, &bytes));
	ask(&children, "LD_PRELOAD=");
	assert_false(children_may_skip(&children, &file, &bytes));
	ask(&children, "LD_PRELOAD=");
	assert_int_equal(children.programs.len, 2);
	ask(&children, "PRELOAD=");
	assert_true(children_may_skip(&children, &file, &bytes));
	assert_int_equal(children.programs.len, 3);
	children_fini(&children);
}

static void test_what_is_needed_is_told_again(void **state)
{
	struct children children = {0};
	uint64_t bytes = 0;

	(void)state;
	ask(&children, "USER=me");
	children.programs.data[0].static_tls_bytes = 4711;
	const pid_t pid = start("USER=you");
	assert_int_equal(children_static_tls_bytes(&children, &file, pid), 4711);
	end(pid);
	assert_true(children_may_skip(&children, &file, &bytes));
	assert_int_equal(bytes, 4711);
	children.programs.data[0].same_rights = false;
	assert_false(children_may_skip(&children, &file, &bytes));
	children_fini(&children);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_originals_are_skipped_once_they_were_executed),
		cmocka_unit_test(test_variables_of_the_loader_are_another_case),
		cmocka_unit_test(test_what_is_needed_is_told_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
