/*
 * Tables as columns of numbers: the cells that `tare report --format=json` has, so that the page
 * shows the same ones.
 */
#include "report/html/html_table.h"

#include "report/html/html_code.h"
#include "report/html/html_wakers.h"

#include <math.h>
#include <string.h>

enum { TAB = 4 };

/* ---- cells ---- */

/* Plus one, as 0 is a cell without value. */
static uint64_t signed_number(int64_t value)
{
	const uint64_t number = (uint64_t)value << 1;

	return (value < 0 ? ~number : number) + 1;
}

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
		return signed_number((int64_t)cell->number);
	case CELL_PERCENT_CHANGE:
		return signed_number(llround(cell->percent * 1e4));
	case CELL_BAR:
	case CELL_PERCENT:
		return (uint64_t)llround(fabs(cell->percent) * 1e4) + 1;
	case CELL_ADDRESS:
		str_printf(&address, "0x%llx", (unsigned long long)cell->number);
		number = html_pack_text(pack, address.data);
		str_fini(&address);
	}
	return number;
}

/* Bars are of text only. */
static const char *type_name(enum cell_type type)
{
	switch (type) {
	case CELL_TEXT:
		return "text";
	case CELL_COUNT:
		return "count";
	case CELL_SIGNED:
	case CELL_COUNT_CHANGE:
	case CELL_TIME_CHANGE:
		return "signed";
	case CELL_TIME:
		return "time";
	case CELL_PERCENT:
		return "percent";
	case CELL_PERCENT_CHANGE:
		return "signed_percent";
	case CELL_ADDRESS:
		return "address";
	case CELL_EMPTY:
	case CELL_BAR:
		break;
	}
	return "";
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
			  const struct report_table *table, const char *name)
{
	static const char *const names[] = {"function", "module", "thread", "process"};

	for (int kind = 0; kind < 4; kind++) {
		html_pack_begin(pack);
		vec_foreach (row, &table->rows) {
			html_pack_number(pack, row_subject(report->analysis, row, kind));
		}
		html_pack_end(pack, "%s.#%s", name, names[kind]);
	}
	if (!table->rows.len || table->rows.data[0].type != ROW_WAKER)
		return;
	html_pack_begin(pack);
	vec_foreach (row, &table->rows) {
		html_pack_number(pack, html_waker_of(report->analysis, row->os));
	}
	html_pack_end(pack, "%s.#wakers", name);
}

/* Lines of source, which would else show their tabs as \t. */
static void expand_tabs(struct cell *cell, struct str *code)
{
	if (cell->type != CELL_TEXT)
		return;
	str_clear(code);
	str_append(code, "");
	for (const char *at = cell->text; *at; at++) {
		const size_t spaces = *at == '\t' ? TAB - code->len % TAB : 0;
		if (spaces)
			str_printf(code, "%*s", (int)spaces, "");
		else
			str_append_bytes(code, at, 1);
	}
	cell->text = code->data ? code->data : "";
}

/* Some columns have numbers in machine formats and texts else: the type is that of the cells. */
static enum cell_type pack_cells(struct html_pack *pack, const struct report *report,
				 const struct report_table *table, const struct column *column)
{
	enum cell_type type = column->type;
	struct str scratch = {0}, code = {0};

	html_pack_begin(pack);
	vec_foreach (row, &table->rows) {
		struct cell cell;
		column_read(column, report, row, &scratch, &cell);
		if (column->role == ROLE_SOURCE)
			expand_tabs(&cell, &code);
		/* The page shows a sign before the number, as text does. */
		if (column->role == ROLE_DISARMED && row->values && cell.type == CELL_COUNT)
			cell.number = analysis_calls_are(row->values);
		if (column->role == ROLE_DIFFERENCE && cell.type == CELL_PERCENT)
			cell.type = CELL_PERCENT_CHANGE;
		html_pack_number(pack, cell_number(pack, &cell));
		if (cell.type != CELL_EMPTY)
			type = cell.type;
	}
	str_fini(&scratch);
	str_fini(&code);
	return type;
}

static void pack_notes(struct html_pack *pack, const struct report *report)
{
	if (!report->annotated)
		return;
	str_append(&pack->json, ",\"notes\":[");
	for (size_t i = 0; i < report->annotation.notes.len; i++) {
		str_append(&pack->json, i ? "," : "");
		html_json_text(&pack->json, report->annotation.notes.data[i]);
	}
	str_append(&pack->json, "]");
}

void html_pack_table(struct html_pack *pack, const struct report *report,
		     const struct report_table *table, const char *name)
{
	bool any = false;

	if (pack->json.data[pack->json.len - 1] != '[')
		str_append(&pack->json, ",\n");
	str_printf(&pack->json, "{\"name\":\"%s\",\"rows\":%zu", name, table->rows.len);
	pack_notes(pack, report);
	str_append(&pack->json, ",\"columns\":[");
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = table->columns[i];
		const enum cell_type type = pack_cells(pack, report, table, column);
		if (report->annotated && !html_pack_any(pack)) {
			html_pack_drop(pack);
			continue;
		}
		html_pack_end(pack, "%s.%s", name, column->name);
		str_printf(&pack->json,
			   "%s{\"name\":\"%s\",\"group\":\"%s\",\"title\":\"%s\",\"type\":\"%s\","
			   "\"each\":%d}",
			   any ? "," : "", column->name, column->group, column->title,
			   type_name(type), column->each);
		any = true;
	}
	str_append(&pack->json, "]}");
	pack_subjects(pack, report, table, name);
}

/* ---- views ---- */

/* Whether the view has rows for lines, which have an analysis of their own. */
static bool is_of_lines(const char *view)
{
	return !strcmp(view, "lines") || !strcmp(view, "instructions");
}

/* The view's first table by that name, others by theirs behind it. */
static bool pack_view(struct html_pack *pack, const struct analysis *analysis,
		      const struct report_options *options, const char *name, struct error *err)
{
	struct report report = {0};
	struct str table = {0};

	/* Not every profile has what every view shows. */
	if (!report_open(&report, analysis, options, err))
		return err->code == ERROR_NOT_FOUND || err->code == ERROR_USAGE;
	for (size_t i = 0; i < report.table_count; i++) {
		str_clear(&table);
		str_append(&table, name);
		if (i)
			str_printf(&table, "_%s", report.tables[i].name);
		html_pack_table(pack, &report, &report.tables[i], table.data);
	}
	str_fini(&table);
	report_close(&report);
	return true;
}

bool html_pack_tables(struct html_pack *pack, const struct analysis *analysis,
		      const struct export_options *options, struct error *err)
{
	static const char *const views[] = {"functions", "modules",	 "threads",  "processes",
					    "lines",	 "instructions", "methods",  "os",
					    "locks",	 "wakers",	 "coverage", "marks",
					    "ranks",	 "imbalance"};
	struct report_options wanted = {.profile_path = options->path,
					.format = REPORT_JSON,
					.limit = REPORT_LIMIT_DEFAULT,
					.unicode = true};
	bool ok = true;

	html_pack_key(pack, "tables");
	str_append(&pack->json, "[");
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]) && ok; i++) {
		if (!strcmp(views[i], "wakers") && !html_has_wakers(analysis, options))
			continue;
		wanted.view = views[i];
		ok = pack_view(pack,
			       is_of_lines(views[i]) ? html_lines_of(analysis, options) : analysis,
			       &wanted, views[i], err);
	}
	wanted.view = "coverage";
	wanted.verbose = true;
	ok = ok && pack_view(pack, analysis, &wanted, "coverage_functions", err);
	struct html_code code = {0};
	ok = ok && html_pack_code(pack, analysis, options, &code, err);
	str_append(&pack->json, "]");
	html_code_end(pack, &code);
	return ok;
}
