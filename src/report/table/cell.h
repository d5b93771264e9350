/* One value of a table, before any format is chosen. */
#ifndef TARE_REPORT_TABLE_CELL_H
#define TARE_REPORT_TABLE_CELL_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum cell_type {
	CELL_EMPTY, /* no value: NULL, empty field, "-" */
	CELL_TEXT,
	CELL_COUNT,   /* whole number, digits in groups */
	CELL_SIGNED,  /* an id: the bits of an int64_t */
	CELL_TIME,    /* whole nanoseconds or ticks */
	CELL_PERCENT, /* real number */
	CELL_ADDRESS, /* hexadecimal */
	CELL_BAR,     /* of text: a share in percent, and how much of it was on the CPU */
	/* by how much one differs from another: the bits of an int64_t, or a real number */
	CELL_COUNT_CHANGE,
	CELL_TIME_CHANGE,
	CELL_PERCENT_CHANGE,
};

struct cell {
	enum cell_type type;
	union {
		const char *text;
		uint64_t number;
		struct {
			double percent;
			double on_cpu; /* of a bar: 0 to 1; the rest is waiting, or the operating
					* system's
					*/
		};
	};
};

/* NULL leaves it empty. */
void cell_set_text(struct cell *cell, const char *text);
/* What a getter has put together, which may be nothing. */
void cell_set_scratch(struct cell *cell, const struct str *scratch);
void cell_set_number(struct cell *cell, enum cell_type type, uint64_t number);
/* NAN leaves it empty. */
void cell_set_percent(struct cell *cell, double percent);
void cell_set_bar(struct cell *cell, double percent, double on_cpu);

/* Order of two cells of one column: numbers by size, text by bytes, empty cells after all. */
int cell_compare(const struct cell *a, const struct cell *b);

/* As programs read them. Addresses are hexadecimal, with 0x. */
void cell_write_number(FILE *stream, const struct cell *cell);

#endif
