/*
 * What of a profile is shown: calls or samples, and the samples of which event. Refuses what the
 * profile has not, with what to record.
 */
#include "analysis/private.h"

#include <string.h>

static bool no_samples(const struct analysis *analysis, struct error *err)
{
	const char *method = profile_session(analysis->profile)->method;

	return error_set(err, ERROR_NOT_FOUND,
			 "the profile has no samples, it was recorded with --method=%s; tare "
			 "record --method=sample records them",
			 method && method[0] ? method : "instrument");
}

static bool no_calls(struct error *err)
{
	return error_set(err, ERROR_NOT_FOUND,
			 "the profile has samples only and no calls or times of functions; tare "
			 "record --method=instrument records them");
}

static bool event_unknown(const struct profile_event *events, size_t count, const char *wanted,
			  struct error *err)
{
	struct vec_of(const char *) names = {0};
	struct str list = {0};

	for (size_t i = 0; i < count; i++) {
		const char *name = events[i].name ? events[i].name : "";
		vec_push(&names, name);
		str_printf(&list, "%s%s", i ? ", " : "", name);
	}
	const char *nearest = str_nearest(wanted, names.data, names.len);
	error_set(err, ERROR_NOT_FOUND, "the profile has no event \"%s\"; %s%s%s", wanted,
		  nearest ? "did you mean \"" : "it has ", nearest ? nearest : list.data,
		  nearest ? "\"?" : "");
	vec_fini(&names);
	str_fini(&list);
	return false;
}

static bool choose_event(struct analysis *analysis, const char *wanted, struct error *err)
{
	size_t count;
	const struct profile_event *events = profile_events(analysis->profile, &count);

	if (!count)
		return !wanted || no_samples(analysis, err);
	analysis->event = events;
	for (size_t i = 0; wanted && i <= count; i++) {
		if (i == count)
			return event_unknown(events, count, wanted, err);
		analysis->event = &events[i];
		if (events[i].name && strcmp(events[i].name, wanted) == 0)
			break;
	}
	analysis->by_weight = analysis_event_is_of_waits(analysis->event);
	return true;
}

/* Where probes saw nothing of what samples saw, there is nothing to show of calls. */
static bool only_samples_saw(struct profile *profile)
{
	size_t stack_count;

	profile_stacks(profile, &stack_count);
	return stack_count && profile_nodes_at_most(profile) == 0;
}

/* Calls, unless an event was asked for, or lines that only samples have. */
static enum analysis_method choose_method(const struct analysis *analysis,
					  const struct analysis_options *options, bool sampled,
					  bool sites)
{
	if (options->call_places && sampled && (!sites || options->sampled_places))
		return ANALYSIS_SAMPLE;
	return analysis->has_calls && !options->event ? ANALYSIS_INSTRUMENT : ANALYSIS_SAMPLE;
}

bool analysis_choose(struct analysis *analysis, struct profile *profile,
		     const struct analysis_options *options, struct error *err)
{
	const char *recorded = profile_session(profile)->method;

	if (!choose_event(analysis, options->event, err))
		return false;
	const bool sampled = analysis->event || (recorded && strstr(recorded, "sample"));
	analysis->has_calls = !sampled || (recorded && strstr(recorded, "instrument"));
	analysis->method = options->method;
	const bool sites = (options->call_places || options->call_targets) &&
			   profile_has_call_sites(analysis->profile);
	if (analysis->method == ANALYSIS_AUTO)
		analysis->method = only_samples_saw(profile)
					   ? ANALYSIS_SAMPLE
					   : choose_method(analysis, options, sampled, sites);
	analysis->by_call_site = sites && analysis->method == ANALYSIS_INSTRUMENT;
	analysis->places_call =
		sites && options->sampled_places && analysis->method == ANALYSIS_SAMPLE;
	if (analysis->method == ANALYSIS_SAMPLE && !sampled)
		return no_samples(analysis, err);
	if (analysis->method == ANALYSIS_INSTRUMENT && !analysis->has_calls)
		return no_calls(err);
	if (analysis->method == ANALYSIS_INSTRUMENT && (options->from || options->to))
		return error_set(
			err, ERROR_NOT_FOUND,
			"--from and --to choose among samples, or events of the calltrace; "
			"times of calls are sums over the whole recording%s",
			sampled ? ": add --method=sample" : "");
	return true;
}
