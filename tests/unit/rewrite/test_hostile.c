/*
 * Files that are made to mislead the rewriter, or to make it work without end. Each found by
 * fuzzing or by looking for what grows faster than the file.
 */
#include "rewrite/rewrite.h"
#include "tests/support/small_elf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct object *open_bytes(const struct byte_vec *bytes)
{
	struct error err;
	struct object *object =
		object_open_bytes(bytes->data, bytes->len, "hostile", OBJECT_ALL, &err);

	if (!object)
		fail_msg("%s", err.message);
	return object;
}

static void rewrite(const struct object *object, struct byte_vec *out,
		    struct rewrite_result *result)
{
	const struct rewrite_options options = {.keep_small = true};
	struct error err;

	if (!rewrite_object(object, &options, out, result, &err))
		fail_msg("%s", err.message);
}

/* The FDE of the small file's first function, at its address, which is its place, too. */
static uint64_t first_fde(const struct byte_vec *bytes)
{
	struct object *object = open_bytes(bytes);
	size_t count;
	const uint64_t addr = object_fdes(object, &count)->addr;

	assert_true(count > 0);
	object_close(object);
	return addr;
}

/* A function in the file's headers: the jump at its entry would go over what the loader reads. */
static void test_function_in_headers(void **state)
{
	struct small_elf elf;
	struct byte_vec out = {0};
	struct rewrite_result result;

	(void)state;
	small_elf_build(&elf, &(struct small_elf_options){0});
	const uint64_t fde = first_fde(&elf.bytes);
	set_u32(&elf.bytes, fde + 8, (uint32_t)(0 - (fde + 8)));
	set_u32(&elf.bytes, fde + 12, 21);
	struct object *object = open_bytes(&elf.bytes);
	rewrite(object, &out, &result);
	assert_int_equal(result.functions.data[0].addr, 0);
	assert_int_equal(result.functions.data[0].verdict, REWRITE_UNDECODABLE);
	rewrite_result_fini(&result);
	vec_fini(&out);
	object_close(object);
	small_elf_fini(&elf);
}

/* What looks like the read of a jump table, but the jump goes through memory, not a register. */
static void test_table_read_before_jump_through_memory(void **state)
{
	static const unsigned char code[] = {0x48, 0x63, 0x04, 0x82, /* movslq (%rdx,%rax,4),%rax */
					     0xff, 0x22};	     /* jmp *(%rdx) */
	struct small_elf elf;
	struct byte_vec out = {0};
	struct rewrite_result result;

	(void)state;
	small_elf_build(&elf, &(struct small_elf_options){0});
	memcpy(elf.bytes.data + SMALL_TEXT, code, sizeof(code));
	struct object *object = open_bytes(&elf.bytes);
	rewrite(object, &out, &result);
	assert_int_equal(result.statistics.jumps_indirect, 1);
	assert_int_equal(result.statistics.jumps_table_static, 0);
	rewrite_result_fini(&result);
	vec_fini(&out);
	object_close(object);
	small_elf_fini(&elf);
}

/* ---- work that must not grow with the square of the file ---- */

enum { HEADERS = 0x1000, FUNCTIONS = 50000, FUNCTION_BYTES = 16 };

/* A library of one segment: `text`, cut into functions of `size` bytes each. */
static void build_large(struct byte_vec *file, const struct byte_vec *text, size_t size)
{
	static const unsigned char cie[] = {20, 0,    0,  0, 0,	   0,  0, 0, 1,	   'z', 'R', 0,
					    1,	0x78, 16, 1, 0x1b, 12, 7, 8, 0x90, 1,	0,   0};
	const size_t eh_frame = HEADERS + text->len, count = text->len / size;
	const size_t header = eh_frame + sizeof(cie) + count * 20 + 4, end = header + 8;
	const Elf64_Ehdr elf = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(elf),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2};
	const Elf64_Phdr segments[] = {{.p_type = PT_LOAD,
					.p_flags = PF_R | PF_X,
					.p_filesz = end,
					.p_memsz = end,
					.p_align = 0x1000},
				       {.p_type = PT_GNU_EH_FRAME,
					.p_offset = header,
					.p_vaddr = header,
					.p_filesz = 8,
					.p_memsz = 8}};

	put_bytes(file, &elf, sizeof(elf));
	put_bytes(file, segments, sizeof(segments));
	while (file->len < HEADERS)
		put_u8(file, 0);
	put_bytes(file, text->data, text->len);
	put_bytes(file, cie, sizeof(cie));
	for (size_t i = 0; i < count; i++) {
		put_u32(file, 16);
		put_u32(file, (uint32_t)(file->len - eh_frame));
		put_u32(file, (uint32_t)(HEADERS + i * size - file->len));
		put_u32(file, (uint32_t)size);
		put_u32(file, 0);
	}
	put_u32(file, 0);
	put_bytes(file, "\x01\x1b\xff\xff", 4);
	put_u32(file, (uint32_t)(eh_frame - file->len));
}

/* `code` again and again; where it has a relative operand, it leads `distance` further. */
static void check_large(const char *code, size_t code_size, int32_t distance, size_t size)
{
	struct byte_vec text = {0}, file = {0}, out = {0};
	struct rewrite_result result;

	for (size_t i = 0; i < FUNCTIONS; i++) {
		const size_t at = text.len;
		put_bytes(&text, code, code_size);
		if (distance)
			set_u32(&text, at + 1, (uint32_t)distance);
		while (text.len < at + FUNCTION_BYTES)
			put_u8(&text, 0x90);
	}
	text.data[text.len - 1] = 0xc3;
	build_large(&file, &text, size ? size : text.len);
	struct object *object = open_bytes(&file);
	rewrite(object, &out, &result);
	assert_int_equal(result.functions.len, size ? FUNCTIONS : 1);
	rewrite_result_fini(&result);
	object_close(object);
	vec_fini(&out);
	vec_fini(&file);
	vec_fini(&text);
}

/* Each calls the next, whose registers it must know, and jumps somewhere. */
static void test_chain_of_calls(void **state)
{
	(void)state;
	check_large("\xe8....\xff\xe0", 7, FUNCTION_BYTES - 5, FUNCTION_BYTES);
}

/* Each jumps into the middle of the next: one unit of all. */
static void test_large_unit(void **state)
{
	(void)state;
	check_large("\xe9....", 5, FUNCTION_BYTES - 5 + 6, FUNCTION_BYTES);
}

static void test_many_indirect_jumps(void **state)
{
	(void)state;
	check_large("\x48\x8d\x15\0\0\0\0\xff\xe0", 9, 0, 0);
}

static void test_nothing_but_nops(void **state)
{
	(void)state;
	check_large("\x90", 1, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_function_in_headers),
		cmocka_unit_test(test_table_read_before_jump_through_memory),
		cmocka_unit_test(test_chain_of_calls),
		cmocka_unit_test(test_large_unit),
		cmocka_unit_test(test_many_indirect_jumps),
		cmocka_unit_test(test_nothing_but_nops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
