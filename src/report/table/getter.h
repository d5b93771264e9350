/* What getters are written with. Private to report. */
#ifndef TARE_REPORT_TABLE_GETTER_H
#define TARE_REPORT_TABLE_GETTER_H

#include "report/table/table.h"

/* A getter; most need only some of the parameters. */
#define GET(name)                                                                                  \
	void report_get_##name(__attribute__((unused)) const struct report *report,                \
			       __attribute__((unused)) const struct report_row *row,               \
			       __attribute__((unused)) const struct column *column,                \
			       __attribute__((unused)) struct str *scratch, struct cell *cell)

/* A number of the column's type. */
static inline void set_count(struct cell *cell, const struct column *column, uint64_t number)
{
	cell_set_number(cell, column->type, number);
}

/* Ticks in the report's unit. */
static inline void set_ticks(const struct report *report, struct cell *cell, uint64_t ticks)
{
	cell_set_number(cell, CELL_TIME,
			report->options->unit == REPORT_TICKS
				? ticks
				: analysis_ns(report->analysis, ticks));
}

/* "file.c:12"; nothing where the source is not known. */
static inline void set_place(struct cell *cell, struct str *scratch, const char *source,
			     uint32_t line)
{
	if (!source)
		return;
	str_append(scratch, path_basename(source));
	if (line)
		str_printf(scratch, ":%u", line);
	cell_set_scratch(cell, scratch);
}

#endif
