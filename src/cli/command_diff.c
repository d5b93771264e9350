/*
 * tare diff: two profiles compared, row by row. Exit status as that of diff: 0 compared, and no
 * gate failed; 1 a gate failed; 2 trouble.
 */
#include "cli/command.h"
#include "cli/compared.h"
#include "cli/newest_profile.h"
#include "cli/print.h"
#include "cli/sink.h"
#include "cli/table_options.h"

#include "report/diff/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct diff_values {
	const char *view, *sort, *columns;
	double min_percent;
	bool paired;
	struct option_list gates, base, new;
	struct profile_values profile;
	struct table_values table;
};

#define AT(member) offsetof(struct diff_values, member)

static const char *const *view_proposals(void)
{
	return diff_view_names;
}

static const char *const format_choices[] = {"text", "csv", "json", "markdown", NULL};
table_covers(format_choices, REPORT_MARKDOWN + 2);

static const struct option diff_command_options[] = {
	{.name = "view",
	 .argument = "VIEW",
	 .help = "What to compare: functions (default), modules, lines, calltree",
	 .type = OPTION_TEXT,
	 .proposals = view_proposals,
	 .offset = AT(view)},
	{.name = "base",
	 .argument = "FILE...",
	 .help = "Profiles of several runs of the base, up to the next option; with --new: "
		 "medians, the interval of their difference, and whether it is more than chance",
	 .type = OPTION_LIST,
	 .many = true,
	 .offset = AT(base)},
	{.name = "new",
	 .argument = "FILE...",
	 .help = "Profiles of several runs that are compared with those of --base",
	 .type = OPTION_LIST,
	 .many = true,
	 .offset = AT(new)},
	{.name = "paired",
	 .help = "The first profile of --new was recorded beside the first one of --base, the "
		 "second beside the second, and so on: compares them in pairs, so that a "
		 "machine that gets slower in the course of it does not count",
	 .type = OPTION_FLAG,
	 .offset = AT(paired)},
	{.name = "fail-if",
	 .argument = "COL>+N%",
	 .help = "Exit with 1 if a row differs so much, or has vanished; e.g. "
		 "'cpu_inclusive>+5%', 'elapsed_exclusive>+10ms', 'calls>1000'; with --base "
		 "and --new also 'cpu_exclusive>+5% significant' (repeatable)",
	 .type = OPTION_LIST,
	 .offset = AT(gates)},
	{.name = "columns",
	 .group = OPTION_ROWS,
	 .argument = "COL[,COL...]",
	 .help = "Compare these columns, or \"all\"; default: exclusive time or samples for "
		 "text, all for CSV and JSON",
	 .type = OPTION_TEXT,
	 .offset = AT(columns)},
	{.name = "sort",
	 .group = OPTION_ROWS,
	 .argument = "ORDER",
	 .help = "By the change (default), change_percent, base, new of the first column "
		 "asked for, else of CPU time or samples; or by name",
	 .type = OPTION_TEXT,
	 .offset = AT(sort)},
	{.name = "min-percent",
	 .group = OPTION_ROWS,
	 .argument = "P",
	 .help = "Leave out rows that have less than P percent of the column in both "
		 "profiles: each gate goes by its own column, what is shown by the first one; "
		 "with --base and --new only the others are tested (default 1)",
	 .type = OPTION_NUMBER,
	 .min = 0,
	 .max = 100,
	 .offset = AT(min_percent)},
	PROFILE_SELECTION_OPTIONS(AT(profile)),
	TABLE_OPTIONS_AS(AT(table), format_choices),
	{0},
};

enum { NOT_GIVEN = -1 };

static const struct diff_values diff_defaults = {
	.view = "functions", .min_percent = NOT_GIVEN, .table = TABLE_DEFAULTS};

static bool compare(const struct diff_values *values, const struct diff_options *options,
		    struct str *failures, struct error *err)
{
	const unsigned flags = table_options_sink(&values->table);
	struct compared compared = {0};
	struct sink sink = {.file = {.fd = -1}};

	const bool lines = strcmp(options->report.view, "lines") == 0;
	bool ok = compared_open(&compared, options->report.profile_path, options->base_path,
				&values->profile, lines ? COMPARED_LINES : COMPARED_TABLE, err) &&
		  sink_open(&sink, values->table.output, flags, err);
	if (ok) {
		ok = diff_write(compared.base.analysis, compared.profile.analysis, options,
				sink.stream, failures, err);
		ok = sink_close(&sink, ok, err);
	}
	compared_close(&compared);
	return ok;
}

/* ---- several runs ---- */

/* The profiles at hand: the first of each side, and the one that was opened last. */
struct runs {
	const struct diff_values *values;
	struct diff_source source;
	struct globs paths[DIFF_SIDES];
	bool with_lines;
	struct compared first[DIFF_SIDES], last;
	bool has_first[DIFF_SIDES];
};

static bool open_run(void *context, enum diff_side side, size_t run,
		     const struct analysis **analysis, struct error *err)
{
	struct runs *runs = context;
	struct compared *into = run ? &runs->last : &runs->first[side];

	if (run || !runs->has_first[side]) {
		compared_close(into);
		*into = (struct compared){0};
		if (!compared_open(into, runs->source.paths[side][run], NULL,
				   &runs->values->profile,
				   runs->with_lines ? COMPARED_LINES : COMPARED_TABLE, err))
			return false;
		runs->has_first[side] |= !run;
	}
	*analysis = into->profile.analysis;
	return true;
}

static bool compare_runs(const struct diff_values *values, const struct diff_options *options,
			 struct str *failures, struct error *err)
{
	const unsigned flags = table_options_sink(&values->table);
	struct runs runs = {.values = values,
			    .with_lines = strcmp(options->report.view, "lines") == 0};
	const struct option_list *lists[DIFF_SIDES] = {&values->base, &values->new};
	struct sink sink = {.file = {.fd = -1}};

	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct analysis_globs paths = globs_of(&runs.paths[side], lists[side]);
		runs.source.count[side] = paths.count;
		runs.source.paths[side] = paths.items;
	}
	runs.source.open = open_run;
	runs.source.context = &runs;
	bool ok = sink_open(&sink, values->table.output, flags, err);
	if (ok) {
		ok = diff_write_runs(&runs.source, options, sink.stream, failures, err);
		ok = sink_close(&sink, ok, err);
	}
	for (int side = 0; side < DIFF_SIDES; side++) {
		compared_close(&runs.first[side]);
		vec_fini(&runs.paths[side]);
	}
	compared_close(&runs.last);
	return ok;
}

static bool check_runs(const struct diff_values *values, const struct operands *operands,
		       struct error *err)
{
	if (!values->base.len || !values->new.len)
		return error_set(err, ERROR_USAGE,
				 "--base and --new go together: tare diff --base A*.tare --new "
				 "B*.tare");
	if (values->paired && values->base.len != values->new.len)
		return error_set(err, ERROR_USAGE,
				 "--paired wants as many profiles of --new as of --base; there are "
				 "%zu and %zu",
				 values->new.len, values->base.len);
	if (operands->count)
		return error_set(err, ERROR_USAGE,
				 "%s is of neither side: all profiles stand behind --base or --new",
				 operands->items[0]);
	if (values->base.len > DIFF_RUNS_MAX || values->new.len > DIFF_RUNS_MAX)
		return error_set(err, ERROR_USAGE, "each side may have at most %d profiles",
				 DIFF_RUNS_MAX);
	return true;
}

/* ---- two profiles ---- */

struct diff_pair {
	char *base, *path;
};

/* BASE NEW; without operands the newest profile, and the one that it has replaced. */
static bool take_pair(const struct operands *operands, struct diff_pair *pair, struct error *err)
{
	static const char usage[] = "tare diff BASE NEW";

	if (!operands->count) {
		pair->path = newest_profile_pair(&command_diff, usage, &pair->base, err);
		return pair->path != NULL;
	}
	if (operands->count != 2)
		return error_set(err, ERROR_USAGE, "which two profiles? %s", usage);
	pair->base = mem_strdup(operands->items[0]);
	pair->path = mem_strdup(operands->items[1]);
	return true;
}

static bool compare_pair(const struct diff_values *values, const struct operands *operands,
			 struct diff_options *options, struct str *failures, struct error *err)
{
	struct diff_pair pair = {.path = NULL};
	bool ok = take_pair(operands, &pair, err);

	if (ok) {
		options->base_path = pair.base;
		options->report.profile_path = pair.path;
		ok = diff_check(options, err) && compare(values, options, failures, err);
	}
	free(pair.base);
	free(pair.path);
	return ok;
}

static int diff_run(const void *opaque, const struct operands *operands, struct error *err)
{
	const struct diff_values *values = opaque;
	const bool of_runs = values->base.len || values->new.len || values->paired;
	struct globs gates = {0};
	struct table_globs globs = {0};
	struct str failures = {0}, text = {0};
	struct diff_options options = {
		.report = {.view = values->view,
			   .sort = values->sort,
			   .columns = values->columns,
			   .min_percent = values->min_percent >= 0 ? values->min_percent : of_runs},
		.gates = globs_of(&gates, &values->gates),
		.is_of_runs = of_runs,
		.is_paired = values->paired,
	};

	table_options_apply(&values->table, &options.report, &globs);
	const bool ok = !of_runs ? compare_pair(values, operands, &options, &failures, err)
				 : check_runs(values, operands, err) && diff_check(&options, err) &&
					   compare_runs(values, &options, &failures, err);
	if (failures.len) {
		str_printf(&text, "tare diff: %s", failures.data);
		print_text(stderr, text.data);
	}
	const int status = failures.len ? EXIT_STATUS_FAILED : EXIT_STATUS_OK;
	str_fini(&failures);
	str_fini(&text);
	table_globs_fini(&globs);
	vec_fini(&gates);
	return ok ? status : -1;
}

const struct command command_diff = {
	.name = "diff",
	.operands = "[BASE NEW]  |  --base FILE... --new FILE...",
	.summary = "compare two profiles, with gates for continuous integration",
	.description =
		"Compares the profile NEW with BASE: for each function (module, source line, "
		"call\n"
		"path) what both have of a value, and by how much it has changed. Rows are "
		"matched\n"
		"by module and name, so that programs that were built anew compare; by "
		"address in\n"
		"files that are the same. Those that only one profile has are \"new\" or\n"
		"\"vanished\". A gate (--fail-if) fails for rows that are beyond its limit by\n"
		"more than the errors of both profiles, and for rows\n"
		"that vanished. Without profiles it is the newest one in this directory, and\n"
		"the one that it has replaced, FILE.old.\n"
		"\n"
		"Times differ from run to run. With several profiles on each side (tare "
		"record\n"
		"--repeat=N) rows have their medians, the 95 % interval of the difference, "
		"and a\n"
		"mark where that is more than chance. Ten runs of each side find differences "
		"of\n"
		"three standard deviations.\n"
		"\n"
		"Exit status: 0 compared and no gate failed, 1 a gate failed, 2 trouble (no "
		"such\n"
		"profile, damaged, wrong command line).",
	.examples = "tare diff                                # the newest profile and the one "
		    "before it\n"
		    "tare diff old.tare new.tare\n"
		    "tare diff old.tare new.tare --fail-if='cpu_inclusive>+5%' --min-percent=1\n"
		    "tare diff --base old.*.tare --new new.*.tare --fail-if='cpu_exclusive>+3% "
		    "significant'\n",
	.options = diff_command_options,
	.defaults = &diff_defaults,
	.values_bytes = sizeof(struct diff_values),
	.run = diff_run,
	.failure_status = EXIT_STATUS_USAGE,
};
