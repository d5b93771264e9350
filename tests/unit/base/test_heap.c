/* The heap in large pages: where blocks lie, what the kernel was asked, and limits that forbid it.
 */
#include "base/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/in_child.h"

enum {
	BLOCKS = 256,
	BLOCK_BYTES = 64 << 10,
	LIMIT_BYTES = 1 << 30,
	OTHER_MALLOC = 77,
	NO_LARGE_PAGES
};

/* Whether the mapping that has this address was advised so; false without its flags. */
static bool is_advised(const void *block, bool *known)
{
	FILE *maps = fopen("/proc/self/smaps", "re");
	unsigned long begin, end;
	bool here = false, advised = false;
	char line[512];

	*known = false;
	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			here = (uintptr_t)block >= begin && (uintptr_t)block < end;
		if (here && strncmp(line, "VmFlags:", strlen("VmFlags:")) == 0) {
			*known = true;
			advised = strstr(line, " hg") != NULL;
		}
	}
	if (maps)
		fclose(maps);
	return advised;
}

/* All are written, and stay. Returns how many of them lie below `end`, as mappings do not. */
static size_t take_blocks(uintptr_t end)
{
	size_t inside = 0;

	for (size_t i = 0; i < BLOCKS; i++) {
		char *block = malloc(BLOCK_BYTES);
		if (!block)
			return SIZE_MAX;
		memset(block, (int)i, BLOCK_BYTES);
		inside += (uintptr_t)block < end;
	}
	return inside;
}

static int check_one_range(void)
{
	const uintptr_t begin = (uintptr_t)sbrk(0);

	heap_begin();
	const uintptr_t end = (uintptr_t)sbrk(0);
	/* A malloc that is not glibc's, as a sanitizer's, has no such heap. */
	if (end == begin)
		return OTHER_MALLOC;
	if (take_blocks(end) != BLOCKS || (uintptr_t)sbrk(0) != end)
		return 1;
	bool known;
	const bool advised = is_advised((const void *)(begin + (end - begin) / 2), &known);
	/* A kernel without such pages refuses the advice. */
	if (!known || access("/sys/kernel/mm/transparent_hugepage", F_OK) < 0)
		return NO_LARGE_PAGES;
	return advised ? 0 : 2;
}

static int check_leaves_shared(void)
{
	const uintptr_t large_page = 2 << 20;

	heap_begin();
	char *before = malloc(BLOCK_BYTES);
	heap_leave_shared();
	char *behind = malloc(BLOCK_BYTES);
	if (!before || !behind)
		return 1;
	/* As above. */
	if ((uintptr_t)behind > (uintptr_t)sbrk(0))
		return OTHER_MALLOC;
	memset(before, 1, BLOCK_BYTES);
	memset(behind, 2, BLOCK_BYTES);
	/* All but what lies before the page's first block. */
	return (uintptr_t)before / large_page < ((uintptr_t)behind + BLOCK_BYTES) / large_page ? 0
											       : 2;
}

/* Nothing is reserved that others may need. */
static int check_limited(void)
{
	const uintptr_t begin = (uintptr_t)sbrk(0);

	setrlimit(RLIMIT_DATA, &(struct rlimit){LIMIT_BYTES, LIMIT_BYTES});
	heap_begin();
	heap_leave_shared();
	if ((uintptr_t)sbrk(0) - begin > LIMIT_BYTES / 16)
		return 1;
	return take_blocks(UINTPTR_MAX) == BLOCKS ? 0 : 2;
}

static void pass_or_skip(int result)
{
	if (result == OTHER_MALLOC)
		print_message("skipped: malloc is not the C library's\n");
	if (result == NO_LARGE_PAGES)
		print_message(
			"skipped: the kernel has no transparent huge pages, or does not tell\n");
	if (result == OTHER_MALLOC || result == NO_LARGE_PAGES)
		skip();
	assert_int_equal(result, 0);
}

static void test_one_range(void **state)
{
	(void)state;
	pass_or_skip(in_child(check_one_range));
}

static void test_leaves_shared(void **state)
{
	(void)state;
	pass_or_skip(in_child(check_leaves_shared));
}

static void test_limited(void **state)
{
	(void)state;
	assert_int_equal(in_child(check_limited), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_range),
		cmocka_unit_test(test_leaves_shared),
		cmocka_unit_test(test_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
