/* CPU use over time in the summary: a line of text, or rows of CSV and JSON. */
#include "report/table/table.h"
#include "report/words/name.h"
#include "report/words/number.h"
#include "report/words/sparkline.h"

#include <string.h>

enum {
	ROWS = 100,
	/* Text: what stands left of the columns, and right of them. */
	KEY_WIDTH = 13,
	WORDS_WIDTH = 54,
	COLUMNS_MIN = 30,
	COLUMNS_MOST = 60,
};

/* As many as fit beside the words, or where these leave little room, above them. */
static uint32_t columns_for(int width)
{
	const int room = width - KEY_WIDTH, beside = room - WORDS_WIDTH;
	const int columns = beside >= COLUMNS_MIN ? beside : room;

	return columns < COLUMNS_MIN	? COLUMNS_MIN
	       : columns > COLUMNS_MOST ? COLUMNS_MOST
					: (uint32_t)columns;
}

static void add_row(struct report_table *table, const struct report_cpu *cpu)
{
	struct report_row row = report_row_empty();

	row.section = "cpu";
	row.cpu = cpu;
	vec_push(&table->rows, row);
}

static void add_rows(struct report *report)
{
	const struct analysis_cpu_use *use = &report->cpu;
	struct report_table *table = report_add_table(report, "cpu", "CPU use", NULL);
	struct report_cpu *parts = arena_array(&report->arena, struct report_cpu, use->count + 1);

	for (uint32_t i = 0; i < use->count; i++) {
		parts[i] = (struct report_cpu){
			.begin_ticks = analysis_cpu_part_begin(report->analysis, use, i),
			.end_ticks = analysis_cpu_part_begin(report->analysis, use, i + 1),
			.cpu_ticks = use->parts[i]};
		add_row(table, &parts[i]);
	}
	parts[use->count] = (struct report_cpu){.cpu_ticks = use->unplaced};
	if (use->unplaced)
		add_row(table, &parts[use->count]);
}

bool report_add_cpu(struct report *report, struct error *err)
{
	const struct report_options *options = report->options;
	const bool text = options->format == REPORT_TEXT;

	const uint32_t most = text ? columns_for(options->width) : ROWS;
	const uint32_t count = analysis_cpu_parts(report->analysis, most);

	if (!analysis_cpu_use(report->analysis, count, &report->cpu, err))
		return false;
	if (!text && report->cpu.source != CPU_USE_UNKNOWN)
		add_rows(report);
	return true;
}

void report_get_cpu(const struct report *report, const struct report_row *row,
		    const struct column *column, struct str *scratch, struct cell *cell)
{
	const struct report_cpu *cpu = row->cpu;

	(void)scratch;
	if (!cpu || (column->param != CPU_USED && cpu->end_ticks == 0))
		return;
	const uint64_t ticks = column->param == CPU_BEGIN ? cpu->begin_ticks
			       : column->param == CPU_END ? cpu->end_ticks
							  : cpu->cpu_ticks;
	cell->type = CELL_TIME;
	cell->number = report->options->unit == REPORT_TICKS ? ticks
							     : analysis_ns(report->analysis, ticks);
}

/* ---- text ---- */

/* The line under way, and what stands to the left of it. */
struct cpu_line {
	const struct report *report;
	FILE *stream;
	const char *key;
	struct str text;
};

/* Facts stand on as few lines as have room for them. Clears `fact`. */
static void put_fact(struct cpu_line *line, const char *separator, struct str *fact)
{
	const size_t width = KEY_WIDTH + name_width(line->text.data) + strlen(separator) +
			     name_width(fact->data);

	if (width > (size_t)line->report->options->width) {
		report_write_text_line(line->report, line->stream, line->key, &line->text);
		line->key = "";
	} else {
		str_append(&line->text, separator);
	}
	str_append(&line->text, fact->data);
	str_clear(fact);
}

static void put_range(struct cpu_line *line, double part_ticks)
{
	const struct analysis_cpu_use *use = &line->report->cpu;
	uint64_t least = UINT64_MAX, most = 0, sum = 0;
	struct str fact = {0};

	for (uint32_t i = 0; i < use->count; i++) {
		least = use->parts[i] < least ? use->parts[i] : least;
		most = use->parts[i] > most ? use->parts[i] : most;
		sum += use->parts[i];
	}
	sparkline_append(&line->text, use->parts, use->count, most, line->report->options->unicode);
	str_printf(&fact, "%.1f%s%.1f processors, mean %.2f", (double)least / part_ticks,
		   line->report->options->unicode ? "\u2013" : "-", (double)most / part_ticks,
		   (double)sum / part_ticks / use->count);
	if (use->source == CPU_USE_SAMPLED)
		str_append(&fact, " by samples");
	put_fact(line, "  ", &fact);
	str_fini(&fact);
}

void report_write_cpu_line(const struct report *report, FILE *stream)
{
	const struct analysis_cpu_use *use = &report->cpu;
	const bool unicode = report->options->unicode;
	struct cpu_line line = {.report = report, .stream = stream, .key = "CPU use"};
	struct str fact = {0};

	if (use->source == CPU_USE_UNKNOWN)
		return;
	const double part_ticks =
		(double)analysis_cpu_part_begin(report->analysis, use, use->count) / use->count;
	put_range(&line, part_ticks);
	str_append(&fact, "each column ");
	time_append_with_unit(&fact, analysis_ns(report->analysis, (uint64_t)part_ticks), unicode);
	put_fact(&line, ", ", &fact);
	if (use->unplaced) {
		time_append_with_unit(&fact, analysis_ns(report->analysis, use->unplaced), unicode);
		str_append(&fact, " more at unknown times");
		put_fact(&line, ", ", &fact);
	}
	report_write_text_line(report, stream, line.key, &line.text);
	str_fini(&line.text);
	str_fini(&fact);
}
