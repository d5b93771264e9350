/*
 * Both events are pinned: others of a processor are taken off and put back whenever a thread's
 * events come or go, and a timer that is set anew each time covers nothing. The timer's event
 * writes nowhere.
 */
#include "sampler/timer_cover.h"

#include <unistd.h>

#define IDLE_NS 500000000ULL /* without a record a processor is looked at no more */

void timer_cover_init(struct timer_cover *cover, const struct perf_events *set)
{
	bool wanted = false;

	*cover = (struct timer_cover){0};
	for (size_t i = 0; i < set->options.event_count; i++)
		wanted |= event_is_by_timer(&set->options.events[i]);
	for (size_t i = 0; wanted && i < set->processors.len; i++)
		vec_push(&cover->processors,
			 ((struct covered_processor){.number = set->processors.data[i].number,
						     .switches = -1,
						     .timer = -1}));
}

static void close_descriptor(int *descriptor)
{
	if (*descriptor >= 0)
		close(*descriptor);
	*descriptor = -1;
}

static void forget(struct covered_processor *processor)
{
	close_descriptor(&processor->switches);
	close_descriptor(&processor->timer);
}

void timer_cover_fini(struct timer_cover *cover)
{
	vec_foreach (processor, &cover->processors)
		forget(processor);
	vec_fini(&cover->processors);
}

static int open_pinned(uint64_t config, uint64_t period, int processor)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = config,
				       .sample_period = period,
				       .pinned = 1};

	return perf_event_open(&attr, PERF_EVERYTHING, processor);
}

static bool read_count(struct covered_processor *processor, uint64_t *count)
{
	return read(processor->switches, count, sizeof(*count)) == sizeof(*count);
}

/* Begins to count; false where that is refused. */
static bool begin(struct covered_processor *processor, uint64_t time)
{
	processor->switches = open_pinned(PERF_COUNT_SW_CONTEXT_SWITCHES, 0, processor->number);
	processor->rate = (struct switch_rate){.begin = time};
	return processor->switches >= 0 && read_count(processor, &processor->count);
}

/* Judges by the switches since the last time; false where a timer is refused. */
static bool judge(struct covered_processor *processor, uint64_t time)
{
	uint64_t count;

	if (!read_count(processor, &count))
		return false;
	processor->rate.count += count - processor->count;
	processor->count = count;
	const bool many = switch_rate_look(&processor->rate, time);

	if (!many)
		close_descriptor(&processor->timer);
	else if (processor->timer < 0)
		processor->timer =
			open_pinned(PERF_COUNT_SW_CPU_CLOCK, TIMER_COVER_NS, processor->number);
	return !many || processor->timer >= 0;
}

void timer_cover_look(struct timer_cover *cover, uint64_t time)
{
	bool good = true;

	if (time - cover->looked_time < TIMER_COVER_LOOK_NS)
		return;
	cover->looked_time = time;
	vec_foreach (processor, &cover->processors) {
		if (processor->is_noted)
			processor->noted_time = time;
		if (time - processor->noted_time > IDLE_NS)
			forget(processor);
		else if (processor->switches < 0)
			good &= begin(processor, time);
		else
			good &= judge(processor, time);
		processor->is_noted = false;
	}
	if (!good)
		timer_cover_fini(cover);
}
