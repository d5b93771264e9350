/* The options of tare record that say how to sample, and what. */
#ifndef TARE_CLI_SAMPLING_OPTIONS_H
#define TARE_CLI_SAMPLING_OPTIONS_H

#include "cli/options.h"
#include "record/record.h"

struct sampling_values {
	struct option_list events, pids;
	int64_t frequency; /* 0: not given */
	double duration;   /* 0: not given */
	int unwind;
	bool all, off_cpu, wakers, no_kernel;
};

extern const char *const sampling_unwind_choices[];

/* --event=list: prints the events that there are, and nothing is recorded. */
bool sampling_lists_events(const struct sampling_values *values);

/* Elements of an option table whose values begin with a struct sampling_values `at`. */
#define SAMPLING_OPTIONS(at)                                                                       \
	{.name = "frequency",                                                                      \
	 .group = OPTION_SAMPLES,                                                                  \
	 .letter = 'F',                                                                            \
	 .argument = "HZ",                                                                         \
	 .help = "Sample so many times a second (default 997)",                                    \
	 .type = OPTION_INTEGER,                                                                   \
	 .min = 1,                                                                                 \
	 .max = 100000,                                                                            \
	 .offset = (at) + offsetof(struct sampling_values, frequency)},                            \
		{.name = "event",                                                                  \
		 .group = OPTION_SAMPLES,                                                          \
		 .letter = 'e',                                                                    \
		 .argument = "NAME[:PERIOD]",                                                      \
		 .help = "Sample at this event instead of at time: page-faults, cache-misses, "    \
			 "sched:sched_switch, rHEX, … (list: shows all); with PERIOD every "     \
			 "PERIOD-th one; a list with commas; repeatable",                          \
		 .type = OPTION_LIST,                                                              \
		 .offset = (at) + offsetof(struct sampling_values, events)},                       \
		{.name = "off-cpu",                                                                \
		 .group = OPTION_SAMPLES,                                                          \
		 .help = "Sample where threads wait, too, and for how long",                       \
		 .type = OPTION_FLAG,                                                              \
		 .offset = (at) + offsetof(struct sampling_values, off_cpu)},                      \
		{.name = "wakers",                                                                 \
		 .group = OPTION_SAMPLES,                                                          \
		 .help = "With that, record which thread ended each wait, and where it was; for "  \
			 "root",                                                                   \
		 .type = OPTION_FLAG,                                                              \
		 .offset = (at) + offsetof(struct sampling_values, wakers)},                       \
		{.name = "pid",                                                                    \
		 .group = OPTION_WHAT,                                                             \
		 .letter = 'p',                                                                    \
		 .argument = "PID|NAME[,...]",                                                     \
		 .help = "Sample running processes, by number or name, and what they start from "  \
			 "now on, instead of a command; repeatable",                               \
		 .type = OPTION_LIST,                                                              \
		 .offset = (at) + offsetof(struct sampling_values, pids)},                         \
		{.name = "all",                                                                    \
		 .group = OPTION_WHAT,                                                             \
		 .letter = 'a',                                                                    \
		 .help = "Sample all processors: everything that runs, or, with a command, what "  \
			 "is the command's, while the rest is counted as discarded",               \
		 .type = OPTION_FLAG,                                                              \
		 .offset = (at) + offsetof(struct sampling_values, all)},                          \
		{.name = "duration",                                                               \
		 .group = OPTION_WHAT,                                                             \
		 .letter = 'd',                                                                    \
		 .argument = "SECONDS",                                                            \
		 .help = "With -p or -a: for so long; without, until ^C or until all have ended",  \
		 .type = OPTION_NUMBER,                                                            \
		 .min = 0,                                                                         \
		 .max = 100000000,                                                                 \
		 .offset = (at) + offsetof(struct sampling_values, duration)},                     \
		{.name = "unwind",                                                                 \
		 .group = OPTION_SAMPLES,                                                          \
		 .rare = true,                                                                     \
		 .argument = "dwarf|fp",                                                           \
		 .help = "How to find callers: by the unwind tables of the files (default), or "   \
			 "by frame pointers, for programs that are built with them",               \
		 .type = OPTION_CHOICE,                                                            \
		 .choices = sampling_unwind_choices,                                               \
		 .offset = (at) + offsetof(struct sampling_values, unwind)},                       \
	{                                                                                          \
		.name = "no-kernel", .group = OPTION_SAMPLES, .rare = true,                        \
		.help = "Sample user code only, not the kernel's", .type = OPTION_FLAG,            \
		.offset = (at) + offsetof(struct sampling_values, no_kernel)                       \
	}

/* The method: as asked for ("instrument", "sample", "instrument,sample"; NULL: it stays). */
bool sampling_method(const char *text, enum record_method *method, struct error *err);

/*
 * Fails where options contradict each other, the method or the command; else fills in what to
 * sample. Free it with sampling_release.
 */
bool sampling_from_options(const struct sampling_values *values, enum record_method method,
			   bool has_command, struct record_sampling *sampling, struct error *err);
void sampling_release(struct record_sampling *sampling);

#endif
