/* Arena and checked allocation: alignment, zeroing, block growth, text. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static void allocations_are_zeroed_aligned_and_apart(void **state)
{
	enum { COUNT = 5000 };
	unsigned char *blocks[COUNT];
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT; i++) {
		const size_t size = i % 97;
		blocks[i] = arena_alloc(&arena, size);
		assert_int_equal((uintptr_t)blocks[i] % 16, 0);
		for (size_t at = 0; at < size; at++)
			assert_int_equal(blocks[i][at], 0);
		memset(blocks[i], (int)(i & 0xff), size);
	}
	for (size_t i = 0; i < COUNT; i++) {
		for (size_t at = 0; at < i % 97; at++)
			assert_int_equal(blocks[i][at], i & 0xff);
	}
	arena_fini(&arena);
}

static void larger_than_a_block_is_served(void **state)
{
	enum { LARGE_BYTES = 3 << 20 };
	struct arena arena;

	(void)state;
	arena_init(&arena);
	char *before = arena_strdup(&arena, "before");
	unsigned char *large = arena_alloc(&arena, LARGE_BYTES);
	char *after = arena_strdup(&arena, "after");
	memset(large, 0xff, LARGE_BYTES);
	assert_string_equal(before, "before");
	assert_string_equal(after, "after");
	arena_fini(&arena);
	assert_null(arena.blocks);
}

static void exactly_a_block_then_one_more(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	unsigned char *whole = arena_alloc(&arena, 64 * 1024);
	unsigned char *next = arena_alloc(&arena, 1);
	memset(whole, 0xff, 64 * 1024);
	assert_int_equal(*next, 0);
	arena_fini(&arena);
}

/* What is left of a block is less than is wanted by no more than the alignment. */
static void what_does_not_fit_has_a_block_of_its_own(void **state)
{
	enum { BLOCK = 64 * 1024 };
	struct arena arena;

	(void)state;
	arena_init(&arena);
	const unsigned char *first = arena_alloc(&arena, BLOCK - 32);
	const unsigned char *fits = arena_alloc(&arena, 16);
	const unsigned char *does_not = arena_alloc(&arena, 32);
	assert_ptr_equal(fits, first + BLOCK - 32);
	assert_true(does_not + 32 <= first || does_not >= first + BLOCK);
	arena_fini(&arena);
}

/* Through all sizes of blocks, those in large pages too: 48 MB. */
static void blocks_that_grow(void **state)
{
	enum { COUNT = 3000, BYTES = 16000 };
	static unsigned char *pieces[COUNT];
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT; i++) {
		pieces[i] = arena_alloc(&arena, BYTES);
		assert_int_equal((uintptr_t)pieces[i] % 16, 0);
		assert_int_equal(pieces[i][0] | pieces[i][BYTES / 2] | pieces[i][BYTES - 1], 0);
		memset(pieces[i], (int)(i & 0xff), BYTES);
	}
	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(pieces[i][0], i & 0xff);
		assert_int_equal(pieces[i][BYTES - 1], i & 0xff);
	}
	arena_fini(&arena);
}

/* What is advised stays one mapping, which may be moved as it grows. */
static void large_memory_grows(void **state)
{
	const size_t size = (size_t)9 << 20, head = 16;

	(void)state;
	unsigned char *memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(memory != MAP_FAILED);
	memory[0] = memory[size - 1] = 7;
	mem_advise_large(memory + head, size - head - 100);
	memory = mremap(memory, size, 4 * size, MREMAP_MAYMOVE);
	assert_true(memory != MAP_FAILED);
	assert_int_equal(memory[0] & memory[size - 1], 7);
	munmap(memory, 4 * size);
	mem_advise_large(NULL, 0);
}

static void fini_twice_is_harmless(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	arena_fini(&arena);
	arena_strdup(&arena, "again");
	arena_fini(&arena);
	arena_fini(&arena);
}

static void text_is_copied(void **state)
{
	struct arena arena;
	char source[] = "changing";

	(void)state;
	arena_init(&arena);
	char *whole = arena_strdup(&arena, source);
	char *part = arena_strndup(&arena, source, 3);
	source[0] = '?';
	assert_string_equal(whole, "changing");
	assert_string_equal(part, "cha");
	assert_string_equal(arena_strndup(&arena, "x", 0), "");
	assert_string_equal(arena_printf(&arena, "%s-%d", part, 42), "cha-42");
	char *wide = arena_printf(&arena, "%100000d", 7);
	assert_int_equal(strlen(wide), 100000);
	assert_int_equal(wide[99999], '7');
	arena_fini(&arena);
}

static void typed_allocation(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	const uint64_t *numbers = arena_array(&arena, uint64_t, 1000);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(numbers[i], 0);
	const struct error_like {
		int code;
		char text[8];
	} *one = arena_new(&arena, struct error_like);
	assert_int_equal(one->code, 0);
	arena_fini(&arena);
}

static void heap_of_zero_bytes_is_a_pointer(void **state)
{
	(void)state;
	void *a = mem_alloc(0);
	void *b = mem_zalloc(0);
	assert_non_null(a);
	assert_non_null(b);
	a = mem_realloc(a, 0);
	assert_non_null(a);
	free(a);
	free(b);
	char *text = mem_strdup("");
	assert_string_equal(text, "");
	free(text);
}

static size_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	size_t all, resident;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%zu %zu", &all, &resident), 2);
	fclose(file);
	return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* Whatever was there before, at any place within large pages, and without making them. */
static void much_memory_is_zeroed(void **state)
{
	const size_t size = (size_t)16 << 20, step = 4093;

	(void)state;
	for (size_t shift = 0; shift < 3; shift++) {
		void *apart = mem_alloc(1 + shift * 700000);
		unsigned char *memory = mem_alloc(size);
		memset(memory, 0xff, size);
		free(memory);
		const size_t before = resident_bytes();
		memory = mem_zalloc(size + shift);
		assert_true(resident_bytes() < before + size / 2);
		for (size_t i = 0; i < size + shift; i += step)
			assert_int_equal(memory[i], 0);
		assert_int_equal(memory[0] | memory[size + shift - 1], 0);
		memset(memory, 1, size + shift);
		free(memory);
		free(apart);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocations_are_zeroed_aligned_and_apart),
		cmocka_unit_test(larger_than_a_block_is_served),
		cmocka_unit_test(exactly_a_block_then_one_more),
		cmocka_unit_test(what_does_not_fit_has_a_block_of_its_own),
		cmocka_unit_test(blocks_that_grow),
		cmocka_unit_test(large_memory_grows),
		cmocka_unit_test(fini_twice_is_harmless),
		cmocka_unit_test(text_is_copied),
		cmocka_unit_test(typed_allocation),
		cmocka_unit_test(heap_of_zero_bytes_is_a_pointer),
		cmocka_unit_test(much_memory_is_zeroed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
