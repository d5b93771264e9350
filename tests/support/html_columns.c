/* The index names columns in the order of their bytes: ["name",values,bytes],… */
#include "tests/support/html_columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

size_t html_column_read(const struct html_pack *pack, const char *name, uint64_t *numbers,
			size_t room)
{
	char wanted[64];
	size_t count = 0, bytes = 0, at = 0;

	snprintf(wanted, sizeof(wanted), "[\"%s\",", name);
	for (const char *entry = pack->index.data; entry; entry = strchr(entry + 1, '[')) {
		sscanf(strchr(entry, ',') + 1, "%zu,%zu", &count, &bytes);
		if (strncmp(entry, wanted, strlen(wanted)) == 0)
			break;
		at += bytes;
	}
	struct byte_reader reader = byte_reader(pack->columns.data + at, bytes);
	assert_true(count <= room);
	for (size_t i = 0; i < count; i++)
		numbers[i] = read_uleb(&reader);
	assert_false(reader.failed);
	assert_int_equal(bytes_left(&reader), 0);
	return count;
}
