/* What noise reduction has done, in words below a table. */
#include "report/table/calltree.h"
#include "report/text/line.h"
#include "report/text/text.h"
#include "report/words/number.h"

#include <math.h>

static const char *measure_name(const struct analysis *analysis)
{
	if (analysis->method == ANALYSIS_INSTRUMENT)
		return "time";
	return analysis->by_weight ? "waiting" : "samples";
}

static void append_count(struct str *out, uint64_t count, const char *one, const char *many)
{
	number_append(out, count);
	str_printf(out, " %s", count == 1 ? one : many);
}

void report_write_text_noise(const struct report *report, FILE *stream)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_outline *outline = &report->outline;
	const double trim = report_trim(report), least = report->options->min_percent;
	const bool functions = report->view->id == VIEW_FUNCTIONS;
	struct str text = {0};

	if (outline->collapsed) {
		append_count(&text, outline->collapsed, "call path", "call paths");
		str_append(&text, " not expanded; --expand=all shows all");
		line_write(stream, report->options, "", text.data);
		str_clear(&text);
	}
	if (outline->trimmed) {
		append_count(&text, outline->trimmed, functions ? "function" : "call path",
			     functions ? "functions" : "call paths");
		const double share = analysis_value_share(analysis, outline->trimmed_value);
		str_printf(&text, " below %.3g %% left out, with %.1f %% of the %s; %s",
			   trim > least ? trim : least, isnan(share) ? 0.0 : share,
			   measure_name(analysis),
			   trim > least ? "--noise shows all" : "see --min-percent");
		line_write(stream, report->options, "", text.data);
		str_clear(&text);
	}
	if (outline->shared) {
		append_count(&text, outline->shared, "row stands", "rows stand");
		str_append(&text, " for ");
		append_count(&text, outline->shared_frames, "frame", "frames");
		str_printf(&text, " (outer%sinner) with little of their own; --noise shows each",
			   report_frames_separator(report->options->unicode));
		line_write(stream, report->options, "", text.data);
	}
	str_fini(&text);
}
