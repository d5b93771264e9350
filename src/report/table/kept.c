/*
 * Which rows of a call tree filters leave: nodes whose rows pass, and what stands above them. Found
 * once for a report, as a tree that is opened row by row asks for each level.
 */
#include "report/table/calltree.h"

bool report_is_selective(const struct report *report)
{
	const struct report_options *options = report->options;

	return options->modules.count || options->functions.count || options->filters.count ||
	       report->filters.len;
}

static bool node_passes(const struct report *report, uint32_t index)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_node *node = &analysis->nodes.data[index];
	struct report_row row = report_row_empty(ROW_PATH);

	if (!report->filters.len)
		return true;
	if (node->thread != ANALYSIS_NONE && !analysis->is_rooted) {
		row.thread = &analysis->threads.data[node->thread];
		row.process = &analysis->processes.data[row.thread->process];
	}
	row = report_row_of_node(analysis, &row, index);
	return report_passes(report, &row);
}

static void mark_nodes(struct report *report, const bool *function_kept)
{
	const struct analysis *analysis = report->analysis;
	struct report_kept *kept = &report->kept;

	kept->nodes = mem_zalloc(analysis->nodes.len + 1);
	kept->passing = mem_zalloc(analysis->nodes.len + 1);
	for (size_t i = analysis->nodes.len; i-- > 0;) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		if (node->function != ANALYSIS_NONE && function_kept[node->function] &&
		    node_passes(report, (uint32_t)i))
			kept->nodes[i] = kept->passing[i] = true;
		if (kept->nodes[i] && node->parent != ANALYSIS_NONE)
			kept->nodes[node->parent] = true;
	}
}

void report_find_kept(struct report *report)
{
	const struct analysis *analysis = report->analysis;
	struct report_kept *kept = &report->kept;

	if (kept->nodes || !report_is_selective(report))
		return;
	bool *function_kept = mem_zalloc(analysis->functions.len + 1);
	for (uint32_t i = 0; i < analysis->functions.len; i++)
		function_kept[i] = report_is_selected(report, i);
	mark_nodes(report, function_kept);
	free(function_kept);
	kept->processes = mem_zalloc(analysis->processes.len + 1);
	vec_foreach (thread, &analysis->threads) {
		if (thread->root != ANALYSIS_NONE && kept->nodes[thread->root])
			kept->processes[thread->process] = true;
	}
}

bool report_keeps_node(const struct report *report, uint32_t node)
{
	return !report->kept.nodes || report->kept.nodes[node];
}

bool report_keeps_process(const struct report *report, const struct analysis_process *process)
{
	return !report->kept.processes ||
	       report->kept.processes[process - report->analysis->processes.data];
}

void report_kept_fini(struct report_kept *kept)
{
	free(kept->nodes);
	free(kept->passing);
	free(kept->processes);
	*kept = (struct report_kept){0};
}
