/* The options of commands that write tables, and how these look where they go to. */
#ifndef TARE_CLI_TABLE_OPTIONS_H
#define TARE_CLI_TABLE_OPTIONS_H

#include "cli/profile_options.h"
#include "report/report.h"

struct table_values {
	const char *output;
	int64_t limit;
	struct option_list modules, functions;
	int unit, format, color; /* indexes of choices */
	bool no_pager;
};

#define TABLE_DEFAULTS                                                                             \
	{                                                                                          \
		.limit = REPORT_LIMIT_DEFAULT                                                      \
	}

extern const char *const table_unit_choices[], *const table_format_choices[],
						       *const table_color_choices[];

/* Elements of an option table whose values have a struct table_values at `at`. */
#define TABLE_OPTIONS(at) TABLE_OPTIONS_AS(at, table_format_choices)
/* The same of a command that has further formats. */
#define TABLE_OPTIONS_AS(at, formats)                                                              \
	{.name = "limit",                                                                          \
	 .group = OPTION_ROWS,                                                                     \
	 .argument = "N",                                                                          \
	 .help = "Show at most N rows, 0 for all; default: all for CSV and JSON, "                 \
		 "few for text",                                                                   \
	 .type = OPTION_INTEGER,                                                                   \
	 .offset = (at) + offsetof(struct table_values, limit)},                                   \
		{.name = "module",                                                                 \
		 .group = OPTION_ROWS,                                                             \
		 .argument = "GLOB",                                                               \
		 .help = "Show only modules of this name or path (repeatable)",                    \
		 .type = OPTION_LIST,                                                              \
		 .offset = (at) + offsetof(struct table_values, modules)},                         \
		{.name = "function",                                                               \
		 .group = OPTION_ROWS,                                                             \
		 .argument = "GLOB",                                                               \
		 .help = "Show only functions of this name (repeatable)",                          \
		 .type = OPTION_LIST,                                                              \
		 .offset = (at) + offsetof(struct table_values, functions)},                       \
		{.name = "unit",                                                                   \
		 .group = OPTION_FORM,                                                             \
		 .rare = true,                                                                     \
		 .help = "Times in milliseconds (CSV, JSON: nanoseconds) or in clock ticks",       \
		 .type = OPTION_CHOICE,                                                            \
		 .choices = table_unit_choices,                                                    \
		 .offset = (at) + offsetof(struct table_values, unit)},                            \
		{.name = "format",                                                                 \
		 .group = OPTION_FORM,                                                             \
		 .help = "What to write",                                                          \
		 .type = OPTION_CHOICE,                                                            \
		 .choices = formats,                                                               \
		 .offset = (at) + offsetof(struct table_values, format)},                          \
		{.name = "output",                                                                 \
		 .group = OPTION_FORM,                                                             \
		 .letter = 'o',                                                                    \
		 .argument = "FILE",                                                               \
		 .help = "Write to FILE instead of the standard output",                           \
		 .type = OPTION_TEXT,                                                              \
		 .offset = (at) + offsetof(struct table_values, output)},                          \
		{.name = "color",                                                                  \
		 .group = OPTION_FORM,                                                             \
		 .rare = true,                                                                     \
		 .help = "Colour text; auto: on a terminal, unless NO_COLOR is set",               \
		 .type = OPTION_CHOICE,                                                            \
		 .choices = table_color_choices,                                                   \
		 .fallback = "always",                                                             \
		 .offset = (at) + offsetof(struct table_values, color)},                           \
	{                                                                                          \
		.name = "no-pager", .group = OPTION_FORM, .help = "Do not page through $PAGER",    \
		.type = OPTION_FLAG, .offset = (at) + offsetof(struct table_values, no_pager)      \
	}

/* What the options borrow. */
struct table_globs {
	struct globs modules, functions;
};

/* Fills in what these values say, and width, color and unicode. */
void table_options_apply(const struct table_values *values, struct report_options *options,
			 struct table_globs *globs);
void table_globs_fini(struct table_globs *globs);

/* How the table is written: enum sink_flags. */
unsigned table_options_sink(const struct table_values *values);

#endif
