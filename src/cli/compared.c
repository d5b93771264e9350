/*
 * Refuses a selection in which nothing of the profile is left; of the base it may be nothing.
 * Refuses to compare calls with samples.
 */
#include "cli/compared.h"

/* A page has the lines that calls were made from where they are known, else those of samples. */
static bool open_one(struct compared_profile *one, const char *path,
		     const struct analysis_options *options, struct error *err)
{
	struct analysis_options own = *options;

	one->path = path;
	one->profile = profile_open(path, err);
	if (!one->profile)
		return false;
	own.call_places |= own.places && own.times && profile_has_call_sites(one->profile);
	one->analysis = analysis_open(one->profile, &own, err);
	return one->analysis != NULL;
}

/* The samples beside calls: of a page as `tare annotate` has them. */
static bool open_lines(struct compared_profile *one, const struct analysis_options *options,
		       enum compared_use use, struct error *err)
{
	const struct analysis *shown = one->analysis;
	struct analysis_options own = *options;

	if (shown->method != ANALYSIS_INSTRUMENT || !shown->event)
		return true;
	own.method = ANALYSIS_SAMPLE;
	own.call_places = own.sampled_places = use == COMPARED_PAGE;
	own.times = own.coverage_functions = false;
	one->lines = analysis_open(one->profile, &own, err);
	return one->lines != NULL;
}

static void close_one(struct compared_profile *one)
{
	analysis_close(one->lines);
	analysis_close(one->analysis);
	profile_close(one->profile);
}

/* A table has them beside times of the whole run. */
static bool wants_executions(enum compared_use use, const struct profile_values *values)
{
	switch (use) {
	case COMPARED_PAGE:
	case COMPARED_EXECUTIONS:
	case COMPARED_PATH_LINES:
	case COMPARED_LINES:
		return true;
	case COMPARED_TABLE:
		return !values->from && !values->to;
	case COMPARED_EVENTS:
	case COMPARED_PATHS:
	case COMPARED_FLEET:
		return false;
	}
	return false;
}

bool compared_open(struct compared *compared, const char *path, const char *base,
		   const struct profile_values *values, enum compared_use use, struct error *err)
{
	*compared = (struct compared){0};
	profile_selection_init(&compared->selection, values);
	struct analysis_options *options = &compared->selection.options;
	options->root_by_thread = use == COMPARED_PATHS || use == COMPARED_PATH_LINES;
	options->node_lines = use == COMPARED_PATH_LINES;
	options->places = use == COMPARED_PAGE || use == COMPARED_LINES;
	options->call_places = use == COMPARED_LINES;
	options->executions = wants_executions(use, values);
	options->coverage_functions = use == COMPARED_PAGE;
	options->times = use == COMPARED_PAGE || use == COMPARED_EVENTS;
	options->sample_stacks = use == COMPARED_PATHS;
	options->from = use != COMPARED_EVENTS ? values->from : NULL;
	options->to = use != COMPARED_EVENTS ? values->to : NULL;
	if (!open_one(&compared->profile, path, options, err))
		return false;
	if (!compared->profile.analysis->totals.threads &&
	    (options->threads.count || options->processes.count))
		return error_set(err, ERROR_NOT_FOUND,
				 "no process or thread of %s matches; the threads view lists them",
				 path);
	if ((use == COMPARED_PAGE || use == COMPARED_FLEET) &&
	    !open_lines(&compared->profile, options, use, err))
		return false;
	if (!base)
		return true;
	if (!open_one(&compared->base, base, options, err))
		return false;
	if (compared->base.analysis->method != compared->profile.analysis->method)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s and %s cannot be compared: one has calls, the other samples",
				 path, base);
	return true;
}

void compared_close(struct compared *compared)
{
	close_one(&compared->profile);
	close_one(&compared->base);
	profile_selection_fini(&compared->selection);
}
