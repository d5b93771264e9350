/* Words of the PLT lead to copies, and to nothing else than to what the original's jump leads to.
 */
#include "runtime/start/bound.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { PAGE = 4096, CODE_AT = 2048, CODE_BYTES = 512 };

/* A page as of an instrumented file: note, originals, and copies from CODE_AT on. */
static unsigned char *page;

static uint64_t addr_of(unsigned offset)
{
	return (uint64_t)page + offset;
}

static int set_up(void **state)
{
	(void)state;
	/* What follows the page cannot be read. */
	page = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || mprotect(page, PAGE, PROT_READ | PROT_WRITE) != 0)
		return -1;
	const struct tare_module module = {.code_offset = CODE_AT, .code_size = CODE_BYTES};
	memcpy(page, &module, sizeof(module));
	bound_open(addr_of(0), (const struct tare_module *)page);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	bound_close(addr_of(0));
	return munmap(page, 2 * PAGE);
}

static uint64_t put_jump(unsigned from, unsigned to)
{
	const int32_t distance = (int32_t)to - (int32_t)(from + 5);

	page[from] = 0xe9;
	memcpy(page + from + 1, &distance, sizeof(distance));
	return addr_of(from);
}

static void test_entry_of_copy(void **state)
{
	const uint64_t entry_addr = put_jump(1000, CODE_AT + 16);

	(void)state;
	assert_int_equal(bound_entry(addr_of(0), entry_addr), addr_of(CODE_AT + 16));
}

static void test_entry_behind_landing(void **state)
{
	(void)state;
	memcpy(page + 1100, "\xf3\x0f\x1e\xfa", 4);
	put_jump(1104, CODE_AT);
	assert_int_equal(bound_entry(addr_of(0), addr_of(1100)), addr_of(CODE_AT));
}

/* One before the copies, one behind them, and one back. */
static void test_other_jumps_stay(void **state)
{
	static const unsigned targets[] = {CODE_AT - 1, CODE_AT + CODE_BYTES, 100};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t entry_addr = put_jump(1200, targets[i]);
		assert_int_equal(bound_entry(addr_of(0), entry_addr), entry_addr);
	}
}

static void test_no_jump_stays(void **state)
{
	(void)state;
	page[1300] = 0xc3;
	assert_int_equal(bound_entry(addr_of(0), addr_of(1300)), addr_of(1300));
	assert_int_equal(bound_entry(addr_of(0), 0), 0);
}

/* No byte behind it is read. */
static void test_last_byte(void **state)
{
	(void)state;
	page[PAGE - 1] = 0xc3;
	assert_int_equal(bound_entry(addr_of(0), addr_of(PAGE - 1)), addr_of(PAGE - 1));
	page[PAGE - 2] = 0xf3;
	assert_int_equal(bound_entry(addr_of(0), addr_of(PAGE - 2)), addr_of(PAGE - 2));
}

static void test_files_come_and_go(void **state)
{
	const uint64_t entry_addr = put_jump(1400, CODE_AT);

	(void)state;
	assert_int_equal(bound_entry(addr_of(8), entry_addr), entry_addr);
	assert_int_equal(bound_entry(0, entry_addr), entry_addr);
	bound_close(addr_of(0));
	assert_int_equal(bound_entry(addr_of(0), entry_addr), entry_addr);
	bound_open(addr_of(0), (const struct tare_module *)page);
	assert_int_equal(bound_entry(addr_of(0), entry_addr), addr_of(CODE_AT));
}

/* Where no room is left the jump stays; the place of one that went is the next one's. */
static void test_full(void **state)
{
	const uint64_t entry_addr = put_jump(1500, CODE_AT);
	uint64_t bound = 0;

	(void)state;
	for (unsigned i = 1; i <= BOUND_FILES_MAX; i++) {
		bound_open(i, (const struct tare_module *)page);
		bound += bound_entry(i, entry_addr) != entry_addr;
	}
	assert_int_equal(bound, BOUND_FILES_MAX - 1);
	bound_close(7);
	bound_open(BOUND_FILES_MAX, (const struct tare_module *)page);
	assert_int_equal(bound_entry(BOUND_FILES_MAX, entry_addr), addr_of(CODE_AT));
	for (unsigned i = 1; i <= BOUND_FILES_MAX; i++)
		bound_close(i);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entry_of_copy),
		cmocka_unit_test(test_entry_behind_landing),
		cmocka_unit_test(test_other_jumps_stay),
		cmocka_unit_test(test_no_jump_stays),
		cmocka_unit_test(test_last_byte),
		cmocka_unit_test(test_files_come_and_go),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
