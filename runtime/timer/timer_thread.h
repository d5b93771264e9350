/* timer_thread: what the parts of timer.h share. */
#ifndef TARE_RUNTIME_TIMER_TIMER_THREAD_H
#define TARE_RUNTIME_TIMER_TIMER_THREAD_H

#include "runtime/timer/timer.h"
#include "runtime/timer/timer_between.h"
#include "runtime/timer/timer_tick.h"
#include "runtime/timer/timer_walk.h"

#include <elf.h>
#include <linux/time_types.h>

#define TIMER_THREADS_MAX 4096
#define TIMER_STACK_BYTES 16384
#define SYSCALL_BYTES	  2
#define TIMER_RETURN_WORD                                                                          \
	10 /* of the stack at a probe: behind the registers and a frame pointer                    \
	    */
/* Handlers of the program that want a signal stack, and have none, run on it too. */
#define TIMER_SIGNAL_STACK_BYTES 262144

/* A system call, to be known again behind it. */
struct timer_call {
	uint64_t number, rdi, rsi, rdx;
	uint64_t brief_until; /* until then the thread cannot have waited for long */
	uint64_t waits;	      /* of the thread before it */
	bool waits_known;
	bool may_repeat; /* where the thread has not waited since */
};

/* A signal stack, as the kernel takes it. */
struct timer_stack {
	uint64_t start;
	int32_t flags, reserved;
	uint64_t size_bytes; /* 0: there is none */
};

/* The probe of the thread's last system call. */
struct timer_probe {
	uint64_t sp;   /* its registers on the stack */
	uint64_t back; /* where it returns to, in its stub */
	uint64_t call; /* the instruction of the system call; 0: not known */
};

struct timer_thread {
	uint64_t stack_high; /* of `stack`; timer_entry.S knows that it is the first */
	uint32_t index;	     /* in timer_threads */
	uint32_t used;
	int32_t tid;
	int32_t timer; /* the kernel's id of it */
	bool has_timer;
	bool mask_stale;		  /* the program has set the thread's signal mask */
	bool full;			  /* the file cannot grow */
	bool stack_is_own;		  /* its signal stack is the one below */
	bool stack_stale;		  /* it may be another one by now */
	bool stack_is_unfit;		  /* for the handler, so there is no timer */
	uint64_t unsampled_begin_ns;	  /* of the thread's time, since then */
	struct timer_stack program_stack; /* which the program thinks that it has */
	struct timer_call call;
	struct timer_probe probe;
	struct timer_between between;
	struct timer_tick tick;
	uint64_t random; /* state of a generator; not 0 */

	struct tare_timer_file *file;  /* of a slot that is not used: an empty one, or NULL */
	uint64_t window, window_bytes; /* the part of the file that is mapped for records */
	uint64_t window_offset;	       /* in the file */
	uint64_t window_used, window_backed;

	uint32_t frame_count; /* of the sample before, in frames[current] */
	uint32_t current;
	uint64_t frames[2][TARE_TIMER_FRAMES_MAX];
	struct timer_walker walker;
	_Alignas(64) unsigned char stack[TIMER_STACK_BYTES];
	_Alignas(64) unsigned char signal_stack[TIMER_SIGNAL_STACK_BYTES];
};

struct timer_state {
	uint64_t period_ns;	  /* that a sample stands for; 0: there are no timers */
	uint64_t tick_ns;	  /* from one of the kernel's to the next */
	uint64_t between_mean_ns; /* from sample to sample between ticks; 0: there are none */
	int32_t signal;		  /* 0: none is ours at present */
	bool none_is_free;	  /* until the program's next rt_sigaction */
	uint32_t lock;
	uint64_t first_stack_end, vdso;
	uint64_t frame_bytes; /* of a signal, at most */
	bool frame_is_exact;  /* timer_stack.c has asked what it takes in this process */
	bool may_trace;	      /* the program knows ptrace: it may trace its forked children */
	bool hidden;	      /* from a tracer, until the process executes a program */
};

#pragma GCC visibility push(hidden)
extern struct timer_thread *timer_threads[TIMER_THREADS_MAX];
extern struct timer_state timer_state;
extern const Elf64_Ehdr __ehdr_start; /* of the runtime */
extern const char _end[];
#pragma GCC visibility pop

/* siginfo of a timer, and what is needed of ucontext: the registers in the kernel's order. */
struct timer_info {
	int32_t number, error, code, reserved;
	int32_t timer, overrun;
	uint64_t index;
};

struct timer_context {
	uint64_t flags, link, stack[3];
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip;
};

/* As the kernel takes it. */
struct timer_interval {
	struct __kernel_timespec interval, first;
};

/* timer_entry.S: what the kernel calls, and where the handler's return leads. */
void timer_entry(void);
void timer_restore(void);

/* On the thread's own stack for it, with all signals blocked. */
void timer_sample(struct timer_thread *self, const struct timer_info *info,
		  struct timer_context *context);
/* Samples between ticks since the last tick, of an interval through which their timer has not run.
   With signals blocked. */
void timer_take_back(struct timer_thread *self);
/* The signal was sent by somebody else: what would have happened without us. */
void timer_foreign(int32_t number);

/* Room for samples in the session; false with *limits. */
bool timer_file_begin(struct timer_thread *self, uint32_t *limits);
void timer_file_end(struct timer_thread *self);

/* Arms and disarms a thread's timer; may be called by another thread. */
bool timer_arm(struct timer_thread *thread);
void timer_disarm(struct timer_thread *thread);

/* timer_between.c: is there a clock for samples between ticks? Filters may forbid its calls. */
bool timer_between_has_clock(void);
bool timer_between_is_allowed(const struct filter *filter);
/* The calling thread's processor time; 0: not known. */
uint64_t timer_cpu_ns(void);
/* Gives a thread's timer between ticks up; may be called by another thread. */
void timer_between_drop(struct timer_thread *thread);
static inline bool timer_is_syscall(uint64_t addr)
{
	const uint8_t *at = (const uint8_t *)addr;

	return at[0] == 0x0f && at[1] == 0x05;
}

/* timer_repeat.c: at the probe of a system call; in the handler: has the call behind which it
   stands been ended, and is it made again? */
void timer_repeat_note(struct timer_thread *self, const struct probes_registers *registers);
bool timer_is_interrupted(const struct timer_context *context);
bool timer_repeat(struct timer_thread *self, struct timer_context *context);

/* The system call of the probe; 0: not known, or its stub has flags to give back. */
uint64_t timer_call_addr(const struct probes_registers *registers);
/* At the probe of a system call. */
void timer_between_stop(struct timer_thread *self, const struct probes_registers *registers);
/*
 * A call that no signal ends early (timer_calls.c). To ask about a file takes calls of our own: no
 * more than *files are asked about, which goes down.
 */
bool timer_call_cannot_wait(const struct probes_registers *registers, uint32_t *files);
/* In the handler, last; and when the timer between ticks has passed: is it a sample? */
void timer_between_start(struct timer_thread *self, const struct timer_context *context);
bool timer_between_passed(struct timer_thread *self, const struct timer_context *context);

/*
 * The thread's signal stack becomes ours if it has none, or is seen to be large enough; before
 * sigaltstack; before rt_sigaction.
 */
void timer_stack_take(struct timer_thread *self);
void timer_stack_notice(struct timer_thread *self, const struct probes_registers *registers);
void timer_stack_spare(const struct probes_registers *registers);
/* Adds the time since when the thread has not been sampled; may be called by another thread. */
void timer_stack_account(struct timer_thread *thread);

/* With signals blocked: takes a free signal; false where there is none. Gives it back. */
bool timer_signal_take(void);
void timer_signal_give(void);
/*
 * Whether this rt_sigprocmask lets no signal through that the thread's mask blocks. One that comes
 * from a call of ours would find our frames on the stack.
 */
bool timer_signal_blocks_only(const struct probes_registers *registers);
/* The calling thread's mask lets the signal through. */
void timer_signal_unblock(void);

#endif
