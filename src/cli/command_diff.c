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
	struct option_list gates;
	struct profile_values profile;
	struct table_values table;
};

#define AT(member) offsetof(struct diff_values, member)

static const char *const *view_proposals(void)
{
	return diff_view_names;
}

static const struct option diff_command_options[] = {
	{.name = "view",
	 .argument = "VIEW",
	 .help = "What to compare: functions (default), modules, lines, calltree",
	 .type = OPTION_TEXT,
	 .proposals = view_proposals,
	 .offset = AT(view)},
	{.name = "fail-if",
	 .argument = "COL>+N%",
	 .help = "Exit with 1 if a row differs so much, or has vanished; e.g. "
		 "'application_inclusive>+5%', 'elapsed_exclusive>+10ms', 'calls>1000' "
		 "(repeatable)",
	 .type = OPTION_LIST,
	 .offset = AT(gates)},
	{.name = "columns",
	 .group = OPTION_ROWS,
	 .argument = "COL[,COL...]",
	 .help = "Compare these columns, or \"all\"; default: exclusive time or samples for text, "
		 "all for CSV and JSON",
	 .type = OPTION_TEXT,
	 .offset = AT(columns)},
	{.name = "sort",
	 .group = OPTION_ROWS,
	 .argument = "ORDER",
	 .help = "By the change (default), change_percent, base, new of the first column asked "
		 "for, "
		 "else of CPU time or samples; or by name",
	 .type = OPTION_TEXT,
	 .offset = AT(sort)},
	{.name = "min-percent",
	 .group = OPTION_ROWS,
	 .argument = "P",
	 .help = "Leave out rows that have less than P percent of the column in both profiles: "
		 "each "
		 "gate goes by its own column, what is shown by the first one",
	 .type = OPTION_NUMBER,
	 .min = 0,
	 .max = 100,
	 .offset = AT(min_percent)},
	PROFILE_SELECTION_OPTIONS(AT(profile)),
	TABLE_OPTIONS(AT(table)),
	{0},
};

static const struct diff_values diff_defaults = {.view = "functions", .table = TABLE_DEFAULTS};

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

static int diff_run(const void *opaque, const struct operands *operands, struct error *err)
{
	const struct diff_values *values = opaque;
	struct globs gates = {0};
	struct table_globs globs = {0};
	struct str failures = {0}, text = {0};
	struct diff_options options = {
		.report = {.view = values->view,
			   .sort = values->sort,
			   .columns = values->columns,
			   .min_percent = values->min_percent},
		.gates = globs_of(&gates, &values->gates),
	};
	struct diff_pair pair = {.path = NULL};
	bool ok = take_pair(operands, &pair, err);

	table_options_apply(&values->table, &options.report, &globs);
	if (ok) {
		options.base_path = pair.base;
		options.report.profile_path = pair.path;
		ok = diff_check(&options, err) && compare(values, &options, &failures, err);
	}
	if (failures.len) {
		str_printf(&text, "tare diff: %s", failures.data);
		print_text(stderr, text.data);
	}
	free(pair.base);
	free(pair.path);
	const int status = failures.len ? EXIT_STATUS_FAILED : EXIT_STATUS_OK;
	str_fini(&failures);
	str_fini(&text);
	table_globs_fini(&globs);
	vec_fini(&gates);
	return ok ? status : -1;
}

const struct command command_diff = {
	.name = "diff",
	.operands = "[BASE NEW]",
	.summary = "compare two profiles, with gates for continuous integration",
	.description =
		"Compares the profile NEW with BASE: for each function (module, source line, call\n"
		"path) what both have of a value, and by how much it has changed. Rows are "
		"matched\n"
		"by module and name, so that programs that were built anew compare; those that "
		"only\n"
		"one profile has are \"new\" or \"vanished\". A gate (--fail-if) fails for rows\n"
		"that are beyond its limit by more than the errors of both profiles, and for rows\n"
		"that vanished. Without profiles it is the newest one in this directory, and\n"
		"the one that it has replaced, FILE.old.\n"
		"\n"
		"Exit status: 0 compared and no gate failed, 1 a gate failed, 2 trouble (no such\n"
		"profile, damaged, wrong command line).",
	.examples = "tare diff                                # the newest profile and the one "
		    "before it\n"
		    "tare diff old.tare new.tare\n"
		    "tare diff old.tare new.tare --fail-if='cpu_inclusive>+5%' --min-percent=1\n",
	.options = diff_command_options,
	.defaults = &diff_defaults,
	.values_bytes = sizeof(struct diff_values),
	.run = diff_run,
	.failure_status = EXIT_STATUS_USAGE,
};
