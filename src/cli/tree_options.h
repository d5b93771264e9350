/* The options that leave out rows of the call tree. */
#ifndef TARE_CLI_TREE_OPTIONS_H
#define TARE_CLI_TREE_OPTIONS_H

#include "cli/profile_options.h"
#include "report/report.h"

struct tree_values {
	double trim, fold; /* below 0: not given */
	bool noise, merge_threads, inverted;
	const char *expand;
};

#define TREE_DEFAULTS                                                                              \
	{                                                                                          \
		.trim = -1, .fold = -1                                                             \
	}

const char *const *tree_expand_proposals(void);

/* Elements of an option table whose values have a struct tree_values at `at`. */
#define TREE_OPTIONS(at)                                                                           \
	{.name = "trim",                                                                           \
	 .group = OPTION_TREE,                                                                     \
	 .rare = true,                                                                             \
	 .argument = "P",                                                                          \
	 .help = "Leave out rows below P percent of the inclusive value, and count them; "         \
		 "default: 0.5 for the call tree as text",                                         \
	 .type = OPTION_NUMBER,                                                                    \
	 .max = 100,                                                                               \
	 .offset = (at) + offsetof(struct tree_values, trim)},                                     \
		{.name = "fold",                                                                   \
		 .group = OPTION_TREE,                                                             \
		 .rare = true,                                                                     \
		 .argument = "P",                                                                  \
		 .help = "Call tree: put frames with one callee left and an exclusive value "      \
			 "below "                                                                  \
			 "P percent into the row of that; default: 1 for text",                    \
		 .type = OPTION_NUMBER,                                                            \
		 .max = 100,                                                                       \
		 .offset = (at) + offsetof(struct tree_values, fold)},                             \
		{.name = "inverted",                                                               \
		 .group = OPTION_TREE,                                                             \
		 .help = "Call tree from its leaves: functions by what is their own, below each "  \
			 "its callers, of all threads",                                            \
		 .type = OPTION_FLAG,                                                              \
		 .offset = (at) + offsetof(struct tree_values, inverted)},                         \
		{.name = "merge-threads",                                                          \
		 .group = OPTION_TREE,                                                             \
		 .help = "Call tree: threads of one name as one, also those of several processes " \
			 "of one name",                                                            \
		 .type = OPTION_FLAG,                                                              \
		 .offset = (at) + offsetof(struct tree_values, merge_threads)},                    \
		{.name = "noise",                                                                  \
		 .group = OPTION_TREE,                                                             \
		 .help = "Neither trim nor fold",                                                  \
		 .type = OPTION_FLAG,                                                              \
		 .offset = (at) + offsetof(struct tree_values, noise)},                            \
	{                                                                                          \
		.name = "expand", .group = OPTION_TREE, .argument = "hot|all|N",                   \
		.help = "Call tree: the hot path and what is called beside it, all, or N levels; " \
			"default: the rows with most",                                             \
		.type = OPTION_TEXT, .proposals = tree_expand_proposals,                           \
		.offset = (at) + offsetof(struct tree_values, expand)                              \
	}

/* Fails with ERROR_USAGE where --expand is none of its words and no number. */
bool tree_options_apply(const struct tree_values *values, const struct shape_values *shape,
			struct report_options *options, struct error *err);

#endif
