/* A check in a process of its own, which may change what belongs to the process. */
#ifndef TARE_TESTS_SUPPORT_IN_CHILD_H
#define TARE_TESTS_SUPPORT_IN_CHILD_H

#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* What `check` returned: by convention 0, or a number that tells which of its conditions failed. */
static inline int in_child(int (*check)(void))
{
	int status;
	const pid_t pid = fork();

	if (pid == 0)
		_exit(check());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#endif
