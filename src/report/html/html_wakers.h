/* Waits with who ended them, for the page's view of wakers. Private to report. */
#ifndef TARE_REPORT_HTML_WAKERS_H
#define TARE_REPORT_HTML_WAKERS_H

#include "analysis/analysis.h"
#include "report/export.h"
#include "report/html/html_pack.h"

enum { HTML_WAKERS_MAX = 1 << 18 };

/* Whether there are any to show: they are known of the whole recording only, and of what it is
   compared with none are shown. */
bool html_has_wakers(const struct analysis *analysis, const struct export_options *options);

/* The number of a row of the view wakers among those of the analysis. */
uint64_t html_waker_of(const struct analysis *analysis, const struct analysis_os *os);

/*
 * Packs the waits of the selected threads with the stacks of both sides: up to HTML_WAKERS_MAX
 * nodes and as many waits. The largest come first; how long the others are together is told.
 */
bool html_pack_wakers(struct html_pack *pack, const struct analysis *analysis,
		      const struct export_options *options, struct error *err);

/* For tests: the same with another limit. */
bool html_pack_wakers_within(struct html_pack *pack, const struct analysis *analysis, size_t most,
			     struct error *err);

#endif
