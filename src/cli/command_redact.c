/* tare redact: a profile without what it tells of its host and user besides the program. */
#include "cli/command.h"
#include "cli/written.h"

#include "profile/profile.h"

#include <sys/stat.h>

struct redact_values {
	const char *output;
	bool quiet;
};

static const struct option redact_options[] = {
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "Write the redacted profile to FILE",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct redact_values, output)},
	{.name = "quiet",
	 .letter = 'q',
	 .help = "Print errors only",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct redact_values, quiet)},
	{0},
};

static bool check_usage(const struct redact_values *values, const struct operands *operands,
			struct error *err)
{
	struct stat output;

	if (operands->count != 1)
		return error_set(err, ERROR_USAGE, "which profile? tare redact FILE -o OUT");
	if (!values->output)
		return error_set(err, ERROR_USAGE,
				 "where to? tare redact FILE -o OUT leaves FILE as it is");
	if (stat(values->output, &output) == 0 && !S_ISREG(output.st_mode))
		return error_set(err, ERROR_INPUT, "the output %s exists and is not a regular file",
				 values->output);
	if (file_is_same(operands->items[0], values->output))
		return error_set(err, ERROR_USAGE,
				 "the output %s is the profile itself; give it another name",
				 values->output);
	return true;
}

static int redact_run(const void *values_at, const struct operands *operands, struct error *err)
{
	const struct redact_values *values = values_at;

	if (!check_usage(values, operands, err))
		return -1;
	struct profile *profile = profile_open(operands->items[0], err);
	const bool ok = profile && profile_redact(profile, values->output, err);
	profile_close(profile);
	if (!ok)
		return -1;
	if (!values->quiet)
		written_print(&command_redact, values->output, "");
	return EXIT_STATUS_OK;
}

const struct command command_redact = {
	.name = "redact",
	.operands = "FILE -o OUT",
	.summary = "a profile without command line, paths and host, to be shared",
	.description =
		"Writes a copy of the profile that has the same numbers, and of texts only what "
		"they\n"
		"are about: the command line, the directory and the host's name are left out, "
		"paths\n"
		"of programs, libraries and sources are their last components, files and sockets\n"
		"that the program waited for have numbers, and in other texts paths lose their\n"
		"directories and NAME=value its value. Names of functions, threads and processes\n"
		"stay. All reports and exports can be made from it.\n"
		"\n"
		"Exit status: 0, 1 for a failure (nothing is written then), 2 for a wrong command "
		"line.",
	.examples = "tare redact prog.tare -o shared.tare\n"
		    "tare export --format=html shared.tare -o page.html\n",
	.options = redact_options,
	.values_bytes = sizeof(struct redact_values),
	.run = redact_run,
};
