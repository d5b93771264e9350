/* Coverage of modules and of single functions; marks. */
#include "report/table/getter.h"

GET(module_disarmed)
{
	set_count(cell, column, row->module_coverage->disarmed);
}

GET(found)
{
	set_count(cell, column, row->module_coverage->found);
}

GET(class_count)
{
	set_count(cell, column, row->module_coverage->count[column->param]);
}

GET(refusals)
{
	cell_set_text(cell, row->module_coverage->refusals);
}

GET(verdict)
{
	cell_set_text(cell, row->coverage->verdict);
}

GET(size)
{
	set_count(cell, column, row->coverage->size);
}

GET(functions)
{
	set_count(cell, column, row->coverage->count);
}

/* Instrumented functions, of those that were to be. */
GET(coverage_bar)
{
	const uint64_t *count = row->module_coverage->count;
	const uint64_t done = count[COVERAGE_INSTRUMENTED] + count[COVERAGE_PART];
	const uint64_t selected = done + count[COVERAGE_REFUSED];
	if (selected)
		cell_set_bar(cell, 100.0 * (double)done / (double)selected, 1);
}

/* ---- marks ---- */

GET(mark)
{
	set_count(cell, column, (uint64_t)row->mark->mark);
}

GET(mark_name)
{
	cell_set_text(cell, row->mark->name);
}

GET(mark_time)
{
	set_ticks(report, cell, row->mark->ticks);
}
