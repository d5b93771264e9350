/*
 * Switches are counted by a pinned event: others of a processor are taken off and put back whenever
 * a thread's events come or go.
 */
#include "sampler/timer_thin.h"

#include <unistd.h>

#define IDLE_NS 500000000ULL /* without a record a processor is looked at no more */

void timer_thin_init(struct timer_thin *thin, struct perf_events *set)
{
	*thin = (struct timer_thin){.events = set};
	for (size_t i = 0; perf_events_have_timers(set) && i < set->processors.len; i++)
		vec_push(&thin->processors, ((struct thinned_processor){.switches = -1}));
}

static void forget(struct timer_thin *thin, size_t index)
{
	struct thinned_processor *processor = &thin->processors.data[index];

	if (processor->switches >= 0)
		close(processor->switches);
	processor->switches = -1;
	perf_events_thin_timers(thin->events, index, false);
}

void timer_thin_fini(struct timer_thin *thin)
{
	for (size_t i = 0; i < thin->processors.len; i++)
		forget(thin, i);
	vec_fini(&thin->processors);
}

static bool read_count(struct thinned_processor *processor, uint64_t *count)
{
	return read(processor->switches, count, sizeof(*count)) == sizeof(*count);
}

/* Begins to count; false where that is refused. */
static bool begin(struct timer_thin *thin, size_t index, uint64_t time)
{
	struct thinned_processor *processor = &thin->processors.data[index];
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
				       .pinned = 1};

	processor->switches = perf_event_open(&attr, PERF_EVERYTHING,
					      thin->events->processors.data[index].number);
	processor->rate = (struct switch_rate){.begin = time};
	return processor->switches >= 0 && read_count(processor, &processor->count);
}

/* Judges by the switches since the last time. */
static bool judge(struct timer_thin *thin, size_t index, uint64_t time)
{
	struct thinned_processor *processor = &thin->processors.data[index];
	uint64_t count;

	if (!read_count(processor, &count))
		return false;
	processor->rate.count += count - processor->count;
	processor->count = count;
	perf_events_thin_timers(thin->events, index,
				switch_rate_look(&processor->rate, &TIMER_THIN_LIMITS, time));
	return true;
}

void timer_thin_look(struct timer_thin *thin, uint64_t time, uint64_t samples)
{
	bool good = true;

	if (samples < TIMER_THIN_SAMPLES || time - thin->looked_time < TIMER_THIN_LOOK_NS)
		return;
	thin->looked_time = time;
	for (size_t i = 0; i < thin->processors.len; i++) {
		struct thinned_processor *processor = &thin->processors.data[i];

		if (processor->is_noted)
			processor->noted_time = time;
		if (time - processor->noted_time > IDLE_NS)
			forget(thin, i);
		else if (processor->switches < 0)
			good &= begin(thin, i, time);
		else
			good &= judge(thin, i, time);
		processor->is_noted = false;
	}
	if (!good)
		timer_thin_fini(thin);
}
