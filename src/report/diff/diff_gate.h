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

#include "report/table/bounds.h"

struct diff_gate {
	const char *text;
	const struct column *column;
	bool below;	  /* "<" */
	bool change;	  /* of the difference, not of the new value */
	bool relative;	  /* in percent of the base */
	bool significant; /* only differences between several runs that are no chance */
	double limit;	  /* nanoseconds of times, else as it stands there */
};

/*
 * With " significant" behind it a gate is of several runs of each side; of two profiles that are
 * compared only the gates of what is counted may have it.
 */
bool diff_gate_parse(const char *text, const struct view *view, struct diff_gate *gate,
		     struct error *err);

/* Whether exact values are beyond the limit. */
bool diff_gate_is_beyond(const struct diff_gate *gate, double base, double now);

/* What a row has of the gate's column on one side. */
struct diff_value {
	bool is_there;
	double value; /* 0 where the row is missing */
	struct column_bounds bounds;
};

/* What became of a row. */
enum diff_verdict {
	DIFF_PASSES,
	DIFF_FAILS,
	DIFF_WITHIN_ERRORS, /* the values fail, but by less than they may be wrong */
	DIFF_NOT_COMPARED,  /* of one of the values only a bound is known */
	DIFF_VERDICTS
};

/*
 * A row fails where it does for the least favourable values within the bounds of both sides. One
 * that vanished fails every gate, and a new one every gate on growth in percent, unless it may have
 * been there unseen.
 */
enum diff_verdict diff_gate_judge(const struct diff_gate *gate, const struct diff_value *base,
				  const struct diff_value *now);

#endif
