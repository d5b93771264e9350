/*
 * What a call costs: small functions in two shapes, Fibonacci's recursion and a mix of five, timed
 * from inside. Arguments: FIB_N MIX_ROUNDS. Prints "fib CALLS NS" and "mix CALLS NS".
 *
 * With -DBARE each function reads the time stamp counter at its entry and exit and does nothing
 * with it: the least that any exact timing of calls can cost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__has_attribute) && __has_attribute(noclone)
#define KEPT __attribute__((noinline, noclone))
#else
#define KEPT __attribute__((noinline))
#endif

#ifdef BARE
#define POINT() __asm__ volatile("rdtsc" ::: "eax", "edx")
#else
#define POINT() ((void)0)
#endif

/* Keeps a result from becoming part of a tail call or of a loop. */
#define KEEP(value) __asm__ volatile("" : "+r"(value))

int fib(int n);
int mix_a(int x);
int mix_b(int x);
int mix_c(int x);
int mix_d(int x);
int mix_e(int x);
int mix(int rounds);

KEPT int fib(int n)
{
	POINT();
	int value = n;
	if (n >= 2) {
		int last = fib(n - 1);
		KEEP(last);
		value = fib(n - 2);
		KEEP(value);
		value += last;
	}
	POINT();
	return value;
}

KEPT int mix_e(int x)
{
	POINT();
	int value = x * 3 + 1;
	KEEP(value);
	POINT();
	return value;
}

KEPT int mix_d(int x)
{
	POINT();
	int value = (x >> 1) ^ 7;
	KEEP(value);
	POINT();
	return value;
}

KEPT int mix_c(int x)
{
	POINT();
	int value = mix_d(x) + mix_e(x);
	value += mix_d(x + 1);
	KEEP(value);
	POINT();
	return value;
}

KEPT int mix_b(int x)
{
	POINT();
	int value = mix_d(x) - 2;
	KEEP(value);
	POINT();
	return value;
}

/* Nine calls: itself, b twice, each with one d, c with two d and one e. */
KEPT int mix_a(int x)
{
	POINT();
	int value = mix_b(x);
	value += mix_c(x + value);
	value += mix_b(value);
	KEEP(value);
	POINT();
	return value;
}

KEPT int mix(int rounds)
{
	int sum = 0;

	POINT();
	for (int i = 0; i < rounds; i++)
		sum += mix_a(i) & 0xff;
	KEEP(sum);
	POINT();
	return sum;
}

/* The thread's own time: what else runs on the machine is not what is measured. */
static long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

static long fib_calls(int n)
{
	long before = 1, last = 1;

	for (int i = 2; i <= n; i++) {
		const long next = before + last + 1;
		before = last;
		last = next;
	}
	return last;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: %s FIB_N MIX_ROUNDS\n", argv[0]);
		return 2;
	}
	const int n = atoi(argv[1]), rounds = atoi(argv[2]);
	/* The first pass warms the code, the clock and what a profiler sets up. */
	int check = fib(10) + mix(100);
	const long begin = now_ns();
	check += fib(n);
	const long middle = now_ns();
	check += mix(rounds);
	const long end = now_ns();
	fprintf(stderr, "result %d\n", check);
	printf("fib %ld %ld\n", fib_calls(n), middle - begin);
	printf("mix %ld %ld\n", 9L * rounds + 1, end - middle);
	return 0;
}
