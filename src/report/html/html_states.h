/* What each thread did over time, for the page's timeline. */
#ifndef TARE_REPORT_HTML_STATES_H
#define TARE_REPORT_HTML_STATES_H

#include "analysis/analysis.h"
#include "report/html/html_pack.h"

/*
 * Packs the spans of the selected threads, where the profile knows them, and what they waited for.
 * Beyond HTML_STATES_MAX spans of all threads, short ones that follow each other are one, so that
 * the page stays small; sums stay exact.
 */
bool html_pack_states(struct html_pack *pack, const struct analysis *analysis, struct error *err);

enum { HTML_STATES_MAX = 1 << 21 };

/*
 * For tests: the same with another limit than HTML_STATES_MAX. At least one span of each thread
 * is left.
 */
bool html_pack_states_within(struct html_pack *pack, const struct analysis *analysis, uint64_t most,
			     struct error *err);

#endif
