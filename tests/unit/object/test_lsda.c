/*
 * Exception tables: a written one and damaged ones, and all tables of real files against those of
 * copies of every function.
 */
#include "object/encoded_pointer.h"
#include "object/lsda.h"
#include "tests/support/fake_copies.h"
#include "tests/support/small_elf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool read_small(struct small_elf *elf, struct lsda *lsda, struct error *err)
{
	struct object *object =
		object_open_bytes(elf->bytes.data, elf->bytes.len, "small", OBJECT_UNWIND, err);
	size_t count;

	assert_non_null(object);
	const struct object_fde *fdes = object_fdes(object, &count);
	const bool ok = lsda_read(object, &fdes[0], lsda, err);
	object_close(object);
	return ok;
}

static void small_table(void **state)
{
	struct small_elf elf;
	struct lsda lsda;
	struct error err;
	uint64_t entry, value;

	(void)state;
	small_elf_build(&elf, &(struct small_elf_options){0});
	struct object *object =
		object_open_bytes(elf.bytes.data, elf.bytes.len, "small", OBJECT_UNWIND, &err);
	assert_true(lsda_read(object, object_fde_covering(object, SMALL_TEXT), &lsda, &err));
	assert_int_equal(lsda.call_sites.len, 2);
	assert_int_equal(lsda.call_sites.data[0].begin, SMALL_TEXT + 4);
	assert_int_equal(lsda.call_sites.data[0].end, SMALL_TEXT + 20);
	assert_int_equal(lsda.call_sites.data[0].landing_pad, SMALL_TEXT + 0x30);
	assert_int_equal(lsda.call_sites.data[0].action, 1);
	assert_int_equal(lsda.call_sites.data[1].landing_pad, 0);
	assert_int_equal(lsda.actions_size, 6);
	assert_int_equal(lsda.type_count, 2);
	assert_int_equal(lsda.filters_size, 3);
	assert_memory_equal(lsda.filters, "\x01\x02\x00", 3);
	assert_true(lsda_type(object, &lsda, 1, &entry, &value));
	assert_int_equal(entry, lsda.type_base - 4);
	assert_int_equal(value, 0);
	assert_true(lsda_type(object, &lsda, 2, &entry, &value));
	assert_int_equal(value, SMALL_DATA);
	assert_false(lsda_type(object, &lsda, 0, &entry, &value));
	assert_false(lsda_type(object, &lsda, 3, &entry, &value));
	lsda_fini(&lsda);
	object_close(object);
	small_elf_fini(&elf);
}

static void damaged_tables(void **state)
{
	static const struct {
		size_t offset;
		unsigned char byte;
		const char *text;
	} cases[] = {
		{0, 0x20, "header"},	/* a base that is not known */
		{3, 0x07, "call site"}, /* a call-site format that is not known */
		{3, 0x21, "call site"}, /* call sites with a base */
		{4, 0x7f, "call site"}, /* call sites go on into the types */
		{5, 0x3f, "leaves the function"},
		{9, 0x03, "not in order"},
		{9, 0x08, "not in order"}, /* it begins within the one before */
		{14, 0x40, "an action"},   /* links to before the action table */
		{1, 0x19, "type table"},   /* entries of variable length */
	};
	struct error err;
	struct lsda lsda;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct small_elf elf;
		small_elf_build(&elf, &(struct small_elf_options){0});
		elf.bytes.data[elf.lsda + cases[i].offset] = cases[i].byte;
		if (read_small(&elf, &lsda, &err))
			fail_msg("case %zu was accepted", i);
		if (!strstr(err.message, "0x400") || !strstr(err.message, cases[i].text))
			fail_msg("case %zu: \"%s\"", i, err.message);
		small_elf_fini(&elf);
	}
}

/* A table of which every part is told: pads with a base of their own, eleven types in a chain. */
static void all_parts(void **state)
{
	enum { TYPES = 11, HEADER_END = SMALL_TEXT + 7 };
	const struct object_cie cie = {.lsda_encoding = POINTER_PCREL | POINTER_S32};
	const struct object_fde fde = {
		.begin = SMALL_TEXT, .end = SMALL_BETA, .lsda = SMALL_TEXT, .cie = &cie};
	struct byte_vec table = {0};
	struct small_elf elf;
	struct lsda lsda;
	struct error err;

	(void)state;
	put_u8(&table, POINTER_PCREL | POINTER_S32);
	put_u32(&table, SMALL_BETA - (SMALL_TEXT + 1));
	put_u8(&table, POINTER_U32);
	put_uleb(&table, 6 + 2 * TYPES + 4 * TYPES); /* to the types' end */
	put_u8(&table, POINTER_ULEB);
	put_uleb(&table, 4);
	put_bytes(&table, "\x00\x04\x08\x01", 4);
	for (int i = 1; i <= TYPES; i++) {
		put_sleb(&table, i);
		put_sleb(&table, i < TYPES);
	}
	small_elf_build(&elf, &(struct small_elf_options){0});
	memcpy(elf.bytes.data + SMALL_TEXT, table.data, table.len);
	struct object *object =
		object_open_bytes(elf.bytes.data, elf.bytes.len, "small", OBJECT_UNWIND, &err);
	assert_non_null(object);
	if (!lsda_read(object, &fde, &lsda, &err))
		fail_msg("%s", err.message);
	assert_int_equal(lsda.call_sites.len, 1);
	assert_int_equal(lsda.call_sites.data[0].landing_pad, SMALL_BETA + 8);
	assert_int_equal(lsda.actions_size, 2 * TYPES);
	assert_int_equal(lsda.type_count, TYPES);
	assert_int_equal(lsda.type_base, HEADER_END + 6 + 2 * TYPES + 4 * TYPES);
	lsda_fini(&lsda);
	object_close(object);
	small_elf_fini(&elf);
	vec_fini(&table);
}

/* ---- copies ---- */

static const struct copy_range *range_covering(const struct fake_copies *fake, uint64_t addr)
{
	vec_foreach (range, &fake->ranges)
		if (addr >= range->fde->begin && addr < range->fde->end)
			return range;
	return NULL;
}

static void check_call_sites(const struct fake_copies *fake, const struct copy_range *range,
			     const struct lsda *old, const struct lsda *new)
{
	size_t at = 0;

	vec_foreach (site, &old->call_sites) {
		if (site->begin == site->end)
			continue;
		const struct lsda_call_site *copy = &new->call_sites.data[at++];
		assert_true(at <= new->call_sites.len);
		assert_int_equal(copy->begin, copy_of(range, site->begin));
		assert_int_equal(copy->end, copy_of(range, site->end));
		assert_int_equal(copy->action, site->action);
		if (!site->landing_pad) {
			assert_int_equal(copy->landing_pad, 0);
			continue;
		}
		const struct copy_range *target = range_covering(fake, site->landing_pad);
		assert_non_null(target);
		assert_int_equal(copy->landing_pad, copy_of(target, site->landing_pad));
	}
	assert_int_equal(new->call_sites.len, at + 1);
	const struct lsda_call_site *stubs = &new->call_sites.data[at];
	assert_int_equal(stubs->begin, range->stubs_begin);
	assert_int_equal(stubs->end, range->copy_end);
	assert_true(!stubs->landing_pad && !stubs->action);
}

/* Rust's personality misreads a begin of landing pads that is relative to its place. */
static void check_pads_base(const struct object *copy, const struct copy_range *range,
			    const struct lsda *new)
{
	const struct object_fde *fde = object_fde_covering(copy, range->copy_begin);
	bool ahead = true;

	vec_foreach (site, &new->call_sites)
		ahead = ahead && (!site->landing_pad || site->landing_pad > range->copy_begin);
	const unsigned char *begin = object_at(copy, fde->lsda, 1);
	assert_non_null(begin);
	assert_int_equal(*begin, ahead ? POINTER_OMIT : (POINTER_PCREL | POINTER_S32));
}

static void check_types(const struct object *original, const struct object *copy,
			const struct lsda *old, const struct lsda *new)
{
	assert_int_equal(new->type_count, old->type_count);
	for (uint64_t i = 1; i <= old->type_count; i++) {
		uint64_t old_entry, old_value, new_entry, new_value;
		assert_true(lsda_type(original, old, i, &old_entry, &old_value));
		assert_true(lsda_type(copy, new, i, &new_entry, &new_value));
		if (old->type_encoding == 0)
			assert_int_equal(new_value, old_entry);
		else
			assert_int_equal(new_value, old_value);
	}
	assert_int_equal(new->filters_size, old->filters_size);
	assert_int_equal(new->actions_size, old->actions_size);
	if (old->filters_size)
		assert_memory_equal(new->filters, old->filters, old->filters_size);
	if (old->actions_size)
		assert_memory_equal(new->actions, old->actions, old->actions_size);
}

static void check_tables(const struct object *original, const struct object *copy,
			 const struct fake_copies *fake, size_t *tables)
{
	struct error err;

	vec_foreach (range, &fake->ranges) {
		const struct object_fde *fde = object_fde_covering(copy, range->copy_begin);
		struct lsda old, new;
		if (!range->fde->lsda) {
			assert_int_equal(fde->lsda, 0);
			continue;
		}
		assert_true(lsda_read(original, range->fde, &old, &err));
		if (!lsda_read(copy, fde, &new, &err))
			fail_msg("%s", err.message);
		check_call_sites(fake, range, &old, &new);
		check_pads_base(copy, range, &new);
		check_types(original, copy, &old, &new);
		lsda_fini(&old);
		lsda_fini(&new);
		++*tables;
	}
}

static void copies_have_the_tables_of_the_original(void **state)
{
	static const char *const files[] = {
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/lib/x86_64-linux-gnu/libc.so.6",
	};
	size_t tables = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct fake_copies fake;
		struct error err;
		struct object *original = object_open(files[i], OBJECT_ALL, &err);
		if (!original) {
			print_message("skipped: %s\n", err.message);
			continue;
		}
		assert_true(fake_copies_build(original, &fake, &err));
		assert_int_equal(fake.refused, 0);
		struct object *copy = object_open_bytes(fake.file.data, fake.file.len, "copy",
							OBJECT_UNWIND, &err);
		assert_non_null(copy);
		check_tables(original, copy, &fake, &tables);
		object_close(copy);
		fake_copies_fini(&fake);
		object_close(original);
	}
	print_message("%zu tables\n", tables);
	assert_true(tables > 0);
}

/* Absolute pointers in the type table are filled in by the loader: copies go through them. */
static void types_that_the_loader_adjusts(void **state)
{
	struct small_elf elf;
	struct fake_copies fake;
	struct error err;
	size_t tables = 0;

	(void)state;
	small_elf_build(&elf, &(struct small_elf_options){.absolute_types = true});
	struct object *original =
		object_open_bytes(elf.bytes.data, elf.bytes.len, "small", OBJECT_ALL, &err);
	assert_true(fake_copies_build(original, &fake, &err));
	struct object *copy =
		object_open_bytes(fake.file.data, fake.file.len, "copy", OBJECT_UNWIND, &err);
	assert_non_null(copy);
	check_tables(original, copy, &fake, &tables);
	assert_int_equal(tables, 1);
	object_close(copy);
	fake_copies_fini(&fake);
	object_close(original);
	small_elf_fini(&elf);
}

/* A landing pad outside the copies makes the table impossible; nothing may be left behind. */
static uint64_t no_pad(void *context, uint64_t addr)
{
	(void)context;
	(void)addr;
	return 0;
}

static void landing_pad_not_copied(void **state)
{
	struct small_elf elf;
	struct byte_vec bytes = {0};
	struct error err;
	uint64_t addr;

	(void)state;
	small_elf_build(&elf, &(struct small_elf_options){0});
	struct object *object =
		object_open_bytes(elf.bytes.data, elf.bytes.len, "small", OBJECT_UNWIND, &err);
	const struct insn insns[] = {{.addr = SMALL_TEXT + 4}, {.addr = SMALL_TEXT + 20}};
	const uint32_t copy_offset[] = {0, 0x20};
	struct copy_range range = {.fde = object_fde_covering(object, SMALL_TEXT),
				   .insns = insns,
				   .copy_offset = copy_offset,
				   .insn_count = 2,
				   .copy_begin = 0x10000,
				   .stubs_begin = 0x10040,
				   .copy_end = 0x10050,
				   .unit_begin = 0x10000};
	const struct lsda_out out = {
		.object = object, .bytes = &bytes, .bytes_addr = 0x11000, .landing_pad = no_pad};
	put_u8(&bytes, 0);
	assert_true(lsda_out_check(object, range.fde, &err));
	assert_false(lsda_out_append(&out, &range, &addr, &err));
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	assert_true(strstr(err.message, "0x430") != NULL);
	assert_int_equal(bytes.len, 1);
	vec_fini(&bytes);
	object_close(object);
	small_elf_fini(&elf);
}

static uint64_t first_byte(void *context, uint64_t addr)
{
	(void)context;
	(void)addr;
	return 0x10000;
}

/* A distance of 0 means that there is no landing pad, so pads count from somewhere below then. The
   type that stands for all of them has no address in the copy either. */
static void landing_pad_at_the_beginning(void **state)
{
	struct small_elf elf;
	struct byte_vec bytes = {0};
	struct lsda lsda;
	struct error err;
	uint64_t addr;

	(void)state;
	small_elf_build(&elf, &(struct small_elf_options){0});
	struct object *object =
		object_open_bytes(elf.bytes.data, elf.bytes.len, "small", OBJECT_UNWIND, &err);
	const struct insn insns[] = {{.addr = SMALL_TEXT + 4}, {.addr = SMALL_TEXT + 20}};
	const uint32_t copy_offset[] = {0, 0x20};
	struct copy_range range = {.fde = object_fde_covering(object, SMALL_TEXT),
				   .insns = insns,
				   .copy_offset = copy_offset,
				   .insn_count = 2,
				   .copy_begin = 0x10000,
				   .stubs_begin = 0x10040,
				   .copy_end = 0x10050,
				   .unit_begin = 0x10000};
	const struct lsda_out out = {.object = object,
				     .bytes = &bytes,
				     .bytes_addr = 0x11000,
				     .landing_pad = first_byte};
	assert_true(lsda_out_append(&out, &range, &addr, &err));
	assert_int_equal(addr, 0x11000);
	assert_int_equal(bytes.data[0], POINTER_PCREL | POINTER_S32);
	int32_t distance;
	memcpy(&distance, bytes.data + 1, sizeof(distance));
	assert_true(0x11001 + distance < 0x10000);
	assert_true(lsda_read(object, range.fde, &lsda, &err));
	memcpy(&distance, bytes.data + bytes.len - lsda.filters_size - 4, sizeof(distance));
	assert_int_equal(distance, 0);
	lsda_fini(&lsda);
	vec_fini(&bytes);
	object_close(object);
	small_elf_fini(&elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_table),
		cmocka_unit_test(damaged_tables),
		cmocka_unit_test(all_parts),
		cmocka_unit_test(copies_have_the_tables_of_the_original),
		cmocka_unit_test(types_that_the_loader_adjusts),
		cmocka_unit_test(landing_pad_not_copied),
		cmocka_unit_test(landing_pad_at_the_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
