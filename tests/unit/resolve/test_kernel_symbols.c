/* The kernel's functions from text of any order, and from what an earlier reading has kept. */
#include "resolve/kernel_symbols.h"

#include "base/file.h"
#include "tests/support/own_directory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char cache[] = "/tmp/tare-test-kernel-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return own_directory_make(cache) ? setenv("XDG_CACHE_HOME", cache, 1) : -1;
}

static int tear_down(void **state)
{
	struct error ignored;

	(void)state;
	directory_remove(cache, &ignored);
	return 0;
}

static void expect(struct kernel_symbols *symbols, uint64_t addr, const char *name,
		   const char *module)
{
	uint64_t size;
	const struct kernel_symbol *symbol = kernel_symbols_covering(symbols, addr, &size);

	assert_non_null(symbol);
	assert_string_equal(symbol->name, name);
	assert_true(!module == !symbol->module);
	if (module)
		assert_string_equal(symbol->module, module);
}

static void test_lines_of_any_order(void **state)
{
	struct kernel_symbols symbols;

	(void)state;
	kernel_symbols_parse(&symbols, "ffffffff81000000 T _stext\n"
				       "ffffffff81000000 T longer_alias\n"
				       "ffffffff81000000 T begin\n"
				       "ffffffff81000010 t __pfx_second\n"
				       "ffffffff81000020 w second\n"
				       "ffffffff81000030 d data\n"
				       "fffffffg81000030 t digit\n"
				       "1ffffffff81000030 t long_address\n"
				       "ffffffff81000030 tt long_type\n"
				       "ffffffff81000030 t\n"
				       "ffffffff81000040 T _etext\n"
				       "ffffffffc0002000 t later\t[two]\n"
				       "ffffffffc0001000 t earlier\t[one]\n"
				       "ffffffffc0003000 W last\t[one]");
	assert_int_equal(symbols.list.len, 6);
	assert_int_equal(symbols.text_end, 0xffffffff81000040);
	expect(&symbols, 0xffffffff81000000, "begin", NULL);
	expect(&symbols, 0xffffffff8100001f, "begin", NULL);
	expect(&symbols, 0xffffffff81000039, "second", NULL);
	expect(&symbols, 0xffffffffc0001fff, "earlier", "[one]");
	expect(&symbols, 0xffffffffc0002000, "later", "[two]");
	expect(&symbols, 0xffffffffc0004000, "last", "[one]");
	kernel_symbols_fini(&symbols);
}

static void test_modules_below_the_kernel(void **state)
{
	struct kernel_symbols symbols;

	(void)state;
	kernel_symbols_parse(&symbols, "ffffffff81000000 T begin\n"
				       "ffffffff80000000 t low\t[one]\n");
	expect(&symbols, 0xffffffff80000010, "low", "[one]");
	expect(&symbols, 0xffffffff81000010, "begin", NULL);
	kernel_symbols_fini(&symbols);
}

static void test_what_is_kept_tells_the_same(void **state)
{
	struct kernel_symbols read, kept;
	uint64_t size;

	(void)state;
	kernel_symbols_read(&read, true);
	if (!read.list.len) {
		kernel_symbols_fini(&read);
		print_message("the kernel hides its addresses from this user\n");
		skip();
	}
	assert_false(read.is_kept);
	kernel_symbols_read(&kept, true);
	assert_true(kept.is_kept);
	assert_int_equal(kept.text_end, read.text_end);
	assert_int_equal(kept.list.len, read.list.len);
	for (size_t i = 0; i < read.list.len; i++) {
		const struct kernel_symbol *a = &read.list.data[i], *b = &kept.list.data[i];
		assert_int_equal(a->addr, b->addr);
		assert_string_equal(a->name, b->name);
		assert_true(!a->module == !b->module);
	}
	kernel_symbols_covering(&kept, read.text_end - 1, &size);
	assert_true(kept.is_kept);
	/* Nobody knows who has come there since. */
	kernel_symbols_covering(&kept, UINT64_MAX, &size);
	assert_false(kept.is_kept);
	assert_true(kept.list.len > 0);
	kernel_symbols_fini(&read);
	kernel_symbols_fini(&kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_of_any_order),
		cmocka_unit_test(test_modules_below_the_kernel),
		cmocka_unit_test_setup_teardown(test_what_is_kept_tells_the_same, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
