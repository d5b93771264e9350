/*
 * Fills the page: the header and tables of the report's views, as they are in JSON, and the call
 * tree. The page's own values follow from the tree, so that it can leave out threads; with all of
 * them they are those of the tables.
 */
#include "report/html/html.h"

#include "analysis/cpu_use.h"
#include "analysis/sample_timeline.h"
#include "report/data/json.h"
#include "report/html/html_calls.h"
#include "report/html/html_pack.h"
#include "report/html/html_states.h"
#include "report/html/html_table.h"
#include "report/html/html_tree.h"
#include "report/html/html_waits.h"
#include "report/html/html_wakers.h"
#include "report/text/text.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

/* A profile on its way into the page. */
struct html_profile {
	const struct analysis *analysis; /* NULL: none */
	const char *path;		 /* as the user gave it */
	const struct export_options *options;
};

extern const char html_template_begin[], html_template_end[];

static const char placeholder[] = "<!--tare-data-->";

/* ---- header ---- */

/* The header of JSON reports. */
static bool pack_facts(struct html_pack *pack, const struct report *report, struct error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return error_set_errno(err, errno, "cannot make the page's header");
	report_write_json_fields(report, stream);
	fclose(stream);
	html_pack_key(pack, "facts");
	str_printf(&pack->json, "{%s}", text ? text : "");
	free(text);
	return true;
}

/* The lines of the text report's header: nothing that it warns of is missing in the page. */
static bool pack_header(struct html_pack *pack, const struct report *report, struct error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	bool any = false;

	if (!stream)
		return error_set_errno(err, errno, "cannot make the page's header");
	report_write_text_header(report, stream, true);
	fclose(stream);
	html_pack_key(pack, "header");
	str_append(&pack->json, "[");
	for (char *line = text, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		char *value = strlen(line) > 12 ? line + 12 : "";
		size_t length = strnlen(line, 11);
		while (length && line[length - 1] == ' ')
			length--;
		line[length] = '\0';
		str_append(&pack->json, any ? ",[" : "[");
		html_json_text(&pack->json, line);
		str_append(&pack->json, ",");
		html_json_text(&pack->json, value);
		str_append(&pack->json, "]");
		any = true;
	}
	str_append(&pack->json, "]");
	free(text);
	return pack_facts(pack, report, err);
}

static void pack_real(struct html_pack *pack, const char *key, double real)
{
	html_pack_key(pack, key);
	str_printf(&pack->json, "%.17g", isfinite(real) ? real : 0);
}

static void pack_session(struct html_pack *pack, const struct analysis *analysis)
{
	const struct profile_session *session = profile_session(analysis->profile);

	html_pack_key_text(pack, "command_line", session->command_line);
	html_pack_key_text(pack, "host", session->host);
	html_pack_key_text(pack, "method", session->method);
	html_pack_key_text(pack, "tare_version", session->tare_version);
	html_pack_key_text(pack, "refusals", analysis->refusals);
	pack_real(pack, "begin_unix_ms", (double)session->begin_unix_ns / 1e6);
	pack_real(pack, "ticks_per_second", analysis->ticks_per_second);
	html_pack_key_number(pack, "duration_ticks",
			     session->end_ticks > session->begin_ticks
				     ? session->end_ticks - session->begin_ticks
				     : 0);
	html_pack_key_number(pack, "complete", session->complete);
}

/* ---- lists of what nodes refer to ---- */

static void pack_functions(struct html_pack *pack, const struct analysis *analysis)
{
	html_pack_begin(pack);
	vec_foreach (function, &analysis->functions) {
		html_pack_number(pack, html_pack_text(pack, function->name));
	}
	html_pack_end(pack, "function.name");
	html_pack_begin(pack);
	vec_foreach (function, &analysis->functions) {
		html_pack_number(pack, function->module);
	}
	html_pack_end(pack, "function.module");
	html_pack_begin(pack);
	vec_foreach (function, &analysis->functions) {
		html_pack_number(pack, function->has_twin ? function->link_addr : 0);
	}
	html_pack_end(pack, "function.twin");
}

/* What a function of another profile is compared by. */
static void pack_places(struct html_pack *pack, const struct analysis *analysis)
{
	html_pack_begin(pack);
	vec_foreach (function, &analysis->functions) {
		const char *build = analysis_function_build(analysis, function);
		html_pack_number(pack, html_pack_text(pack, build));
	}
	html_pack_end(pack, "function.build");
	html_pack_begin(pack);
	vec_foreach (function, &analysis->functions) {
		html_pack_number(pack, function->link_addr);
	}
	html_pack_end(pack, "function.address");
}

static void pack_modules(struct html_pack *pack, const struct analysis *analysis)
{
	html_pack_begin(pack);
	vec_foreach (module, &analysis->modules) {
		html_pack_number(pack, html_pack_text(pack, module->name));
	}
	html_pack_end(pack, "module.name");
	html_pack_begin(pack);
	vec_foreach (module, &analysis->modules) {
		html_pack_number(pack, html_pack_text(pack, module->path));
	}
	html_pack_end(pack, "module.path");
	html_pack_begin(pack);
	vec_foreach (module, &analysis->modules) {
		html_pack_number(pack, module->system);
	}
	html_pack_end(pack, "module.system");
}

static void pack_processes(struct html_pack *pack, const struct analysis *analysis)
{
	html_pack_begin(pack);
	vec_foreach (process, &analysis->processes) {
		html_pack_number(pack, html_pack_text(pack, process->row->name));
	}
	html_pack_end(pack, "process.name");
	html_pack_begin(pack);
	vec_foreach (process, &analysis->processes) {
		html_pack_number(pack, (uint64_t)process->row->pid);
	}
	html_pack_end(pack, "process.pid");
}

static uint64_t since_begin(const struct analysis *analysis, uint64_t ticks)
{
	const uint64_t begin = profile_session(analysis->profile)->begin_ticks;

	return ticks > begin ? ticks - begin : 0;
}

static void pack_threads(struct html_pack *pack, const struct analysis *analysis)
{
	html_pack_begin(pack);
	vec_foreach (thread, &analysis->threads) {
		html_pack_number(pack, html_pack_text(pack, thread->row->name));
	}
	html_pack_end(pack, "thread.name");
	html_pack_begin(pack);
	vec_foreach (thread, &analysis->threads) {
		html_pack_number(pack, (uint64_t)thread->row->tid);
	}
	html_pack_end(pack, "thread.tid");
	html_pack_begin(pack);
	vec_foreach (thread, &analysis->threads) {
		html_pack_number(pack, thread->process);
	}
	html_pack_end(pack, "thread.process");
	html_pack_begin(pack);
	vec_foreach (thread, &analysis->threads) {
		html_pack_number(pack, thread->selected);
	}
	html_pack_end(pack, "thread.selected");
	html_pack_begin(pack);
	vec_foreach (thread, &analysis->threads) {
		html_pack_number(pack, since_begin(analysis, thread->row->begin_ticks));
	}
	html_pack_end(pack, "thread.begin");
	html_pack_begin(pack);
	vec_foreach (thread, &analysis->threads) {
		html_pack_number(pack, since_begin(analysis, thread->row->end_ticks));
	}
	html_pack_end(pack, "thread.end");
}

/* ---- samples over time ---- */

enum { BINS = 240, TIMES_MAX = 2000000 };

static void pack_times_columns(struct html_pack *pack, const struct analysis_times *times)
{
	html_pack_begin(pack);
	vec_foreach (time, times) {
		html_pack_number(pack, time->bin);
	}
	html_pack_end(pack, "times.bin");
	html_pack_begin(pack);
	vec_foreach (time, times) {
		html_pack_number(pack, time->node);
	}
	html_pack_end(pack, "times.path");
	html_pack_begin(pack);
	vec_foreach (time, times) {
		html_pack_number(pack, time->samples);
	}
	html_pack_end(pack, "times.samples");
	html_pack_begin(pack);
	vec_foreach (time, times) {
		html_pack_number(pack, time->weight);
	}
	html_pack_end(pack, "times.weight");
}

/* By call path: so the page can show a part of the time. */
static bool pack_times(struct html_pack *pack, const struct analysis *analysis, struct error *err)
{
	struct analysis_times times = {0};
	const bool ok = analysis_times(analysis, BINS, TIMES_MAX, &times, err);

	if (ok)
		pack_times_columns(pack, &times);
	vec_fini(&times);
	return ok;
}

/* In ns, of readings: of samples, the page shows it by their weights. */
static bool pack_cpu_use(struct html_pack *pack, const struct analysis *analysis, struct error *err)
{
	struct analysis_cpu_use use = {0};
	const bool ok = analysis_cpu_use(analysis, BINS, &use, err);

	html_pack_begin(pack);
	for (uint32_t i = 0; i < use.count && ok && use.source == CPU_USE_READ; i++)
		html_pack_number(pack, analysis_ns(analysis, use.parts[i]));
	html_pack_end(pack, "timeline.cpu");
	analysis_cpu_use_fini(&use);
	return ok;
}

static bool pack_timeline(struct html_pack *pack, const struct analysis *analysis,
			  struct error *err)
{
	struct analysis_bin bins[BINS] = {0};
	bool known;

	if (!analysis_timeline(analysis, bins, BINS, &known, err))
		return false;
	html_pack_begin(pack);
	for (int i = 0; i < BINS && known; i++)
		html_pack_number(pack, bins[i].samples);
	html_pack_end(pack, "timeline.samples");
	html_pack_begin(pack);
	for (int i = 0; i < BINS && known; i++)
		html_pack_number(pack, bins[i].weight);
	html_pack_end(pack, "timeline.weight");
	return true;
}

/* ---- the page ---- */

static bool pack_profile(struct html_pack *pack, const struct html_profile *profile,
			 struct error *err)
{
	const struct analysis *analysis = profile->analysis;
	const struct report_options options = {.view = "summary",
					       .profile_path = profile->path,
					       .width = INT32_MAX,
					       .unicode = true};
	const struct report report = {.analysis = analysis, .options = &options};

	html_pack_key_text(pack, "format", "tare-html");
	html_pack_key_number(pack, "version", 1);
	html_pack_key_text(pack, "profile", profile->path);
	pack_session(pack, analysis);
	pack_functions(pack, analysis);
	if (profile->options->base)
		pack_places(pack, analysis);
	pack_modules(pack, analysis);
	pack_processes(pack, analysis);
	pack_threads(pack, analysis);
	html_pack_tree(pack, analysis);
	return pack_header(pack, &report, err) && pack_timeline(pack, analysis, err) &&
	       pack_times(pack, analysis, err) && pack_cpu_use(pack, analysis, err) &&
	       html_pack_states(pack, analysis, err) && html_pack_waits(pack, analysis, err) &&
	       html_pack_wakers(pack, analysis, profile->options, err) &&
	       html_pack_calls(pack, analysis, err) &&
	       html_pack_tables(pack, analysis, profile->options, err);
}

static bool write_data(const char *id, const struct html_profile *profile, FILE *stream,
		       struct error *err)
{
	struct html_pack pack = {0};

	if (!profile->analysis)
		return true;
	html_pack_init(&pack);
	bool ok = pack_profile(&pack, profile, err);
	if (ok) {
		fprintf(stream, "<script type=\"application/octet-stream\" id=\"%s\">", id);
		ok = html_pack_write(&pack, stream, err);
		fputs("</script>\n", stream);
	}
	html_pack_fini(&pack);
	return ok;
}

bool html_write(const struct analysis *analysis, const struct export_options *options, FILE *stream,
		struct error *err)
{
	const struct html_profile profile = {analysis, options->path, options};
	const struct html_profile base = {options->base, options->base_path, options};
	const size_t size = (size_t)(html_template_end - html_template_begin);
	const char *gap = memmem(html_template_begin, size, placeholder, sizeof(placeholder) - 1);

	assert(gap);
	fwrite(html_template_begin, 1, (size_t)(gap - html_template_begin), stream);
	if (!write_data("tare-profile", &profile, stream, err) ||
	    !write_data("tare-base", &base, stream, err))
		return false;
	gap += sizeof(placeholder) - 1;
	fwrite(gap, 1, (size_t)(html_template_end - gap), stream);
	return true;
}
