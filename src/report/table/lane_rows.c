/*
 * What each thread did over time. As text one line per thread, whose columns are equal parts of the
 * time; as data one row per thread and part.
 */
#include "report/table/table.h"
#include "report/words/number.h"

#include <string.h>

enum { DATA_PARTS = 200, TEXT_PARTS_MIN = 20, TEXT_BESIDE = 50 };

struct lanes {
	struct report *report;
	struct report_table *table;
	struct thread_state_range range;
	uint64_t unknown; /* threads */
};

static bool is_text(const struct report *report)
{
	return report->options->format == REPORT_TEXT;
}

/* The whole session, or what --from and --to leave of it. */
static bool range_choose(struct lanes *lanes, struct error *err)
{
	const struct report *report = lanes->report;
	const struct profile_session *session = profile_session(report->analysis->profile);
	const int width = report->options->width;

	lanes->range = (struct thread_state_range){
		.begin = session->begin_ticks, .end = session->end_ticks, .count = DATA_PARTS};
	if (is_text(report))
		lanes->range.count = width > TEXT_BESIDE + TEXT_PARTS_MIN
					     ? (uint32_t)(width - TEXT_BESIDE)
					     : TEXT_PARTS_MIN;
	return thread_states_range(report->analysis, report->options->from, report->options->to,
				   &lanes->range, err);
}

static void slice_add(struct thread_state_slice *to, const struct thread_state_slice *slice)
{
	to->cpu += slice->cpu;
	to->preempted += slice->preempted;
	for (int i = 0; i < WAITINGS; i++)
		to->blocked[i] += slice->blocked[i];
}

static bool is_empty(const struct thread_state_slice *slice)
{
	static const struct thread_state_slice empty = {0};

	return memcmp(slice, &empty, sizeof(empty)) == 0;
}

static void add_row(struct lanes *lanes, const struct analysis_thread *thread,
		    const struct report_lane *values, enum row_type type)
{
	struct report_row row = report_row_empty(type);
	struct report_lane *lane = arena_new(&lanes->report->arena, struct report_lane);

	*lane = *values;
	row.thread = thread;
	row.process = &lanes->report->analysis->processes.data[thread->process];
	row.lane = lane;
	vec_push(&lanes->table->rows, row);
}

static void add_slices(struct lanes *lanes, const struct analysis_thread *thread,
		       const struct report_lane *lane)
{
	for (uint32_t i = 0; i < lane->range.count; i++) {
		const struct report_lane part = {
			.range = {thread_state_part_begin(&lane->range, i),
				  thread_state_part_begin(&lane->range, i + 1), 1},
			.sum = lane->slices[i]};

		if (!is_empty(&part.sum))
			add_row(lanes, thread, &part, ROW_SLICE);
	}
}

static bool add_thread(struct lanes *lanes, uint32_t index, struct error *err)
{
	const struct analysis_thread *thread = &lanes->report->analysis->threads.data[index];
	struct thread_state_slice *slices =
		arena_alloc(&lanes->report->arena, lanes->range.count * sizeof(*slices));
	struct report_lane lane = {.range = lanes->range, .slices = slices};
	bool known;

	memset(slices, 0, lanes->range.count * sizeof(*slices));
	if (!thread_states_fill(lanes->report->analysis, index, &lanes->range, slices, &known, err))
		return false;
	lanes->unknown += !known;
	if (!known)
		return true;
	for (uint32_t i = 0; i < lanes->range.count; i++)
		slice_add(&lane.sum, &slices[i]);
	if (is_empty(&lane.sum))
		return true;
	if (is_text(lanes->report))
		add_row(lanes, thread, &lane, ROW_LANE);
	else
		add_slices(lanes, thread, &lane);
	return true;
}

static const char *title_of(const struct lanes *lanes)
{
	struct report *report = lanes->report;
	const uint64_t begin = profile_session(report->analysis->profile)->begin_ticks;
	struct str text = {0};

	if (!is_text(report))
		return NULL;
	time_append_with_unit(&text, analysis_ns(report->analysis, lanes->range.begin - begin),
			      report->options->unicode);
	str_append(&text, report->options->unicode ? " \u2013 " : " - ");
	time_append_with_unit(&text, analysis_ns(report->analysis, lanes->range.end - begin),
			      report->options->unicode);
	str_append(&text, ", each column ");
	time_append_with_unit(
		&text,
		analysis_ns(report->analysis,
			    (lanes->range.end - lanes->range.begin) / lanes->range.count),
		report->options->unicode);
	str_append(&text, report->options->unicode ? ": \u2581\u2588 ran" : ": _@ ran");
	str_append(&text, ", p could run, L lock, f file or socket, ");
	str_append(&text, report->options->unicode ? "\u00b7 idle" : ". idle");
	str_append(&text, ", w other waits");
	const char *title = arena_strdup(&report->arena, text.data);

	str_fini(&text);
	return title;
}

bool report_fill_timeline(struct report *report, struct error *err)
{
	struct lanes lanes = {.report = report};

	if (!thread_states_any(report->analysis))
		return error_set(
			err, ERROR_NOT_FOUND,
			"the profile does not say when its threads waited: it was merged, "
			"sampled without --off-cpu, or recorded by an older tare; tare record -- "
			"COMMAND records it, and so does tare record --method=sample --off-cpu "
			"-- COMMAND, as root");
	if (!range_choose(&lanes, err))
		return false;
	lanes.table = report_add_table(report, "timeline", title_of(&lanes), NULL);
	for (uint32_t i = 0; i < report->analysis->threads.len; i++)
		if (report->analysis->threads.data[i].selected && !add_thread(&lanes, i, err))
			return false;
	report_finish_rows(report, lanes.table, 0, NULL);
	return true;
}
