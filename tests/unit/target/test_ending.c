/* How processes ended that are not waited for: before and after somebody collects them. */
#include "target/ending.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Uses some CPU time and ends as it is told: by a signal, or with a status. */
static pid_t start(int status, int signal_number, int *pid_fd)
{
	const pid_t pid = fork();

	if (pid == 0) {
		for (volatile long i = 0; i < 20000000; i++)
			;
		if (signal_number)
			raise(signal_number);
		_exit(status);
	}
	assert_true(pid > 0);
	*pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	assert_true(*pid_fd >= 0);
	struct pollfd fd = {.fd = *pid_fd, .events = POLLIN};
	assert_int_equal(poll(&fd, 1, 60000), 1);
	return pid;
}

static bool kernel_tells_of_collected(void)
{
	struct utsname system;
	int major = 0, minor = 0;

	assert_int_equal(uname(&system), 0);
	assert_int_equal(sscanf(system.release, "%d.%d", &major, &minor), 2);
	return major > 6 || (major == 6 && minor >= 15);
}

static void check(int status, int signal_number)
{
	struct ending ending;
	int pid_fd, collected;
	const pid_t pid = start(status, signal_number, &pid_fd);

	ending_read(pid, pid_fd, &ending);
	assert_true(ending.known && ending.cpu_known);
	assert_true(ending.cpu_ns > 1000000 && ending.cpu_ns < 60000000000);
	assert_int_equal(ending.descendants_cpu_ns, 0);
	assert_true(ending_is_past(pid));
	assert_int_equal(waitpid(pid, &collected, 0), pid);
	assert_int_equal(ending.wait_status, collected);

	/* Its number may be another process's by now. */
	const pid_t numbers[] = {pid, getpid()};
	for (size_t i = 0; i < 2; i++) {
		ending_read(numbers[i], pid_fd, &ending);
		assert_int_equal(ending.known, kernel_tells_of_collected());
		assert_int_equal(ending.wait_status, ending.known ? collected : 0);
		assert_false(ending.cpu_known);
	}
	assert_true(ending_is_past(pid));
	close(pid_fd);
}

static void statuses_and_signals(void **state)
{
	(void)state;
	check(0, 0);
	check(7, 0);
	check(0, SIGKILL);
	check(0, SIGTERM);
}

static void the_living_have_not_ended(void **state)
{
	struct ending ending;
	const int pid_fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	(void)state;
	ending_read(getpid(), pid_fd, &ending);
	assert_false(ending.known || ending.cpu_known);
	assert_false(ending_is_past(getpid()));
	close(pid_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses_and_signals),
		cmocka_unit_test(the_living_have_not_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
