/*
 * The general path of the probes, behind the handlers of probes_fast.S: the first probe of a
 * thread or forked child, a raised OS flag, a new context, a stack that control flow has left; and
 * the SYSCALL probe.
 */
#include "runtime/probes/probes.h"

#include "abi/module.h"
#include "abi/trace.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/base/offsets.h"
#include "runtime/control/adapt.h"
#include "runtime/control/control.h"
#include "runtime/control/looks.h"
#include "runtime/control/pace.h"
#include "runtime/control/triggers.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/mapped.h"
#include "runtime/exec/sandbox.h"
#include "runtime/files/counters.h"
#include "runtime/files/process.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/executable.h"
#include "runtime/os/loaded.h"
#include "runtime/os/objects.h"
#include "runtime/os/os_flag.h"
#include "runtime/os/sanitizers.h"
#include "runtime/os/stack_signs.h"
#include "runtime/probes/calibrate.h"
#include "runtime/process/birth.h"
#include "runtime/process/control_calls.h"
#include "runtime/process/thread.h"
#include "runtime/timer/timer.h"
#include "runtime/tree/gate.h"

#include <asm/prctl.h>
#include <linux/prctl.h>
#include <linux/sched.h>

#define AT(type, member, offset) _Static_assert(offsetof(struct type, member) == (offset), #offset)
AT(tare_thread_file, gate, THREAD_GATE);
AT(tare_thread_file, top, THREAD_TOP);
AT(tare_thread_file, now_ticks, THREAD_NOW_TICKS);
AT(tare_thread_file, lost_ticks, THREAD_LOST_TICKS);
AT(tare_thread_file, stack_low, THREAD_STACK_LOW);
AT(tare_thread_file, cost_ticks, THREAD_COSTS);
AT(tare_thread_file, trace_next, THREAD_TRACE_NEXT);
AT(tare_thread_file, trace_end, THREAD_TRACE_END);
AT(tare_thread_file, trace_ticks, THREAD_TRACE_TICKS);
AT(tare_thread_file, trace_events, THREAD_TRACE_EVENTS);
AT(tare_node, index, NODE_INDEX);
AT(tare_node, stub, NODE_STUB);
AT(tare_node, last_child, NODE_LAST_CHILD);
AT(tare_node, parent, NODE_PARENT);
AT(tare_node, sp, NODE_SP);
AT(tare_node, start, NODE_START);
AT(tare_node, child, NODE_CHILD);
AT(tare_node, key, NODE_KEY);
AT(tare_node, elapsed_ticks, NODE_ELAPSED);
AT(tare_node, elapsed_inclusive_min, NODE_ELAPSED_INCLUSIVE_MIN);
AT(tare_node, elapsed_inclusive_max, NODE_ELAPSED_INCLUSIVE_MAX);
AT(tare_node, elapsed_exclusive_min, NODE_ELAPSED_EXCLUSIVE_MIN);
AT(tare_node, elapsed_exclusive_max, NODE_ELAPSED_EXCLUSIVE_MAX);
AT(tare_node, application_inclusive_min, NODE_APPLICATION_INCLUSIVE_MIN);
AT(tare_node, application_inclusive_max, NODE_APPLICATION_INCLUSIVE_MAX);
AT(tare_node, application_exclusive_min, NODE_APPLICATION_EXCLUSIVE_MIN);
AT(tare_node, application_exclusive_max, NODE_APPLICATION_EXCLUSIVE_MAX);
AT(tare_node, alias, NODE_ALIAS);
AT(tare_node, next, NODE_NEXT);
AT(tare_node, site, NODE_SITE);
AT(tare_node, calls_by_call, NODE_CALLS_BY_CALL);
AT(tare_node, call_site, NODE_CALL_SITE);
AT(tare_node, buckets, NODE_BUCKETS);
AT(state_process, rseq_offset, PROCESS_RSEQ_OFFSET);
AT(state_session, rseq_armed, SESSION_RSEQ_ARMED);
_Static_assert(STUB_DATA == TARE_STUB_DATA && STUB_DATA_INDIRECT == TARE_STUB_DATA_INDIRECT &&
		       SHORT_TICKS == TARE_PROBE_TICKS_MAX && CALL_BELOW == TARE_CALL_BELOW &&
		       MARK_PENDING == (int)TARE_CALL_PENDING &&
		       MARK_BY_CALL == (int)TARE_CALL_BY_CALL,
	       "values of the other headers");
_Static_assert((int)TARE_EVENT_ENTER == KIND_ENTER && (int)TARE_EVENT_LEAVE == KIND_LEAVE &&
		       (int)TARE_EVENT_CALL == KIND_CALL && (int)TARE_EVENT_RETURN == KIND_RETURN,
	       "kinds of abi/session_files.h");
_Static_assert((int)TARE_TRACE_ENTER == LOG_ENTER && (int)TARE_TRACE_LEAVE == LOG_LEAVE &&
		       (int)TARE_TRACE_JOIN == LOG_JOIN,
	       "kinds of abi/trace.h");

/* Returns the value for the gate. */
static uint64_t event_general(struct tare_thread_file *self, struct accumulate_event *event)
{
	os_flag_noticed(self, state_private);
	loaded_notice(self, state_private);
	os_flag_collect(self, state_private, event);
	if (!control_admits(self, event)) {
		os_flag_settle(self, state_private);
		return GATE_OFF;
	}
	adapt_before(self, &state_private->adapt, event);
	if (event->os)
		pace_follow(self, state_private, event->ticks);
	accumulate_event(self, event);
	adapt_after(self, &state_private->adapt, event);
	gate_spend(self, os_flag_settle(self, state_private) - event->ticks);
	if (looks_want_next(&state_private->adapt))
		os_flag_again(self);
	return 0;
}

/* Does collection being off end the matter? */
static bool is_off(void)
{
	if (state_thread == &state_unborn)
		return control_process_is_off();
	return state_thread->gate == GATE_OFF && control_thread_is_off(state_thread);
}

static void probe_work(struct accumulate_event *event)
{
	if (!state_process.rseq_offset && !process_begin())
		return;
	triggers_meet(event);
	if (is_off())
		return;
	struct tare_thread_file *self = thread_own(event->sp);

	if (!self)
		return;
	if (event->ticks) { /* the gate is the probe's own */
		gate_close(self, event->sp);
	} else if (!gate_enter(self, event->sp)) {
		self->dropped++;
		return;
	}
	/* a time before the clock's was read before another probe's, a signal handler's */
	if ((int64_t)(event->ticks - self->lost_ticks - self->now_ticks) < 0)
		event->ticks = kernel_ticks();
	event->cost_ticks = self->cost_ticks[event->kind];
	gate_exit(self, event_general(self, event));
}

/* What the stub says, see abi/module.h. `entry` is rsp at the handler's entry. */
static void event_describe(struct accumulate_event *event, const uint64_t *entry, uint32_t place)
{
	const uint32_t kind = place & PLACE_KIND_MASK;
	const uint64_t at = entry[0];

	event->landing = kind == KIND_LANDING;
	if (kind == KIND_CALL_INDIRECT)
		event->kind = TARE_EVENT_CALL;
	else
		event->kind = event->landing ? TARE_EVENT_RETURN : (enum tare_event_kind)kind;
	event->sp = (uint64_t)entry + (place >> PLACE_SP_SHIFT);
	if (kind == KIND_ENTER || kind == KIND_CALL) {
		event->key = stub_addr(at, 0);
		event->stub = at;
	}
	event->call_site = at;
	if (kind == KIND_ENTER)
		event->call_site = event->return_addr = *(const uint64_t *)event->sp;
	if (kind == KIND_CALL)
		event->arm = event->site = stub_addr(at, 1);
	if (kind == KIND_CALL_INDIRECT) {
		event->key = entry[1];
		event->arm = stub_addr(at + TARE_STUB_DATA_INDIRECT - TARE_STUB_DATA, 0);
	}
}

void probes_general(const uint64_t *entry, uint64_t ticks, uint32_t place)
{
	struct accumulate_event event = {.ticks = ticks};

	event_describe(&event, entry, place);
	probe_work(&event);
}

static bool forks(const struct probes_registers *registers)
{
	switch (registers->rax) {
	case SYS_fork:
		return true;
	case SYS_clone:
		return !(registers->rdi & CLONE_VM);
	case SYS_clone3: /* struct clone_args begins with the flags; programs probe with NULL */
		return registers->rdi && registers->rsi >= CLONE_ARGS_SIZE_VER0 &&
		       !(*(const uint64_t *)registers->rdi & CLONE_VM);
	default:
		return false;
	}
}

/* Not of a vfork child, whose parent waits. */
static bool makes_thread(const struct probes_registers *registers)
{
	uint64_t flags = registers->rdi;

	if (registers->rax == SYS_clone3 && flags && registers->rsi >= CLONE_ARGS_SIZE_VER0)
		flags = *(const uint64_t *)flags;
	else if (registers->rax != SYS_clone)
		return false;
	return (flags & (CLONE_VM | CLONE_VFORK)) == CLONE_VM;
}

static struct tare_thread_file *thread_alive(void)
{
	return state_process.rseq_offset && state_thread != &state_unborn ? state_thread : NULL;
}

/* A name that the thread has given itself is there at its next system call. */
static void name_follow(struct tare_thread_file *self, const struct probes_registers *registers)
{
	if (state_private->renamed && kernel_is_tid(self->tid))
		thread_read_name(self);
	state_private->renamed = registers->rax == SYS_prctl && registers->rdi == PR_SET_NAME;
}

/* Before the system call; an end is noted only by the thread itself, not by its vfork child. */
static void syscall_note(struct tare_thread_file *self, const struct probes_registers *registers)
{
	objects_count_before(self);
	self->syscalls++;
	objects_note(self, registers);
	os_flag_called(self);
	name_follow(self, registers);
	if (forks(registers))
		thread_note_calls(self);
	if (registers->rax != SYS_exit && registers->rax != SYS_exit_group)
		return;
	if (!kernel_is_tid(self->tid))
		return;
	if (registers->rax == SYS_exit_group) {
		thread_complete(self, true);
		calibrate_end();
	} else {
		thread_end(self);
	}
}

/* A thread's first system calls are made before the program's own code runs in it. */
static void count_calls(const struct probes_registers *registers)
{
	counters_enter();
	if (registers->rax == SYS_arch_prctl &&
	    (registers->rdi == ARCH_SET_GS || registers->rdi == ARCH_GET_GS))
		counters_give_up_gs();
}

bool probes_syscall_event(struct probes_registers *registers)
{
	timer_syscall(registers);
	count_calls(registers);
	struct tare_thread_file *self = thread_alive();

	stack_signs_note(self, registers);
	if (self)
		syscall_note(self, registers);
	else if (registers->rax == SYS_exit_group)
		process_complete();
	if (makes_thread(registers))
		memory_note_threads();
	descriptors_forget(self, registers);
	if (registers->rax == SYS_rseq)
		os_flag_registers(self, registers->rdi, registers->rsi, registers->rdx);
	sandbox_notice(self, registers);
	mapped_notice(registers);
	executable_show(registers);
	sanitizers_show(registers);
	if (registers->rax == SYS_execve || registers->rax == SYS_execveat)
		exec_with_session(self, registers);
	control_poll();
	return timer_makes_call(registers);
}
