/*
 * The rewriter on real files: verdicts, and the unwind tables of the copies against those of the
 * originals, read back with libdw, at every instruction and in every stub.
 */
#include "rewrite/rewrite.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { UNWIND_REGISTERS = 17 };

static bool same_ops(const Dwarf_Op *a, size_t a_count, const Dwarf_Op *b, size_t b_count)
{
	if (a_count != b_count)
		return false;
	for (size_t i = 0; i < a_count; i++) {
		if (a[i].atom != b[i].atom || a[i].number != b[i].number ||
		    a[i].number2 != b[i].number2)
			return false;
	}
	return true;
}

static bool same_register(Dwarf_Frame *a, Dwarf_Frame *b, int number)
{
	Dwarf_Op memory_a[3], memory_b[3], *ops_a, *ops_b;
	size_t count_a, count_b;
	const int result_a = dwarf_frame_register(a, number, memory_a, &ops_a, &count_a);
	const int result_b = dwarf_frame_register(b, number, memory_b, &ops_b, &count_b);

	/* No operations: undefined if the pointer is the given memory, unchanged if NULL. */
	return result_a == result_b && (ops_a == memory_a) == (ops_b == memory_b) &&
	       same_ops(ops_a, count_a, ops_b, count_b);
}

static bool same_frame(Dwarf_Frame *a, Dwarf_Frame *b)
{
	Dwarf_Op *ops_a, *ops_b;
	size_t count_a = 0, count_b = 0;

	if (dwarf_frame_cfa(a, &ops_a, &count_a) != dwarf_frame_cfa(b, &ops_b, &count_b) ||
	    !same_ops(ops_a, count_a, ops_b, count_b))
		return false;
	for (int number = 0; number < UNWIND_REGISTERS; number++) {
		if (!same_register(a, b, number))
			return false;
	}
	return true;
}

struct rewritten {
	struct object *object;
	struct rewrite_result result;
	struct byte_vec bytes;
	Elf *before, *after;
	Dwarf_CFI *cfi_before, *cfi_after;
	int fd;
};

static void rewrite(struct rewritten *file, const char *path, const struct rewrite_options *options)
{
	struct error err;

	*file = (struct rewritten){0};
	file->object = object_open(path, OBJECT_ALL, &err);
	if (!file->object)
		fail_msg("%s", err.message);
	if (!rewrite_object(file->object, options, &file->bytes, &file->result, &err))
		fail_msg("%s", err.message);
	assert_false(file->result.nothing_to_do);
	elf_version(EV_CURRENT);
	file->fd = open(path, O_RDONLY);
	file->before = elf_begin(file->fd, ELF_C_READ, NULL);
	file->after = elf_memory((char *)file->bytes.data, file->bytes.len);
	assert_non_null(file->before);
	assert_non_null(file->after);
	file->cfi_before = dwarf_getcfi_elf(file->before);
	file->cfi_after = dwarf_getcfi_elf(file->after);
	assert_non_null(file->cfi_before);
	assert_non_null(file->cfi_after);
}

static void release(struct rewritten *file)
{
	dwarf_cfi_end(file->cfi_before);
	dwarf_cfi_end(file->cfi_after);
	elf_end(file->before);
	elf_end(file->after);
	close(file->fd);
	vec_fini(&file->bytes);
	rewrite_result_fini(&file->result);
	object_close(file->object);
}

static bool frames_agree(const struct rewritten *file, uint64_t addr, uint64_t copy_addr)
{
	Dwarf_Frame *before = NULL, *after = NULL;
	const bool agree = dwarf_cfi_addrframe(file->cfi_before, addr, &before) == 0 &&
			   dwarf_cfi_addrframe(file->cfi_after, copy_addr, &after) == 0 &&
			   same_frame(before, after);

	free(before);
	free(after);
	return agree;
}

static void check_points(const struct rewritten *file)
{
	size_t wrong = 0;

	assert_true(file->result.points.len > 1000);
	vec_foreach (point, &file->result.points) {
		/* Dropped filler has the place of the instruction behind it. */
		if (point + 1 < file->result.points.data + file->result.points.len &&
		    point->copy_addr == point[1].copy_addr)
			continue;
		if (frames_agree(file, point->addr, point->copy_addr))
			continue;
		if (wrong++ < 5)
			print_error("row of %#lx differs at its copy %#lx\n", point->addr,
				    point->copy_addr);
	}
	assert_int_equal(wrong, 0);
	/* The originals keep theirs. */
	for (size_t i = 0; i < file->result.points.len; i += 97) {
		const uint64_t addr = file->result.points.data[i].addr;
		assert_true(frames_agree(file, addr, addr));
	}
}

/* No byte of the copied code is without a row; filler between functions apart. */
static void check_coverage(const struct rewritten *file)
{
	size_t missing = 0;

	for (uint64_t addr = file->result.code_begin; addr < file->result.code_end; addr++) {
		Dwarf_Frame *frame = NULL;
		missing += dwarf_cfi_addrframe(file->cfi_after, addr, &frame) != 0;
		free(frame);
	}
	/* At most 15 bytes of filler before each function's copy. */
	assert_true(missing <= file->result.functions.len * 15);
}

static void check_file(const char *path, bool syscalls_only)
{
	struct rewritten file;
	const struct rewrite_options options = {
		.syscalls_only = syscalls_only, .keep_small = true, .keep_points = true};

	rewrite(&file, path, &options);
	check_points(&file);
	check_coverage(&file);
	release(&file);
}

static void test_unwind_bash(void **state)
{
	(void)state;
	check_file("/bin/bash", false);
}

static void test_unwind_libc(void **state)
{
	(void)state;
	check_file("/lib/x86_64-linux-gnu/libc.so.6", false);
	check_file("/lib/x86_64-linux-gnu/libc.so.6", true);
}

static void test_unwind_libstdcxx(void **state)
{
	static const char path[] = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6";

	(void)state;
	if (access(path, R_OK) != 0) {
		print_message("skipped: %s is not installed\n", path);
		skip();
	}
	check_file(path, false);
}

static void test_repeated_rewriting_is_refused(void **state)
{
	struct rewritten file;
	struct error err;
	struct byte_vec again = {0};
	struct rewrite_result result;
	const struct rewrite_options options = {.mode = REWRITE_NULL};

	(void)state;
	rewrite(&file, "/bin/true", &options);
	struct object *object =
		object_open_bytes(file.bytes.data, file.bytes.len, "copy", OBJECT_ALL, &err);
	assert_non_null(object);
	assert_false(rewrite_object(object, &options, &again, &result, &err));
	assert_non_null(strstr(err.message, "already"));
	assert_int_equal(again.len, 0);
	object_close(object);
	release(&file);
}

static void test_output_is_deterministic(void **state)
{
	struct rewritten first, second;
	const struct rewrite_options options = {.mode = REWRITE_FULL};

	(void)state;
	rewrite(&first, "/bin/ls", &options);
	rewrite(&second, "/bin/ls", &options);
	assert_int_equal(first.bytes.len, second.bytes.len);
	assert_memory_equal(first.bytes.data, second.bytes.data, first.bytes.len);
	release(&first);
	release(&second);
}

/* More threads than processors, so that pieces end in many orders. */
static void test_threads_do_not_show(void **state)
{
	static const char *const paths[] = {"/bin/bash", "/lib/x86_64-linux-gnu/libc.so.6"};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct rewritten one, many;
		struct rewrite_options options = {
			.mode = REWRITE_FULL, .keep_points = true, .threads = 1};
		rewrite(&one, paths[i], &options);
		options.threads = 7;
		rewrite(&many, paths[i], &options);
		assert_int_equal(one.bytes.len, many.bytes.len);
		assert_memory_equal(one.bytes.data, many.bytes.data, one.bytes.len);
		assert_memory_equal(&one.result.statistics, &many.result.statistics,
				    sizeof(one.result.statistics));
		assert_int_equal(one.result.points.len, many.result.points.len);
		assert_memory_equal(one.result.points.data, many.result.points.data,
				    one.result.points.len * sizeof(*one.result.points.data));
		release(&one);
		release(&many);
	}
}

static bool selects_echo(const char *name, uint64_t addr, void *context)
{
	(void)addr;
	(void)context;
	return strcmp(name, "echo_builtin") == 0;
}

static void test_selection(void **state)
{
	struct rewritten file;
	const struct rewrite_options options = {
		.mode = REWRITE_FULL, .keep_small = true, .select = selects_echo};
	size_t instrumented = 0;

	(void)state;
	rewrite(&file, "/bin/bash", &options);
	vec_foreach (function, &file.result.functions) {
		if (function->verdict != REWRITE_INSTRUMENTED)
			continue;
		assert_string_equal(function->name, "echo_builtin");
		instrumented++;
	}
	assert_int_equal(instrumented, 1);
	release(&file);
}

/* ---- small functions ---- */

__asm__(".macro function name\n"
	"	.balign 16, 0xcc\n"
	"	.globl \\name\n"
	"	.type \\name, @function\n"
	"\\name:\n"
	"	.cfi_startproc\n"
	".endm\n"
	".macro function_end name\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size \\name, .-\\name\n"
	".endm\n"
	".text\n"
	"	function small_straight\n"
	"	.rept 11\n	inc %eax\n	.endr\n" /* twelve with ret */
	"	function_end small_straight\n"
	"	function small_forward\n"
	"	test %edi, %edi\n	je 1f\n	inc %eax\n1:\n"
	"	function_end small_forward\n"
	"	function longer_by_one\n"
	"	.rept 12\n	inc %eax\n	.endr\n"
	"	function_end longer_by_one\n"
	"	function short_loop\n"
	"1:	dec %edi\n	jne 1b\n	nopl 0(%rax)\n"
	"	function_end short_loop\n"
	"	function short_caller\n"
	"	call small_straight\n"
	"	function_end short_caller\n"
	"	function short_leaver\n"
	"	test %edi, %edi\n	je small_straight\n"
	"	function_end short_leaver\n");

static enum rewrite_verdict verdict_of(const struct rewritten *file, const char *name)
{
	vec_foreach (function, &file->result.functions)
		if (strcmp(function->name, name) == 0)
			return function->verdict;
	fail_msg("there is no function %s", name);
	return REWRITE_VERDICTS;
}

static void test_small_functions(void **state)
{
	static const struct {
		const char *name;
		bool small;
	} cases[] = {{"small_straight", true}, {"small_forward", true}, {"longer_by_one", false},
		     {"short_loop", false},    {"short_caller", false}, {"short_leaver", false}};
	struct rewritten kept, left;
	const struct rewrite_options keeping = {.mode = REWRITE_FULL, .keep_small = true};
	const struct rewrite_options leaving = {.mode = REWRITE_FULL};

	(void)state;
	rewrite(&kept, "/proc/self/exe", &keeping);
	rewrite(&left, "/proc/self/exe", &leaving);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(verdict_of(&kept, cases[i].name), REWRITE_INSTRUMENTED);
		assert_int_equal(verdict_of(&left, cases[i].name),
				 cases[i].small ? REWRITE_SMALL : REWRITE_INSTRUMENTED);
	}
	release(&kept);
	release(&left);
}

/* ---- symbols ---- */

/* A function without an unwind record whose symbol reaches into a PLT, which has one. */
__asm__(".pushsection text_behind_all, \"ax\", @progbits\n"
	"	.globl reaches_plt\n"
	"	.type reaches_plt, @function\n"
	"reaches_plt:\n"
	"	.rept 13\n	inc %eax\n	.endr\n	ret\n"
	"	.size reaches_plt, 64\n"
	"	.popsection\n"
	"	.pushsection .plt.like, \"ax\", @progbits\n"
	"	.cfi_startproc\n"
	"	.rept 64\n	nop\n	.endr\n	ret\n"
	"	.cfi_endproc\n"
	"	.popsection\n");

static void test_symbols_under_foreign_records(void **state)
{
	struct rewritten file;
	const struct rewrite_options options = {.mode = REWRITE_FULL, .keep_small = true};

	(void)state;
	rewrite(&file, "/proc/self/exe", &options);
	const struct object_section *plt = object_section_by_name(file.object, ".plt.like");
	const struct object_section *text = object_section_by_name(file.object, "text_behind_all");
	assert_non_null(plt);
	assert_non_null(text);
	assert_int_equal(plt->header.sh_addr, text->header.sh_addr + text->header.sh_size);
	assert_non_null(object_fde_covering(file.object, plt->header.sh_addr));
	vec_foreach (function, &file.result.functions)
		assert_string_not_equal(function->name, "reaches_plt");
	release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unwind_bash),
		cmocka_unit_test(test_unwind_libc),
		cmocka_unit_test(test_unwind_libstdcxx),
		cmocka_unit_test(test_repeated_rewriting_is_refused),
		cmocka_unit_test(test_output_is_deterministic),
		cmocka_unit_test(test_threads_do_not_show),
		cmocka_unit_test(test_selection),
		cmocka_unit_test(test_small_functions),
		cmocka_unit_test(test_symbols_under_foreign_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
