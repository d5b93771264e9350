/* Cells of conditional jumps. */
#include "report/table/getter.h"

#include "analysis/executions.h"

GET(branch)
{
	const struct executed_block *block = row->branch->block;

	switch ((enum branch_column)column->param) {
	case BRANCH_EXECUTIONS:
		set_count(cell, column, block->count);
		break;
	case BRANCH_TAKEN:
		set_count(cell, column, block->taken);
		break;
	case BRANCH_PERCENT:
		cell_set_percent(cell, 100.0 * (double)block->taken / (double)block->count);
		break;
	case BRANCH_LINE:
		if (block->line)
			set_count(cell, column, block->line);
		break;
	case BRANCH_BLOCK:
		set_count(cell, column, block->link_addr);
		break;
	case BRANCH_SOURCE:
		cell_set_text(cell, row->branch->source);
		break;
	}
}

GET(branch_place)
{
	set_place(cell, scratch, row->branch->source, row->branch->block->line);
}
