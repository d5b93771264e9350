/* Cells, see cell.h. */
#include "report/table/cell.h"

#include "report/words/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void cell_set_text(struct cell *cell, const char *text)
{
	if (!text)
		return;
	cell->type = CELL_TEXT;
	cell->text = text;
}

void cell_set_scratch(struct cell *cell, const struct str *scratch)
{
	cell_set_text(cell, scratch->data ? scratch->data : "");
}

void cell_set_number(struct cell *cell, enum cell_type type, uint64_t number)
{
	cell->type = type;
	cell->number = number;
}

void cell_set_percent(struct cell *cell, double percent)
{
	if (isnan(percent))
		return;
	cell->type = CELL_PERCENT;
	cell->percent = percent;
}

void cell_set_bar(struct cell *cell, double percent, double on_cpu)
{
	if (isnan(percent))
		return;
	cell->type = CELL_BAR;
	cell->percent = percent;
	cell->on_cpu = on_cpu;
}

int cell_compare(const struct cell *a, const struct cell *b)
{
	if (a->type == CELL_EMPTY || b->type == CELL_EMPTY)
		return (a->type == CELL_EMPTY) - (b->type == CELL_EMPTY);
	if (a->type == CELL_TEXT)
		return strcmp(a->text, b->text);
	if (a->type == CELL_PERCENT || a->type == CELL_BAR || a->type == CELL_PERCENT_CHANGE)
		return a->percent < b->percent ? -1 : a->percent > b->percent;
	if (a->type == CELL_SIGNED || a->type == CELL_COUNT_CHANGE || a->type == CELL_TIME_CHANGE)
		return (int64_t)a->number < (int64_t)b->number
			       ? -1
			       : (int64_t)a->number > (int64_t)b->number;
	return a->number < b->number ? -1 : a->number > b->number;
}

void cell_write_number(FILE *stream, const struct cell *cell)
{
	switch (cell->type) {
	case CELL_EMPTY:
	case CELL_TEXT:
		break;
	case CELL_COUNT:
	case CELL_TIME:
		number_write(stream, cell->number);
		break;
	case CELL_SIGNED:
	case CELL_COUNT_CHANGE:
	case CELL_TIME_CHANGE:
		fprintf(stream, "%" PRId64, (int64_t)cell->number);
		break;
	case CELL_BAR:
	case CELL_PERCENT:
	case CELL_PERCENT_CHANGE:
		fprintf(stream, "%.4f", cell->percent);
		break;
	case CELL_ADDRESS:
		fprintf(stream, "0x%" PRIx64, cell->number);
		break;
	}
}
