/* Views with a row for each function, module, thread, process or mark. */
#include "report/table/table.h"

/* Whether the function's row is one to trim, which only an option asks for. */
static bool trim_function(struct report *report, const struct analysis_values *values)
{
	struct analysis_outline *outline = &report->outline;

	if (!report->options->trim_given ||
	    analysis_share(report->analysis, values) >= report->options->trim)
		return false;
	report->is_outlined = true;
	outline->trimmed++;
	outline->trimmed_value += analysis_exclusive(report->analysis, values);
	return true;
}

/* At work, or waiting. */
static bool was_seen(const struct report *report, uint32_t function)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_waited *waited =
		analysis->waited ? &analysis->waited[function] : NULL;

	return analysis_was_seen(analysis, &analysis->functions.data[function].values) ||
	       (waited && (waited->ticks[WAITED_INCLUSIVE] || waited->ticks[IDLE_INCLUSIVE]));
}

bool report_fill_functions(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "functions", NULL, NULL);

	(void)err;
	for (uint32_t i = 0; i < report->analysis->functions.len; i++) {
		const struct analysis_values *values = &report->analysis->functions.data[i].values;
		if (was_seen(report, i) && report_is_selected(report, i) &&
		    !trim_function(report, values))
			vec_push(&table->rows, report_row_of_function(report, ROW_FUNCTION, i));
	}
	report_finish_rows(report, table, 0, NULL);
	return true;
}

bool report_fill_modules(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "modules", NULL, NULL);

	(void)err;
	vec_foreach (module, &report->analysis->modules) {
		struct report_row row = report_row_empty(ROW_MODULE);
		row.module = module;
		row.values = &module->values;
		if (analysis_was_seen(report->analysis, row.values) &&
		    report_module_is_selected(report, module))
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, NULL);
	return true;
}

bool report_fill_threads(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "threads", NULL, NULL);

	(void)err;
	vec_foreach (thread, &report->analysis->threads) {
		struct report_row row = report_row_empty(ROW_THREAD);
		row.thread = thread;
		row.process = &report->analysis->processes.data[thread->process];
		row.values = &thread->values;
		if (thread->selected)
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, NULL);
	return true;
}

bool report_fill_processes(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "processes", NULL, NULL);

	(void)err;
	vec_foreach (process, &report->analysis->processes) {
		struct report_row row = report_row_empty(ROW_PROCESS);
		row.process = process;
		row.values = &process->values;
		if (process->selected)
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, NULL);
	return true;
}

struct mark_loader {
	struct report *report;
	struct vec_of(uint32_t) threads;
};

static bool load_mark(const struct profile_mark *row, void *context)
{
	struct mark_loader *loader = context;
	struct report *report = loader->report;
	const uint64_t begin = profile_session(report->analysis->profile)->begin_ticks;

	/* Those made from outside are of no thread, and there in all views. */
	if (row->thread && !report->analysis->threads.data[row->thread - 1].selected)
		return true;
	vec_push(&report->marks,
		 ((struct report_mark){
			 .mark = row->mark,
			 .name = arena_strdup(&report->arena, row->name ? row->name : ""),
			 .ticks = row->ticks > begin ? row->ticks - begin : 0}));
	vec_push(&loader->threads, (uint32_t)row->thread);
	return true;
}

bool report_fill_marks(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "marks", NULL, NULL);
	struct mark_loader loader = {.report = report};
	/* Streaming moves the profile's cursor only: its contents stay as they are. */
	struct profile *profile = (struct profile *)report->analysis->profile;
	const bool ok = profile_each_mark(profile, load_mark, &loader, err);

	for (size_t i = 0; i < report->marks.len && ok; i++) {
		struct report_row row = report_row_empty(ROW_MARK);
		if (loader.threads.data[i]) {
			row.thread = &report->analysis->threads.data[loader.threads.data[i] - 1];
			row.process = &report->analysis->processes.data[row.thread->process];
		}
		row.mark = &report->marks.data[i];
		vec_push(&table->rows, row);
	}
	vec_fini(&loader.threads);
	report_finish_rows(report, table, 0, NULL);
	return ok;
}
