/*
 * The views: which rows each has, and what rows share: columns in effect, selection, sorting,
 * limits. Refuses unknown views, columns and functions.
 */
#include "report/table/calltree.h"
#include "report/table/table.h"

#include <math.h>
#include <string.h>

struct report_row report_row_empty(enum row_type type)
{
	return (struct report_row){.type = type, .node = ANALYSIS_NONE, .last = ANALYSIS_NONE};
}

struct report_row report_row_of_function(const struct report *report, enum row_type type,
					 uint32_t function)
{
	const struct analysis *analysis = report->analysis;
	struct report_row row = report_row_empty(type);

	if (function == ANALYSIS_NONE) {
		row.outside = true;
		return row;
	}
	row.function = &analysis->functions.data[function];
	row.module = &analysis->modules.data[row.function->module];
	row.values = &row.function->values;
	return row;
}

static bool module_is_selected(const struct report *report, const struct analysis_module *module)
{
	const struct analysis_globs *globs = &report->options->modules;

	return analysis_glob_matches(globs, module->name) ||
	       analysis_glob_matches(globs, module->path);
}

bool report_is_selected(const struct report *report, uint32_t function)
{
	const struct analysis *analysis = report->analysis;
	const struct report_options *options = report->options;

	if (function == ANALYSIS_NONE)
		return !options->modules.count && !options->functions.count &&
		       !options->filters.count;
	const struct analysis_function *row = &analysis->functions.data[function];
	return module_is_selected(report, &analysis->modules.data[row->module]) &&
	       (!options->functions.count ||
		analysis_function_matches(analysis, function, &options->functions)) &&
	       (!options->filters.count ||
		analysis_function_matches(analysis, function, &options->filters));
}

/* ---- fillers ---- */

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

static bool fill_functions(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "functions", NULL, NULL);

	(void)err;
	for (uint32_t i = 0; i < report->analysis->functions.len; i++) {
		const struct analysis_values *values = &report->analysis->functions.data[i].values;
		if (analysis_was_seen(report->analysis, values) && report_is_selected(report, i) &&
		    !trim_function(report, values))
			vec_push(&table->rows, report_row_of_function(report, ROW_FUNCTION, i));
	}
	report_finish_rows(report, table, 0, NULL);
	return true;
}

static bool fill_modules(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "modules", NULL, NULL);

	(void)err;
	vec_foreach (module, &report->analysis->modules) {
		struct report_row row = report_row_empty(ROW_MODULE);
		row.module = module;
		row.values = &module->values;
		if (analysis_was_seen(report->analysis, row.values) &&
		    module_is_selected(report, module))
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, NULL);
	return true;
}

static bool fill_threads(struct report *report, struct error *err)
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

static bool fill_processes(struct report *report, struct error *err)
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

/* All of a cause, or of all causes. */
static void add_os_sum(struct report *report, struct report_table *table, enum row_type type,
		       enum tare_os_cause cause, uint64_t ticks)
{
	struct analysis_os *os = arena_alloc(&report->arena, sizeof(*os));
	struct report_row row = report_row_empty(type);

	*os = (struct analysis_os){
		.function = ANALYSIS_NONE, .cause = cause, .syscall_number = -1, .ticks = ticks};
	row.os = os;
	vec_push(&table->rows, row);
}

/* As text, and where no row is left out by a filter. */
static void add_os_total(struct report *report, struct report_table *table)
{
	const struct report_options *options = report->options;
	const struct analysis_totals *totals = &report->analysis->totals;

	if (options->format != REPORT_TEXT || !table->rows.len || table->by_user ||
	    options->modules.count || options->functions.count || options->filters.count ||
	    report->filters.len)
		return;
	add_os_sum(report, table, ROW_OS_TOTAL, TARE_OS_CAUSES,
		   totals->elapsed - totals->application);
}

static bool fill_os(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "os", NULL, NULL);

	(void)err;
	vec_foreach (os, &report->analysis->os) {
		struct report_row row = report_row_of_function(report, ROW_OS, os->function);
		row.values = NULL;
		row.os = os;
		if (report_is_selected(report, os->function))
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, NULL);
	add_os_total(report, table);
	return true;
}

static bool fill_coverage_modules(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "coverage", NULL, NULL);

	(void)err;
	vec_foreach (coverage, &report->analysis->module_coverage) {
		struct report_row row = report_row_empty(ROW_COVERAGE);
		row.module = &report->analysis->modules.data[coverage->module];
		row.module_coverage = coverage;
		if (module_is_selected(report, row.module))
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, NULL);
	return true;
}

static bool fill_coverage_functions(struct report *report, struct error *err)
{
	struct report_table *table = report_add_table(report, "coverage", NULL, NULL);
	const struct report_options *options = report->options;

	(void)err;
	vec_foreach (coverage, &report->analysis->coverage) {
		struct report_row row = report_row_empty(ROW_VERDICT);
		row.module = &report->analysis->modules.data[coverage->module];
		row.coverage = coverage;
		if (module_is_selected(report, row.module) &&
		    analysis_glob_matches(&options->functions, coverage->name) &&
		    analysis_glob_matches(&options->filters, coverage->name))
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

static bool fill_marks(struct report *report, struct error *err)
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

/* ---- callers ---- */

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

static bool fill_callers(struct report *report, struct error *err)
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

/* ---- what calls are ranked by, and the other times beside it ---- */

#define BY		 ANALYSIS_RANKING
#define RANKED_INCLUSIVE BY "_inclusive," BY "_inclusive_percent," BY "_inclusive_bar,"
#define OTHERS_INCLUSIVE "elapsed_inclusive,application_inclusive,"
#define OTHERS_EXCLUSIVE "elapsed_exclusive,application_exclusive,"
#define OTHERS		 "elapsed_inclusive,elapsed_exclusive,application_inclusive,application_exclusive,"
/* As columns go where they have no room. */
#define OTHERS_INCLUSIVE_DROPPED "application_inclusive,elapsed_inclusive,"
#define OTHERS_DROPPED                                                                             \
	"application_inclusive,application_exclusive,elapsed_inclusive,elapsed_exclusive,"

/* ---- summary ---- */

enum summary_table { HOT_PATH, MOST_WORK };

static const char *summary_columns(const struct report *report, enum summary_table table)
{
	static const char *const columns[][LAYOUTS] = {
		[HOT_PATH] = {RANKED_INCLUSIVE BY "_exclusive," OTHERS_INCLUSIVE "frame,module",
			      "inclusive_samples,inclusive_percent,inclusive_margin,inclusive_bar,"
			      "exclusive_samples,exclusive_percent,frame,module",
			      "inclusive_weight,inclusive_weight_percent,inclusive_bar,"
			      "inclusive_samples,exclusive_weight,exclusive_weight_percent,frame,"
			      "module"},
		[MOST_WORK] = {"disarmed,calls," BY "_exclusive," BY "_exclusive_percent," BY
			       "_exclusive_bar," OTHERS_EXCLUSIVE "confidence,function,module",
			       "exclusive_samples,exclusive_percent,exclusive_margin,"
			       "exclusive_bar,exclusive_weight,inclusive_samples,inclusive_percent,"
			       "function,"
			       "module",
			       "exclusive_weight,exclusive_weight_percent,exclusive_bar,"
			       "exclusive_samples,inclusive_weight,inclusive_weight_percent,"
			       "function,module"},
	};

	return columns[table][report_layout(report) - report->view->layouts];
}

static void add_hot_path(struct report *report)
{
	const struct analysis *analysis = report->analysis;
	struct report_table *table = report_add_table(
		report, "hot_path",
		analysis->by_weight && analysis->method == ANALYSIS_SAMPLE
			? "Hot path (children with at least half of their parent's waiting)"
		: analysis->method == ANALYSIS_SAMPLE
			? "Hot path (children with at least half of their parent's samples)"
			: "Hot path (children with at least half of their parent's time)",
		summary_columns(report, HOT_PATH));

	report_add_hot_path(report, table);
}

static void add_most_work(struct report *report)
{
	struct report_table *table = report_add_table(
		report, "functions",
		report->analysis->by_weight && report->analysis->method == ANALYSIS_SAMPLE
			? "Functions that waited most"
			: "Functions with most individual work",
		summary_columns(report, MOST_WORK));

	for (uint32_t i = 0; i < report->analysis->functions.len; i++) {
		struct report_row row = report_row_of_function(report, ROW_BUSY, i);
		if (analysis_was_seen(report->analysis, row.values) &&
		    report_is_selected(report, i))
			vec_push(&table->rows, row);
	}
	report_finish_rows(report, table, 0, NULL);
}

static void add_causes(struct report *report)
{
	struct report_table *table = report_add_table(report, "os", "OS time by cause",
						      "os_time,os_percent,os_bar,cause_words");

	for (int i = 0; i < TARE_OS_CAUSES; i++)
		add_os_sum(report, table, ROW_CAUSE, (enum tare_os_cause)i,
			   report->analysis->totals.os_ticks[i]);
	add_os_total(report, table);
}

static bool fill_summary(struct report *report, struct error *err)
{
	add_hot_path(report);
	add_most_work(report);
	if (report->analysis->method == ANALYSIS_INSTRUMENT)
		add_causes(report);
	return report_add_cpu(report, err);
}

/* ---- the views ---- */

#define CALL_COLUMNS                                                                               \
	"disarmed,calls," BY "_inclusive," BY "_inclusive_percent," BY "_exclusive," BY            \
	"_exclusive_percent," BY "_exclusive_bar," OTHERS
#define CALL_DROPS                                                                                 \
	BY "_inclusive_percent,module," BY "_exclusive_bar," OTHERS_DROPPED BY "_inclusive," BY    \
	   "_exclusive_percent"
#define SAMPLE_COLUMNS                                                                             \
	"inclusive_samples,inclusive_percent,inclusive_margin,exclusive_samples,"                  \
	"exclusive_percent,exclusive_margin,exclusive_bar,exclusive_weight,"
#define SAMPLE_DROPS                                                                               \
	"exclusive_weight,inclusive_margin,inclusive_samples,module,exclusive_samples,exclusive_"  \
	"bar"
#define WEIGHT_COLUMNS                                                                             \
	"inclusive_weight,inclusive_weight_percent,inclusive_samples,exclusive_weight,"            \
	"exclusive_weight_percent,exclusive_bar,exclusive_samples,"
#define CALL_PLACE_COLUMNS "calls," RANKED_INCLUSIVE OTHERS_INCLUSIVE
#define CALL_PLACE_DROPS   "module," BY "_inclusive_bar," OTHERS_INCLUSIVE_DROPPED
#define WEIGHT_DROPS	   "inclusive_samples,exclusive_samples,module,exclusive_bar"

/* Layouts of calls, samples and weights with the same identity at their end. */
#define LAYOUTS_OF(identity, calls, drops)                                                         \
	{                                                                                          \
		{CALL_COLUMNS calls identity, drops CALL_DROPS, BY "_exclusive"},                  \
			{SAMPLE_COLUMNS identity, drops SAMPLE_DROPS, "exclusive_samples"},        \
		{                                                                                  \
			WEIGHT_COLUMNS identity, drops WEIGHT_DROPS, "exclusive_weight"            \
		}                                                                                  \
	}

#define R(type) (1u << ROW_##type)

const struct view report_views[] = {
	{.id = VIEW_SUMMARY,
	 .rows = R(STEP) | R(BUSY) | R(CAUSE) | R(OS_TOTAL) | R(CPU),
	 .is_of_method = true,
	 .name = "summary",
	 .summary = "hot path, functions with most individual work, OS time by cause, CPU use",
	 .layouts = {{CALL_COLUMNS "frame",
		      OTHERS_DROPPED "module," BY "_inclusive_bar," BY "_exclusive_bar",
		      BY "_exclusive"},
		     {SAMPLE_COLUMNS "frame",
		      "exclusive_weight,inclusive_margin,inclusive_samples,module,inclusive_bar,"
		      "exclusive_bar",
		      "exclusive_samples"},
		     {WEIGHT_COLUMNS "frame",
		      "inclusive_samples,module,inclusive_bar,exclusive_bar", "exclusive_weight"}},
	 .limit = 10,
	 .fill = fill_summary},
	{.id = VIEW_FUNCTIONS,
	 .rows = R(FUNCTION),
	 .name = "functions",
	 .summary = "one row per function",
	 .layouts = LAYOUTS_OF("function,module", "confidence,", ""),
	 .limit = 25,
	 .fill = fill_functions},
	{.id = VIEW_CALLERS,
	 .rows = R(RELATIVE),
	 .is_of_method = true,
	 .name = "callers",
	 .summary = "callers and callees of a function",
	 .layouts = {{"disarmed,calls," RANKED_INCLUSIVE BY "_exclusive," BY
		      "_exclusive_percent," OTHERS "confidence,function,module",
		      BY "_exclusive_percent,module," BY "_inclusive_bar," OTHERS_DROPPED BY
			 "_inclusive_percent",
		      BY "_inclusive"},
		     {"inclusive_samples,inclusive_percent,inclusive_margin,inclusive_bar,"
		      "exclusive_samples,exclusive_percent,exclusive_margin,exclusive_weight,"
		      "function,module",
		      "exclusive_weight,exclusive_margin,exclusive_samples,module,inclusive_bar",
		      "inclusive_samples"},
		     {"inclusive_weight,inclusive_weight_percent,inclusive_bar,inclusive_samples,"
		      "exclusive_weight,exclusive_weight_percent,exclusive_samples,function,module",
		      "exclusive_samples,inclusive_samples,module,inclusive_bar",
		      "inclusive_weight"}},
	 .limit = 25,
	 .needs_function = true,
	 .fill = fill_callers},
	{.id = VIEW_CALLTREE,
	 .rows = R(PATH),
	 .is_of_method = true,
	 .name = "calltree",
	 .summary = "call paths below process and thread",
	 .layouts = {{"disarmed,calls," RANKED_INCLUSIVE BY "_exclusive," OTHERS_INCLUSIVE
		      "hot,frame,module",
		      "module," OTHERS_INCLUSIVE_DROPPED BY "_exclusive," BY "_inclusive_bar,calls",
		      BY "_inclusive"},
		     {"inclusive_samples,inclusive_percent,inclusive_margin,inclusive_bar,"
		      "exclusive_samples,hot,frame,module",
		      "module,inclusive_margin,exclusive_samples,inclusive_bar",
		      "inclusive_samples"},
		     {"inclusive_weight,inclusive_weight_percent,inclusive_bar,inclusive_samples,"
		      "exclusive_weight,hot,frame,module",
		      "module,inclusive_samples,exclusive_weight,inclusive_bar",
		      "inclusive_weight"}},
	 .limit = 40,
	 .fill = report_fill_calltree},
	{.id = VIEW_MODULES,
	 .rows = R(MODULE),
	 .name = "modules",
	 .summary = "one row per executable or library",
	 .layouts = LAYOUTS_OF("module,module_path", "", "module_path,"),
	 .limit = 25,
	 .fill = fill_modules},
	{.id = VIEW_THREADS,
	 .rows = R(THREAD),
	 .name = "threads",
	 .summary = "one row per thread",
	 .layouts = {{RANKED_INCLUSIVE OTHERS_INCLUSIVE "outside,begin,end,lifetime,thread,process",
		      "outside,end,begin,lifetime," BY "_inclusive_bar", BY "_inclusive"},
		     {"inclusive_samples,inclusive_percent,inclusive_margin,inclusive_bar,"
		      "inclusive_weight,begin,end,lifetime,thread,process",
		      "end,begin,inclusive_weight,lifetime,inclusive_bar", "inclusive_samples"},
		     {"inclusive_weight,inclusive_weight_percent,inclusive_bar,inclusive_samples,"
		      "begin,end,lifetime,thread,process",
		      "end,begin,lifetime,inclusive_bar", "inclusive_weight"}},
	 .limit = 25,
	 .fill = fill_threads},
	{.id = VIEW_PROCESSES,
	 .rows = R(PROCESS),
	 .name = "processes",
	 .summary = "one row per process",
	 .layouts = {{RANKED_INCLUSIVE OTHERS_INCLUSIVE
		      "outside,parent_pid,threads,begin,end,lifetime,process",
		      "outside,end,begin,lifetime," BY "_inclusive_bar,parent_pid",
		      BY "_inclusive"},
		     {"inclusive_samples,inclusive_percent,inclusive_margin,inclusive_bar,"
		      "inclusive_weight,parent_pid,threads,begin,end,lifetime,process",
		      "end,begin,lifetime,inclusive_bar,parent_pid", "inclusive_samples"},
		     {"inclusive_weight,inclusive_weight_percent,inclusive_bar,inclusive_samples,"
		      "parent_pid,threads,begin,end,lifetime,process",
		      "end,begin,lifetime,inclusive_bar,parent_pid", "inclusive_weight"}},
	 .limit = 25,
	 .fill = fill_processes},
	{.id = VIEW_LINES,
	 .rows = R(LINE),
	 .is_of_method = true,
	 .name = "lines",
	 .summary = "one row per source line: its samples, or the calls made from it",
	 .layouts = {[LAYOUT_CALLS] = {CALL_PLACE_COLUMNS "place,function,module", CALL_PLACE_DROPS,
				       BY "_inclusive"},
		     [LAYOUT_SAMPLES] = {SAMPLE_COLUMNS "place,function,module", SAMPLE_DROPS,
					 "exclusive_samples"},
		     [LAYOUT_WEIGHTS] = {WEIGHT_COLUMNS "place,function,module", WEIGHT_DROPS,
					 "exclusive_weight"}},
	 .limit = 25,
	 .needs = NEEDS_PLACES,
	 .fill = report_fill_lines},
	{.id = VIEW_INSTRUCTIONS,
	 .rows = R(INSTRUCTION),
	 .is_of_method = true,
	 .name = "instructions",
	 .summary = "one row per instruction: its samples, or the calls made by it",
	 .layouts = {[LAYOUT_CALLS] = {CALL_PLACE_COLUMNS "address,instruction,place,function",
				       "place," BY "_inclusive_bar," OTHERS_INCLUSIVE_DROPPED,
				       BY "_inclusive"},
		     [LAYOUT_SAMPLES] = {"inclusive_samples,inclusive_percent,exclusive_samples,"
					 "exclusive_percent,exclusive_margin,exclusive_bar,address,"
					 "instruction,place,function",
					 "inclusive_samples,exclusive_samples,place,"
					 "exclusive_margin,exclusive_bar",
					 "exclusive_samples"},
		     [LAYOUT_WEIGHTS] = {"inclusive_weight,inclusive_weight_percent,"
					 "exclusive_weight,exclusive_weight_percent,exclusive_bar,"
					 "address,instruction,place,function",
					 "inclusive_weight,place,exclusive_bar",
					 "exclusive_weight"}},
	 .limit = 25,
	 .needs = NEEDS_PLACES,
	 .fill = report_fill_instructions},
	{.id = VIEW_ANNOTATE,
	 .rows = R(ANNOTATED) | R(BARE),
	 .is_of_method = true,
	 .name = "annotate",
	 .summary = "a function's source or disassembly with samples or calls beside it",
	 .layouts = {[LAYOUT_CALLS] = {CALL_PLACE_COLUMNS "line,address,place,text",
				       BY "_inclusive_bar," OTHERS_INCLUSIVE_DROPPED, NULL},
		     [LAYOUT_SAMPLES] =
			     {"inclusive_samples,inclusive_percent,exclusive_samples,"
			      "exclusive_percent,exclusive_margin,exclusive_bar,line,address,place,"
			      "text",
			      "exclusive_margin,inclusive_samples,exclusive_samples,"
			      "exclusive_bar",
			      NULL},
		     [LAYOUT_WEIGHTS] =
			     {"inclusive_weight,inclusive_weight_percent,"
			      "exclusive_weight,exclusive_weight_percent,exclusive_bar,line,"
			      "address,place,text",
			      "inclusive_weight_percent,exclusive_bar", NULL}},
	 .needs = NEEDS_PLACES,
	 .needs_function = true,
	 .fill = report_fill_annotate},
	{.id = VIEW_METHODS,
	 .rows = R(COMPARISON),
	 .name = "methods",
	 .summary = "shares of CPU time by calls and by samples, side by side",
	 .layouts = {{"cpu_exclusive,cpu_percent,samples,samples_percent,samples_low_percent,"
		      "samples_high_percent,difference_percent,outside_interval,function,module",
		      "module,samples,cpu_exclusive", "-samples_percent,-cpu_percent"}},
	 .limit = 25,
	 .needs = NEEDS_BOTH,
	 .fill = report_fill_methods},
	{.id = VIEW_OS,
	 .rows = R(OS) | R(OS_TOTAL),
	 .name = "os",
	 .summary = "OS time by cause, function, system call and object",
	 .layouts = {{"os_time,os_percent,os_bar,count,cause_words,syscall,object,function,"
		      "module",
		      "module,os_bar,count,syscall,object", "os_time"}},
	 .limit = 25,
	 .needs = NEEDS_CALLS,
	 .fill = fill_os},
	{.id = VIEW_COVERAGE,
	 .rows = R(COVERAGE),
	 .name = "coverage",
	 .summary = "which functions were instrumented, and why others were not",
	 .layouts = {{"found,instrumented,disarmed,part,small,not_selected,refused,"
		      "coverage_bar,module,refusals",
		      "part,not_selected,small,coverage_bar", "found"}},
	 .limit = 0,
	 .needs = NEEDS_CALLS,
	 .fill = fill_coverage_modules},
	{.id = VIEW_COVERAGE_FUNCTIONS,
	 .rows = R(VERDICT),
	 .layouts = {{"size,verdict,address,function,module", "address", "verdict,module,address"}},
	 .limit = 0,
	 .needs = NEEDS_CALLS,
	 .fill = fill_coverage_functions},
	{.id = VIEW_MARKS,
	 .rows = R(MARK),
	 .name = "marks",
	 .summary = "marks in the order of time",
	 .layouts = {{"time,mark,name,thread,process", "process", "+time"}},
	 .limit = 0,
	 .needs = NEEDS_NOTHING,
	 .fill = fill_marks},
	{.id = VIEW_CALLTRACE,
	 .rows = R(EVENT),
	 .name = "calltrace",
	 .summary = "each event in the order of time, of a recording with --trace",
	 .layouts = {{"time,event,depth,duration,function,thread", NULL, NULL}},
	 .needs = NEEDS_CALLS,
	 .streams = true},
};

const size_t report_view_count = sizeof(report_views) / sizeof(report_views[0]);

const struct view *report_view_of(enum view_id id)
{
	const struct view *view = report_views;

	while (view->id != id)
		view++;
	return view;
}
