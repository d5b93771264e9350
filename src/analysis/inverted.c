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
	const struct analysis_values *leaf = &analysis->nodes.data[path.leaf].values;

	if (row->level > 0) /* those of a function are all counted */
		analysis_calls_join(&row->values, leaf);
	analysis_values_add_amounts(&row->values, leaf);
}

/* Those of no function are in the last one. */
static size_t slot_of(const struct analysis *analysis, size_t node)
{
	const uint32_t function = analysis->links.data[node].function;

	return function == ANALYSIS_NONE ? analysis->functions.len : function;
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

/* A function that becomes a row on top: kept apart from the rows, to count in little memory. */
struct top {
	struct analysis_inverted *row; /* NULL: it has no nodes */
	struct analysis_inverted_path *next;
	uint32_t count;
};

static struct top *count_tops(struct grouping *grouping)
{
	const struct analysis *analysis = grouping->analysis;
	struct top *tops = mem_zalloc((analysis->functions.len + 1) * sizeof(*tops));

	for (size_t i = 0; i < analysis->links.len; i++) {
		struct top *top = &tops[slot_of(analysis, i)];
		if (!top->count++)
			top->row = row_of(grouping, analysis->links.data[i].function, NULL);
	}
	return tops;
}

/* Values are known where the tree is as it was read, else they are summed up path by path. */
static void take_values(const struct analysis *analysis, struct top *tops)
{
	for (size_t i = 0; i <= analysis->functions.len && analysis->node_sums; i++) {
		if (!tops[i].row)
			continue;
		tops[i].row->values = analysis->node_sums[i];
		tops[i].row->values.histogram = NULL;
	}
	for (size_t i = 0; i < analysis->nodes.len && !analysis->node_sums; i++)
		analysis_values_add_amounts(&tops[slot_of(analysis, i)].row->values,
					    &analysis->nodes.data[i].values);
}

void analysis_inverted_tops(const struct analysis *analysis, struct arena *arena,
			    struct analysis_inverted_rows *rows)
{
	struct grouping grouping = {
		.analysis = analysis, .arena = arena, .rows = rows, .first = rows->len};

	map_init(&grouping.known);
	struct top *tops = count_tops(&grouping);
	for (size_t i = 0; i <= analysis->functions.len; i++) {
		if (!tops[i].row)
			continue;
		tops[i].row->count = tops[i].count;
		tops[i].row->paths = tops[i].next =
			arena_array(arena, struct analysis_inverted_path, tops[i].count);
	}
	for (uint32_t i = 0; i < analysis->links.len; i++)
		*tops[slot_of(analysis, i)].next++ = (struct analysis_inverted_path){i, i};
	take_values(analysis, tops);
	free(tops);
	finish(&grouping);
}

/* Whose function called the path's last one; ANALYSIS_NONE: none that is known. */
static uint32_t caller_of(const struct analysis *analysis,
			  const struct analysis_inverted_path *path)
{
	const struct analysis_link *links = analysis->links.data;
	const uint32_t parent = links[path->at].parent;

	if (parent == ANALYSIS_NONE || links[parent].function == ANALYSIS_NONE)
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
