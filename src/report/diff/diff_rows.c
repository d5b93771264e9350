/*
 * See diff_rows.h. Functions are the same where module and name are; of several with one name the
 * first of one profile is the first of the other. Modules go by their name, as paths differ from
 * host to host; lines by source and number. Call paths are those of all threads together: a path is
 * its parent's and a function.
 */
#include "report/diff/diff_rows.h"

#include "report/table/bounds.h"

#include <math.h>
#include <string.h>

enum view_id diff_rows_view(const char *name)
{
	if (strcmp(name, "modules") == 0)
		return VIEW_MODULES;
	if (strcmp(name, "lines") == 0)
		return VIEW_LINES;
	return strcmp(name, "calltree") == 0 ? VIEW_CALLTREE : VIEW_FUNCTIONS;
}

const struct column *diff_rows_column(const struct diff_rows *rows, const char *name)
{
	for (size_t i = 0; i < report_column_count; i++)
		if (column_is_of(&report_columns[i], report_view_of(rows->view)) &&
		    strcmp(report_columns[i].name, name) == 0)
			return &report_columns[i];
	return NULL;
}

/* ---- names ---- */

static void append_function_key(const struct analysis *analysis, uint32_t function, struct str *key)
{
	const struct analysis_function *row = &analysis->functions.data[function];

	str_printf(key, "%s\n%s", analysis->modules.data[row->module].name, row->name);
}

static void append_key(const struct diff_rows *rows, const struct report_row *row, struct str *key)
{
	if (rows->view == VIEW_MODULES)
		str_append(key, row->module->name);
	else if (rows->view == VIEW_LINES)
		str_printf(key, "%s\n%u\n%s", row->line->source ? row->line->source : "",
			   row->line->line, row->line->source ? "" : row->line->name);
	else if (row->function)
		str_printf(key, "%s\n%s", row->module->name, row->function->name);
}

static const char *name_of(struct diff_rows *rows, const struct report_row *row)
{
	if (rows->view == VIEW_MODULES)
		return row->module->name;
	if (rows->view == VIEW_LINES && row->line->source)
		return arena_printf(&rows->arena, "%s:%u", path_basename(row->line->source),
				    row->line->line);
	if (rows->view == VIEW_LINES)
		return row->line->name;
	return row->function ? row->function->name : "[outside functions]";
}

/* ---- pairing ---- */

static struct diff_row *pair_get(struct diff_rows *rows, struct strmap *pairs, const char *key,
				 const struct report_row *row)
{
	uint64_t *index = strmap_put(pairs, key, UINT64_MAX);

	if (*index == UINT64_MAX) {
		const struct diff_row pair = {.name = name_of(rows, row)};

		*index = rows->list.len;
		vec_push(&rows->list, pair);
	}
	return &rows->list.data[*index];
}

/* One side's rows; those of one name are numbered in the order of their functions. */
static void add_side(struct diff_rows *rows, enum diff_side side, struct strmap *pairs)
{
	struct report *report = rows->sides[side].report;
	struct strmap seen = {0};
	struct str key = {0};

	strmap_init(&seen);
	vec_foreach (row, &report->tables[0].rows) {
		/* Functions that have only waited have no value that is compared. */
		if (row->type == ROW_FUNCTION && !analysis_was_seen(report->analysis, row->values))
			continue;
		str_clear(&key);
		append_key(rows, row, &key);
		const char *name = arena_strdup(&rows->arena, key.data ? key.data : "");
		const uint64_t number = ++*strmap_put(&seen, name, 0);
		str_printf(&key, "\n%llu", (unsigned long long)number);
		struct diff_row *pair =
			pair_get(rows, pairs, arena_strdup(&rows->arena, key.data), row);
		pair->has[side] = true;
		pair->side[side] = *row;
		pair->report[side] = report;
	}
	strmap_fini(&seen);
	str_fini(&key);
}

static int by_function(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;

	if (x->function == y->function)
		return 0;
	return x->function < y->function ? -1 : 1;
}

static void pair_tables(struct diff_rows *rows)
{
	struct strmap pairs = {0};

	strmap_init(&pairs);
	for (int side = 0; side < DIFF_SIDES; side++) {
		if (rows->view == VIEW_FUNCTIONS)
			vec_sort(&rows->sides[side].report->tables[0].rows, by_function);
		add_side(rows, (enum diff_side)side, &pairs);
	}
	strmap_fini(&pairs);
}

/* ---- call paths ---- */

struct path_finder {
	struct diff_rows *rows;
	struct strmap functions; /* name → number, of both sides */
	struct map paths; /* number of the parent's path << 32 | of the function → of the path */
};

/* Numbers of one side's functions; what is outside of all functions is 0, of folded calls odd. */
static uint32_t *number_functions(struct path_finder *finder, const struct analysis *analysis)
{
	uint32_t *numbers = mem_zalloc((analysis->functions.len + 1) * sizeof(*numbers));
	struct str key = {0};

	for (uint32_t i = 0; i < analysis->functions.len; i++) {
		str_clear(&key);
		append_function_key(analysis, i, &key);
		const char *name = arena_strdup(&finder->rows->arena, key.data);
		numbers[i] = (uint32_t)*strmap_put(&finder->functions, name,
						   2 * (finder->functions.len + 1));
	}
	str_fini(&key);
	return numbers;
}

/* Sums of the paths of all threads, and a row for each; `paths` by node. */
static void add_paths(struct path_finder *finder, enum diff_side side)
{
	struct diff_rows *rows = finder->rows;
	struct report *report = rows->sides[side].report;
	const struct analysis *analysis = report->analysis;
	uint32_t *numbers = number_functions(finder, analysis);
	uint32_t *paths = mem_zalloc((analysis->nodes.len + 1) * sizeof(*paths));

	rows->sides[side].values =
		mem_zalloc((analysis->nodes.len + 1) * sizeof(*rows->sides[side].values));
	for (uint32_t i = 0; i < analysis->nodes.len; i++) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		const uint32_t above =
			node->parent == ANALYSIS_NONE ? UINT32_MAX : paths[node->parent];
		const uint32_t number =
			(node->function == ANALYSIS_NONE ? 0 : numbers[node->function]) +
			node->folded;
		struct report_row row = report_row_of_function(report, ROW_PATH, node->function);
		const uint64_t index =
			*map_put(&finder->paths, (uint64_t)above << 32 | number, rows->list.len);

		if (index == rows->list.len) {
			const struct diff_row pair = {.name = name_of(rows, &row)};
			vec_push(&rows->list, pair);
		}
		paths[i] = (uint32_t)index;
		struct diff_row *pair = &rows->list.data[index];
		struct analysis_values *values = &rows->sides[side].values[i];
		if (!pair->has[side]) {
			*values = node->values;
			row.values = values;
			row.node = row.last = i;
			row.outside = node->function == ANALYSIS_NONE;
			pair->has[side] = true;
			pair->side[side] = row;
			pair->report[side] = report;
			continue;
		}
		values = &rows->sides[side].values[pair->side[side].node];
		analysis_values_sum(values, &node->values);
	}
	free(numbers);
	free(paths);
}

static void pair_paths(struct diff_rows *rows)
{
	struct path_finder finder = {.rows = rows};

	strmap_init(&finder.functions);
	map_init(&finder.paths);
	add_paths(&finder, DIFF_BASE);
	add_paths(&finder, DIFF_NEW);
	strmap_fini(&finder.functions);
	map_fini(&finder.paths);
}

/* ---- all of it ---- */

static bool open_side(struct diff_rows *rows, enum diff_side side, const struct analysis *analysis,
		      struct error *err)
{
	struct report *report = mem_zalloc(sizeof(*report));

	/* Call paths are paired by their nodes: of the view only its columns are wanted. */
	rows->options[side].limit = rows->view == VIEW_CALLTREE ? 1 : 0;
	if (!report_open(report, analysis, &rows->options[side], err)) {
		free(report);
		return false;
	}
	rows->sides[side].report = report;
	return true;
}

bool diff_rows_open(struct diff_rows *rows, const struct analysis *base,
		    const struct analysis *profile, const struct diff_options *options,
		    struct error *err)
{
	const struct analysis *analyses[DIFF_SIDES] = {base, profile};
	const char *paths[DIFF_SIDES] = {options->base_path, options->report.profile_path};

	*rows = (struct diff_rows){.view = diff_rows_view(options->report.view)};
	arena_init(&rows->arena);
	if (base->method != profile->method)
		return error_set(
			err, ERROR_NOT_FOUND,
			"%s shows %s and %s shows %s, which do not compare; --method "
			"chooses what both have",
			paths[DIFF_BASE], base->method == ANALYSIS_SAMPLE ? "samples" : "calls",
			paths[DIFF_NEW], profile->method == ANALYSIS_SAMPLE ? "samples" : "calls");
	for (int side = 0; side < DIFF_SIDES; side++) {
		rows->options[side] = options->report;
		rows->options[side].profile_path = paths[side];
		rows->options[side].columns = rows->options[side].sort = NULL;
		rows->options[side].min_percent = 0;
		if (!open_side(rows, (enum diff_side)side, analyses[side], err))
			return false;
	}
	if (rows->view == VIEW_CALLTREE)
		pair_paths(rows);
	else
		pair_tables(rows);
	return true;
}

void diff_rows_close(struct diff_rows *rows)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		if (rows->sides[side].report)
			report_close(rows->sides[side].report);
		free(rows->sides[side].report);
		free(rows->sides[side].values);
	}
	vec_fini(&rows->list);
	arena_fini(&rows->arena);
}

/* ---- values ---- */

struct cell diff_row_cell(const struct diff_row *row, enum diff_side side,
			  const struct column *column, struct str *scratch)
{
	struct cell cell = {0};

	if (row->has[side])
		column_read(column, row->report[side], &row->side[side], scratch, &cell);
	return cell;
}

double diff_row_value(const struct diff_row *row, enum diff_side side, const struct column *column)
{
	struct str scratch = {0};
	const struct cell cell = diff_row_cell(row, side, column, &scratch);

	str_fini(&scratch);
	if (!row->has[side])
		return NAN;
	if (cell.type == CELL_PERCENT)
		return cell.percent;
	return cell.type == CELL_COUNT || cell.type == CELL_TIME ? (double)cell.number : 0;
}

struct diff_least diff_least_of(const struct diff_rows *rows, const struct column *column,
				double percent)
{
	struct diff_least least = {.column = column, .percent = percent};

	if (!(percent > 0))
		return least;
	vec_foreach (row, &rows->list)
		for (int side = 0; side < DIFF_SIDES; side++)
			if (row->has[side])
				least.sum[side] +=
					diff_row_value(row, (enum diff_side)side, column);
	return least;
}

static double share_of(const struct diff_rows *rows, const struct diff_row *row,
		       enum diff_side side, const struct diff_least *least)
{
	const double share =
		column_share(least->column, rows->sides[side].report, &row->side[side]);

	if (!isnan(share) || !(least->sum[side] > 0))
		return isnan(share) ? 0 : share;
	return 100 * diff_row_value(row, side, least->column) / least->sum[side];
}

bool diff_row_is_below(const struct diff_rows *rows, const struct diff_row *row,
		       const struct diff_least *least)
{
	if (!(least->percent > 0))
		return false;
	for (int side = 0; side < DIFF_SIDES; side++)
		if (row->has[side] &&
		    share_of(rows, row, (enum diff_side)side, least) >= least->percent)
			return false;
	return true;
}
