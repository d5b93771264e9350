/* The view callers: functions that match, each between those that call it and those it calls. */
#include "report/table/table.h"

static struct report_relation *add_relation(struct report *report, const char *name,
					    const struct analysis_function *root)
{
	struct report_relation *relation = arena_alloc(&report->arena, sizeof(*relation));

	*relation = (struct report_relation){.name = name, .root = root};
	return relation;
}

static void add_edges(struct report *report, struct report_table *table,
		      const struct analysis_function *root, bool callers)
{
	const struct analysis_edges *edges = &report->edges[report->edges_count - 1];
	const struct analysis_edge *data = callers ? edges->callers.data : edges->callees.data;
	const size_t count = callers ? edges->callers.len : edges->callees.len;
	const size_t first = table->rows.len;

	for (size_t i = 0; i < count; i++) {
		struct report_row row =
			report_row_of_function(report, ROW_RELATIVE, data[i].function);
		struct report_relation *relation =
			add_relation(report, callers ? "caller" : "callee", root);
		relation->folded = data[i].folded;
		row.relation = relation;
		row.values = &data[i].values;
		vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, first, NULL);
	if (table->rows.len > first)
		table->rows.data[first].heading =
			callers ? "Called by (values of the function when called from there)"
				: "Calls (values of the callee when called from the function)";
}

static void add_relations(struct report *report, struct report_table *table, uint32_t function)
{
	struct report_row row = report_row_of_function(report, ROW_RELATIVE, function);

	analysis_edges_find(report->analysis, function, &report->edges[report->edges_count++]);
	add_edges(report, table, row.function, true);
	row.relation = add_relation(report, "function", row.function);
	row.heading = "Function";
	vec_push(&table->rows, row);
	add_edges(report, table, row.function, false);
}

bool report_fill_callers(struct report *report, struct error *err)
{
	enum { MATCHES_MAX = sizeof(report->edges) / sizeof(report->edges[0]) };
	const struct analysis_globs wanted = {.items = &report->options->function, .count = 1};
	struct report_table *table = report_add_table(report, "callers", NULL, NULL);
	size_t matches = 0;

	for (uint32_t i = 0; i < report->analysis->functions.len; i++) {
		const struct analysis_function *function = &report->analysis->functions.data[i];
		if (!analysis_was_seen(report->analysis, &function->values) ||
		    !report_is_selected(report, i) ||
		    !analysis_function_matches(report->analysis, i, &wanted))
			continue;
		if (matches++ < MATCHES_MAX)
			add_relations(report, table, i);
	}
	if (matches > MATCHES_MAX)
		return error_set(err, ERROR_USAGE,
				 "%zu functions match \"%s\", at most %d can be shown; give a "
				 "longer name, or --module",
				 matches, report->options->function, MATCHES_MAX);
	return matches || analysis_fail_unknown(report->analysis, report->options->function, err);
}
