/* tare import: a profile from a recording of perf. */
#include "cli/command.h"
#include "cli/fetch_progress.h"
#include "cli/print.h"
#include "cli/written.h"
#include "record/import.h"

#include <inttypes.h>
#include <stdio.h>

struct import_values {
	const char *output;
	bool quiet, no_debuginfod;
};

static const struct option import_options[] = {
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "Write the profile to FILE instead of the recording's name + .tare; an existing "
		 "one is kept as FILE.old",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct import_values, output)},
	NO_DEBUGINFOD_OPTION(offsetof(struct import_values, no_debuginfod)),
	{.name = "quiet",
	 .letter = 'q',
	 .help = "Print errors only",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct import_values, quiet)},
	{0},
};

static void print_result(const struct import_result *result)
{
	struct str facts = {0};

	if (result->unused)
		print_note(&command_import, "not in the profile: %s", result->unused);
	str_printf(&facts, ", %" PRIu64 " samples%s%s%s", result->samples,
		   result->partial ? " (partial: " : "", result->partial ? result->partial : "",
		   result->partial ? ")" : "");
	written_print(&command_import, result->output, facts.data);
	str_fini(&facts);
}

static int import_run(const void *values_at, const struct operands *operands, struct error *err)
{
	const struct import_values *values = values_at;
	struct import_result result = {0};
	struct fetch_progress fetching;

	if (operands->count != 1) {
		error_set(err, ERROR_USAGE, "which recording? tare import [OPTIONS] perf.data");
		return -1;
	}
	const struct import_options options = {.input = operands->items[0],
					       .output = values->output};
	if (!values->no_debuginfod)
		fetch_progress_begin(&fetching, &command_import, values->quiet);
	const bool ok = import_perf_data(&options, &result, err);

	if (ok && !values->quiet)
		print_result(&result);
	import_result_fini(&result);
	return ok ? EXIT_STATUS_OK : -1;
}

const struct command command_import = {
	.name = "import",
	.operands = "FILE",
	.summary = "make a profile of what perf has recorded",
	.description = "Makes a profile of the samples in FILE, which perf record has written "
		       "(perf.data), or\n"
		       "of what it writes to a pipe (perf record -o - … | tare import -). Views "
		       "and reports "
		       "are\n"
		       "those of tare's own samples. Programs and libraries are looked for at "
		       "their paths, "
		       "and\n"
		       "in ~/.debug; those that are not the recorded ones are not used.\n\n"
		       "Exit status: 0 written, 1 failed (no such recording, damaged, profile not "
		       "writable), 2 wrong\n"
		       "command line.",
	.examples = "perf record -g -- ./prog && tare import perf.data\n",
	.options = import_options,
	.operand_kind = OPERAND_FILE,
	.values_bytes = sizeof(struct import_values),
	.run = import_run,
};
