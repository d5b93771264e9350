/*
 * wakings: the tracepoint sched:sched_waking, at which a thread ends the wait of another one. It
 * is the kernel's to permit: root, CAP_PERFMON, or kernel.perf_event_paranoid -1.
 */
#ifndef TARE_SAMPLER_WAKINGS_H
#define TARE_SAMPLER_WAKINGS_H

#include "sampler/event.h"

struct perf_sample;

struct wakings {
	bool wanted; /* asked for, and not refused */
	struct event event;
	uint32_t tid_offset;		  /* of the thread that is woken, in the raw fields */
	uint64_t irq_begin, irq_end;	  /* entries from interrupts in the kernel; 0: not known */
	char reason[ERROR_MESSAGE_BYTES]; /* why there is none; "": nothing refused it */
};

/* The kernel's filter of what is seen whoever runs; wakings_by_interrupt decides of the rest. */
#define WAKINGS_OUTSIDE_THREADS "common_flags & 24 || common_pid == 0"

/* Finds the tracepoint, or the reason why it cannot be had. */
void wakings_find(struct wakings *wakings);
/* What the kernel said when it was to be opened. */
void wakings_refuse(struct wakings *wakings, const struct error *err);

/* The thread that the sample says is woken; 0: it does not say. */
uint32_t wakings_woken(const struct wakings *wakings, const struct perf_sample *sample);
/* Whether an interrupt does it, and not the thread in whose time it came. `kernel`: the frames. */
bool wakings_by_interrupt(const struct wakings *wakings, const struct perf_sample *sample,
			  const uint64_t *kernel, size_t kernel_count);

/* Reads where the field of the thread is from the lines of a file "format"; false: nowhere. */
bool wakings_read_format(const char *text, uint32_t *tid_offset);

#endif
