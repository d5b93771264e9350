/* See diff_columns.h. A column asks the rows for the cells of the view's own column. */
#include "report/diff/diff_columns.h"

#include "report/diff/diff_runs.h"

#include <math.h>
#include <string.h>

/* Those of a measure come first, in their order. */
enum part {
	PART_BASE,
	PART_NEW,
	PART_CHANGE,
	PART_CHANGE_PERCENT,
	PART_LOW,
	PART_HIGH,
	PART_LOW_PERCENT,
	PART_HIGH_PERCENT,
	PART_PROBABILITY,
	PART_SIGNIFICANT,
	PARTS_OF_MEASURES,
	PART_IDENTITY = PARTS_OF_MEASURES,
	PART_STATUS
};

/* A column of the comparison; `of` is the view's. */
struct pair_column {
	struct column column;
	const struct column *of;
	enum part part;
};

/* What columns are added to, and which rows they are of. */
struct building {
	struct report *report;
	const struct diff_rows *rows;
};

/* A cell of so many of a measure is so named and so titled. */
static const struct {
	const char *format, *title;
	enum cell_type type; /* CELL_EMPTY: the measure's; CELL_COUNT_CHANGE: a change of it */
	bool is_of_runs, data_only, text_only;
} parts[] = {
	[PART_BASE] = {.format = "base_%s", .title = "base"},
	[PART_NEW] = {.format = "new_%s", .title = "new"},
	[PART_CHANGE] = {.format = "%s_change", .title = "change", .type = CELL_COUNT_CHANGE},
	[PART_CHANGE_PERCENT] = {.format = "%s_change_percent",
				 .title = "%",
				 .type = CELL_PERCENT_CHANGE},
	[PART_LOW] = {.format = "%s_change_low",
		      .title = "low",
		      .type = CELL_COUNT_CHANGE,
		      .is_of_runs = true,
		      .data_only = true},
	[PART_HIGH] = {.format = "%s_change_high",
		       .title = "high",
		       .type = CELL_COUNT_CHANGE,
		       .is_of_runs = true,
		       .data_only = true},
	[PART_LOW_PERCENT] = {.format = "%s_change_low_percent",
			      .title = "low %",
			      .type = CELL_PERCENT_CHANGE,
			      .is_of_runs = true},
	[PART_HIGH_PERCENT] = {.format = "%s_change_high_percent",
			       .title = "high %",
			       .type = CELL_PERCENT_CHANGE,
			       .is_of_runs = true},
	[PART_PROBABILITY] = {.format = "%s_probability_percent",
			      .title = "p %",
			      .type = CELL_PERCENT,
			      .is_of_runs = true,
			      .data_only = true},
	[PART_SIGNIFICANT] = {.format = "%s_significant",
			      .title = "",
			      .type = CELL_TEXT,
			      .is_of_runs = true},
};

static enum cell_type part_type(const struct column *of, enum part part)
{
	static const enum cell_type changes[] = {
		[CELL_COUNT] = CELL_COUNT_CHANGE,
		[CELL_TIME] = CELL_TIME_CHANGE,
		[CELL_PERCENT] = CELL_PERCENT_CHANGE,
	};

	if (parts[part].type == CELL_COUNT_CHANGE)
		return changes[of->type];
	return parts[part].type == CELL_EMPTY ? of->type : parts[part].type;
}

/* ---- cells ---- */

static void change_cell(const struct diff_row *row, const struct column *of, struct cell *cell)
{
	struct str scratch = {0};
	const struct cell base = diff_row_cell(row, DIFF_BASE, of, &scratch);
	const struct cell now = diff_row_cell(row, DIFF_NEW, of, &scratch);

	str_fini(&scratch);
	if (of->type == CELL_PERCENT) {
		cell->type = CELL_PERCENT_CHANGE;
		cell->percent = (now.type ? now.percent : 0) - (base.type ? base.percent : 0);
		return;
	}
	/* Weights of samples are times or counts, as the event has it. */
	cell->type = base.type == CELL_TIME || now.type == CELL_TIME ? CELL_TIME_CHANGE
								     : CELL_COUNT_CHANGE;
	cell->number = (now.type ? now.number : 0) - (base.type ? base.number : 0);
}

static void change_percent_cell(const struct diff_row *row, const struct column *of,
				struct cell *cell)
{
	const double base = diff_row_value(row, DIFF_BASE, of),
		     now = diff_row_value(row, DIFF_NEW, of);

	if (isnan(base) || base == 0)
		return;
	cell->type = CELL_PERCENT_CHANGE;
	cell->percent = ((isnan(now) ? 0 : now) - base) * 100 / base;
}

static void status_cell(const struct diff_row *row, struct cell *cell)
{
	cell->type = CELL_TEXT;
	cell->text = !row->has[DIFF_BASE] ? "new" : !row->has[DIFF_NEW] ? "vanished" : "";
}

/* As it was kept of a run. */
static struct cell name_cell(const struct diff_run_row *row, const struct column *of)
{
	const char *text = diff_runs_name(row, of);
	struct cell cell = {0};

	if (of->type != CELL_SIGNED)
		cell_set_text(&cell, text);
	else if (text)
		cell_set_number(&cell, CELL_SIGNED, (uint64_t)strtoll(text, NULL, 10));
	return cell;
}

/* ---- what several runs tell ---- */

static void interval_cell(const struct diff_evidence *evidence, const struct column *of,
			  enum part part, struct cell *cell)
{
	const double base = evidence->median[DIFF_BASE];
	const bool is_low = part == PART_LOW || part == PART_LOW_PERCENT;
	const double end = is_low ? evidence->low : evidence->high;

	if (!evidence->has_interval)
		return;
	if (part == PART_LOW_PERCENT || part == PART_HIGH_PERCENT) {
		if (base == 0)
			return;
		cell->type = CELL_PERCENT_CHANGE;
		/* Single runs may differ by more than the median run has; nothing falls below zero.
		 */
		cell->percent = base > 0 ? fmax(end * 100 / base, -100) : end * 100 / base;
		return;
	}
	cell->type = part_type(of, part);
	if (cell->type == CELL_PERCENT_CHANGE)
		cell->percent = end;
	else
		cell->number = (uint64_t)llround(end);
}

static void evidence_cell(const struct report *report, const struct diff_row *row,
			  const struct pair_column *column, struct cell *cell)
{
	const struct diff_evidence *evidence = diff_runs_evidence(row->runs, column->of);
	const bool is_significant = diff_evidence_is_significant(evidence);
	const bool is_known = evidence->is_tested || evidence->is_exact;

	if (column->part == PART_PROBABILITY && is_known)
		cell_set_percent(cell, 100 * evidence->probability);
	else if (column->part == PART_SIGNIFICANT && report_is_for_people(report->options))
		cell_set_text(cell, !is_significant			     ? NULL
				    : report->options->format == REPORT_TEXT ? "*"
									     : "\\*");
	else if (column->part == PART_SIGNIFICANT && is_known)
		cell_set_text(cell, is_significant ? "yes" : "no");
	else if (column->part != PART_PROBABILITY && column->part != PART_SIGNIFICANT)
		interval_cell(evidence, column->of, column->part, cell);
}

static struct cell identity_cell(const struct diff_row *row, const struct column *of,
				 struct str *scratch)
{
	struct cell cell = row->runs ? name_cell(row->runs, of)
				     : diff_row_cell(row, row->has[DIFF_NEW] ? DIFF_NEW : DIFF_BASE,
						     of, scratch);

	/* Call paths begin with the root, which has no name. */
	if (cell.type == CELL_TEXT && of->role == ROLE_CALL_PATH)
		cell.text = cell.text[0] == ';' ? cell.text + 1 : row->name;
	return cell;
}

static void get_pair(const struct report *report, const struct report_row *row,
		     const struct column *column, struct str *scratch, struct cell *cell)
{
	const struct pair_column *pair = (const struct pair_column *)column;
	const struct diff_row *both = row->pair;

	switch (pair->part) {
	case PART_BASE:
		*cell = diff_row_cell(both, DIFF_BASE, pair->of, scratch);
		break;
	case PART_NEW:
		*cell = diff_row_cell(both, DIFF_NEW, pair->of, scratch);
		break;
	case PART_IDENTITY:
		*cell = identity_cell(both, pair->of, scratch);
		break;
	case PART_CHANGE:
		change_cell(both, pair->of, cell);
		break;
	case PART_CHANGE_PERCENT:
		change_percent_cell(both, pair->of, cell);
		break;
	case PART_STATUS:
		status_cell(both, cell);
		break;
	case PART_LOW:
	case PART_HIGH:
	case PART_LOW_PERCENT:
	case PART_HIGH_PERCENT:
	case PART_PROBABILITY:
	case PART_SIGNIFICANT:
		evidence_cell(report, both, pair, cell);
		break;
	}
}

/* ---- columns ---- */

static struct pair_column *add_column(struct building *building, const char *name,
				      const char *title, enum cell_type type)
{
	struct report_table *table = &building->report->tables[0];
	struct pair_column *column = arena_array(&building->report->arena, struct pair_column, 1);

	*column = (struct pair_column){.column = {.name = name,
						  .group = "",
						  .title = title,
						  .type = type,
						  .rows = 1u << ROW_PAIR,
						  .get = get_pair}};
	if (table->column_count < COLUMNS_MAX)
		table->columns[table->column_count++] = &column->column;
	return column;
}

static void add_identity(struct building *building, const char *name)
{
	const struct column *of = diff_rows_column(building->rows, name);

	if (!of)
		return;
	struct pair_column *column = add_column(building, of->name, of->title, of->type);
	column->of = of;
	column->part = PART_IDENTITY;
	/* Beside four columns for each measure, places have little room, too. */
	column->column.role = of->role == ROLE_WHOLE ? ROLE_NONE : of->role;
}

static void add_part(struct building *building, const struct column *of, enum part part)
{
	struct str name = {0};

	if ((parts[part].is_of_runs && !building->rows->keeps_names) ||
	    (parts[part].data_only && report_is_for_people(building->report->options)))
		return;
	str_printf(&name, parts[part].format, of->name);
	struct pair_column *column =
		add_column(building, arena_strdup(&building->report->arena, name.data),
			   parts[part].title, part_type(of, part));
	str_fini(&name);
	column->of = of;
	column->part = part;
	column->column.role = of->role == ROLE_BOUND ? ROLE_BOUND : ROLE_NONE;
	column->column.group = arena_printf(&building->report->arena, "%s%s%s", of->group,
					    of->group[0] ? " " : "", of->title);
}

void diff_columns_add(struct report *report, const struct diff_rows *rows,
		      const struct diff_measures *measures)
{
	const bool text = report_is_for_people(report->options);
	struct building both = {report, rows}, *building = &both;

	for (size_t i = 0; i < measures->count; i++)
		for (int part = 0; part < PARTS_OF_MEASURES; part++)
			add_part(building, measures->list[i], (enum part)part);
	add_column(building, "status", "", CELL_TEXT)->part = PART_STATUS;
	if (!text) {
		for (size_t i = 0; i < DIFF_NAMES - 1; i++)
			add_identity(building, diff_names[i]);
		return;
	}
	if (rows->view == VIEW_LINES)
		add_identity(building, "place");
	if (rows->view != VIEW_MODULES)
		add_identity(building, rows->view == VIEW_CALLTREE ? "path" : "function");
	if (rows->view != VIEW_CALLTREE)
		add_identity(building, "module");
}
