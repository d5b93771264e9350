/*
 * The rows of a table straight from the pages of its file, which costs a fraction of asking SQLite
 * for each: large tables are read as a whole, in the order of their ids. What is not as SQLite
 * writes it for a table of numbers is left to SQLite, which knows what it is or says what is wrong.
 * Private to the profile module.
 */
#ifndef TARE_PROFILE_LEAF_PAGES_H
#define TARE_PROFILE_LEAF_PAGES_H

#include "profile/schema.h"

struct profile;
struct leaf_pages;

/* A row: the sizes and types of its values, and these; until the next one is asked for. */
struct leaf_row {
	int64_t id;
	const unsigned char *types, *types_end; /* of the values behind the id */
	const unsigned char *values, *end;
};

/* A value of a row; bytes are NULL for numbers and for none. */
struct leaf_value {
	int64_t number;
	const unsigned char *bytes;
	size_t size;
	bool is_null;
};

/* NULL where the table has to be read by SQLite. */
struct leaf_pages *leaf_pages_open(struct profile *profile, enum profile_table_id table);
void leaf_pages_close(struct leaf_pages *pages);
/* 1: there is a row, 0: there are no more, -1: SQLite has to read it and those behind it. */
int leaf_pages_next(struct leaf_pages *pages, struct leaf_row *row);
/* Takes the row's next value; false: it has none, or one of another kind. */
bool leaf_row_take(struct leaf_row *row, struct leaf_value *value);

/* The same of a number; false also where it is none. */
static inline bool leaf_row_take_number(struct leaf_row *row, int64_t *number, bool *is_null)
{
	/* By type: none, integers of 1 to 4, 6 and 8 bytes, a floating number, 0, 1. */
	static const unsigned char sizes[] = {0, 1, 2, 3, 4, 6, 8, 0, 0, 0};

	if (row->types == row->types_end || *row->types > 9 || *row->types == 7)
		return false;
	const unsigned type = *row->types++;
	const size_t size = sizes[type];
	*is_null = !type;
	if (!size) {
		*number = type == 9;
		return true;
	}
	if (size > (size_t)(row->end - row->values))
		return false;
	const unsigned char *at = row->values;
	uint64_t value = at[0] & 0x80 ? UINT64_MAX : 0;
	for (size_t i = 0; i < size; i++)
		value = value << 8 | at[i];
	row->values += size;
	*number = (int64_t)value;
	return true;
}

#endif
