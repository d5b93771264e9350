/*
 * The tables of call paths: `node` of calls, `sample` of samples. A row per path and thread, the
 * thread's root too, whose exclusive values are outside of all functions.
 */
#include "report/export/fleet_columns.h"

#include <stdlib.h>

/* Parents precede their children. */
uint64_t *fleet_paths(const struct fleet *fleet, const struct analysis *analysis)
{
	uint64_t *paths = mem_zalloc((analysis->nodes.len + 1) * sizeof(*paths));

	for (size_t i = 0; i < analysis->nodes.len; i++) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		if (node->function != ANALYSIS_NONE)
			paths[i] = fleet_path_hash(
				node->parent == ANALYSIS_NONE ? 0 : paths[node->parent],
				fleet->function_hash[node->function]);
	}
	return paths;
}

static uint64_t function_of(const struct fleet *fleet, const struct analysis_node *node)
{
	return node->function == ANALYSIS_NONE ? 0 : fleet->function_hash[node->function];
}

static uint64_t parent_path(const struct analysis_node *node, const uint64_t *paths)
{
	return node->parent == ANALYSIS_NONE ? 0 : paths[node->parent];
}

/* Whose it is: the cells that both tables begin with. */
static void put_thread(const struct fleet *fleet, const struct analysis *analysis,
		       struct fleet_sheet *sheet, const struct analysis_node *node)
{
	const uint32_t process = analysis->threads.data[node->thread].process;

	fleet_put_origin(sheet, &fleet->origins[process]);
	sheet_number(sheet, (uint64_t)process + 1);
	sheet_number(sheet, (uint64_t)node->thread + 1);
}

void fleet_write_nodes(const struct fleet *fleet, struct fleet_sheet *sheet)
{
	const struct analysis *analysis = fleet->calls;

	if (!analysis)
		return;
	uint64_t *paths = fleet_paths(fleet, analysis);
	for (size_t i = 0; i < analysis->nodes.len && !ferror(sheet->stream); i++) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		put_thread(fleet, analysis, sheet, node);
		sheet_number(sheet, i + 1);
		sheet_number(sheet, node->parent == ANALYSIS_NONE ? 0 : (uint64_t)node->parent + 1);
		sheet_number(sheet, node->level);
		sheet_number(sheet, paths[i]);
		sheet_number(sheet, parent_path(node, paths));
		sheet_number(sheet, function_of(fleet, node));
		sheet_number(sheet, node->folded);
		sheet_number(sheet, node->values.calls);
		fleet_put_times(fleet, sheet, node->values.amount);
		sheet_end(sheet);
	}
	free(paths);
}

void fleet_write_samples(const struct fleet *fleet, struct fleet_sheet *sheet)
{
	const struct analysis *analysis = fleet->samples;

	if (!analysis || !analysis->event)
		return;
	uint64_t *paths = fleet_paths(fleet, analysis);
	for (size_t i = 0; i < analysis->nodes.len && !ferror(sheet->stream); i++) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		put_thread(fleet, analysis, sheet, node);
		sheet_text(sheet, analysis->event->name);
		sheet_text(sheet, analysis->event->unit);
		sheet_number(sheet, paths[i]);
		sheet_number(sheet, parent_path(node, paths));
		sheet_number(sheet, node->level);
		sheet_number(sheet, function_of(fleet, node));
		for (int measure = SAMPLES_INCLUSIVE; measure <= WEIGHT_EXCLUSIVE; measure++)
			sheet_number(sheet, node->values.amount[measure]);
		sheet_end(sheet);
	}
	free(paths);
}
