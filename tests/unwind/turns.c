/*
 * Every way in which control moves about stacks: calls through PLTs, calls back, tail calls, long
 * jumps, signal handlers on other stacks and within each other, coroutines, frames of unknown size,
 * aligned frames, large ones.
 */
#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define KEPT __attribute__((noinline, noclone))

static volatile int sink;
static jmp_buf back;
static ucontext_t main_context, other_context;

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

KEPT static void sort_some(void)
{
	int values[] = {4, 2, 7, 1};

	qsort(values, 4, sizeof(*values), compare);
	sink += values[0];
}

KEPT static int jump_from(int depth)
{
	if (!depth)
		longjmp(back, 1);
	return jump_from(depth - 1) + 1;
}

KEPT static int unknown_frame(int size)
{
	volatile char *room = alloca((size_t)size);

	room[0] = room[size - 1] = 1;
	sort_some();
	return room[0];
}

KEPT static int aligned_frame(int depth, int a, int b, int c)
{
	_Alignas(128) volatile char aligned[128];

	aligned[a & 127] = 1;
	if (depth)
		sink += aligned_frame(depth - 1, b, c, a + 1);
	else
		sort_some();
	return aligned[b & 127] + unknown_frame(depth * 32 + 1);
}

KEPT static int large_frame(void)
{
	volatile char large[100000];

	large[0] = large[sizeof(large) - 1] = 1;
	sort_some();
	return large[0];
}

KEPT static int tail_called(int n)
{
	sort_some();
	return n + 1;
}

KEPT static int tail_calls(int n)
{
	sink += n;
	return tail_called(n + 1);
}

static void handle_inner(int number)
{
	sink += number;
	sort_some();
}

static void handle_outer(int number)
{
	sink += number;
	raise(SIGUSR2);
	sort_some();
}

static void handle_signals(void)
{
	static char alternate[65536];
	struct sigaction action = {.sa_handler = handle_outer, .sa_flags = SA_ONSTACK};

	sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = sizeof(alternate)}, NULL);
	sigaction(SIGUSR1, &action, NULL);
	action = (struct sigaction){.sa_handler = handle_inner};
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	raise(SIGUSR1);
}

static void coroutine(void)
{
	sort_some();
	swapcontext(&other_context, &main_context);
	sort_some();
}

static void switch_stacks(void)
{
	static char stack[262144];

	getcontext(&other_context);
	other_context.uc_stack = (stack_t){.ss_sp = stack, .ss_size = sizeof(stack)};
	other_context.uc_link = &main_context;
	makecontext(&other_context, coroutine, 0);
	swapcontext(&main_context, &other_context);
	sort_some();
	swapcontext(&main_context, &other_context);
}

/* Argument: how often (1). */
int main(int argc, char **argv)
{
	char text[64];
	volatile int round;

	for (round = argc > 1 ? atoi(argv[1]) : 1; round > 0; round--) {
		if (!setjmp(back))
			jump_from(5);
		handle_signals();
		switch_stacks();
		sink += aligned_frame(3, 1, 2, 3) + large_frame() + tail_calls(1);
		snprintf(text, sizeof(text), "%f %s", sink / 3.0, "done");
		sink &= 255;
	}
	puts(text + strlen(text) - 4);
	return 0;
}
