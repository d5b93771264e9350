/*
 * tare record: run a command and profile it, or sample what runs already. Exit status: the
 * command's once it has run, 128+n where signal n killed it; 125 where tare failed before or can
 * neither instrument nor sample the program, 126 where the command cannot be executed, 127 where it
 * is not found.
 */
#include "cli/command.h"
#include "cli/continuous.h"
#include "cli/external_program.h"
#include "cli/fetch_progress.h"
#include "cli/output_name.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/push.h"
#include "cli/recording_brief.h"
#include "cli/recording_line.h"
#include "cli/repeated_runs.h"
#include "cli/sampling_options.h"
#include "cli/selection_options.h"
#include "cli/written.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_FAILED = 125 };

#define TRACE_BYTES_MIN	   (64ULL << 10)
#define TRACE_BYTES_MAX	   (64ULL << 30)
#define MAX_NEW_CODE_BYTES (8ULL << 20)

struct record_values {
	struct selection_values selection;
	struct sampling_values sampling;
	struct option_list modules, units, start_at, stop_at;
	const char *output, *method, *trace;
	double adaptive;
	int64_t max_nodes, max_paths, max_memory, max_disk, max_threads;
	int64_t max_new_code;
	int64_t max_depth; /* 0: any */
	int64_t repeat;	   /* 0: one run, whose output has no number */
	double every;	   /* 0: one recording */
	int64_t keep;	   /* profiles of these */
	const char *push;
	bool exact, no_learned, all_paths, call_sites, paused, no_follow, no_cache, no_debuginfod,
		wait, exec, quiet, verbose;
};

static const char *const *method_proposals(void)
{
	static const char *const names[] = {"instrument", "sample", "instrument,sample", NULL};

	return names;
}

/* "full", or a number of bytes with K, M or G. */
static bool trace_parse(const char *text, uint64_t *bytes, struct error *err)
{
	static const char units[] = "KMG";
	char *end = NULL;

	*bytes = TARE_TRACE_FULL;
	if (!strcmp(text, "full"))
		return true;
	errno = 0;
	const unsigned long long number = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;
	const int shift = unit ? 10 * (int)(unit - units + 1) : 0;

	if (text[0] < '0' || text[0] > '9' || (*end && (!unit || end[1])))
		return error_set(err, ERROR_USAGE,
				 "--trace=%s is no size; say 64K, 16M or 1G, or full", text);
	*bytes = number << shift;
	if (errno || *bytes >> shift != number || *bytes < TRACE_BYTES_MIN ||
	    *bytes > TRACE_BYTES_MAX)
		return error_set(err, ERROR_USAGE,
				 "--trace=%s: the log of a thread takes from 64K to 64G", text);
	return true;
}

/* The number of bytes, whatever its unit was. */
static void trace_describe(const void *values_at, struct str *out)
{
	const struct record_values *values = values_at;
	struct error ignored;
	uint64_t bytes;

	if (!trace_parse(values->trace, &bytes, &ignored))
		return;
	str_append(out, " --trace");
	if (bytes != TARE_TRACE_FULL)
		str_printf(out, "=%ju", (uintmax_t)bytes);
}

static const struct option record_option_table[] = {
	{.name = "method",
	 .argument = "METHOD",
	 .help = "How to collect: instrument,sample (default) counts calls, times those that "
		 "last long enough, and finds the times of all others by samples; instrument "
		 "counts every call, and times it unless the function is small; sample interrupts "
		 "the program at set intervals and keeps its stacks, nearly without cost",
	 .type = OPTION_TEXT,
	 .proposals = method_proposals,
	 .offset = offsetof(struct record_values, method)},
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "Write the profile to FILE instead of COMMAND.tare; an existing one is kept as "
		 "FILE.old. In it %r is the rank of an MPI or Slurm job, %n their number, %h the "
		 "host, "
		 "%p tare's process, %% a percent sign",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct record_values, output)},
	{.name = "module",
	 .group = OPTION_FUNCTIONS,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .argument = "GLOB",
	 .help = "Instrument only files whose base name or path matches, run-time libraries too; "
		 "repeatable",
	 .type = OPTION_LIST,
	 .offset = offsetof(struct record_values, modules)},
	SAMPLING_OPTIONS(offsetof(struct record_values, sampling)),
	SELECTION_OPTIONS(offsetof(struct record_values, selection)),
	{.name = "adaptive",
	 .group = OPTION_FUNCTIONS,
	 .rare = true,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .place = 1,
	 .argument = "RATIO",
	 .help = "While the program runs, functions that are called very often and last less, "
		 "without the calls they make, than RATIO (5) times the cost of the probes become "
		 "counted only: the default where there are samples, which tell their times then; "
		 "with --method=instrument their later time is their callers'",
	 .type = OPTION_NUMBER,
	 .fallback = "5",
	 .min = 0,
	 .max = 1000,
	 .offset = offsetof(struct record_values, adaptive)},
	{.name = "exact",
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .help = "Time every call, which may take many times as long; those of small functions "
		 "only with --small-functions=keep. It is what --method=instrument does, and "
		 "--trace, --call-sites and --paused without --method",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct record_values, exact)},
	{.name = "no-learned",
	 .group = OPTION_FUNCTIONS,
	 .rare = true,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .place = 15,
	 .help = "Time all functions at first, also those that earlier recordings of the same "
		 "files "
		 "have come to count only, and learn nothing for the next one",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct record_values, no_learned)},
	{.name = "only-units",
	 .group = OPTION_FUNCTIONS,
	 .rare = true,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .argument = "GLOB[:A-B]",
	 .help = "Of files whose base name or path matches instrument only the units A to B, as "
		 "tare instrument --list numbers them, and leave other files alone; repeatable",
	 .type = OPTION_LIST,
	 .offset = offsetof(struct record_values, units)},
	{.name = "max-nodes",
	 .group = OPTION_LIMITS,
	 .rare = true,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .place = 2,
	 .argument = "NUMBER",
	 .help = "Keep at most so many call paths per thread (default 32k, with --exact and "
		 "--trace "
		 "128k; with k, M or G); beyond, those of least worth fold into one per function",
	 .type = OPTION_SIZE,
	 .min = 64,
	 .max = 32 << 20,
	 .offset = offsetof(struct record_values, max_nodes)},
	{.name = "max-paths",
	 .group = OPTION_LIMITS,
	 .rare = true,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .place = 6,
	 .argument = "NUMBER",
	 .help = "Keep at most so many call paths of all threads in the profile (default 128k, "
		 "of more than 16 threads 24k; with k, M or G); beyond, those of least time "
		 "fold into one per function and thread",
	 .type = OPTION_SIZE,
	 .min = 64,
	 .max = 1LL << 32,
	 .offset = offsetof(struct record_values, max_paths)},
	{.name = "all-paths",
	 .group = OPTION_LIMITS,
	 .rare = true,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .place = 7,
	 .help = "Keep all call paths that were recorded in the profile, however many",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct record_values, all_paths)},
	{.name = "max-memory",
	 .group = OPTION_LIMITS,
	 .rare = true,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .place = 3,
	 .argument = "SIZE",
	 .help = "Let the runtime use at most so much memory in each process (default 2G)",
	 .type = OPTION_SIZE,
	 .min = 1 << 20,
	 .max = 1LL << 40,
	 .offset = offsetof(struct record_values, max_memory)},
	{.name = "max-disk",
	 .group = OPTION_LIMITS,
	 .rare = true,
	 .place = 5,
	 .argument = "SIZE",
	 .help = "Let the data of all processes take at most so much storage while recording "
		 "(default 4G)",
	 .type = OPTION_SIZE,
	 .min = 1 << 20,
	 .max = 1LL << 44,
	 .offset = offsetof(struct record_values, max_disk)},
	{.name = "max-new-code",
	 .group = OPTION_LIMITS,
	 .rare = true,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .argument = "SIZE",
	 .help = "Where no copies of libraries are in the cache, make those with SIZE of code at "
		 "most (default 8M) before the command starts; the others are sampled, and their "
		 "copies are made after the recording, for the next one. Only where neither "
		 "options say what to instrument, or how, nor --repeat asks for equal runs",
	 .type = OPTION_SIZE,
	 .min = 1,
	 .max = 1LL << 40,
	 .offset = offsetof(struct record_values, max_new_code)},
	{.name = "paused",
	 .group = OPTION_RUN,
	 .place = 9,
	 .help = "Record nothing until the recording is started, by tare ctl PID start or by the "
		 "program itself",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct record_values, paused)},
	{.name = "start-at",
	 .group = OPTION_RUN,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .place = 10,
	 .argument = "GLOB|/REGEX/",
	 .help = "Record a process only from the first time that it enters a function whose "
		 "demangled name matches; repeatable",
	 .type = OPTION_LIST,
	 .offset = offsetof(struct record_values, start_at)},
	{.name = "stop-at",
	 .group = OPTION_RUN,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .place = 11,
	 .argument = "GLOB|/REGEX/",
	 .help = "Stop recording a process when it enters a function whose demangled name matches, "
		 "until it next enters one of --start-at; repeatable",
	 .type = OPTION_LIST,
	 .offset = offsetof(struct record_values, stop_at)},
	{.name = "call-sites",
	 .group = OPTION_FUNCTIONS,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .place = 13,
	 .help = "Tell calls apart by where they are made from, so that source lines and "
		 "instructions have the calls made from them and their time; takes more call paths",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct record_values, call_sites)},
	{.name = "max-depth",
	 .group = OPTION_LIMITS,
	 .rare = true,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .place = 12,
	 .argument = "N",
	 .help = "Keep calls apart down to N calls in progress; the time of deeper ones is that of "
		 "the N-th",
	 .type = OPTION_INTEGER,
	 .min = 1,
	 .max = 1000000,
	 .offset = offsetof(struct record_values, max_depth)},
	{.name = "max-threads",
	 .group = OPTION_LIMITS,
	 .rare = true,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .place = 4,
	 .argument = "NUMBER",
	 .help = "Keep so many threads of a process apart (default 1000); later ones share a row "
		 "with threads that have ended",
	 .type = OPTION_INTEGER,
	 .min = 1,
	 .max = 1 << 20,
	 .offset = offsetof(struct record_values, max_threads)},
	{.name = "trace",
	 .group = OPTION_RUN,
	 .needs = SELECTION_NEEDS_INSTRUMENT,
	 .place = 14,
	 .describe = trace_describe,
	 .argument = "SIZE",
	 .help = "Keep the log of all calls in order, too; with SIZE (64K, 16M, 1G) only the last "
		 "so many bytes of each thread. See tare report calltrace, tare export",
	 .fallback = "full",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct record_values, trace)},
	{.name = "repeat",
	 .group = OPTION_WHAT,
	 .argument = "N",
	 .help = "Run COMMAND N times, one after the other, into COMMAND.1.tare and so on, for "
		 "tare "
		 "diff --base, --new; the exit status is that of the first run that fails",
	 .type = OPTION_INTEGER,
	 .min = 1,
	 .max = REPEATED_RUNS_MAX,
	 .offset = offsetof(struct record_values, repeat)},
	{.name = "every",
	 .group = OPTION_WHAT,
	 .argument = "SECONDS",
	 .help = "With -p or -a: begin a new profile all so many seconds, without a gap, into "
		 "FILE.20261231T235900Z.tare, named by the time in UTC",
	 .type = OPTION_NUMBER,
	 .min = 1,
	 .max = 100000000,
	 .offset = offsetof(struct record_values, every)},
	{.name = "keep",
	 .group = OPTION_WHAT,
	 .rare = true,
	 .argument = "N",
	 .help = "With --every: leave the newest N profiles on the disk (default 10)",
	 .type = OPTION_INTEGER,
	 .min = 1,
	 .max = 1 << 20,
	 .offset = offsetof(struct record_values, keep)},
	{.name = "push",
	 .group = OPTION_WHAT,
	 .rare = true,
	 .argument = "SERVER:URL",
	 .help = "With --every: send each profile to a server of continuous profiles, "
		 "pyroscope:http://HOST:4040 or parca:http://HOST:7070, by curl; what it does not "
		 "take is tried again as long as the profile is there",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct record_values, push)},
	{.name = "no-follow",
	 .group = OPTION_WHAT,
	 .place = 8,
	 .help = "Leave child processes out of the profile",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct record_values, no_follow)},
	{.name = "wait",
	 .group = OPTION_WHAT,
	 .help = "Record until all processes that the command has started have ended, daemons "
		 "included; ^C ends the recording before, not the processes",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct record_values, wait)},
	{.name = "exec",
	 .group = OPTION_WHAT,
	 .rare = true,
	 .help = "Let COMMAND have the process of tare itself, as exec does, for who waits for it "
		 "or "
		 "signals it by its number; the recorder goes on apart and writes the profile "
		 "when that process has ended",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct record_values, exec)},
	{.name = "no-cache",
	 .group = OPTION_FUNCTIONS,
	 .rare = true,
	 .help = "Keep no instrumented files for the next run",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct record_values, no_cache)},
	NO_DEBUGINFOD_OPTION(offsetof(struct record_values, no_debuginfod)),
	{.name = "quiet",
	 .letter = 'q',
	 .help = "Print errors only",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct record_values, quiet)},
	{.name = "verbose",
	 .letter = 'v',
	 .help = "Say what became of each file",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct record_values, verbose)},
	{0},
};

struct record_output {
	struct progress progress;
	struct fetch_progress fetching;
	struct recording_line line;
	bool verbose, quiet;
};

static void show_progress(const struct instrument_progress *now, void *context)
{
	struct record_output *output = context;

	progress_show(now, &output->progress);
}

static void show_status(const struct record_status *now, void *context)
{
	struct record_output *output = context;

	recording_line_show(&output->line, now);
}

static void end_preparation(void *context)
{
	struct record_output *output = context;

	progress_erase(&output->progress);
}

static void show_note(const char *sentence, void *context)
{
	struct record_output *output = context;

	progress_erase(&output->progress);
	if (output->verbose)
		print_note(&command_record, "%s", sentence);
}

static void show_notice(const char *sentence, void *context)
{
	struct record_output *output = context;

	progress_restart(&output->progress);
	if (!output->quiet)
		print_note(&command_record, "%s", sentence);
}

/* Relative to the working directory where it lies below it, as people think of it. */
static const char *shortened(const char *path)
{
	char directory[PATH_MAX];

	if (!getcwd(directory, sizeof(directory)))
		return path;
	const size_t length = strlen(directory);
	return strncmp(path, directory, length) == 0 && path[length] == '/' ? path + length + 1
									    : path;
}

static void print_success(const struct record_result *result)
{
	if (result->remark)
		print_note(&command_record, "%s", result->remark);
	recording_brief_print(&command_record, result->output);
	written_print_partial(&command_record, shortened(result->output), result->partial);
}

/* What is asked for takes the time of each call: counters do not tell where calls were made from.
 */
static bool wants_all_timed(const struct record_values *values)
{
	return values->exact || values->trace || (values->call_sites && values->adaptive <= 0);
}

static enum record_method default_method(const struct record_values *values)
{
	if (values->sampling.pids.len || values->sampling.all)
		return RECORD_SAMPLE;
	return wants_all_timed(values) || values->paused ? RECORD_INSTRUMENT : RECORD_BOTH;
}

/* The ratio of --adaptive, in percent; 0: all calls are timed. */
static uint32_t adaptive_percent(const struct record_values *values, enum record_method method)
{
	enum { USUAL = 500 };

	if (values->adaptive > 0)
		return (uint32_t)(values->adaptive * 100);
	return method == RECORD_BOTH && !wants_all_timed(values) ? USUAL : 0;
}

/* Runs that are compared are of the same copies. */
static uint64_t max_new_code(const struct record_values *values)
{
	if (values->repeat)
		return UINT64_MAX;
	return values->max_new_code ? (uint64_t)values->max_new_code : MAX_NEW_CODE_BYTES;
}

static bool check_continuous(const struct record_values *values, bool has_command,
			     struct error *err)
{
	struct push_target target;

	if (values->every > 0 && has_command)
		return error_set(
			err, ERROR_USAGE,
			"--every is for --pid and --all; a command is recorded as a whole");
	if (values->every <= 0 && (values->keep || values->push))
		return error_set(err, ERROR_USAGE, "%s is for recordings with --every=SECONDS",
				 values->keep ? "--keep" : "--push");
	if (values->push && !program_is_there("curl"))
		return error_set(err, ERROR_NOT_FOUND,
				 "--push sends by curl, which is not installed");
	return !values->push || push_parse(values->push, &target, err);
}

static bool check_method(const struct record_values *values, enum record_method method,
			 bool has_command, struct error *err)
{
	struct str name = {0};

	if (!has_command && !values->sampling.pids.len && !values->sampling.all)
		return error_set(err, ERROR_USAGE,
				 "which command? tare record [OPTIONS] -- COMMAND [ARGUMENT…], or "
				 "tare record -p PID");
	const char *given = method == RECORD_SAMPLE
				    ? options_needing(record_option_table, values,
						      SELECTION_NEEDS_INSTRUMENT, &name)
				    : NULL;
	if (given)
		error_set(err, ERROR_USAGE,
			  "%s is about instrumentation, and this recording only samples; say "
			  "--method=instrument,sample for both",
			  given);
	str_fini(&name);
	if (given)
		return false;
	if (wants_all_timed(values) && values->adaptive > 0)
		return error_set(err, ERROR_USAGE,
				 "%s times all calls, --adaptive only some; leave out one of them",
				 values->exact ? "--exact" : "--trace");
	if (values->all_paths && values->max_paths)
		return error_set(err, ERROR_USAGE,
				 "--all-paths and --max-paths contradict each other");
	if (method != RECORD_INSTRUMENT && values->paused)
		return error_set(err, ERROR_USAGE,
				 "--paused holds back the probes of instrumentation, not samples; "
				 "begin to sample when it is time: tare record -p PID");
	if (values->selection.lines && values->selection.transform == INSTRUMENT_TRANSFORM_NULL)
		return error_set(err, ERROR_USAGE,
				 "--lines counts in copies with probes, and --transform=null makes "
				 "copies without; leave out one of them");
	if (values->trace && values->call_sites)
		return error_set(err, ERROR_USAGE,
				 "--trace keeps no call sites; leave out one of --trace and "
				 "--call-sites");
	if ((values->wait || values->exec) && !has_command)
		return error_set(err, ERROR_USAGE, "%s is for commands",
				 values->wait ? "--wait" : "--exec");
	if (values->repeat && (values->exec || !has_command))
		return error_set(err, ERROR_USAGE,
				 values->exec
					 ? "--exec gives this process to the command, so there "
					   "is no second run; leave out --repeat"
					 : "--repeat is for commands");
	return check_continuous(values, has_command, err);
}

/*
 * What cannot be instrumented is sampled, unless more than that was asked for; nothing has run
 * then. With --exec the command's process is another one by now.
 */
static bool run_or_sample(const struct record_values *values, struct record_options *options,
			  struct record_result *result, int *status, struct error *err)
{
	struct str name = {0};

	if (record_run(options, result, status, err))
		return true;
	const bool may_sample =
		err->code == ERROR_UNSUPPORTED && !values->method &&
		options->method == RECORD_BOTH && !options->exec &&
		!options_needing(record_option_table, values, SELECTION_NEEDS_INSTRUMENT, &name);
	str_fini(&name);
	if (!may_sample)
		return false;
	const struct error refusal = *err;
	record_result_fini(result);
	options->method = RECORD_SAMPLE;
	options->settings.adaptive_percent = 0;
	if (!record_run(options, result, status, err)) {
		if (err->code == ERROR_UNSUPPORTED)
			*err = refusal;
		return false;
	}
	if (!values->quiet)
		print_note(&command_record, "%s; it was sampled", refusal.message);
	return true;
}

/* How a recording has ended: with a profile, and the command's status or tare's. */
struct ended {
	bool has_profile;
	int status;
};

static struct ended record_once(const struct record_values *values, struct record_options *options,
				struct record_output *output, struct error *err)
{
	struct record_result result = {0};
	struct ended ended = {0};

	progress_begin(&output->progress, &command_record, values->quiet);
	output->progress.kept = !values->no_cache;
	ended.has_profile = options->word_count
				    ? run_or_sample(values, options, &result, &ended.status, err)
				    : record_attach(options, &result, &ended.status, err);
	progress_end(&output->progress);
	recording_line_erase(&output->line);
	if (ended.has_profile) {
		if (!values->quiet)
			print_success(&result);
		ended.status = result.command_status;
	} else if (err->code != ERROR_NONE) {
		command_print_error(&command_record, err);
	}
	record_result_fini(&result);
	return ended;
}

/* One of the runs of repeated_runs_make. */
struct run_context {
	const struct record_values *values;
	struct record_options *options;
	struct record_output *output;
};

static bool record_run_of_many(const char *path, int *status, void *context)
{
	struct run_context *run = context;
	struct error err = {0};

	run->options->output = path;
	const struct ended ended = record_once(run->values, run->options, run->output, &err);
	*status = ended.status;
	return ended.has_profile;
}

static int record_repeatedly(const struct record_values *values, struct record_options *options,
			     struct record_output *output, struct error *err)
{
	struct run_context context = {values, options, output};
	const struct repeated_runs runs = {.count = values->repeat,
					   .output = values->output,
					   .command = options->words[0],
					   .make = record_run_of_many,
					   .context = &context};
	int status = STATUS_FAILED;

	if (!values->quiet && repeated_runs_lose_input(&runs))
		print_note(&command_record, "the standard input is a pipe: only the first run can "
					    "read what it has");
	if (!repeated_runs_make(&runs, &status, err))
		command_print_error(&command_record, err);
	return status;
}

static bool send_part(const char *path, int64_t begin_s, int64_t end_s, void *context)
{
	const struct run_context *run = context;
	struct push_target target;
	struct error err = {0};

	if (push_parse(run->values->push, &target, &err) &&
	    push_profile(&target, path, begin_s, end_s, &err))
		return true;
	print_note(&command_record, "%s was not sent: %s", path, err.message);
	return false;
}

static void say_part(const char *sentence, void *context)
{
	(void)context;
	print_note(&command_record, "%s", sentence);
}

static int record_continuously(const struct record_values *values, struct record_options *options,
			       struct record_output *output, struct error *err)
{
	enum { KEEP = 10 };
	struct run_context context = {values, options, output};
	const struct continuous continuous = {.part_s = values->every,
					      .duration_s = values->sampling.duration,
					      .keep = values->keep ? values->keep : KEEP,
					      .output = values->output,
					      .make = record_run_of_many,
					      .send = values->push ? send_part : NULL,
					      .say = say_part,
					      .context = &context};
	int status = STATUS_FAILED;

	options->sampling.duration_s = values->every;
	if (!continuous_record(&continuous, &status, err))
		command_print_error(&command_record, err);
	return status;
}

static int record_named(const struct record_values *values, const struct operands *operands,
			struct error *err)
{
	struct record_output output = {.line = {.quiet = values->quiet},
				       .verbose = values->verbose,
				       .quiet = values->quiet};
	int status;

	enum record_method method;
	const bool has_command = operands->count != 0;

	if (sampling_lists_events(&values->sampling))
		return EXIT_STATUS_OK;
	method = default_method(values);
	if (!sampling_method(values->method, &method, err) ||
	    !check_method(values, method, has_command, err))
		return -1;
	uint64_t trace_bytes = 0;
	if (values->trace && !trace_parse(values->trace, &trace_bytes, err))
		return -1;
	if (!values->no_debuginfod)
		fetch_progress_begin(&output.fetching, &command_record, values->quiet);
	struct record_options options = {
		.words = operands->items,
		.word_count = operands->count,
		.output = values->output,
		.method = method,
		.follow = !values->no_follow,
		.use_cache = !values->no_cache,
		.max_new_code = max_new_code(values),
		.learned = !values->no_learned,
		.paused = values->paused,
		.max_paths = (uint64_t)values->max_paths,
		.all_paths = values->all_paths,
		.settings = {.adaptive_percent = adaptive_percent(values, method),
			     .max_nodes = (uint64_t)values->max_nodes,
			     .max_memory_bytes = (uint64_t)values->max_memory,
			     .max_disk_bytes = (uint64_t)values->max_disk,
			     .max_threads = (uint64_t)values->max_threads,
			     .max_depth = (uint32_t)values->max_depth,
			     .trace_bytes = trace_bytes,
			     .call_sites = values->call_sites},
		.wait = values->wait,
		.exec = values->exec,
		.progress = show_progress,
		.prepared = end_preparation,
		.note = show_note,
		.notice = show_notice,
		.status = show_status,
		.context = &output,
	};
	if (!sampling_from_options(&values->sampling, method, has_command, &options.sampling,
				   err)) {
		sampling_release(&options.sampling);
		return -1;
	}
	selection_from_options(&values->selection, &options.selection);
	vec_foreach (item, &values->modules)
		vec_push(&options.selection.modules, item->value);
	vec_foreach (item, &values->units)
		vec_push(&options.selection.units, item->value);
	vec_foreach (item, &values->start_at)
		vec_push(&options.selection.start_at, item->value);
	vec_foreach (item, &values->stop_at)
		vec_push(&options.selection.stop_at, item->value);
	struct record_values effective = *values;
	struct str described = {0};
	effective.adaptive = options.settings.adaptive_percent / 100.0;
	options_describe(record_option_table, &effective, &described);
	options.described = described.data;
	status = values->every > 0 ? record_continuously(values, &options, &output, err)
		 : values->repeat  ? record_repeatedly(values, &options, &output, err)
				   : record_once(values, &options, &output, err).status;
	str_fini(&described);
	selection_release(&options.selection);
	sampling_release(&options.sampling);
	return status;
}

static int record_command_run(const void *values_at, const struct operands *operands,
			      struct error *err)
{
	struct record_values values = *(const struct record_values *)values_at;
	struct str name = {0};
	int status = -1;

	if (!values.output || output_name_expand(values.output, &name, err)) {
		values.output = values.output ? name.data : NULL;
		status = record_named(&values, operands, err);
	}
	str_fini(&name);
	return status;
}

const struct command command_record = {
	.name = "record",
	.operands = "[--] COMMAND [ARGUMENT…]  |  -p PID  |  -a",
	.summary = "run a command and profile it, its children included, or sample what runs",
	.description =
		"Runs COMMAND with instrumented copies of its executable and of the libraries "
		"that\n"
		"it loads, and writes a profile. The run-time libraries of C and C++ are left "
		"alone,\n"
		"but for the C library's system calls; calls into them are timed where they are "
		"made.\n"
		"Instrumented copies are cached in $XDG_CACHE_HOME/tare or ~/.cache/tare.\n"
		"With --method=sample COMMAND runs as it is, and its stacks are collected at set\n"
		"intervals. -p PID and -a do that with what runs already. A program that cannot "
		"be\n"
		"instrumented is sampled instead, and a line says so; not with --exec or options "
		"of\n"
		"instrumentation.\n\n"
		"Exit status: that of COMMAND, 128+N if signal N killed it, even if no profile "
		"could be\n"
		"written; 125 if tare failed before, or can neither instrument nor sample it; 126 "
		"if it\n"
		"cannot be executed, 127 if it is not found.",
	.examples =
		"tare record -- ./prog                    # calls and samples, into prog.tare\n"
		"tare record --method=sample -- make -j8  # nearly without cost, children too\n"
		"tare record -p redis-server -d 10        # what runs already, by number or name\n"
		"tare record -a --every=60 --push=pyroscope:http://box:4040\n"
		"tare record --exact --trace=16M -- ./prog\n",
	.options = record_option_table,
	.operand_kind = OPERAND_COMMAND,
	.values_bytes = sizeof(struct record_values),
	.stop_at_operand = true,
	.failure_status = STATUS_FAILED,
	.run = record_command_run,
};
