/* The columns of the tables of a fleet, as lists for fleet.c and for those who write the rows. */
#ifndef TARE_REPORT_EXPORT_FLEET_COLUMNS_H
#define TARE_REPORT_EXPORT_FLEET_COLUMNS_H

#include "report/export/fleet.h"
#include "report/export/fleet_sheet.h"

#define FLEET_TICKS(ID, name, ...)                                                                 \
	{#name "_inclusive_ticks", FLEET_NUMBER},                                                  \
	{                                                                                          \
#name "_exclusive_ticks", FLEET_NUMBER                                             \
	}
#define FLEET_NS(ID, name, ...)                                                                    \
	{#name "_inclusive_ns", FLEET_NUMBER},                                                     \
	{                                                                                          \
#name "_exclusive_ns", FLEET_NUMBER                                                \
	}

/* Elapsed, CPU and Application, inclusive and exclusive, in ticks and in nanoseconds. */
#define FLEET_TIMES ANALYSIS_TIMES(FLEET_TICKS), ANALYSIS_TIMES(FLEET_NS)

enum { FLEET_ORIGIN_CELLS = 5 };
#define FLEET_ORIGIN                                                                               \
	{"run", FLEET_NUMBER}, {"day", FLEET_DATE}, {"program", FLEET_TEXT}, {"host", FLEET_TEXT}, \
	{                                                                                          \
		"rank", FLEET_SIGNED                                                               \
	}

/* The cells of FLEET_ORIGIN, and of FLEET_TIMES, which begin with `amount`. */
void fleet_put_origin(struct fleet_sheet *sheet, const struct fleet_origin *origin);
void fleet_put_times(const struct fleet *fleet, struct fleet_sheet *sheet, const uint64_t *amount);

#endif
