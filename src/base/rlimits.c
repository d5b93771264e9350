/*
 * See rlimits.h. Limits that are high enough stay as they are, so that they hold what runs away.
 *
 * The first thread's stack may grow up to a limit that only a privileged process can raise. Where
 * that is too low, a mapping with a page below that nobody can touch takes its place; one can go
 * over to it without another thread, which would receive signals.
 */
#include "base/rlimits.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

enum { DESCRIPTORS_GOOD = 65536, GUARD_BYTES = 4096 };

static const struct {
	int resource;
	rlim_t enough;
} wanted[] = {
	{RLIMIT_AS, RLIM_INFINITY},	     {RLIMIT_CPU, RLIM_INFINITY},
	{RLIMIT_DATA, RLIM_INFINITY},	     {RLIMIT_FSIZE, RLIM_INFINITY},
	{RLIMIT_NOFILE, DESCRIPTORS_GOOD},   {RLIMIT_NPROC, RLIM_INFINITY},
	{RLIMIT_STACK, RLIMITS_STACK_BYTES},
};

enum { WANTED = sizeof(wanted) / sizeof(wanted[0]) };

static struct rlimit given[WANTED];
static bool changed[WANTED];
static struct sigaction given_too_large;
static bool raised;

static void raise_one(int resource, rlim_t enough, const struct rlimit *now)
{
	const struct rlimit all = {.rlim_cur = enough,
				   .rlim_max = now->rlim_max < enough ? enough : now->rlim_max};
	const struct rlimit some = {.rlim_cur = now->rlim_max, .rlim_max = now->rlim_max};

	if (setrlimit((__rlimit_resource_t)resource, &all) < 0)
		setrlimit((__rlimit_resource_t)resource, &some);
}

void rlimits_raise(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	for (size_t i = 0; i < WANTED && !raised; i++) {
		const int resource = wanted[i].resource;
		if (getrlimit((__rlimit_resource_t)resource, &given[i]) < 0 ||
		    given[i].rlim_cur >= wanted[i].enough)
			continue;
		changed[i] = true;
		raise_one(resource, wanted[i].enough, &given[i]);
	}
	if (!raised)
		sigaction(SIGXFSZ, &ignore, &given_too_large);
	raised = true;
}

bool rlimits_has(__rlimit_resource_t resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void rlimits_give_back(void)
{
	for (size_t i = 0; i < WANTED; i++)
		if (changed[i])
			setrlimit((__rlimit_resource_t)wanted[i].resource, &given[i]);
	if (raised)
		sigaction(SIGXFSZ, &given_too_large, NULL);
}

/* ---- stack ---- */

static struct {
	int (*run)(void *context);
	void *context;
	int result;
} on_stack;

static void run_on_stack(void)
{
	on_stack.result = on_stack.run(on_stack.context);
}

static bool own_stack_suffices(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= RLIMITS_STACK_BYTES;
}

int rlimits_run_with_stack(int (*run)(void *context), void *context)
{
	static ucontext_t own, other;
	char *stack = MAP_FAILED;

	if (!own_stack_suffices())
		stack = mmap(NULL, RLIMITS_STACK_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED || mprotect(stack, GUARD_BYTES, PROT_NONE) < 0 ||
	    getcontext(&other) < 0)
		return run(context);
	on_stack.run = run;
	on_stack.context = context;
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = RLIMITS_STACK_BYTES;
	other.uc_link = &own;
	makecontext(&other, run_on_stack, 0);
	if (swapcontext(&own, &other) < 0)
		return run(context);
	munmap(stack, RLIMITS_STACK_BYTES);
	return on_stack.result;
}
