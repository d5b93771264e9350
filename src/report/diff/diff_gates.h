/* All gates of a comparison, and what became of its rows. Private to report. */
#ifndef TARE_REPORT_DIFF_DIFF_GATES_H
#define TARE_REPORT_DIFF_DIFF_GATES_H

#include "report/diff/diff_gate.h"
#include "report/diff/diff_rows.h"

enum { DIFF_GATES_MAX = 16 };

struct diff_gates {
	struct diff_gate list[DIFF_GATES_MAX];
	size_t count;
	struct str names[DIFF_GATES_MAX]; /* of rows that fail */
	uint64_t verdicts[DIFF_GATES_MAX][DIFF_VERDICTS];
};

/* To be freed in any case. */
bool diff_gates_parse(struct diff_gates *gates, const struct diff_options *options,
		      const struct view *view, struct error *err);
void diff_gates_fini(struct diff_gates *gates);

/*
 * Judges all rows but those that have less than min_percent of the gate's column on both sides,
 * marks those that fail, and appends a sentence for each gate that some row fails.
 */
void diff_gates_check(struct diff_gates *gates, struct diff_rows *rows,
		      const struct diff_options *options, struct str *failures);

/* A line for each gate: how many rows fail, and how many nothing can be said of. */
void diff_gates_write_text(const struct diff_gates *gates, const struct report *report,
			   FILE *stream);

#endif
