/*
 * tare report: one view of a profile as text, CSV or JSON, on stdout, through a pager, or into a
 * file that appears only when complete. Refuses unknown views, columns and options.
 */
#include "cli/command_report.h"
#include "cli/filter_options.h"
#include "cli/newest_profile.h"
#include "cli/sink.h"

#include "base/base.h"
#include "report/report.h"
#include "tui/tui.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AT(member) offsetof(struct report_values, member)

const struct option report_command_options[] = {
	{.name = "sort",
	 .group = OPTION_ROWS,
	 .argument = "COL[,COL...]",
	 .help = "Sort by columns; numbers descend, names ascend, + or - before a column reverses",
	 .type = OPTION_TEXT,
	 .offset = AT(sort)},
	{.name = "columns",
	 .group = OPTION_ROWS,
	 .argument = "COL[,COL...]",
	 .help = "Show these columns, or \"all\"; default: a selection for text, all for CSV and "
		 "JSON",
	 .type = OPTION_TEXT,
	 .offset = AT(columns)},
	{.name = "min-percent",
	 .group = OPTION_ROWS,
	 .argument = "P",
	 .help = "Leave out rows below P percent of the inclusive value",
	 .type = OPTION_NUMBER,
	 .min = 0,
	 .max = 100,
	 .offset = AT(min_percent)},
	{.name = "filter",
	 .group = OPTION_ROWS,
	 .argument = "FILTER",
	 .help = "Show only rows that pass: the name of a function (a glob), a condition as "
		 "'elapsed_exclusive>1ms and not module=libc.so.6', or @FILE with such lines "
		 "(repeatable)",
	 .type = OPTION_LIST,
	 .offset = AT(filters)},
	SHAPE_OPTIONS(AT(profile)),
	TREE_OPTIONS(AT(tree)),
	PROFILE_OPTIONS(AT(profile)),
	TABLE_OPTIONS(AT(table)),
	{.name = "interactive",
	 .letter = 'i',
	 .help = "Browse the views on the terminal: open, sort, search; ? there shows the keys",
	 .type = OPTION_FLAG,
	 .offset = AT(interactive)},
	{.name = "verbose",
	 .group = OPTION_ROWS,
	 .letter = 'v',
	 .help = "All that is known of the recording; coverage: one row per function",
	 .type = OPTION_FLAG,
	 .offset = AT(verbose)},
	{.name = "never",
	 .group = OPTION_ROWS,
	 .help = "lines, instructions: code that was never executed, of recordings with --lines",
	 .type = OPTION_FLAG,
	 .offset = AT(never)},
	{.name = "asm",
	 .group = OPTION_FORM,
	 .help = "annotate: instructions instead of source lines",
	 .type = OPTION_FLAG,
	 .offset = AT(assembly)},
	{.name = "source-path",
	 .group = OPTION_FORM,
	 .rare = true,
	 .argument = "FROM=TO",
	 .help = "annotate: sources whose path begins with FROM are at TO (repeatable)",
	 .type = OPTION_LIST,
	 .offset = AT(source_paths)},
	{0},
};

const struct report_values report_defaults = {.table = TABLE_DEFAULTS, .tree = TREE_DEFAULTS};

/* ---- operands ---- */

static bool is_view(const char *name)
{
	for (const char *const *view = report_view_names(); *view; view++)
		if (strcmp(*view, name) == 0)
			return true;
	return false;
}

/* The last of them is no profile: it is left out. */
static bool lacks_profile(const struct operands *operands)
{
	char **items = operands->items;

	switch (operands->count) {
	case 0:
		return true;
	case 1:
		return is_view(items[0]) && access(items[0], F_OK) != 0;
	case 2:
		return is_view(items[0]) && report_view_needs_function(items[0]) &&
		       access(items[1], F_OK) != 0 && !str_ends_with(items[1], ".tare");
	default:
		return false;
	}
}

/* [VIEW [FUNCTION]] [FILE]; without FILE the newest profile, which is *newest then. */
static bool take_operands(const struct operands *operands, struct report_target *target,
			  char **newest, struct error *err)
{
	const bool lacks = lacks_profile(operands);
	const size_t words = operands->count - !lacks;
	struct str usage = {0};

	if (words > 2)
		return error_set(err, ERROR_USAGE, "too many operands; see tare report --help");
	target->view = words ? operands->items[0] : "summary";
	target->function = words > 1 ? operands->items[1] : NULL;
	if (!lacks) {
		target->profile_path = operands->items[words];
		return true;
	}
	str_printf(&usage, "tare report %s%s FILE", words ? target->view : "[VIEW]",
		   report_view_needs_function(target->view) ? " FUNCTION" : "");
	*newest = newest_profile(&command_report, usage.data, err);
	target->profile_path = *newest;
	str_fini(&usage);
	return *newest != NULL;
}

static bool report_show(const struct report_values *values, const struct report_options *options,
			struct analysis_options *selection, struct error *err)
{
	const unsigned flags = table_options_sink(&values->table);
	struct sink sink = {.file = {.fd = -1}};
	struct profile *profile = profile_open(options->profile_path, err);

	if (!profile)
		return false;
	struct analysis *analysis = analysis_open(profile, selection, err);
	bool ok = analysis != NULL;
	if (ok && !analysis->totals.threads &&
	    (selection->threads.count || selection->processes.count))
		ok = error_set(err, ERROR_NOT_FOUND,
			       "no process or thread of %s matches; the threads view lists them",
			       options->profile_path);
	if (ok && sink_open(&sink, values->table.output, flags, err)) {
		ok = report_write(analysis, options, sink.stream, err);
		ok = sink_close(&sink, ok, err);
	} else {
		ok = false;
	}
	analysis_close(analysis);
	profile_close(profile);
	return ok;
}

/* What chooses rows and columns is done by keys there. */
static bool interactive_is_alone(const struct report_values *values, struct error *err)
{
	const struct {
		bool given;
		const char *option;
	} others[] = {
		{values->sort != NULL, "sort"},
		{values->columns != NULL, "columns"},
		{values->min_percent > 0, "min-percent"},
		{values->tree.trim >= 0, "trim"},
		{values->tree.fold >= 0, "fold"},
		{values->tree.noise, "noise"},
		{values->tree.expand != NULL, "expand"},
		{values->table.limit != REPORT_LIMIT_DEFAULT, "limit"},
		{values->table.format != REPORT_TEXT, "format"},
		{values->table.output != NULL, "output"},
		{values->verbose, "verbose"},
		{values->assembly, "asm"},
		{values->never, "never"},
		{values->profile.depth != 0, "depth"},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].given)
			return error_set(err, ERROR_USAGE,
					 "--interactive has keys to choose rows, columns and their "
					 "order, and writes no file; leave out --%s",
					 others[i].option);
	return true;
}

static bool report_browse(const struct report_values *values, const struct report_options *options,
			  const struct analysis_options *selection, struct error *err)
{
	const struct tui_options wanted = {.path = options->profile_path,
					   .view = options->view,
					   .function = options->function,
					   .inverted = options->inverted,
					   .selection = selection,
					   .report = options};

	return interactive_is_alone(values, err) && tui_run(&wanted, err);
}

int report_command_show(const struct report_values *values, const struct report_target *target,
			struct error *err)
{
	struct globs sources = {0};
	struct table_globs globs = {0};
	struct filter_lists filters = {0};
	struct profile_selection selection = {0};
	struct report_options options = {
		.view = target->view,
		.function = target->function,
		.profile_path = target->profile_path,
		.sort = values->sort,
		.columns = values->columns,
		.min_percent = values->min_percent,
		.from = values->profile.from,
		.to = values->profile.to,
		.depth = values->profile.depth,
		.verbose = values->verbose,
		.assembly = values->assembly,
		.never = values->never,
		.source_paths = globs_of(&sources, &values->source_paths),
	};

	table_options_apply(&values->table, &options, &globs);
	profile_selection_init(&selection, &values->profile);
	selection.options.coverage_functions =
		values->verbose && strcmp(options.view, "coverage") == 0;
	selection.options.merge_threads = values->tree.merge_threads;
	bool ok = tree_options_apply(&values->tree, &values->profile.shape, &options, err);
	/* All views are there, among them those that the shape of the tree is for. */
	if (ok && values->interactive)
		options.my_code = options.fold_recursion = options.merge_threads = false;
	if (ok && values->interactive)
		options.root = NULL;
	ok = ok && filter_lists_init(&filters, &values->filters, &options, err) &&
	     report_check(&options, err);
	if (ok && values->interactive) {
		ok = report_browse(values, &options, &selection.options, err);
	} else if (ok) {
		report_select(&options, &selection.options);
		ok = report_show(values, &options, &selection.options, err);
	}
	profile_selection_fini(&selection);
	table_globs_fini(&globs);
	filter_lists_fini(&filters);
	vec_fini(&sources);
	return ok ? EXIT_STATUS_OK : -1;
}

static int report_run(const void *values, const struct operands *operands, struct error *err)
{
	struct report_target target = {0};
	char *newest = NULL;
	const int status = take_operands(operands, &target, &newest, err)
				   ? report_command_show(values, &target, err)
				   : -1;

	free(newest);
	return status;
}

const struct command command_report = {
	.name = "report",
	.operands = "[VIEW [FUNCTION]] [FILE]",
	.summary = "show one view of a profile",
	.description =
		"Shows one view of the profile FILE, or without FILE of the newest one in this\n"
		"directory. Views:\n"
		"  summary            most CPU time, longest waits, processes, hot path "
		"(default);\n"
		"                     with -v OS time by cause, too\n"
		"  functions          one row per function\n"
		"  callers FUNCTION   callers and callees of a function (a name or a glob)\n"
		"  calltree           call paths below process and thread\n"
		"  modules            one row per executable or library\n"
		"  threads            one row per thread\n"
		"  processes          one row per process\n"
		"  os                 OS time by cause, function, system call and object\n"
		"  locks              waits for locks: who waited, and who had the lock\n"
		"  wakers             waits by who ended them, recorded with --wakers\n"
		"  timeline           what each thread did over time\n"
		"  lines              one row per source line: samples, calls made there, "
		"executions\n"
		"  instructions       one row per instruction: the same\n"
		"  annotate FUNCTION  a function's source, or its disassembly, with that beside "
		"it\n"
		"  branches           how often jumps were met and taken, recorded with --lines\n"
		"  coverage           which functions were instrumented, and why others were not\n"
		"  marks              marks in the order of time\n"
		"  methods            shares of CPU time by calls and by samples, side by side\n"
		"  calltrace          each event in the order of time, recorded with --trace\n"
		"  ranks              one row per rank of a parallel job: its work, its time in "
		"MPI\n"
		"  imbalance          how evenly functions and calls of MPI are spread over ranks\n"
		"\n"
		"CPU time is what the thread ran on a processor, and what rows are ranked by;\n"
		"Elapsed has its waits, too; Application is what is left without the intervals in\n"
		"which the operating system was at work. Inclusive counts the functions called,\n"
		"exclusive the function alone. Of samples, inclusive are those with the function\n"
		"anywhere on the stack, exclusive those that it was executing in; a share stands\n"
		"with its 95 % confidence interval. Samples of one event are shown at a time.\n"
		"\n"
		"With --interactive the views are pages on the terminal: arrow keys move, Enter\n"
		"opens, s sorts, / searches, a shows the source, ? all keys, q quits.\n"
		"\n"
		"Exit status: 0 shown, 1 failed (no such profile or function, damaged file,\n"
		"output not writable, no terminal for --interactive), 2 wrong command line.",
	.examples =
		"tare report                              # summary of the newest profile here\n"
		"tare report functions prog.tare --limit=20\n"
		"tare report callers parse prog.tare\n"
		"tare report functions --method=sample --event=off-cpu prog.tare\n"
		"tare report functions prog.tare --format=csv > prog.csv\n",
	.options = report_command_options,
	.words = report_view_names,
	.words_at = 1,
	.function_at = 2,
	.function_after = "callers annotate",
	.defaults = &report_defaults,
	.values_bytes = sizeof(struct report_values),
	.run = report_run,
};
