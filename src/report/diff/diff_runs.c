/* See diff_runs.h. A row that a run does not have has 0 there: nothing of it was seen. */
#include "report/diff/diff_runs.h"

#include "report/diff/rank_test.h"
#include "report/table/bounds.h"

#include <math.h>
#include <string.h>

const char *const diff_names[DIFF_NAMES] = {"module", "function", "source",
					    "line",   "path",	  "place"};

static size_t all_runs(const struct diff_runs *runs)
{
	return runs->count[DIFF_BASE] + runs->count[DIFF_NEW];
}

static size_t column_index(const struct diff_runs *runs, const struct column *column)
{
	size_t i = 0;

	while (i < runs->column_count && runs->columns[i] != column)
		i++;
	return i;
}

void diff_runs_add_column(struct diff_runs *runs, const struct column *column)
{
	if (column_index(runs, column) == runs->column_count &&
	    runs->column_count < DIFF_RUN_COLUMNS_MAX)
		runs->columns[runs->column_count++] = column;
}

/* ---- reading ---- */

static const char *keep_text(struct diff_rows *rows, const struct cell *cell)
{
	if (cell->type == CELL_TEXT)
		return arena_strdup(&rows->arena, cell->text);
	return cell->type == CELL_SIGNED
		       ? arena_printf(&rows->arena, "%lld", (long long)cell->number)
		       : NULL;
}

static void begin_row(const struct diff_runs *runs, struct diff_rows *rows, struct diff_row *row,
		      enum diff_side side)
{
	struct diff_run_row *own = arena_new(&rows->arena, struct diff_run_row);
	struct str scratch = {0};

	own->runs = runs;
	own->numbers = arena_array(&rows->arena, double, runs->column_count *all_runs(runs));
	own->evidence = arena_array(&rows->arena, struct diff_evidence, runs->column_count);
	for (size_t i = 0; i < DIFF_NAMES; i++) {
		const struct column *column = diff_rows_column(rows, diff_names[i]);
		if (!column)
			continue;
		const struct cell cell = diff_row_now(row, side, column, &scratch);
		own->names[i] = keep_text(rows, &cell);
	}
	str_fini(&scratch);
	row->runs = own;
}

static void take_column(struct diff_runs *runs, const struct diff_rows *rows, enum diff_side side,
			size_t c)
{
	const struct column *column = runs->columns[c];
	const struct diff_least least = diff_least_of(rows, column, 1);
	const size_t run = runs->taken[side] + (side == DIFF_NEW ? runs->count[DIFF_BASE] : 0);
	struct str scratch = {0};

	vec_foreach (row, &rows->list) {
		if (!row->has[side])
			continue;
		struct diff_evidence *evidence = &row->runs->evidence[c];
		const struct report *report = row->report[side];
		const struct cell cell = diff_row_now(row, side, column, &scratch);
		if (cell.type != CELL_EMPTY)
			runs->types[c] = cell.type;
		row->runs->numbers[c * all_runs(runs) + run] = diff_cell_number(&cell);
		evidence->share += diff_row_share(rows, row, side, &least) / (double)all_runs(runs);
		evidence->is_bound |= !column_bounds_of(column, report, &row->side[side]).is_known;
	}
	str_fini(&scratch);
}

void diff_runs_take(struct diff_runs *runs, struct diff_rows *rows, enum diff_side side)
{
	vec_foreach (row, &rows->list) {
		if (!row->has[side])
			continue;
		if (!row->runs)
			begin_row(runs, rows, row, side);
		row->runs->seen[side]++;
	}
	for (size_t c = 0; c < runs->column_count; c++)
		take_column(runs, rows, side, c);
	runs->taken[side]++;
}

/* ---- evidence ---- */

bool diff_runs_is_counted(const struct column *column)
{
	return column->get == report_get_calls || column->get == report_get_executions ||
	       column->get == report_get_instructions;
}

static bool is_constant(const struct bootstrap_side *side)
{
	for (size_t i = 1; i < side->count; i++)
		if (side->values[i] != side->values[0])
			return false;
	return side->count > 0;
}

/* The same for the same row, whatever else is compared. */
static uint64_t seed_of(const struct diff_run_row *row)
{
	uint64_t seed = 0;

	for (size_t i = 0; i < DIFF_NAMES; i++)
		if (row->names[i])
			seed = hash_u64(seed ^ hash_bytes(row->names[i], strlen(row->names[i])));
	return seed;
}

static void weigh(const struct diff_runs *runs, struct diff_run_row *row, size_t c)
{
	struct diff_evidence *evidence = &row->evidence[c];
	const double *numbers = &row->numbers[c * all_runs(runs)];
	const struct bootstrap_side base = {numbers, runs->count[DIFF_BASE]};
	const struct bootstrap_side now = {numbers + base.count, runs->count[DIFF_NEW]};

	evidence->median[DIFF_BASE] = bootstrap_median(&base);
	evidence->median[DIFF_NEW] =
		runs->is_paired ? evidence->median[DIFF_BASE] + bootstrap_paired_change(&base, &now)
				: bootstrap_median(&now);
	evidence->probability = 1;
	if (evidence->is_bound)
		return;
	if (diff_runs_is_counted(runs->columns[c]) && is_constant(&base) && is_constant(&now)) {
		evidence->is_exact = true;
		evidence->probability = base.values[0] == now.values[0];
		return;
	}
	if (evidence->share < runs->least_percent)
		return;
	evidence->is_tested = true;
	evidence->probability =
		runs->is_paired ? rank_test_paired(&base, &now) : rank_test(&base, &now);
	evidence->has_interval = (runs->is_paired ? bootstrap_paired : bootstrap_difference)(
		&base, &now, seed_of(row), &evidence->low, &evidence->high);
}

static void correct(struct diff_runs *runs, const struct diff_rows *rows, size_t c)
{
	double *probabilities = mem_alloc((rows->list.len + 1) * sizeof(*probabilities));
	size_t count = 0;

	vec_foreach (row, &rows->list)
		if (row->runs->evidence[c].is_tested)
			probabilities[count++] = row->runs->evidence[c].probability;
	rank_test_correct(probabilities, count);
	runs->tested[c] = count;
	count = 0;
	vec_foreach (row, &rows->list)
		if (row->runs->evidence[c].is_tested)
			row->runs->evidence[c].probability = probabilities[count++];
	free(probabilities);
}

void diff_runs_finish(struct diff_runs *runs, struct diff_rows *rows)
{
	vec_foreach (row, &rows->list) {
		for (int side = 0; side < DIFF_SIDES; side++)
			row->has[side] = row->runs->seen[side] > 0;
		for (size_t c = 0; c < runs->column_count; c++)
			weigh(runs, row->runs, c);
	}
	for (size_t c = 0; c < runs->column_count; c++)
		correct(runs, rows, c);
}

/* ---- what is shown ---- */

const struct diff_evidence *diff_runs_evidence(const struct diff_run_row *row,
					       const struct column *column)
{
	const size_t c = column_index(row->runs, column);

	return c < row->runs->column_count ? &row->evidence[c] : NULL;
}

double diff_runs_least(const struct diff_runs *runs)
{
	return runs->is_paired ? rank_test_paired_least(runs->count[DIFF_BASE])
			       : rank_test_least(runs->count[DIFF_BASE], runs->count[DIFF_NEW]);
}

size_t diff_runs_tested(const struct diff_runs *runs, const struct column *column)
{
	const size_t c = column_index(runs, column);

	return c < runs->column_count ? runs->tested[c] : 0;
}

struct cell diff_runs_cell(const struct diff_run_row *row, enum diff_side side,
			   const struct column *column)
{
	const size_t c = column_index(row->runs, column);
	struct cell cell = {0};

	if (c == row->runs->column_count || !row->seen[side])
		return cell;
	const double median = row->evidence[c].median[side];
	if (row->runs->types[c] == CELL_PERCENT)
		cell_set_percent(&cell, median);
	else if (row->runs->types[c] != CELL_EMPTY)
		cell_set_number(&cell, row->runs->types[c], (uint64_t)llround(median));
	return cell;
}

const char *diff_runs_name(const struct diff_run_row *row, const struct column *column)
{
	for (size_t i = 0; i < DIFF_NAMES; i++)
		if (strcmp(column->name, diff_names[i]) == 0)
			return row->names[i];
	return NULL;
}

bool diff_evidence_is_significant(const struct diff_evidence *evidence)
{
	return (evidence->is_tested || evidence->is_exact) && evidence->probability <= DIFF_LEVEL;
}

/* ---- gates ---- */

/* The new side, where the difference is the end of its interval that suits the gate least. */
static double least_new(const struct diff_gate *gate, const struct diff_evidence *evidence)
{
	return evidence->median[DIFF_BASE] + (gate->below ? evidence->high : evidence->low);
}

enum diff_verdict diff_runs_judge(const struct diff_gate *gate, const struct diff_run_row *row)
{
	const struct diff_evidence *evidence = diff_runs_evidence(row, gate->column);
	const double base = evidence->median[DIFF_BASE], now = evidence->median[DIFF_NEW];
	const bool vanished = !row->seen[DIFF_NEW] && base > 0;

	if (evidence->is_bound)
		return DIFF_NOT_COMPARED;
	if (!vanished && (!row->seen[DIFF_NEW] || !diff_gate_is_beyond(gate, base, now)))
		return DIFF_PASSES;
	if (evidence->is_exact)
		return DIFF_FAILS;
	if (gate->significant)
		return diff_evidence_is_significant(evidence) ? DIFF_FAILS : DIFF_WITHIN_ERRORS;
	if (!evidence->has_interval)
		return DIFF_WITHIN_ERRORS;
	const bool is_sure = vanished ? evidence->high < 0
				      : diff_gate_is_beyond(gate, base, least_new(gate, evidence));
	return is_sure ? DIFF_FAILS : DIFF_WITHIN_ERRORS;
}
