/* Work and waits of threads as one tree, for the page's flame graph. Private to report. */
#ifndef TARE_REPORT_HTML_WAITS_H
#define TARE_REPORT_HTML_WAITS_H

#include "analysis/analysis.h"
#include "report/html/html_pack.h"

enum { HTML_WAITS_MAX = 1 << 20 };

/*
 * Packs the samples of cpu-clock and off-cpu of the selected threads, where the profile has both:
 * call paths of up to HTML_WAITS_MAX nodes. What has no room stands at its nearest caller, so
 * sums stay exact.
 */
bool html_pack_waits(struct html_pack *pack, const struct analysis *analysis, struct error *err);

/* For tests: the same with another limit; the roots of threads are always there. */
bool html_pack_waits_within(struct html_pack *pack, const struct analysis *analysis, size_t most,
			    struct error *err);

#endif
