/*
 * inverted: the call tree from its leaves. On top stand all functions with what is exclusively
 * theirs, below each those that called it, with the part that it had when called so, and so on. A
 * level is made when it is asked for, as the whole may be many times larger than the tree.
 */
#ifndef TARE_ANALYSIS_INVERTED_H
#define TARE_ANALYSIS_INVERTED_H

#include "analysis/analysis.h"

/* A call path of the function on top, and its node so many levels further up. */
struct analysis_inverted_path {
	uint32_t leaf, at;
};

struct analysis_inverted {
	const struct analysis_inverted *callee; /* the row above; NULL: on top */
	uint32_t function;			/* ANALYSIS_NONE: outside of all functions */
	uint32_t level;				/* 0 on top */
	struct analysis_inverted_path *paths;
	size_t count;
	/*
	 * What the function on top has exclusively on these paths, and its calls there. Inclusive
	 * values are the same.
	 */
	struct analysis_values values;
};

struct analysis_inverted_rows vec_of(struct analysis_inverted *);

/* Appends all functions that have nodes, in their order; what is made is of the arena. */
void analysis_inverted_tops(const struct analysis *analysis, struct arena *arena,
			    struct analysis_inverted_rows *rows);
/*
 * Appends the callers. What no function called, or none that is known, is in none of them: so
 * they may add up to less.
 */
void analysis_inverted_callers(const struct analysis *analysis, const struct analysis_inverted *row,
			       struct arena *arena, struct analysis_inverted_rows *rows);
/* Whether that appends any. */
bool analysis_inverted_has_callers(const struct analysis *analysis,
				   const struct analysis_inverted *row);

#endif
