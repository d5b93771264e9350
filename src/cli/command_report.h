/* What tare report and tare annotate share. */
#ifndef TARE_CLI_COMMAND_REPORT_H
#define TARE_CLI_COMMAND_REPORT_H

#include "cli/command.h"
#include "cli/table_options.h"
#include "cli/tree_options.h"

struct report_values {
	const char *sort, *columns;
	struct profile_values profile;
	struct table_values table;
	struct tree_values tree;
	double min_percent;
	struct option_list filters, source_paths;
	bool verbose, assembly, interactive, never;
};

/* Of both commands: their options, and the values before any is given. */
extern const struct option report_command_options[];
extern const struct report_values report_defaults;

struct report_target {
	const char *view, *function, *profile_path; /* function: NULL where there is none */
};

/* As run in struct command. */
int report_command_show(const struct report_values *values, const struct report_target *target,
			struct error *err);

#endif
