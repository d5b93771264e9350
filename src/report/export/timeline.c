/* The events of a timeline with their names. */
#include "report/export/timeline.h"

#include "analysis/syscalls.h"
#include "analysis/thread_states.h"
#include "report/words/name.h"

bool timeline_range(const struct analysis *analysis, const struct export_options *options,
		    uint64_t *from_ticks, uint64_t *to_ticks, struct error *err)
{
	/* Streaming moves the profile's cursor only: its contents stay as they are. */
	struct profile *profile = (struct profile *)analysis->profile;

	*from_ticks = *to_ticks = 0;
	return (!options->from ||
		analysis_time_parse(analysis, profile, options->from, false, from_ticks, err)) &&
	       (!options->to ||
		analysis_time_parse(analysis, profile, options->to, true, to_ticks, err));
}

bool timeline_open(struct timeline *timeline, const struct analysis *analysis,
		   const struct export_options *options, struct error *err)
{
	struct profile *profile = (struct profile *)analysis->profile;
	struct analysis_trace_options range = {.balanced = true,
					       .depth_max = (uint32_t)options->depth};
	struct str name = {0};

	*timeline = (struct timeline){.analysis = analysis};
	if (!timeline_range(analysis, options, &range.from_ticks, &range.to_ticks, err))
		return false;
	timeline->trace = analysis_trace_open(analysis, profile, &range, err);
	if (!timeline->trace && !(err->code == ERROR_NOT_FOUND && thread_states_any(analysis)))
		return false;
	arena_init(&timeline->arena);
	timeline->names = arena_array(&timeline->arena, const char *, analysis->functions.len + 1);
	for (size_t i = 0; i < analysis->functions.len; i++) {
		str_clear(&name);
		name_append_utf8(&name, analysis->functions.data[i].name);
		timeline->names[i] = arena_strdup(&timeline->arena, name.data ? name.data : "");
	}
	str_fini(&name);
	return true;
}

int timeline_next(struct timeline *timeline, struct analysis_trace_event *event, struct error *err)
{
	return timeline->trace ? analysis_trace_next(timeline->trace, event, err) : 0;
}

struct analysis_trace_totals timeline_totals(const struct timeline *timeline)
{
	return timeline->trace ? *analysis_trace_totals(timeline->trace)
			       : (struct analysis_trace_totals){0};
}

void timeline_close(struct timeline *timeline)
{
	analysis_trace_close(timeline->trace);
	arena_fini(&timeline->arena);
}

const char *timeline_name(const struct timeline *timeline, const struct analysis_trace_event *event)
{
	return event->function == ANALYSIS_NONE ? "[unknown function]"
						: timeline->names[event->function];
}

void timeline_put_name(struct str *out, const char *name)
{
	str_clear(out);
	name_append_utf8(out, name ? name : "");
	if (!out->data)
		str_append(out, "");
}

const char *timeline_note(const struct analysis_trace_event *event, struct str *scratch)
{
	const char *call = syscall_name(event->syscall_number);

	str_clear(scratch);
	switch (event->kind) {
	case TRACE_OS:
		str_printf(scratch, "OS: %s", analysis_causes[event->cause].name);
		if (call)
			str_printf(scratch, " (%s)", call);
		break;
	case TRACE_MARK:
		str_printf(scratch, "mark %lld", (long long)event->mark);
		if (event->mark_name) {
			str_append(scratch, " ");
			name_append_utf8(scratch, event->mark_name);
		}
		break;
	case TRACE_OFF:
		str_append(scratch, "not recorded from here on");
		break;
	case TRACE_ON:
		str_append(scratch, "recorded again");
		break;
	case TRACE_LOST:
		str_printf(scratch, "%llu events are missing", (unsigned long long)event->lost);
		break;
	default:
		return NULL;
	}
	return scratch->data;
}
