/*
 * Ranks of a parallel job, each with its calls of MPI; and functions and calls of MPI by how evenly
 * they are spread over the ranks. Refuses profiles without ranks.
 */
#include "report/table/table.h"

enum { CALLS_LIMIT = 25 };

/* What there is to be shown, or why there is nothing. */
static bool find_ranks(struct report *report, struct error *err)
{
	analysis_ranks_find(report->analysis, &report->ranks);
	if (report->ranks.ranks.len)
		return true;
	return error_set(err, ERROR_NOT_FOUND,
			 "the view %s needs ranks of a parallel job, and the profile has none: no "
			 "launcher of Open MPI, PMIx, MPICH, Intel MPI, MVAPICH or Slurm has "
			 "started any of its processes%s",
			 report->view->name,
			 profile_version(report->analysis->profile) < PROFILE_RANKS_SINCE
				 ? ", or the tare that recorded it was too old to see it"
				 : "");
}

static void add_rank(struct report *report, struct report_table *table,
		     const struct analysis_rank *rank, const struct analysis_rank_call *call)
{
	struct report_row row = report_row_empty(ROW_RANK);
	struct report_rank *kept = arena_new(&report->arena, struct report_rank);

	*kept = (struct report_rank){rank, call ? call->call : NULL};
	row.rank = kept;
	row.process = &report->analysis->processes.data[rank->process];
	row.values = call ? &call->values : &rank->values;
	vec_push(&table->rows, row);
}

bool report_fill_ranks(struct report *report, struct error *err)
{
	const struct analysis_ranks *ranks = &report->ranks;

	if (!find_ranks(report, err))
		return false;
	struct report_table *table = report_add_table(report, "ranks", NULL, NULL);
	vec_foreach (rank, &ranks->ranks)
		add_rank(report, table, rank, NULL);
	report_finish_rows(report, table, 0, NULL);
	table = report_add_table(report, "calls", "Calls of MPI by rank",
				 "calls,elapsed_inclusive,cpu_inclusive,rank,mpi_call");
	table->limit = CALLS_LIMIT;
	vec_foreach (call, &ranks->calls)
		add_rank(report, table, &ranks->ranks.data[call->rank], call);
	report_finish_rows(report, table, 0, "elapsed_inclusive");
	report_drop_empty(report, table);
	return true;
}

static void add_imbalance(struct report *report, struct report_table *table,
			  const struct analysis_imbalance *imbalance)
{
	struct report_row row = imbalance->call ? report_row_empty(ROW_IMBALANCE)
						: report_row_of_function(report, ROW_IMBALANCE,
									 imbalance->function);

	row.values = NULL;
	row.imbalance = imbalance;
	if (imbalance->call || report_is_selected(report, imbalance->function))
		vec_push(&table->rows, row);
}

bool report_fill_imbalance(struct report *report, struct error *err)
{
	if (!find_ranks(report, err))
		return false;
	struct report_table *table =
		report_add_table(report, "functions", "Functions, outside of calls of MPI", NULL);
	vec_foreach (function, &report->ranks.functions)
		add_imbalance(report, table, function);
	report_finish_rows(report, table, 0, NULL);
	table = report_add_table(report, "mpi", "Calls of MPI",
				 "calls,elapsed_least,elapsed_average,elapsed_most,"
				 "elapsed_imbalance_percent,elapsed_most_rank,elapsed_least_rank,"
				 "mpi_call");
	vec_foreach (call, &report->ranks.mpi)
		add_imbalance(report, table, call);
	report_finish_rows(report, table, 0, "elapsed_most");
	report_drop_empty(report, table);
	return true;
}
