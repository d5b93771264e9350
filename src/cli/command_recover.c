/*
 * tare recover: build the profile from what an interrupted recording left, list what is left, or
 * remove it.
 */
#include "cli/command.h"
#include "cli/fetch_progress.h"
#include "cli/print.h"
#include "cli/written.h"
#include "record/record.h"
#include "session/leftovers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct recover_values {
	const char *output;
	bool quiet, clean, no_debuginfod;
};

static const struct option recover_options[] = {
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "Write the profile to FILE instead of where the recording would have",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct recover_values, output)},
	{.name = "clean",
	 .help = "Remove what recordings left that nobody writes any more, or DIRECTORY only",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct recover_values, clean)},
	NO_DEBUGINFOD_OPTION(offsetof(struct recover_values, no_debuginfod)),
	{.name = "quiet",
	 .letter = 'q',
	 .help = "Print errors only",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct recover_values, quiet)},
	{0},
};

/* ---- what is left ---- */

static void put_time(struct str *text, int64_t unix_ns)
{
	const time_t seconds = (time_t)(unix_ns / 1000000000);
	struct tm local;
	char words[32] = "-";

	if (unix_ns > 0 && localtime_r(&seconds, &local))
		strftime(words, sizeof(words), "%Y-%m-%d %H:%M:%S", &local);
	str_append(text, words);
}

static void print_leftover(const struct leftover *leftover)
{
	static const char *const states[] = {"being recorded", "still written", "profile to make",
					     "nothing to make"};
	table_covers(states, LEFTOVER_STATES);
	struct str begin = {0};

	put_time(&begin, leftover->begin_unix_ns);
	print_line(stdout, "%-24s  %-19s  %8.1f MB  %-15s  %s", leftover->directory, begin.data,
		   (double)leftover->bytes / 1e6, states[leftover->state], leftover->command_line);
	str_fini(&begin);
}

static int list_all(const struct leftovers *leftovers)
{
	size_t dead = 0;

	if (!leftovers->len) {
		print_line(stdout, "no recording has left anything");
		return EXIT_STATUS_OK;
	}
	vec_foreach (leftover, leftovers) {
		print_leftover(leftover);
		dead += leftover_is_dead(leftover);
	}
	if (dead)
		print_line(stdout, "tare recover DIRECTORY makes the profile; tare recover --clean "
				   "removes what nobody writes any more");
	return EXIT_STATUS_OK;
}

/* `only`: that directory; NULL: all. */
static int clean(const struct leftovers *leftovers, const char *only, bool quiet, struct error *err)
{
	bool ok = true, any = false;

	vec_foreach (leftover, leftovers) {
		if (only ? strcmp(only, leftover->directory) != 0 : !leftover_is_dead(leftover))
			continue;
		any = true;
		if (!leftover_remove(leftover, err))
			ok = false;
		else if (!quiet)
			print_line(stdout, "removed %s, %.1f MB", leftover->directory,
				   (double)leftover->bytes / 1e6);
	}
	if (only && !any) {
		error_set(err, ERROR_NOT_FOUND,
			  "%s is not the directory of a recording of this user; tare recover lists "
			  "them",
			  only);
		return -1;
	}
	if (!any && !quiet)
		print_line(stdout, "nothing to remove");
	return ok ? EXIT_STATUS_OK : -1;
}

static int show_or_clean(const struct recover_values *values, const char *only, struct error *err)
{
	struct leftovers leftovers = {0};
	char *directory = only ? realpath(only, NULL) : NULL;

	leftovers_find(&leftovers);
	const int status =
		values->clean ? clean(&leftovers, directory ? directory : only, values->quiet, err)
			      : list_all(&leftovers);
	leftovers_fini(&leftovers);
	free(directory);
	return status;
}

static int recover_run(const void *values_at, const struct operands *operands, struct error *err)
{
	const struct recover_values *values = values_at;
	struct record_result result = {0};
	struct fetch_progress fetching;
	const char *directory = operands->count ? operands->items[0] : NULL;

	if (operands->count > 1 || (values->output && (!directory || values->clean))) {
		error_set(err, ERROR_USAGE,
			  operands->count > 1 ? "one directory at a time: tare recover [OPTIONS] "
						"DIRECTORY"
					      : "-o is for a profile: tare recover -o FILE "
						"DIRECTORY");
		return -1;
	}
	if (values->clean || !directory)
		return show_or_clean(values, directory, err);
	if (!values->no_debuginfod)
		fetch_progress_begin(&fetching, &command_recover, values->quiet);
	if (!record_recover(directory, values->output, &result, err))
		return -1;
	if (!values->quiet)
		written_print_partial(&command_recover, result.output, result.partial);
	record_result_fini(&result);
	return EXIT_STATUS_OK;
}

const struct command command_recover = {
	.name = "recover",
	.operands = "[DIRECTORY]",
	.summary = "build the profile from what an interrupted recording left",
	.description =
		"Builds the profile from the session directory of a recording whose recorder was\n"
		"killed or could not write the profile, and removes the directory. Without\n"
		"DIRECTORY: lists what this user's recordings have in XDG_RUNTIME_DIR, /dev/shm,\n"
		"TMPDIR, /tmp and /var/tmp, those that go on too.\n"
		"\n"
		"Exit status: 0 written, listed or removed, 1 failed (no such directory, nothing "
		"to\n"
		"recover, in use, profile not writable), 2 wrong command line.",
	.examples =
		"tare recover                                     # sessions of this user\n"
		"tare recover /dev/shm/tare.Xk2bQ1 -o prog.tare   # the profile of one of them\n",
	.options = recover_options,
	.operand_kind = OPERAND_DIRECTORY,
	.values_bytes = sizeof(struct recover_values),
	.run = recover_run,
};
