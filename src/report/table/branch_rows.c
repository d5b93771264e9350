/*
 * Conditional jumps: how often each was met, and how often it was taken (tare record --lines). And
 * indirect calls: how often each called which function (with --call-sites, too).
 */
#include "report/table/table.h"

#include "analysis/executions.h"

static void add_row(struct report *report, struct report_table *table, uint32_t function,
		    const struct report_branch *branch)
{
	struct report_row row = report_row_of_function(report, ROW_BRANCH, function);
	struct report_branch *kept = arena_new(&report->arena, struct report_branch);

	*kept = *branch;
	row.branch = kept;
	row.values = NULL;
	row.outside = false;
	if (report_is_selected(report, function))
		vec_push(&table->rows, row);
}

static void add_jumps(struct report *report, struct report_table *table)
{
	size_t count;
	const struct profile_source *sources = profile_sources(report->analysis->profile, &count);

	vec_foreach (block, &report->analysis->executions->blocks) {
		if (!block->branches || !block->count)
			continue;
		struct report_branch branch = {.executions = block->count,
					       .taken = block->taken,
					       .link_addr = block->link_addr,
					       .line = block->line};
		if (block->source && (uint64_t)block->source <= count)
			branch.source = sources[block->source - 1].path;
		add_row(report, table, block->function, &branch);
	}
}

/* Calls of functions that were counted at that time have no site: there are more executions. */
static uint64_t executions_of(const struct analysis *analysis, size_t first)
{
	const struct analysis_call_target *targets = analysis->call_targets.data;
	const uint32_t at = targets[first].instruction;
	const struct analysis_instruction *call = &analysis->instructions.data[at];
	uint64_t known = 0, executions = 0;

	for (size_t i = first; i < analysis->call_targets.len && targets[i].instruction == at; i++)
		known += targets[i].calls;
	analysis_code_executions(analysis, analysis->functions.data[call->function].module,
				 call->link_addr, &executions);
	return executions > known ? executions : known;
}

static void add_calls(struct report *report, struct report_table *table)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_call_target *targets = analysis->call_targets.data;
	struct report_branch branch = {0};

	for (size_t i = 0; i < analysis->call_targets.len; i++) {
		const struct analysis_instruction *call =
			&analysis->instructions.data[targets[i].instruction];
		if (!i || targets[i].instruction != targets[i - 1].instruction)
			branch = (struct report_branch){.executions = executions_of(analysis, i),
							.link_addr = call->link_addr,
							.source = call->source,
							.line = call->line};
		branch.taken = targets[i].calls;
		branch.target = &analysis->functions.data[targets[i].callee];
		add_row(report, table, call->function, &branch);
	}
}

bool report_fill_branches(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "branches", NULL, NULL);

	(void)err;
	add_jumps(report, table);
	add_calls(report, table);
	report_finish_rows(report, table, 0, NULL);
	return true;
}
