/*
 * The operating-system flag: self-test, re-arming, and the cause of what happened from the
 * kernel's own counters (getrusage of the thread).
 *
 * What it refuses: to believe in a mark that this host does not honour. The selector is used only
 * when the self-test sees it vanish at page faults and stay otherwise; rseq only when the C
 * library has registered an area (a second registration could break a program that brings its
 * own). A descriptor that the program itself has put into rseq_cs is no OS event.
 */
#include "runtime/os/os_flag.h"

#include "runtime/base/budget.h"
#include "runtime/base/kernel.h"
#include "runtime/base/module.h"
#include "runtime/base/offsets.h"
#include "runtime/files/counters.h"
#include "runtime/files/process.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/waits.h"
#include "runtime/tree/calls.h"
#include "runtime/tree/context.h"

#include <asm/errno.h>
#include <elf.h>
#include <linux/time_types.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define DESCRIPTORS	 256 /* a thread that nothing interrupts may miss all but so many renewals */
#define SELF_TEST_ROUNDS 4
#define SETTLE_ROUNDS	 4
#define COLLECT_ROUNDS	 4
#define SYSCALL_UNKNOWN	 0xffff

/* The signature that the C library registers stands before the (never used) abort address. */
__asm__(".section .text.os_flag_abort,\"ax\",@progbits\n"
	".balign 8\n"
	".long 0x53053053\n"
	".globl os_flag_abort\n"
	".hidden os_flag_abort\n"
	".type os_flag_abort, @function\n"
	"os_flag_abort: ud2\n"
	".size os_flag_abort, 2\n"
	".previous\n");
extern const char os_flag_abort[] __attribute__((visibility("hidden")));

/* An empty range: no instruction is ever inside, so the kernel only clears the word. */
static const struct rseq_cs descriptors[DESCRIPTORS] __attribute__((aligned(32))) = {
	[0 ... DESCRIPTORS - 1] = {.abort_ip = (uint64_t)os_flag_abort},
};

/* Stands in the word during a system call and behind it, until the thread is switched. */
static const struct rseq_cs called __attribute__((aligned(32))) = {
	.abort_ip = (uint64_t)os_flag_abort,
};

static uint64_t unloads; /* of modules, so far */

static void selector_set(uint64_t selector)
{
	__asm__ volatile("mov %0, %%es" ::"r"((uint32_t)selector) : "memory");
}

/* Does %es lose the selector at a page fault, and keep it when nothing happens? */
static bool selector_works(void)
{
	for (int round = 0; round < SELF_TEST_ROUNDS; round++) {
		const long page = kernel_call(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		bool kept = false;

		if (page < 0 && page > -4096)
			return false;
		selector_set(SELECTOR_ARMED);
		*(volatile char *)page = 1;
		const bool lost = os_flag_selector() != SELECTOR_ARMED;

		for (int attempt = 0; attempt < 10 && !kept; attempt++) {
			selector_set(SELECTOR_ARMED);
			kernel_call(SYS_munmap, 0, 0);
			kept = os_flag_selector() == SELECTOR_ARMED;
		}
		kernel_call(SYS_munmap, page, 4096);
		if (!lost || !kept)
			return false;
	}
	return true;
}

static const void *symbol_addr(uint64_t base, const char *name)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)base;
	struct module_symbols symbols;

	if (!base)
		return NULL;
	const struct module_segments segments = {
		.bias = base,
		.headers = (const Elf64_Phdr *)(base + header->e_phoff),
		.count = header->e_phnum,
	};
	const Elf64_Sym *symbol = module_symbols_find(&segments, &symbols)
					  ? module_symbol_find(&segments, &symbols, name)
					  : NULL;

	return symbol && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT
		       ? (const void *)(base + symbol->st_value)
		       : NULL;
}

/*
 * Whether it works is a matter of the kernel and the processor: what a process of this session has
 * found lately holds for this one, too.
 */
static bool selector_use(void)
{
	uint64_t means;

	if (!budget_measured_means(&means))
		return selector_works();
	selector_set(SELECTOR_ARMED);
	return means & TARE_OS_BY_SELECTOR && os_flag_selector() == SELECTOR_ARMED;
}

/*
 * Does a thread that was switched during a system call find the word cleared? Up to Linux 6.18;
 * later ones look at it only where an interrupt came in between, as there are no system calls in
 * restartable sequences.
 */
static bool calls_clear(uint64_t offset)
{
	volatile uint64_t *word = (uint64_t *)((uint64_t)__builtin_thread_pointer() + offset);
	const struct __kernel_timespec shortest = {.tv_nsec = 1};
	uint64_t means;

	if (budget_measured_means(&means))
		return means & TARE_OS_IN_CALLS;
	*word = (uint64_t)&called;
	const bool slept = !kernel_call(SYS_nanosleep, &shortest, 0);
	const bool cleared = *word == 0;

	*word = 0;
	return slept && cleared;
}

void os_flag_probe_host(uint64_t loader_base)
{
	const int64_t *offset = symbol_addr(loader_base, "__rseq_offset");
	const uint32_t *size = symbol_addr(loader_base, "__rseq_size");

	waits_probe_host();
	state_session.os_means = TARE_OS_BY_SITES;
	state_session.rseq_armed = (uint64_t)descriptors;
	if (offset && size && *size) {
		state_session.os_means |= TARE_OS_BY_RSEQ;
		state_session.rseq_offset = *offset + offsetof(struct rseq, rseq_cs);
		if (calls_clear(state_session.rseq_offset)) {
			state_session.os_means |= TARE_OS_IN_CALLS;
			state_session.rseq_called = (uint64_t)&called;
		}
	} else {
		state_session.rseq_offset =
			(uint64_t)&state_word - (uint64_t)__builtin_thread_pointer();
	}
	const uint64_t before = os_flag_selector();

	if (selector_use()) {
		state_session.os_means |= TARE_OS_BY_SELECTOR;
		state_session.selector = SELECTOR_ARMED;
	} else {
		selector_set(before);
		state_session.selector = 0;
	}
}

void os_flag_registers(struct tare_thread_file *self, uint64_t area, uint64_t size_bytes,
		       uint64_t flags)
{
	const uint64_t word = area + offsetof(struct rseq, rseq_cs);

	if (!state_session.start_pointer || state_session.os_means & TARE_OS_BY_RSEQ)
		return;
	if (!area || size_bytes < sizeof(struct rseq) || flags ||
	    kernel_call(SYS_rseq, 0, 0, 0, 0) != -EINVAL)
		return; /* it will fail, or is none */
	state_session.os_means |= TARE_OS_BY_RSEQ;
	state_session.rseq_offset = word - (uint64_t)__builtin_thread_pointer();
	if (state_process.rseq_offset)
		state_process.rseq_offset = state_session.rseq_offset;
	if (self)
		self->rseq_word = word;
	process_means_note();
}

/* False where the kernel may not be asked: its counters then are those of before. */
static bool counters_read(const struct tare_thread_file *self, struct state_os_seen *seen)
{
	struct rusage usage = {0};

	seen->syscalls = self->syscalls;
	if (kernel_call(SYS_getrusage, RUSAGE_THREAD, &usage))
		return false;
	seen->voluntary_switches = (uint64_t)usage.ru_nvcsw;
	seen->involuntary_switches = (uint64_t)usage.ru_nivcsw;
	seen->minor_faults = (uint64_t)usage.ru_minflt;
	seen->major_faults = (uint64_t)usage.ru_majflt;
	return true;
}

/* The program may have left a descriptor of its own in the word; it is out of its section here. */
static void flag_arm(const struct tare_thread_file *self)
{
	*(volatile uint64_t *)self->rseq_word = self->rseq_armed; /* what has been noticed */
	if (os_flag_selector_lost())
		selector_set(SELECTOR_ARMED);
}

void os_flag_begin(struct tare_thread_file *self, struct state_private *private_state)
{
	self->rseq_word = (uint64_t)__builtin_thread_pointer() + state_process.rseq_offset;
	os_flag_noticed(self, private_state);
	private_state->syscall_uncounted = false;
	waits_begin(self, private_state);
	os_flag_settle(self, private_state);
}

void os_flag_renew(void)
{
	uint64_t before = __atomic_load_n(&state_session.rseq_armed, __ATOMIC_ACQUIRE), next;

	do {
		next = before + sizeof(descriptors[0]);
		if (next == (uint64_t)&descriptors[DESCRIPTORS])
			next = (uint64_t)descriptors;
	} while (!__atomic_compare_exchange_n(&state_session.rseq_armed, &before, next, false,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

void os_flag_again(const struct tare_thread_file *self)
{
	uint64_t *word = (uint64_t *)self->rseq_word;
	uint64_t armed = self->rseq_armed;
	const uint64_t other =
		armed == (uint64_t)descriptors ? (uint64_t)&descriptors[1] : (uint64_t)descriptors;

	/* one instruction: the kernel may clear the word at any time, and that must be seen */
	__atomic_compare_exchange_n(word, &armed, other, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void os_flag_unload(void)
{
	__atomic_fetch_add(&unloads, 1, __ATOMIC_RELEASE);
	os_flag_renew();
}

bool os_flag_stubs_known(void)
{
	return __atomic_load_n(&unloads, __ATOMIC_ACQUIRE) == state_private->unloads;
}

static void stubs_forget(const struct tare_thread_file *self)
{
	for (uint64_t i = 0; i < self->node_count; i++) {
		struct tare_node *node = context_node_at(self, (uint32_t)i);

		node->stub = node->stub ? NODE_STUB_FORGOTTEN : 0;
		node->site = 0;
	}
}

void os_flag_noticed(struct tare_thread_file *self, struct state_private *private_state)
{
	self->rseq_armed = os_flag_armed();
	const uint64_t now = __atomic_load_n(&unloads, __ATOMIC_ACQUIRE);

	if (private_state->unloads == now)
		return;
	stubs_forget(self);
	private_state->adapt.imports_met = 0;
	private_state->unloads = now;
}

void os_flag_end(const struct tare_thread_file *self)
{
	*(volatile uint64_t *)self->rseq_word = 0;
	if (state_process.selector == SELECTOR_ARMED && os_flag_selector() == SELECTOR_ARMED)
		selector_set(0);
}

static uint64_t switches_between(const struct state_os_seen *before,
				 const struct state_os_seen *after)
{
	return after->voluntary_switches - before->voluntary_switches +
	       after->involuntary_switches - before->involuntary_switches;
}

static bool was_switched(const struct state_os_seen *before, const struct state_os_seen *after)
{
	return switches_between(before, after) != 0;
}

static enum waits_kind kind_of(const struct state_os_seen *before,
			       const struct state_os_seen *after)
{
	return after->voluntary_switches != before->voluntary_switches ? WAITS_VOLUNTARY
								       : WAITS_INVOLUNTARY;
}

/*
 * Of the time on the CPU. Where the thread also waited, it is what made it wait; faults of an
 * interval that was long enough for a switch are the least of it.
 */
static enum tare_os_cause cause_of(const struct state_os_seen *before,
				   const struct state_os_seen *after)
{
	const bool switched = was_switched(before, after);

	if (switched && after->syscalls != before->syscalls)
		return TARE_OS_SYSCALL;
	if (after->major_faults != before->major_faults)
		return TARE_OS_MAJOR_FAULT;
	if (switched)
		return TARE_OS_SWITCH;
	if (after->minor_faults != before->minor_faults)
		return TARE_OS_MINOR_FAULT;
	if (after->syscalls != before->syscalls)
		return TARE_OS_SYSCALL;
	return TARE_OS_INTERRUPT;
}

void os_flag_count_syscall(struct tare_thread_file *self, struct state_private *private_state)
{
	const struct accumulate_event event = {.syscall_number = (uint16_t)self->syscall_number,
					       .syscall_object = self->syscall_object,
					       .syscall_name = self->syscall_name};

	if (private_state->syscall_uncounted)
		calls_note_syscall(self, &event);
	private_state->syscall_uncounted = false;
}

/*
 * Has nothing happened? Another harmless descriptor stands in the word, as after a renewal or
 * before an event that is looked at, and the selector, which no interruption leaves, is still
 * there.
 */
static bool is_only_renewed(const struct tare_thread_file *self,
			    const struct state_private *private_state, uint64_t word)
{
	return word && state_process.selector && !os_flag_selector_lost() &&
	       self->syscalls == private_state->os_seen.syscalls;
}

static void call_collect(struct tare_thread_file *self, struct state_private *private_state,
			 struct accumulate_event *event)
{
	event->syscall_number = (uint16_t)self->syscall_number;
	event->syscall_object = self->syscall_object;
	event->syscall_name = self->syscall_name;
	event->syscall_holder = self->syscall_holder;
	private_state->syscall_uncounted = false;
}

/*
 * Nothing but system calls, and no switch? Then the kernel's counters are not asked for, which
 * would take as long as such a call. Faults that the kernel met in it are counted by who asks next.
 */
static bool has_only_called(struct tare_thread_file *self, struct state_private *private_state,
			    struct accumulate_event *event)
{
	uint64_t word = state_session.rseq_called;

	/* one instruction: a switch behind it clears the word that it has armed */
	if (!word ||
	    !__atomic_compare_exchange_n((uint64_t *)self->rseq_word, &word, self->rseq_armed,
					 false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return false;
	event->ticks = kernel_ticks();
	if (os_flag_raised())
		return false;
	private_state->os_seen.syscalls = self->syscalls;
	event->os = true;
	event->os_cause = TARE_OS_SYSCALL;
	call_collect(self, private_state, event);
	return true;
}

/*
 * A thread's counters have a base of %gs. Without the instructions for it (FSGSBASE) the kernel
 * sets it by a write to a model-specific register, at each switch to the thread and in its CPU
 * time. In a virtual machine that may lead to the hypervisor, and take longer than all the rest of
 * the switch. It is nobody's time; of the interval, what was waited stays.
 */
static void switches_take_off(struct tare_thread_file *self, uint64_t count,
			      const struct accumulate_event *event)
{
	const uint64_t waited = event->blocked_ticks + event->preempted_ticks;
	const int64_t passed = (int64_t)(event->ticks - self->lost_ticks - self->now_ticks);
	uint64_t ticks = count * state_session.calibration.switch_ticks;

	if (!counters_have_base() || event->blocked_ticks == UINT64_MAX ||
	    event->preempted_ticks == UINT64_MAX || passed <= (int64_t)waited)
		return;
	if (ticks > (uint64_t)passed - waited)
		ticks = (uint64_t)passed - waited;
	self->switches_ticks += ticks;
	self->lost_ticks += ticks;
}

void os_flag_collect(struct tare_thread_file *self, struct state_private *private_state,
		     struct accumulate_event *event)
{
	if (descriptors_is_changing(&private_state->objects))
		descriptors_changed(&private_state->objects);
	if (has_only_called(self, private_state, event))
		return;
	const uint64_t word = *(volatile uint64_t *)self->rseq_word;
	const bool by_word = word == 0;
	const bool by_selector = os_flag_selector_lost();

	if (word == os_flag_armed() && !by_selector)
		return;
	const bool only_renewed = is_only_renewed(self, private_state, word);
	bool raised = true, again = false;

	/* Bounded: where every instruction traps, as under a debugger, it never stays armed. */
	for (int round = 0; round < COLLECT_ROUNDS && raised; round++) {
		flag_arm(self);
		event->ticks = kernel_ticks();
		raised = os_flag_raised();
		again |= raised;
	}
	if (only_renewed && !again)
		return;
	struct state_os_seen seen = private_state->os_seen;

	const bool asked = counters_read(self, &seen);

	self->causes_unasked += !asked;
	event->os_cause = cause_of(&private_state->os_seen, &seen);
	event->os = by_word || by_selector || again || event->os_cause != TARE_OS_INTERRUPT;
	event->syscall_number = SYSCALL_UNKNOWN;
	if (event->os_cause == TARE_OS_SYSCALL)
		call_collect(self, private_state, event);
	os_flag_count_syscall(self, private_state);
	if (was_switched(&private_state->os_seen, &seen)) {
		waits_collect(self, private_state, kind_of(&private_state->os_seen, &seen), event);
		switches_take_off(self, switches_between(&private_state->os_seen, &seen), event);
	} else if (!asked && by_word) {
		waits_collect(self, private_state, WAITS_UNASKED, event);
	}
	private_state->os_seen = seen;
}

uint64_t os_flag_settle(const struct tare_thread_file *self, struct state_private *private_state)
{
	uint64_t ticks = kernel_ticks();

	for (int round = 0; round < SETTLE_ROUNDS && os_flag_raised(); round++) {
		const struct state_os_seen before = private_state->os_seen;

		counters_read(self, &private_state->os_seen);
		flag_arm(self);
		if (was_switched(&before, &private_state->os_seen))
			waits_forget(self, private_state);
		ticks = kernel_ticks();
	}
	return ticks;
}
