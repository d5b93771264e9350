/* Conditional jumps: how often each was met, and how often it was taken (tare record --lines). */
#include "report/table/table.h"

#include "analysis/executions.h"

static void add_branch(struct report *report, struct report_table *table,
		       const struct executed_block *block)
{
	size_t count;
	const struct profile_source *sources = profile_sources(report->analysis->profile, &count);
	struct report_branch *branch = arena_new(&report->arena, struct report_branch);
	struct report_row row = report_row_of_function(report, ROW_BRANCH, block->function);

	*branch = (struct report_branch){.block = block,
					 .source = block->source && (uint64_t)block->source <= count
							   ? sources[block->source - 1].path
							   : NULL};
	row.branch = branch;
	row.values = NULL;
	row.outside = false;
	if (report_is_selected(report, block->function))
		vec_push(&table->rows, row);
}

bool report_fill_branches(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "branches", NULL, NULL);

	(void)err;
	vec_foreach (block, &report->analysis->executions->blocks)
		if (block->branches && block->count)
			add_branch(report, table, block);
	report_finish_rows(report, table, 0, NULL);
	return true;
}
