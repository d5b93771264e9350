/*
 * What a reader must know before he trusts or acts on the numbers: each kind is a condition and a
 * sentence that says what is wrong, how far, and what to do. Text has them at the end of its
 * header, JSON as the header's field "attention".
 */
#include "report/table/table.h"

#include "analysis/executions.h"
#include "report/words/number.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

/* From which share on something is worth a sentence. */
#define ERROR_SHARE	0.25
#define REFUSED_SHARE	0.1
#define DEFERRED_SHARE	0.01
#define PREEMPTED_SHARE 0.25
#define TRUNCATED_SHARE 0.1
#define DRIFT_PPM	100
#define SAMPLED_SHARE	0.5
#define UNSAMPLED_S	0.1 /* from which on it is more than chance, where there are any */

enum { SAMPLES_FEW = 100, UNFOLLOWED_NAMED = 5, UNKNOWN_NAMED = 5 };

static void append_time(const struct report *report, uint64_t ticks, struct str *text)
{
	time_append_with_unit(text, analysis_ns(report->analysis, ticks), report->options->unicode);
}

/* The bound of the error is a large part of the time that the program itself has worked. */
static bool is_inaccurate(const struct report *report, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;
	const bool adaptive = analysis_is_adaptive(report->analysis->profile);

	if (!report->analysis->has_calls ||
	    (double)totals->error < ERROR_SHARE * (double)totals->cpu)
		return false;
	if (!totals->error)
		return false;
	str_printf(text, "times are known to %s ", report->options->unicode ? "\u00b1" : "+-");
	append_time(report, totals->error, text);
	str_append(text, " only, of ");
	append_time(report, totals->cpu, text);
	str_printf(text, " at work: record with %s--method=sample",
		   adaptive ? "" : "--adaptive or ");
	return true;
}

static void append_unsampled(const struct report *report, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;
	const bool none = !totals->sampled_ticks;

	str_append(text, none ? "no sample was taken in " : "samples stand for ");
	if (!none) {
		append_time(report, totals->sampled_ticks, text);
		str_append(text, " of ");
	}
	append_time(report, totals->cpu, text);
	str_append(text, none ? " of CPU: " : " CPU only: in the rest, ");
	str_append(text, "functions that are only counted have no time, and their callers have it; "
			 "record with --exact");
}

/* Where counted functions' time comes from samples, and for most of the time there are none. */
static bool was_not_sampled(const struct report *report, struct str *text)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_totals *totals = &analysis->totals;
	const double cpu = (double)totals->cpu, sampled = (double)totals->sampled_ticks;
	const double missing_s = (cpu - sampled) / analysis->ticks_per_second;

	if (!analysis->has_calls || !analysis_is_adaptive(analysis->profile) ||
	    !strstr(profile_session(analysis->profile)->method, "sample") ||
	    sampled >= SAMPLED_SHARE * cpu)
		return false;
	if (missing_s < UNSAMPLED_S && (totals->sampled_ticks || !totals->functions_disarmed))
		return false;
	append_unsampled(report, text);
	return true;
}

/* One of two measurements is wrong, and no reader can tell which. */
static bool contradicts_itself(const struct report *report, struct str *text)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_check *check = &analysis->totals.check;

	if (!analysis_check_fails(analysis))
		return false;
	str_append(text, "by their clocks the threads worked ");
	append_time(report, (uint64_t)check->clock_ticks, text);
	str_append(text, ", by samples ");
	append_time(report, (uint64_t)check->sample_ticks, text);
	str_append(text, ": times may be wrong by as much, shares by samples are not; compare with "
			 "--method=sample");
	return true;
}

static bool has_gaps(const struct report *report, struct str *text)
{
	const uint64_t *count = report->analysis->totals.coverage;
	const uint64_t refused = count[COVERAGE_REFUSED];
	const uint64_t selected = count[COVERAGE_INSTRUMENTED] + count[COVERAGE_PART] + refused;

	if (!report->analysis->has_calls || (double)refused <= REFUSED_SHARE * (double)selected)
		return false;
	str_printf(
		text,
		"%.0f %% of the functions are not instrumented: their time is in their callers'; "
		"tare report coverage -v says which and why",
		100.0 * (double)refused / (double)selected);
	return true;
}

/* Libraries that the next recording of the program will have instrumented, and their time. */
static bool has_deferred(const struct report *report, struct str *text)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_module *hottest = NULL;
	uint64_t cpu = 0;
	size_t count = 0;

	vec_foreach (coverage, &analysis->module_coverage) {
		const struct analysis_module *module = &analysis->modules.data[coverage->module];
		if (!coverage->is_deferred)
			continue;
		if (!hottest ||
		    module->values.amount[CPU_EXCLUSIVE] > hottest->values.amount[CPU_EXCLUSIVE])
			hottest = module;
		cpu += module->values.amount[CPU_EXCLUSIVE];
		count++;
	}
	if (!hottest || !analysis->has_calls || !analysis->totals.cpu ||
	    (double)cpu < DEFERRED_SHARE * (double)analysis->totals.cpu)
		return false;
	str_printf(text, "calls within %s", hottest->name);
	if (count > 1)
		str_printf(text, " and %zu more", count - 1);
	str_printf(text, " (%.0f %% of CPU) not counted yet: record again",
		   100 * (double)cpu / (double)analysis->totals.cpu);
	return true;
}

static bool lacks_os_events(const struct report *report, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;

	if (!report->analysis->has_calls || totals->os_means || !totals->elapsed)
		return false;
	str_append(
		text,
		"the operating system's time was not observed: CPU and Application equal Elapsed; "
		"tare doctor says why");
	return true;
}

/* Only where waiting is known exactly: by the thread's clocks, not by intervals with a switch. */
static bool was_preempted(const struct report *report, struct str *text)
{
	const struct analysis_totals *totals = &report->analysis->totals;
	const double preempted = (double)totals->os_ticks[TARE_OS_PREEMPTED];
	const double wanted = (double)totals->elapsed - (double)totals->os_ticks[TARE_OS_BLOCKED];

	if (!report->analysis->has_calls || preempted <= PREEMPTED_SHARE * wanted)
		return false;
	if (totals->cpu_unread || profile_version(report->analysis->profile) < PROFILE_WAITS_SINCE)
		return false;
	str_printf(
		text,
		"preempted for %.0f %% of the time in which it could run: %sother programs had the "
		"processors",
		100 * preempted / wanted,
		report->analysis->threads.len > 1 ? "its own threads or " : "");
	return true;
}

static bool clock_drifts(const struct report *report, struct str *text)
{
	const double drift = profile_session(report->analysis->profile)->clock_drift_ppm;

	if (!(fabs(drift) > DRIFT_PPM))
		return false;
	str_printf(text,
		   "the clock's rate changed by %.0f ppm during the recording: all times are "
		   "as uncertain",
		   drift);
	return true;
}

static bool has_few_samples(const struct report *report, struct str *text)
{
	const uint64_t kept = report->analysis->totals.samples.kept;

	if (report->analysis->method != ANALYSIS_SAMPLE || !kept || kept >= SAMPLES_FEW)
		return false;
	str_printf(
		text,
		"%llu samples are few: shares are uncertain by up to %.0f %%; record for longer, "
		"or with a higher --frequency",
		(unsigned long long)kept, 98 / sqrt((double)kept));
	return true;
}

static bool has_cut_stacks(const struct report *report, struct str *text)
{
	const struct analysis_sample_totals *totals = &report->analysis->totals.samples;

	if (!totals->truncated_known || !totals->kept ||
	    (double)totals->truncated <= TRUNCATED_SHARE * (double)totals->kept)
		return false;
	str_printf(text,
		   "%.0f %% of the stacks do not reach their thread's root: inclusive shares are "
		   "too small",
		   100.0 * (double)totals->truncated / (double)totals->kept);
	return true;
}

/* What was executed outside of the recording, the most frequent first. */
static bool has_not_followed(const struct report *report, struct str *text)
{
	const struct analysis *analysis = report->analysis;
	const uint64_t all = analysis->totals.images_unfollowed;
	uint64_t named = 0;

	if (!all)
		return false;
	str_printf(text,
		   all == 1 ? "%llu program was not followed" : "%llu programs were not followed",
		   (unsigned long long)all);
	for (size_t i = 0; i < analysis->unfollowed.len && i < UNFOLLOWED_NAMED; i++) {
		const struct analysis_unfollowed *program = &analysis->unfollowed.data[i];

		str_append(text, i ? ", " : ": ");
		if (program->count > 1)
			str_printf(text, "%llu x ", (unsigned long long)program->count);
		str_printf(text, "%s (%s)", *program->path ? path_basename(program->path) : "?",
			   analysis_unfollowed_clause(program->reason));
		named += program->count;
	}
	if (named && named < all)
		str_printf(text, ", and %llu more", (unsigned long long)(all - named));
	return true;
}

/* What the file cannot have, as it is of an older tare, though others have it. */
static bool is_older(const struct report *report, struct str *text)
{
	const struct profile *profile = report->analysis->profile;
	const char *const lacking[] = {
		"limits that were met, inclusive times of folded paths, perhaps percentiles",
		NULL, /* samples: their views say so */
		"CPU use over time, what descriptors named",
		"CPU time of intervals with a switch, all of which counts as waiting",
		analysis_has_collector(profile, "timer")
			? "how many samples were taken at once, so intervals are too narrow"
			: NULL,
		report->analysis->totals.estimated
			? "what counters and dormant probes took, which is in times by samples"
			: NULL,
		NULL, /* when threads waited, and who had the locks: their views say so */
		NULL, /* ranks: their views say so */
		report->analysis->totals.estimated
			? "time before each thread's first probe, which shares that of the clock"
			: NULL,
		report->analysis->wakers.len ? "when waits were that others ended" : NULL,
		NULL, /* what was learned: another table has it */
		report->analysis->totals.estimated
			? "what interrupts of samples took, which is in times by samples"
			: NULL,
		NULL, /* that switches took longer: on few machines, and much in few programs */
	};
	table_covers(lacking, PROFILE_SCHEMA_VERSION - 1);
	const char *tare = profile_session(profile)->tare_version;
	bool any = false;

	for (uint32_t version = profile_version(profile); version < PROFILE_SCHEMA_VERSION;
	     version++)
		if (lacking[version - 1]) {
			if (!any)
				str_printf(text,
					   "recorded by an older tare (%s, version %u of the "
					   "file): without ",
					   tare && tare[0] ? tare : "?", profile_version(profile));
			str_printf(text, "%s%s", any ? ", " : "", lacking[version - 1]);
			any = true;
		}
	return any;
}

static bool is_loaded(const struct analysis *analysis, const char *glob)
{
	vec_foreach (module, &analysis->modules)
		if (fnmatch(glob, module->name, 0) == 0 || fnmatch(glob, module->path, 0) == 0)
			return true;
	return false;
}

/* Patterns of the recording that no file had: where all are so, nothing was recorded. */
static bool lacks_modules(const struct report *report, struct str *text)
{
	static const char option[] = " --module=";
	const char *at = profile_session(report->analysis->profile)->settings;
	struct str glob = {0};

	while (at && (at = strstr(at, option))) {
		const char *begin = at + strlen(option), *end = strstr(begin, " --");

		str_clear(&glob);
		str_append_bytes(&glob, begin, end ? (size_t)(end - begin) : strlen(begin));
		if (!is_loaded(report->analysis, glob.data))
			str_printf(text, "%s--module=%s", text->len ? ", " : "", glob.data);
		at = end;
	}
	str_fini(&glob);
	if (text->len)
		str_append(text, " matched no file that was loaded: tare report modules lists "
				 "those that were");
	return text->len > 0;
}

/* Of these functions lines and instructions have none, though they ran. */
static bool lacks_executions(const struct report *report, struct str *text)
{
	const struct analysis *analysis = report->analysis;
	const size_t all = analysis->executions ? analysis->executions->unknown.len : 0;

	if (!all)
		return false;
	str_printf(text, "executions not known of %zu function%s: ", all, all == 1 ? "" : "s");
	for (size_t i = 0; i < all && i < UNKNOWN_NAMED; i++)
		str_printf(text, "%s%s", i ? ", " : "",
			   analysis->functions.data[analysis->executions->unknown.data[i]].name);
	if (all > UNKNOWN_NAMED)
		str_printf(text, ", and %zu more", all - UNKNOWN_NAMED);
	return true;
}

const struct report_limit report_limits[] = {
	{TARE_LIMIT_NODES, "max-nodes"}, {TARE_LIMIT_MEMORY, "max-memory"},
	{TARE_LIMIT_DISK, "max-disk"},	 {TARE_LIMIT_THREADS, "max-threads"},
	{TARE_LIMIT_PATHS, "max-paths"}, {TARE_LIMIT_SYSTEM, "system"},
};
table_covers(report_limits, TARE_LIMITS);

const struct report_attention report_attentions[] = {
	{"unsampled", was_not_sampled, false, DIFFER_CALLS},
	{"agreement", contradicts_itself, false, DIFFER_CALLS},
	{"accuracy", is_inaccurate, false, DIFFER_CALLS},
	{"preempted", was_preempted, false, DIFFER_CALLS},
	{"coverage", has_gaps, false, 0},
	{"deferred", has_deferred, false, 0},
	{"os", lacks_os_events, false, DIFFER_CALLS},
	{"clock", clock_drifts, false, DIFFER_CALLS | DIFFER_SAMPLES},
	{"samples", has_few_samples, false, DIFFER_SAMPLES},
	{"stacks", has_cut_stacks, false, 0},
	{"followed", has_not_followed, false, 0},
	{"version", is_older, true, 0},
	{"modules", lacks_modules, false, 0},
	{"executed", lacks_executions, false, 0},
};

const size_t report_attention_count = sizeof(report_attentions) / sizeof(report_attentions[0]);
