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
#include "report/data/markdown.h"
#include "report/diff/diff_columns.h"
#include "report/diff/diff_gates.h"
#include "report/diff/diff_runs.h"
#include "report/text/text.h"
#include "report/words/json_string.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct diff {
	const struct diff_options *options;
	struct diff_rows rows;
	struct report report; /* what is written: its rows have pairs */
	struct diff_measures measures;
	const struct column *ranking; /* rows are in the order of its change */
	struct diff_gates gates;
	const struct diff_source *source; /* of several runs; else NULL */
	struct diff_runs runs;
};

const char *const diff_view_names[] = {"functions", "modules", "lines", "calltree", NULL};
static const char *const sort_names[] = {"change", "change_percent", "base", "new", "name", NULL};

static bool is_measure(const struct report *report, const struct column *column)
{
	return (column->of_calls || column->of_samples || column->of_executions) &&
	       column_applies(report, column) && !column->text_only && !column->each &&
	       (column->type == CELL_COUNT || column->type == CELL_TIME);
}

/* A table has room for the columns of so many. */
static size_t measures_max(const struct diff_options *options)
{
	return options->is_of_runs ? DIFF_MEASURES_OF_RUNS_MAX : DIFF_MEASURES_MAX;
}

static bool add_measure(struct diff *diff, const struct column *column, struct error *err)
{
	if (column->type != CELL_COUNT && column->type != CELL_TIME && column->type != CELL_PERCENT)
		return error_set(err, ERROR_USAGE, "the column %s is no number that can differ",
				 column->name);
	if (diff->measures.count == measures_max(diff->options))
		return error_set(err, ERROR_USAGE, "--columns takes at most %d columns here",
				 (int)measures_max(diff->options));
	diff->measures.list[diff->measures.count++] = column;
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
static bool choose_measures(struct diff *diff, const struct report *report, struct error *err)
{
	const char *list = diff->options->report.columns;
	const char *ranking = ranking_name(report->analysis);

	if (list && list[0] && strcmp(list, "all") != 0) {
		const bool ok = named_measures(diff, list, err);
		diff->ranking = diff->measures.list[0];
		return ok;
	}
	diff->ranking = column_find(report_view_of(diff->rows.view), ranking, strlen(ranking), err);
	if (!diff->ranking)
		return false;
	/* Of several runs each column takes thousands of draws per row. */
	if ((report_is_for_people(&diff->options->report) || diff->options->is_of_runs) && !list)
		return add_measure(diff, diff->ranking, err);
	for (size_t i = 0; i < report_column_count; i++)
		if (column_is_of(&report_columns[i], report->view) &&
		    is_measure(report, &report_columns[i]) &&
		    diff->measures.count < measures_max(diff->options))
			diff->measures.list[diff->measures.count++] = &report_columns[i];
	return true;
}

/* Executions are compared where both sides have them; else all rows would be new or gone. */
static bool check_executions(const struct diff *diff, enum diff_side side, struct error *err)
{
	const struct report *report = diff->rows.sides[side].report;

	for (size_t i = 0; i < diff->measures.count; i++)
		if (diff->options->report.columns && diff->measures.list[i]->of_executions &&
		    !column_check(report, diff->measures.list[i], "", err))
			return false;
	for (size_t i = 0; i < diff->gates.count; i++)
		if (diff->gates.list[i].column->of_executions &&
		    !column_check(report, diff->gates.list[i].column, " of --fail-if", err))
			return false;
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

/* A comment is read by people, as text is. */
static int64_t row_limit(const struct diff *diff)
{
	const bool is_default = diff->options->report.limit == REPORT_LIMIT_DEFAULT;

	return is_default && diff->options->report.format == REPORT_MARKDOWN
		       ? diff->report.view->limit
		       : report_limit(&diff->report);
}

/* Rows that fail a gate come first, so that no limit hides them. */
static void fill_rows(struct diff *diff)
{
	struct report_table *table = &diff->report.tables[0];
	struct vec_of(struct sort_item) items = {0};
	const int64_t limit = row_limit(diff);
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

static const char *const side_keys[] = {"base", "new"};

/* How many runs they are, from which to which. */
static void append_runs(const struct diff_source *source, int side, struct str *line)
{
	const size_t count = source->count[side];

	str_printf(line, "%zu %s, %s", count, count == 1 ? "run" : "runs", source->paths[side][0]);
	if (count > 1)
		str_printf(line, " to %s", source->paths[side][count - 1]);
	str_append(line, ": ");
}

/* Which profiles, and of which command. */
static void append_side(const struct diff *diff, int side, struct str *line)
{
	const struct report *report = diff->rows.sides[side].report;

	if (diff->source)
		append_runs(diff->source, side, line);
	else
		str_printf(line, "%s: ", report->options->profile_path);
	str_append(line, profile_session(report->analysis->profile)->command_line);
}

/* What a mark at a change stands for. */
static void append_evidence(const struct diff *diff, struct str *out)
{
	str_printf(out, "%zu rows of at least %g %% tested%s; %s: more than chance (%g %% for all)",
		   diff_runs_tested(&diff->runs, diff->ranking), diff->runs.least_percent,
		   diff->runs.is_paired ? " in pairs" : "",
		   diff->options->report.format == REPORT_MARKDOWN ? "\\*" : "*", 100 * DIFF_LEVEL);
}

/* Whether no difference could be told from chance: the least that the test can say is more. */
static bool append_too_few(const struct diff *diff, struct str *out)
{
	const struct diff_runs *runs = &diff->runs;

	if (diff_runs_least(runs) * (double)diff_runs_tested(runs, diff->ranking) <= DIFF_LEVEL)
		return false;
	str_append(out, "too few runs to tell any difference of so many rows from chance");
	return true;
}

static void write_text_evidence(const struct diff *diff, FILE *stream)
{
	struct str line = {0};

	append_evidence(diff, &line);
	report_write_text_line(&diff->report, stream, "evidence", &line);
	str_clear(&line);
	if (append_too_few(diff, &line))
		report_write_text_line(&diff->report, stream, "!", &line);
	str_fini(&line);
}

static void write_text(const struct diff *diff, FILE *stream)
{
	struct str line = {0};

	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct report *report = diff->rows.sides[side].report;

		append_side(diff, side, &line);
		report_write_text_line(report, stream, side_keys[side], &line);
		if (!diff->source)
			report_write_text_totals(report, stream);
	}
	if (diff->source)
		write_text_evidence(diff, stream);
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

/* ---- for a comment ---- */

static void append_markdown_side(const struct diff *diff, int side, struct str *out)
{
	struct str line = {0};

	append_side(diff, side, &line);
	str_printf(out, "- %s ", side_keys[side]);
	markdown_append_code(out, line.data);
	str_append(out, "\n");
	str_fini(&line);
}

static void append_markdown_gate(const struct diff_gates *gates, size_t i, struct str *out)
{
	const uint64_t *verdicts = gates->verdicts[i];

	str_append(out, verdicts[DIFF_FAILS] ? "- :x: " : "- :white_check_mark: ");
	markdown_append_code(out, gates->list[i].text);
	if (verdicts[DIFF_FAILS]) {
		str_printf(out, ": %" PRIu64 " %s: ", verdicts[DIFF_FAILS],
			   verdicts[DIFF_FAILS] == 1 ? "row fails" : "rows fail");
		markdown_append_code(out, gates->names[i].data);
	}
	str_append(out, "\n");
}

static void write_markdown(const struct diff *diff, FILE *stream)
{
	struct str text = {0};

	str_printf(&text, "### tare: %s compared\n\n", diff->options->report.view);
	for (int side = 0; side < DIFF_SIDES; side++)
		append_markdown_side(diff, side, &text);
	for (size_t i = 0; i < diff->gates.count; i++)
		append_markdown_gate(&diff->gates, i, &text);
	str_append(&text, "\n");
	fputs(text.data, stream);
	str_clear(&text);
	report_write_markdown_table(&diff->report, &diff->report.tables[0], stream);
	if (diff->source) {
		str_append(&text, "\n");
		append_evidence(diff, &text);
		str_append(&text, "\n\n");
		if (append_too_few(diff, &text))
			str_append(&text, "\n");
		fputs(text.data, stream);
	}
	str_fini(&text);
}

/* ---- for programs ---- */

/* The headers are those of the first runs. */
static void write_json_runs(const struct diff *diff, FILE *stream)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		fprintf(stream, ",\n  \"%s_profiles\": [", side_keys[side]);
		for (size_t i = 0; i < diff->source->count[side]; i++) {
			fputs(i ? ", " : "", stream);
			json_write_string(stream, diff->source->paths[side][i]);
		}
		fputs("]", stream);
	}
	fprintf(stream, ",\n  \"paired\": %s,\n  \"level\": %g,\n  \"tested_from_percent\": %g",
		diff->runs.is_paired ? "true" : "false", DIFF_LEVEL, diff->runs.least_percent);
}

static void write_json(const struct diff *diff, FILE *stream)
{
	fprintf(stream, "{\n  \"format\": \"tare-diff\",\n  \"version\": 1,\n  \"view\": \"%s\"",
		diff->options->report.view);
	for (int side = 0; side < DIFF_SIDES; side++) {
		fprintf(stream, ",\n  \"%s\": {", side_keys[side]);
		report_write_json_fields(diff->rows.sides[side].report, stream);
		fputs("\n  }", stream);
	}
	if (diff->source)
		write_json_runs(diff, stream);
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

static void finish(struct diff *diff, struct str *failures, FILE *stream)
{
	const struct diff_options *options = diff->options;

	diff_columns_add(&diff->report, &diff->rows, &diff->measures);
	diff_gates_check(&diff->gates, &diff->rows, options, failures);
	fill_rows(diff);
	if (options->report.format == REPORT_TEXT)
		write_text(diff, stream);
	else if (options->report.format == REPORT_MARKDOWN)
		write_markdown(diff, stream);
	else if (options->report.format == REPORT_CSV)
		report_write_csv(&diff->report, stream);
	else
		write_json(diff, stream);
}

/* What is written is of `analysis`, the new side's. */
static void prepare(struct diff *diff, const struct analysis *analysis)
{
	diff->report = (struct report){.analysis = analysis,
				       .options = &diff->options->report,
				       .view = report_view_of(diff->rows.view),
				       .table_count = 1};
	diff->report.tables[0].name = diff->options->report.view;
	diff->report.tables[0].drop = "module";
	arena_init(&diff->report.arena);
}

static void diff_fini(struct diff *diff)
{
	diff_gates_fini(&diff->gates);
	vec_fini(&diff->report.tables[0].rows);
	arena_fini(&diff->report.arena);
	diff_rows_close(&diff->rows);
}

bool diff_write(const struct analysis *base, const struct analysis *profile,
		const struct diff_options *options, FILE *stream, struct str *failures,
		struct error *err)
{
	struct diff diff = {.options = options};

	diff_rows_init(&diff.rows, options);
	prepare(&diff, profile);
	const bool ok =
		diff_gates_parse(&diff.gates, options, diff.report.view, err) &&
		diff_rows_take(&diff.rows, DIFF_BASE, base, options->base_path, err) &&
		diff_rows_take(&diff.rows, DIFF_NEW, profile, options->report.profile_path, err) &&
		choose_measures(&diff, diff.rows.sides[DIFF_NEW].report, err) &&
		check_executions(&diff, DIFF_BASE, err) && check_executions(&diff, DIFF_NEW, err);
	if (ok)
		finish(&diff, failures, stream);
	diff_fini(&diff);
	return ok;
}

/* ---- several runs ---- */

/* What the first profile has decides what is compared. */
static bool begin_runs(struct diff *diff, const struct report *report, struct error *err)
{
	if (!choose_measures(diff, report, err))
		return false;
	diff_runs_add_column(&diff->runs, diff->ranking);
	for (size_t i = 0; i < diff->measures.count; i++)
		diff_runs_add_column(&diff->runs, diff->measures.list[i]);
	for (size_t i = 0; i < diff->gates.count; i++)
		diff_runs_add_column(&diff->runs, diff->gates.list[i].column);
	return true;
}

static bool take_run(struct diff *diff, enum diff_side side, size_t run, struct error *err)
{
	const struct diff_source *source = diff->source;
	const struct analysis *analysis;

	if (!source->open(source->context, side, run, &analysis, err) ||
	    !diff_rows_take(&diff->rows, side, analysis, source->paths[side][run], err))
		return false;
	const bool is_first = side == DIFF_BASE && run == 0;
	if (is_first && !begin_runs(diff, diff->rows.sides[side].report, err))
		return false;
	if (!check_executions(diff, side, err))
		return false;
	diff_runs_take(&diff->runs, &diff->rows, side);
	diff_rows_leave(&diff->rows, side);
	return true;
}

/* The header is the first run's. */
static bool open_header(struct diff *diff, enum diff_side side, struct error *err)
{
	const struct diff_source *source = diff->source;
	const struct analysis *analysis;

	if (!source->open(source->context, side, 0, &analysis, err))
		return false;
	diff->report.analysis = analysis;
	return diff_rows_open_side(&diff->rows, side, analysis, source->paths[side][0], err);
}

bool diff_write_runs(const struct diff_source *source, const struct diff_options *options,
		     FILE *stream, struct str *failures, struct error *err)
{
	struct diff diff = {.options = options, .source = source};
	bool ok;

	diff_rows_init(&diff.rows, options);
	diff.rows.keeps_names = true;
	diff.runs.least_percent = options->report.min_percent;
	diff.runs.is_paired = options->is_paired;
	prepare(&diff, NULL);
	ok = diff_gates_parse(&diff.gates, options, diff.report.view, err);
	for (int side = 0; side < DIFF_SIDES; side++)
		diff.runs.count[side] = source->count[side];
	for (int side = 0; side < DIFF_SIDES; side++)
		for (size_t run = 0; ok && run < source->count[side]; run++)
			ok = take_run(&diff, (enum diff_side)side, run, err);
	ok = ok && open_header(&diff, DIFF_BASE, err) && open_header(&diff, DIFF_NEW, err);
	if (ok) {
		diff_runs_finish(&diff.runs, &diff.rows);
		finish(&diff, failures, stream);
	}
	diff_fini(&diff);
	return ok;
}
