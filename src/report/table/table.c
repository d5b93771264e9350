/*
 * What all tables share: the columns in effect, filters, the order of rows, limits. Refuses unknown
 * columns.
 */
#include "report/table/table.h"
#include "report/table/row_filter.h"

#include <assert.h>
#include <string.h>

enum { SORT_KEYS_MAX = 8 };

/* ---- lists of columns ---- */

/* The next name of a comma-separated list, or false at its end. */
static bool list_next(const char **list, const char **name, size_t *length)
{
	while (**list == ',')
		++*list;
	*name = *list;
	*length = strcspn(*list, ",");
	*list += *length;
	return *length > 0;
}

struct sort_key {
	const struct column *column;
	bool ascending;
};

/* Numbers descend and texts ascend unless said otherwise. */
static bool sort_parse(const struct view *view, const char *list, struct sort_key *keys,
		       size_t *count, struct error *err)
{
	const char *name;
	size_t length;

	*count = 0;
	while (list_next(&list, &name, &length)) {
		const char sign = name[0] == '+' || name[0] == '-' ? name[0] : 0;
		const struct column *column =
			column_find(view, name + (sign != 0), length - (sign != 0), err);
		if (!column)
			return false;
		if (*count == SORT_KEYS_MAX)
			return error_set(err, ERROR_USAGE, "--sort takes at most %d columns",
					 SORT_KEYS_MAX);
		keys[(*count)++] = (struct sort_key){.column = column,
						     .ascending = sign ? sign == '+'
								       : column->type == CELL_TEXT};
	}
	return true;
}

static bool columns_are_default(const struct report_options *options)
{
	return !options->columns || !options->columns[0];
}

static void columns_all(struct report_table *table, const struct view *view, bool on_request)
{
	for (size_t i = 0; i < report_column_count; i++)
		if (column_is_of(&report_columns[i], view) && !report_columns[i].text_only &&
		    (on_request || !report_columns[i].on_request))
			table->columns[table->column_count++] = &report_columns[i];
}

static bool columns_parse(struct report_table *table, const struct view *view, const char *list,
			  struct error *err)
{
	const char *name;
	size_t length;

	if (strcmp(list, "all") == 0) {
		columns_all(table, view, true);
		return true;
	}
	while (list_next(&list, &name, &length)) {
		const struct column *column = column_find(view, name, length, err);
		if (!column)
			return false;
		if (table->column_count == COLUMNS_MAX)
			return error_set(err, ERROR_USAGE, "--columns takes at most %d columns",
					 COLUMNS_MAX);
		table->columns[table->column_count++] = column;
	}
	return true;
}

bool report_check_columns(const struct report_options *options, const struct view *view,
			  struct error *err)
{
	struct report_table table = {0};
	struct sort_key keys[SORT_KEYS_MAX];
	size_t count;

	return (columns_are_default(options) ||
		columns_parse(&table, view, options->columns, err)) &&
	       (!options->sort || sort_parse(view, options->sort, keys, &count, err));
}

/* Columns that the user named must have values here. */
bool report_columns_have_data(const struct report *report, const char *list, struct error *err)
{
	const char *name;
	size_t length;

	while (list && strcmp(list, "all") != 0 && list_next(&list, &name, &length)) {
		const bool sign = name[0] == '+' || name[0] == '-';
		const struct column *column =
			column_find(report->view, name + sign, length - sign, err);
		if (!column)
			return false;
		if (column->data_only && report->options->format == REPORT_TEXT)
			return error_set(err, ERROR_USAGE,
					 "the column %s is one of CSV and JSON: --format=csv",
					 column->name);
		if (!column_check(report, column, "", err))
			return false;
	}
	return true;
}

/* Whether some function's calls are not exact. */
static bool any_disarmed(const struct report *report)
{
	const struct analysis_totals *totals = &report->analysis->totals;

	return totals->functions_disarmed || totals->functions_unseen ||
	       totals->functions_approximate;
}

static bool column_is_wanted(const struct report *report, const struct column *column)
{
	return column_applies(report, column) &&
	       (report->options->format != REPORT_TEXT || column->role != ROLE_DISARMED ||
		any_disarmed(report));
}

static size_t column_index(const struct report_table *table, const struct column *column)
{
	size_t i = 0;

	while (i < table->column_count && table->columns[i] != column)
		i++;
	return i;
}

/* In text a sign stands before the number of calls, whichever columns are chosen. */
static void columns_sign(const struct report *report, struct report_table *table)
{
	const struct column *sign = NULL;
	size_t at;

	if (report->options->format != REPORT_TEXT || !any_disarmed(report) ||
	    table->column_count == COLUMNS_MAX)
		return;
	for (at = 0; at < table->column_count && !sign; at += !sign)
		sign = column_sign(table->columns[at]);
	if (!sign || !column_is_of(sign, report->view) ||
	    column_index(table, sign) < table->column_count)
		return;
	memmove(&table->columns[at + 1], &table->columns[at],
		(table->column_count - at) * sizeof(table->columns[0]));
	table->columns[at] = sign;
	table->column_count++;
}

static void columns_choose(const struct report *report, struct report_table *table)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->column_count; i++)
		if (table->by_user ? column_can_be_shown(report, table->columns[i])
				   : column_is_wanted(report, table->columns[i]))
			table->columns[kept++] = table->columns[i];
	table->column_count = kept;
	columns_sign(report, table);
}

const struct view_layout *report_layout(const struct report *report)
{
	const struct view_layout *layouts = report->view->layouts;
	const bool weights = report->analysis->by_weight && layouts[LAYOUT_WEIGHTS].columns;
	const bool samples =
		layouts[LAYOUT_SAMPLES].columns &&
		(report->analysis->method == ANALYSIS_SAMPLE || !layouts[LAYOUT_CALLS].columns);

	if (!samples && !report->analysis->by_call_site && layouts[LAYOUT_EXECUTED].columns)
		return &layouts[LAYOUT_EXECUTED];
	if (samples && report->analysis->places_cpu && layouts[LAYOUT_TIMED].columns)
		return &layouts[LAYOUT_TIMED];
	return &layouts[!samples ? LAYOUT_CALLS : weights ? LAYOUT_WEIGHTS : LAYOUT_SAMPLES];
}

/* ---- rows ---- */

struct report_table *report_add_table(struct report *report, const char *name, const char *title,
				      const char *text_columns)
{
	assert(report->table_count < TABLES_MAX);
	struct report_table *table = &report->tables[report->table_count++];
	const struct view *view = report->view;
	struct error ignored;

	table->name = name;
	table->title = title;
	table->drop = report_layout(report)->drop;
	table->by_user = !columns_are_default(report->options);
	if (table->by_user)
		columns_parse(table, view, report->options->columns, &ignored);
	else if (report->options->format != REPORT_TEXT)
		columns_all(table, view, false);
	else
		columns_parse(table, view,
			      text_columns ? text_columns : report_layout(report)->columns,
			      &ignored);
	columns_choose(report, table);
	return table;
}

/*
 * What qsort_r hands to the comparison. Numbers to sort by are read once; texts stay where they can
 * be read only until the next one is.
 */
struct sorter {
	const struct report *report;
	const struct report_row *rows;
	struct cell *first; /* by row, of the first key; NULL: it is a text */
	uint64_t *ranks;    /* by row: of different ones the smaller comes first */
	struct sort_key keys[SORT_KEYS_MAX];
	size_t count;
	struct str left, right;
};

/* Of rows by their places before sorting, which decide between equal ones. */
static int row_compare(const void *a, const void *b, void *context)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	struct sorter *sorter = context;

	if (sorter->ranks && sorter->ranks[x] != sorter->ranks[y])
		return sorter->ranks[x] < sorter->ranks[y] ? -1 : 1;
	for (size_t i = 0; i < sorter->count; i++) {
		const struct column *column = sorter->keys[i].column;
		struct cell left, right;
		if (i || !sorter->first) {
			column_read(column, sorter->report, &sorter->rows[x], &sorter->left, &left);
			column_read(column, sorter->report, &sorter->rows[y], &sorter->right,
				    &right);
		} else {
			left = sorter->first[x];
			right = sorter->first[y];
		}
		int order = cell_compare(&left, &right);
		/* Rows without value come last either way. */
		if (order && !sorter->keys[i].ascending && left.type && right.type)
			order = -order;
		if (order)
			return order;
	}
	return x < y ? -1 : 1;
}

/* Numbers without a sign, by the first key, and rows without one behind them. */
static uint64_t rank_of(const struct cell *cell, bool ascending)
{
	if (cell->type == CELL_EMPTY)
		return UINT64_MAX;
	return ascending ? cell->number : ~cell->number;
}

/* Reads what rows are sorted by first. */
static void read_first(struct sorter *sorter, size_t count)
{
	const struct sort_key *key = &sorter->keys[0];
	const enum cell_type type = key->column->type;

	if (!sorter->count || type == CELL_TEXT)
		return;
	sorter->first = mem_alloc(count * sizeof(*sorter->first));
	if (type == CELL_TIME || type == CELL_COUNT)
		sorter->ranks = mem_alloc(count * sizeof(*sorter->ranks));
	for (size_t i = 0; i < count; i++) {
		column_read(key->column, sorter->report, &sorter->rows[i], &sorter->left,
			    &sorter->first[i]);
		if (sorter->ranks)
			sorter->ranks[i] = rank_of(&sorter->first[i], key->ascending);
	}
}

/* Puts rows[order[i]] at i, cycle by cycle; the order is used up. */
static void rows_arrange(struct report_row *rows, uint32_t *order, size_t count)
{
	for (uint32_t begin = 0; begin < count; begin++) {
		if (order[begin] == begin)
			continue;
		const struct report_row first = rows[begin];
		uint32_t at = begin;
		while (order[at] != begin) {
			const uint32_t from = order[at];
			rows[at] = rows[from];
			order[at] = at;
			at = from;
		}
		rows[at] = first;
		order[at] = at;
	}
}

void report_sort(struct report *report, struct report_row *rows, size_t count, const char *sort)
{
	struct sorter sorter = {.report = report, .rows = rows};
	struct error ignored;

	if (count < 2)
		return;
	if (!sort)
		sort = report->options->sort ? report->options->sort : report_layout(report)->sort;
	sort_parse(report->view, sort, sorter.keys, &sorter.count, &ignored);
	uint32_t *order = mem_alloc(count * sizeof(*order));
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	read_first(&sorter, count);
	qsort_r(order, count, sizeof(*order), row_compare, &sorter);
	rows_arrange(rows, order, count);
	free(order);
	free(sorter.first);
	free(sorter.ranks);
	str_fini(&sorter.left);
	str_fini(&sorter.right);
}

int64_t report_limit(const struct report *report)
{
	int64_t limit = report->options->limit;

	if (limit == REPORT_LIMIT_DEFAULT)
		limit = report->options->format == REPORT_TEXT ? report->view->limit : 0;
	return limit ? limit : INT64_MAX;
}

double report_row_share(const struct report *report, const struct report_row *row)
{
	return row->values ? analysis_share(report->analysis, row->values) : 0;
}

static bool row_is_large_enough(const struct report *report, const struct report_row *row)
{
	const double least = report->options->min_percent;

	return !(least > 0) || !row->values || report_row_share(report, row) >= least;
}

bool report_passes(const struct report *report, const struct report_row *row)
{
	vec_foreach (filter, &report->filters)
		if (!filter_passes(*filter, report, row))
			return false;
	return true;
}

void report_drop_empty(struct report *report, struct report_table *table)
{
	if (table->rows.len || report->options->format != REPORT_TEXT)
		return;
	vec_fini(&table->rows);
	*table = (struct report_table){0};
	report->table_count--;
}

void report_finish_rows(struct report *report, struct report_table *table, size_t first,
			const char *sort)
{
	size_t kept = first;

	for (size_t i = first; i < table->rows.len; i++) {
		const struct report_row *row = &table->rows.data[i];
		if (!report_passes(report, row))
			continue;
		if (row_is_large_enough(report, row))
			table->rows.data[kept++] = *row;
		else
			table->hidden++;
	}
	table->rows.len = kept;
	if (kept > first)
		report_sort(report, table->rows.data + first, kept - first, sort);
	const bool own_limit = table->limit && report->options->format == REPORT_TEXT &&
			       report->options->limit == REPORT_LIMIT_DEFAULT;
	const uint64_t limit = (uint64_t)(own_limit ? table->limit : report_limit(report));
	if (kept - first > limit) {
		table->hidden += kept - first - limit;
		table->rows.len = first + limit;
	}
}
