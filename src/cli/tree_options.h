/* The options that reshape the call tree, and those that leave out rows of it. */
#ifndef TARE_CLI_TREE_OPTIONS_H
#define TARE_CLI_TREE_OPTIONS_H

#include "cli/options.h"
#include "report/report.h"

struct shape_values {
	const char *my_code, *root; /* NULL: not given; my_code "": without names */
	bool fold_recursion;
};

struct tree_values {
	struct shape_values shape;
	double trim, fold; /* below 0: not given */
	bool noise;
	const char *expand;
};

#define TREE_DEFAULTS                                                                              \
	{                                                                                          \
		.trim = -1, .fold = -1                                                             \
	}

const char *const *tree_expand_proposals(void);

/* Elements of an option table whose values have a struct shape_values at `at`. */
#define SHAPE_OPTIONS(at)                                                                          \
	{.name = "my-code",                                                                        \
	 .argument = "GLOB,...",                                                                   \
	 .help = "Hide what run-time libraries, the loader and the kernel call among themselves: " \
		 "their functions are left where they call others or are called by them, and "     \
		 "have "                                                                           \
		 "the time of those hidden; with GLOBs, only modules of these names or paths are " \
		 "not hidden",                                                                     \
	 .type = OPTION_TEXT,                                                                      \
	 .fallback = "",                                                                           \
	 .offset = (at) + offsetof(struct shape_values, my_code)},                                 \
		{.name = "root",                                                                   \
		 .argument = "FUNCTION",                                                           \
		 .help = "Call tree: only call paths below this function (a name or a glob), of "  \
			 "all its callers as one tree",                                            \
		 .type = OPTION_TEXT,                                                              \
		 .offset = (at) + offsetof(struct shape_values, root)},                            \
	{                                                                                          \
		.name = "fold-recursion",                                                          \
		.help = "Call tree: calls of a function that is on the path already are calls of " \
			"the one there",                                                           \
		.type = OPTION_FLAG,                                                               \
		.offset = (at) + offsetof(struct shape_values, fold_recursion)                     \
	}

/* These, and with a struct tree_values at `at` those of noise. */
#define TREE_OPTIONS(at)                                                                           \
	SHAPE_OPTIONS((at) + offsetof(struct tree_values, shape)),                                 \
		{.name = "trim",                                                                   \
		 .argument = "P",                                                                  \
		 .help = "Leave out rows below P percent of the inclusive value, and count them; " \
			 "default: 0.5 for the call tree as text",                                 \
		 .type = OPTION_NUMBER,                                                            \
		 .max = 100,                                                                       \
		 .offset = (at) + offsetof(struct tree_values, trim)},                             \
		{.name = "fold",                                                                   \
		 .argument = "P",                                                                  \
		 .help = "Call tree: put frames with one callee left and an exclusive value "      \
			 "below "                                                                  \
			 "P percent into the row of that; default: 1 for text",                    \
		 .type = OPTION_NUMBER,                                                            \
		 .max = 100,                                                                       \
		 .offset = (at) + offsetof(struct tree_values, fold)},                             \
		{.name = "noise",                                                                  \
		 .help = "Neither trim nor fold",                                                  \
		 .type = OPTION_FLAG,                                                              \
		 .offset = (at) + offsetof(struct tree_values, noise)},                            \
	{                                                                                          \
		.name = "expand", .argument = "hot|all|N",                                         \
		.help = "Call tree: the hot path and what is called beside it, all, or N levels; " \
			"default: the rows with most",                                             \
		.type = OPTION_TEXT, .proposals = tree_expand_proposals,                           \
		.offset = (at) + offsetof(struct tree_values, expand)                              \
	}

/* Fails with ERROR_USAGE where --expand is none of its words and no number. */
bool tree_options_apply(const struct tree_values *values, struct report_options *options,
			struct error *err);
void shape_options_apply(const struct shape_values *values, struct analysis_options *options);

#endif
