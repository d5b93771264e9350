/*
 * timer: samples of this process taken by itself (abi/timer.h), where perf_event_open is refused.
 *
 *   timer.c        threads and their timers          timer_entry.S   the signal handler's entry
 *   timer_signal.c the signal, and the program's     timer_sample.c  the handler: one sample
 *                  system calls that meet it         timer_walk.c    the thread's stack
 *   timer_rules.c  unwind rules of loaded files  timer_between.c samples between the kernel's ticks
 *   timer_repeat.c calls that the signal has ended
 *
 * A thread gets its timer at its first system call in the C library's copy; threads of the C
 * library make one before they run code of the program.
 */
#ifndef TARE_RUNTIME_TIMER_TIMER_H
#define TARE_RUNTIME_TIMER_TIMER_H

#include "runtime/base/filter.h"
#include "runtime/base/module.h"
#include "runtime/base/registers.h"

/* What the first thread's initial stack says. */
struct timer_surroundings {
	uint64_t first_stack_end, vdso;
	uint64_t signal_frame_bytes; /* 0: unknown */
};

/* At the start of a program, when its process file is there. */
void timer_begin(const struct timer_surroundings *surroundings);

/* At a SYSCALL probe, before the system call. */
void timer_syscall(const struct probes_registers *registers);
/* The program maps code there, of which no rules are known. */
void timer_mapped(uint64_t begin, uint64_t end);

/*
 * Last at that probe: blocks signals in the program's place, but for the timers', registers a
 * signal stack, or makes the call about a handler for which these were given up. What it does
 * behind the call may be long, and hold no other call. False: the call is the program's to make.
 * True: it has been made; registers, and behind them where the stub would go on, are as behind it.
 */
bool timer_makes_call(struct probes_registers *registers);

/* The program is about to install a filter of system calls, which filter_add does not know yet. */
void timer_filter(const struct filter *filter);

/* Makes a file for a thread's samples beforehand (base/reserve.h). */
uint64_t timer_file_spare(const char *name);

/* Gives up all timers for good. */
void timer_stop(void);

/* A file was loaded, or is about to be unloaded. `path`: of the original, absolute. */
void timer_open(const struct module_segments *segments, const char *path, bool is_executable);
void timer_close(const struct module_segments *segments);

#endif
