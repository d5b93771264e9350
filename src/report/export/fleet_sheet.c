/* See fleet_sheet.h. Digits are made by hand: a million rows have tens of millions of numbers. */
#include "report/export/fleet_sheet.h"

#include "report/words/name.h"

#include <assert.h>
#include <math.h>

enum { DIGITS_MAX = 20 };

static void begin_cell(struct fleet_sheet *sheet)
{
	if (sheet->cells++)
		str_append_bytes(&sheet->row, ",", 1);
}

static void append_digits(struct fleet_sheet *sheet, uint64_t number)
{
	char digits[DIGITS_MAX];
	size_t at = DIGITS_MAX;

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	str_append_bytes(&sheet->row, digits + at, DIGITS_MAX - at);
}

void sheet_number(struct fleet_sheet *sheet, uint64_t number)
{
	begin_cell(sheet);
	append_digits(sheet, number);
}

void sheet_signed(struct fleet_sheet *sheet, int64_t number)
{
	begin_cell(sheet);
	if (number < 0)
		str_append_bytes(&sheet->row, "-", 1);
	append_digits(sheet, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

void sheet_real(struct fleet_sheet *sheet, double number)
{
	begin_cell(sheet);
	str_printf(&sheet->row, "%.17g", isfinite(number) ? number : 0.0);
}

void sheet_text(struct fleet_sheet *sheet, const char *text)
{
	begin_cell(sheet);
	str_clear(&sheet->text);
	name_append_escaped(&sheet->text, text ? text : "", true);
	str_append_bytes(&sheet->row, "\"", 1);
	for (size_t i = 0; i < sheet->text.len; i++)
		str_append_bytes(&sheet->row,
				 sheet->text.data[i] == '"' ? "\"\"" : &sheet->text.data[i],
				 sheet->text.data[i] == '"' ? 2 : 1);
	str_append_bytes(&sheet->row, "\"", 1);
}

void sheet_made(struct fleet_sheet *sheet, const char *text, size_t cells)
{
	begin_cell(sheet);
	sheet->cells += cells - 1;
	str_append(&sheet->row, text);
}

void sheet_end(struct fleet_sheet *sheet)
{
	assert(sheet->cells == sheet->columns);
	str_append_bytes(&sheet->row, "\n", 1);
	if (sheet->stream)
		fwrite(sheet->row.data, 1, sheet->row.len, sheet->stream);
	str_clear(&sheet->row);
	sheet->cells = 0;
}
