/* The options that say what of a profile to look at, shared by the commands that read one. */
#ifndef TARE_CLI_PROFILE_OPTIONS_H
#define TARE_CLI_PROFILE_OPTIONS_H

#include "analysis/analysis.h"
#include "cli/options.h"

/* What becomes of the call tree. */
struct shape_values {
	const char *my_code, *root; /* NULL: not given; my_code "": without names */
	bool fold_recursion;
};

struct profile_values {
	struct shape_values shape;
	struct option_list processes, threads;
	const char *from, *to;
	int64_t depth;
	int demangle, method; /* indexes of choices */
	const char *event;
	bool inlines, no_kernel;
};

extern const char *const profile_demangle_choices[], *const profile_method_choices[];

/* Elements of an option table whose values begin with a struct profile_values `at`. */
#define PROFILE_SELECTION_OPTIONS(at)                                                              \
	{.name = "process",                                                                        \
	 .group = OPTION_PART,                                                                     \
	 .argument = "GLOB",                                                                       \
	 .help = "Only processes of this name or id (repeatable)",                                 \
	 .type = OPTION_LIST,                                                                      \
	 .offset = (at) + offsetof(struct profile_values, processes)},                             \
		{.name = "thread",                                                                 \
		 .group = OPTION_PART,                                                             \
		 .argument = "GLOB",                                                               \
		 .help = "Only threads of this name or id (repeatable)",                           \
		 .type = OPTION_LIST,                                                              \
		 .offset = (at) + offsetof(struct profile_values, threads)},                       \
		{.name = "from",                                                                   \
		 .group = OPTION_PART,                                                             \
		 .argument = "TIME",                                                               \
		 .help = "Samples and event logs: begin at TIME, milliseconds since the begin, "   \
			 "or the name or #number of a mark",                                       \
		 .type = OPTION_TEXT,                                                              \
		 .offset = (at) + offsetof(struct profile_values, from)},                          \
		{.name = "to",                                                                     \
		 .group = OPTION_PART,                                                             \
		 .argument = "TIME",                                                               \
		 .help = "Samples and event logs: end there",                                      \
		 .type = OPTION_TEXT,                                                              \
		 .offset = (at) + offsetof(struct profile_values, to)},                            \
		{.name = "method",                                                                 \
		 .group = OPTION_PART,                                                             \
		 .argument = "METHOD",                                                             \
		 .help = "Show calls (instrument) or samples (sample); auto: calls if there are "  \
			 "any",                                                                    \
		 .type = OPTION_CHOICE,                                                            \
		 .choices = profile_method_choices,                                                \
		 .offset = (at) + offsetof(struct profile_values, method)},                        \
		{.name = "event",                                                                  \
		 .group = OPTION_PART,                                                             \
		 .argument = "NAME",                                                               \
		 .help = "Show samples of this event; default: the first of the recording",        \
		 .type = OPTION_TEXT,                                                              \
		 .offset = (at) + offsetof(struct profile_values, event)},                         \
		{.name = "inlines",                                                                \
		 .group = OPTION_TREE,                                                             \
		 .help = "Samples: inlined functions are functions and calls of their own",        \
		 .type = OPTION_FLAG,                                                              \
		 .offset = (at) + offsetof(struct profile_values, inlines)},                       \
		{.name = "no-kernel",                                                              \
		 .group = OPTION_TREE,                                                             \
		 .rare = true,                                                                     \
		 .help = "Samples: leave out the kernel's frames; their samples are those of the " \
			 "function that called it",                                                \
		 .type = OPTION_FLAG,                                                              \
		 .offset = (at) + offsetof(struct profile_values, no_kernel)},                     \
	{                                                                                          \
		.name = "demangle", .group = OPTION_FORM, .rare = true,                            \
		.help = "Show C++ and Rust names as in the source, or as in "                      \
			"the file",                                                                \
		.type = OPTION_CHOICE, .choices = profile_demangle_choices,                        \
		.offset = (at) + offsetof(struct profile_values, demangle)                         \
	}

/* These, and the depth of event logs. */
#define PROFILE_OPTIONS(at)                                                                        \
	PROFILE_SELECTION_OPTIONS(at),                                                             \
	{                                                                                          \
		.name = "depth", .group = OPTION_PART, .rare = true, .argument = "N",              \
		.help = "Event logs: leave out calls below the N outermost",                       \
		.type = OPTION_INTEGER, .max = INT32_MAX,                                          \
		.offset = (at) + offsetof(struct profile_values, depth)                            \
	}

/* Elements of an option table whose values begin with a struct profile_values `at`. */
#define SHAPE_OPTIONS(at)                                                                          \
	{.name = "my-code",                                                                        \
	 .group = OPTION_TREE,                                                                     \
	 .argument = "GLOB,...",                                                                   \
	 .help = "Leave out functions of run-time libraries, the loader and the kernel: their "    \
		 "time is that of the caller that is yours; with GLOBs, only modules of these "    \
		 "names or paths are yours",                                                       \
	 .type = OPTION_TEXT,                                                                      \
	 .fallback = "",                                                                           \
	 .offset = (at) + offsetof(struct profile_values, shape.my_code)},                         \
		{.name = "root",                                                                   \
		 .group = OPTION_TREE,                                                             \
		 .argument = "FUNCTION",                                                           \
		 .help = "Call tree: only call paths below this function (a name or a glob), of "  \
			 "all its callers as one tree",                                            \
		 .type = OPTION_TEXT,                                                              \
		 .offset = (at) + offsetof(struct profile_values, shape.root)},                    \
	{                                                                                          \
		.name = "fold-recursion", .group = OPTION_TREE, .rare = true,                      \
		.help = "Call tree: calls of a function that is on the path already are calls of " \
			"the one there",                                                           \
		.type = OPTION_FLAG,                                                               \
		.offset = (at) + offsetof(struct profile_values, shape.fold_recursion)             \
	}

/* Patterns of one option, borrowed from the command line. */
struct globs vec_of(const char *);

struct analysis_globs globs_of(struct globs *globs, const struct option_list *list);

struct profile_selection {
	struct analysis_options options;
	struct globs processes, threads;
};

void profile_selection_init(struct profile_selection *selection,
			    const struct profile_values *values);
void profile_selection_fini(struct profile_selection *selection);

#endif
