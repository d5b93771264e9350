/*
 * Cheaper switches for what is sampled by a timer (cpu-clock, task-clock).
 *
 * The kernel stops such a timer when its thread leaves a processor and sets it when it comes back.
 * Whenever it is the next timer of the processor, hardware has to be set as well, which in a
 * virtual machine leaves the guest, twice a switch. So where threads switch all the time a
 * processor gets another timer, which mostly comes first and goes on whoever runs:
 *
 *   thread's timer      set ·········▶     stop    set ·········▶        need no hardware
 *   processor's own   |----|----|----|----|----|----|----|----|----|     TIMER_COVER_NS each
 */
#ifndef TARE_SAMPLER_TIMER_COVER_H
#define TARE_SAMPLER_TIMER_COVER_H

#include "sampler/perf_events.h"
#include "sampler/switch_rate.h"

enum { TIMER_COVER_NS = 500000, TIMER_COVER_LOOK_NS = 20000000 };

struct covered_processor {
	int number;
	int switches, timer; /* descriptors; -1: not open */
	bool is_noted;	     /* since the last look */
	uint64_t noted_time;
	uint64_t count; /* its switches until then */
	struct switch_rate rate;
};

struct timer_cover {
	/* One per ring; none: of no use, or refused. */
	struct vec_of(struct covered_processor) processors;
	uint64_t looked_time;
};

/*
 * For the events and processors of `set`. Nothing is opened before records have come from a
 * processor, and nothing where the kernel permits this user no events of processors
 * (perf_event_paranoid above 0 without CAP_PERFMON).
 */
void timer_cover_init(struct timer_cover *cover, const struct perf_events *set);
void timer_cover_fini(struct timer_cover *cover);

/* A record has come from the ring of this index. */
static inline void timer_cover_note(struct timer_cover *cover, size_t index)
{
	if (index < cover->processors.len)
		cover->processors.data[index].is_noted = true;
}

/* It is `time` (ns) now: looks, at most each TIMER_COVER_LOOK_NS, how often the processors switch.
 */
void timer_cover_look(struct timer_cover *cover, uint64_t time);

#endif
