/* Bounds-checked reading and appending: every width, LEB128 limits, failure that sticks. */
#include "base/byte_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void fixed_widths_little_endian(void **state)
{
	const unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	struct byte_reader reader = byte_reader(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(read_u8(&reader), 1);
	assert_int_equal(read_u16(&reader), 0x0302);
	assert_int_equal(read_u32(&reader), 0x07060504);
	assert_int_equal(read_u64(&reader), 0x0f0e0d0c0b0a0908);
	assert_int_equal(bytes_left(&reader), 0);
	assert_false(reader.failed);
}

static void reading_past_the_end_fails_for_good(void **state)
{
	const unsigned char bytes[] = {0xff, 0xff, 0xff, 0xff, 0xff};
	struct byte_reader reader = byte_reader(bytes, 3);

	(void)state;
	assert_int_equal(read_u32(&reader), 0);
	assert_true(reader.failed);
	assert_int_equal(read_u8(&reader), 0);
	assert_int_equal(read_uleb(&reader), 0);
	assert_null(read_string(&reader));
	read_skip(&reader, 0);
	assert_true(reader.failed);
}

static void empty_input_has_nothing(void **state)
{
	struct byte_reader reader = byte_reader(NULL, 0);

	(void)state;
	assert_int_equal(bytes_left(&reader), 0);
	read_skip(&reader, 0);
	assert_false(reader.failed);
	assert_int_equal(read_u8(&reader), 0);
	assert_true(reader.failed);
}

static void skip_is_bounded(void **state)
{
	const unsigned char bytes[4] = {1, 2, 3, 4};
	struct byte_reader reader = byte_reader(bytes, sizeof(bytes));

	(void)state;
	read_skip(&reader, 3);
	assert_int_equal(read_u8(&reader), 4);
	reader = byte_reader(bytes, sizeof(bytes));
	read_skip(&reader, UINT64_MAX);
	assert_true(reader.failed);
	reader = byte_reader(bytes, sizeof(bytes));
	read_skip(&reader, 5);
	assert_true(reader.failed);
	read_skip(&reader, 1); /* one that has failed stays where it is */
	assert_ptr_equal(reader.at, bytes);
}

static void leb_has_ten_bytes_at_most(void **state)
{
	static const unsigned char ten[] = {0x80, 0x80, 0x80, 0x80, 0x80,
					    0x80, 0x80, 0x80, 0x80, 0x01};
	static const unsigned char eleven[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					       0x80, 0x80, 0x80, 0x80, 0x01};
	struct byte_reader reader = byte_reader(ten, sizeof(ten));

	(void)state;
	assert_int_equal(read_uleb(&reader), 1ULL << 63);
	assert_false(reader.failed);
	reader = byte_reader(eleven, sizeof(eleven));
	assert_int_equal(read_uleb(&reader), 0);
	assert_true(reader.failed);
}

static void strings_need_their_end(void **state)
{
	const char bytes[] = {'a', 'b', 0, 0, 'c', 'd'};
	struct byte_reader reader = byte_reader(bytes, sizeof(bytes));

	(void)state;
	assert_string_equal(read_string(&reader), "ab");
	assert_string_equal(read_string(&reader), "");
	assert_null(read_string(&reader));
	assert_true(reader.failed);
}

static void leb_numbers_survive_a_round_trip(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 64; bit++) {
		for (int delta = -1; delta <= 1; delta++) {
			const uint64_t value = (UINT64_C(1) << bit) + (uint64_t)delta;
			struct byte_vec out = {0};
			put_uleb(&out, value);
			put_sleb(&out, (int64_t)value);
			put_sleb(&out, -(int64_t)(value >> 1));
			struct byte_reader reader = byte_reader(out.data, out.len);
			assert_true(read_uleb(&reader) == value);
			assert_true(read_sleb(&reader) == (int64_t)value);
			assert_true(read_sleb(&reader) == -(int64_t)(value >> 1));
			assert_false(reader.failed);
			assert_int_equal(bytes_left(&reader), 0);
			vec_fini(&out);
		}
	}
}

static void leb_extremes(void **state)
{
	const int64_t extremes[] = {0,	       -1,	  -64,	     -65,	63,   64,
				    INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, -128, 127};

	(void)state;
	for (size_t i = 0; i < sizeof(extremes) / sizeof(*extremes); i++) {
		struct byte_vec out = {0};
		put_sleb(&out, extremes[i]);
		struct byte_reader reader = byte_reader(out.data, out.len);
		assert_true(read_sleb(&reader) == extremes[i]);
		assert_int_equal(bytes_left(&reader), 0);
		vec_fini(&out);
	}
}

static void leb_with_padding_is_read(void **state)
{
	const unsigned char padded[] = {0x85, 0x80, 0x80, 0x00, 0xff, 0xff, 0x7f};
	struct byte_reader reader = byte_reader(padded, sizeof(padded));

	(void)state;
	assert_int_equal(read_uleb(&reader), 5);
	assert_int_equal(read_sleb(&reader), -1);
	assert_false(reader.failed);
}

static void endless_or_cut_leb_fails(void **state)
{
	unsigned char endless[64];
	const unsigned char cut[] = {0x80, 0x80};

	(void)state;
	memset(endless, 0x80, sizeof(endless));
	struct byte_reader reader = byte_reader(endless, sizeof(endless));
	assert_int_equal(read_uleb(&reader), 0);
	assert_true(reader.failed);
	reader = byte_reader(endless, sizeof(endless));
	assert_int_equal(read_sleb(&reader), 0);
	assert_true(reader.failed);
	reader = byte_reader(cut, sizeof(cut));
	assert_int_equal(read_uleb(&reader), 0);
	assert_true(reader.failed);
}

static void appended_bytes_are_read_back(void **state)
{
	struct byte_vec out = {0};

	(void)state;
	put_u8(&out, 0x1ff);
	put_u16(&out, 0x2233);
	put_u32(&out, 0x44556677);
	put_u64(&out, 0x8899aabbccddeeff);
	put_bytes(&out, "xyz", 3);
	put_bytes(&out, NULL, 0);
	assert_int_equal(out.len, 18);
	set_u32(&out, 3, 0xdeadbeef);
	struct byte_reader reader = byte_reader(out.data, out.len);
	assert_int_equal(read_u8(&reader), 0xff);
	assert_int_equal(read_u16(&reader), 0x2233);
	assert_int_equal(read_u32(&reader), 0xdeadbeef);
	assert_true(read_u64(&reader) == 0x8899aabbccddeeff);
	assert_memory_equal(reader.at, "xyz", 3);
	vec_fini(&out);
}

static void alignment_pads_with_the_fill(void **state)
{
	struct byte_vec out = {0};

	(void)state;
	put_align(&out, 16, 0xcc);
	assert_int_equal(out.len, 0);
	put_u8(&out, 1);
	put_align(&out, 8, 0xcc);
	assert_int_equal(out.len, 8);
	assert_int_equal(out.data[1], 0xcc);
	assert_int_equal(out.data[7], 0xcc);
	put_align(&out, 8, 0);
	assert_int_equal(out.len, 8);
	vec_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_widths_little_endian),
		cmocka_unit_test(reading_past_the_end_fails_for_good),
		cmocka_unit_test(empty_input_has_nothing),
		cmocka_unit_test(skip_is_bounded),
		cmocka_unit_test(strings_need_their_end),
		cmocka_unit_test(leb_numbers_survive_a_round_trip),
		cmocka_unit_test(leb_extremes),
		cmocka_unit_test(leb_has_ten_bytes_at_most),
		cmocka_unit_test(leb_with_padding_is_read),
		cmocka_unit_test(endless_or_cut_leb_fails),
		cmocka_unit_test(appended_bytes_are_read_back),
		cmocka_unit_test(alignment_pads_with_the_fill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
