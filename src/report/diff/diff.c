/*
 * See diff.h.
 *
 *   base's rows ─┐
 *                ├─ by name ─▶ pairs ─▶ columns of pairs ─▶ text, CSV, JSON
 *   new rows ────┘
 *
 * Both sides are tables of the ordinary view, with all rows. A column of pairs asks the view's own
 * column for the cell of each side, so it has the same number that the view shows.
 */
#include "report/diff/diff.h"

#include "report/data/csv.h"
#include "report/data/json.h"
#include "report/diff/diff_gates.h"
#include "report/diff/diff_rows.h"
#include "report/text/text.h"
#include "report/words/json_string.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MEASURES_MAX = 24, PER_MEASURE = 4 };

enum part { PART_BASE, PART_NEW, PART_CHANGE, PART_CHANGE_PERCENT, PART_IDENTITY, PART_STATUS };

/* A column of the comparison; `of` is the view's. */
struct pair_column {
	struct column column;
	const struct column *of;
	enum part part;
};

struct diff {
	const struct diff_options *options;
	struct report_options side_options;
	struct diff_rows rows;
	struct report report; /* what is written: its rows have pairs */
	const struct column *measures[MEASURES_MAX];
	size_t measure_count;
	const struct column *ranking; /* rows are in the order of its change */
	struct diff_gates gates;
};

const char *const diff_view_names[] = {"functions", "modules", "lines", "calltree", NULL};
static const char *const sort_names[] = {"change", "change_percent", "base", "new", "name", NULL};

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

static struct cell identity_cell(const struct diff_row *row, const struct column *of,
				 struct str *scratch)
{
	struct cell cell =
		diff_row_cell(row, row->has[DIFF_NEW] ? DIFF_NEW : DIFF_BASE, of, scratch);

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

	(void)report;
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
	}
}

/* ---- columns ---- */

static struct pair_column *add_column(struct diff *diff, const char *name, const char *title,
				      enum cell_type type)
{
	struct report_table *table = &diff->report.tables[0];
	struct pair_column *column = arena_array(&diff->report.arena, struct pair_column, 1);

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

static void add_identity(struct diff *diff, const char *name)
{
	const struct column *of = diff_rows_column(&diff->rows, name);

	if (!of)
		return;
	struct pair_column *column = add_column(diff, of->name, of->title, of->type);
	column->of = of;
	column->part = PART_IDENTITY;
	/* Beside four columns for each measure, places have little room, too. */
	column->column.role = of->role == ROLE_WHOLE ? ROLE_NONE : of->role;
}

static void add_part(struct diff *diff, const struct column *of, enum part part)
{
	static const char *const formats[] = {"base_%s", "new_%s", "%s_change",
					      "%s_change_percent"};
	static const char *const titles[] = {"base", "new", "change", "%"};
	static const enum cell_type changes[] = {
		[CELL_COUNT] = CELL_COUNT_CHANGE,
		[CELL_TIME] = CELL_TIME_CHANGE,
		[CELL_PERCENT] = CELL_PERCENT_CHANGE,
	};
	enum cell_type type = of->type;

	if (part == PART_CHANGE)
		type = changes[of->type];
	else if (part == PART_CHANGE_PERCENT)
		type = CELL_PERCENT_CHANGE;
	struct str name = {0};
	str_printf(&name, formats[part], of->name);
	struct pair_column *column =
		add_column(diff, arena_strdup(&diff->report.arena, name.data), titles[part], type);
	str_fini(&name);
	column->of = of;
	column->part = part;
	column->column.role = of->role == ROLE_BOUND ? ROLE_BOUND : ROLE_NONE;
	column->column.group = arena_printf(&diff->report.arena, "%s%s%s", of->group,
					    of->group[0] ? " " : "", of->title);
}

static void add_columns(struct diff *diff)
{
	const bool text = diff->options->report.format == REPORT_TEXT;
	static const char *const identities[] = {"module", "function", "source", "line", "path"};

	for (size_t i = 0; i < diff->measure_count; i++)
		for (int part = 0; part < PER_MEASURE; part++)
			add_part(diff, diff->measures[i], (enum part)part);
	add_column(diff, "status", "", CELL_TEXT)->part = PART_STATUS;
	if (!text) {
		for (size_t i = 0; i < sizeof(identities) / sizeof(identities[0]); i++)
			add_identity(diff, identities[i]);
		return;
	}
	if (diff->rows.view == VIEW_LINES)
		add_identity(diff, "place");
	if (diff->rows.view != VIEW_MODULES)
		add_identity(diff, diff->rows.view == VIEW_CALLTREE ? "path" : "function");
	if (diff->rows.view != VIEW_CALLTREE)
		add_identity(diff, "module");
}

static bool is_measure(const struct report *report, const struct column *column)
{
	return (column->of_calls || column->of_samples) && column_applies(report, column) &&
	       !column->text_only && !column->each &&
	       (column->type == CELL_COUNT || column->type == CELL_TIME);
}

static bool add_measure(struct diff *diff, const struct column *column, struct error *err)
{
	if (column->type != CELL_COUNT && column->type != CELL_TIME && column->type != CELL_PERCENT)
		return error_set(err, ERROR_USAGE, "the column %s is no number that can differ",
				 column->name);
	if (diff->measure_count == MEASURES_MAX)
		return error_set(err, ERROR_USAGE, "--columns takes at most %d columns here",
				 MEASURES_MAX);
	diff->measures[diff->measure_count++] = column;
	return true;
}

static bool named_measures(struct diff *diff, const char *list, struct error *err)
{
	while (*list) {
		const size_t length = strcspn(list, ",");
		const struct column *column =
			length ? column_find(report_view_of(diff->rows.view), list, length, err)
			       : NULL;

		if (length && (!column || !add_measure(diff, column, err)))
			return false;
		list += length + (list[length] == ',');
	}
	return true;
}

/* What the method shown ranks by. */
static const char *ranking_name(const struct analysis *analysis)
{
	if (analysis->by_call_site)
		return ANALYSIS_RANKING "_inclusive";
	if (analysis->method != ANALYSIS_SAMPLE)
		return ANALYSIS_RANKING "_exclusive";
	return analysis->by_weight ? "exclusive_weight" : "exclusive_samples";
}

/* What was asked for, ranked by the first of it; else in text what the method shown ranks by,
   elsewhere all. */
static bool choose_measures(struct diff *diff, struct error *err)
{
	const struct report *report = diff->rows.sides[DIFF_NEW].report;
	const char *list = diff->options->report.columns;
	const char *ranking = ranking_name(report->analysis);

	if (list && list[0] && strcmp(list, "all") != 0) {
		const bool ok = named_measures(diff, list, err);
		diff->ranking = diff->measures[0];
		return ok;
	}
	diff->ranking = column_find(report_view_of(diff->rows.view), ranking, strlen(ranking), err);
	if (!diff->ranking)
		return false;
	if (diff->options->report.format == REPORT_TEXT && !list)
		return add_measure(diff, diff->ranking, err);
	for (size_t i = 0; i < report_column_count; i++)
		if (column_is_of(&report_columns[i], report->view) &&
		    is_measure(report, &report_columns[i]) && diff->measure_count < MEASURES_MAX)
			diff->measures[diff->measure_count++] = &report_columns[i];
	return true;
}

/* ---- order ---- */

struct sort_item {
	const struct diff_row *row;
	double key, size; /* size: decides where keys are equal */
};

static int compare_items(const void *a, const void *b)
{
	const struct sort_item *x = a, *y = b;

	if (x->row->failed != y->row->failed)
		return x->row->failed ? -1 : 1;
	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return strcmp(x->row->name, y->row->name);
}

static struct sort_item sort_item(const struct diff *diff, const struct diff_row *row)
{
	const char *sort = diff->options->report.sort ? diff->options->report.sort : "change";
	const double base = diff_row_value(row, DIFF_BASE, diff->ranking);
	const double now = diff_row_value(row, DIFF_NEW, diff->ranking);
	const double before = isnan(base) ? 0 : base, after = isnan(now) ? 0 : now;
	struct sort_item item = {.row = row, .size = before > after ? before : after};

	if (strcmp(sort, "name") == 0)
		item.size = 0;
	else if (strcmp(sort, "base") == 0)
		item.key = before;
	else if (strcmp(sort, "new") == 0)
		item.key = after;
	else if (strcmp(sort, "change") == 0 || before > 0)
		item.key = fabs(after - before) / (strcmp(sort, "change") == 0 ? 1 : before);
	else
		item.key = after > 0 ? INFINITY : 0;
	return item;
}

/* Rows that fail a gate come first, so that no limit hides them. */
static void fill_rows(struct diff *diff)
{
	struct report_table *table = &diff->report.tables[0];
	struct vec_of(struct sort_item) items = {0};
	const int64_t limit = report_limit(&diff->report);
	const struct diff_least least =
		diff_least_of(&diff->rows, diff->ranking, diff->options->report.min_percent);

	vec_foreach (row, &diff->rows.list) {
		const struct sort_item item = sort_item(diff, row);

		/* No limit hides a row that fails. */
		if (row->failed || !diff_row_is_below(&diff->rows, row, &least))
			vec_push(&items, item);
	}
	vec_sort(&items, compare_items);
	vec_foreach (item, &items) {
		struct report_row row = report_row_empty(ROW_PAIR);

		if ((int64_t)table->rows.len >= limit) {
			table->hidden++;
			continue;
		}
		row.pair = item->row;
		row.hot = item->row->failed;
		vec_push(&table->rows, row);
	}
	vec_fini(&items);
}

/* ---- writing ---- */

static void write_text(const struct diff *diff, FILE *stream)
{
	static const char *const keys[] = {"base", "new"};
	struct str line = {0};

	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct report *report = diff->rows.sides[side].report;
		const struct profile_session *session = profile_session(report->analysis->profile);

		str_printf(&line, "%s: ", report->options->profile_path);
		str_append(&line, session->command_line);
		report_write_text_line(report, stream, keys[side], &line);
		report_write_text_totals(report, stream);
	}
	diff_gates_write_text(&diff->gates, &diff->report, stream);
	report_write_text_table(&diff->report, &diff->report.tables[0], stream);
	str_fini(&line);
}

static void write_json_gates(const struct diff_gates *gates, FILE *stream)
{
	fputs(",\n  \"gates\": [", stream);
	for (size_t i = 0; i < gates->count; i++) {
		const uint64_t *verdicts = gates->verdicts[i];

		fputs(i ? ",\n    {\"gate\": " : "\n    {\"gate\": ", stream);
		json_write_string(stream, gates->list[i].text);
		fprintf(stream,
			", \"rows_failed\": %" PRIu64 ", \"rows_within_errors\": %" PRIu64
			", \"rows_not_compared\": %" PRIu64 "}",
			verdicts[DIFF_FAILS], verdicts[DIFF_WITHIN_ERRORS],
			verdicts[DIFF_NOT_COMPARED]);
	}
	fputs(gates->count ? "\n  ]" : "]", stream);
}

static void write_json(const struct diff *diff, FILE *stream)
{
	static const char *const keys[] = {"base", "new"};

	fprintf(stream, "{\n  \"format\": \"tare-diff\",\n  \"version\": 1,\n  \"view\": \"%s\"",
		diff->options->report.view);
	for (int side = 0; side < DIFF_SIDES; side++) {
		fprintf(stream, ",\n  \"%s\": {", keys[side]);
		report_write_json_fields(diff->rows.sides[side].report, stream);
		fputs("\n  }", stream);
	}
	write_json_gates(&diff->gates, stream);
	fputs(",\n  \"tables\": {\n", stream);
	report_write_json_table(&diff->report, &diff->report.tables[0], stream);
	fputs("\n  }\n}\n", stream);
}

/* ---- all of it ---- */

static bool is_one_of(const char *const *names, const char *name, const char *what,
		      struct error *err)
{
	size_t count = 0;

	for (; names[count]; count++)
		if (strcmp(names[count], name) == 0)
			return true;
	const char *nearest = str_nearest(name, names, count);
	return error_set(err, ERROR_USAGE, "tare diff has no %s \"%s\"%s%s%s", what, name,
			 nearest ? "; did you mean \"" : "", nearest ? nearest : "",
			 nearest ? "\"?" : "");
}

bool diff_check(const struct diff_options *options, struct error *err)
{
	struct diff diff = {.options = options};

	if (!is_one_of(diff_view_names, options->report.view, "view", err) ||
	    (options->report.sort && !is_one_of(sort_names, options->report.sort, "order", err)))
		return false;
	diff.rows.view = diff_rows_view(options->report.view);
	return diff_gates_parse(&diff.gates, options, report_view_of(diff.rows.view), err) &&
	       (!options->report.columns || strcmp(options->report.columns, "all") == 0 ||
		named_measures(&diff, options->report.columns, err));
}

static bool build(struct diff *diff, struct str *failures, struct error *err)
{
	if (!diff_gates_parse(&diff->gates, diff->options, diff->report.view, err) ||
	    !choose_measures(diff, err))
		return false;
	add_columns(diff);
	diff_gates_check(&diff->gates, &diff->rows, diff->options, failures);
	fill_rows(diff);
	return true;
}

bool diff_write(const struct analysis *base, const struct analysis *profile,
		const struct diff_options *options, FILE *stream, struct str *failures,
		struct error *err)
{
	struct diff diff = {.options = options};

	if (!diff_rows_open(&diff.rows, base, profile, options, err))
		return false;
	diff.report = (struct report){.analysis = profile,
				      .options = &options->report,
				      .view = diff.rows.sides[DIFF_NEW].report->view,
				      .table_count = 1};
	diff.report.tables[0].name = options->report.view;
	diff.report.tables[0].drop = "module";
	arena_init(&diff.report.arena);
	const bool ok = build(&diff, failures, err);
	if (ok && options->report.format == REPORT_TEXT)
		write_text(&diff, stream);
	else if (ok && options->report.format == REPORT_CSV)
		report_write_csv(&diff.report, stream);
	else if (ok)
		write_json(&diff, stream);
	diff_gates_fini(&diff.gates);
	vec_fini(&diff.report.tables[0].rows);
	arena_fini(&diff.report.arena);
	diff_rows_close(&diff.rows);
	return ok;
}
