/*
 * How a signal handler is known: the return address of its frame is the code that the C library
 * gave to rt_sigaction to end handlers with (sa_restorer). Behind it the kernel has stored where
 * the signal interrupted and which stack was registered then, so neither C library nor
 * SS_AUTODISARM matter. A handler that is not instrumented itself, but calls what is, has no such
 * frame: for it the stack counts that was registered last by sigaltstack.
 *
 * Refuses to follow pointers that are not to the caller's own frames: they may lead nowhere, and
 * the system call is there to find out. C libraries put what they pass to the kernel on the stack.
 */
#include "runtime/os/stack_signs.h"

#include "runtime/base/kernel.h"
#include "runtime/tree/calls.h"
#include "runtime/tree/stacks.h"

#include <linux/sched.h>

#define RESTORERS_MAX	  4
#define FRAMES_BYTES	  65536ULL /* as far up the stack a pointer may lead */
#define CHILD_STACK_BYTES 65536ULL /* of a child's stack whose size is not told */
#define SA_RESTORER	  0x04000000UL
#define SS_DISABLE	  2
#define POPF		  0x9d
#define JUMP		  0xe9

struct kernel_sigaction {
	uint64_t handler, flags, restorer;
};

struct kernel_stack {
	uint64_t start;
	int32_t flags;
	uint64_t size_bytes;
};

/* What the kernel puts above a handler's return address; the registers from r8 on. */
struct signal_frame {
	uint64_t return_addr, flags, link;
	struct kernel_stack stack;
	uint64_t registers[16]; /* as in struct sigcontext */
};

#define REGISTER_SP 15

static uint64_t restorers[RESTORERS_MAX];

static bool is_in_frames(const struct probes_registers *registers, uint64_t addr)
{
	return addr - (uint64_t)registers < FRAMES_BYTES;
}

static void restorer_note(uint64_t restorer)
{
	for (int i = 0; i < RESTORERS_MAX; i++) {
		uint64_t none = 0;

		if (restorers[i] == restorer ||
		    __atomic_compare_exchange_n(&restorers[i], &none, restorer, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
	}
}

static bool is_restorer(uint64_t addr)
{
	for (int i = 0; i < RESTORERS_MAX; i++)
		if (addr && restorers[i] == addr)
			return true;
	return false;
}

static struct stack_extent extent_of(uint64_t low, uint64_t size_bytes)
{
	return (struct stack_extent){.low = low, .base = low + size_bytes - TARE_CALL_BELOW};
}

static void signal_stack_note(const struct probes_registers *registers)
{
	const struct kernel_stack *stack = (const struct kernel_stack *)registers->rdi;

	if (!is_in_frames(registers, registers->rdi))
		return;
	state_signal_stack = stack->flags & SS_DISABLE
				     ? (struct state_stack){0}
				     : (struct state_stack){stack->start, stack->size_bytes};
}

static void action_note(const struct probes_registers *registers)
{
	const struct kernel_sigaction *action = (const struct kernel_sigaction *)registers->rsi;

	if (is_in_frames(registers, registers->rsi) && action->flags & SA_RESTORER)
		restorer_note(action->restorer);
}

/* The stack on which a child runs in this thread's memory, as this thread, until it executes. */
static struct stack_extent child_stack(const struct probes_registers *registers)
{
	const struct clone_args *args = (const struct clone_args *)registers->rdi;
	const uint64_t shares = CLONE_VM | CLONE_VFORK;

	if (registers->rax == SYS_clone && (registers->rdi & shares) == shares && registers->rsi)
		return extent_of(registers->rsi - CHILD_STACK_BYTES, CHILD_STACK_BYTES);
	if (registers->rax == SYS_clone3 && is_in_frames(registers, registers->rdi) &&
	    (args->flags & shares) == shares && args->stack)
		return extent_of(args->stack, args->stack_size);
	return (struct stack_extent){0};
}

static bool is_within(const struct stack_extent *extent, uint64_t place)
{
	return place >= extent->low && place <= extent->base;
}

static void child_note(struct tare_thread_file *self, const struct probes_registers *registers)
{
	struct stack_extent *child = &((struct accumulate_local *)self->local)->stacks.child;

	if (!is_within(child, (uint64_t)registers))
		*child = child_stack(registers);
}

void stack_signs_note(struct tare_thread_file *self, const struct probes_registers *registers)
{
	if (registers->rax == SYS_sigaltstack)
		signal_stack_note(registers);
	if (registers->rax == SYS_rt_sigaction)
		action_note(registers);
	if (self)
		child_note(self, registers);
}

static enum stacks_sign sign_of_frame(const struct signal_frame *frame, uint64_t place,
				      struct stacks_signs *signs)
{
	signs->interrupted = frame->registers[REGISTER_SP];
	signs->extent = extent_of(frame->stack.start, frame->stack.size_bytes);
	if (!frame->stack.size_bytes || !is_within(&signs->extent, place))
		return STACKS_SIGNAL;
	/* a second signal while a handler is on that stack is no further one */
	return is_within(&signs->extent, calls_place_at(signs->interrupted)) ? STACKS_SIGNAL
									     : STACKS_NESTED;
}

enum stacks_sign stack_signs_sign(const struct tare_thread_file *self,
				  const struct accumulate_event *event, struct stacks_signs *signs)
{
	const struct stack_extent *child =
		&((const struct accumulate_local *)self->local)->stacks.child;
	const uint64_t place = calls_place_at(event->sp);

	*signs = (struct stacks_signs){0};
	if (event->kind == TARE_EVENT_ENTER && is_restorer(event->return_addr))
		return sign_of_frame((const struct signal_frame *)event->sp, place, signs);
	signs->extent = extent_of(state_signal_stack.low, state_signal_stack.size_bytes);
	if (state_signal_stack.size_bytes && is_within(&signs->extent, place))
		return STACKS_NESTED;
	signs->extent = *child;
	return is_within(child, place) ? STACKS_NESTED : STACKS_UNKNOWN;
}

/* The copy of a function lies between where its ENTER stub jumps back to and the stub. */
bool stack_signs_called_by(const struct accumulate_event *event, uint64_t stub)
{
	const uint8_t *code = (const uint8_t *)stub;

	if (!stub || !event->return_addr)
		return false;
	if (*code == POPF)
		code++;
	if (*code != JUMP)
		return false;
	const uint64_t begin =
		(uint64_t)code + 5 + (uint64_t)(int64_t) * (const int32_t *)(code + 1);

	return event->return_addr >= begin && event->return_addr < stub;
}

/* C libraries put the thread's control block at the upper end of the stack they make for it. */
bool stack_signs_is_own(const struct tare_thread_file *self, uint64_t sp)
{
	const uint64_t pointer = (uint64_t)__builtin_thread_pointer();

	return self->pid != self->tid && pointer - sp < STACKS_OWN_BYTES;
}
