/*
 * CSV as in RFC 4180: a header line, CRLF line ends, fields quoted where they need it. Tables of
 * one report have the same columns and follow each other under one header. Control characters and
 * bytes that are no UTF-8 appear escaped, as in text.
 */
#include "report/name.h"
#include "report/table.h"

#include <inttypes.h>
#include <string.h>

static void write_field(FILE *stream, const char *text)
{
	if (!strpbrk(text, ",\"\r\n") && text[0] != ' ') {
		fputs(text, stream);
		return;
	}
	fputc('"', stream);
	for (const char *at = text; *at; at++) {
		if (*at == '"')
			fputc('"', stream);
		fputc(*at, stream);
	}
	fputc('"', stream);
}

static void write_cell(FILE *stream, const struct cell *cell)
{
	struct str text = {0};

	switch (cell->type) {
	case CELL_EMPTY:
		break;
	case CELL_TEXT:
		name_append_escaped(&text, cell->text, true);
		write_field(stream, text.data ? text.data : "");
		break;
	case CELL_COUNT:
	case CELL_TIME:
		fprintf(stream, "%" PRIu64, cell->number);
		break;
	case CELL_SIGNED:
	case CELL_COUNT_CHANGE:
	case CELL_TIME_CHANGE:
		fprintf(stream, "%" PRId64, (int64_t)cell->number);
		break;
	case CELL_PERCENT:
	case CELL_PERCENT_CHANGE:
		fprintf(stream, "%.4f", cell->percent);
		break;
	case CELL_ADDRESS:
		fprintf(stream, "0x%" PRIx64, cell->number);
		break;
	}
	str_fini(&text);
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
	struct str scratch = {0};

	for (size_t i = 0; i < table->column_count; i++) {
		struct cell cell = {0};
		str_clear(&scratch);
		table->columns[i]->get(report, row, table->columns[i], &scratch, &cell);
		if (i)
			fputc(',', stream);
		write_cell(stream, &cell);
	}
	fputs("\r\n", stream);
	str_fini(&scratch);
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
