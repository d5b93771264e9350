/*
 * What the parts of a recorded switch of threads cost on this machine, in ns; for bench/switches.
 *
 * Where the kernel sets the base of %gs by a write to a model-specific register, as it does without
 * the instructions for it (FSGSBASE), a thread that has one makes each switch to it longer. In a
 * virtual machine such a write may lead to the hypervisor.
 */
#include <asm/prctl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 100000, TURNS = 50000, ROUNDS = 5 };

#define HWCAP2_FSGSBASE 2

struct ends {
	int to_read, to_write;
	bool begins, with_base;
};

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void call_kernel(void)
{
	syscall(SYS_getppid);
}

static void read_counters(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
}

static void read_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
}

static double each_ns(void (*part)(void))
{
	double least = 1e18;

	for (int round = 0; round < ROUNDS; round++) {
		const double begin = now_ns();

		for (int i = 0; i < CALLS; i++)
			part();
		const double taken = (now_ns() - begin) / CALLS;
		least = taken < least ? taken : least;
	}
	return least;
}

static void *pass(void *ends_at)
{
	static _Thread_local char base[64];
	const struct ends *ends = ends_at;
	char byte = 0;

	if (ends->with_base)
		syscall(SYS_arch_prctl, ARCH_SET_GS, base);
	for (int i = 0; i < TURNS; i++) {
		if (!ends->begins && read(ends->to_read, &byte, 1) != 1)
			break;
		if (write(ends->to_write, &byte, 1) != 1)
			break;
		if (ends->begins && read(ends->to_read, &byte, 1) != 1)
			break;
	}
	return NULL;
}

static double turns_ns(bool with_base)
{
	int there[2], back[2];
	pthread_t threads[2];

	if (pipe(there) != 0 || pipe(back) != 0)
		return 0;
	struct ends ends[2] = {{back[0], there[1], true, with_base},
			       {there[0], back[1], false, with_base}};
	const double begin = now_ns();

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, pass, &ends[i]) != 0)
			return 0;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	const double taken = now_ns() - begin;
	for (int i = 0; i < 2; i++) {
		close(there[i]);
		close(back[i]);
	}
	return taken / (2.0 * TURNS);
}

static double switch_ns(bool with_base)
{
	double least = 1e18;

	for (int round = 0; round < ROUNDS; round++) {
		const double taken = turns_ns(with_base);
		least = taken < least ? taken : least;
	}
	return least;
}

int main(void)
{
	const bool by_instruction = getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE;

	printf("system call %.2f µs, getrusage %.2f, thread's CPU clock %.2f; ",
	       each_ns(call_kernel) / 1e3, each_ns(read_counters) / 1e3, each_ns(read_clock) / 1e3);
	const double without = switch_ns(false);
	printf("switch of threads %.2f, of threads with a %%gs base %+.2f%s\n", without / 1e3,
	       (switch_ns(true) - without) / 1e3, by_instruction ? "" : " (no FSGSBASE)");
	return 0;
}
