/*
 * The truth of call stacks, from one instruction to the next: a call pushes, a stack pointer above
 * the return address pops, a signal pushes what it interrupts. The unwinder is asked at every
 * instruction (or every so many) and has to say the same.
 *
 * Usage: stepped_stacks [-n STEPS] [-e EVERY] [-s SKIP] [-a ALLOWED] [-v] COMMAND…
 * Prints how many stacks were compared, how many were equal and complete, and where others were
 * met. Exit status 1 if these are more than ALLOWED in a million (0), 77 where programs cannot be
 * traced.
 *
 * Stacks that coroutines run on are shadows of their own: what lies below their first call is not
 * compared.
 */
#include "tests/unwind/traced.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	INSTRUCTION_BYTES_MAX = 15,
	PLACES_MAX = 4096,
	JUMP_BYTES = 65536,
	FIRST_STACK_BYTES = 8 << 20
};

/* A return address, or the address of interrupted code, and where the stack pointer is when it has
   been used. */
struct call {
	uint64_t slot, addr;
};

struct shadow {
	struct vec_of(struct call) calls; /* outermost first */
	uint64_t low, high;		  /* where its stack pointer has been */
	bool rooted;			  /* everything on it has been seen */
};

/* Code in which a stack differed. */
struct place {
	uint64_t addr, count;
	struct stack expected, found;
};

struct run {
	struct traced traced;
	struct vec_of(struct shadow *) shadows;
	struct shadow *now;
	struct user_regs_struct before, after;
	uint64_t first_sp;
	uint64_t steps, compared, equal, unrooted;
	struct vec_of(struct place) places;
};

static struct shadow *shadow_new(struct run *run, bool rooted)
{
	struct shadow *shadow = mem_zalloc(sizeof(*shadow));

	shadow->low = shadow->high = run->after.rsp;
	shadow->rooted = rooted;
	vec_push(&run->shadows, shadow);
	return shadow;
}

/* The shadow of the stack that has been switched to. */
static struct shadow *shadow_at(struct run *run, uint64_t sp)
{
	vec_foreach (shadow, &run->shadows)
		if (sp + JUMP_BYTES / 2 >= (*shadow)->low && sp <= (*shadow)->high)
			return *shadow;
	return shadow_new(run, false);
}

/* A large frame switches no stacks. */
static bool is_first_stack(const struct run *run, uint64_t sp)
{
	return sp <= run->first_sp && run->first_sp - sp < FIRST_STACK_BYTES;
}

static void push(struct run *run, uint64_t slot, uint64_t addr)
{
	const struct call call = {.slot = slot, .addr = addr};

	vec_push(&run->now->calls, call);
}

/* What the last instruction did. */
static void follow(struct run *run)
{
	const uint64_t sp = run->after.rsp, before = run->before.rsp;
	uint64_t word;

	if ((sp > before + JUMP_BYTES || before > sp + JUMP_BYTES) &&
	    !(is_first_stack(run, sp) && is_first_stack(run, before)))
		run->now = shadow_at(run, sp);
	if (sp < run->now->low)
		run->now->low = sp;
	if (sp > run->now->high)
		run->now->high = sp;
	while (run->now->calls.len && vec_last(&run->now->calls).slot < sp)
		run->now->calls.len--;
	if (sp == before - 8 && traced_word(run->traced.pid, sp, &word) &&
	    word - run->before.rip - 1 < INSTRUCTION_BYTES_MAX && word != run->after.rip)
		push(run, sp, word);
}

/* The kernel has put a frame on the stack, or on another one, whose calls come behind these. */
static void follow_signal(struct run *run)
{
	const uint64_t sp = run->after.rsp;
	struct shadow *interrupted = run->now;
	uint64_t restorer;

	if (!traced_word(run->traced.pid, sp, &restorer))
		return;
	if (sp > run->before.rsp || run->before.rsp > sp + JUMP_BYTES) {
		run->now = shadow_new(run, interrupted->rooted);
		vec_foreach (call, &interrupted->calls)
			push(run, UINT64_MAX, call->addr);
	}
	push(run, sp + 8, run->before.rip);
	push(run, sp, restorer);
}

static void expected_stack(const struct run *run, struct stack *stack)
{
	*stack = (struct stack){.at = {run->after.rip}, .count = 1, .complete = run->now->rooted};
	for (size_t i = run->now->calls.len; i-- && stack->count < STACK_MAX;)
		stack->at[stack->count++] = run->now->calls.data[i].addr;
}

static bool is_equal(const struct stack *expected, const struct stack *found)
{
	if (expected->complete && (!found->complete || found->count != expected->count))
		return false;
	return found->count >= expected->count &&
	       memcmp(expected->at, found->at, expected->count * sizeof(expected->at[0])) == 0;
}

static void count_difference(struct run *run, const struct stack *expected,
			     const struct stack *found)
{
	vec_foreach (place, &run->places)
		if (place->addr == run->after.rip) {
			place->count++;
			return;
		}
	if (run->places.len == PLACES_MAX)
		return;
	const struct place place = {
		.addr = run->after.rip, .count = 1, .expected = *expected, .found = *found};
	vec_push(&run->places, place);
}

static void compare(struct run *run)
{
	static struct stack expected, found;

	expected_stack(run, &expected);
	traced_stack(&run->traced, run->traced.pid, &found);
	run->compared++;
	run->unrooted += !expected.complete;
	if (is_equal(&expected, &found))
		run->equal++;
	else
		count_difference(run, &expected, &found);
}

/* The instruction has called the kernel for another map. */
static bool has_mapped(const struct run *run)
{
	const uint64_t call = run->before.rax;
	uint64_t word;

	return (call == SYS_mmap || call == SYS_munmap || call == SYS_mprotect) &&
	       run->after.rip == run->before.rip + 2 &&
	       traced_word(run->traced.pid, run->before.rip, &word) && (word & 0xffff) == 0x050f;
}

/* One instruction; false when there is none any more. */
static bool step(struct run *run, int *signal_number)
{
	int status;

	run->before = run->after;
	if (ptrace(PTRACE_SINGLESTEP, run->traced.pid, NULL, *signal_number) != 0 ||
	    waitpid(run->traced.pid, &status, __WALL) != run->traced.pid || !WIFSTOPPED(status) ||
	    !traced_registers(run->traced.pid, &run->after))
		return false;
	const bool delivered = *signal_number != 0 && run->after.rsp != run->before.rsp;

	*signal_number = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	if (delivered)
		follow_signal(run);
	else
		follow(run);
	if (has_mapped(run))
		traced_look_again(&run->traced);
	run->steps++;
	return true;
}

static void print_stack(struct run *run, const char *what, const struct stack *stack)
{
	printf("    %s%s:\n", what, stack->complete ? "" : " (incomplete)");
	for (size_t i = 0; i < stack->count && i < 24; i++)
		printf("      %s\n", traced_name(&run->traced, stack->at[i]));
}

static int by_count(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

static void report(struct run *run, bool verbose)
{
	printf("%" PRIu64 " instructions, %" PRIu64 " stacks compared, %" PRIu64
	       " equal and complete, %" PRIu64 " of coroutines\n",
	       run->steps, run->compared, run->equal, run->unrooted);
	vec_sort(&run->places, by_count);
	for (size_t i = 0; i < run->places.len && i < (verbose ? 20u : 10u); i++) {
		struct place *place = &run->places.data[i];

		printf("  %" PRIu64 " at %s\n", place->count,
		       traced_name(&run->traced, place->addr));
		if (!verbose)
			continue;
		print_stack(run, "is", &place->expected);
		print_stack(run, "found", &place->found);
	}
}

int main(int argc, char **argv)
{
	struct run run = {0};
	uint64_t most = UINT64_MAX, every = 1, skip = 0, allowed = 0;
	bool verbose = false;
	int option, signal_number = 0;

	while ((option = getopt(argc, argv, "+n:e:s:a:v")) > 0)
		switch (option) {
		case 'n':
			most = strtoull(optarg, NULL, 0);
			break;
		case 'e':
			every = strtoull(optarg, NULL, 0);
			break;
		case 's':
			skip = strtoull(optarg, NULL, 0);
			break;
		case 'a':
			allowed = strtoull(optarg, NULL, 0);
			break;
		case 'v':
			verbose = true;
			break;
		default:
			return 2;
		}
	if (optind == argc || !every)
		return 2;
	if (!traced_start(&run.traced, argv + optind)) {
		printf("SKIP: %s cannot be traced here: %s\n", argv[optind], strerror(errno));
		return 77;
	}
	traced_registers(run.traced.pid, &run.after);
	run.first_sp = run.after.rsp;
	run.now = shadow_new(&run, true);
	while (run.steps < most && step(&run, &signal_number))
		if (run.steps >= skip && run.steps % every == 0)
			compare(&run);
	report(&run, verbose);
	traced_end(&run.traced);
	return (run.compared - run.equal) * 1000000 > allowed * run.compared;
}
