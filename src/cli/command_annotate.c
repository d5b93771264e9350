/* tare annotate: a function's source or disassembly; the view annotate of tare report. */
#include "base/str.h"
#include "cli/command_report.h"
#include "cli/newest_profile.h"

#include <stdlib.h>

static int annotate_run(const void *values, const struct operands *operands, struct error *err)
{
	static const char usage[] = "tare annotate FUNCTION FILE";
	struct report_target target = {.view = "annotate"};
	char *newest = NULL;

	if (operands->count < 1 || operands->count > 2) {
		error_set(err, ERROR_USAGE, "which function of which profile? %s", usage);
		return -1;
	}
	target.function = operands->items[0];
	if (operands->count == 1 && str_ends_with(target.function, ".tare")) {
		error_set(err, ERROR_USAGE, "which function of %s? %s", target.function, usage);
		return -1;
	}
	if (operands->count == 1)
		target.profile_path = newest = newest_profile(&command_annotate, usage, err);
	else
		target.profile_path = operands->items[1];
	const int status = target.profile_path ? report_command_show(values, &target, err) : -1;
	free(newest);
	return status;
}

const struct command command_annotate = {
	.name = "annotate",
	.operands = "FUNCTION [FILE]",
	.summary = "show a function's source with samples beside it",
	.description =
		"Shows the source of FUNCTION (a name or a glob) with the samples of the profile\n"
		"FILE beside each line, and below a line what was inlined there; with --asm the\n"
		"disassembly. Without FILE it is the newest profile in this directory. It is the\n"
		"view annotate of tare report. Text leaves out lines that are far from any "
		"sample,\n"
		"unless --limit=0 is given.\n"
		"\n"
		"Sources and programs are read from where the debug information and the profile\n"
		"say; --source-path=FROM=TO replaces the beginning of a source's path.\n"
		"\n"
		"Exit status: 0 shown, 1 failed (no such profile or function, damaged file,\n"
		"output not writable), 2 wrong command line.",
	.examples = "tare annotate parse prog.tare\n"
		    "tare annotate parse --asm prog.tare\n",
	.options = report_command_options,
	.defaults = &report_defaults,
	.function_at = 1,
	.values_bytes = sizeof(struct report_values),
	.run = annotate_run,
};
