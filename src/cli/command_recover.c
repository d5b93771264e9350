/* tare recover: build the profile from what an interrupted recording left. */
#include "cli/command.h"
#include "cli/written.h"
#include "record/record.h"

#include <stdio.h>

struct recover_values {
	const char *output;
	bool quiet;
};

static const struct option recover_options[] = {
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "Write the profile to FILE instead of where the recording would have",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct recover_values, output)},
	{.name = "quiet",
	 .letter = 'q',
	 .help = "Print errors only",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct recover_values, quiet)},
	{0},
};

static int recover_run(const void *values_at, const struct operands *operands, struct error *err)
{
	const struct recover_values *values = values_at;
	struct record_result result = {0};

	if (operands->count != 1) {
		error_set(err, ERROR_USAGE, "which recording? tare recover [OPTIONS] DIRECTORY");
		return -1;
	}
	if (!record_recover(operands->items[0], values->output, &result, err))
		return -1;
	if (!values->quiet)
		written_print_partial(&command_recover, result.output, result.partial);
	record_result_fini(&result);
	return EXIT_STATUS_OK;
}

const struct command command_recover = {
	.name = "recover",
	.operands = "DIRECTORY",
	.summary = "build the profile from what an interrupted recording left",
	.description =
		"Builds the profile from the session directory of a recording whose recorder was\n"
		"killed or could not write the profile, and removes the directory.\n"
		"\n"
		"Exit status: 0 written, 1 failed (no such directory, nothing to recover, profile\n"
		"not writable), 2 wrong command line.",
	.options = recover_options,
	.operand_kind = OPERAND_DIRECTORY,
	.values_bytes = sizeof(struct recover_values),
	.run = recover_run,
};
