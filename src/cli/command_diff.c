/*
 * tare diff: two profiles compared, row by row. Exit status as that of diff: 0 compared, and no
 * gate failed; 1 a gate failed; 2 trouble.
 */
#include "cli/command.h"
#include "cli/compared.h"
#include "cli/sink.h"
#include "cli/text_look.h"

#include "report/diff.h"

#include <stdio.h>
#include <string.h>

struct diff_values {
	const char *view, *sort, *columns, *output;
	int64_t limit;
	double min_percent;
	struct option_list modules, functions, gates;
	struct profile_values profile;
	int unit, format, color; /* indexes of choices */
	bool no_pager;
};

static const char *const unit_choices[] = {"ms", "ticks", NULL};
static const char *const format_choices[] = {"text", "csv", "json", NULL};

#define AT(member) offsetof(struct diff_values, member)

static const struct option diff_command_options[] = {
	{.name = "view",
	 .argument = "VIEW",
	 .help = "What to compare: functions (default), modules, lines, calltree",
	 .type = OPTION_TEXT,
	 .offset = AT(view)},
	{.name = "fail-if",
	 .argument = "COL>+N%",
	 .help = "Exit with 1 if a row differs so much, or has vanished; e.g. "
		 "'application_inclusive>+5%', 'elapsed_exclusive>+10ms', 'calls>1000' "
		 "(repeatable)",
	 .type = OPTION_LIST,
	 .offset = AT(gates)},
	{.name = "columns",
	 .argument = "COL[,COL...]",
	 .help = "Compare these columns, or \"all\"; default: exclusive time or samples for text, "
		 "all for CSV and JSON",
	 .type = OPTION_TEXT,
	 .offset = AT(columns)},
	{.name = "sort",
	 .argument = "ORDER",
	 .help = "By the first column's change (default), change_percent, base, new, or by name",
	 .type = OPTION_TEXT,
	 .offset = AT(sort)},
	{.name = "limit",
	 .argument = "N",
	 .help = "Show at most N rows, 0 for all; default: all for CSV and JSON, few for text",
	 .type = OPTION_INTEGER,
	 .offset = AT(limit)},
	{.name = "min-percent",
	 .argument = "P",
	 .help = "Leave out rows below P percent of the inclusive value in both profiles, for the "
		 "gates too",
	 .type = OPTION_NUMBER,
	 .min = 0,
	 .max = 100,
	 .offset = AT(min_percent)},
	{.name = "module",
	 .argument = "GLOB",
	 .help = "Compare only modules of this name or path (repeatable)",
	 .type = OPTION_LIST,
	 .offset = AT(modules)},
	{.name = "function",
	 .argument = "GLOB",
	 .help = "Compare only functions of this name (repeatable)",
	 .type = OPTION_LIST,
	 .offset = AT(functions)},
	PROFILE_SELECTION_OPTIONS(AT(profile)),
	{.name = "unit",
	 .help = "Times in milliseconds (CSV, JSON: nanoseconds) or in clock ticks",
	 .type = OPTION_CHOICE,
	 .choices = unit_choices,
	 .offset = AT(unit)},
	{.name = "format",
	 .help = "What to write",
	 .type = OPTION_CHOICE,
	 .choices = format_choices,
	 .offset = AT(format)},
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "Write to FILE instead of the standard output",
	 .type = OPTION_TEXT,
	 .offset = AT(output)},
	{.name = "color",
	 .help = "Colour text; auto: on a terminal, unless NO_COLOR is set",
	 .type = OPTION_CHOICE,
	 .choices = text_color_choices,
	 .fallback = "always",
	 .offset = AT(color)},
	{.name = "no-pager",
	 .help = "Do not page through $PAGER",
	 .type = OPTION_FLAG,
	 .offset = AT(no_pager)},
	{0},
};

static const struct diff_values diff_defaults = {.view = "functions",
						 .limit = REPORT_LIMIT_DEFAULT};

static bool compare(const struct diff_values *values, const struct diff_options *options,
		    struct str *failures, struct error *err)
{
	const bool pages = values->format == REPORT_TEXT && !values->no_pager;
	struct compared compared = {0};
	struct sink sink;

	bool ok = compared_open(&compared, options->report.profile_path, options->base_path,
				&values->profile, true, err) &&
		  sink_open(&sink, values->output, pages, err);
	if (ok) {
		ok = diff_write(compared.base.analysis, compared.profile.analysis, options,
				sink.stream, failures, err);
		ok = sink_close(&sink, ok, err);
	}
	compared_close(&compared);
	return ok;
}

static int diff_run(const void *opaque, const struct operands *operands, struct error *err)
{
	const struct diff_values *values = opaque;
	struct globs modules = {0}, functions = {0}, gates = {0};
	struct str failures = {0};
	struct diff_options options = {
		.report = {.view = values->view,
			   .format = (enum report_format)values->format,
			   .unit = (enum report_unit)values->unit,
			   .sort = values->sort,
			   .columns = values->columns,
			   .limit = values->limit,
			   .min_percent = values->min_percent,
			   .modules = globs_of(&modules, &values->modules),
			   .functions = globs_of(&functions, &values->functions)},
		.gates = globs_of(&gates, &values->gates),
	};
	bool ok = operands->count == 2 ||
		  error_set(err, ERROR_USAGE, "which two profiles? tare diff BASE NEW");

	text_look(&options.report, values->output != NULL, (enum text_color)values->color);
	if (ok) {
		options.base_path = operands->items[0];
		options.report.profile_path = operands->items[1];
		ok = diff_check(&options, err) && compare(values, &options, &failures, err);
	}
	if (failures.len)
		fprintf(stderr, "tare diff: %s\n", failures.data);
	const int status = failures.len ? EXIT_STATUS_FAILED : EXIT_STATUS_OK;
	str_fini(&failures);
	vec_fini(&modules);
	vec_fini(&functions);
	vec_fini(&gates);
	return ok ? status : -1;
}

const struct command command_diff = {
	.name = "diff",
	.operands = "BASE NEW",
	.summary = "compare two profiles, with gates for continuous integration",
	.description =
		"Compares the profile NEW with BASE: for each function (module, source line, call\n"
		"path) what both have of a value, and by how much it has changed. Rows are "
		"matched\n"
		"by module and name, so that programs that were built anew compare; those that "
		"only\n"
		"one profile has are \"new\" or \"vanished\". A gate (--fail-if) fails for rows\n"
		"beyond its limit and for rows that vanished; give it --min-percent, so that "
		"noise\n"
		"does not trip it.\n"
		"\n"
		"Exit status: 0 compared and no gate failed, 1 a gate failed, 2 trouble (no such\n"
		"profile, damaged, wrong command line).",
	.options = diff_command_options,
	.defaults = &diff_defaults,
	.values_bytes = sizeof(struct diff_values),
	.run = diff_run,
	.failure_status = EXIT_STATUS_USAGE,
};
