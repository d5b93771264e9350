/*
 * Paths as deep as the stack, and a tree of as many paths that is not deep, timed from inside.
 * Arguments: the shape, its depth, and how often. Prints "SHAPE CALLS NANOSECONDS" each time: the
 * calls made, and the processor time of one of them. The first time every path is new.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEPT __attribute__((noinline))
static volatile int sink;
static long calls;

/* A loop, so that it is no small function: those have no probes. */
#define WORK(value)                                                                                \
	for (int i = 0; i < 4; i++)                                                                \
	sink += (value)

KEPT static void leaf(int value)
{
	calls++;
	WORK(value);
}

/* One function within itself, with a leaf at every depth. */
KEPT static int rec(int depth)
{
	calls++;
	leaf(depth);
	const int below = depth > 0 ? rec(depth - 1) : 0;

	sink += below;
	return below + 1;
}

int turn_0(int depth);
int branch_0(int depth);

/* Forty functions in turn, each with a leaf of its own. */
#define TURN(number, next)                                                                         \
	int turn_##next(int depth);                                                                \
	KEPT static void leaf_##number(int value)                                                  \
	{                                                                                          \
		calls++;                                                                           \
		WORK(value ^ number);                                                              \
	}                                                                                          \
	KEPT int turn_##number(int depth)                                                          \
	{                                                                                          \
		calls++;                                                                           \
		leaf_##number(depth);                                                              \
		const int below = depth > 0 ? turn_##next(depth - 1) : 0;                          \
		sink += below;                                                                     \
		return below + 1;                                                                  \
	}
#define TURNS(a, b, c, d, e) TURN(a, b) TURN(b, c) TURN(c, d) TURN(d, e)

TURNS(0, 1, 2, 3, 4)
TURNS(4, 5, 6, 7, 8)
TURNS(8, 9, 10, 11, 12)
TURNS(12, 13, 14, 15, 16)
TURNS(16, 17, 18, 19, 20)
TURNS(20, 21, 22, 23, 24)
TURNS(24, 25, 26, 27, 28)
TURNS(28, 29, 30, 31, 32)
TURNS(32, 33, 34, 35, 36)
TURNS(36, 37, 38, 39, 0)

/* Four functions, each of which calls the three others and a leaf: 3^depth paths. */
#define BRANCH(number, first, second, third)                                                       \
	int branch_##first(int depth);                                                             \
	int branch_##second(int depth);                                                            \
	int branch_##third(int depth);                                                             \
	KEPT int branch_##number(int depth)                                                        \
	{                                                                                          \
		int below = 0;                                                                     \
		calls++;                                                                           \
		leaf(depth);                                                                       \
		if (depth > 0)                                                                     \
			below = branch_##first(depth - 1) + branch_##second(depth - 1) +           \
				branch_##third(depth - 1);                                         \
		sink += below;                                                                     \
		return below + 1;                                                                  \
	}

BRANCH(0, 1, 2, 3)
BRANCH(1, 2, 3, 0)
BRANCH(2, 3, 0, 1)
BRANCH(3, 0, 1, 2)

static const struct {
	const char *name;
	int (*run)(int depth);
} shapes[] = {{"rec", rec}, {"turn", turn_0}, {"branch", branch_0}};

static double processor_time_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int count, char **arguments)
{
	for (size_t i = 0; count == 4 && i < sizeof(shapes) / sizeof(*shapes); i++) {
		if (strcmp(shapes[i].name, arguments[1]))
			continue;
		for (int round = atoi(arguments[3]); round > 0; round--) {
			calls = 0;
			const double begin_ns = processor_time_ns();

			shapes[i].run(atoi(arguments[2]));
			printf("%s %ld %.1f\n", shapes[i].name, calls,
			       (processor_time_ns() - begin_ns) / (double)calls);
		}
		return 0;
	}
	fprintf(stderr, "usage: recursion rec|turn|branch DEPTH ROUNDS\n");
	return 2;
}
