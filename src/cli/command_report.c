/* tare report: one view of a profile. Refuses unknown views, columns and options. */
#include "cli/command.h"

struct report_values {
	bool no_pager;
};

static const struct option report_options[] = {
	{.name = "no-pager",
	 .help = "Do not page through $PAGER",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct report_values, no_pager)},
	{0},
};

static int report_run(const void *values, const struct operands *operands, struct error *err)
{
	(void)values;
	(void)operands;
	error_set(err, ERROR_UNSUPPORTED, "no view is available");
	return -1;
}

const struct command command_report = {
	.name = "report",
	.operands = "[VIEW] FILE",
	.summary = "show one view of a profile",
	.description = "Shows one view of a profile.",
	.options = report_options,
	.values_bytes = sizeof(struct report_values),
	.run = report_run,
};
