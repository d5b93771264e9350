/*
 * The call tree from its leaves: functions by what is their own, below each its callers. What is
 * small is left out in every format, as the whole tree may have a row per call path and level.
 */
#include "report/table/calltree.h"

/* Rows to come, the next one last. */
struct pending vec_of(struct report_row);

struct report_row report_inverted_row(const struct report *report,
				      const struct analysis_inverted *inverted)
{
	struct report_row row = report_row_of_function(report, ROW_PATH, inverted->function);

	row.inverted = inverted;
	row.values = &inverted->values;
	row.level = row.indent = inverted->level;
	return row;
}

/*
 * Whether the row has too little. Functions on top are left out only where that was asked for, as
 * what they have is in no other row.
 */
static bool is_trimmed(struct report *report, const struct analysis_inverted *inverted, double trim)
{
	const struct report_options *options = report->options;
	const struct analysis_values *values = &inverted->values;

	if (!inverted->callee && !options->trim_given && !(options->min_percent > 0))
		return false;
	if (!(trim > 0) || analysis_share(report->analysis, values) >= trim)
		return false;
	report->outline.trimmed++;
	if (!inverted->callee)
		report->outline.trimmed_value += analysis_exclusive(report->analysis, values);
	return true;
}

/* Pushes those that are large enough, so that the first of them is popped first. */
static void push_sorted(struct report *report, const struct analysis_inverted_rows *level,
			double trim, struct pending *pending)
{
	struct report_rows rows = {0};

	vec_foreach (item, level) {
		const struct report_row row = report_inverted_row(report, *item);
		const bool is_top = !(*item)->callee;
		if (is_top && (!analysis_was_seen(report->analysis, row.values) ||
			       !report_is_selected(report, (*item)->function) ||
			       !report_passes(report, &row)))
			continue;
		if (!is_trimmed(report, *item, trim))
			vec_push(&rows, row);
	}
	report_sort(report, rows.data, rows.len, NULL);
	for (size_t i = rows.len; i-- > 0;)
		vec_push(pending, rows.data[i]);
	vec_fini(&rows);
}

struct ranked_row {
	uint64_t value;
	size_t place;
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked_row *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Keeps the rows with the most. Callees have no less and come first of equals: they stay, too. */
static void limit_rows(const struct report *report, struct report_table *table)
{
	const uint64_t limit = (uint64_t)report_limit(report);
	struct report_rows *rows = &table->rows;
	size_t kept = 0;

	if (rows->len <= limit)
		return;
	struct ranked_row *ranked = mem_alloc(rows->len * sizeof(*ranked));
	bool *keep = mem_zalloc(rows->len);
	for (size_t i = 0; i < rows->len; i++)
		ranked[i] = (struct ranked_row){
			.value = analysis_exclusive(report->analysis, rows->data[i].values),
			.place = i};
	qsort(ranked, rows->len, sizeof(*ranked), by_rank);
	for (size_t i = 0; i < limit; i++)
		keep[ranked[i].place] = true;
	for (size_t i = 0; i < rows->len; i++)
		if (keep[i])
			rows->data[kept++] = rows->data[i];
	table->hidden = rows->len - kept;
	rows->len = kept;
	free(keep);
	free(ranked);
}

bool report_fill_inverted(struct report *report, struct error *err)
{
	const struct analysis *analysis = report->analysis;
	const double least = report->options->min_percent, asked = report_trim(report);
	const double trim = asked > least ? asked : least;
	struct report_table *table = report_add_table(
		report, "inverted", "Functions by what is their own, below each its callers", NULL);
	struct analysis_inverted_rows level = {0};
	struct pending pending = {0};

	(void)err;
	report->is_outlined = trim > 0;
	analysis_inverted_tops(analysis, &report->arena, &level);
	push_sorted(report, &level, trim, &pending);
	while (pending.len) {
		const struct report_row row = pending.data[--pending.len];
		vec_push(&table->rows, row);
		level.len = 0;
		analysis_inverted_callers(analysis, row.inverted, &report->arena, &level);
		push_sorted(report, &level, trim, &pending);
	}
	limit_rows(report, table);
	vec_fini(&pending);
	vec_fini(&level);
	return true;
}
