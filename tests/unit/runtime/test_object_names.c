/* Names of the objects of system calls: kept once, as long as there is room (runtime/os/names.c).
 */
#include "runtime/base/files.h"
#include "runtime/files/thread_file.h"
#include "runtime/os/names.h"
#include "tests/support/heap_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct tare_thread_file file;
static struct state_private own;
_Alignas(8) static char area[TARE_THREAD_NAMES_BYTES];
static bool has_area, has_storage;

uint64_t thread_area(struct tare_thread_file *self, enum tare_chunk_kind kind, uint64_t elements)
{
	assert_ptr_equal(self, &file);
	assert_int_equal(kind, TARE_CHUNK_NAMES);
	assert_int_equal(elements, sizeof(area));
	return has_area ? (uint64_t)area : 0;
}

uint32_t files_back(uint64_t start, uint64_t size_bytes)
{
	assert_true(start >= (uint64_t)area && start + size_bytes <= (uint64_t)area + sizeof(area));
	return has_storage ? 0 : TARE_LIMIT_DISK;
}

static int begin(void **state)
{
	(void)state;
	memset(area, 0, sizeof(area));
	memset(&file, 0, sizeof(file));
	memset(&own, 0, sizeof(own));
	file.local = (uint64_t)&own;
	has_area = has_storage = true;
	return 0;
}

static int finish(void **state)
{
	(void)state;
	free(own.local.names.slots);
	return 0;
}

static uint32_t path(const char *text)
{
	return names_text(&file, TARE_NAME_PATH, text, strlen(text));
}

static void test_once(void **state)
{
	uint32_t length = 0;

	(void)state;
	const uint32_t first = path("/a"), second = path("/b");
	assert_true(first && second && first != second);
	assert_int_equal(path("/a"), first);
	assert_int_not_equal(names_text(&file, TARE_NAME_LINK, "/a", 2), first);
	assert_int_equal(file.names_bytes, 3 * 16);
	assert_memory_equal(names_text_of(&file, second, TARE_NAME_PATH, &length), "/b", 2);
	assert_int_equal(length, 2);
	assert_null(names_text_of(&file, second, TARE_NAME_LINK, &length));
	assert_null(names_text_of(&file, TARE_NAME_OTHERS, TARE_NAME_PATH, &length));
}

static void test_long(void **state)
{
	char text[TARE_NAME_PATH_BYTES + 2];

	(void)state;
	memset(text, 'x', sizeof(text));
	const uint32_t whole = names_text(&file, TARE_NAME_PATH, text, TARE_NAME_PATH_BYTES);
	const uint32_t cut = names_text(&file, TARE_NAME_PATH, text, sizeof(text));
	assert_int_not_equal(whole, cut);
}

static void test_full(void **state)
{
	char text[64];
	uint32_t count = 0, first = 0, name;

	(void)state;
	do {
		snprintf(text, sizeof(text), "/a/path/with/the/number/%u", count);
		name = path(text);
		first = count++ ? first : name;
	} while (name != TARE_NAME_OTHERS && count < 100000);
	assert_in_range(count, 20000, 40000);
	assert_true(file.names_bytes <= sizeof(area));
	assert_int_equal(path("/a/path/with/the/number/0"), first);
	assert_int_equal(path(text), TARE_NAME_OTHERS);
}

static void test_no_room(void **state)
{
	(void)state;
	has_storage = false;
	assert_int_equal(path("/a"), TARE_NAME_OTHERS);
	assert_int_equal(file.names_bytes, 0);
	own.objects.names = 0;
	has_area = false;
	assert_int_equal(path("/a"), TARE_NAME_UNKNOWN);
	has_area = true; /* not asked for again: each time would cost the program time */
	assert_int_equal(path("/a"), TARE_NAME_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_once, begin, finish),
		cmocka_unit_test_setup_teardown(test_long, begin, finish),
		cmocka_unit_test_setup_teardown(test_full, begin, finish),
		cmocka_unit_test_setup_teardown(test_no_room, begin, finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
