/*
 * Stacks of a program that is stopped at random moments, as tare, libunwind and elfutils find them.
 *
 * Usage: other_stacks [-n STOPS] [-s STEPS] [-a ALLOWED] [-v] COMMAND…
 * After each stop the thread goes on for STEPS single instructions (0), compared at each. Prints
 * for each of the other two how many stacks were equal, how many of them only tare or only the
 * other one has complete, and how many differ; exit status 1 if more than ALLOWED in a million (0)
 * of those that both have complete differ, 77 where programs cannot be traced.
 *
 * Stacks of which one is a beginning of the other do not differ. libunwind and elfutils go on by
 * frame pointers where they have no rules, so their last frames may be guesses.
 */
#include "tests/unwind/traced.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <inttypes.h>
#include <libunwind-ptrace.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OTHERS = 2, SHOWN = 5 };

struct other {
	const char *name;
	void (*stack)(struct other *other, const struct traced *traced, pid_t tid,
		      struct stack *stack);
	Dwfl *dwfl;
	unw_addr_space_t space;
	size_t equal, longer, shorter, neither, different, disproved;
};

/* ---- libunwind ---- */

static void stack_of_libunwind(struct other *other, const struct traced *traced, pid_t tid,
			       struct stack *stack)
{
	void *thread = _UPT_create(tid);
	unw_cursor_t cursor;
	unw_word_t addr;
	int left = thread && unw_init_remote(&cursor, other->space, thread) == 0;

	(void)traced;
	while (left > 0 && stack->count < STACK_MAX) {
		if (unw_get_reg(&cursor, UNW_REG_IP, &addr) != 0 || !addr)
			break;
		stack->at[stack->count++] = addr;
		left = unw_step(&cursor);
	}
	stack->complete = left == 0;
	if (thread)
		_UPT_destroy(thread);
}

/* ---- elfutils ---- */

static int add_frame(Dwfl_Frame *frame, void *context)
{
	struct stack *stack = context;
	Dwarf_Addr addr;

	if (stack->count == STACK_MAX || !dwfl_frame_pc(frame, &addr, NULL))
		return DWARF_CB_ABORT;
	if (addr)
		stack->at[stack->count++] = addr;
	return DWARF_CB_OK;
}

static Dwfl *dwfl_of(const struct traced *traced)
{
	static char *no_path = NULL;
	static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
						 .find_debuginfo = dwfl_standard_find_debuginfo,
						 .debuginfo_path = &no_path};
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (dwfl && (dwfl_linux_proc_report(dwfl, traced->pid) != 0 ||
		     dwfl_report_end(dwfl, NULL, NULL) != 0 ||
		     dwfl_linux_proc_attach(dwfl, traced->pid, true) != 0)) {
		dwfl_end(dwfl);
		return NULL;
	}
	return dwfl;
}

static void stack_of_elfutils(struct other *other, const struct traced *traced, pid_t tid,
			      struct stack *stack)
{
	if (!other->dwfl)
		other->dwfl = dwfl_of(traced);
	stack->complete =
		other->dwfl && dwfl_getthread_frames(other->dwfl, tid, add_frame, stack) == 0;
}

/* ---- comparison ---- */

static void print_stack(struct traced *traced, const char *name, const struct stack *stack)
{
	printf("    %s%s:\n", name, stack->complete ? "" : " (incomplete)");
	for (size_t i = 0; i < stack->count && i < 30; i++)
		printf("      %s\n", traced_name(traced, stack->at[i]));
}

/* How many frames are the same, from the innermost on. */
static size_t same_frames(const struct stack *a, const struct stack *b)
{
	const size_t both = a->count < b->count ? a->count : b->count;
	size_t same = 0;

	while (same < both && a->at[same] == b->at[same])
		same++;
	return same;
}

static bool are_equal(const struct stack *a, const struct stack *b)
{
	return a->count == b->count && same_frames(a, b) == a->count;
}

static void compare(struct other *other, struct traced *traced, const struct stack *own,
		    const struct stack *its, bool verbose)
{
	const size_t both = own->count < its->count ? own->count : its->count;
	const size_t same = same_frames(own, its);

	if (are_equal(own, its)) {
		other->equal++;
		return;
	}
	if (!own->complete && !its->complete && same == both) {
		other->neither++;
		return;
	}
	if (own->complete && (!its->complete || same == its->count))
		other->shorter++;
	else if (!own->complete && its->complete)
		other->longer++;
	else if (other->different++ < SHOWN && verbose)
		goto show;
	if (!verbose || other->shorter + other->longer > SHOWN)
		return;
show:
	print_stack(traced, "tare", own);
	print_stack(traced, other->name, its);
}

/* Whatever it says, a stack that ends in no file's code has not reached the first frame. */
static bool ends_in_code(struct traced *traced, const struct stack *stack)
{
	return stack->count &&
	       strncmp(traced_name(traced, stack->at[stack->count - 1]), "0x", 2) != 0;
}

static void look(struct other others[OTHERS], struct traced *traced, pid_t tid, bool verbose)
{
	static struct stack own, its[OTHERS];
	bool confirmed = false;

	traced_stack(traced, tid, &own);
	for (int i = 0; i < OTHERS; i++) {
		its[i] = (struct stack){0};
		others[i].stack(&others[i], traced, tid, &its[i]);
		its[i].complete = its[i].complete && ends_in_code(traced, &its[i]);
		confirmed |= own.complete && its[i].complete && are_equal(&own, &its[i]);
	}
	for (int i = 0; i < OTHERS; i++) {
		/* Two that agree on a whole stack are right, and the third is not. */
		if (confirmed && its[i].complete && !are_equal(&own, &its[i]))
			others[i].disproved++;
		else
			compare(&others[i], traced, &own, &its[i], verbose);
	}
}

/* ---- stops ---- */

static void forget(struct other others[OTHERS])
{
	for (int i = 0; i < OTHERS; i++) {
		if (others[i].dwfl)
			dwfl_end(others[i].dwfl);
		others[i].dwfl = NULL;
		if (others[i].space)
			unw_flush_cache(others[i].space, 0, 0);
	}
}

/* Lets the process run on, all of it; signals are delivered. False when it has ended. */
static bool run_on(struct traced *traced, unsigned wait_us)
{
	int status, number = 0;

	ptrace(PTRACE_CONT, traced->pid, NULL, 0);
	usleep(wait_us);
	kill(traced->pid, SIGSTOP);
	for (;;) {
		const pid_t stopped = waitpid(-1, &status, __WALL);

		if (stopped < 0 || (stopped == traced->pid && !WIFSTOPPED(status)))
			return false;
		if (!WIFSTOPPED(status))
			continue;
		number = WSTOPSIG(status);
		if (stopped == traced->pid && number == SIGSTOP)
			return true;
		ptrace(PTRACE_CONT, stopped, NULL,
		       number == SIGTRAP || number == SIGSTOP ? 0 : number);
	}
}

static bool step(const struct traced *traced)
{
	int status;

	return ptrace(PTRACE_SINGLESTEP, traced->pid, NULL, 0) == 0 &&
	       waitpid(traced->pid, &status, __WALL) == traced->pid && WIFSTOPPED(status);
}

static size_t stop_and_look(struct other others[OTHERS], struct traced *traced, size_t stops,
			    size_t steps, bool verbose)
{
	size_t compared = 0;
	unsigned seed = 1;

	while (compared < stops * (steps + 1)) {
		seed = seed * 1103515245 + 12345;
		if (!run_on(traced, 200 + (seed >> 8) % 2000))
			break;
		traced_look_again(traced);
		forget(others);
		for (size_t i = 0; i <= steps && (!i || step(traced)); i++, compared++)
			look(others, traced, traced->pid, verbose);
	}
	return compared;
}

int main(int argc, char **argv)
{
	struct other others[OTHERS] = {{.name = "libunwind", .stack = stack_of_libunwind},
				       {.name = "elfutils", .stack = stack_of_elfutils}};
	size_t stops = 100, steps = 0, allowed = 0, failed = 0;
	bool verbose = false;
	struct traced traced;
	int option;

	while ((option = getopt(argc, argv, "+n:s:a:v")) > 0) {
		if (option == '?')
			return 2;
		if (option == 'v')
			verbose = true;
		else
			*(option == 'n'	  ? &stops
			  : option == 's' ? &steps
					  : &allowed) = strtoul(optarg, NULL, 10);
	}
	if (optind == argc)
		return 2;
	if (!traced_start(&traced, argv + optind)) {
		printf("SKIP: %s cannot be traced here: %s\n", argv[optind], strerror(errno));
		return 77;
	}
	others[0].space = unw_create_addr_space(&_UPT_accessors, 0);
	unw_set_caching_policy(others[0].space, UNW_CACHE_GLOBAL);
	const size_t compared = stop_and_look(others, &traced, stops, steps, verbose);

	for (int i = 0; i < OTHERS; i++) {
		printf("%s: %zu stacks, %zu equal; complete: %zu only by tare, %zu only by %s, %zu "
		       "by neither; %zu different, %zu more in which the other one agrees with "
		       "tare\n",
		       others[i].name, compared, others[i].equal, others[i].shorter,
		       others[i].longer, others[i].name, others[i].neither, others[i].different,
		       others[i].disproved);
		failed |= (others[i].different + others[i].longer) * 1000000 > allowed * compared;
	}
	forget(others);
	unw_destroy_addr_space(others[0].space);
	traced_end(&traced);
	return failed || !compared;
}
