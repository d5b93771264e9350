/*
 *   callchain:  KERNEL a b … | USER x y …    words from PERF_CONTEXT_MAX up say whose the next are
 *   registers and a copy of the stack:       unwound here
 *   branches of the processor's call stack:  where each call in progress was made
 *
 * A stack that ends in a function whose unwind information says that it is the first one is whole;
 * so is that of a thread without user code, if user code was asked for.
 */
#include "sampler/perf_stack.h"

#define CONTEXT_USER_DEFERRED ((uint64_t)-640) /* of newer headers */

static unsigned mode_of(const struct perf_sample *sample)
{
	const unsigned mode = sample->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	/* Where the kernel did not say: its addresses are the upper half. */
	return mode == PERF_RECORD_MISC_CPUMODE_UNKNOWN && sample->ip >> 63
		       ? PERF_RECORD_MISC_KERNEL
		       : mode;
}

bool perf_sample_is_foreign(const struct perf_sample *sample)
{
	switch (mode_of(sample)) {
	case PERF_RECORD_MISC_HYPERVISOR:
	case PERF_RECORD_MISC_GUEST_KERNEL:
	case PERF_RECORD_MISC_GUEST_USER:
		return true;
	default:
		return false;
	}
}

static void add_kernel(struct perf_stack *stack, uint64_t addr)
{
	if (stack->kernel_count < SAMPLER_FRAMES_MAX)
		stack->kernel[stack->kernel_count++] = addr;
}

/* `addr` is what is called, or where a call returns to. */
static void add_user(struct perf_stack *stack, uint64_t addr, bool returns)
{
	struct unwind_stack *user = &stack->user;
	const bool exact = !user->count;

	if (user->count == user->room) {
		user->end = UNWIND_TOO_DEEP;
		return;
	}
	user->frames[user->count++] = (struct unwind_frame){
		.addr = addr - (returns && !exact), .flags = exact ? UNWIND_FRAME_EXACT : 0};
}

static void read_callchain(struct perf_stack *stack, const struct perf_sample *sample)
{
	uint64_t whose = mode_of(sample) == PERF_RECORD_MISC_KERNEL ? PERF_CONTEXT_KERNEL
								    : PERF_CONTEXT_USER;

	for (uint64_t i = 0; i < sample->callchain_count; i++) {
		const uint64_t word = perf_callchain_at(sample, i);

		if (word == CONTEXT_USER_DEFERRED)
			return; /* a number follows, by which another record names the rest */
		if (word >= (uint64_t)PERF_CONTEXT_MAX)
			whose = word;
		else if (whose == (uint64_t)PERF_CONTEXT_KERNEL)
			add_kernel(stack, word);
		else if (whose == (uint64_t)PERF_CONTEXT_USER)
			add_user(stack, word, true);
	}
}

/* A branch is three words: from, to, flags. */
static void read_branches(struct perf_stack *stack, const struct perf_sample *sample)
{
	stack->user.count = stack->user.count > 0;
	for (uint64_t i = 0; i < sample->branch_count; i++)
		add_user(stack, perf_word_at(sample->branches, 3 * i), false);
}

static void unwind(struct perf_stack *stack, const struct perf_sample *sample,
		   const struct process *process)
{
	const struct unwind_memory memory = {.begin = sample->registers.value[UNWIND_RSP],
					     .size_bytes = sample->stack_bytes,
					     .bytes = sample->stack};

	unwind_walk(process->memory->map, &sample->registers, &memory, &stack->user);
}

void perf_stack_read(struct perf_stack *stack, const struct perf_attr *attr,
		     const struct perf_sample *sample, const struct process *process)
{
	const uint64_t type = attr->layout.sample_type;
	const bool in_kernel = mode_of(sample) == PERF_RECORD_MISC_KERNEL;
	const bool copied = type & PERF_SAMPLE_REGS_USER && type & PERF_SAMPLE_STACK_USER;
	struct unwind_stack *user = &stack->user;

	stack->kernel_count = 0;
	*user = (struct unwind_stack){
		.frames = stack->frames, .room = SAMPLER_FRAMES_MAX, .end = UNWIND_NO_RULE};
	read_callchain(stack, sample);
	if (copied && sample->has_registers)
		unwind(stack, sample, process);
	else if (attr->layout.branch_type & PERF_SAMPLE_BRANCH_CALL_STACK && sample->branch_count)
		read_branches(stack, sample);
	if (in_kernel && !stack->kernel_count)
		stack->kernel_count = 1;
	if (!in_kernel && !user->count)
		add_user(stack, sample->ip, false);
	if (in_kernel)
		stack->kernel[0] = sample->ip;
	else
		stack->frames[0].addr = sample->ip;
	if (user->end == UNWIND_ROOT)
		return;
	if (user->count ? unwind_map_is_outermost(process->memory->map,
						  user->frames[user->count - 1].addr)
			: type & PERF_SAMPLE_CALLCHAIN && (copied || !attr->exclude_user_chain))
		user->end = UNWIND_ROOT;
}
