/*
 * Unwind tables of the new file, over copies of every function of real files: at every byte of
 * every copy the rows are those of the original; libdw, which reads .eh_frame or .eh_frame_hdr, and
 * the loader's own search agree; the original records say what they said before.
 */
#include "object/cfi_write.h"
#include "tests/support/fake_copies.h"
#include "tests/support/frame_compare.h"
#include "tests/support/small_elf.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const files[] = {
	"/bin/bash",
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
};

enum { FILE_COUNT = sizeof(files) / sizeof(*files) };

struct pair {
	struct object *original, *copy;
	struct fake_copies fake;
};

static bool pair_open(struct pair *pair, const char *path)
{
	struct error err;

	pair->original = object_open(path, OBJECT_ALL, &err);
	if (!pair->original) {
		print_message("skipped: %s\n", err.message);
		return false;
	}
	if (!fake_copies_build(pair->original, &pair->fake, &err))
		fail_msg("%s: %s", path, err.message);
	pair->copy = object_open_bytes(pair->fake.file.data, pair->fake.file.len, "copy",
				       OBJECT_UNWIND, &err);
	if (!pair->copy)
		fail_msg("%s: %s", path, err.message);
	return true;
}

static void pair_close(struct pair *pair)
{
	object_close(pair->copy);
	fake_copies_fini(&pair->fake);
	object_close(pair->original);
}

/* The state that has to hold at a byte of a copy. */
static struct cfi_state expected_state(const struct copy_range *range, const struct cfi_rows *rows,
				       uint64_t copy_addr, struct arena *arena)
{
	struct cfi_state state;
	struct error err;
	uint64_t like;
	int64_t delta;

	fake_copies_expect(range, copy_addr, &like, &delta);
	state = cfi_row_at(rows, like)->state;
	assert_true(!delta || cfi_write_shift(&state, delta, arena, &err));
	return state;
}

static void check_copy(const struct pair *pair, const struct copy_range *range, Dwarf_CFI *cfi,
		       uint64_t step)
{
	const struct object_fde *fde = object_fde_covering(pair->copy, range->copy_begin);
	struct cfi_rows rows = {0}, copied = {0};
	struct arena arena;
	struct error err;

	arena_init(&arena);
	assert_non_null(fde);
	assert_int_equal(fde->begin, range->copy_begin);
	assert_int_equal(fde->end, range->copy_end);
	assert_true(cfi_rows_read(range->fde, &rows, &err));
	if (!cfi_rows_read(fde, &copied, &err))
		fail_msg("%s", err.message);
	for (uint64_t addr = range->copy_begin; addr < range->copy_end; addr++) {
		const struct cfi_state state = expected_state(range, &rows, addr, &arena);
		if (!cfi_state_equal(&state, &cfi_row_at(&copied, addr)->state))
			fail_msg("row of 0x%lx at 0x%lx", (unsigned long)range->fde->begin,
				 (unsigned long)addr);
		const char *difference = NULL;
		if (addr % step == 0 && (difference = frame_difference(cfi, addr, &state)))
			fail_msg("libdw: row of 0x%lx at 0x%lx: %s",
				 (unsigned long)range->fde->begin, (unsigned long)addr, difference);
	}
	arena_fini(&arena);
	vec_fini(&rows);
	vec_fini(&copied);
}

static Dwarf_CFI *cfi_of(struct byte_vec *file, Elf **elf)
{
	elf_version(EV_CURRENT);
	*elf = elf_memory((char *)file->data, file->len);
	assert_non_null(*elf);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(*elf);
	assert_non_null(cfi);
	return cfi;
}

static void check_all_copies(struct pair *pair, uint64_t step)
{
	Elf *elf;
	Dwarf_CFI *cfi = cfi_of(&pair->fake.file, &elf);

	vec_foreach (range, &pair->fake.ranges)
		check_copy(pair, range, cfi, step);
	dwarf_cfi_end(cfi);
	elf_end(elf);
}

static void copies_have_the_rows_of_the_original(void **state)
{
	size_t tried = 0;

	(void)state;
	for (size_t i = 0; i < FILE_COUNT; i++) {
		struct pair pair = {0};
		if (!pair_open(&pair, files[i]))
			continue;
		size_t count;
		object_fdes(pair.original, &count);
		print_message("%s: %zu functions, %zu copied, %zu refused; "
			      "%lu FDEs moved, %lu kept\n",
			      files[i], count, pair.fake.ranges.len, pair.fake.refused,
			      (unsigned long)pair.fake.unwind.records_moved,
			      (unsigned long)pair.fake.unwind.records_kept);
		assert_int_equal(pair.fake.refused, 0);
		assert_int_equal(pair.fake.ranges.len, count);
		check_all_copies(&pair, 37);
		pair_close(&pair);
		tried++;
	}
	assert_true(tried >= 2);
}

static void original_records_keep_their_meaning(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct pair pair = {0};
		struct error err;
		size_t count;
		if (!pair_open(&pair, files[i]))
			continue;
		const struct object_fde *fdes = object_fdes(pair.original, &count);
		struct cfi_rows old_rows = {0}, new_rows = {0};
		for (size_t k = 0; k < count; k++) {
			const struct object_fde *moved =
				object_fde_covering(pair.copy, fdes[k].begin);
			assert_non_null(moved);
			assert_true(moved->begin == fdes[k].begin && moved->end == fdes[k].end);
			assert_int_equal(moved->lsda, fdes[k].lsda);
			assert_int_equal(moved->cie->personality, fdes[k].cie->personality);
			assert_true(moved->addr >= pair.fake.layout.image_addr);
			old_rows.len = new_rows.len = 0;
			assert_true(cfi_rows_read(&fdes[k], &old_rows, &err));
			assert_true(cfi_rows_read(moved, &new_rows, &err));
			assert_int_equal(old_rows.len, new_rows.len);
			for (size_t r = 0; r < old_rows.len; r++)
				assert_true(cfi_state_equal(&old_rows.data[r].state,
							    &new_rows.data[r].state));
		}
		vec_fini(&old_rows);
		vec_fini(&new_rows);
		pair_close(&pair);
	}
}

/* Without section headers everything goes through .eh_frame_hdr. */
static void without_sections(void **state)
{
	struct pair pair = {0};
	struct error err;
	size_t count;

	(void)state;
	if (!pair_open(&pair, files[0]))
		skip();
	Elf64_Ehdr *header = (Elf64_Ehdr *)pair.fake.file.data;
	header->e_shoff = 0;
	header->e_shnum = header->e_shstrndx = 0;
	object_close(pair.copy);
	pair.copy = object_open_bytes(pair.fake.file.data, pair.fake.file.len, "copy",
				      OBJECT_UNWIND, &err);
	assert_non_null(pair.copy);
	object_sections(pair.copy, &count);
	assert_int_equal(count, 0);
	check_all_copies(&pair, 37);
	pair_close(&pair);
}

struct dwarf_eh_bases {
	void *text, *data, *function;
};

/* The search that exceptions use, of libgcc: through dl_iterate_phdr and the table. */
static void loader_search_finds_copies(void **state)
{
	const void *(*find)(void *, struct dwarf_eh_bases *) =
		(const void *(*)(void *, struct dwarf_eh_bases *))dlsym(RTLD_DEFAULT,
									"_Unwind_Find_FDE");
	char path[] = "/tmp/tare-unwind-XXXXXX.so";
	struct pair pair = {0};
	const int fd = mkstemps(path, 3);

	(void)state;
	if (!find)
		find = (const void *(*)(void *, struct dwarf_eh_bases *))dlsym(
			dlopen("libgcc_s.so.1", RTLD_NOW), "_Unwind_Find_FDE");
	assert_non_null(find);
	assert_true(fd >= 0);
	if (!pair_open(&pair, files[3]))
		skip();
	assert_int_equal(write(fd, pair.fake.file.data, pair.fake.file.len),
			 (ssize_t)pair.fake.file.len);
	close(fd);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	unlink(path);
	if (!library)
		fail_msg("%s", dlerror());
	void *symbol = dlsym(library, "SSLeay_version");
	if (!symbol)
		symbol = dlsym(library, "OpenSSL_version");
	Dl_info info;
	assert_true(symbol && dladdr(symbol, &info));
	vec_foreach (range, &pair.fake.ranges) {
		struct dwarf_eh_bases bases;
		char *const base = info.dli_fbase;
		assert_non_null(find(base + range->copy_begin + 1, &bases));
		assert_ptr_equal(bases.function, base + range->copy_begin);
		assert_non_null(find(base + range->fde->begin, &bases));
		assert_ptr_equal(bases.function, base + range->fde->begin);
	}
	dlclose(library);
	pair_close(&pair);
}

/* ---- files by hand ---- */

enum { NEW_FRAME = 0x100000 };

static struct object *small_build(struct small_elf *elf, const struct small_elf_options *options,
				  struct unwind_out *out, struct error *err)
{
	const struct copy_ranges none = {0};

	small_elf_build(elf, options);
	struct object *object =
		object_open_bytes(elf->bytes.data, elf->bytes.len, "small", OBJECT_ALL, err);
	assert_non_null(object);
	const struct unwind_out_input input = {
		.object = object, .ranges = &none, .eh_frame_addr = NEW_FRAME};
	if (!unwind_out_build(&input, out, err)) {
		object_close(object);
		return NULL;
	}
	return object;
}

static uint32_t word_at(const struct byte_vec *bytes, size_t offset)
{
	uint32_t word;

	assert_true(offset + 4 <= bytes->len);
	memcpy(&word, bytes->data + offset, 4);
	return word;
}

/* The FDE record of table entry `index`, as a link address. */
static uint64_t table_record(const struct unwind_out *out, size_t index, uint64_t *begin)
{
	const struct byte_vec *header = &out->eh_frame_hdr;

	*begin = out->eh_frame_hdr_addr + (int64_t)(int32_t)word_at(header, 12 + index * 8);
	return out->eh_frame_hdr_addr + (int64_t)(int32_t)word_at(header, 16 + index * 8);
}

static void no_terminator_but_the_last(void **state)
{
	static const struct small_elf_options all[] = {
		{0}, {.terminators = true}, {.terminators = true, .no_sections = true}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct small_elf elf;
		struct unwind_out out;
		struct error err;
		uint64_t begin;
		size_t records = 0, at = 0;
		struct object *object = small_build(&elf, &all[i], &out, &err);
		assert_non_null(object);
		for (; word_at(&out.eh_frame, at); records++)
			at += word_at(&out.eh_frame, at) + 4;
		assert_int_equal(at + 4, out.eh_frame.len);
		assert_int_equal(records, 3);
		assert_int_equal(word_at(&out.eh_frame_hdr, 8), 2);
		const size_t fde = table_record(&out, 0, &begin) - NEW_FRAME;
		assert_int_equal(begin, SMALL_TEXT);
		/* its CIE is the first record */
		assert_int_equal(word_at(&out.eh_frame, fde + 4), fde + 4);
		assert_int_equal((int32_t)word_at(&out.eh_frame, fde + 8),
				 SMALL_TEXT - (int32_t)(NEW_FRAME + fde + 8));
		unwind_out_fini(&out);
		object_close(object);
		small_elf_fini(&elf);
	}
}

/* A moved pointer leads where it did; one that is null, "no exceptions here", stays null. */
static void pointers_to_exception_tables_move(void **state)
{
	enum { LSDA_FIELD = 17 };
	struct small_elf elf;
	struct unwind_out out;
	struct error err;
	uint64_t begin;

	(void)state;
	struct object *object = small_build(&elf, &(struct small_elf_options){0}, &out, &err);
	assert_non_null(object);
	const size_t alpha = table_record(&out, 0, &begin) - NEW_FRAME;
	const size_t beta = table_record(&out, 1, &begin) - NEW_FRAME;
	assert_int_equal(begin, SMALL_BETA);
	assert_int_equal(NEW_FRAME + alpha + LSDA_FIELD +
				 (size_t)(int32_t)word_at(&out.eh_frame, alpha + LSDA_FIELD),
			 elf.lsda);
	assert_int_equal(word_at(&out.eh_frame, beta + LSDA_FIELD), 0);
	unwind_out_fini(&out);
	object_close(object);
	small_elf_fini(&elf);
}

/* An address in a program cannot be moved by those who do not read it. */
static void record_with_an_address_stays(void **state)
{
	struct small_elf elf;
	struct unwind_out out;
	struct error err;
	uint64_t begin;

	(void)state;
	struct object *object =
		small_build(&elf, &(struct small_elf_options){.set_loc = true}, &out, &err);
	assert_non_null(object);
	assert_int_equal(out.records_moved, 1);
	assert_int_equal(out.records_kept, 1);
	const struct object_fde *beta = object_fde_covering(object, SMALL_BETA);
	assert_int_equal(table_record(&out, 1, &begin), beta->addr);
	assert_int_equal(begin, SMALL_BETA);
	assert_false(unwind_out_check(object, beta, &err));
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	unwind_out_fini(&out);
	object_close(object);
	small_elf_fini(&elf);
}

/* The loader adjusts the pointer in its old place: the moved CIE goes through it. */
static void personality_that_the_loader_adjusts(void **state)
{
	struct small_elf elf;
	struct unwind_out out;
	struct error err;
	int64_t distance;

	(void)state;
	struct object *object = small_build(
		&elf, &(struct small_elf_options){.absolute_personality = true}, &out, &err);
	assert_non_null(object);
	const struct object_cie *cie = object_fde_covering(object, SMALL_TEXT)->cie;
	assert_int_equal(cie->personality, SMALL_BETA);
	const size_t field = cie->personality_field - elf.eh_frame;
	assert_int_equal(out.eh_frame.data[field - 1], 0x9c);
	memcpy(&distance, out.eh_frame.data + field, sizeof(distance));
	assert_int_equal(NEW_FRAME + field + distance, cie->personality_field);
	unwind_out_fini(&out);
	object_close(object);
	small_elf_fini(&elf);
}

static void damaged_table_is_refused(void **state)
{
	struct small_elf elf;
	struct unwind_out out;
	struct error err;

	(void)state;
	struct object *object = small_build(&elf, &(struct small_elf_options){0}, &out, &err);
	assert_non_null(object);
	const struct object_fde *beta = object_fde_covering(object, SMALL_BETA);
	elf.bytes.data[beta->addr + 2] = 1; /* its length */
	const struct copy_ranges none = {0};
	const struct unwind_out_input input = {
		.object = object, .ranges = &none, .eh_frame_addr = NEW_FRAME};
	unwind_out_fini(&out);
	assert_false(unwind_out_build(&input, &out, &err));
	assert_int_equal(err.code, ERROR_INPUT);
	assert_int_equal(out.eh_frame.len, 0);
	object_close(object);
	small_elf_fini(&elf);
}

/* ---- expressions with a deeper stack ---- */

static void shifted_expressions(void **state)
{
	/* rsp+88, dereferenced, plus 8: how OpenSSL's assembler code finds its frame */
	static const unsigned char frame[] = {0x77, 0xd8, 0x00, 0x06, 0x23, 0x08};
	/* the operand 0x77 is a number, not an operation */
	static const unsigned char number[] = {0x08, 0x77, 0x76, 0x10};
	static const unsigned char branching[] = {0x77, 0x00, 0x2f, 0x00, 0x00};
	struct cfi_state frames = {.cfa = {CFI_EXPRESSION, 0, frame, sizeof(frame)}};
	struct cfi_state numbers = {.cfa = {CFI_EXPRESSION, 0, number, sizeof(number)}};
	struct cfi_state branches = {.cfa = {CFI_EXPRESSION, 0, branching, sizeof(branching)}};
	static const unsigned char shifted[] = {0x77, 0xd8, 0x01, 0x06, 0x23, 0x08};
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena);
	assert_true(cfi_write_shift(&frames, 128, &arena, &err));
	assert_int_equal(frames.cfa.expression_size, sizeof(shifted));
	assert_memory_equal(frames.cfa.expression, shifted, sizeof(shifted));
	assert_true(cfi_write_shift(&numbers, 128, &arena, &err));
	assert_int_equal(numbers.cfa.expression_size, sizeof(number));
	assert_memory_equal(numbers.cfa.expression, number, sizeof(number));
	assert_false(cfi_write_shift(&branches, 128, &arena, &err));
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_have_the_rows_of_the_original),
		cmocka_unit_test(original_records_keep_their_meaning),
		cmocka_unit_test(without_sections),
		cmocka_unit_test(loader_search_finds_copies),
		cmocka_unit_test(no_terminator_but_the_last),
		cmocka_unit_test(pointers_to_exception_tables_move),
		cmocka_unit_test(record_with_an_address_stays),
		cmocka_unit_test(personality_that_the_loader_adjusts),
		cmocka_unit_test(damaged_table_is_refused),
		cmocka_unit_test(shifted_expressions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
