/* Cells of ranks, and of what is spread over them. */
#include "report/table/getter.h"

GET(rank_processes)
{
	set_count(cell, column, row->rank->of->processes);
}

GET(mpi_call)
{
	cell_set_text(cell, row->type == ROW_RANK ? row->rank->call : row->imbalance->call);
}

/* Of all of a rank, not of one kind of its calls. */
GET(in_mpi)
{
	const struct analysis_rank *rank = row->rank->of;
	const uint64_t most_work = report->ranks.most_work;

	if (row->rank->call)
		return;
	switch ((enum rank_column)column->param) {
	case RANK_MPI:
		set_ticks(report, cell, rank->mpi[VALUE_ELAPSED]);
		break;
	case RANK_WORK:
		set_ticks(report, cell, rank->work);
		break;
	case RANK_MPI_PERCENT:
		if (rank->calling)
			cell_set_percent(cell, 100.0 * (double)rank->mpi[VALUE_ELAPSED] /
						       (double)rank->calling);
		break;
	case RANK_WORK_PERCENT:
		if (most_work)
			cell_set_percent(cell, 100.0 * (double)rank->work / (double)most_work);
		break;
	}
}

static uint64_t rank_number(const struct report *report, uint32_t index)
{
	return report->ranks.ranks.data[index].rank;
}

GET(spread)
{
	const struct analysis_imbalance *imbalance = row->imbalance;
	const size_t ranks = report->ranks.ranks.len;
	const struct analysis_spread *spread = &imbalance->spread[column->param / SPREAD_COLUMNS];
	const uint64_t average = spread->sum / ranks;

	switch ((enum spread_column)(column->param % SPREAD_COLUMNS)) {
	case SPREAD_RANKS:
		set_count(cell, column, imbalance->ranks);
		break;
	case SPREAD_CALLS:
		set_count(cell, column, imbalance->calls);
		break;
	case SPREAD_LEAST:
		set_ticks(report, cell, spread->least);
		break;
	case SPREAD_AVERAGE:
		set_ticks(report, cell, average);
		break;
	case SPREAD_MOST:
		set_ticks(report, cell, spread->most);
		break;
	case SPREAD_EXCESS:
		set_ticks(report, cell, spread->most - average);
		break;
	case SPREAD_PERCENT:
		if (spread->sum)
			cell_set_percent(cell, analysis_imbalance_percent(spread, ranks));
		break;
	case SPREAD_LEAST_RANK:
		set_count(cell, column, rank_number(report, spread->least_rank));
		break;
	case SPREAD_MOST_RANK:
		set_count(cell, column, rank_number(report, spread->most_rank));
		break;
	case SPREAD_COLUMNS:
		break;
	}
}
