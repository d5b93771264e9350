/* See markdown.h. */
#include "report/data/markdown.h"

#include "report/words/name.h"
#include "report/words/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NAME_WIDTH = 80 };

/* A code span ends with as many backticks as it begins with: one more than
 * stand in the text. */
void markdown_append_code(struct str *out, const char *text)
{
	struct str safe = {0};
	size_t ticks = 1;

	name_append_escaped(&safe, text, true);
	const char *at = safe.data ? safe.data : "";
	for (const char *tick = strchr(at, '`'); tick; tick = strchr(tick, '`')) {
		const size_t length = strspn(tick, "`");
		ticks = length >= ticks ? length + 1 : ticks;
		tick += length;
	}
	for (size_t i = 0; *at && i < ticks; i++)
		str_append(out, "`");
	const bool is_plain = ticks == 1;
	str_append(out, *at && !is_plain ? " " : "");
	for (const char *c = at; *c; c++) {
		str_append(out, *c == '|' ? "\\" : "");
		str_append_bytes(out, c, 1);
	}
	str_append(out, *at && !is_plain ? " " : "");
	for (size_t i = 0; *at && i < ticks; i++)
		str_append(out, "`");
	str_fini(&safe);
}

/* ---- cells ---- */

static void append_time(const struct report *report, struct str *out, uint64_t time)
{
	if (report->options->unit == REPORT_TICKS)
		number_append(out, time);
	else
		time_append_with_unit(out, time, true);
}

/* The amount of a change, behind its sign. */
static uint64_t append_sign(struct str *out, uint64_t bits)
{
	const int64_t change = (int64_t)bits;

	str_append(out, change < 0 ? "\u2212" : change > 0 ? "+" : "");
	return change < 0 ? 0 - bits : bits;
}

static void append_percent_change(struct str *out, double percent)
{
	str_append(out, percent < 0 ? "\u2212" : percent > 0 ? "+" : "");
	str_printf(out, "%.1f %%", fabs(percent));
}

/* A word of tare's own is short and bare; names are code. */
static void append_text(const struct column *column, struct str *out, const char *text)
{
	struct str plain = {0}, name = {0};

	if (column->role == ROLE_NONE) {
		name_append_escaped(out, text, true);
		return;
	}
	name_append_plain(&plain, text, true);
	name_append_shortened(&name, plain.data ? plain.data : "", NAME_WIDTH, "");
	markdown_append_code(out, name.data ? name.data : "");
	str_fini(&plain);
	str_fini(&name);
}

static void append_cell(const struct report *report, const struct column *column,
			const struct cell *cell, struct str *out)
{
	switch (cell->type) {
	case CELL_EMPTY:
	case CELL_BAR:
		break;
	case CELL_TEXT:
		append_text(column, out, cell->text);
		break;
	case CELL_COUNT:
		number_append(out, cell->number);
		break;
	case CELL_SIGNED:
		str_printf(out, "%" PRId64, (int64_t)cell->number);
		break;
	case CELL_TIME:
		append_time(report, out, cell->number);
		break;
	case CELL_PERCENT:
		str_printf(out, "%.1f %%", cell->percent);
		break;
	case CELL_ADDRESS:
		str_printf(out, "0x%" PRIx64, cell->number);
		break;
	case CELL_COUNT_CHANGE:
		number_append(out, append_sign(out, cell->number));
		break;
	case CELL_TIME_CHANGE:
		append_time(report, out, append_sign(out, cell->number));
		break;
	case CELL_PERCENT_CHANGE:
		append_percent_change(out, cell->percent);
		break;
	}
}

/* ---- tables ---- */

static void append_titles(const struct report_table *table, struct str *out)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct column *column = table->columns[i];
		str_printf(out, "| %s%s%s ", column->group,
			   column->group[0] && column->title[0] ? " " : "", column->title);
	}
	str_append(out, "|\n");
	for (size_t i = 0; i < table->column_count; i++)
		str_append(out, table->columns[i]->type == CELL_TEXT ? "|---" : "|---:");
	str_append(out, "|\n");
}

static void append_row(const struct report *report, const struct report_table *table,
		       const struct report_row *row, struct str *out)
{
	struct str scratch = {0};

	for (size_t i = 0; i < table->column_count; i++) {
		struct cell cell;

		column_read(table->columns[i], report, row, &scratch, &cell);
		str_append(out, "| ");
		append_cell(report, table->columns[i], &cell, out);
		str_append(out, " ");
	}
	str_append(out, "|\n");
	str_fini(&scratch);
}

void report_write_markdown_table(const struct report *report, const struct report_table *table,
				 FILE *stream)
{
	struct str text = {0};

	append_titles(table, &text);
	fputs(text.data, stream);
	vec_foreach (row, &table->rows) {
		str_clear(&text);
		append_row(report, table, row, &text);
		fputs(text.data, stream);
	}
	if (table->hidden)
		fprintf(stream, "\n%" PRIu64 " more rows are not shown.\n", table->hidden);
	str_fini(&text);
}
