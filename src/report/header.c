/* The header of text reports: what was recorded where, how well, and what is missing. */
#include "report/name.h"
#include "report/number.h"
#include "report/table.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const char *text_or(const char *text, const char *otherwise)
{
	return text && text[0] ? text : otherwise;
}

/* One line; `text` is escaped, shortened to the width, and cleared. */
void report_write_text_line(const struct report *report, FILE *stream, const char *key,
			    struct str *text)
{
	const struct report_options *options = report->options;
	struct str escaped = {0}, line = {0};
	const int room = options->width - 13;

	name_append_escaped(&escaped, text->data ? text->data : "", options->unicode);
	name_append_shortened(&line, escaped.data ? escaped.data : "",
			      room > 20 ? (size_t)room : 20, "");
	fprintf(stream, "%s%-11s%s %s\n", options->color ? "\033[2m" : "", key,
		options->color ? "\033[0m" : "", line.data ? line.data : "");
	str_fini(&escaped);
	str_fini(&line);
	str_clear(text);
}

static void append_time(const struct report *report, uint64_t ticks, struct str *text)
{
	time_append_with_unit(text, analysis_ns(report->analysis, ticks), report->options->unicode);
}

static void append_start(const struct profile_session *session, struct str *text)
{
	const time_t seconds = (time_t)(session->begin_unix_ns / 1000000000);
	struct tm broken;
	char date[64];

	if (session->begin_unix_ns && gmtime_r(&seconds, &broken) &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &broken))
		str_append(text, date);
	else
		str_append(text, "at an unknown time");
}

static void write_recording(const struct report *report, FILE *stream, struct str *text)
{
	const struct profile_session *session = profile_session(report->analysis->profile);

	str_append(text, text_or(session->command_line, "?"));
	report_write_text_line(report, stream, "command", text);
	str_printf(text, "%s, %s, %s", text_or(session->host, "?"), text_or(session->system, "?"),
		   text_or(session->processor, "unknown processor"));
	report_write_text_line(report, stream, "host", text);
	append_start(session, text);
	str_append(text, ", for ");
	append_time(report,
		    session->end_ticks > session->begin_ticks
			    ? session->end_ticks - session->begin_ticks
			    : 0,
		    text);
	if (session->exit_status < 0)
		str_append(text, ", exit status unknown");
	else
		str_printf(text, ", exit status %d", session->exit_status);
	str_printf(text, ", tare %s", text_or(session->tare_version, "?"));
	report_write_text_line(report, stream, "recorded", text);
	str_printf(text, "%s%s%s", text_or(session->method, "?"),
		   session->settings && session->settings[0] ? "; " : "",
		   text_or(session->settings, ""));
	report_write_text_line(report, stream, "method", text);
	if (session->exit_status < 0 && session->ticks_per_second == 1e9) /* imported */
		str_append(text, "that of the recording, in nanoseconds");
	else
		str_printf(text, "%.6f GHz, calibrations differ by %.1f ppm",
			   session->ticks_per_second / 1e9, session->clock_drift_ppm);
	report_write_text_line(report, stream, "clock", text);
}

static void append_os_means(uint32_t means, struct str *text)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} known[] = {{TARE_OS_BY_SELECTOR, "interrupts and faults"},
		     {TARE_OS_BY_RSEQ, "switches"},
		     {TARE_OS_BY_SITES, "system calls"}};
	bool any = false;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!(means & known[i].bit))
			continue;
		str_printf(text, "%s%s", any ? ", " : "", known[i].name);
		any = true;
	}
	if (!any)
		str_append(text, "not observed: Application equals Elapsed");
}

static void append_count(struct str *text, uint64_t count, const char *one, const char *many)
{
	number_append(text, count);
	str_printf(text, " %s", count == 1 ? one : many);
}

static void write_extent(const struct report *report, FILE *stream, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;

	append_count(text, totals->processes, "process, ", "processes, ");
	append_count(text, totals->threads, "thread, ", "threads, ");
	append_count(text, totals->nodes, "call path", "call paths");
	report_write_text_line(report, stream, "extent", text);
}

static void write_times(const struct report *report, FILE *stream, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;

	append_time(report, totals->elapsed, text);
	str_append(text, " elapsed, ");
	append_time(report, totals->application, text);
	str_append(text, " of it application; sums over all threads");
	report_write_text_line(report, stream, "time", text);
	append_os_means(totals->os_means, text);
	report_write_text_line(report, stream, "OS events", text);
}

static void write_coverage(const struct report *report, FILE *stream, struct str *text)
{
	const uint64_t *count = report->analysis->totals.coverage;
	const uint64_t done = count[COVERAGE_INSTRUMENTED] + count[COVERAGE_PART];
	const uint64_t selected = done + count[COVERAGE_REFUSED];

	if (selected) {
		number_append(text, done);
		str_append(text, " of ");
		append_count(text, selected, "selected function", "selected functions");
		str_printf(text, " instrumented (%.2f %%)",
			   100.0 * (double)done / (double)selected);
		if (count[COVERAGE_SMALL]) {
			str_append(text, ", ");
			number_append(text, count[COVERAGE_SMALL]);
			str_append(text, " small skipped");
		}
	} else {
		str_append(text, "unknown");
	}
	report_write_text_line(report, stream, "coverage", text);
	if (count[COVERAGE_REFUSED]) {
		str_append(text, report->analysis->refusals);
		report_write_text_line(report, stream, "refused", text);
	}
}

static void write_cost(const struct report *report, FILE *stream, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;
	const uint64_t *cost = totals->cost_ticks;

	append_time(report, totals->overhead, text);
	str_printf(text, " subtracted; ticks per enter %llu, leave %llu, call %llu, return %llu",
		   (unsigned long long)cost[TARE_EVENT_ENTER],
		   (unsigned long long)cost[TARE_EVENT_LEAVE],
		   (unsigned long long)cost[TARE_EVENT_CALL],
		   (unsigned long long)cost[TARE_EVENT_RETURN]);
	report_write_text_line(report, stream, "probe cost", text);
}

/* How far the subtracted cost can be trusted: docs/accuracy.md. */
static void write_accuracy(const struct report *report, FILE *stream, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;

	str_append(text, report->options->unicode ? "\u00b1 " : "+- ");
	append_time(report, totals->error, text);
	str_append(text, "; ");
	append_time(report, totals->residual, text);
	str_printf(text, " of the cost estimated (at most %.0f %%); ",
		   100 * totals->residual_share);
	if (totals->processes_checked)
		str_printf(text, "%.0f %% %s at the end", 100 * fabs(totals->cost_drift),
			   totals->cost_drift < 0 ? "less" : "more");
	else
		str_append(text, "not checked at the end");
	report_write_text_line(report, stream, "accuracy", text);
}

static void append_loss(struct str *text, uint64_t count, const char *what)
{
	if (!count)
		return;
	if (text->len)
		str_append(text, ", ");
	number_append(text, count);
	str_printf(text, " %s", what);
}

/* ---- samples ---- */

static void append_event(const struct report *report, struct str *text)
{
	const struct profile_event *event = report->analysis->event;
	const uint64_t weight = report->analysis->totals.samples.weight;

	str_append(text, text_or(event->name, "an unknown event"));
	if (event->period) {
		str_append(text, ", one in ");
		number_append(text, event->period);
	} else if (event->frequency) {
		str_printf(text, ", %llu Hz", (unsigned long long)event->frequency);
	}
	str_append(text, "; they stand for ");
	if (event->unit && strcmp(event->unit, "ns") == 0)
		time_append_with_unit(text, weight, report->options->unicode);
	else
		append_count(text, weight, "event", "events");
}

static void append_share(struct str *text, uint64_t part, uint64_t whole)
{
	if (part && whole)
		str_printf(text, " (%.2f %%)", 100.0 * (double)part / (double)whole);
}

/* How complete the stacks are. */
static void write_stacks(const struct report *report, FILE *stream, struct str *text)
{
	const struct analysis_sample_totals *totals = &report->analysis->totals.samples;

	if (!totals->truncated_known) {
		str_append(text, "cut off: not known for a part of the time");
	} else {
		number_append(text, totals->truncated);
		str_append(text, " cut off before their thread's root");
		append_share(text, totals->truncated, totals->kept);
	}
	append_loss(text, totals->unread, "unreadable");
	report_write_text_line(report, stream, "stacks", text);
}

static void append_collector(const struct profile_sampling *row, struct str *text)
{
	const char *unwinding = text_or(row->unwinding, "none");

	str_append(text, text_or(row->collector, "?"));
	if (strcmp(unwinding, "rules") == 0)
		str_append(text, ", stacks by unwind rules");
	else if (strcmp(unwinding, "fp") == 0)
		str_append(text, ", stacks by frame pointers");
	else
		str_append(text, strcmp(unwinding, "none") == 0 ? ", no stacks" : ", stacks by ");
	if (strcmp(unwinding, "rules") != 0 && strcmp(unwinding, "fp") != 0 &&
	    strcmp(unwinding, "none") != 0)
		str_append(text, unwinding);
	str_append(text, row->kernel ? ", with the kernel's frames" : ", without the kernel's");
}

/* A sentence of any length, on as many lines as it takes. */
static void write_sentence(const struct report *report, FILE *stream, const char *key,
			   const char *sentence)
{
	const size_t room = report->options->width > 33 ? (size_t)report->options->width - 13 : 20;
	struct str text = {0};

	while (*sentence) {
		size_t length = strlen(sentence);
		if (length > room) {
			for (length = room; length && sentence[length] != ' ';)
				length--;
			length = length ? length : room;
		}
		str_append_bytes(&text, sentence, length);
		report_write_text_line(report, stream, key, &text);
		sentence += length + (sentence[length] == ' ');
		key = "";
	}
	str_fini(&text);
}

static void write_samples(const struct report *report, FILE *stream, struct str *text)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_sample_totals *totals = &analysis->totals.samples;
	size_t count;
	const struct profile_sampling *rows = profile_samplings(analysis->profile, &count);

	number_append(text, totals->kept);
	str_append(text, totals->kept == 1 ? " sample of " : " samples of ");
	if (analysis->event)
		append_event(report, text);
	else
		str_append(text, "nothing: the target was never seen at work");
	report_write_text_line(report, stream, "samples", text);
	write_stacks(report, stream, text);
	number_append(text, totals->discarded);
	str_append(text, " taken outside of the target");
	append_loss(text, totals->in_runtime, "in tare's own code");
	report_write_text_line(report, stream, "discarded", text);
	for (size_t i = 0; i < count; i++) {
		append_collector(&rows[i], text);
		report_write_text_line(report, stream, "collector", text);
		write_sentence(report, stream, "because", text_or(rows[i].reason, ""));
	}
}

static void write_losses(const struct report *report, FILE *stream, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;
	const struct profile_session *session = profile_session(report->analysis->profile);

	append_loss(text, totals->samples.lost, "samples lost");
	append_loss(text, totals->samples.unreadable, "sample records unreadable");
	append_loss(text, totals->samples.throttled, "times throttled");
	append_loss(text, totals->dropped, "events dropped");
	append_loss(text, totals->negative, "negative intervals discarded");
	append_loss(text, totals->folded, "calls folded into overflow nodes");
	append_loss(text, totals->too_deep, "calls too deep");
	append_loss(text, totals->unmatched, "ends without begin");
	append_loss(text, totals->os_lost, "OS records lost");
	append_loss(text, totals->stacks_lost, "stacks given up");
	append_loss(text, totals->calls_aside, "calls on stacks set aside not counted");
	append_loss(text, totals->threads_lost, "threads lost");
	append_loss(text, totals->records_lost, "module records lost");
	append_loss(text, totals->marks_lost, "marks lost");
	append_loss(text, totals->children_lost, "forked children lost");
	append_loss(text, totals->images_unfollowed, "programs not followed");
	append_loss(text, totals->causes_unasked, "OS events of unknown cause");
	if (totals->inconsistent_ticks) {
		if (text->len)
			str_append(text, ", ");
		append_time(report, totals->inconsistent_ticks, text);
		str_append(text, " contradictory");
	}
	write_sentence(report, stream, "losses", text->len ? text->data : "none");
	str_clear(text);
	if (session->complete)
		return;
	str_printf(text, "%s", text_or(session->incomplete_reason, "the recording was cut off"));
	report_write_text_line(report, stream, "INCOMPLETE", text);
}

const struct report_limit report_limits[REPORT_LIMITS] = {
	{TARE_LIMIT_NODES, "max-nodes"}, {TARE_LIMIT_MEMORY, "max-memory"},
	{TARE_LIMIT_DISK, "max-disk"},	 {TARE_LIMIT_THREADS, "max-threads"},
	{TARE_LIMIT_SYSTEM, "system"},
};

/* Why call paths have folded, threads share rows, or something found no room. */
static void write_limits(const struct report *report, FILE *stream, struct str *text)
{
	const uint32_t met = report->analysis->totals.limits;

	for (size_t i = 0; i < REPORT_LIMITS; i++)
		if (met & report_limits[i].bit & ~(uint32_t)TARE_LIMIT_SYSTEM)
			str_printf(text, "%s--%s", text->len ? ", " : "", report_limits[i].name);
	if (text->len) {
		str_append(text, ": larger values keep more");
		report_write_text_line(report, stream, "limits met", text);
	}
	if (met & TARE_LIMIT_SYSTEM) {
		str_append(text, "the system's: address space, file size or storage");
		report_write_text_line(report, stream, "limits met", text);
	}
}

static void write_disarmed(const struct report *report, FILE *stream, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;

	if (!totals->functions_disarmed)
		return;
	append_count(text, totals->functions_disarmed, "function", "functions");
	str_append(text, " after ");
	append_count(text, totals->calls_disarmed, "counted call", "counted calls");
	str_append(text, " (--adaptive)");
	report_write_text_line(report, stream, "disarmed", text);
}

/* Only where collection was ever off, or calls were too deep to be kept apart. */
static void write_control(const struct report *report, FILE *stream, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;

	if (totals->off || totals->cut || totals->begun_while_off) {
		append_time(report, totals->off, text);
		str_append(text, " of the threads, not counted");
		append_loss(text, totals->cut, "calls ended meanwhile");
		append_loss(text, totals->begun_while_off, "began meanwhile");
		report_write_text_line(report, stream, "while off", text);
	}
	append_loss(text, totals->beyond_depth, "calls, whose time is their callers'");
	if (text->len)
		report_write_text_line(report, stream, "too deep", text);
}

void report_write_text_totals(const struct report *report, FILE *stream)
{
	const struct profile_session *session = profile_session(report->analysis->profile);
	struct str text = {0};

	append_start(session, &text);
	str_printf(&text, " on %s, exit status %d", text_or(session->host, "?"),
		   session->exit_status);
	report_write_text_line(report, stream, "", &text);
	if (report->analysis->has_calls)
		write_times(report, stream, &text);
	if (report->analysis->method == ANALYSIS_SAMPLE)
		write_samples(report, stream, &text);
	write_losses(report, stream, &text);
	str_fini(&text);
}

void report_write_text_header(const struct report *report, FILE *stream)
{
	struct str text = {0};

	write_recording(report, stream, &text);
	write_extent(report, stream, &text);
	if (report->analysis->has_calls) {
		write_times(report, stream, &text);
		write_coverage(report, stream, &text);
		write_cost(report, stream, &text);
		write_accuracy(report, stream, &text);
		write_disarmed(report, stream, &text);
		write_control(report, stream, &text);
	}
	if (report->analysis->event || report->analysis->method == ANALYSIS_SAMPLE)
		write_samples(report, stream, &text);
	write_losses(report, stream, &text);
	write_limits(report, stream, &text);
	str_fini(&text);
}
