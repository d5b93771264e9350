/*
 * The header of text reports, three or four lines: what was recorded and when, how long it took,
 * and whether something is wrong. All else that is known of a recording is in facts.c.
 */
#include "report/text/key_line.h"
#include "report/text/text.h"
#include "report/words/name.h"
#include "report/words/number.h"

#include <string.h>
#include <time.h>

enum { KERNEL_SHOWN = 5, PERCENT = 100 };

void report_append_start(const struct report *report, struct str *text)
{
	const struct profile_session *session = profile_session(report->analysis->profile);
	const time_t seconds = (time_t)(session->begin_unix_ns / 1000000000);
	struct tm broken;
	char date[64];

	if (session->begin_unix_ns && gmtime_r(&seconds, &broken) &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &broken))
		str_append(text, date);
	else
		str_append(text, "at an unknown time");
}

static void append_counts(const struct report *report, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;

	key_line_begin_fact(text);
	key_line_append_count(text, totals->processes, "process, ", "processes, ");
	key_line_append_count(text, totals->threads, "thread", "threads");
}

static void append_recording(const struct report *report, bool counts, struct str *text)
{
	const struct profile_session *session = profile_session(report->analysis->profile);

	report_append_start(report, text);
	str_append(text, ", for ");
	key_line_append_time(report,
			     session->end_ticks > session->begin_ticks
				     ? session->end_ticks - session->begin_ticks
				     : 0,
			     text);
	if (session->exit_status >= 0)
		str_printf(text, ", exit status %d", session->exit_status);
	if (counts)
		append_counts(report, text);
}

static void write_recording(const struct report *report, FILE *stream, struct str *text)
{
	const struct profile_session *session = profile_session(report->analysis->profile);

	str_append(text, key_line_text_or(session->command_line, "?"));
	key_line_write(report, stream, LINE_NAMED, "command", text);
	append_recording(report, true, text);
	if (name_width(text->data) > key_line_room(report)) {
		str_clear(text);
		append_recording(report, false, text);
	}
	key_line_write_facts(report, stream, LINE_PLAIN, "recorded", text);
}

void report_append_event(const struct report *report, struct str *text)
{
	const struct profile_event *event = report->analysis->event;
	const uint64_t weight = report->analysis->totals.samples.weight;

	str_append(text, key_line_text_or(event->name, "an unknown event"));
	if (event->period) {
		str_append(text, ", one in ");
		number_append(text, event->period);
	} else if (event->frequency) {
		str_printf(text, ", %llu Hz", (unsigned long long)event->frequency);
	}
	str_append(text, ", for ");
	if (event->unit && strcmp(event->unit, "ns") == 0)
		time_append_with_unit(text, weight, report->options->unicode);
	else
		key_line_append_count(text, weight, "event", "events");
}

/*
 * Share of the CPU time that the kernel had: of the samples, where they see it. Without samples, of
 * the disturbed intervals: in those with no more than a switch or an interrupt it was mostly the
 * program that ran.
 */
static double kernel_share(const struct analysis *analysis)
{
	const struct analysis_totals *totals = &analysis->totals;
	const uint64_t disturbed = totals->cpu - totals->application;
	const uint64_t ran = totals->os_ticks[TARE_OS_SWITCH] + totals->os_ticks[TARE_OS_INTERRUPT];

	if (totals->sampled)
		return (double)totals->sampled_kernel / (double)totals->sampled;
	return totals->cpu && disturbed > ran ? (double)(disturbed - ran) / (double)totals->cpu : 0;
}

/* Where that is much of it. */
static void append_kernel(const struct report *report, struct str *text)
{
	const double share = kernel_share(report->analysis);

	if (share * PERCENT >= KERNEL_SHOWN)
		str_printf(text, " (%.0f %% in the kernel)", PERCENT * share);
}

static void append_wait(const struct report *report, enum tare_os_cause cause, struct str *text)
{
	const uint64_t ticks = report->analysis->totals.os_ticks[cause];

	if (!ticks)
		return;
	str_append(text, ", ");
	key_line_append_time(report, ticks, text);
	str_printf(text, " %s", analysis_causes[cause].words);
}

/* What is said only where the line has room for it. */
enum { TIME_OF_KERNEL = 1, TIME_OF_THREADS = 2 };

static void append_times(const struct report *report, unsigned parts, struct str *text)
{
	key_line_append_time(report, report->analysis->totals.cpu, text);
	str_append(text, " CPU");
	if (parts & TIME_OF_KERNEL)
		append_kernel(report, text);
	append_wait(report, TARE_OS_BLOCKED, text);
	append_wait(report, TARE_OS_PREEMPTED, text);
	if (parts & TIME_OF_THREADS && report->analysis->totals.threads > 1)
		str_append(text, ", in all threads");
}

static void write_time(const struct report *report, FILE *stream, struct str *text)
{
	static const unsigned choices[] = {TIME_OF_KERNEL | TIME_OF_THREADS, TIME_OF_KERNEL, 0};
	size_t choice = 0;

	append_times(report, choices[choice], text);
	while (choices[choice] && name_width(text->data) > key_line_room(report)) {
		str_clear(text);
		append_times(report, choices[++choice], text);
	}
	key_line_write_facts(report, stream, LINE_PLAIN, "time", text);
}

/* What else was sampled, and how to see it: a view shows one event. */
static void append_other_events(const struct analysis *analysis, struct str *text)
{
	size_t count;
	const struct profile_event *events = profile_events(analysis->profile, &count);
	const char *separator = "; others: --event=";

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(events[i].name, analysis->event->name))
			continue;
		str_printf(text, "%s%s%s", separator, events[i].name,
			   strcmp(events[i].name, "off-cpu") ? "" : " (waits)");
		separator = ", ";
	}
}

static void write_samples(const struct report *report, FILE *stream, struct str *text)
{
	const struct analysis *analysis = report->analysis;

	key_line_append_count(text, analysis->totals.samples.kept, "sample", "samples");
	if (analysis->event) {
		str_append(text, " of ");
		report_append_event(report, text);
		append_other_events(analysis, text);
	} else {
		str_append(text, ": the target was never seen at work");
	}
	key_line_write(report, stream, LINE_PLAIN, "samples", text);
}

/* ---- warnings ---- */

/* The header's line of warnings: those that fit, then how many more there are. */
struct warnings {
	const struct report *report;
	struct str line, only; /* `only`: the first one whole */
	unsigned count, left_out;
};

/* What is wrong; behind that, a sentence says what it means and what to do. */
static size_t clause_length(const char *sentence)
{
	const char *colon = strstr(sentence, ": "), *semicolon = strstr(sentence, "; ");
	const char *end = colon && (!semicolon || colon < semicolon) ? colon : semicolon;

	return end ? (size_t)(end - sentence) : strlen(sentence);
}

/* Clears `text`. */
static void warnings_take(struct warnings *warnings, struct str *text)
{
	struct str next = {0};

	if (!text->len)
		return;
	if (!warnings->count++)
		str_append(&warnings->only, text->data);
	str_printf(&next, "%s%s%.*s", warnings->line.len ? warnings->line.data : "",
		   warnings->line.len ? "; " : "", (int)clause_length(text->data), text->data);
	if (warnings->line.len &&
	    name_width(next.data) + strlen("; 99 more: -v") > key_line_room(warnings->report)) {
		warnings->left_out++;
	} else {
		str_clear(&warnings->line);
		str_append(&warnings->line, next.data);
	}
	str_fini(&next);
	str_clear(text);
}

/* Each of what is listed by itself. Clears `text`. */
static void take_list(struct warnings *warnings, struct str *text)
{
	struct str item = {0};

	for (const char *at = text->len ? text->data : ""; *at;) {
		const char *comma = strstr(at, ", ");
		const size_t length = comma ? (size_t)(comma - at) : strlen(at);

		str_append_bytes(&item, at, length);
		warnings_take(warnings, &item);
		at += length + (comma ? 2 : 0);
	}
	str_fini(&item);
	str_clear(text);
}

static void write_warnings(struct warnings *warnings, FILE *stream)
{
	const bool whole = warnings->count == 1 &&
			   name_width(warnings->only.data) <= key_line_room(warnings->report);

	if (warnings->left_out)
		str_printf(&warnings->line, "; %u more: -v", warnings->left_out);
	if (warnings->count)
		key_line_write(warnings->report, stream, LINE_ALERT, "!",
			       whole ? &warnings->only : &warnings->line);
	str_fini(&warnings->line);
	str_fini(&warnings->only);
}

static void write_all_warnings(const struct report *report, FILE *stream, struct str *text)
{
	const struct profile_session *session = profile_session(report->analysis->profile);
	struct warnings warnings = {.report = report};

	if (!session->complete) {
		str_printf(
			text, "INCOMPLETE, %s",
			key_line_text_or(session->incomplete_reason, "the recording was cut off"));
		warnings_take(&warnings, text);
	}
	report_append_losses(report, text);
	take_list(&warnings, text);
	report_append_limits(report, text);
	warnings_take(&warnings, text);
	for (size_t i = 0; i < report_attention_count; i++)
		if (!report_attentions[i].is_quiet && report_attentions[i].applies(report, text))
			warnings_take(&warnings, text);
	write_warnings(&warnings, stream);
}

void report_write_text_header(const struct report *report, FILE *stream, bool whole)
{
	struct str text = {0};

	write_recording(report, stream, &text);
	if (whole) {
		report_write_text_facts(report, stream);
	} else {
		if (report->analysis->method == ANALYSIS_SAMPLE)
			write_samples(report, stream, &text);
		else
			write_time(report, stream, &text);
		write_all_warnings(report, stream, &text);
	}
	str_fini(&text);
}
