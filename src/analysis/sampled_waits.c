/*
 * What threads waited for, of recordings that only sample: from the samples of the event off-cpu,
 * each of which is a wait and weighs its time. The function that waits is the outermost one of the
 * system's below the program's own caller, as the names of those within it are often not known;
 * without such a caller, the innermost one outside of the kernel. Objects are not known.
 */
#include "analysis/private.h"
#include "analysis/sample_stacks.h"

#include <fnmatch.h>
#include <string.h>

#define NS_PER_SECOND 1e9

enum { KERNEL_BIT = 63 }; /* of addresses on x86-64 */

struct sampled_waits {
	struct analysis *analysis;
	struct map known; /* caller, function, idle → wait */
};

static bool is_system(const struct analysis *analysis, uint32_t function)
{
	return analysis->modules.data[analysis->functions.data[function].module].system;
}

/* As analysis_os_is_idle, by the names of the C library's functions. */
static bool waits_for_work(const char *name)
{
	static const char *const waits[] = {"*epoll_*wait*",
					    "*poll",
					    "*select",
					    "*pselect*",
					    "*accept",
					    "*accept4",
					    "*wait4",
					    "*waitpid",
					    "*waitid",
					    "*nanosleep*",
					    "*usleep",
					    "sleep",
					    "pause",
					    "*sigsuspend",
					    "*sigtimedwait",
					    "*cond_*wait*",
					    "*pthread_*join*",
					    "*thread::join*",
					    "*condition_variable*wait*"};

	for (size_t i = 0; i < TABLE_COUNT(waits); i++)
		if (fnmatch(waits[i], name, 0) == 0)
			return true;
	return false;
}

struct wait_place analysis_wait_place(const struct analysis *analysis, int64_t stack)
{
	size_t count;
	const struct profile_stack *stacks = profile_stacks(analysis->profile, &count);
	const struct profile_location *locations = profile_locations(analysis->profile, &count);
	struct wait_place place = {.function = ANALYSIS_NONE, .caller = ANALYSIS_NONE};
	uint32_t innermost = ANALYSIS_NONE;

	for (int64_t at = stack; at; at = stacks[at - 1].parent) {
		const struct profile_location *location = &locations[stacks[at - 1].location - 1];
		const uint32_t function = analysis->function_of[location->function - 1];
		if (location->link_addr >> KERNEL_BIT)
			continue;
		if (innermost == ANALYSIS_NONE)
			place.function = innermost = function;
		if (!is_system(analysis, function)) {
			place.caller = function == innermost ? ANALYSIS_NONE : function;
			return place;
		}
		place.idle |= waits_for_work(analysis->functions.data[function].name);
		place.function = function;
	}
	place.function = innermost;
	return place;
}

struct analysis_sampled_wait analysis_waits_at(const struct wait_place *place)
{
	return (struct analysis_sampled_wait){.idle = place->idle,
					      .os = {.function = place->function,
						     .caller = place->caller,
						     .cause = TARE_OS_BLOCKED,
						     .syscall_number = -1,
						     .holder = ANALYSIS_NONE,
						     .holder_thread = ANALYSIS_NONE}};
}

bool analysis_stack_is_idle(const struct analysis *analysis, int64_t stack)
{
	return analysis_wait_place(analysis, stack).idle;
}

static void take(struct sampled_waits *waits, const struct sample_value *value)
{
	struct analysis *analysis = waits->analysis;
	const struct wait_place place = analysis_wait_place(analysis, value->stack);
	const uint64_t ticks =
		(uint64_t)((double)value->weight * (analysis->ticks_per_second / NS_PER_SECOND));
	const uint64_t key = ((uint64_t)place.caller << 32 | place.function) ^ (uint64_t)place.idle
										       << 63;
	const uint64_t fresh = analysis->sampled_waits.len;
	const uint64_t index = *map_put(&waits->known, key, fresh);

	if (index == fresh)
		vec_push(&analysis->sampled_waits, analysis_waits_at(&place));
	analysis->sampled_waits.data[index].os.count += value->samples;
	analysis->sampled_waits.data[index].os.ticks += ticks;
	analysis->totals.sampled_waits += ticks;
}

int64_t analysis_event_id(const struct profile *profile, const char *name)
{
	size_t count;
	const struct profile_event *events = profile_events(profile, &count);

	for (size_t i = 0; i < count; i++)
		if (events[i].name && strcmp(events[i].name, name) == 0)
			return (int64_t)i + 1;
	return 0;
}

bool analysis_load_sampled_waits(struct analysis *analysis, struct profile *profile,
				 struct error *err)
{
	struct sampled_waits waits = {.analysis = analysis};
	const int64_t event = analysis->has_calls ? 0 : analysis_event_id(profile, "off-cpu");
	struct sample_values values = {0};
	uint64_t truncated = 0;

	if (!event)
		return true;
	map_init(&waits.known);
	const bool ok = sample_values_load(analysis, profile, event, &values, &truncated, err);
	for (size_t i = 0; ok && i < values.len; i++)
		take(&waits, &values.data[i]);
	vec_fini(&values);
	map_fini(&waits.known);
	return ok;
}
