/*
 * Fills the page: the header and tables of the report's views, as they are in JSON, and the call
 * tree. The page's own values follow from the tree, so that it can leave out threads; with all of
 * them they are those of the tables.
 */
#include "report/html.h"

#include "report/html_pack.h"
#include "report/html_tree.h"
#include "report/table.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

/* A profile on its way into the page. */
struct html_profile {
	const struct analysis *analysis; /* NULL: none */
	const char *path;		 /* as the user gave it */
};

extern const char html_template_begin[], html_template_end[];

static const char placeholder[] = "<!--tare-data-->";

/* ---- header ---- */

/* The lines of the text report's header: nothing that it warns of is missing in the page. */
static bool pack_header(struct html_pack *pack, const struct report *report, struct error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	bool any = false;

	if (!stream)
		return error_set_errno(err, errno, "cannot make the page's header");
	report_write_text_header(report, stream);
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
	return true;
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

/* ---- tables ---- */

static uint64_t cell_number(struct html_pack *pack, const struct cell *cell)
{
	struct str address = {0};
	uint64_t number = 0;

	switch (cell->type) {
	case CELL_EMPTY:
		return 0;
	case CELL_TEXT:
		return html_pack_text(pack, cell->text);
	case CELL_COUNT:
	case CELL_TIME:
		return cell->number < UINT64_MAX ? cell->number + 1 : cell->number;
	case CELL_SIGNED:
	case CELL_COUNT_CHANGE:
	case CELL_TIME_CHANGE:
		number = cell->number << 1;
		return ((int64_t)cell->number < 0 ? ~number : number) + 1;
	case CELL_PERCENT:
	case CELL_PERCENT_CHANGE:
		return (uint64_t)llround(fabs(cell->percent) * 1e4) + 1;
	case CELL_ADDRESS:
		str_printf(&address, "0x%llx", (unsigned long long)cell->number);
		number = html_pack_text(pack, address.data);
		str_fini(&address);
	}
	return number;
}

static const char *type_name(enum cell_type type)
{
	static const char *const names[] = {
		[CELL_EMPTY] = "",	    [CELL_TEXT] = "text", [CELL_COUNT] = "count",
		[CELL_SIGNED] = "signed",   [CELL_TIME] = "time", [CELL_PERCENT] = "percent",
		[CELL_ADDRESS] = "address",
	};

	return names[type];
}

/* What rows are about, as numbers of the page's own lists; 0: nothing of that kind. */
static uint64_t row_subject(const struct analysis *analysis, const struct report_row *row, int kind)
{
	switch (kind) {
	case 0:
		return row->function ? (uint64_t)(row->function - analysis->functions.data) + 1 : 0;
	case 1:
		return row->module ? (uint64_t)(row->module - analysis->modules.data) + 1 : 0;
	case 2:
		return row->thread ? (uint64_t)(row->thread - analysis->threads.data) + 1 : 0;
	default:
		return row->process ? (uint64_t)(row->process - analysis->processes.data) + 1 : 0;
	}
}

static void pack_subjects(struct html_pack *pack, const struct report *report,
			  const struct report_table *table)
{
	static const char *const names[] = {"function", "module", "thread", "process"};

	for (int kind = 0; kind < 4; kind++) {
		html_pack_begin(pack);
		vec_foreach (row, &table->rows) {
			html_pack_number(pack, row_subject(report->analysis, row, kind));
		}
		html_pack_end(pack, "%s.#%s", table->name, names[kind]);
	}
}

/* Some columns have numbers in machine formats and texts else: the type is that of the cells. */
static enum cell_type pack_cells(struct html_pack *pack, const struct report *report,
				 const struct report_table *table, const struct column *column)
{
	enum cell_type type = column->type;
	struct str scratch = {0};

	html_pack_begin(pack);
	vec_foreach (row, &table->rows) {
		struct cell cell = {0};
		str_clear(&scratch);
		column->get(report, row, column, &scratch, &cell);
		html_pack_number(pack, cell_number(pack, &cell));
		if (cell.type != CELL_EMPTY)
			type = cell.type;
	}
	html_pack_end(pack, "%s.%s", table->name, column->name);
	str_fini(&scratch);
	return type;
}

static void pack_table(struct html_pack *pack, const struct report *report,
		       const struct report_table *table)
{
	str_printf(&pack->json, "{\"name\":\"%s\",\"rows\":%zu,\"columns\":[", table->name,
		   table->rows.len);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = table->columns[i];
		const enum cell_type type = pack_cells(pack, report, table, column);
		str_printf(&pack->json,
			   "%s{\"name\":\"%s\",\"group\":\"%s\",\"title\":\"%s\",\"type\":\"%s\","
			   "\"each\":%d}",
			   i ? "," : "", column->name, column->group, column->title,
			   type_name(type), column->each);
	}
	str_append(&pack->json, "]}");
	pack_subjects(pack, report, table);
}

/* One view's tables, as `tare report VIEW --format=json` has them. */
static bool pack_view(struct html_pack *pack, const struct html_profile *profile, const char *view,
		      struct error *err)
{
	const struct report_options options = {.view = view,
					       .profile_path = profile->path,
					       .format = REPORT_JSON,
					       .limit = REPORT_LIMIT_DEFAULT,
					       .unicode = true};
	struct report report;

	/* Not every profile has what every view shows. */
	if (!report_open(&report, profile->analysis, &options, err))
		return err->code == ERROR_NOT_FOUND;
	for (size_t i = 0; i < report.table_count; i++) {
		if (pack->json.data[pack->json.len - 1] != '[')
			str_append(&pack->json, ",\n");
		pack_table(pack, &report, &report.tables[i]);
	}
	report_close(&report);
	return true;
}

static bool pack_views(struct html_pack *pack, const struct html_profile *profile,
		       struct error *err)
{
	static const char *const views[] = {"functions", "modules",	 "threads", "processes",
					    "lines",	 "instructions", "methods", "os",
					    "coverage",	 "marks"};

	html_pack_key(pack, "tables");
	str_append(&pack->json, "[");
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		if (!pack_view(pack, profile, views[i], err))
			return false;
	str_append(&pack->json, "]");
	return true;
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
	pack_modules(pack, analysis);
	pack_processes(pack, analysis);
	pack_threads(pack, analysis);
	html_pack_tree(pack, analysis);
	return pack_header(pack, &report, err) && pack_views(pack, profile, err);
}

static bool write_data(const char *id, const struct html_profile *profile, FILE *stream,
		       struct error *err)
{
	struct html_pack pack;

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
	const struct html_profile profile = {analysis, options->path};
	const struct html_profile base = {options->base, options->base_path};
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
