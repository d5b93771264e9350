/* tare merge: the profiles of many runs, hosts or ranks as one. */
#include "cli/command.h"
#include "cli/print.h"
#include "cli/written.h"
#include "merge/merge.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct merge_values {
	const char *output, *keep;
	int64_t max_memory;
	bool quiet;
};

static const struct merge_values merge_defaults = {.max_memory = MERGE_MEMORY_DEFAULT};

static const struct option merge_options[] = {
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "Write the merged profile to FILE",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct merge_values, output)},
	{.name = "keep",
	 .argument = "WHAT",
	 .help = "processes: keep every process and thread apart, with event logs and "
		 "the times of samples",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct merge_values, keep)},
	{.name = "max-memory",
	 .argument = "SIZE",
	 .help = "Hold call paths of SIZE bytes (k, M, G) in memory, default 512M; more wait in a "
		 "file beside the output",
	 .type = OPTION_SIZE,
	 .min = 1,
	 .max = 1LL << 50,
	 .offset = offsetof(struct merge_values, max_memory)},
	{.name = "quiet",
	 .letter = 'q',
	 .help = "Print errors only",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct merge_values, quiet)},
	{0},
};

static bool check_usage(const struct merge_values *values, const struct operands *operands,
			struct error *err)
{
	if (!values->output)
		return error_set(err, ERROR_USAGE,
				 "where to? tare merge -o OUT FILE... writes one profile");
	if (!operands->count)
		return error_set(err, ERROR_USAGE, "which profiles? tare merge -o OUT FILE...");
	if (values->keep && strcmp(values->keep, "processes") != 0)
		return error_set(err, ERROR_USAGE,
				 "\"%s\" cannot be kept apart; --keep=processes can be",
				 values->keep);
	for (size_t i = 0; i < operands->count; i++)
		if (file_is_same(operands->items[i], values->output))
			return error_set(err, ERROR_USAGE,
					 "the output %s is one of the profiles to merge; give it "
					 "another name",
					 values->output);
	return true;
}

static void print_done(const struct merge_values *values, const struct merge_summary *summary)
{
	char facts[48];

	if (summary->event_logs)
		print_note(&command_merge,
			   "left out the event logs of %llu %s; --keep=processes keeps them",
			   (unsigned long long)summary->event_logs,
			   summary->event_logs == 1 ? "thread" : "threads");
	if (summary->sample_times)
		print_note(&command_merge,
			   "left out at which times samples were taken; the samples are there, and "
			   "--keep=processes keeps their times");
	if (values->quiet)
		return;
	snprintf(facts, sizeof(facts), " of %llu %s", (unsigned long long)summary->recordings,
		 summary->recordings == 1 ? "recording" : "recordings");
	written_print(&command_merge, values->output, facts);
}

static int merge_run(const void *values_at, const struct operands *operands, struct error *err)
{
	const struct merge_values *values = values_at;
	const struct merge_options options = {.keep_processes = values->keep != NULL,
					      .output = values->output,
					      .memory_bytes = (uint64_t)values->max_memory};
	bool ok = true;

	if (!check_usage(values, operands, err))
		return -1;
	struct merge *merge = merge_new(&options);
	for (size_t i = 0; i < operands->count && ok; i++)
		ok = merge_take(merge, operands->items[i], err);
	ok = ok && merge_write(merge, err);
	const struct merge_summary summary = merge_summary(merge);
	merge_free(merge);
	if (!ok)
		return -1;
	print_done(values, &summary);
	return EXIT_STATUS_OK;
}

const struct command command_merge = {
	.name = "merge",
	.operands = "-o OUT FILE...",
	.summary = "profiles of many runs, hosts or ranks as one",
	.description =
		"Writes one profile that has the sums of all of them. Processes of the same\n"
		"executable become one, and so do their threads of the same name. The order of "
		"the\n"
		"files does not matter, and merged profiles can be merged again.\n"
		"\n"
		"Exit status: 0, 1 for a failure (nothing is written then), 2 for a wrong command "
		"line.",
	.examples = "tare merge -o all.tare one.tare two.tare\n",
	.options = merge_options,
	.defaults = &merge_defaults,
	.values_bytes = sizeof(struct merge_values),
	.run = merge_run,
};
