/* See inverted.h. Paths are grouped by the function of their next node: counted, then put. */
#include "analysis/inverted.h"

#include "analysis/private.h"

struct grouping {
	const struct analysis *analysis;
	struct arena *arena;
	struct analysis_inverted_rows *rows;
	size_t first;	  /* of its rows */
	struct map known; /* function → row, from `first` on */
};

static struct analysis_inverted *row_of(struct grouping *grouping, uint32_t function,
					const struct analysis_inverted *callee)
{
	const size_t fresh = grouping->rows->len - grouping->first;
	const size_t index = *map_put(&grouping->known, function, fresh);

	if (index == fresh) {
		struct analysis_inverted *row =
			arena_new(grouping->arena, struct analysis_inverted);
		row->callee = callee;
		row->function = function;
		row->level = callee ? callee->level + 1 : 0;
		row->values = analysis_values_zero();
		vec_push(grouping->rows, row);
	}
	return grouping->rows->data[grouping->first + index];
}

/* Each row gets room for the paths that were counted for it. */
static void make_room(struct grouping *grouping)
{
	for (size_t i = grouping->first; i < grouping->rows->len; i++) {
		struct analysis_inverted *row = grouping->rows->data[i];
		row->paths =
			arena_array(grouping->arena, struct analysis_inverted_path, row->count);
		row->count = 0;
	}
}

static void put(const struct analysis *analysis, struct analysis_inverted *row,
		struct analysis_inverted_path path)
{
	row->paths[row->count++] = path;
	analysis_values_add_amounts(&row->values, &analysis->nodes.data[path.leaf].values);
}

static void finish(struct grouping *grouping)
{
	for (size_t i = grouping->first; i < grouping->rows->len; i++) {
		struct analysis_values *values = &grouping->rows->data[i]->values;
		for (int j = 0; j < ANALYSIS_MEASURES; j += ANALYSIS_SIDES)
			values->amount[j + INCLUSIVE] = values->amount[j + EXCLUSIVE];
	}
	map_fini(&grouping->known);
}

void analysis_inverted_tops(const struct analysis *analysis, struct arena *arena,
			    struct analysis_inverted_rows *rows)
{
	const struct analysis_node *nodes = analysis->nodes.data;
	struct grouping grouping = {
		.analysis = analysis, .arena = arena, .rows = rows, .first = rows->len};

	map_init(&grouping.known);
	/* By function, the last one is that of none. */
	struct analysis_inverted **row = mem_zalloc((analysis->functions.len + 1) * sizeof(*row));
	for (size_t i = 0; i < analysis->nodes.len; i++) {
		const uint32_t function = nodes[i].function;
		struct analysis_inverted **known =
			&row[function == ANALYSIS_NONE ? analysis->functions.len : function];
		if (!*known)
			*known = row_of(&grouping, function, NULL);
		(*known)->count++;
	}
	make_room(&grouping);
	for (uint32_t i = 0; i < analysis->nodes.len; i++) {
		const uint32_t function = nodes[i].function;
		put(analysis, row[function == ANALYSIS_NONE ? analysis->functions.len : function],
		    (struct analysis_inverted_path){i, i});
	}
	free(row);
	finish(&grouping);
}

/* Whose function called the path's last one; ANALYSIS_NONE: none that is known. */
static uint32_t caller_of(const struct analysis *analysis,
			  const struct analysis_inverted_path *path)
{
	const struct analysis_node *nodes = analysis->nodes.data;
	const uint32_t parent = nodes[path->at].parent;

	if (parent == ANALYSIS_NONE || nodes[parent].function == ANALYSIS_NONE)
		return ANALYSIS_NONE;
	return parent;
}

void analysis_inverted_callers(const struct analysis *analysis, const struct analysis_inverted *row,
			       struct arena *arena, struct analysis_inverted_rows *rows)
{
	const struct analysis_node *nodes = analysis->nodes.data;
	struct grouping grouping = {
		.analysis = analysis, .arena = arena, .rows = rows, .first = rows->len};

	map_init(&grouping.known);
	for (size_t i = 0; i < row->count; i++) {
		const uint32_t caller = caller_of(analysis, &row->paths[i]);
		if (caller != ANALYSIS_NONE)
			row_of(&grouping, nodes[caller].function, row)->count++;
	}
	make_room(&grouping);
	for (size_t i = 0; i < row->count; i++) {
		const uint32_t caller = caller_of(analysis, &row->paths[i]);
		if (caller != ANALYSIS_NONE)
			put(analysis, row_of(&grouping, nodes[caller].function, row),
			    (struct analysis_inverted_path){row->paths[i].leaf, caller});
	}
	finish(&grouping);
}

bool analysis_inverted_has_callers(const struct analysis *analysis,
				   const struct analysis_inverted *row)
{
	for (size_t i = 0; i < row->count; i++)
		if (caller_of(analysis, &row->paths[i]) != ANALYSIS_NONE)
			return true;
	return false;
}
