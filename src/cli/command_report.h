/* What tare report and tare annotate share. */
#ifndef TARE_CLI_COMMAND_REPORT_H
#define TARE_CLI_COMMAND_REPORT_H

#include "cli/command.h"
#include "cli/profile_options.h"

struct report_values {
	const char *sort, *columns, *output;
	struct profile_values profile;
	int64_t limit;
	double min_percent;
	struct option_list filters, modules, functions, source_paths;
	int unit, format, color; /* indexes of choices */
	bool no_pager, verbose, assembly;
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
