/*
 * See brief.h. A line has as many entries as fit, three at most; what is below one percent is not
 * worth its place.
 */
#include "report/text/brief.h"

#include "analysis/syscalls.h"
#include "report/table/os_object.h"
#include "report/table/table.h"
#include "report/words/name.h"
#include "report/words/number.h"

#include <string.h>

enum { ENTRIES_MAX = 3, NAME_WIDTH = 32, OBJECT_WIDTH = 24 };

#define SHARE_LEAST 0.01

/* The line so far, to which entries are added while they fit. */
struct line {
	struct str *out;
	size_t width, entries;
};

static bool add_entry(struct line *line, const char *entry)
{
	const size_t used = name_width(line->out->data);

	if (line->entries == ENTRIES_MAX ||
	    (line->entries && used + 2 + name_width(entry) > line->width))
		return false;
	str_printf(line->out, "%s%s", line->entries++ ? ", " : "", entry);
	return true;
}

static void append_function(const struct analysis *analysis, uint32_t function,
			    const struct brief_options *options, struct str *out)
{
	struct str brief = {0}, safe = {0};

	name_append_brief(&brief, analysis->functions.data[function].name);
	name_append_escaped(&safe, brief.data ? brief.data : "", options->unicode);
	name_append_fitted(out, safe.data ? safe.data : "", NAME_WIDTH, options->unicode);
	str_fini(&brief);
	str_fini(&safe);
}

/* ---- CPU ---- */

static uint64_t own_amount(const struct analysis *analysis, uint32_t function)
{
	const struct analysis_values *values = &analysis->functions.data[function].values;

	if (analysis->has_calls)
		return values->amount[CPU_EXCLUSIVE];
	return values->amount[analysis->by_weight ? WEIGHT_EXCLUSIVE : SAMPLES_EXCLUSIVE];
}

/* The largest ones, descending; the first of equals in the analysis' order. */
static size_t find_largest(const struct analysis *analysis, uint32_t found[ENTRIES_MAX])
{
	size_t count = 0;

	for (uint32_t i = 0; i < analysis->functions.len; i++) {
		const uint64_t amount = own_amount(analysis, i);
		size_t at = count;

		while (at && own_amount(analysis, found[at - 1]) < amount)
			at--;
		if (at == ENTRIES_MAX)
			continue;
		count += count < ENTRIES_MAX;
		memmove(&found[at + 1], &found[at], (count - at - 1) * sizeof(*found));
		found[at] = i;
	}
	return count;
}

static uint64_t whole_amount(const struct analysis *analysis)
{
	if (analysis->has_calls)
		return analysis->totals.cpu;
	return analysis->by_weight ? analysis->totals.samples.weight
				   : analysis->totals.samples.kept;
}

static void append_whole(const struct analysis *analysis, const struct brief_options *options,
			 struct str *out)
{
	if (analysis->has_calls) {
		str_append(out, "CPU ");
		time_append_with_unit(out, analysis_ns(analysis, analysis->totals.cpu),
				      options->unicode);
	} else {
		number_append(out, analysis->totals.samples.kept);
		str_printf(out, " samples of %s", analysis->event ? analysis->event->name : "CPU");
	}
}

void brief_cpu(const struct analysis *analysis, const struct brief_options *options,
	       struct str *out)
{
	struct line line = {.out = out, .width = options->width};
	const double whole = (double)whole_amount(analysis);
	uint32_t found[ENTRIES_MAX];
	const size_t count = find_largest(analysis, found);
	struct str entry = {0};

	append_whole(analysis, options, out);
	for (size_t i = 0; i < count; i++) {
		const double share = whole > 0 ? (double)own_amount(analysis, found[i]) / whole : 0;

		if (share < SHARE_LEAST)
			break;
		str_append(i ? &entry : out, i ? "" : ": ");
		str_clear(&entry);
		append_function(analysis, found[i], options, &entry);
		str_printf(&entry, " %.3g %%", 100 * share);
		if (!add_entry(&line, entry.data))
			break;
	}
	str_fini(&entry);
}

/* ---- waits ---- */

/* "OrderBook::writeLog in fdatasync fd 4 orders.log 898 ms" */
static void append_wait(const struct analysis *analysis, const struct analysis_os *os,
			const struct brief_options *options, struct str *out)
{
	const char *call = os->syscall_number >= 0 ? syscall_name(os->syscall_number) : NULL;
	const uint32_t waiter = report_waiter(analysis, os);
	struct str object = {0};

	if (waiter != ANALYSIS_NONE)
		append_function(analysis, waiter, options, out);
	/* The address of a lock tells nothing at a glance. */
	if (os->syscall_number >= 0 && os->path && os->object_kind != TARE_OBJECT_FUTEX)
		os_object_put(&object, os, options->unicode);
	if (call && !(out->len && strcmp(out->data, call) == 0))
		str_printf(out, "%s%s", out->len ? " in " : "", call);
	if (object.len) {
		str_append(out, " ");
		name_append_middle(out, object.data, OBJECT_WIDTH, options->unicode);
	}
	str_append(out, out->len ? " " : "elsewhere ");
	time_append_with_unit(out, analysis_ns(analysis, os->ticks), options->unicode);
	str_fini(&object);
}

static bool is_wait(const struct analysis *analysis, const struct analysis_os *os)
{
	return os->cause == TARE_OS_BLOCKED && !analysis_os_is_idle(analysis, os);
}

/* Rows of a cause come by descending time. */
static void append_waits(const struct analysis *analysis, const struct brief_options *options,
			 uint64_t waited, struct str *out)
{
	struct line line = {.out = out, .width = options->width};
	struct str entry = {0};

	vec_foreach (os, &analysis->os) {
		if (!is_wait(analysis, os))
			continue;
		if ((double)os->ticks < SHARE_LEAST * (double)waited)
			break;
		if (!line.entries)
			str_append(out, ": ");
		str_clear(&entry);
		append_wait(analysis, os, options, &entry);
		if (!add_entry(&line, entry.data))
			break;
	}
	str_fini(&entry);
}

static void append_time(const struct analysis *analysis, const struct brief_options *options,
			const char *words, uint64_t ticks, struct str *out)
{
	str_append(out, words);
	time_append_with_unit(out, analysis_ns(analysis, ticks), options->unicode);
}

/* What only waits for work, time or the end of others is told apart. */
static void waits_of_calls(const struct analysis *analysis, const struct brief_options *options,
			   struct str *out)
{
	const uint64_t *ticks = analysis->totals.os_ticks;
	const double least = SHARE_LEAST * (double)analysis->totals.elapsed;
	uint64_t waited = 0;

	vec_foreach (os, &analysis->os)
		waited += is_wait(analysis, os) ? os->ticks : 0;
	append_time(analysis, options, "waited ", waited, out);
	if (ticks[TARE_OS_BLOCKED] > waited && (double)(ticks[TARE_OS_BLOCKED] - waited) >= least)
		append_time(analysis, options, ", idle ", ticks[TARE_OS_BLOCKED] - waited, out);
	if ((double)ticks[TARE_OS_PREEMPTED] >= least)
		append_time(analysis, options, ", could not run for ", ticks[TARE_OS_PREEMPTED],
			    out);
	append_waits(analysis, options, waited, out);
}

void brief_waits(const struct analysis *analysis, const struct brief_options *options,
		 struct str *out)
{
	if (analysis->has_calls)
		waits_of_calls(analysis, options, out);
	else if (report_has_event(analysis, "off-cpu"))
		str_append(out, "waits were sampled: --event=off-cpu shows them");
	else
		str_append(out, "waits were not recorded: --off-cpu samples them");
}
