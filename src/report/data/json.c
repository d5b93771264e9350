/*
 * JSON as in RFC 8259, by the schema in docs/reference/columns.md. Always valid UTF-8: bytes of
 * names that are none appear as \xNN; control characters are escaped as JSON has it.
 */
#include "report/data/json.h"

#include "report/table/calltree.h"
#include "report/words/json_string.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Addresses are texts: JSON has no hexadecimal numbers. */
static void write_cell(FILE *stream, const struct cell *cell)
{
	const bool is_quoted = cell->type == CELL_ADDRESS;

	if (cell->type == CELL_EMPTY) {
		fputs("null", stream);
	} else if (cell->type == CELL_TEXT) {
		json_write_string(stream, cell->text);
	} else {
		fputs(is_quoted ? "\"" : "", stream);
		cell_write_number(stream, cell);
		fputs(is_quoted ? "\"" : "", stream);
	}
}

/* ---- header ---- */

static void write_key(FILE *stream, const char *key, bool first)
{
	fprintf(stream, "%s\n    \"%s\": ", first ? "" : ",", key);
}

static void field_text(FILE *stream, const char *key, const char *text)
{
	write_key(stream, key, false);
	if (text)
		json_write_string(stream, text);
	else
		fputs("null", stream);
}

static void field_number(FILE *stream, const char *key, uint64_t number)
{
	write_key(stream, key, false);
	fprintf(stream, "%" PRIu64, number);
}

static void field_real(FILE *stream, const char *key, double real)
{
	write_key(stream, key, false);
	if (isfinite(real))
		fprintf(stream, "%.6f", real);
	else
		fputs("null", stream);
}

static void field_bool(FILE *stream, const char *key, bool value)
{
	write_key(stream, key, false);
	fputs(value ? "true" : "false", stream);
}

static void write_session(const struct report *report, FILE *stream)
{
	const struct profile_session *session = profile_session(report->analysis->profile);

	write_key(stream, "profile", true);
	json_write_string(stream, report->options->profile_path);
	field_text(stream, "command_line", session->command_line);
	field_text(stream, "directory", session->directory);
	field_text(stream, "host", session->host);
	field_text(stream, "system", session->system);
	field_text(stream, "processor", session->processor);
	field_text(stream, "tare_version", session->tare_version);
	field_text(stream, "method", session->method);
	field_text(stream, "settings", session->settings);
	write_key(stream, "begin_unix_ns", false);
	fprintf(stream, "%" PRId64, session->begin_unix_ns);
	field_number(
		stream, "duration_ns",
		session->end_ticks > session->begin_ticks
			? analysis_ns(report->analysis, session->end_ticks - session->begin_ticks)
			: 0);
	field_real(stream, "ticks_per_second", session->ticks_per_second);
	field_real(stream, "clock_drift_ppm", session->clock_drift_ppm);
	write_key(stream, "exit_status", false);
	fprintf(stream, "%d", session->exit_status);
	field_bool(stream, "complete", session->complete);
	field_text(stream, "incomplete_reason", session->incomplete_reason);
}

/* Where the tree is another than was recorded. */
static void write_shape(const struct analysis *analysis, FILE *stream)
{
	const struct analysis_totals *totals = &analysis->totals;

	if (analysis->my_code) {
		field_number(stream, "call_paths_hidden", totals->frames_hidden);
		field_number(stream, "modules_hidden", totals->modules_hidden);
	}
	if (analysis->root) {
		field_text(stream, "root", analysis->root);
		field_number(stream, "root_call_paths", totals->root_paths);
	}
	if (analysis->recursion_is_folded)
		field_number(stream, "call_paths_of_recursion", totals->recursion_folded);
}

static void write_totals(const struct report *report, FILE *stream)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_totals *totals = &analysis->totals;
	const uint64_t *coverage = totals->coverage;

	field_number(stream, "processes", totals->processes);
	field_number(stream, "threads", totals->threads);
	field_number(stream, "call_paths", totals->nodes);
	write_shape(analysis, stream);
	field_number(stream, "elapsed_ns", analysis_ns(analysis, totals->elapsed));
	field_number(stream, "cpu_ns", analysis_ns(analysis, totals->cpu));
	field_number(stream, "application_ns", analysis_ns(analysis, totals->application));
	field_number(stream, "outside_functions_ns", analysis_ns(analysis, totals->root_ticks));
	field_number(stream, "overhead_ns", analysis_ns(analysis, totals->overhead));
	field_number(stream, "counting_ns", analysis_ns(analysis, totals->counting));
	field_number(stream, "interrupts_ns", analysis_ns(analysis, totals->interrupts));
	field_number(stream, "residual_ns", analysis_ns(analysis, totals->residual));
	field_number(stream, "error_ns", analysis_ns(analysis, totals->error));
	field_number(stream, "runtime_ns", analysis_ns(analysis, totals->own));
	field_number(stream, "functions_instrumented", coverage[COVERAGE_INSTRUMENTED]);
	field_number(stream, "functions_part", coverage[COVERAGE_PART]);
	field_number(stream, "functions_small", coverage[COVERAGE_SMALL]);
	field_number(stream, "functions_not_selected", coverage[COVERAGE_NOT_SELECTED]);
	field_number(stream, "functions_refused", coverage[COVERAGE_REFUSED]);
	field_text(stream, "refusals", analysis->refusals);
	field_number(stream, "functions_disarmed", totals->functions_disarmed);
	if (totals->functions_learned)
		field_number(stream, "functions_learned", totals->functions_learned);
	field_number(stream, "calls_of_disarmed", totals->calls_disarmed);
}

static void field_limits(FILE *stream, uint32_t met)
{
	bool any = false;

	write_key(stream, "limits_met", false);
	fputs("[", stream);
	for (size_t i = 0; i < TARE_LIMITS; i++) {
		if (!(met & report_limits[i].bit))
			continue;
		fprintf(stream, "%s\"%s\"", any ? ", " : "", report_limits[i].name);
		any = true;
	}
	fputs("]", stream);
}

static void write_losses(const struct report *report, FILE *stream)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_totals *totals = &analysis->totals;

	for (size_t i = 0; i < analysis_loss_count; i++) {
		const struct analysis_loss *loss = &analysis_losses[i];
		if (loss->key)
			field_number(stream, loss->key, analysis_loss_by_key(analysis, loss));
	}
	field_limits(stream, totals->limits);
	field_number(stream, "inconsistent_ns", analysis_ns(analysis, totals->inconsistent_ticks));
}

#define SAMPLING_LOSS(name, place, key, words)                                                     \
	{                                                                                          \
#name, key                                                                         \
	}

/* In the header, of all collectors together, by the key; of each by its name. */
static const struct {
	const char *name, *key;
} sampling_losses[] = {PROFILE_SAMPLING_LOSSES(SAMPLING_LOSS)};

static void write_collectors(const struct report *report, FILE *stream)
{
	size_t count;
	const struct profile_sampling *rows = profile_samplings(report->analysis->profile, &count);

	write_key(stream, "collectors", false);
	fputs("[", stream);
	for (size_t i = 0; i < count; i++) {
		fprintf(stream, "%s{\"collector\": ", i ? ", " : "");
		json_write_string(stream, rows[i].collector);
		fputs(", \"reason\": ", stream);
		json_write_string(stream, rows[i].reason);
		fputs(", \"unwinding\": ", stream);
		json_write_string(stream, rows[i].unwinding);
		fprintf(stream,
			", \"kernel\": %s, \"samples\": %" PRIu64 ", \"truncated\": %" PRIu64,
			rows[i].kernel ? "true" : "false", rows[i].samples, rows[i].truncated);
		for (size_t k = 0; k < TABLE_COUNT(sampling_losses); k++)
			fprintf(stream, ", \"%s\": %" PRIu64, sampling_losses[k].name,
				rows[i].losses[k]);
		fputs("}", stream);
	}
	fputs("]", stream);
}

static void write_events(const struct report *report, FILE *stream)
{
	const struct analysis *analysis = report->analysis;
	size_t count;
	const struct profile_event *events = profile_events(analysis->profile, &count);

	field_text(stream, "event", analysis->event ? analysis->event->name : NULL);
	field_text(stream, "event_unit", analysis->event ? analysis->event->unit : NULL);
	field_number(stream, "event_period", analysis->event ? analysis->event->period : 0);
	field_number(stream, "event_frequency", analysis->event ? analysis->event->frequency : 0);
	write_key(stream, "events", false);
	fputs("[", stream);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ", " : "", stream);
		json_write_string(stream, events[i].name);
	}
	fputs("]", stream);
}

/* Of every profile, so that programs find the keys. */
static void write_samples(const struct report *report, FILE *stream)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_sample_totals *totals = &analysis->totals.samples;

	field_text(stream, "method_shown",
		   analysis->method == ANALYSIS_SAMPLE ? "sample" : "instrument");
	write_events(report, stream);
	field_number(stream, "samples", totals->kept);
	field_number(stream, "samples_weight", totals->weight);
	if (totals->truncated_known || !analysis->event)
		field_number(stream, "samples_truncated", totals->truncated);
	else
		field_text(stream, "samples_truncated", NULL);
	field_number(stream, "samples_without_stack", totals->unread);
	for (size_t i = 0; i < TABLE_COUNT(sampling_losses); i++)
		field_number(stream, sampling_losses[i].key, totals->losses[i]);
	write_collectors(report, stream);
}

static void write_attention(const struct report *report, FILE *stream)
{
	struct str text = {0};
	bool any = false;

	write_key(stream, "attention", false);
	fputs("[", stream);
	for (size_t i = 0; i < report_attention_count; i++) {
		str_clear(&text);
		if (!report_attentions[i].applies(report, &text))
			continue;
		fprintf(stream, "%s{\"kind\": \"%s\", \"text\": ", any ? ", " : "",
			report_attentions[i].kind);
		json_write_string(stream, text.data);
		fputs("}", stream);
		any = true;
	}
	fputs("]", stream);
	str_fini(&text);
}

/* ---- tables ---- */

void report_write_json_row(const struct report *report, const struct report_table *table,
			   const struct report_row *row, FILE *stream)
{
	struct str scratch = {0}, name = {0};

	fputs("{", stream);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = table->columns[i];
		struct cell cell;
		str_clear(&name);
		column_append_name(column, report->options->unit, &name);
		column_read(column, report, row, &scratch, &cell);
		fputs(i ? ", \"" : "\"", stream);
		fputs(name.data, stream);
		fputs("\": ", stream);
		write_cell(stream, &cell);
	}
	fputs("}", stream);
	str_fini(&scratch);
	str_fini(&name);
}

void report_write_json_table(const struct report *report, const struct report_table *table,
			     FILE *stream)
{
	fprintf(stream, "    \"%s\": [", table->name);
	for (size_t i = 0; i < table->rows.len; i++) {
		fputs(i ? ",\n      " : "\n      ", stream);
		report_write_json_row(report, table, &table->rows.data[i], stream);
	}
	fputs(table->rows.len ? "\n    ]" : "]", stream);
}

void report_write_json_fields(const struct report *report, FILE *stream)
{
	write_session(report, stream);
	write_totals(report, stream);
	write_losses(report, stream);
	write_samples(report, stream);
	write_attention(report, stream);
}

void report_write_json_header(const struct report *report, FILE *stream)
{
	fprintf(stream, "{\n  \"format\": \"tare-report\",\n  \"version\": 1,\n");
	fprintf(stream, "  \"view\": \"%s\",\n  \"header\": {", report->options->view);
	report_write_json_fields(report, stream);
}

void report_write_json_number(FILE *stream, const char *key, uint64_t number)
{
	field_number(stream, key, number);
}

void report_write_json_tables(FILE *stream)
{
	fputs("\n  },\n  \"tables\": {\n", stream);
}

static void write_notes(const struct report *report, FILE *stream)
{
	write_key(stream, "notes", false);
	fputs("[", stream);
	for (size_t i = 0; i < report->annotation.notes.len; i++) {
		fputs(i ? ", " : "", stream);
		json_write_string(stream, report->annotation.notes.data[i]);
	}
	fputs("]", stream);
}

static void write_noise(const struct report *report, FILE *stream)
{
	const struct analysis_outline *outline = &report->outline;
	const double share = analysis_value_share(report->analysis, outline->trimmed_value);

	report_write_json_number(stream, "trimmed", outline->trimmed);
	fprintf(stream, ",\n    \"trimmed_percent\": %.4f", share > 0 ? share : 0);
	report_write_json_number(stream, "not_expanded", outline->collapsed);
	report_write_json_number(stream, "rows_of_several_frames", outline->shared);
	report_write_json_number(stream, "frames_of_these_rows", outline->shared_frames);
}

void report_write_json(const struct report *report, FILE *stream)
{
	report_write_json_header(report, stream);
	if (report->is_outlined)
		write_noise(report, stream);
	if (report->annotated)
		write_notes(report, stream);
	report_write_json_tables(stream);
	for (size_t i = 0; i < report->table_count; i++) {
		report_write_json_table(report, &report->tables[i], stream);
		fputs(i + 1 < report->table_count ? ",\n" : "\n", stream);
	}
	fputs("  }\n}\n", stream);
}
