/*
 * The bounds-checked reader: the first half of the input says what to read, the second half is
 * read. Whatever is asked for, the reader stays inside and never moves after a failure.
 */
#include "base/byte_reader.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void read_one(struct byte_reader *reader, unsigned operation)
{
	switch (operation % 8) {
	case 0:
		read_u8(reader);
		break;
	case 1:
		read_u16(reader);
		break;
	case 2:
		read_u32(reader);
		break;
	case 3:
		read_u64(reader);
		break;
	case 4:
		read_uleb(reader);
		break;
	case 5:
		read_sleb(reader);
		break;
	case 6:
		read_skip(reader, operation / 8);
		break;
	default: {
		const char *text = read_string(reader);
		if (text && strlen(text) > SIZE_MAX / 2)
			abort();
	}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t half = size / 2;
	struct byte_reader reader = byte_reader(data + half, size - half);

	for (size_t i = 0; i < half; i++) {
		const unsigned char *before = reader.at;
		const bool failed = reader.failed;
		read_one(&reader, data[i]);
		if (reader.at < before || reader.at > data + size)
			abort();
		if (failed && (!reader.failed || reader.at != before))
			abort();
	}
	return 0;
}
