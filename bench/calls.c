/*
 * What a call costs, in seven shapes, timed from inside. Argument: the number of chunks of each
 * shape. Prints a line "shape CALLS PICOSECONDS": the calls made, and the time of one, which is the
 * lower quartile of the chunks, as what disturbs a chunk only makes it longer.
 *
 * With -DBARE each function reads the time stamp counter at its entry and exit and does nothing
 * with it: the least that any exact timing of calls can cost. With -DHOOKS there are the functions
 * that -finstrument-functions calls, empty; with -DXRAY an empty handler of XRay's.
 */
#include <pthread.h>
#include <stdint.h>
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
int deep(int depth);
int wide(int x);
int add_one(int x);
int add_two(int x);
int through_pointers(int rounds);
int into_library(int rounds);

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

KEPT int deep(int depth)
{
	POINT();
	int value = 0;
	if (depth > 0)
		value = deep(depth - 1) + 1;
	KEEP(value);
	POINT();
	return value;
}

/* A hundred callees of one caller, each called once per call of it. */
#define CALLEE(n)                                                                                  \
	int callee_##n(int x);                                                                     \
	KEPT int callee_##n(int x)                                                                 \
	{                                                                                          \
		POINT();                                                                           \
		x = (x ^ n) * 3 + (x >> 2);                                                        \
		KEEP(x);                                                                           \
		POINT();                                                                           \
		return x;                                                                          \
	}
#define TEN(do, n)                                                                                 \
	do                                                                                         \
	(n##0) do(n##1) do(n##2) do(n##3) do(n##4) do(n##5) do(n##6) do(n##7) do(n##8) do(n##9)
#define HUNDRED(do)                                                                                \
	TEN(do, 1)                                                                                 \
	TEN(do, 2)                                                                                 \
	TEN(do, 3) TEN(do, 4) TEN(do, 5) TEN(do, 6) TEN(do, 7) TEN(do, 8) TEN(do, 9) TEN(do, 10)
#define CALL(n) x = callee_##n(x);

HUNDRED(CALLEE)

KEPT int wide(int x)
{
	POINT();
	HUNDRED(CALL)
	KEEP(x);
	POINT();
	return x;
}

KEPT int add_one(int x)
{
	POINT();
	x = (x ^ 1) * 3 + (x >> 2);
	KEEP(x);
	POINT();
	return x;
}

KEPT int add_two(int x)
{
	POINT();
	x = (x ^ 2) * 3 + (x >> 2);
	KEEP(x);
	POINT();
	return x;
}

KEPT int through_pointers(int rounds)
{
	static int (*const volatile functions[])(int) = {add_one, add_two};
	int x = 0;

	POINT();
	for (int i = 0; i < rounds; i++)
		x = functions[i & 1](x);
	POINT();
	return x;
}

/* The library's function has no points of its own. */
KEPT int into_library(int rounds)
{
	unsigned seed = 1;
	int x = 0;

	POINT();
	for (int i = 0; i < rounds; i++) {
		POINT();
		x += rand_r(&seed) & 1;
		POINT();
	}
	POINT();
	return x;
}

/* ---- the chunks: what they return are their calls ---- */

#ifdef HOOKS
#define HOOK __attribute__((noinline, no_instrument_function))
HOOK void __cyg_profile_func_enter(void *function, void *site);
HOOK void __cyg_profile_func_exit(void *function, void *site);
HOOK void __cyg_profile_func_enter(void *function, void *site)
{
	__asm__ volatile("" ::"r"(function), "r"(site));
}
HOOK void __cyg_profile_func_exit(void *function, void *site)
{
	__asm__ volatile("" ::"r"(function), "r"(site));
}
#endif

#ifdef XRAY
/* Of LLVM's XRay; its own header is C++. */
void __xray_init(void);
int __xray_set_handler(void (*handler)(int32_t function, int type));
int __xray_patch(void);

__attribute__((xray_never_instrument)) static void on_event(int32_t function, int type)
{
	(void)function;
	(void)type;
}

__attribute__((xray_never_instrument)) static void xray_start(void)
{
	enum { XRAY_DONE = 1 };

	__xray_init();
	if (!__xray_set_handler(on_event) || __xray_patch() != XRAY_DONE)
		exit(3);
}
#endif

/* The thread's own time: what else runs on the machine is not what is measured. */
static long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

static long chunk_fib(void)
{
	return fib(19) == 4181 ? 13529 : 0;
}

static long chunk_mix(void)
{
	mix(1500);
	return 9 * 1500 + 1;
}

static long chunk_deep(void)
{
	for (int i = 0; i < 14; i++)
		deep(999);
	return 14 * 1000;
}

static long chunk_wide(void)
{
	for (int i = 0; i < 140; i++)
		wide(i);
	return 140 * 101;
}

static long chunk_pointers(void)
{
	through_pointers(14000);
	return 14001;
}

static long chunk_library(void)
{
	into_library(14000);
	return 14001;
}

/* ---- measuring ---- */

#define CHUNKS_MAX 1000

struct shape {
	const char *name;
	long (*chunk)(void);
	long chunks;
	long calls, picoseconds; /* the results */
};

static int by_size(const void *a, const void *b)
{
	const long x = *(const long *)a, y = *(const long *)b;

	return x < y ? -1 : x > y;
}

static void *measure(void *argument)
{
	struct shape *shape = argument;
	long picoseconds[CHUNKS_MAX];

	shape->calls = shape->chunk(); /* warms the code and what a profiler sets up */
	for (long i = 0; i < shape->chunks; i++) {
		const long begin = now_ns(), calls = shape->chunk();

		picoseconds[i] = (now_ns() - begin) * 1000 / calls;
		shape->calls += calls;
	}
	qsort(picoseconds, (size_t)shape->chunks, sizeof(long), by_size);
	shape->picoseconds = picoseconds[shape->chunks / 4];
	return NULL;
}

/* Four threads at once, each fib: the mean of their quartiles. */
static struct shape measure_threads(long chunks)
{
	struct shape all = {.name = "threads"}, shapes[4];
	pthread_t threads[4];

	for (int i = 0; i < 4; i++) {
		shapes[i] = (struct shape){.chunk = chunk_fib, .chunks = chunks};
		if (pthread_create(&threads[i], NULL, measure, &shapes[i]))
			exit(3);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		all.calls += shapes[i].calls;
		all.picoseconds += shapes[i].picoseconds / 4;
	}
	return all;
}

static void show(const struct shape *shape)
{
	printf("%s %ld %ld\n", shape->name, shape->calls, shape->picoseconds);
}

int main(int argc, char **argv)
{
	const long chunks = argc == 2 ? atol(argv[1]) : 0;
	struct shape shapes[] = {{.name = "fib", .chunk = chunk_fib},
				 {.name = "mix", .chunk = chunk_mix},
				 {.name = "deep", .chunk = chunk_deep},
				 {.name = "wide", .chunk = chunk_wide},
				 {.name = "pointers", .chunk = chunk_pointers},
				 {.name = "library", .chunk = chunk_library}};

	if (chunks < 1 || chunks > CHUNKS_MAX) {
		fprintf(stderr, "usage: %s CHUNKS (1 to %d)\n", argv[0], CHUNKS_MAX);
		return 2;
	}
#ifdef XRAY
	xray_start();
#endif
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		shapes[i].chunks = chunks;
		measure(&shapes[i]);
		show(&shapes[i]);
	}
	const struct shape threads = measure_threads(chunks);

	show(&threads);
	return 0;
}
