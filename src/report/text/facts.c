/*
 * How a profile was recorded, and how far it can be trusted: all that the header does not say. The
 * end of the summary and of the coverage, and any header with -v.
 */
#include "report/text/key_line.h"
#include "report/text/text.h"
#include "report/words/number.h"

#include <math.h>
#include <string.h>

#define SHARE_SHOWN 0.05 /* per cent: what is not shown as 0.0 */

/* Where: the machine, its clock, and who recorded. */
static void append_host(const struct report *report, struct str *text)
{
	const struct profile_session *session = profile_session(report->analysis->profile);

	key_line_begin_fact(text);
	str_printf(text, "host %s, %s, %s; clock ", key_line_text_or(session->host, "?"),
		   key_line_text_or(session->system, "?"),
		   key_line_text_or(session->processor, "unknown processor"));
	if (session->exit_status < 0 && session->ticks_per_second == 1e9) /* imported */
		str_append(text, "that of the recording, in nanoseconds");
	else
		str_printf(text, "%.6f GHz, calibrations differ by %.1f ppm",
			   session->ticks_per_second / 1e9, session->clock_drift_ppm);
	str_printf(text, "; tare %s", key_line_text_or(session->tare_version, "?"));
}

static bool is_wait(int cause)
{
	return cause == TARE_OS_BLOCKED || cause == TARE_OS_PREEMPTED;
}

/*
 * Shares of the elapsed time, the largest first: `rest` of it, which is that of the causes that are
 * waits, or of those that are not.
 */
static void append_shares(const struct report *report, bool waits, uint64_t rest, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;
	const double whole = (double)totals->elapsed;
	uint64_t left[TARE_OS_CAUSES];

	for (int cause = 0; cause < TARE_OS_CAUSES; cause++)
		left[cause] = is_wait(cause) == waits ? totals->os_ticks[cause] : 0;
	while (100.0 * (double)rest / whole >= SHARE_SHOWN) {
		int most = 0;
		for (int cause = 1; cause < TARE_OS_CAUSES; cause++)
			if (left[cause] > left[most])
				most = cause;
		const double percent = 100.0 * (double)left[most] / whole;
		if (percent < 1 && !waits) {
			str_printf(text, ", %.1f %% other", 100.0 * (double)rest / whole);
			return;
		}
		str_printf(text, ", %.1f %% %s", percent, analysis_causes[most].words);
		rest -= left[most] < rest ? left[most] : rest;
		left[most] = 0;
	}
}

static void append_part(const struct report *report, uint64_t ticks, const char *what,
			struct str *text)
{
	const uint64_t elapsed = report->analysis->totals.elapsed;

	key_line_append_time(report, ticks, text);
	str_append(text, what);
	if (elapsed)
		str_printf(text, " (%.1f %%)", 100.0 * (double)ticks / (double)elapsed);
}

static void write_times(const struct report *report, FILE *stream, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;

	key_line_append_time(report, totals->elapsed, text);
	str_append(text, totals->threads > 1 ? " elapsed in all threads: " : " elapsed: ");
	append_part(report, totals->cpu, " CPU", text);
	if (totals->elapsed)
		append_shares(report, true, totals->elapsed - totals->cpu, text);
	str_append(text, "; ");
	append_part(report, totals->application, " application", text);
	if (totals->elapsed)
		append_shares(report, false, totals->cpu - totals->application, text);
	key_line_write_facts(report, stream, LINE_PLAIN, "time", text);
}

/* The means by which the operating system's time was observed. */
static void append_os_means(const struct report *report, struct str *text)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} known[] = {{TARE_OS_BY_SELECTOR, "interrupts and faults"},
		     {TARE_OS_BY_RSEQ, "switches"},
		     {TARE_OS_BY_SITES, "system calls"}};
	const uint32_t means = report->analysis->totals.os_means;
	bool any = false;

	key_line_begin_fact(text);
	str_append(text, "OS events ");
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!(means & known[i].bit))
			continue;
		str_printf(text, "%s%s", any ? ", " : "", known[i].name);
		any = true;
	}
	if (!any)
		str_append(text, "not observed");
}

static void append_coverage(const struct report *report, struct str *text)
{
	const uint64_t *count = report->analysis->totals.coverage;
	const uint64_t done = count[COVERAGE_INSTRUMENTED] + count[COVERAGE_PART];
	const uint64_t selected = done + count[COVERAGE_REFUSED];
	const uint64_t skipped = report->analysis->totals.small_skipped;

	key_line_begin_fact(text);
	str_append(text, "coverage ");
	if (selected) {
		number_append(text, done);
		str_append(text, " of ");
		key_line_append_count(text, selected, "function", "functions");
		str_printf(text, " (%.2f %%", 100.0 * (double)done / (double)selected);
		key_line_append_loss(text, count[COVERAGE_PART], "in part");
		str_append(text, ")");
	} else {
		str_append(text, "unknown");
	}
	if (report->analysis->refusals[0])
		str_printf(text, ", refused %s", report->analysis->refusals);
	key_line_append_loss(text, count[COVERAGE_SMALL] - skipped, "small counted");
	key_line_append_loss(text, skipped, "small skipped");
}

/* Of how many recordings the profile is, and what of them it does not have. */
static void write_merged(const struct report *report, FILE *stream, struct str *text)
{
	const struct profile_merged merged =
		profile_merged(profile_session(report->analysis->profile));
	struct str losses = {0};

	if (!merged.recordings)
		return;
	key_line_append_count(text, merged.recordings, "recording", "recordings");
	str_append(text, merged.processes_kept
				 ? "; processes are apart, and times count from the first begin"
				 : "; processes of one program are one, and times count from the "
				   "begin of each recording");
	key_line_append_loss(&losses, merged.event_logs, "threads' event logs");
	key_line_append_loss(&losses, merged.sample_times, "samples' times");
	key_line_append_loss(&losses, merged.addresses, "addresses and process ids of OS records");
	key_line_append_loss(&losses, merged.waits, "waits' times and holders of locks");
	if (losses.len)
		str_printf(text, "; left out: %s", losses.data);
	key_line_write_facts(report, stream, LINE_PLAIN, "merged", text);
	str_fini(&losses);
}

/* The settings name the method, too. */
static void append_method(const struct profile_session *session, struct str *text)
{
	const char *method = key_line_text_or(session->method, "?"),
		   *settings = profile_merged(session).settings;

	str_append(text, method);
	if (!settings[0])
		return;
	if (str_starts_with(settings, "--method="))
		settings += strcspn(settings, " ");
	settings += settings[0] == ' ';
	str_printf(text, "%s%s", settings[0] ? " " : "", settings);
}

/* What the probes cost, and how far what was subtracted can be trusted:
 * docs/explanation/accuracy.md. */
static void append_accuracy(const struct report *report, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;
	const uint64_t *cost = totals->cost_ticks;

	key_line_begin_fact(text);
	str_printf(text, "accuracy %s ", report->options->unicode ? "\u00b1" : "+-");
	key_line_append_time(report, totals->error, text);
	str_append(text, "; probe cost ");
	key_line_append_time(report, totals->overhead, text);
	str_append(text, " subtracted");
	if (totals->residual) {
		str_append(text, ", of it ");
		key_line_append_time(report, totals->residual, text);
		str_printf(text, " estimated (at most %.0f %%)", 100 * totals->residual_share);
	}
	if (totals->switches_ticks) {
		str_append(text, "; ");
		key_line_append_time(report, totals->switches_ticks, text);
		str_append(text, " taken off for switches of threads, which take longer here");
	}
	str_printf(text, "; ticks per enter %llu, leave %llu, call %llu, return %llu, ",
		   (unsigned long long)cost[TARE_EVENT_ENTER],
		   (unsigned long long)cost[TARE_EVENT_LEAVE],
		   (unsigned long long)cost[TARE_EVENT_CALL],
		   (unsigned long long)cost[TARE_EVENT_RETURN]);
	if (totals->processes_checked)
		str_printf(text, "%+.0f %% at the end", 100 * totals->cost_drift);
	else
		str_append(text, "not checked at the end");
}

/* ---- samples ---- */

static bool was_sampled(const struct report *report)
{
	return report->analysis->event || report->analysis->method == ANALYSIS_SAMPLE;
}

static void append_share(struct str *text, uint64_t part, uint64_t whole)
{
	if (part && whole)
		str_printf(text, " (%.2f %%)", 100.0 * (double)part / (double)whole);
}

/* How complete the stacks are. */
static void append_stacks(const struct report *report, struct str *text)
{
	const struct analysis_sample_totals *totals = &report->analysis->totals.samples;

	if (!totals->truncated_known) {
		str_append(text, "stacks cut off: not known for a part of the time");
	} else {
		number_append(text, totals->truncated);
		str_append(text, " stacks cut off");
		append_share(text, totals->truncated, totals->kept);
	}
	if (totals->unread) {
		str_append(text, ", ");
		number_append(text, totals->unread);
		str_append(text, " unreadable");
	}
}

static void append_collector(const struct profile_sampling *row, struct str *text)
{
	const char *unwinding = key_line_text_or(row->unwinding, "none");

	key_line_begin_fact(text);
	str_printf(text, "collector %s", key_line_text_or(row->collector, "?"));
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
	if (row->interrupt_ns)
		str_printf(text, ", %.1f µs taken off for each sample's interrupt",
			   (double)row->interrupt_ns / 1e3);
	if (row->reason && row->reason[0])
		str_printf(text, " (%s)", row->reason);
}

static void append_samples(const struct report *report, struct str *text)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_sample_totals *totals = &analysis->totals.samples;

	key_line_begin_fact(text);
	number_append(text, totals->kept);
	str_append(text, totals->kept == 1 ? " sample of " : " samples of ");
	if (analysis->event)
		report_append_event(report, text);
	else
		str_append(text, "nothing: the target was never seen at work");
	str_append(text, "; ");
	append_stacks(report, text);
	str_append(text, "; ");
	number_append(text, totals->discarded);
	str_append(text, " taken outside of the target");
	key_line_append_loss(text, totals->in_runtime, "in tare's own code");
}

/* The losses that stand in a line. */
static void append_line(const struct report *report, enum tare_loss_line line, struct str *text)
{
	for (size_t i = 0; i < analysis_loss_count; i++)
		if (analysis_losses[i].line == line)
			key_line_append_loss(text,
					     analysis_loss_number(&report->analysis->totals,
								  &analysis_losses[i]),
					     analysis_losses[i].words);
}

#define SAMPLING_LOSS(name, place, key, words)                                                     \
	[place] = {offsetof(struct analysis_sample_totals, name), words}

static const struct {
	size_t offset; /* in struct analysis_sample_totals */
	const char *words;
} sampling_losses[] = {PROFILE_SAMPLING_LOSSES(SAMPLING_LOSS)};
table_covers(sampling_losses, TABLE_COUNT(((struct profile_sampling *)0)->losses));

void report_append_losses(const struct report *report, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;

	for (size_t i = 0; i < TABLE_COUNT(sampling_losses); i++)
		if (sampling_losses[i].words)
			key_line_append_loss(
				text,
				*(const uint64_t *)(const void *)((const char *)&totals->samples +
								  sampling_losses[i].offset),
				sampling_losses[i].words);
	append_line(report, TARE_LOSS_LOST, text);
	if (totals->inconsistent_ticks) {
		if (text->len)
			str_append(text, ", ");
		key_line_append_time(report, totals->inconsistent_ticks, text);
		str_append(text, " contradictory");
	}
}

/* What was lost; that nothing was stands among the quiet facts. */
static void write_losses(const struct report *report, FILE *stream, struct str *text)
{
	const struct profile_session *session = profile_session(report->analysis->profile);

	report_append_losses(report, text);
	if (text->len)
		key_line_write_facts(report, stream, LINE_ALERT, "! losses", text);
	if (session->complete)
		return;
	str_printf(text, "%s",
		   key_line_text_or(session->incomplete_reason, "the recording was cut off"));
	key_line_write_facts(report, stream, LINE_ALERT, "INCOMPLETE", text);
}

static bool any_limit_of_ours(uint32_t met)
{
	return met & ~(uint32_t)TARE_LIMIT_SYSTEM;
}

void report_append_limits(const struct report *report, struct str *text)
{
	const uint32_t met = report->analysis->totals.limits;

	for (size_t i = 0; i < TARE_LIMITS; i++)
		if (met & report_limits[i].bit & ~(uint32_t)TARE_LIMIT_SYSTEM)
			str_printf(text, "%s--%s", text->len ? ", " : "", report_limits[i].name);
	if (any_limit_of_ours(met))
		str_append(text, " met: larger values keep more");
}

/* Why call paths have folded, threads share rows, or something found no room. */
static void write_limits(const struct report *report, FILE *stream, struct str *text)
{
	report_append_limits(report, text);
	if (text->len)
		key_line_write_facts(report, stream, LINE_ALERT, "! limits", text);
	if (report->analysis->totals.limits & TARE_LIMIT_SYSTEM) {
		str_append(text, "the system's: address space, file size or storage");
		key_line_write_facts(report, stream, LINE_ALERT, "! limits", text);
	}
}

static void write_disarmed(const struct report *report, FILE *stream, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;

	if (!totals->functions_disarmed && !totals->functions_learned)
		return;
	key_line_append_count(text, totals->functions_disarmed, "function", "functions");
	str_append(text, totals->basis ? ": calls counted, CPU time by samples"
				       : ": calls counted, their time is their callers'");
	if (totals->functions_learned) {
		str_append(text, "; from the start ");
		key_line_append_count(text, totals->functions_learned, "function", "functions");
		str_append(text, " that an earlier recording has learned");
	}
	key_line_write_facts(report, stream, LINE_PLAIN, totals->basis ? "counted" : "disarmed",
			     text);
}

/* Only where collection was ever off, or calls were too deep to be kept apart. */
static void write_control(const struct report *report, FILE *stream, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;
	struct str calls = {0};

	append_line(report, TARE_LOSS_WHILE_OFF, &calls);
	if (totals->off_ticks || calls.len) {
		key_line_append_time(report, totals->off_ticks, text);
		str_append(text, " of the threads, not counted");
		str_printf(text, "%s%s", calls.len ? ", " : "", calls.len ? calls.data : "");
		key_line_write_facts(report, stream, LINE_PLAIN, "while off", text);
	}
	str_fini(&calls);
	append_line(report, TARE_LOSS_TOO_DEEP, text);
	if (text->len)
		key_line_write_facts(report, stream, LINE_PLAIN, "too deep", text);
}

/* Where the tree is another than was recorded. */
static void write_shape(const struct report *report, FILE *stream, struct str *text)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_totals *totals = &analysis->totals;

	if (analysis->my_code) {
		key_line_append_count(text, totals->frames_hidden, "call path of ",
				      "call paths of ");
		key_line_append_count(text, totals->modules_hidden, "system module",
				      "system modules");
		str_append(text, totals->frames_hidden == 1 ? " is" : " are");
		str_append(text, " part of the callers shown (--my-code)");
		key_line_write_facts(report, stream, LINE_PLAIN, "hidden", text);
	}
	if (analysis->root) {
		key_line_append_count(text, totals->root_paths, "call path", "call paths");
		str_printf(text, " of %s, as one tree", analysis->root);
		key_line_write_facts(report, stream, LINE_PLAIN, "root", text);
	}
	if (analysis->recursion_is_folded) {
		key_line_append_count(text, totals->recursion_folded, "call path is",
				      "call paths are");
		str_append(text, " part of that of the same function above (--fold-recursion)");
		key_line_write_facts(report, stream, LINE_PLAIN, "recursion", text);
	}
}

/* What a reader must know before he trusts the numbers. */
static void write_attention(const struct report *report, FILE *stream, struct str *text,
			    bool only_differing)
{
	const unsigned shown =
		report->analysis->method == ANALYSIS_SAMPLE ? DIFFER_SAMPLES : DIFFER_CALLS;

	for (size_t i = 0; i < report_attention_count; i++) {
		if ((only_differing && !(report_attentions[i].differs & shown)) ||
		    !report_attentions[i].applies(report, text))
			continue;
		char key[KEY_LINE_WIDTH + 1];
		snprintf(key, sizeof(key), "! %s", report_attentions[i].kind);
		key_line_write_facts(report, stream, LINE_ALERT, key, text);
	}
}

/* How it was recorded, and all that is as it should be. */
static void write_method(const struct report *report, FILE *stream, struct str *text)
{
	const struct profile_session *session = profile_session(report->analysis->profile);
	struct str losses = {0};
	size_t count;
	const struct profile_sampling *rows = profile_samplings(report->analysis->profile, &count);

	append_method(session, text);
	if (was_sampled(report) && report->analysis->method != ANALYSIS_SAMPLE)
		append_samples(report, text);
	for (size_t i = 0; i < count && was_sampled(report); i++)
		append_collector(&rows[i], text);
	if (report->analysis->has_calls) {
		append_coverage(report, text);
		append_os_means(report, text);
		append_accuracy(report, text);
	}
	key_line_begin_fact(text);
	key_line_append_count(text, report->analysis->totals.nodes, "call path", "call paths");
	append_host(report, text);
	report_append_losses(report, &losses);
	if (!losses.len)
		str_append(text, "; losses none");
	if (session->complete)
		str_append(text, "; not cut off");
	key_line_write_facts(report, stream, LINE_QUIET, "method", text);
	str_fini(&losses);
}

/* Samples of their own; beside calls they are a part of the method. */
static void write_samples(const struct report *report, FILE *stream, struct str *text)
{
	if (report->analysis->method != ANALYSIS_SAMPLE)
		return;
	append_samples(report, text);
	key_line_write_facts(report, stream, LINE_PLAIN, "samples", text);
}

void report_write_text_facts(const struct report *report, FILE *stream)
{
	struct str text = {0};

	write_merged(report, stream, &text);
	if (report->analysis->has_calls)
		write_times(report, stream, &text);
	write_samples(report, stream, &text);
	report_write_cpu_line(report, stream);
	write_shape(report, stream, &text);
	write_method(report, stream, &text);
	if (report->analysis->has_calls) {
		write_disarmed(report, stream, &text);
		write_control(report, stream, &text);
	}
	write_losses(report, stream, &text);
	write_limits(report, stream, &text);
	write_attention(report, stream, &text, false);
	str_fini(&text);
}

void report_write_text_totals(const struct report *report, FILE *stream)
{
	const struct profile_session *session = profile_session(report->analysis->profile);
	struct str text = {0};

	report_append_start(report, &text);
	str_printf(&text, " on %s", key_line_text_or(session->host, "?"));
	if (session->exit_status >= 0)
		str_printf(&text, ", exit status %d", session->exit_status);
	report_write_text_line(report, stream, "", &text);
	if (report->analysis->has_calls)
		write_times(report, stream, &text);
	write_samples(report, stream, &text);
	report_append_losses(report, &text);
	if (!text.len) {
		str_append(&text, "none");
		key_line_write_facts(report, stream, LINE_QUIET, "losses", &text);
	}
	str_clear(&text);
	write_losses(report, stream, &text);
	write_attention(report, stream, &text, true);
	str_fini(&text);
}
