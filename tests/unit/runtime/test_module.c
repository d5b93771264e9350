/* Dynamic symbols of files in memory, as different linkers lay their tables out. */
#include "runtime/base/module.h"

#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define FAR 0x7fffffffU /* no name lies there */

static const char strings[] = "\0wanted\0other\0absent";

enum { NAME_WANTED = 1, NAME_OTHER = 8, NAME_ABSENT = 14 };

/* Between the symbols and the names there is room for another table, which looks like symbols. */
struct image {
	Elf64_Sym symbols[3];
	Elf64_Sym between[2];
	char names[sizeof(strings)];
	Elf64_Dyn dynamic[8];
};

static struct image image;
static Elf64_Phdr headers[2];

static uint64_t addr_of(const void *what)
{
	return (uint64_t)what;
}

static struct module_segments segments_of_image(void)
{
	memset(&image, 0, sizeof(image));
	memcpy(image.names, strings, sizeof(strings));
	image.symbols[1].st_name = NAME_WANTED;
	image.symbols[2].st_name = NAME_OTHER;
	image.between[0].st_name = NAME_ABSENT;
	image.between[1].st_name = FAR;
	image.dynamic[0] = (Elf64_Dyn){DT_SYMTAB, {addr_of(image.symbols)}};
	image.dynamic[1] = (Elf64_Dyn){DT_STRTAB, {addr_of(image.names)}};
	image.dynamic[2] = (Elf64_Dyn){DT_STRSZ, {sizeof(strings)}};
	headers[0] = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_vaddr = addr_of(&image), .p_memsz = sizeof(image)};
	headers[1] = (Elf64_Phdr){.p_type = PT_DYNAMIC, .p_vaddr = addr_of(image.dynamic)};
	return (struct module_segments){.headers = headers, .count = 2};
}

/* lld's order: versions and hashes follow the symbols, not the names. */
static void test_symbols_end_at_next_table(void **state)
{
	static const int64_t tags[] = {DT_VERSYM, DT_GNU_HASH, DT_HASH, DT_RELA, DT_VERNEED};
	const struct module_segments segments = segments_of_image();
	struct module_symbols symbols;

	(void)state;
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		image.dynamic[3] = (Elf64_Dyn){tags[i], {addr_of(image.between)}};
		assert_true(module_symbols_find(&segments, &symbols));
		assert_int_equal(symbols.count, 3);
		assert_true(module_imports(&segments, "wanted"));
		assert_true(module_imports(&segments, "other"));
		assert_false(module_imports(&segments, "absent"));
	}
}

/* What no entry tells apart is read as symbols, but no name is looked for outside of the names. */
static void test_names_outside_are_empty(void **state)
{
	const struct module_segments segments = segments_of_image();
	struct module_symbols symbols;

	(void)state;
	assert_true(module_symbols_find(&segments, &symbols));
	assert_int_equal(symbols.count, 5);
	assert_string_equal(module_symbol_name(&symbols, 1), "wanted");
	assert_string_equal(module_symbol_name(&symbols, 4), "");
	assert_string_equal(module_symbol_name(&symbols, 5), "");
	assert_false(module_imports(&segments, "nowhere"));
}

static void test_symbols_end_with_segment(void **state)
{
	const struct module_segments segments = segments_of_image();
	struct module_symbols symbols;
	Elf64_Phdr more[3] = {headers[0], headers[1], headers[0]};
	const struct module_segments apart = {.headers = more, .count = 3};

	(void)state;
	(void)segments;
	more[0].p_memsz = sizeof(image.symbols);
	more[2].p_vaddr = addr_of(image.names);
	more[2].p_memsz = sizeof(image.names);
	assert_true(module_symbols_find(&apart, &symbols));
	assert_int_equal(symbols.count, 3);
}

static void test_refuses_what_has_no_end(void **state)
{
	const struct module_segments segments = segments_of_image();
	struct module_symbols symbols;

	(void)state;
	image.dynamic[2].d_un.d_val = sizeof(image) + 1;
	assert_false(module_symbols_find(&segments, &symbols));
	image.dynamic[2].d_un.d_val = sizeof(strings) - 1; /* the last name has no end */
	assert_false(module_symbols_find(&segments, &symbols));
	image.dynamic[2].d_un.d_val = sizeof(strings);
	image.dynamic[0].d_un.d_ptr = addr_of(image.dynamic); /* nothing follows */
	assert_false(module_symbols_find(&segments, &symbols));
	image.dynamic[0].d_tag = DT_NULL;
	assert_false(module_symbols_find(&segments, &symbols));
	headers[1].p_type = PT_NOTE;
	assert_false(module_symbols_find(&segments, &symbols));
	assert_false(module_imports(&segments, "wanted"));
}

/* The loader's own tables: what it finds by name is found here, through the hashes. */
static int check_file(struct dl_phdr_info *info, size_t size, void *context)
{
	const struct module_segments segments = {
		.bias = info->dlpi_addr, .headers = info->dlpi_phdr, .count = info->dlpi_phnum};
	struct module_symbols symbols;
	int *const found = context;

	(void)size;
	if (!strstr(info->dlpi_name, "libc.so") || !module_symbols_find(&segments, &symbols))
		return 0;
	const Elf64_Sym *symbol = module_symbol_find(&segments, &symbols, "getpid");

	assert_non_null(symbol);
	assert_int_equal(segments.bias + symbol->st_value, addr_of(dlsym(RTLD_NEXT, "getpid")));
	for (uint64_t i = 1; i < symbols.count; i++) {
		const char *name = module_symbol_name(&symbols, i);

		symbol = module_symbol_find(&segments, &symbols, name);
		if (symbols.table[i].st_shndx != SHN_UNDEF)
			assert_string_equal(symbols.names + symbol->st_name, name);
		*found += symbol != NULL;
	}
	assert_null(module_symbol_find(&segments, &symbols, "__sanitizer_symbolize_pc"));
	return 0;
}

static void test_finds_by_hash(void **state)
{
	int found = 0;

	(void)state;
	dl_iterate_phdr(check_file, &found);
	assert_true(found > 1000);
}

static void test_finds_without_hashes(void **state)
{
	const struct module_segments segments = segments_of_image();
	struct module_symbols symbols;

	(void)state;
	image.symbols[2].st_shndx = 1;
	image.dynamic[3] = (Elf64_Dyn){DT_VERSYM, {addr_of(image.between)}};
	assert_true(module_symbols_find(&segments, &symbols));
	assert_ptr_equal(module_symbol_find(&segments, &symbols, "other"), &image.symbols[2]);
	assert_null(module_symbol_find(&segments, &symbols, "wanted")); /* imported */
}

/* Hashes that lead out of the segment are not followed. */
static void test_damaged_hashes(void **state)
{
	struct {
		uint32_t buckets, first, words, shift;
		uint64_t bloom;
		uint32_t bucket, hashes[3];
	} table = {1, 1, 1, 0, UINT64_MAX, 1, {2, 2, 2}};
	const struct module_segments segments = segments_of_image();
	struct module_symbols symbols;

	(void)state;
	image.dynamic[3] = (Elf64_Dyn){DT_VERSYM, {addr_of(image.between)}};
	image.dynamic[4] = (Elf64_Dyn){DT_GNU_HASH, {addr_of(image.names) & ~7ULL}};
	assert_true(module_symbols_find(&segments, &symbols));
	memcpy((void *)(addr_of(image.names) & ~7ULL), &table, 16);
	for (uint32_t words = 1; words; words *= 16) {
		memcpy((char *)(addr_of(image.names) & ~7ULL) + 8, &words, sizeof(words));
		module_symbol_find(&segments, &symbols, "other");
	}
	headers[0].p_memsz = sizeof(image) + sizeof(table);
	assert_null(module_symbol_find(&segments, &symbols, "nowhere"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols_end_at_next_table),
		cmocka_unit_test(test_names_outside_are_empty),
		cmocka_unit_test(test_symbols_end_with_segment),
		cmocka_unit_test(test_refuses_what_has_no_end),
		cmocka_unit_test(test_finds_by_hash),
		cmocka_unit_test(test_finds_without_hashes),
		cmocka_unit_test(test_damaged_hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
