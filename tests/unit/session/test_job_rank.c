/* Which rank of a job a process is: by its launcher's variables, of another process, too. */
#include "session/job_rank.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct tare_rank of(const char *const *environment)
{
	struct tare_rank_scan scan = {0};

	for (; *environment; environment++)
		tare_rank_take(&scan, *environment);
	return tare_rank_of(&scan);
}

static void expect(const char *const *environment, uint32_t launcher, uint32_t rank, uint32_t size)
{
	const struct tare_rank is = of(environment);

	assert_int_equal(is.launcher, launcher);
	assert_int_equal(is.rank, rank);
	assert_int_equal(is.size, size);
}

#define ENVIRONMENT(...)                                                                           \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

static void test_launchers(void **state)
{
	(void)state;
	expect(ENVIRONMENT("PATH=/bin", "PMI_RANK=3", "PMI_SIZE=4"), TARE_LAUNCHER_PMI, 3, 4);
	expect(ENVIRONMENT("SLURM_NTASKS=64", "SLURM_PROCID=0", "SLURM_STEP_ID=0"),
	       TARE_LAUNCHER_SLURM, 0, 64);
	expect(ENVIRONMENT("MV2_COMM_WORLD_RANK=1"), TARE_LAUNCHER_MVAPICH, 1, 0);
	expect(ENVIRONMENT("PATH=/bin", "PMI_SIZE=4"), TARE_LAUNCHER_NONE, 0, 0);
	/* mpirun in an allocation, whose own task is another one, and of another number */
	expect(ENVIRONMENT("SLURM_PROCID=0", "SLURM_NTASKS=2", "OMPI_COMM_WORLD_RANK=5",
			   "PMIX_RANK=5", "OMPI_COMM_WORLD_SIZE=8"),
	       TARE_LAUNCHER_OPEN_MPI, 5, 8);
	/* Slurm's own PMIx */
	expect(ENVIRONMENT("SLURM_PROCID=5", "SLURM_NTASKS=6", "SLURM_STEP_ID=1", "PMIX_RANK=5"),
	       TARE_LAUNCHER_PMIX, 5, 6);
	expect(ENVIRONMENT("SLURM_PROCID=4", "SLURM_NTASKS=6", "SLURM_STEP_ID=1", "PMIX_RANK=5"),
	       TARE_LAUNCHER_PMIX, 5, 0);
}

/* A batch script, what it starts by another launcher, and the shell of salloc. */
static void test_outside_of_steps(void **state)
{
	(void)state;
	expect(ENVIRONMENT("SLURM_PROCID=0", "SLURM_NTASKS=4"), TARE_LAUNCHER_NONE, 0, 0);
	expect(ENVIRONMENT("SLURM_PROCID=0", "SLURM_NTASKS=4", "PMIX_RANK=0"), TARE_LAUNCHER_PMIX,
	       0, 0);
	expect(ENVIRONMENT("SLURM_PROCID=0", "SLURM_NTASKS=4", "SLURM_STEP_ID=4294967290"),
	       TARE_LAUNCHER_NONE, 0, 0);
}

static void test_what_is_no_number(void **state)
{
	static const char *const entries[] = {"PMI_RANK=",     "PMI_RANK=-1",	      "PMI_RANK=1x",
					      "PMI_RANK=../1", "PMI_RANK=1234567890", "PMI_RANKS=1",
					      "PMI_RANK",      "XPMI_RANK=1"};

	(void)state;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		expect(ENVIRONMENT(entries[i]), TARE_LAUNCHER_NONE, 0, 0);
	expect(ENVIRONMENT("PMI_RANK=123456789"), TARE_LAUNCHER_PMI, 123456789, 0);
}

/* Waits until the process has executed what it is to execute: a pipe is closed by that. */
static pid_t start(char *const *environment)
{
	char *const words[] = {"sleep", "60", NULL};
	int ends[2];
	char byte;

	assert_int_equal(pipe(ends), 0);
	const pid_t pid = fork();
	if (!pid) {
		close(ends[0]);
		if (fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0)
			execve("/bin/sleep", words, environment);
		_exit(127);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	return pid;
}

static struct tare_rank rank_of_started(char *const *environment)
{
	const pid_t pid = start(environment);
	struct tare_rank rank;

	/* The pipe is closed before the environment is there. */
	while (!job_rank_of((uint32_t)pid, &rank))
		assert_int_equal(usleep(1000), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return rank;
}

static void test_another_process(void **state)
{
	char *const ranked[] = {"HOME=/", "OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=12",
				NULL};
	char *const plain[] = {"HOME=/", NULL};

	(void)state;
	const struct tare_rank rank = rank_of_started(ranked);
	assert_int_equal(rank.launcher, TARE_LAUNCHER_OPEN_MPI);
	assert_int_equal(rank.rank, 2);
	assert_int_equal(rank.size, 12);
	assert_int_equal(rank_of_started(plain).launcher, TARE_LAUNCHER_NONE);
}

/* Of no process, and of one that has no environment, as in the middle of an execve. */
static void test_no_environment(void **state)
{
	char *const none[] = {NULL};
	struct tare_rank rank = {.launcher = TARE_LAUNCHER_PMI};
	const pid_t pid = start(none);

	(void)state;
	assert_false(job_rank_of((uint32_t)pid, &rank));
	assert_int_equal(rank.launcher, TARE_LAUNCHER_NONE);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	rank.launcher = TARE_LAUNCHER_PMI;
	assert_false(job_rank_of(0, &rank));
	assert_int_equal(rank.launcher, TARE_LAUNCHER_NONE);
}

/* What stands beyond the first 256 KiB is not read, and no part of a number taken for one. */
static void test_large_environment(void **state)
{
	enum { LIMIT = 256 << 10, PIECE = 64 << 10 };
	static char pieces[4][PIECE];
	char rank[] = "PMI_RANK=123456";
	char *environment[] = {pieces[0], pieces[1], pieces[2], pieces[3], rank, NULL};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		memset(pieces[i], 'x', PIECE - 1);
		memcpy(pieces[i], "A=", 2);
	}
	assert_int_equal(rank_of_started(environment).launcher, TARE_LAUNCHER_NONE);
	/* The limit in the middle of the number. */
	pieces[3][PIECE - 1 - 12] = 0;
	assert_int_equal(rank_of_started(environment).launcher, TARE_LAUNCHER_NONE);
	pieces[3][PIECE - 1 - 16] = 0;
	assert_int_equal(rank_of_started(environment).rank, 123456);
}

static void test_own(void **state)
{
	(void)state;
	setenv("OMPI_COMM_WORLD_RANK", "7", 1);
	setenv("OMPI_COMM_WORLD_SIZE", "9", 1);
	assert_int_equal(job_rank_own().rank, 7);
	assert_string_equal(job_rank_launcher(job_rank_own().launcher), "Open MPI");
	assert_null(job_rank_launcher(TARE_LAUNCHER_NONE));
	assert_null(job_rank_launcher(TARE_LAUNCHERS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_launchers),
		cmocka_unit_test(test_outside_of_steps),
		cmocka_unit_test(test_what_is_no_number),
		cmocka_unit_test(test_another_process),
		cmocka_unit_test(test_no_environment),
		cmocka_unit_test(test_large_environment),
		cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
