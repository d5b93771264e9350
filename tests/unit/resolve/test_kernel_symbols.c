/* The kernel's functions from text of any order, and from what an earlier reading has kept. */
#include "resolve/kernel_symbols.h"

#include "base/file.h"
#include "tests/support/own_directory.h"

#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The first reading of this kernel, or a skip. */
static void read_first(struct kernel_symbols *read)
{
	kernel_symbols_read(read, true);
	if (!read->list.len) {
		kernel_symbols_fini(read);
		print_message("the kernel hides its addresses from this user\n");
		skip();
	}
	assert_null(read->kept.data);
}

static void test_what_is_kept_tells_the_same(void **state)
{
	struct kernel_symbols read, kept;
	uint64_t size, same_size;

	(void)state;
	read_first(&read);
	kernel_symbols_read(&kept, true);
	assert_non_null(kept.kept.data);
	assert_int_equal(kept.text_end, read.text_end);
	assert_null(kernel_symbols_covering(&kept, read.list.data[0].addr - 1, &size));
	vec_foreach (symbol, &read.list) {
		if (symbol->addr >= read.text_end)
			break;
		expect(&kept, symbol->addr, symbol->name, symbol->module);
		kernel_symbols_covering(&kept, symbol->addr, &size);
		kernel_symbols_covering(&read, symbol->addr, &same_size);
		assert_int_equal(size, same_size);
	}
	kernel_symbols_covering(&kept, read.text_end - 1, &size);
	assert_non_null(kept.kept.data);
	/* Nobody knows who has come there since. */
	kernel_symbols_covering(&kept, UINT64_MAX, &size);
	assert_null(kept.kept.data);
	assert_true(kept.list.len > 0);
	kernel_symbols_fini(&read);
	kernel_symbols_fini(&kept);
}

/* Writes eight bytes into what is kept, or cuts so many off its end. */
static void damage(off_t at, uint64_t value, off_t cut)
{
	static char name[512];
	glob_t found;
	struct stat stat;

	snprintf(name, sizeof(name), "%s/tare/derived/kernel-symbols.*", cache);
	assert_int_equal(glob(name, 0, NULL, &found), 0);
	const int fd = open(found.gl_pathv[0], O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &stat), 0);
	if (cut)
		assert_int_equal(ftruncate(fd, cut < stat.st_size ? stat.st_size - cut : 1), 0);
	else
		assert_int_equal(pwrite(fd, &value, sizeof(value), at), sizeof(value));
	close(fd);
	globfree(&found);
}

static void test_damaged_is_read_again(void **state)
{
	static const struct {
		off_t at;
		uint64_t value;
		off_t cut;
	} cases[] = {
		{8, UINT64_MAX, 0}, {8, 0, 0}, {8, 1, 0}, {0, 0, 1}, {0, 0, 1 << 30},
	};
	struct kernel_symbols read;

	(void)state;
	read_first(&read);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kernel_symbols again;

		damage(cases[i].at, cases[i].value, cases[i].cut);
		kernel_symbols_read(&again, true);
		assert_null(again.kept.data);
		assert_int_equal(again.list.len, read.list.len);
		kernel_symbols_fini(&again);
		kernel_symbols_read(&again, true);
		assert_non_null(again.kept.data);
		kernel_symbols_fini(&again);
	}
	kernel_symbols_fini(&read);
}

/* A name that lies beyond the names is none. */
static void test_name_beyond_the_names(void **state)
{
	struct kernel_symbols read, kept;
	uint64_t size;

	(void)state;
	read_first(&read);
	damage(24, UINT64_MAX, 0);
	kernel_symbols_read(&kept, true);
	assert_non_null(kept.kept.data);
	const struct kernel_symbol *symbol =
		kernel_symbols_covering(&kept, read.list.data[0].addr, &size);
	assert_string_equal(symbol->name, "");
	assert_string_equal(symbol->module, "");
	kernel_symbols_fini(&kept);
	kernel_symbols_fini(&read);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_of_any_order),
		cmocka_unit_test(test_modules_below_the_kernel),
		cmocka_unit_test_setup_teardown(test_what_is_kept_tells_the_same, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_damaged_is_read_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_name_beyond_the_names, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
