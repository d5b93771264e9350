/*
 * Programs to be sampled: ten functions that work for known shares of the time, the first twice as
 * long as the second and so on, at the end of calls that are DEPTH deep, or in a tree of processes.
 *
 *   sampled deep DEPTH ROUNDS | sampled tree PROCESSES ROUNDS
 *
 * Prints the processor time that it has taken, in microseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

static volatile unsigned sink;

#define WORK(name, steps)                                                                          \
	KEPT static void name(void)                                                                \
	{                                                                                          \
		unsigned value = sink | 1;                                                         \
		for (unsigned step = 0; step < (steps); step++)                                    \
			__asm__ volatile("imul %0, %0" : "+r"(value));                             \
		sink = value;                                                                      \
	}

WORK(work_0, 20000)
WORK(work_1, 17000)
WORK(work_2, 14500)
WORK(work_3, 12300)
WORK(work_4, 10500)
WORK(work_5, 8900)
WORK(work_6, 7500)
WORK(work_7, 6400)
WORK(work_8, 5400)
WORK(work_9, 4600)

KEPT static void round_of_work(void)
{
	work_0();
	work_1();
	work_2();
	work_3();
	work_4();
	work_5();
	work_6();
	work_7();
	work_8();
	work_9();
	sink++;
}

KEPT static int go_down(int depth, int rounds, int a, int b);

/* A frame with room in it. */
KEPT static int go_down_wide(int depth, int rounds, int a, int b)
{
	volatile char room[200];

	room[a & 127] = (char)b;
	const int found = go_down(depth - 1, rounds, b, a + 1);
	return found + room[b & 127] + a * b;
}

KEPT static int go_down(int depth, int rounds, int a, int b)
{
	if (depth <= 0) {
		for (int i = 0; i < rounds; i++)
			round_of_work();
		return a;
	}
	const int found = depth & 3 ? go_down(depth - 1, rounds, a + b, a)
				    : go_down_wide(depth, rounds, a, b);
	return found * a + b;
}

/* Each process starts up to seven. */
static void grow(int processes, int rounds)
{
	int rest = processes - 1;

	for (int branch = 0; branch < 7 && rest > 0; branch++) {
		const int share = rest / (7 - branch) + (rest % (7 - branch) > 0);

		rest -= share;
		if (fork() == 0) {
			grow(share, rounds);
			exit(0);
		}
	}
	sink += (unsigned)go_down(20, rounds, 1, 2);
	while (wait(NULL) > 0) {
	}
}

static long used_us(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000L + usage.ru_utime.tv_usec +
	       usage.ru_stime.tv_usec;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	const int size = atoi(argv[2]), rounds = atoi(argv[3]);

	if (strcmp(argv[1], "tree") == 0)
		grow(size, rounds);
	else
		sink += (unsigned)go_down(size, rounds, 1, 2);
	printf("cpu_us %ld\n", used_us(RUSAGE_SELF) + used_us(RUSAGE_CHILDREN));
	return 0;
}
