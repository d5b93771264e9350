/*
 * What to look at next: one line below the summary, with the command that shows it. What a thread
 * waits for counts before CPU time where it is more, as nobody gains by less work then. And which
 * package, or which way to start the program, gives names to hot functions that have none.
 */
#include "analysis/jit_names.h"
#include "analysis/names_missing.h"
#include "report/text/key_line.h"
#include "report/text/line.h"
#include "report/text/text.h"
#include "report/words/name.h"

#include <string.h>

/* From which share on something stands out: of the elapsed time, of CPU time or samples. */
#define WAIT_SHARE     0.1
#define FUNCTION_SHARE 0.1
#define PROCESS_SHARE  0.5
#define NAMELESS_SHARE 0.01
#define JIT_SHARE      0.05

/* As a shell takes it. */
static void append_word(struct str *out, const char *word)
{
	static const char bare[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				   "@%+:,./_-";

	if (*word && !word[strspn(word, bare)])
		str_append(out, word);
	else
		str_append_quoted(out, word);
}

/* What a command takes for the function: without parameters, "*" for what templates have; or its
   symbol.
 */
static void append_pattern(const struct analysis_function *function, struct str *out)
{
	struct str brief = {0}, pattern = {0};

	/* What is shortened by another name is not found by that. */
	const size_t own = strcspn(function->name, "(");
	const char *renamed = strstr(function->name, "cxx11");
	if (renamed && renamed < function->name + own)
		str_append(&brief, function->symbol);
	else
		name_append_brief(&brief, function->name);
	for (const char *at = brief.data ? brief.data : ""; *at;) {
		const bool dots = str_starts_with(at, "...");
		str_append_bytes(&pattern, dots ? "*" : at, 1);
		at += dots ? 3 : 1;
	}
	append_word(out, pattern.data ? pattern.data : "");
	str_fini(&brief);
	str_fini(&pattern);
}

static const struct report_row *first_row(const struct report *report, const char *table)
{
	for (size_t i = 0; i < report->table_count; i++)
		if (strcmp(report->tables[i].name, table) == 0 && report->tables[i].rows.len)
			return &report->tables[i].rows.data[0];
	return NULL;
}

static void append_command(const struct report *report, const char *command,
			   const struct analysis_function *function, struct str *text)
{
	str_printf(text, "tare %s ", command);
	append_pattern(function, text);
	str_append(text, " ");
	append_word(text, report->options->profile_path ? report->options->profile_path : "");
}

/* What the shown event says of CPU time; 0: it counts something else. */
static uint64_t cpu_ticks(const struct analysis *analysis)
{
	const struct profile_event *event = analysis->event;

	if (analysis->has_calls)
		return analysis->totals.cpu;
	if (analysis->by_weight || !event || !event->unit || strcmp(event->unit, "ns") != 0)
		return 0;
	return (uint64_t)((double)analysis->totals.samples.weight * analysis->ticks_per_second /
			  1e9);
}

static bool advise_wait(const struct report *report, struct str *text)
{
	const struct analysis *analysis = report->analysis;
	const struct report_row *row = first_row(report, "waits");

	if (!row || !row->function || row->os->ticks <= cpu_ticks(analysis) ||
	    (double)row->os->ticks < WAIT_SHARE * (double)report_os_whole(analysis))
		return false;
	append_command(report,
		       analysis->has_calls ? "report callers" : "report --event=off-cpu callers",
		       row->function, text);
	str_append(text, " (who waits there, and how long)");
	return true;
}

static bool advise_function(const struct report *report, struct str *text)
{
	const struct report_row *row = first_row(report, "functions");

	if (!row || !row->function ||
	    !(analysis_exclusive_share(report->analysis, row->values) >= 100 * FUNCTION_SHARE) ||
	    analysis_jit_is_nameless(report->analysis, row->function))
		return false;
	if (row->module->system) {
		append_command(report, "report callers", row->function, text);
		str_append(text, " (who calls it)");
	} else {
		append_command(report, "annotate", row->function, text);
		str_append(text, " (its source or instructions)");
	}
	return true;
}

/* Of several programs the one that takes most is a report of its own. */
static bool advise_process(const struct report *report, struct str *text)
{
	const struct report_row *row = first_row(report, "processes");

	if (!row || !row->process->row->name ||
	    !(analysis_share(report->analysis, row->values) >= 100 * PROCESS_SHARE))
		return false;
	str_append(text, "tare report --process=");
	append_word(text, row->process->row->name);
	str_append(text, " ");
	append_word(text, report->options->profile_path ? report->options->profile_path : "");
	str_append(text, " (that program alone)");
	return true;
}

static bool advise(const struct report *report, struct str *text)
{
	return report->view->id == VIEW_SUMMARY &&
	       (advise_wait(report, text) || advise_function(report, text) ||
		advise_process(report, text));
}

static bool name_package(const struct report *report, struct str *text)
{
	struct names_missing missing = {0};
	const bool found = analysis_names_missing(report->analysis, 100 * NAMELESS_SHARE, &missing);

	if (found)
		str_printf(text, "functions of %s have none: install %s and record again",
			   missing.module->name, missing.package.data);
	str_fini(&missing.package);
	return found;
}

/* Code made at run time that nobody has written names of down. */
static bool name_program(const struct report *report, struct str *text)
{
	struct jit_nameless nameless;

	if (!analysis_jit_nameless(report->analysis, 100 * JIT_SHARE, &nameless))
		return false;
	str_printf(text, "%.0f %% is code made at run time, without names: ", nameless.share);
	if (nameless.start)
		str_printf(text, "start it as %s, and record again", nameless.start);
	else
		str_append(text, "ask for a perf map (tare help lines)");
	return true;
}

void report_write_text_advice(const struct report *report, FILE *stream)
{
	struct str next = {0}, names = {0}, made = {0};

	if (report->options->columns)
		return;
	const bool has_next = advise(report, &next), has_names = name_package(report, &names),
		   has_made = name_program(report, &made);
	if (has_next || has_names || has_made)
		line_write(stream, report->options, "", "");
	if (has_next)
		key_line_write_facts(report, stream, LINE_PLAIN, "next", &next);
	if (has_made)
		key_line_write_facts(report, stream, LINE_PLAIN, "names", &made);
	if (has_names)
		key_line_write_facts(report, stream, LINE_PLAIN, "names", &names);
	str_fini(&next);
	str_fini(&names);
	str_fini(&made);
}
