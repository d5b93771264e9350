/*
 * Where the kernel's scheduler lies: its functions, and those that only lead to it
 * (schedule_timeout, io_schedule, the slow paths of locks), as the kernel itself draws the line for
 * wchan. And what waits for children or for signals, and what ends a thread.
 */
#ifndef TARE_SAMPLER_SCHED_TEXT_H
#define TARE_SAMPLER_SCHED_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sched_wait {
	SCHED_WAIT_OTHER,
	SCHED_WAIT_CHILD,  /* the end of a child ends it */
	SCHED_WAIT_SIGNAL, /* a signal does, among others: a child's end may send one */
};

enum { SCHED_PLACES_MAX = 32 };

struct sched_text {
	uint64_t begin, end; /* equal: not known */
	uint64_t exit;	     /* do_exit; 0: not known */
	struct sched_place {
		uint64_t begin, end; /* end 0: not known */
		enum sched_wait wait;
	} places[SCHED_PLACES_MAX];
	size_t place_count;
};

/* From /proc/kallsyms, as far as this user may see it. */
struct sched_text sched_text_read(void);

/*
 * The number of innermost frames of kernel[0..count) that are the scheduler's: return addresses but
 * for the first.
 */
size_t sched_text_frames(const struct sched_text *text, const uint64_t *kernel, size_t count);

/* What a thread waits for that has called the scheduler from kernel[0..count). */
enum sched_wait sched_text_wait_of(const struct sched_text *text, const uint64_t *kernel,
				   size_t count);

#endif
