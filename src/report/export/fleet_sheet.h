/*
 * fleet_sheet: rows of CSV (RFC 4180, but lines end with \n). Text is always in quotes, and escaped
 * as everywhere: valid UTF-8 without control characters, so that no row has a line end in it.
 */
#ifndef TARE_REPORT_EXPORT_FLEET_SHEET_H
#define TARE_REPORT_EXPORT_FLEET_SHEET_H

#include "base/base.h"

#include <stdio.h>

struct fleet_sheet {
	FILE *stream;
	size_t columns;
	/* of the row that is being made */
	struct str row, text;
	size_t cells;
};

void sheet_number(struct fleet_sheet *sheet, uint64_t number);
void sheet_signed(struct fleet_sheet *sheet, int64_t number);
void sheet_real(struct fleet_sheet *sheet, double number);
/* NULL is "". */
void sheet_text(struct fleet_sheet *sheet, const char *text);
/* `cells` of them, with commas between, that were made before. */
void sheet_made(struct fleet_sheet *sheet, const char *text, size_t cells);
/* Ends a row, which has as many cells as there are columns. */
void sheet_end(struct fleet_sheet *sheet);

#endif
