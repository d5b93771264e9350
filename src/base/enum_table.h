/* Tables that have one entry for each value of an enum. */
#ifndef TARE_BASE_ENUM_TABLE_H
#define TARE_BASE_ENUM_TABLE_H

#define TABLE_COUNT(table) (sizeof(table) / sizeof((table)[0]))

/*
 * Does not compile where values have come or gone that the table does not know. The table's own
 * declaration must not say how long it is.
 */
#define table_covers(table, count)                                                                 \
	_Static_assert(TABLE_COUNT(table) == (count), #table " has not one entry per value")

#endif
