/*
 * Source lines of call paths: of each node the lines at which it executed (of samples), and those
 * of its caller that it was called from (of samples, and of calls with call sites). Of the tree as
 * it was recorded: where it is reshaped (my code, root, recursion), there are none.
 */
#ifndef TARE_ANALYSIS_NODE_LINES_H
#define TARE_ANALYSIS_NODE_LINES_H

#include "analysis/analysis.h"

struct analysis_node_line {
	uint32_t node;
	uint32_t source; /* index of the profile's sources; ANALYSIS_NONE: the line is not known */
	uint32_t line;	 /* 0 if unknown */
	struct analysis_place values; /* inclusive ones, by which the node's are to be shared */
};

/* Those of a node follow each other: elements first[node] to first[node + 1]. */
struct analysis_line_table {
	struct vec_of(struct analysis_node_line) rows;
	size_t *first; /* NULL: nothing is known of any node */
};

struct analysis_node_lines {
	struct analysis_line_table own;	   /* of exclusive values */
	struct analysis_line_table called; /* of inclusive values and calls */
};

/* The rows of a node, which are `count`. */
const struct analysis_node_line *analysis_lines_of_node(const struct analysis_line_table *table,
							uint32_t node, size_t *count);

#endif
