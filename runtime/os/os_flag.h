/*
 * os_flag: did the operating system do anything in this thread since the flag was armed?
 *
 * Two marks, both set by user code and removed by the kernel: the null selector 3 in %es, which
 * every IRET to user mode replaces by 0 (page faults, interrupts, preemption, signals; SYSRET
 * leaves it), and the address of one of a few harmless descriptors in the thread's rseq_cs, which
 * the kernel clears when the thread was switched. SYSCALL probes put another one there, which the
 * kernel clears likewise where it does so in system calls; elsewhere they clear it themselves.
 */
#ifndef TARE_RUNTIME_OS_OS_FLAG_H
#define TARE_RUNTIME_OS_OS_FLAG_H

#include "runtime/files/self.h"

#include <linux/rseq.h>

static inline uint64_t os_flag_armed(void)
{
	return state_session.rseq_armed;
}

static inline uint64_t os_flag_word(uint64_t offset)
{
	uint64_t word;

	__asm__ volatile("mov %%fs:(%1), %0" : "=r"(word) : "r"(offset) : "memory");
	return word;
}

static inline uint64_t os_flag_selector(void)
{
	uint32_t selector;

	__asm__ volatile("mov %%es, %0" : "=r"(selector)::"memory");
	return selector;
}

/* A selector that is neither ours nor zero is the program's own, which stays: it tells nothing. */
static inline bool os_flag_selector_lost(void)
{
	return state_process.selector != 0 && os_flag_selector() == 0;
}

static inline bool os_flag_raised(void)
{
	return os_flag_word(state_process.rseq_offset) != os_flag_armed() ||
	       os_flag_selector_lost();
}

/*
 * Finds what this host offers: fills os_means, rseq_offset and selector of state_session.
 * `loader_base` is where the dynamic loader is mapped (AT_BASE), 0 if unknown.
 */
void os_flag_probe_host(uint64_t loader_base);

/*
 * At a system call that registers the calling thread's rseq area. A static executable has no
 * loader that could be asked where it is; its C library registers it while there is one thread.
 */
void os_flag_registers(struct tare_thread_file *self, uint64_t area, uint64_t size_bytes,
		       uint64_t flags);

/*
 * Before a system call: what is asked next tells of it, and whether the thread was switched, in it
 * or since the event before: then the word is clear, and stays so.
 */
static inline void os_flag_called(const struct tare_thread_file *self)
{
	uint64_t *word = (uint64_t *)self->rseq_word;
	uint64_t before = *(volatile uint64_t *)word;

	/* one instruction: the kernel may clear the word at any time */
	if (before)
		__atomic_compare_exchange_n(word, &before, state_session.rseq_called, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Arms the flag for the calling thread and forgets what happened so far. */
void os_flag_begin(struct tare_thread_file *self, struct state_private *private_state);

/* Makes every thread's next probe take the general path, where os_flag_noticed sees that. */
void os_flag_renew(void);
/* The same of the calling thread alone; what happens until then is an event as always. */
void os_flag_again(const struct tare_thread_file *self);

void os_flag_noticed(struct tare_thread_file *self, struct state_private *private_state);

/*
 * A module is unloaded, and its addresses may come back with another: every thread forgets the
 * stubs it has seen, whose place in its nodes gets NODE_STUB_FORGOTTEN. Has the calling one done
 * so? While the answer is yes and arming's lock is held, it may look at them.
 */
void os_flag_unload(void);
bool os_flag_stubs_known(void);

/* Takes the flag back: where the runtime may be unloaded, its descriptor must not stay behind. */
void os_flag_end(const struct tare_thread_file *self);

/*
 * When the flag is raised: arms it again, moves event->ticks to the end of the gap, and says in
 * the event whether it was an OS event and which.
 */
void os_flag_collect(struct tare_thread_file *self, struct state_private *private_state,
		     struct accumulate_event *event);

/*
 * Counts the thread's last system call, unless an event has: with the gate closed, before the next
 * system call of the same interval, or where the interval is another cause's.
 */
void os_flag_count_syscall(struct tare_thread_file *self, struct state_private *private_state);

/* At the end of the runtime's own work: forgets what that work raised. Returns the time. */
uint64_t os_flag_settle(const struct tare_thread_file *self, struct state_private *private_state);

#endif
