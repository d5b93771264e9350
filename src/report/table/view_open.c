/*
 * Finds a view by its name, checks what is asked of it, and fills its tables. Refuses unknown
 * views, and those that the profile has no data for.
 */
#include "analysis/waker_stacks.h"
#include "report/table/calltree.h"
#include "report/table/row_filter.h"
#include "report/table/table.h"

#include <ctype.h>
#include <string.h>

/* ---- views by name ---- */

const char *const *report_view_names(void)
{
	static const char *names[VIEW_COUNT + 1];
	size_t count = 0;

	for (size_t i = 0; i < report_view_count; i++)
		if (report_views[i].name)
			names[count++] = report_views[i].name;
	names[count] = NULL;
	return names;
}

/* With the variant of it that the options ask for. */
static const struct view *view_find(const char *name, const struct report_options *options)
{
	for (size_t i = 0; i < report_view_count; i++) {
		const struct view *view = &report_views[i];
		if (!view->name || strcmp(view->name, name) != 0)
			continue;
		const bool variant = options && ((view->id == VIEW_COVERAGE && options->verbose) ||
						 (view->id == VIEW_CALLTREE && options->inverted));
		return variant ? view + 1 : view;
	}
	return NULL;
}

/* Beside times of the whole run, as it is not known when an instruction was executed. */
static bool counts_instructions(const struct view *view, const struct report_options *options)
{
	return (view->id == VIEW_FUNCTIONS || view->id == VIEW_MODULES) && !options->from &&
	       !options->to;
}

void report_select(const struct report_options *options, struct analysis_options *selection)
{
	const struct view *view = view_find(options->view, options);

	selection->places = view->needs == NEEDS_PLACES;
	selection->call_places = selection->sampled_places = selection->places;
	selection->executions = selection->places || view->needs == NEEDS_EXECUTIONS ||
				counts_instructions(view, options);
	selection->call_targets = view->id == VIEW_BRANCHES;
	selection->code = view->id == VIEW_INSTRUCTIONS || selection->call_targets;
	selection->merge_threads |= view->id == VIEW_SUMMARY;
	if (view->streams || view->has_time)
		return;
	selection->from = options->from;
	selection->to = options->to;
}

bool report_view_needs_function(const char *view)
{
	const struct view *found = view_find(view, NULL);

	return found && found->needs_function;
}

/* The view that others call so, or one with a name like that; NULL: there is none. */
static const char *view_meant(const char *word)
{
	static const struct {
		const char *word, *view;
	} others[] = {{"waits", "os"},		{"blocked", "os"},
		      {"syscalls", "os"},	{"hotspots", "functions"},
		      {"flat", "functions"},	{"symbols", "functions"},
		      {"tree", "calltree"},	{"callgraph", "calltree"},
		      {"callees", "callers"},	{"butterfly", "callers"},
		      {"libraries", "modules"}, {"dsos", "modules"},
		      {"mutexes", "locks"},	{"contention", "locks"},
		      {"source", "annotate"},	{"disassembly", "annotate"},
		      {"overview", "summary"}};
	const char *const *names = report_view_names();
	size_t count = 0;

	for (size_t i = 0; i < TABLE_COUNT(others); i++)
		if (strcmp(word, others[i].word) == 0)
			return others[i].view;
	while (names[count])
		count++;
	return str_nearest(word, names, count);
}

static const struct view *view_require(const struct report_options *options, struct error *err)
{
	const struct view *view = view_find(options->view, options);

	if (view)
		return view;
	const char *nearest = view_meant(options->view);
	if (nearest)
		error_set(err, ERROR_USAGE, "unknown view \"%s\"; did you mean \"%s\"?",
			  options->view, nearest);
	else
		error_set(err, ERROR_USAGE, "unknown view \"%s\"; tare report --help lists them",
			  options->view);
	return NULL;
}

/* What an expression has and no name of a function that is not between slashes. */
bool report_filter_is_expression(const char *filter)
{
	const char *at = filter + strspn(filter, " (");
	size_t word = 0;

	if (str_starts_with(at, "not "))
		return true;
	while (isalnum((unsigned char)at[word]) || at[word] == '_')
		word++;
	if (word == strlen("operator") && str_starts_with(at, "operator"))
		return false;
	at += word;
	at += strspn(at, " ");
	return word && (strchr("<>=~", *at) ? *at != 0 : at[0] == '!' && strchr("=~", at[1]));
}

static bool filters_check(const struct report_options *options, const struct view *view,
			  struct error *err)
{
	for (size_t i = 0; i < options->expressions.count; i++) {
		struct filter *filter = filter_parse(options->expressions.items[i], view, err);
		if (!filter)
			return false;
		filter_free(filter);
	}
	return true;
}

bool report_check(const struct report_options *options, struct error *err)
{
	const struct view *view = view_require(options, err);

	if (!view)
		return false;
	if (view->needs_function != (options->function != NULL))
		return error_set(err, ERROR_USAGE,
				 view->needs_function ? "the view %s needs a function: tare report "
							"%s FUNCTION FILE"
						      : "the view %s takes no function; use "
							"--function=%s",
				 view->name, options->function ? options->function : view->name);
	return report_check_allowed(options, view->id, err) &&
	       report_check_columns(options, view, err) && filters_check(options, view, err);
}

/* ---- opening ---- */

void report_close(struct report *report)
{
	for (size_t i = 0; i < report->table_count; i++)
		vec_fini(&report->tables[i].rows);
	for (size_t i = 0; i < report->edges_count; i++)
		analysis_edges_fini(&report->edges[i]);
	vec_foreach (filter, &report->filters)
		filter_free(*filter);
	vec_fini(&report->filters);
	vec_fini(&report->marks);
	vec_fini(&report->comparisons);
	if (report->annotated)
		analysis_annotation_fini(&report->annotation);
	analysis_cpu_use_fini(&report->cpu);
	analysis_outline_fini(&report->outline);
	analysis_ranks_fini(&report->ranks);
	report_kept_fini(&report->kept);
	arena_fini(&report->arena);
}

bool report_has_event(const struct analysis *analysis, const char *name)
{
	size_t count;
	const struct profile_event *events = profile_events(analysis->profile, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(events[i].name, name))
			return true;
	return false;
}

/* Whether the profile has what the view shows. */
static bool view_has_data(const struct report *report, struct error *err)
{
	const struct analysis *analysis = report->analysis;
	const struct view *view = report->view;
	const bool sampled = analysis->event || analysis->method == ANALYSIS_SAMPLE;

	if (view->id == VIEW_OS && !analysis->has_calls && report_has_event(analysis, "off-cpu"))
		return error_set(err, ERROR_NOT_FOUND,
				 "the view os needs calls, and the waits of this profile were "
				 "sampled: tare report functions --event=off-cpu, or calltree, "
				 "shows them");
	if (view->id == VIEW_WAKERS && !analysis->wakers.len)
		return analysis_no_wakers(analysis, err);
	if (view->needs == NEEDS_CALLS && !analysis->has_calls)
		return error_set(err, ERROR_NOT_FOUND,
				 "the view %s needs calls, and the profile has samples only; tare "
				 "record --method=instrument%s records them",
				 view->name, view->streams ? " --trace" : "");
	if (view->streams && analysis->method == ANALYSIS_SAMPLE)
		return error_set(err, ERROR_USAGE,
				 "the view %s shows events of calls; leave out --method=sample and "
				 "--event",
				 view->name);
	if (view->needs == NEEDS_PLACES && !analysis->by_call_site && !analysis->executions &&
	    analysis->method == ANALYSIS_INSTRUMENT)
		return error_set(err, ERROR_NOT_FOUND,
				 "the view %s needs samples or call sites, and the %s only timed "
				 "per function; %s, tare record --call-sites where calls were "
				 "made from",
				 view->name,
				 sampled ? "calls of the profile are" : "profile has calls",
				 sampled ? "--method=sample shows the samples"
					 : "tare record --method=sample records samples");
	if (view->needs == NEEDS_EXECUTIONS && !analysis->executions)
		return error_set(err, ERROR_NOT_FOUND,
				 "the view %s needs executions, and the profile has none; tare "
				 "record --lines counts them",
				 view->name);
	if (report->options->never && !analysis->executions)
		return error_set(err, ERROR_NOT_FOUND,
				 "--never needs executions, and the profile has none; tare record "
				 "--lines counts them");
	if (view->needs == NEEDS_BOTH && (!sampled || !analysis->has_calls))
		return error_set(err, ERROR_NOT_FOUND,
				 "the view %s compares calls with samples, and the profile has %s "
				 "only; tare record --method=instrument,sample records both",
				 view->name, sampled ? "samples" : "calls");
	return true;
}

static bool filters_open(struct report *report, struct error *err)
{
	const struct analysis_globs *texts = &report->options->expressions;

	for (size_t i = 0; i < texts->count; i++) {
		struct filter *filter = filter_parse(texts->items[i], report->view, err);
		if (!filter)
			return false;
		vec_push(&report->filters, filter);
		if (!filter_applies(filter, report, err))
			return false;
	}
	return true;
}

bool report_prepare(struct report *report, const struct analysis *analysis,
		    const struct report_options *options, struct error *err)
{
	*report = (struct report){.analysis = analysis, .options = options};
	if (!report_check(options, err))
		return false;
	report->view = view_find(options->view, options);
	if (!view_has_data(report, err) ||
	    !report_columns_have_data(report, options->columns, err) ||
	    !report_columns_have_data(report, options->sort, err))
		return false;
	arena_init(&report->arena);
	if (filters_open(report, err))
		return true;
	report_close(report);
	return false;
}

bool report_open(struct report *report, const struct analysis *analysis,
		 const struct report_options *options, struct error *err)
{
	if (!report_prepare(report, analysis, options, err))
		return false;
	if (report->view->fill(report, err))
		return true;
	report_close(report);
	return false;
}
