/*
 * CSV as in RFC 4180: a header line, CRLF line ends, fields quoted where they need it. Tables of
 * one report have the same columns and follow each other under one header. Control characters and
 * bytes that are no UTF-8 appear escaped, as in text. Text that a spreadsheet would take for a
 * formula begins with an apostrophe.
 */
#include "report/data/csv.h"

#include "report/words/name.h"

#include <string.h>

static void write_field(FILE *stream, const char *text)
{
	if (!strpbrk(text, ",\"\r\n") && text[0] != ' ') {
		fputs(text, stream);
		return;
	}
	fputc('"', stream);
	for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
		fwrite(text, 1, (size_t)(quote + 1 - text), stream);
		fputc('"', stream);
	}
	fputs(text, stream);
	fputc('"', stream);
}

/* Spreadsheets pass over blanks, and take signs of full width for the others. */
static bool is_formula(const char *text)
{
	static const char *const signs[] = {"=",      "+",	"-",	  "@",
					    "\uff1d", "\uff0b", "\uff0d", "\uff20"};

	text += strspn(text, " ");
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (str_starts_with(text, signs[i]))
			return true;
	return false;
}

static void write_cell(FILE *stream, const struct cell *cell, struct str *text)
{
	if (cell->type != CELL_TEXT) {
		cell_write_number(stream, cell);
		return;
	}
	str_clear(text);
	str_append(text, is_formula(cell->text) ? "'" : "");
	name_append_escaped(text, cell->text, true);
	write_field(stream, text->data);
}

void report_write_csv_names(const struct report *report, const struct report_table *table,
			    FILE *stream)
{
	struct str name = {0};

	for (size_t i = 0; i < table->column_count; i++) {
		str_clear(&name);
		column_append_name(table->columns[i], report->options->unit, &name);
		fprintf(stream, "%s%s", i ? "," : "", name.data);
	}
	fputs("\r\n", stream);
	str_fini(&name);
}

void report_write_csv_row(const struct report *report, const struct report_table *table,
			  const struct report_row *row, FILE *stream)
{
	struct str scratch = {0}, text = {0};

	for (size_t i = 0; i < table->column_count; i++) {
		struct cell cell;
		column_read(table->columns[i], report, row, &scratch, &cell);
		if (i)
			fputc(',', stream);
		write_cell(stream, &cell, &text);
	}
	fputs("\r\n", stream);
	str_fini(&scratch);
	str_fini(&text);
}

void report_write_csv(const struct report *report, FILE *stream)
{
	report_write_csv_names(report, &report->tables[0], stream);
	for (size_t t = 0; t < report->table_count; t++) {
		const struct report_table *table = &report->tables[t];
		vec_foreach (row, &table->rows)
			report_write_csv_row(report, table, row, stream);
	}
}
