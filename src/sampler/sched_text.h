/*
 * Where the kernel's scheduler lies: its functions, and those that only lead to it
 * (schedule_timeout, io_schedule, the slow paths of locks), as the kernel itself draws the line for
 * wchan. And what waits for children, and what ends a thread.
 */
#ifndef TARE_SAMPLER_SCHED_TEXT_H
#define TARE_SAMPLER_SCHED_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sched_text {
	uint64_t begin, end;	       /* equal: not known */
	uint64_t wait_begin, wait_end; /* of do_wait; equal: not known */
	uint64_t exit;		       /* do_exit; 0: not known */
};

/* From /proc/kallsyms, as far as this user may see it. */
struct sched_text sched_text_read(void);

/*
 * The number of innermost frames of kernel[0..count) that are the scheduler's: return addresses but
 * for the first.
 */
size_t sched_text_frames(const struct sched_text *text, const uint64_t *kernel, size_t count);

/* Whether a thread waits for a child in what has called the scheduler from kernel[0..count). */
bool sched_text_waits_for_child(const struct sched_text *text, const uint64_t *kernel,
				size_t count);

#endif
