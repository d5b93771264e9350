/*
 * Gates of a comparison: conditions on a column that no row may fulfil, as
 *
 *   COLUMN>+5%    more than 5 % above the base      COLUMN<-5%   more than 5 % below it
 *   COLUMN>+10ms  more than 10 ms above it          COLUMN>100   more than 100, whatever it was
 *
 * Private to report.
 */
#ifndef TARE_REPORT_DIFF_DIFF_GATE_H
#define TARE_REPORT_DIFF_DIFF_GATE_H

#include "report/table/table.h"

struct diff_gate {
	const char *text;
	const struct column *column;
	bool below;    /* "<" */
	bool change;   /* of the difference, not of the new value */
	bool relative; /* in percent of the base */
	double limit;  /* nanoseconds of times, else as it stands there */
};

bool diff_gate_parse(const char *text, const struct view *view, struct diff_gate *gate,
		     struct error *err);

/* What a row has of the gate's column; NAN where it has none: the row is missing there. */
bool diff_gate_fails(const struct diff_gate *gate, double base, double now);

#endif
