/* CPU use over time in the summary, as rows of CSV and JSON; as text it is a line: text/cpu_line.c.
 */
#include "report/table/table.h"

enum {
	ROWS = 100,
	/* Text: what stands right of the columns. */
	WORDS_WIDTH = 54,
	COLUMNS_MIN = 30,
	COLUMNS_MOST = 60,
};

/* As many as fit beside the words, or where these leave little room, above them. */
static uint32_t columns_for(int width)
{
	const int room = width - REPORT_KEY_WIDTH, beside = room - WORDS_WIDTH;
	const int columns = beside >= COLUMNS_MIN ? beside : room;

	return columns < COLUMNS_MIN	? COLUMNS_MIN
	       : columns > COLUMNS_MOST ? COLUMNS_MOST
					: (uint32_t)columns;
}

static void add_row(struct report_table *table, const struct report_cpu *cpu)
{
	struct report_row row = report_row_empty(ROW_CPU);

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
