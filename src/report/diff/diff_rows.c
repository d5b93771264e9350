/*
 * See diff_rows.h. Functions are the same where file and address are, whatever they are called: of
 * the C library's functions with several names a recording has the one that its callers know. Of
 * different files they are the same where module and name are; of several with one name those of
 * the same source file, and else the first in memory of one profile is the first of the other.
 * Modules go by their name, as paths differ from
 * host to host; lines by source and number. Call paths are those of all threads together: a path is
 * its parent's and a function.
 */
#include "report/diff/diff_rows.h"

#include "report/diff/diff_runs.h"
#include "report/table/bounds.h"

#include <inttypes.h>
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

/* By the very file and the address in it; false where either is not known. */
static bool append_place_key(const struct analysis *analysis,
			     const struct analysis_function *function, struct str *key)
{
	const char *build = analysis_function_build(analysis, function);

	if (*build)
		str_printf(key, "\n\n%s\n%" PRIx64, build, function->link_addr);
	return *build;
}

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

static const char *kept_name(struct diff_rows *rows, const struct report_row *row)
{
	const char *name = name_of(rows, row);

	return rows->keeps_names ? arena_strdup(&rows->arena, name) : name;
}

/* ---- pairing ---- */

/* What a row is found by. Of several with the same name, or the same name and source file, each has
 * a number, in the order of their addresses. */
struct row_keys {
	const char *name, *source, *place; /* these two NULL: it has none */
};

struct adding {
	struct diff_rows *rows;
	enum diff_side side;
	struct strmap seen; /* keys without a number → the last number */
	struct str key;
};

static const char *numbered(struct adding *adding)
{
	struct arena *arena = &adding->rows->arena;
	const char *key = arena_strdup(arena, adding->key.data ? adding->key.data : "");
	const uint64_t number = ++*strmap_put(&adding->seen, key, 0);

	return arena_printf(arena, "%s\n%llu", key, (unsigned long long)number);
}

static struct row_keys keys_of(struct adding *adding, const struct report_row *row)
{
	struct row_keys keys = {0};

	str_clear(&adding->key);
	append_key(adding->rows, row, &adding->key);
	keys.name = numbered(adding);
	if (adding->rows->view != VIEW_FUNCTIONS || !row->function)
		return keys;
	if (row->function->source) {
		str_printf(&adding->key, "\n%s\n", path_basename(row->function->source));
		keys.source = numbered(adding);
	}
	str_clear(&adding->key);
	if (append_place_key(adding->rows->sides[adding->side].report->analysis, row->function,
			     &adding->key))
		keys.place = arena_strdup(&adding->rows->arena, adding->key.data);
	return keys;
}

/* The pair of the key that this profile has no row of yet; UINT64_MAX: there is none. */
static uint64_t pair_free(const struct adding *adding, const char *key)
{
	const uint64_t *index = key ? strmap_get(&adding->rows->pairs, key) : NULL;

	return index && !adding->rows->list.data[*index].has[adding->side] ? *index : UINT64_MAX;
}

static void place(const struct adding *adding, uint64_t index, const struct row_keys *keys,
		  const struct report_row *row)
{
	struct diff_rows *rows = adding->rows;
	struct diff_row *pair = &rows->list.data[index];

	pair->has[adding->side] = true;
	pair->side[adding->side] = *row;
	pair->report[adding->side] = rows->sides[adding->side].report;
	strmap_put(&rows->pairs, keys->name, index);
	if (keys->source)
		strmap_put(&rows->pairs, keys->source, index);
	if (keys->place)
		strmap_put(&rows->pairs, keys->place, index);
}

static uint64_t pair_new(struct diff_rows *rows, const struct report_row *row)
{
	vec_push(&rows->list, ((struct diff_row){.name = kept_name(rows, row)}));
	return rows->list.len - 1;
}

/* Functions that have only waited have no value that is compared. */
static bool is_compared(const struct report *report, const struct report_row *row)
{
	return row->type != ROW_FUNCTION || analysis_was_seen(report->analysis, row->values);
}

/* Places the row, and takes its name away, if it has one yet and there is a pair of the key. */
static void add_known(const struct adding *adding, const struct report_row *row,
		      struct row_keys *keys, const char *key)
{
	const uint64_t index = keys->name ? pair_free(adding, key) : UINT64_MAX;

	if (index == UINT64_MAX)
		return;
	place(adding, index, keys, row);
	keys->name = NULL;
}

/* One side's rows: first those that the other side has at the same address of the same file, then
 * of the same source file, then by the name alone. */
static void add_side(struct diff_rows *rows, enum diff_side side)
{
	struct report *report = rows->sides[side].report;
	const struct report_row *row = report->tables[0].rows.data;
	const size_t count = report->tables[0].rows.len;
	struct adding adding = {.rows = rows, .side = side};
	struct row_keys *keys = mem_zalloc((count + 1) * sizeof(*keys));

	strmap_init(&adding.seen);
	for (size_t i = 0; i < count; i++) {
		if (!is_compared(report, &row[i]))
			continue;
		keys[i] = keys_of(&adding, &row[i]);
		add_known(&adding, &row[i], &keys[i], keys[i].place);
	}
	for (size_t i = 0; i < count; i++)
		add_known(&adding, &row[i], &keys[i], keys[i].source);
	for (size_t i = 0; i < count; i++) {
		if (!keys[i].name)
			continue;
		const uint64_t index = pair_free(&adding, keys[i].name);
		place(&adding, index != UINT64_MAX ? index : pair_new(rows, &row[i]), &keys[i],
		      &row[i]);
	}
	free(keys);
	strmap_fini(&adding.seen);
	str_fini(&adding.key);
}

static int by_address(const void *a, const void *b)
{
	const struct analysis_function *x = ((const struct report_row *)a)->function;
	const struct analysis_function *y = ((const struct report_row *)b)->function;

	if (x && y && x->link_addr != y->link_addr)
		return x->link_addr < y->link_addr ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void pair_table(struct diff_rows *rows, enum diff_side side)
{
	if (rows->view == VIEW_FUNCTIONS)
		vec_sort(&rows->sides[side].report->tables[0].rows, by_address);
	add_side(rows, side);
}

/* ---- call paths ---- */

/* The number of a function, by its place if that has one. */
static uint64_t number_function(struct diff_rows *rows, const struct analysis *analysis,
				uint32_t function, struct str *key)
{
	const struct analysis_function *row = &analysis->functions.data[function];
	const uint64_t *known = NULL;
	const char *place = NULL;

	str_clear(key);
	if (append_place_key(analysis, row, key)) {
		place = arena_strdup(&rows->arena, key->data);
		known = strmap_get(&rows->functions, place);
	}
	if (known)
		return *known;
	str_clear(key);
	append_function_key(analysis, function, key);
	/* The map only grows, so that no two get the same. */
	const uint64_t number = *strmap_put(&rows->functions, arena_strdup(&rows->arena, key->data),
					    2 * (rows->functions.len + 1));
	if (place)
		strmap_put(&rows->functions, place, number);
	return number;
}

/* Numbers of one side's functions; what is outside of all functions is 0, of folded calls odd. */
static uint32_t *number_functions(struct diff_rows *rows, const struct analysis *analysis)
{
	uint32_t *numbers = mem_zalloc((analysis->functions.len + 1) * sizeof(*numbers));
	struct str key = {0};

	for (uint32_t i = 0; i < analysis->functions.len; i++)
		numbers[i] = (uint32_t)number_function(rows, analysis, i, &key);
	str_fini(&key);
	return numbers;
}

/* Sums of the paths of all threads, and a row for each; `paths` by node. */
static void pair_paths(struct diff_rows *rows, enum diff_side side)
{
	struct report *report = rows->sides[side].report;
	const struct analysis *analysis = report->analysis;
	uint32_t *numbers = number_functions(rows, analysis);
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
			*map_put(&rows->paths, (uint64_t)above << 32 | number, rows->list.len);

		if (index == rows->list.len)
			pair_new(rows, &row);
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

/* ---- all of it ---- */

bool diff_rows_open_side(struct diff_rows *rows, enum diff_side side,
			 const struct analysis *analysis, const char *path, struct error *err)
{
	struct report *report = mem_zalloc(sizeof(*report));

	rows->options[side].profile_path = path;
	/* Call paths are paired by their nodes: of the view only its columns are wanted. */
	rows->options[side].limit = rows->view == VIEW_CALLTREE ? 1 : 0;
	if (!report_open(report, analysis, &rows->options[side], err)) {
		free(report);
		return false;
	}
	rows->sides[side].report = report;
	return true;
}

void diff_rows_init(struct diff_rows *rows, const struct diff_options *options)
{
	*rows = (struct diff_rows){.view = diff_rows_view(options->report.view)};
	arena_init(&rows->arena);
	strmap_init(&rows->pairs);
	strmap_init(&rows->functions);
	map_init(&rows->paths);
	for (int side = 0; side < DIFF_SIDES; side++) {
		rows->options[side] = options->report;
		rows->options[side].columns = rows->options[side].sort = NULL;
		rows->options[side].min_percent = 0;
	}
}

static bool check_method(struct diff_rows *rows, const struct analysis *analysis, const char *path,
			 struct error *err)
{
	static const char *const shows[] = {
		[ANALYSIS_INSTRUMENT] = "calls", [ANALYSIS_SAMPLE] = "samples"};

	if (rows->has_method && rows->method != analysis->method)
		return error_set(err, ERROR_NOT_FOUND,
				 "%s shows %s and %s shows %s, which do not compare; --method "
				 "chooses what both have",
				 rows->options[DIFF_BASE].profile_path, shows[rows->method], path,
				 shows[analysis->method]);
	rows->method = analysis->method;
	rows->has_method = true;
	return true;
}

bool diff_rows_take(struct diff_rows *rows, enum diff_side side, const struct analysis *analysis,
		    const char *path, struct error *err)
{
	if (!check_method(rows, analysis, path, err) ||
	    !diff_rows_open_side(rows, side, analysis, path, err))
		return false;
	if (rows->view == VIEW_CALLTREE)
		pair_paths(rows, side);
	else
		pair_table(rows, side);
	return true;
}

void diff_rows_leave(struct diff_rows *rows, enum diff_side side)
{
	if (rows->sides[side].report)
		report_close(rows->sides[side].report);
	free(rows->sides[side].report);
	free(rows->sides[side].values);
	rows->sides[side].report = NULL;
	rows->sides[side].values = NULL;
	vec_foreach (row, &rows->list) {
		row->has[side] = false;
		row->report[side] = NULL;
	}
}

void diff_rows_close(struct diff_rows *rows)
{
	for (int side = 0; side < DIFF_SIDES; side++)
		diff_rows_leave(rows, (enum diff_side)side);
	vec_fini(&rows->list);
	strmap_fini(&rows->pairs);
	strmap_fini(&rows->functions);
	map_fini(&rows->paths);
	arena_fini(&rows->arena);
}

/* ---- values ---- */

struct cell diff_row_now(const struct diff_row *row, enum diff_side side,
			 const struct column *column, struct str *scratch)
{
	struct cell cell = {0};

	if (row->report[side])
		column_read(column, row->report[side], &row->side[side], scratch, &cell);
	return cell;
}

struct cell diff_row_cell(const struct diff_row *row, enum diff_side side,
			  const struct column *column, struct str *scratch)
{
	return row->runs ? diff_runs_cell(row->runs, side, column)
			 : diff_row_now(row, side, column, scratch);
}

double diff_cell_number(const struct cell *cell)
{
	if (cell->type == CELL_PERCENT)
		return cell->percent;
	return cell->type == CELL_COUNT || cell->type == CELL_TIME ? (double)cell->number : 0;
}

double diff_row_value(const struct diff_row *row, enum diff_side side, const struct column *column)
{
	struct str scratch = {0};
	const struct cell cell = diff_row_cell(row, side, column, &scratch);

	str_fini(&scratch);
	return row->has[side] ? diff_cell_number(&cell) : NAN;
}

/* As the profile has it that the side has taken. */
static double value_now(const struct diff_row *row, enum diff_side side,
			const struct column *column)
{
	struct str scratch = {0};
	const struct cell cell = diff_row_now(row, side, column, &scratch);

	str_fini(&scratch);
	return diff_cell_number(&cell);
}

struct diff_least diff_least_of(const struct diff_rows *rows, const struct column *column,
				double percent)
{
	struct diff_least least = {.column = column, .percent = percent};

	if (!(percent > 0))
		return least;
	vec_foreach (row, &rows->list)
		for (int side = 0; side < DIFF_SIDES; side++)
			if (row->report[side])
				least.sum[side] += value_now(row, (enum diff_side)side, column);
	return least;
}

double diff_row_share(const struct diff_rows *rows, const struct diff_row *row, enum diff_side side,
		      const struct diff_least *least)
{
	const double share =
		column_share(least->column, rows->sides[side].report, &row->side[side]);

	if (!isnan(share) || !(least->sum[side] > 0))
		return isnan(share) ? 0 : share;
	return 100 * value_now(row, side, least->column) / least->sum[side];
}

bool diff_row_is_below(const struct diff_rows *rows, const struct diff_row *row,
		       const struct diff_least *least)
{
	if (!(least->percent > 0))
		return false;
	if (row->runs)
		return diff_runs_evidence(row->runs, least->column)->share < least->percent;
	for (int side = 0; side < DIFF_SIDES; side++)
		if (row->has[side] &&
		    diff_row_share(rows, row, (enum diff_side)side, least) >= least->percent)
			return false;
	return true;
}
