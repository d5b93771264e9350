/* See diff_gates.h. */
#include "report/diff/diff_gates.h"

#include "report/diff/diff_runs.h"
#include "report/text/text.h"
#include "report/words/name.h"

#include <inttypes.h>

enum { NAMES_IN_FAILURE = 5, NAME_IN_FAILURE_WIDTH = 60 };

/* What is counted exactly differs by itself, if the program does the same in each run. */
static bool has_runs(const struct diff_gate *gate, const struct diff_options *options,
		     struct error *err)
{
	if (!gate->significant || options->is_of_runs || diff_runs_is_counted(gate->column))
		return true;
	return error_set(err, ERROR_USAGE,
			 "--fail-if='%s': what is significant takes several runs of each side: "
			 "tare diff --base A*.tare --new B*.tare",
			 gate->text);
}

bool diff_gates_parse(struct diff_gates *gates, const struct diff_options *options,
		      const struct view *view, struct error *err)
{
	*gates = (struct diff_gates){.count = options->gates.count};
	if (options->gates.count > DIFF_GATES_MAX) {
		gates->count = 0;
		return error_set(err, ERROR_USAGE, "--fail-if can be given at most %d times",
				 DIFF_GATES_MAX);
	}
	for (size_t i = 0; i < gates->count; i++)
		if (!diff_gate_parse(options->gates.items[i], view, &gates->list[i], err) ||
		    !has_runs(&gates->list[i], options, err))
			return false;
	return true;
}

void diff_gates_fini(struct diff_gates *gates)
{
	for (size_t i = 0; i < gates->count; i++)
		str_fini(&gates->names[i]);
}

static struct diff_value value_on(const struct diff_rows *rows, const struct diff_row *row,
				  enum diff_side side, const struct column *column)
{
	const struct report *report = rows->sides[side].report;
	const enum diff_side other = side == DIFF_BASE ? DIFF_NEW : DIFF_BASE;

	if (!row->has[side])
		return (struct diff_value){
			.bounds = column_bounds_missing(column, report, &row->side[other])};
	return (struct diff_value){.is_there = true,
				   .value = diff_row_value(row, side, column),
				   .bounds = column_bounds_of(column, report, &row->side[side])};
}

static enum diff_verdict judge_pair(const struct diff_gate *gate, const struct diff_rows *rows,
				    const struct diff_row *row)
{
	const struct diff_value base = value_on(rows, row, DIFF_BASE, gate->column);
	const struct diff_value now = value_on(rows, row, DIFF_NEW, gate->column);

	return diff_gate_judge(gate, &base, &now);
}

static void note_failure(struct diff_gates *gates, size_t gate, const struct diff_row *row,
			 bool unicode)
{
	struct str safe = {0}, name = {0};

	if (gates->verdicts[gate][DIFF_FAILS] > NAMES_IN_FAILURE)
		return;
	name_append_escaped(&safe, row->name, unicode);
	name_append_shortened(&name, safe.data ? safe.data : "", NAME_IN_FAILURE_WIDTH, "");
	str_printf(&gates->names[gate], "%s%s%s", gates->names[gate].len ? ", " : "",
		   name.data ? name.data : "", row->has[DIFF_NEW] ? "" : " (vanished)");
	str_fini(&safe);
	str_fini(&name);
}

static void check_gate(struct diff_gates *gates, size_t i, struct diff_rows *rows,
		       const struct report_options *options)
{
	const struct diff_gate *gate = &gates->list[i];
	const struct diff_least least = diff_least_of(rows, gate->column, options->min_percent);

	vec_foreach (row, &rows->list) {
		if (diff_row_is_below(rows, row, &least))
			continue;
		const enum diff_verdict verdict =
			row->runs ? diff_runs_judge(gate, row->runs) : judge_pair(gate, rows, row);
		gates->verdicts[i][verdict]++;
		if (verdict != DIFF_FAILS)
			continue;
		row->failed = true;
		note_failure(gates, i, row, options->unicode);
	}
}

void diff_gates_check(struct diff_gates *gates, struct diff_rows *rows,
		      const struct diff_options *options, struct str *failures)
{
	for (size_t i = 0; i < gates->count; i++) {
		check_gate(gates, i, rows, &options->report);
		const uint64_t failed = gates->verdicts[i][DIFF_FAILS];
		if (failed)
			str_printf(failures, "%s%" PRIu64 " %s --fail-if='%s': %s%s",
				   failures->len ? "\n" : "", failed,
				   failed == 1 ? "row fails" : "rows fail", gates->list[i].text,
				   gates->names[i].data, failed > NAMES_IN_FAILURE ? ", ..." : "");
	}
}

void diff_gates_write_text(const struct diff_gates *gates, const struct report *report,
			   FILE *stream)
{
	struct str line = {0};

	for (size_t i = 0; i < gates->count; i++) {
		const uint64_t *verdicts = gates->verdicts[i];

		str_printf(&line, "%s: %" PRIu64 " %s", gates->list[i].text, verdicts[DIFF_FAILS],
			   verdicts[DIFF_FAILS] == 1 ? "row fails" : "rows fail");
		if (verdicts[DIFF_WITHIN_ERRORS])
			str_printf(&line, ", %" PRIu64 " by no more than the errors",
				   verdicts[DIFF_WITHIN_ERRORS]);
		if (verdicts[DIFF_NOT_COMPARED])
			str_printf(&line, ", %" PRIu64 " not known exactly and not compared",
				   verdicts[DIFF_NOT_COMPARED]);
		report_write_text_line(report, stream, "gate", &line);
	}
	str_fini(&line);
}
