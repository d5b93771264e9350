/*
 * The rewriter on real files: verdicts, and the unwind tables of the copies against those of the
 * originals, read back with libdw, at every instruction and in every stub.
 */
#include "rewrite/rewrite.h"

#include "abi/module.h"

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
	/* Filler before each function's copy, up to its place in a line of 64 bytes. */
	assert_true(missing <= file->result.functions.len * 63);
}

static void check_file(const char *path, struct rewrite_options options)
{
	struct rewritten file;

	options.keep_points = true;
	rewrite(&file, path, &options);
	check_points(&file);
	check_coverage(&file);
	release(&file);
}

static void test_unwind_bash(void **state)
{
	(void)state;
	check_file("/bin/bash", (struct rewrite_options){.keep_small = true});
	check_file("/bin/bash", (struct rewrite_options){0});
}

static void test_unwind_libc(void **state)
{
	static const char libc[] = "/lib/x86_64-linux-gnu/libc.so.6";

	(void)state;
	check_file(libc, (struct rewrite_options){.keep_small = true});
	check_file(libc, (struct rewrite_options){0});
	check_file(libc, (struct rewrite_options){.syscalls_only = true});
}

static void test_unwind_libstdcxx(void **state)
{
	static const char path[] = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6";

	(void)state;
	if (access(path, R_OK) != 0) {
		print_message("skipped: %s is not installed\n", path);
		skip();
	}
	check_file(path, (struct rewrite_options){.keep_small = true});
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

/* The build-id's last bytes, as the section of the copy has them. */
static uint64_t identity_of(const struct rewritten *file)
{
	struct error err;
	uint64_t identity;
	struct object *copy = object_open_bytes(file->bytes.data, file->bytes.len, "copy", 0, &err);

	assert_non_null(copy);
	const struct object_section *section = object_section_by_name(copy, ".note.gnu.build-id");
	assert_non_null(section);
	memcpy(&identity,
	       file->bytes.data + section->header.sh_offset + section->header.sh_size -
		       sizeof(identity),
	       sizeof(identity));
	object_close(copy);
	return identity;
}

/* Tools keep files by their build-ids: other code needs another one. */
static void test_copies_have_identities(void **state)
{
	struct rewritten full, again, moved;

	(void)state;
	rewrite(&full, "/bin/ls", &(struct rewrite_options){.mode = REWRITE_FULL});
	rewrite(&again, "/bin/ls", &(struct rewrite_options){.mode = REWRITE_FULL});
	rewrite(&moved, "/bin/ls", &(struct rewrite_options){.mode = REWRITE_NULL});
	assert_true(identity_of(&full) == identity_of(&again));
	assert_true(identity_of(&full) != identity_of(&moved));
	release(&full);
	release(&again);
	release(&moved);
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
	"	function small_flags\n"
	"	sbb %eax, %eax\n"
	"	function_end small_flags\n"
	"	function flags_giver\n"
	"	.rept 12\n	inc %eax\n	.endr\n"
	"	cmp %edi, %esi\n	call small_flags\n"
	"	function_end flags_giver\n"
	"	function too_short\n"
	"	function_end too_short\n"
	"	.type too_close, @function\n"
	"too_close:\n"
	"	.cfi_startproc\n"
	"	.rept 12\n	inc %eax\n	.endr\n"
	"	function_end too_close\n"
	"	function leaves_by_jump\n"
	"	.rept 12\n	inc %eax\n	.endr\n"
	"	cmp %edi, %esi\n	ja small_straight\n	jae too_short\n	jmp small_forward\n"
	"	function_end leaves_by_jump\n"
	"	function short_loop\n"
	"1:	dec %edi\n	jne 1b\n	nopl 0(%rax)\n"
	"	function_end short_loop\n"
	"	function short_caller\n"
	"	call small_straight\n"
	"	function_end short_caller\n"
	"	function short_leaver\n"
	"	test %edi, %edi\n	je small_straight\n"
	"	function_end short_leaver\n");

static const struct rewrite_function *function_named(const struct rewritten *file, const char *name)
{
	vec_foreach (function, &file->result.functions)
		if (strcmp(function->name, name) == 0)
			return function;
	fail_msg("there is no function %s", name);
	return NULL;
}

static enum rewrite_verdict verdict_of(const struct rewritten *file, const char *name)
{
	return function_named(file, name)->verdict;
}

static void test_small_functions(void **state)
{
	static const struct {
		const char *name;
		bool small;
	} cases[] = {{"small_straight", true}, {"small_forward", true}, {"small_flags", true},
		     {"longer_by_one", false}, {"short_loop", false},	{"short_caller", false},
		     {"short_leaver", false}};
	struct rewritten kept, left;
	const struct rewrite_options keeping = {.mode = REWRITE_FULL, .keep_small = true};
	const struct rewrite_options leaving = {.mode = REWRITE_FULL};

	(void)state;
	rewrite(&kept, "/proc/self/exe", &keeping);
	rewrite(&left, "/proc/self/exe", &leaving);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(verdict_of(&kept, cases[i].name), REWRITE_INSTRUMENTED);
		assert_int_equal(verdict_of(&left, cases[i].name),
				 cases[i].small ? REWRITE_COUNTED : REWRITE_INSTRUMENTED);
	}
	release(&kept);
	release(&left);
}

/* A small function's copy is a counter, between `before` and `after`, and its own instructions. */
static void check_counter(const struct rewritten *file, const char *name, const char *before,
			  const char *after)
{
	const size_t before_size = strlen(before), after_size = strlen(after);
	const size_t size = before_size + TARE_COUNT_BYTES + after_size;
	const struct rewrite_function *function = function_named(file, name);
	struct tare_module module;
	struct tare_counted counted;
	struct error err;
	struct object *copy =
		object_open_bytes(file->bytes.data, file->bytes.len, "copy", OBJECT_ALL, &err);
	uint64_t body = 0;
	int32_t distance;

	assert_non_null(copy);
	vec_foreach (point, &file->result.points)
		body = point->addr == function->addr ? point->copy_addr : body;
	assert_true(body != 0);
	const uint64_t begin = body - size;
	const unsigned char *bytes = object_at(copy, begin, size);
	assert_non_null(bytes);
	assert_memory_equal(bytes, before, before_size);
	assert_memory_equal(bytes + before_size, TARE_COUNT, TARE_COUNT_CODE_BYTES);
	assert_memory_equal(bytes + size - after_size, after, after_size);

	/* It counts in the function's own counter, and the file says so. */
	const uint64_t note = object_tare_note(copy);
	memcpy(&module, object_at(copy, note, sizeof(module)), sizeof(module));
	memcpy(&distance, bytes + before_size + TARE_COUNT_CODE_BYTES, sizeof(distance));
	const uint64_t counter =
		begin + before_size + TARE_COUNT_BYTES + (uint64_t)(int64_t)distance;
	const uint64_t number = (counter - note - (uint64_t)module.counters_offset) / 8;
	assert_true(number < module.function_count);
	memcpy(&counted,
	       object_at(copy, note + (uint64_t)module.counted_offset + number * sizeof(counted),
			 sizeof(counted)),
	       sizeof(counted));
	assert_true(note + (uint64_t)(int64_t)counted.target == function->addr);
	assert_true(note + (uint64_t)module.code_offset + counted.prefix == begin + before_size);
	object_close(copy);
}

/* Between pushf and popf the return address is a word further up. */
static void check_row_between(const struct rewritten *file, const char *name)
{
	const uint64_t addr = function_named(file, name)->addr;
	uint64_t body = 0;
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t count;

	vec_foreach (point, &file->result.points)
		body = point->addr == addr ? point->copy_addr : body;
	for (uint64_t at = body - 2 - TARE_COUNT_BYTES; at <= body; at++) {
		const bool pushed = at > body - 2 - TARE_COUNT_BYTES && at < body;
		assert_int_equal(dwarf_cfi_addrframe(file->cfi_after, at, &frame), 0);
		assert_int_equal(dwarf_frame_cfa(frame, &ops, &count), 0);
		assert_int_equal(count, 1);
		assert_int_equal(ops[0].number2, pushed ? 16 : 8);
		free(frame);
	}
}

static void test_small_functions_are_counted(void **state)
{
	struct rewritten file;
	const struct rewrite_options options = {.mode = REWRITE_FULL, .keep_points = true};

	(void)state;
	rewrite(&file, "/proc/self/exe", &options);
	check_counter(&file, "small_straight", "", "");
	check_counter(&file, "small_forward", "", "");
	check_counter(&file, "small_flags", "\x9c", "\x9d"); /* pushf, popf */
	check_row_between(&file, "small_flags");
	/* What has no room for a counter is not said to have one. */
	assert_int_equal(verdict_of(&file, "too_short"), REWRITE_ENTRY_TOO_SHORT);
	release(&file);
}

/* Counters beside an instruction that begins with `opcode` and goes to the function. */
static unsigned sites_calling(const struct rewritten *file, const char *name, unsigned char opcode)
{
	const uint64_t addr = function_named(file, name)->addr;
	struct tare_module module;
	struct tare_counted counted;
	struct error err;
	struct object *copy =
		object_open_bytes(file->bytes.data, file->bytes.len, "copy", OBJECT_ALL, &err);
	unsigned found = 0;

	assert_non_null(copy);
	const uint64_t note = object_tare_note(copy);
	memcpy(&module, object_at(copy, note, sizeof(module)), sizeof(module));
	for (uint32_t i = module.function_count; i < module.counter_count; i++) {
		const uint64_t at = note + (uint64_t)module.counted_offset + i * sizeof(counted);
		memcpy(&counted, object_at(copy, at, sizeof(counted)), sizeof(counted));
		if (note + (uint64_t)(int64_t)counted.target != addr)
			continue;
		const uint64_t code = note + (uint64_t)module.code_offset + counted.prefix;
		const unsigned char *bytes = object_at(copy, code, TARE_COUNT_BYTES + 1);
		assert_memory_equal(bytes, TARE_COUNT, TARE_COUNT_CODE_BYTES);
		found += bytes[TARE_COUNT_BYTES] == opcode;
	}
	object_close(copy);
	return found;
}

/* What does not count itself is counted where a jump calls it, and nothing else is there. */
static void test_calls_by_jumps_are_counted(void **state)
{
	struct rewritten file;
	const struct rewrite_options options = {.mode = REWRITE_FULL};

	(void)state;
	rewrite(&file, "/proc/self/exe", &options);
	assert_int_equal(sites_calling(&file, "too_short", 0xe9), 1);
	assert_int_equal(sites_calling(&file, "small_straight", 0xe9), 0);
	assert_int_equal(sites_calling(&file, "small_forward", 0xe9), 0);
	assert_int_equal(sites_calling(&file, "small_straight", 0xe8), 1);
	assert_int_equal(sites_calling(&file, "small_flags", 0xe8), 0);
	release(&file);
}

/* ---- places in lines ---- */

/* A loop behind a call, and one that calls. */
__asm__(".text\n"
	"	.balign 64\n"
	"	.type loops_behind_call, @function\n"
	"loops_behind_call:\n"
	"	.cfi_startproc\n"
	"	push %rbx\n	.cfi_adjust_cfa_offset 8\n"
	"	call getppid@plt\n"
	"	mov $9, %ecx\n"
	"1:\n"
	"	dec %ecx\n	jnz 1b\n"
	"	call getppid@plt\n"
	"	mov $3, %ebx\n"
	"2:\n"
	"	call getppid@plt\n	dec %ebx\n	jnz 2b\n"
	"	pop %rbx\n	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size loops_behind_call, .-loops_behind_call\n");

enum { TIGHT_LOOP = 11, CALLING_LOOP = 25 }; /* bytes behind its begin */

static uint64_t copy_of(const struct rewritten *file, uint64_t addr)
{
	vec_foreach (point, &file->result.points)
		if (point->addr == addr)
			return point->copy_addr;
	return 0;
}

/* Functions, and loops without probes, keep their places in the lines of the cache. */
static void test_places_in_lines(void **state)
{
	struct rewritten file;
	const struct rewrite_options options = {.mode = REWRITE_FULL, .keep_points = true};
	size_t met = 0;

	(void)state;
	rewrite(&file, "/proc/self/exe", &options);
	vec_foreach (function, &file.result.functions) {
		const uint64_t copy = copy_of(&file, function->addr);
		if (!copy)
			continue;
		assert_int_equal(copy % 64, function->addr % 64);
		if (strcmp(function->name, "loops_behind_call") != 0)
			continue;
		met++;
		const uint64_t tight = function->addr + TIGHT_LOOP;
		const uint64_t calling = function->addr + CALLING_LOOP;
		assert_int_equal(copy_of(&file, tight) % 64, tight % 64);
		assert_true(copy_of(&file, calling) - copy_of(&file, tight) < 64);
		assert_int_not_equal(copy_of(&file, calling) % 64, calling % 64);
	}
	assert_int_equal(met, 1);
	release(&file);
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
		cmocka_unit_test(test_copies_have_identities),
		cmocka_unit_test(test_threads_do_not_show),
		cmocka_unit_test(test_selection),
		cmocka_unit_test(test_small_functions),
		cmocka_unit_test(test_small_functions_are_counted),
		cmocka_unit_test(test_calls_by_jumps_are_counted),
		cmocka_unit_test(test_places_in_lines),
		cmocka_unit_test(test_symbols_under_foreign_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
