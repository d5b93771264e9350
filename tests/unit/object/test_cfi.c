/*
 * Unwind rows of real files against libdw's at every row, and programs made by hand: every
 * instruction, and the malformed ones.
 */
#include "tests/support/frame_compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const files[] = {
	"/bin/bash",
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/usr/bin/git",
	"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
};

static Dwarf_CFI *cfi_of(const struct object *object, Elf **elf)
{
	size_t size;
	const unsigned char *bytes = object_bytes(object, &size);

	elf_version(EV_CURRENT);
	*elf = elf_memory((char *)bytes, size);
	assert_non_null(*elf);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(*elf);
	assert_non_null(cfi);
	return cfi;
}

static void check_rows(const struct object *object, Dwarf_CFI *cfi, size_t *row_count)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(object, &count);
	struct cfi_rows rows = {0};
	struct error err;

	for (size_t i = 0; i < count; i++) {
		rows.len = 0;
		if (!cfi_rows_read(&fdes[i], &rows, &err))
			fail_msg("%s: %s", object_path(object), err.message);
		assert_int_equal(rows.data[0].addr, fdes[i].begin);
		vec_foreach (row, &rows) {
			const uint64_t next =
				row + 1 < rows.data + rows.len ? row[1].addr : fdes[i].end;
			const char *first = frame_difference(cfi, row->addr, &row->state);
			const char *last = frame_difference(cfi, next - 1, &row->state);
			if (first || last)
				fail_msg("%s: 0x%lx: %s differs", object_path(object),
					 (unsigned long)row->addr, first ? first : last);
			assert_true(next > row->addr);
			assert_ptr_equal(cfi_row_at(&rows, next - 1), row);
		}
		*row_count += rows.len;
	}
	vec_fini(&rows);
}

static void rows_agree_with_libdw(void **state)
{
	size_t tried = 0, rows = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct error err;
		Elf *elf;
		struct object *object = object_open(files[i], OBJECT_UNWIND, &err);
		if (!object) {
			print_message("skipped: %s\n", err.message);
			continue;
		}
		Dwarf_CFI *cfi = cfi_of(object, &elf);
		check_rows(object, cfi, &rows);
		dwarf_cfi_end(cfi);
		elf_end(elf);
		object_close(object);
		tried++;
	}
	print_message("%zu files, %zu rows\n", tried, rows);
	assert_true(tried >= 2);
}

/* ---- programs by hand ---- */

static const unsigned char cie_program[] = {0x0c, 7, 8, 0x90, 1};

static bool run_aligned(uint64_t code_align, const char *program, size_t size,
			struct cfi_rows *rows, struct error *err)
{
	const struct object_cie cie = {.code_align = code_align,
				       .data_align = -8,
				       .return_register = 16,
				       .understood = true,
				       .program = cie_program,
				       .program_size = sizeof(cie_program)};
	const struct object_fde fde = {.begin = 0x1000,
				       .end = 0x2000,
				       .cie = &cie,
				       .program = (const unsigned char *)program,
				       .program_size = size};

	return cfi_rows_read(&fde, rows, err);
}

static bool run(const char *program, size_t size, struct cfi_rows *rows, struct error *err)
{
	return run_aligned(1, program, size, rows, err);
}

#define RUN(program, rows, err) run(program, sizeof(program) - 1, rows, err)

static void every_rule(void **state)
{
	struct cfi_rows rows = {0};
	struct error err;

	(void)state;
	assert_true(RUN("\x05\x03\x02"	   /* rbx at cfa-16 */
			"\x11\x06\x7d"	   /* rbp at cfa+24 (signed factor -3) */
			"\x2f\x0c\x02"	   /* r12 at cfa+16 (negated) */
			"\x14\x0d\x01"	   /* r13 is cfa-8 */
			"\x15\x0e\x7f"	   /* r14 is cfa+8 */
			"\x09\x0f\x0b"	   /* r15 in r11 */
			"\x07\x00"	   /* rax undefined */
			"\x08\x01"	   /* rdx same */
			"\x10\x02\x01\x30" /* rcx at address 0 */
			"\x16\x04\x01\x31" /* rsi is 1 */
			"\x2e\x20",	   /* args_size 32 */
			&rows, &err));
	assert_int_equal(rows.len, 1);
	const struct cfi_state *only = &rows.data[0].state;
	assert_int_equal(only->cfa_register, 7);
	assert_int_equal(only->cfa.offset, 8);
	assert_int_equal(only->registers[16].offset, -8);
	assert_int_equal(only->registers[3].kind, CFI_OFFSET);
	assert_int_equal(only->registers[3].offset, -16);
	assert_int_equal(only->registers[6].offset, 24);
	assert_int_equal(only->registers[12].offset, 16);
	assert_int_equal(only->registers[13].kind, CFI_VAL_OFFSET);
	assert_int_equal(only->registers[13].offset, -8);
	assert_int_equal(only->registers[14].offset, 8);
	assert_int_equal(only->registers[15].kind, CFI_REGISTER);
	assert_int_equal(only->registers[15].offset, 11);
	assert_int_equal(only->registers[0].kind, CFI_UNDEFINED);
	assert_int_equal(only->registers[1].kind, CFI_SAME);
	assert_int_equal(only->registers[2].kind, CFI_EXPRESSION);
	assert_int_equal(only->registers[2].expression_size, 1);
	assert_int_equal(only->registers[2].expression[0], 0x30);
	assert_int_equal(only->registers[4].kind, CFI_VAL_EXPRESSION);
	assert_int_equal(only->args_size, 32);
	vec_fini(&rows);
}

static void locations_and_states(void **state)
{
	struct cfi_rows rows = {0};
	struct error err;

	(void)state;
	assert_true(RUN("\x41\x0e\x10"	       /* +1: cfa 16 */
			"\x02\x10\x86\x02"     /* +16: rbp saved */
			"\x0a\x03\x00\x01\xc6" /* remember, +256: rbp restored */
			"\x0b"		       /* restored state at the same place: no row */
			"\x04\x00\x02\x00\x00" /* +512 */
			"\x0d\x06"	       /* cfa in rbp */
			"\x04\x00\x00\x00\x7f" /* beyond the end: ignored */
			"\x0e\x40",
			&rows, &err));
	assert_int_equal(rows.len, 4);
	assert_int_equal(rows.data[0].addr, 0x1000);
	assert_int_equal(rows.data[1].addr, 0x1001);
	assert_int_equal(rows.data[1].state.cfa.offset, 16);
	assert_int_equal(rows.data[2].addr, 0x1011);
	assert_int_equal(rows.data[2].state.registers[6].offset, -16);
	assert_int_equal(rows.data[3].addr, 0x1311);
	assert_int_equal(rows.data[3].state.cfa_register, 6);
	assert_int_equal(rows.data[3].state.cfa.offset, 16);
	assert_ptr_equal(cfi_row_at(&rows, 0x1010), &rows.data[1]);
	assert_null(cfi_row_at(&rows, 0xfff));
	vec_fini(&rows);
}

/* Restoring a state leaves the size of the pushed arguments alone, as in libgcc. */
static void arguments_survive_a_restored_state(void **state)
{
	struct cfi_rows rows = {0};
	struct error err;

	(void)state;
	assert_true(RUN("\x0a\x41\x0e\x10\x2e\x20\x42\x0b", &rows, &err));
	assert_int_equal(rows.len, 3);
	assert_int_equal(rows.data[1].state.args_size, 32);
	assert_int_equal(rows.data[2].state.cfa.offset, 8);
	assert_int_equal(rows.data[2].state.args_size, 32);
	vec_fini(&rows);
}

/* As in hand-written code of libgcrypt: libgcc goes on with the offset of before. */
static void register_behind_an_expression(void **state)
{
	struct cfi_rows rows = {0};
	struct error err;

	(void)state;
	assert_true(RUN("\x0e\x38\x41\x0f\x01\x30\x41\x0d\x07", &rows, &err));
	assert_int_equal(rows.len, 3);
	assert_int_equal(rows.data[1].state.cfa.kind, CFI_EXPRESSION);
	assert_int_equal(rows.data[2].state.cfa.kind, CFI_OFFSET);
	assert_int_equal(rows.data[2].state.cfa_register, 7);
	assert_int_equal(rows.data[2].state.cfa.offset, 56);
	vec_fini(&rows);
}

/* Rules for xmm registers are not understood, but the program is not malformed. */
static void other_registers(void **state)
{
	static const unsigned char program[] = {0x97, 30, 0x41, 0x83, 2, 0xd7};
	const struct object_cie cie = {.code_align = 1,
				       .data_align = -8,
				       .return_register = 16,
				       .understood = true,
				       .program = cie_program,
				       .program_size = sizeof(cie_program)};
	const struct object_fde fde = {.begin = 0x1000,
				       .end = 0x2000,
				       .cie = &cie,
				       .program = program,
				       .program_size = sizeof(program)};
	struct cfi_rows rows = {0};
	struct error err;
	uint64_t other;

	(void)state;
	assert_false(cfi_rows_read(&fde, &rows, &err));
	assert_non_null(strstr(err.message, "register 23"));
	rows.len = 0;
	assert_true(cfi_rows_read_known(&fde, &rows, &other, &err));
	assert_int_equal(other, 23);
	assert_int_equal(rows.len, 2);
	assert_int_equal(rows.data[1].state.registers[3].offset, -16);
	vec_fini(&rows);
}

static void malformed_programs(void **state)
{
	static const struct {
		const char *program;
		size_t size;
		enum error_code code;
	} cases[] = {
		{"\x0b", 1, ERROR_INPUT},	  /* nothing remembered */
		{"\x0e", 1, ERROR_INPUT},	  /* cut off */
		{"\x02", 1, ERROR_INPUT},	  /* cut off */
		{"\x10\x03\x09", 3, ERROR_INPUT}, /* expression too long */
		{"\x0d\x40", 2, ERROR_INPUT},	  /* cfa in register 64 */
		{"\x0e\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12, ERROR_INPUT},
		{"\x91\x01", 2, ERROR_UNSUPPORTED},		/* xmm0 saved */
		{"\x01\0\0\0\0\0\0\0\0", 9, ERROR_UNSUPPORTED}, /* set_loc */
		{"\x2d", 1, ERROR_UNSUPPORTED},			/* window_save */
		{"\x3f\x01", 2, ERROR_UNSUPPORTED},		/* unknown */
	};
	struct cfi_rows rows = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error err = {0};
		assert_false(run(cases[i].program, cases[i].size, &rows, &err));
		assert_int_equal(err.code, cases[i].code);
		assert_true(strstr(err.message, "0x1000") != NULL);
	}
	struct error err = {0};
	char remember[100];
	memset(remember, 0x0a, sizeof(remember));
	assert_false(run(remember, sizeof(remember), &rows, &err));
	assert_int_equal(err.code, ERROR_INPUT);
	vec_fini(&rows);
}

/* What a register is restored to is what the CIE said of it. */
static void restored_registers(void **state)
{
	struct cfi_rows rows = {0};
	struct error err;

	(void)state;
	/* the return address and rbx are lost, and found again one byte on */
	assert_true(RUN("\x07\x10\x83\x02\x41\xd0\xc3\x41\x83\x02\x06\x03", &rows, &err));
	assert_int_equal(rows.len, 2);
	assert_int_equal(rows.data[0].state.registers[16].kind, CFI_UNDEFINED);
	assert_int_equal(rows.data[0].state.registers[3].kind, CFI_OFFSET);
	assert_int_equal(rows.data[1].state.registers[16].kind, CFI_OFFSET);
	assert_int_equal(rows.data[1].state.registers[16].offset, -8);
	assert_int_equal(rows.data[1].state.registers[3].kind, CFI_SAME);
	vec_fini(&rows);
}

static void aligned_locations(void **state)
{
	struct cfi_rows rows = {0};
	struct error err;

	(void)state;
	assert_true(run_aligned(4, "\x42\x0e\x10\x02\x10\x0e\x18", 7, &rows, &err));
	assert_int_equal(rows.len, 3);
	assert_int_equal(rows.data[1].addr, 0x1000 + 4 * 2);
	assert_int_equal(rows.data[2].addr, 0x1000 + 4 * (2 + 16));
	vec_fini(&rows);
}

static void frame_in_the_last_register(void **state)
{
	struct cfi_rows rows = {0};
	struct error err = {0};

	(void)state;
	assert_true(RUN("\x0c\x10\x08", &rows, &err));
	assert_int_equal(rows.data[0].state.cfa_register, 16);
	assert_false(RUN("\x0c\x11\x08", &rows, &err));
	assert_int_equal(err.code, ERROR_INPUT);
	vec_fini(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_agree_with_libdw),
		cmocka_unit_test(every_rule),
		cmocka_unit_test(locations_and_states),
		cmocka_unit_test(arguments_survive_a_restored_state),
		cmocka_unit_test(register_behind_an_expression),
		cmocka_unit_test(other_registers),
		cmocka_unit_test(restored_registers),
		cmocka_unit_test(aligned_locations),
		cmocka_unit_test(frame_in_the_last_register),
		cmocka_unit_test(malformed_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
