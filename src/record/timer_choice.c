/* Where this process may not sample itself, nothing can be sampled by perf_event_open. */
#include "record/timer_choice.h"

#include "sampler/sampler.h"
#include "sampler/signal_cost.h"

#include <stdio.h>
#include <string.h>

void timer_choice_examine(struct timer_choice *choice)
{
	struct error err;

	*choice = (struct timer_choice){0};
	choice->by_timers = !sampler_is_permitted(&err) && err.code == ERROR_PERMISSION;
	if (choice->by_timers)
		snprintf(choice->reason, sizeof(choice->reason),
			 "threads are sampled by timers of their processor time, as "
			 "perf_event_open is refused: %.500s",
			 err.message);
}

/* What timers cannot do, or NULL. */
static const char *beyond_timers(const struct sampling *sampling)
{
	const struct record_sampling *options = sampling->options;

	if (options->everything)
		return "--all";
	if (options->off_cpu)
		return "--off-cpu";
	if (options->wakers)
		return "--wakers";
	if (options->by_frame_pointer)
		return "--unwind=fp";
	vec_foreach (event, &sampling->events) {
		if (strcmp(event->name, "cpu-clock") != 0 && strcmp(event->name, "task-clock") != 0)
			return event->name;
		if (sampling->events.len > 1 || event->period)
			return "--event with a period, or more than one,";
	}
	return NULL;
}

void timer_choice_measure(const struct timer_choice *choice, struct recording *recording)
{
	if (!choice->by_timers)
		return;
	const struct signal_cost cost = signal_cost_measure();

	recording_put_number(recording, "timer_ns", (int64_t)cost.timer_ns);
	recording_put_number(recording, "signal_ns", (int64_t)cost.signal_ns);
}

static const char *refusal_of(const struct timer_choice *choice)
{
	static const char before[] = "refused: ";
	const char *at = strstr(choice->reason, before);

	return at ? at + strlen(before) : choice->reason;
}

bool timer_choice_make(struct timer_choice *choice, const struct sampling *sampling,
		       struct error *err)
{
	timer_choice_examine(choice);
	const char *beyond = choice->by_timers ? beyond_timers(sampling) : NULL;

	if (!beyond)
		return true;
	return error_set(err, ERROR_PERMISSION,
			 "%s takes perf_event_open, which is refused here (without it, timers "
			 "sample the processor time of commands): %.500s",
			 beyond, refusal_of(choice));
}

bool timer_choice_explain(struct error *err)
{
	struct error ignored;

	if (err->code != ERROR_PERMISSION || sampler_is_permitted(&ignored))
		return false;
	return error_prefix(err, "only a command that tare starts can be sampled here, by timers "
				 "in its processes");
}

bool timer_choice_refuse(const struct timer_choice *choice, const char *path, struct error *err)
{
	return error_set(err, ERROR_PERMISSION,
			 "%s is a static executable that the timers which would sample it cannot "
			 "be brought into (a Go program, mostly), and perf_event_open, which needs "
			 "nothing in it, is refused: %.400s",
			 path, refusal_of(choice));
}
