/*
 * outline: which rows of the call tree are worth a look. Rows with little are trimmed, frames that
 * only lead to another share its row, what is not expanded or beyond a limit stays away; all of it
 * is counted.
 */
#ifndef TARE_ANALYSIS_OUTLINE_H
#define TARE_ANALYSIS_OUTLINE_H

#include "analysis/analysis.h"

enum analysis_expand { EXPAND_ALL, EXPAND_HOT, EXPAND_LEVELS };

struct analysis_outline_options {
	double trim;	    /* percent: rows with less of the whole are left out */
	double fold;	    /* percent: frames with less of their own; 0: none share a row */
	const bool *wanted; /* by node, callers of wanted ones too; NULL: all are */
	const bool *apart;  /* by node: shares no row; NULL: none is such */
	const bool *processes_wanted; /* NULL: all */
	enum analysis_expand expand;
	uint32_t levels; /* of rows below threads, if it is these */
	uint64_t limit;	 /* rows: those with the most; processes and threads are rows, too */
};

struct analysis_outline {
	/* By node: whether a row begins there, and the last frame of that row, else ANALYSIS_NONE.
	   Frames between have one child in it. */
	uint32_t *last;
	bool *processes; /* that have a row */
	bool *hot;	 /* nodes on the hot path */
	uint32_t hot_process;
	uint64_t rows;
	uint64_t trimmed;		/* rows */
	uint64_t trimmed_value;		/* what they have, as analysis_exclusive */
	uint64_t collapsed;		/* not expanded */
	uint64_t hidden;		/* beyond the limit */
	uint64_t shared, shared_frames; /* rows of several frames, and these */
};

/*
 * A frame shares the row of its only child that is left, if what it has of its own is below the
 * threshold, and both are on the hot path or neither is. Processes, threads, roots, folded paths
 * and those that are to be apart share none.
 */
void analysis_outline_make(const struct analysis *analysis,
			   const struct analysis_outline_options *options,
			   struct analysis_outline *outline);
/* No rows, only what is hot. */
void analysis_outline_hot(const struct analysis *analysis, struct analysis_outline *outline);
void analysis_outline_fini(struct analysis_outline *outline);

/*
 * The values of a row: of the frame that it begins with, but the exclusive ones are sums over its
 * frames.
 */
struct analysis_values analysis_outline_values(const struct analysis *analysis,
					       const struct analysis_outline *outline,
					       uint32_t first);

#endif
