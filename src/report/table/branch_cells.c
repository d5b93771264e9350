/* Cells of conditional jumps and indirect calls. */
#include "report/table/getter.h"

GET(branch)
{
	const struct report_branch *branch = row->branch;

	switch ((enum branch_column)column->param) {
	case BRANCH_EXECUTIONS:
		set_count(cell, column, branch->executions);
		break;
	case BRANCH_TAKEN:
		set_count(cell, column, branch->taken);
		break;
	case BRANCH_PERCENT:
		cell_set_percent(cell, 100.0 * (double)branch->taken / (double)branch->executions);
		break;
	case BRANCH_LINE:
		if (branch->line)
			set_count(cell, column, branch->line);
		break;
	case BRANCH_BLOCK:
		set_count(cell, column, branch->link_addr);
		break;
	case BRANCH_SOURCE:
		cell_set_text(cell, branch->source);
		break;
	}
}

GET(branch_place)
{
	set_place(cell, scratch, row->branch->source, row->branch->line);
}

GET(branch_target)
{
	if (!row->branch->target)
		return;
	report_append_function(report, row->branch->target, scratch);
	cell_set_scratch(cell, scratch);
}
