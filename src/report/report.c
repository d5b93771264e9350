/* One view of one analysis in the format that is asked for. */
#include "report/report.h"

#include "report/calltrace.h"
#include "report/data/csv.h"
#include "report/data/json.h"
#include "report/text/text.h"

bool report_write(const struct analysis *analysis, const struct report_options *options,
		  FILE *stream, struct error *err)
{
	struct report report = {0};

	if (!report_prepare(&report, analysis, options, err))
		return false;
	const bool streams = report.view->streams;
	const bool ok =
		streams ? calltrace_write(&report, stream, err) : report.view->fill(&report, err);
	if (ok && !streams && options->format == REPORT_TEXT)
		report_write_text(&report, stream);
	else if (ok && !streams && options->format == REPORT_CSV)
		report_write_csv(&report, stream);
	else if (ok && !streams)
		report_write_json(&report, stream);
	report_close(&report);
	return ok;
}
