/*
 * Cheaper switches for what is sampled by a timer (cpu-clock, task-clock).
 *
 * The kernel stops such a timer when its thread leaves a processor and sets it when it comes back.
 * Whenever it is the next timer of the processor, hardware has to be set as well, which in a
 * virtual machine leaves the guest, twice a switch. That is most of the time where it comes before
 * the kernel's own tick. So where a processor's threads switch all the time, fewer samples are
 * taken there, PERF_EVENTS_TIMER_FEW a second, each of which stands for more time.
 */
#ifndef TARE_SAMPLER_TIMER_THIN_H
#define TARE_SAMPLER_TIMER_THIN_H

#include "sampler/perf_events.h"
#include "sampler/switch_rate.h"

enum {
	TIMER_THIN_LOOK_NS = 20000000,
	TIMER_THIN_SAMPLES = 100 /* a recording's first ones all come: a short run has no others */
};

/* Switches of a processor in a second. */
#define TIMER_THIN_LIMITS ((struct switch_limits){.many = 4000, .few = 2000})

struct thinned_processor {
	int switches;  /* descriptor; -1: not open */
	bool is_noted; /* since the last look */
	uint64_t noted_time;
	uint64_t count; /* its switches until then */
	struct switch_rate rate;
};

struct timer_thin {
	struct perf_events *events;
	/* One per ring; none: of no use, or refused. */
	struct vec_of(struct thinned_processor) processors;
	uint64_t looked_time;
};

/*
 * For the events and processors of `set`, which stays. Nothing is opened before records have come
 * from a processor, and nothing where the kernel permits this user no events of processors
 * (perf_event_paranoid above 0 without CAP_PERFMON).
 */
void timer_thin_init(struct timer_thin *thin, struct perf_events *set);
void timer_thin_fini(struct timer_thin *thin);

/* A record has come from the ring of this index. */
static inline void timer_thin_note(struct timer_thin *thin, size_t index)
{
	if (index < thin->processors.len)
		thin->processors.data[index].is_noted = true;
}

/*
 * It is `time` (ns) now, and so many samples have been taken: looks, at most each
 * TIMER_THIN_LOOK_NS, how often the processors switch. Not before TIMER_THIN_SAMPLES.
 */
void timer_thin_look(struct timer_thin *thin, uint64_t time, uint64_t samples);

#endif
