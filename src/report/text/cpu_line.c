/* CPU use over time in the summary's header, as a line of columns. */
#include "report/text/text.h"
#include "report/words/name.h"
#include "report/words/number.h"
#include "report/words/sparkline.h"

#include <string.h>

struct cpu_line {
	const struct report *report;
	FILE *stream;
	const char *key;
	struct str text;
};

/* Facts stand on as few lines as have room for them. Clears `fact`. */
static void put_fact(struct cpu_line *line, const char *separator, struct str *fact)
{
	const size_t width = REPORT_KEY_WIDTH + name_width(line->text.data) + strlen(separator) +
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
