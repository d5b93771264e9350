/* Calls over time, of recordings with --trace, for the page's timeline. Private to report. */
#ifndef TARE_REPORT_HTML_CALLS_H
#define TARE_REPORT_HTML_CALLS_H

#include "analysis/analysis.h"
#include "report/html/html_pack.h"

enum { HTML_CALLS_MAX = 1 << 19, HTML_CALLS_DEPTH = 64 };

/*
 * Packs the calls of the selected threads, where the profile has event logs, at most
 * HTML_CALLS_MAX of them: beyond that the shortest ones are left out and counted, as are those
 * deeper than HTML_CALLS_DEPTH.
 */
bool html_pack_calls(struct html_pack *pack, const struct analysis *analysis, struct error *err);

/* For tests: the same with another limit. */
bool html_pack_calls_within(struct html_pack *pack, const struct analysis *analysis, size_t most,
			    struct error *err);

#endif
