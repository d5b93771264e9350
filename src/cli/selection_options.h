/* The options that say what to instrument, shared by tare record and tare instrument. */
#ifndef TARE_CLI_SELECTION_OPTIONS_H
#define TARE_CLI_SELECTION_OPTIONS_H

#include "cache/instrument_request.h"
#include "cli/options.h"

/* option.needs of those that say how to instrument. */
#define SELECTION_NEEDS_INSTRUMENT 1U

struct selection_values {
	struct option_list patterns; /* tag: enum selection_tag */
	int small_functions, probes, transform;
	bool lines;
};

enum selection_tag { SELECTION_FUNCTION, SELECTION_EXCLUDE };

extern const char *const selection_small_choices[], *const selection_probes_choices[],
							    *const selection_transform_choices[];

/* Elements of an option table whose values begin with a struct selection_values `at`. */
#define SELECTION_OPTIONS(at)                                                                      \
	{.name = "function",                                                                       \
	 .group = OPTION_FUNCTIONS,                                                                \
	 .needs = SELECTION_NEEDS_INSTRUMENT,                                                      \
	 .called = "--function or --exclude",                                                      \
	 .argument = "GLOB|/REGEX/",                                                               \
	 .help = "Instrument only functions whose demangled name matches; repeatable",             \
	 .type = OPTION_LIST,                                                                      \
	 .tag = SELECTION_FUNCTION,                                                                \
	 .offset = (at) + offsetof(struct selection_values, patterns)},                            \
		{.name = "exclude",                                                                \
		 .group = OPTION_FUNCTIONS,                                                        \
		 .needs = SELECTION_NEEDS_INSTRUMENT,                                              \
		 .called = "--function or --exclude",                                              \
		 .argument = "GLOB|/REGEX/",                                                       \
		 .help = "Leave out functions whose demangled name matches; of several "           \
			 "--function and "                                                         \
			 "--exclude the last that matches decides",                                \
		 .type = OPTION_LIST,                                                              \
		 .tag = SELECTION_EXCLUDE,                                                         \
		 .offset = (at) + offsetof(struct selection_values, patterns)},                    \
		{.name = "lines",                                                                  \
		 .group = OPTION_FUNCTIONS,                                                        \
		 .needs = SELECTION_NEEDS_INSTRUMENT,                                              \
		 .help = "Count how often each source line and instruction is executed",           \
		 .type = OPTION_FLAG,                                                              \
		 .offset = (at) + offsetof(struct selection_values, lines)},                       \
		{.name = "small-functions",                                                        \
		 .group = OPTION_FUNCTIONS,                                                        \
		 .rare = true,                                                                     \
		 .needs = SELECTION_NEEDS_INSTRUMENT,                                              \
		 .argument = "count|keep",                                                         \
		 .help = "Short loop-free leaf functions: count their calls only (default), or "   \
			 "give them probes like others",                                           \
		 .type = OPTION_CHOICE,                                                            \
		 .choices = selection_small_choices,                                               \
		 .offset = (at) + offsetof(struct selection_values, small_functions)},             \
		{.name = "transform",                                                              \
		 .group = OPTION_FUNCTIONS,                                                        \
		 .rare = true,                                                                     \
		 .needs = SELECTION_NEEDS_INSTRUMENT,                                              \
		 .argument = "full|null|poison",                                                   \
		 .help = "Code of the copies, to find faults of tare: with probes (full, the "     \
			 "default), without (null: a recording keeps only those at system "        \
			 "calls), or with probes that run and scramble whatever they may "         \
			 "change (poison)",                                                        \
		 .type = OPTION_CHOICE,                                                            \
		 .choices = selection_transform_choices,                                           \
		 .offset = (at) + offsetof(struct selection_values, transform)},                   \
	{                                                                                          \
		.name = "probes", .group = OPTION_FUNCTIONS, .rare = true,                         \
		.needs = SELECTION_NEEDS_INSTRUMENT, .argument = "merged|all",                     \
		.help = "Probes around direct calls to instrumented functions: merged into the "   \
			"function's own (default), or all",                                        \
		.type = OPTION_CHOICE, .choices = selection_probes_choices,                        \
		.offset = (at) + offsetof(struct selection_values, probes)                         \
	}

void selection_from_options(const struct selection_values *values,
			    struct instrument_request *selection);
void selection_release(struct instrument_request *selection);

#endif
