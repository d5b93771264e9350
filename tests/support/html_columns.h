/* Columns of a page's data, read back by tests. */
#ifndef TARE_TESTS_HTML_COLUMNS_H
#define TARE_TESTS_HTML_COLUMNS_H

#include "report/html/html_pack.h"

/* The numbers of a column, up to `room`, more of which fail the test; returns how many there are.
 */
size_t html_column_read(const struct html_pack *pack, const char *name, uint64_t *numbers,
			size_t room);

#endif
