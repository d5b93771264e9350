/* Private memory: the first needs come from one block, all others have pages of their own. */
#include "runtime/base/memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGE = 4096, MOST = 64 };

static bool is_mapped(const void *memory)
{
	unsigned char resident;

	return mincore((void *)((uintptr_t)memory & -(uintptr_t)PAGE), PAGE, &resident) == 0;
}

static bool is_zero(const char *memory, size_t size_bytes)
{
	for (size_t i = 0; i < size_bytes; i++)
		if (memory[i])
			return false;
	return true;
}

static void test_without_a_block(void **state)
{
	char *const first = memory_map(100), *const second = memory_map(100);

	(void)state;
	assert_int_equal((uintptr_t)first % PAGE, 0);
	assert_int_equal((uintptr_t)second % PAGE, 0);
	memory_unmap(first, 100);
	assert_false(is_mapped(first));
	assert_true(is_mapped(second));
	memory_unmap(second, 100);
}

static void test_first_needs_share_a_mapping(void **state)
{
	char *parts[MOST];

	(void)state;
	memory_begin();
	parts[0] = memory_map(100);
	parts[1] = memory_map(1000);
	assert_ptr_equal(parts[1], parts[0] + 128);
	assert_true(is_zero(parts[0], 1128));
	memset(parts[1], 1, 1000);
	memory_unmap(parts[0], 100);
	assert_true(is_mapped(parts[1]));
	for (int i = 2; i < MOST; i++) {
		parts[i] = memory_map(1000);
		assert_non_null(parts[i]);
		assert_true(is_zero(parts[i], 1000));
		memset(parts[i], i, 1000);
	}
	/* The block is used up: the last one is a mapping, and goes. */
	assert_int_equal((uintptr_t)parts[MOST - 1] % PAGE, 0);
	memory_unmap(parts[MOST - 1], 1000);
	assert_false(is_mapped(parts[MOST - 1]));
	for (int i = 1; i < MOST - 1; i++)
		assert_int_equal(parts[i][999], i);
}

static void test_what_is_large_has_its_own(void **state)
{
	char *const large = memory_map(1 << 20);

	(void)state;
	assert_int_equal((uintptr_t)large % PAGE, 0);
	memory_unmap(large, 1 << 20);
	assert_false(is_mapped(large));
}

/* A text may end where no page follows, or behind the begin of one; some do not end in time. */
static void test_texts(void **state)
{
	enum { ROOM = 64 };
	char *const pages =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char text[ROOM];
	uint64_t length;

	(void)state;
	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(munmap(pages + 2 * PAGE, PAGE), 0);
	memset(pages, 'x', 2 * PAGE);
	pages[2 * PAGE - 1] = 0;
	assert_true(memory_ask_text(text, (uint64_t)pages + 2 * PAGE - 10, ROOM, &length));
	assert_int_equal(length, 9);
	assert_string_equal(text, "xxxxxxxxx");
	pages[PAGE + 5] = 0;
	assert_true(memory_ask_text(text, (uint64_t)pages + PAGE - 5, ROOM, &length));
	assert_int_equal(length, 10);
	assert_true(memory_ask_text(text, (uint64_t)pages, ROOM, &length));
	assert_int_equal(length, ROOM);
	pages[2 * PAGE - 1] = 'x';
	assert_false(memory_ask_text(text, (uint64_t)pages + 2 * PAGE - 10, ROOM, &length));
	assert_int_equal(munmap(pages, 2 * PAGE), 0);
}

static bool is_noted;

static void *come(void *argument)
{
	memory_note_threads();
	__atomic_store_n(&is_noted, true, __ATOMIC_RELEASE);
	return argument;
}

/* Who comes waits until what another was allowed to do alone has ended. This stays for the process:
 * the last test. */
static void test_alone(void **state)
{
	pthread_t thread;

	(void)state;
	assert_true(memory_alone_begin());
	assert_true(memory_alone_begin()); /* in a signal handler */
	memory_alone_end();
	assert_int_equal(pthread_create(&thread, NULL, come, NULL), 0);
	usleep(20000);
	assert_false(__atomic_load_n(&is_noted, __ATOMIC_ACQUIRE));
	memory_alone_end();
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(is_noted);
	assert_false(memory_alone_begin());
	assert_false(memory_alone_begin());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_block),
		cmocka_unit_test(test_first_needs_share_a_mapping),
		cmocka_unit_test(test_what_is_large_has_its_own),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
