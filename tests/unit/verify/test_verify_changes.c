/*
 * Copies that were changed with a purpose: each change gives one thing another meaning, and each
 * must be found: landing pads, what is caught there, what stubs let pass, states in stubs, where
 * branches, the original's labels and pointers to these lead, how an indirect jump finds its copy,
 * and probes of another kind than their place has.
 */
#include "abi/module.h"
#include "object/lsda.h"
#include "rewrite/rewrite.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { CHANGES_MAX = 12 };

static const char libc[] = "/lib/x86_64-linux-gnu/libc.so.6";
static const char libstdcxx[] = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6";

static struct object *original, *copy; /* the copy as it was made: tells where things are */
static struct byte_vec bytes;
static struct tare_module module;
static uint64_t slots_addr, code_begin, code_end;

static void make(const char *path, const struct rewrite_options *options)
{
	struct rewrite_result result;
	struct error err;

	if (access(path, R_OK) != 0) {
		print_message("skipped: %s is not installed\n", path);
		skip();
	}
	original = object_open(path, OBJECT_ALL, &err);
	assert_non_null(original);
	assert_true(rewrite_object(original, options, &bytes, &result, &err));
	rewrite_result_fini(&result);
	copy = object_open_bytes(bytes.data, bytes.len, "copy", OBJECT_ALL, &err);
	assert_non_null(copy);
	const uint64_t note = object_tare_note(copy);
	memcpy(&module, object_at(copy, note, sizeof(module)), sizeof(module));
	slots_addr = note + (uint64_t)module.slots_offset;
	code_begin = note + (uint64_t)module.code_offset;
	code_end = code_begin + module.code_size;
}

static int drop(void **state)
{
	(void)state;
	object_close(copy);
	object_close(original);
	vec_fini(&bytes);
	copy = original = NULL;
	return 0;
}

static size_t offset_of(const unsigned char *at)
{
	size_t size;

	return (size_t)(at - object_bytes(copy, &size));
}

static bool is_found(void)
{
	struct verify_result result = {0};
	struct error err;
	struct object *changed = object_open_bytes(bytes.data, bytes.len, "copy", OBJECT_ALL, &err);
	const bool clean = changed && verify_copy(original, changed, &result, &err) &&
			   result.difference_count == 0;

	verify_result_fini(&result);
	object_close(changed);
	return !clean;
}

/* Whether it is found that the byte there is another. */
static bool byte_is_found(size_t offset, unsigned char mask)
{
	bytes.data[offset] ^= mask;
	const bool found = is_found();
	bytes.data[offset] ^= mask;
	return found;
}

static bool number_is_found(size_t offset, int32_t by)
{
	int32_t before;

	memcpy(&before, bytes.data + offset, sizeof(before));
	const int32_t after = before + by;
	memcpy(bytes.data + offset, &after, sizeof(after));
	const bool found = is_found();
	memcpy(bytes.data + offset, &before, sizeof(before));
	return found;
}

/* ---- exception tables ---- */

static uint64_t take_uleb(const unsigned char **at)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		value |= (uint64_t)(**at & 0x7f) << shift;
		if (!(*(*at)++ & 0x80))
			return value;
	}
}

/* Where the bounds of the fields of a call site stand. */
struct site {
	const unsigned char *begin, *length, *pad, *action;
	uint64_t pad_value, action_value;
};

static struct site take_site(const unsigned char **at)
{
	struct site site = {.begin = *at};

	take_uleb(at);
	site.length = *at;
	take_uleb(at);
	site.pad = *at;
	site.pad_value = take_uleb(at);
	site.action = *at;
	site.action_value = take_uleb(at);
	return site;
}

/* The call sites of a copied function, in the form that the rewriter writes. */
static const unsigned char *sites_of(const struct object_fde *fde, const unsigned char **end)
{
	const unsigned char *at = object_at(copy, fde->lsda, 16);

	assert_non_null(at);
	at += *at == 0xff ? 1 : 5;
	if (*at++ != 0xff)
		take_uleb(&at);
	assert_int_equal(*at++, 1); /* uleb128 */
	const uint64_t size = take_uleb(&at);
	*end = at + size;
	return at;
}

/* Calls `check` for the copies with exception tables, until it has returned true often enough. */
static void for_tables(bool (*check)(const struct object_fde *fde))
{
	size_t count;
	const struct object_fde *fdes = object_fdes(copy, &count);
	int checked = 0;

	for (size_t i = 0; i < count && checked < CHANGES_MAX; i++)
		if (fdes[i].begin >= code_begin && fdes[i].begin < code_end && fdes[i].lsda)
			checked += check(&fdes[i]);
	assert_true(checked >= 3);
}

static bool check_pads(const struct object_fde *fde)
{
	const unsigned char *end, *at = sites_of(fde, &end);

	while (at < end) {
		const struct site site = take_site(&at);
		if (!site.pad_value)
			continue;
		if (!byte_is_found(offset_of(site.pad), 1))
			fail_msg("another landing pad of the copy at %#lx", fde->begin);
		return true;
	}
	return false;
}

/* The last entry is that of the stubs: nothing is caught there. */
static bool check_stubs_entry(const struct object_fde *fde)
{
	const unsigned char *end, *at = sites_of(fde, &end);
	struct site site = {0};

	while (at < end)
		site = take_site(&at);
	if (!site.length || site.pad_value || site.action_value || !(*site.length & 1))
		return false;
	if (!byte_is_found(offset_of(site.length), 1))
		fail_msg("stubs of the copy at %#lx are no longer covered", fde->begin);
	return true;
}

static bool check_types(const struct object_fde *fde)
{
	struct lsda lsda = {0};
	struct error err;
	bool checked = false;

	assert_true(lsda_read(copy, fde, &lsda, &err));
	for (uint64_t i = 1; i <= lsda.type_count && !checked; i++) {
		uint64_t entry, value;
		if (!lsda_type(copy, &lsda, i, &entry, &value) || !value)
			continue;
		if (!number_is_found(offset_of(object_at(copy, entry, 4)), 8))
			fail_msg("another type is caught in the copy at %#lx", fde->begin);
		checked = true;
	}
	lsda_fini(&lsda);
	return checked;
}

/* ---- code ---- */

/* Calls through a slot, in stubs. */
static uint64_t next_call_of(uint64_t at, uint64_t slot)
{
	for (; at + 6 <= code_end; at++) {
		const unsigned char *code = object_at(copy, at, 6);
		int32_t distance;
		memcpy(&distance, code + 2, sizeof(distance));
		if (code[0] == 0xff && code[1] == 0x15 &&
		    at + 6 + (uint64_t)(int64_t)distance == slot)
			return at;
	}
	return 0;
}

static void check_landing_probes(void)
{
	const uint64_t landing = offsetof(struct tare_handlers, landing);
	int checked = 0;

	for (uint64_t at = code_begin;
	     checked < CHANGES_MAX && (at = next_call_of(at, slots_addr + landing)); at++) {
		const int32_t by =
			(int32_t)offsetof(struct tare_handlers, leave) - (int32_t)landing;
		if (!number_is_found(offset_of(object_at(copy, at + 2, 4)), by))
			fail_msg("the stub at %#lx of a landing pad leaves the function", at);
		checked++;
	}
	assert_true(checked > 0);
}

static void test_exception_tables(void **state)
{
	const struct rewrite_options options = {.first_unit = 3000, .last_unit = 3300};

	(void)state;
	make(libstdcxx, &options);
	for_tables(check_pads);
	for_tables(check_stubs_entry);
	for_tables(check_types);
}

/* This file is compiled with exception tables, and without marks at landing pads. */
static void release(int *value)
{
	__asm__ volatile("" : "+m"(*value));
}

__attribute__((noinline)) static int cleans_up(int (*call)(int), int value)
{
	__attribute__((cleanup(release))) int kept = value;

	return call(value) + kept;
}

/* Of a loop in code with an exception table there are no copies. */
__attribute__((noinline)) static long sums_up(int (*call)(int), const int *at, const int *end)
{
	__attribute__((cleanup(release))) int kept = *at;
	long sum = 0;

	do
		sum = 3 * sum + *at++;
	while (at < end);
	return call(kept) + sum;
}

static int minus(int value)
{
	return -value;
}

static int (*volatile called)(int) = minus;

static void test_landing_probes(void **state)
{
	const struct rewrite_options options = {.keep_small = true};

	(void)state;
	assert_int_equal(cleans_up(called, 4), 0);
	make("/proc/self/exe", &options);
	check_landing_probes();
}

/* The caller uses the flags, so that the callee's end keeps them. */
__asm__(".text\n"
	".type gives_carry, @function\n"
	"gives_carry: .cfi_startproc\n"
	"	cmp $5, %edi\n	ret\n"
	"	.cfi_endproc\n	.size gives_carry, .-gives_carry\n"
	"	.balign 16, 0xcc\n"
	".type takes_carry, @function\n"
	"takes_carry: .cfi_startproc\n"
	"	call gives_carry\n	setc %al\n	ret\n"
	"	.cfi_endproc\n	.size takes_carry, .-takes_carry\n");

/* cmpb arm(%rip), %spl; jae: over the handler's call to where the flags are given back. */
static bool skips_handler(uint64_t at)
{
	const unsigned char *code = object_at(copy, at, 13);
	int32_t distance;

	memcpy(&distance, code + 9, sizeof(distance));
	const unsigned char *target = object_at(copy, at + 13 + (uint64_t)(int64_t)distance, 1);
	return memcmp(code, TARE_GATE, TARE_GATE_CODE_BYTES) == 0 && code[7] == 0x0f &&
	       code[8] == 0x83 && target && *target == 0x9d;
}

static void test_flags_are_given_back(void **state)
{
	const struct rewrite_options options = {.keep_small = true};
	int checked = 0;

	(void)state;
	make("/proc/self/exe", &options);
	for (uint64_t at = code_begin; at + 16 < code_end; at++) {
		if (!skips_handler(at))
			continue;
		if (!number_is_found(offset_of(object_at(copy, at + 9, 4)), 1))
			fail_msg("the stub at %#lx may keep the flags", at);
		checked++;
	}
	assert_true(checked > 0);
}

/* Branches of functions, not those of probes; few targets are filler, whose end may be met, too. */
static void test_branches(void **state)
{
	const struct rewrite_options options = {.keep_small = true};
	int tried = 0, found = 0;

	(void)state;
	make("/bin/true", &options);
	for (uint64_t at = code_begin + 7; at + 6 < code_end && tried < 4 * CHANGES_MAX; at++) {
		const unsigned char *code = object_at(copy, at, 6);
		if (code[0] != 0x0f || (code[1] & 0xf0) != 0x80 || code[-7] == 0x80)
			continue;
		tried++;
		found += number_is_found(offset_of(code + 2), 1);
		at += 5;
	}
	assert_true(tried >= CHANGES_MAX);
	assert_true(found * 10 >= tried * 9);
}

/* Where the original has a jump to a copy, over an entry or a label; 0: nowhere behind `addr`. */
static uint64_t next_patch(uint64_t addr)
{
	for (; addr < code_begin; addr++) {
		const unsigned char *at = object_at(copy, addr, 5);
		const unsigned char *before = object_at(original, addr, 5);
		int32_t distance;
		if (!at || !before || *at != 0xe9 || memcmp(at, before, 5) == 0)
			continue;
		memcpy(&distance, at + 1, sizeof(distance));
		const uint64_t target = addr + 5 + (uint64_t)(int64_t)distance;
		if (target >= code_begin && target < code_end)
			return addr;
	}
	return 0;
}

static bool is_begin(uint64_t addr)
{
	const struct object_fde *fde = object_fde_covering(original, addr);

	return fde && (fde->begin == addr || fde->begin + 4 == addr);
}

/* Each leads to where the next one does. lua goes by labels in its interpreter. */
static void test_label_jumps(void **state)
{
	const struct rewrite_options options = {.keep_small = true};
	int labels = 0;

	(void)state;
	make("/usr/bin/lua5.4", &options);
	for (uint64_t at = next_patch(0x1000); at && labels < 3 * CHANGES_MAX;
	     at = next_patch(at + 5)) {
		const uint64_t after = next_patch(at + 5);
		int32_t distance;
		if (is_begin(at) || !after)
			continue;
		memcpy(&distance, object_at(copy, after, 5) + 1, sizeof(distance));
		distance += (int32_t)(after - at);
		labels++;
		unsigned char *jump = bytes.data + offset_of(object_at(copy, at, 5)) + 1, kept[4];
		memcpy(kept, jump, sizeof(kept));
		memcpy(jump, &distance, sizeof(distance));
		if (!is_found())
			fail_msg("the jump at %#lx leads to another label", at);
		memcpy(jump, kept, sizeof(kept));
	}
	assert_true(labels >= CHANGES_MAX);
	assert_false(is_found());
}

enum { DEF_CFA_OFFSET = 0x0e };

/* Where the record says that the stack is `from` to `to` bytes deep; NULL if it does not. */
static const unsigned char *depth_in(const struct object_fde *fde, unsigned from, unsigned to)
{
	for (size_t k = 0; k + 3 <= fde->program_size; k++) {
		const unsigned char *at = fde->program + k;
		const unsigned depth = at[1] < 0x80 ? at[1] : (at[1] & 0x7fu) | at[2] << 7u;
		if (*at == DEF_CFA_OFFSET && depth >= from && depth <= to)
			return at + 1;
	}
	return NULL;
}

/* Changes the depth in records, those of copies or of originals. */
static void check_depths(bool of_copies, unsigned from, unsigned to)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(copy, &count);
	int checked = 0;

	for (size_t i = 0; i < count && checked < CHANGES_MAX; i++) {
		const bool is_copy = fdes[i].begin >= code_begin && fdes[i].begin < code_end;
		const unsigned char *depth =
			is_copy == of_copies ? depth_in(&fdes[i], from, to) : NULL;
		if (!depth)
			continue;
		if (!byte_is_found(offset_of(depth), 8))
			fail_msg("another depth in the record of %#lx", fdes[i].begin);
		checked++;
	}
	assert_true(checked >= 3);
}

/* Behind the red zone the stack is deeper by 128 bytes. */
static void test_states_in_stubs(void **state)
{
	const struct rewrite_options options = {.syscalls_only = true};

	(void)state;
	make(libc, &options);
	check_depths(true, 128 + 8, 256 - 1);
}

static void test_states_of_originals(void **state)
{
	const struct rewrite_options options = {.keep_small = true};

	(void)state;
	make("/bin/true", &options);
	check_depths(false, 16, 127);
}

/* Its rounds are counted by several copies at once. */
__asm__(".text\n"
	".type goes_round, @function\n"
	"goes_round: .cfi_startproc\n"
	"	xor %eax, %eax\n"
	"1:	add $3, %rax\n	add table_of_rounds(%rip), %rcx\n	cmp %rdi, %rax\n	jb "
	"1b\n"
	"	ret\n"
	"	.cfi_endproc\n	.size goes_round, .-goes_round\n"
	".data\ntable_of_rounds: .quad 1\n.text\n");

enum { GOES_ROUND_BLOCK_BYTES = 4 + 7 + 3 }; /* without the branch */

/* addq $rounds, %gs:counter(%rip) */
static uint64_t next_rounds(uint64_t at)
{
	for (; at + TARE_COUNT_ROUNDS_BYTES <= code_end; at++)
		if (memcmp(object_at(copy, at, TARE_COUNT_ROUNDS_BYTES), TARE_COUNT_ROUNDS,
			   TARE_COUNT_CODE_BYTES) == 0)
			return at;
	return 0;
}

static bool rounds_are_of_goes_round(uint64_t at)
{
	static const unsigned char begin[] = {0x48, 0x83, 0xc0, 0x03, 0x48, 0x03, 0x0d};

	return memcmp(object_at(copy, at - GOES_ROUND_BLOCK_BYTES - 2, sizeof(begin)), begin,
		      sizeof(begin)) == 0;
}

/* What counts rounds tells the distance to its word, and how many; before it the copy's branch, and
   behind it the jump back. */
static void test_rounds(void **state)
{
	const struct rewrite_options options = {.count_executions = true};
	const int numbers[] = {1, 2};
	int checked = 0;

	(void)state;
	assert_int_equal(sums_up(called, numbers, numbers + 1), 0);
	make("/proc/self/exe", &options);
	assert_false(is_found());
	for (uint64_t at = next_rounds(code_begin); at; at = next_rounds(at + 1)) {
		if (!rounds_are_of_goes_round(at))
			continue;
		const size_t offset = offset_of(object_at(copy, at, TARE_COUNT_ROUNDS_BYTES));
		if (!number_is_found(offset + TARE_COUNT_CODE_BYTES, 8))
			fail_msg("rounds at %#lx are counted elsewhere", at);
		if (!byte_is_found(offset + TARE_COUNT_ROUNDS_BYTES - 1, 1))
			fail_msg("other rounds are counted at %#lx", at);
		if (!number_is_found(offset + TARE_COUNT_ROUNDS_BYTES + 1, 1))
			fail_msg("the copy before %#lx is left to elsewhere", at);
		if (!byte_is_found(offset - 1, 1) || !byte_is_found(offset - 2, 1))
			fail_msg("the copy before %#lx goes on elsewhere", at);
		for (size_t i = 0; i < GOES_ROUND_BLOCK_BYTES; i++)
			if (!byte_is_found(offset - 2 - GOES_ROUND_BLOCK_BYTES + i, 1))
				fail_msg("another instruction in the copy before %#lx", at);
		checked++;
	}
	assert_int_equal(checked, 7);
}

/* Each register but rcx is in use at the labels. */
__asm__(".text\n"
	".type leads_on, @function\n"
	"leads_on: .cfi_startproc\n"
	"	lea labels_of_it(%rip), %rcx\n	mov (%rcx, %rdi, 8), %rcx\n	jmp *%rcx\n"
	"2:	add %rdx, %rax\n"
	"3:	add %rdi, %rax\n	add %rsi, %rax\n	add %r8, %rax\n	add %r9, %rax\n"
	"	add %r10, %rax\n	add %r11, %rax\n"
	"	ret\n"
	"	.cfi_endproc\n	.size leads_on, .-leads_on\n"
	".data\n	.balign 8\nlabels_of_it: .quad 2b, 3b\n.text\n");

static void test_jump_through_own_register(void **state)
{
	/* lea -128(%rsp),%rsp; push %rax; lea first(%rip),%rax … pop %rax; lea 128(%rsp),%rsp;
	   jmp *%rcx */
	static const unsigned char begin[] = {0x48, 0x8d, 0x64, 0x24, 0x80, 0x50, 0x48, 0x8d, 0x05};
	static const unsigned char end[] = {0x58, 0x48, 0x8d, 0xa4, 0x24, 0x80,
					    0,	  0,	0,    0xff, 0xe1};
	const struct rewrite_options options = {.keep_small = true};
	int checked = 0;

	(void)state;
	make("/proc/self/exe", &options);
	assert_false(is_found());
	for (uint64_t at = code_begin; at + 128 < code_end; at++) {
		const unsigned char *code = object_at(copy, at, 128);
		if (memcmp(code, begin, sizeof(begin)) != 0)
			continue;
		size_t size = sizeof(begin);
		while (size < 100 && memcmp(code + size, end, sizeof(end)) != 0)
			size++;
		assert_true(size < 100);
		for (size_t i = 0; i < size + sizeof(end); i++)
			if (!byte_is_found(offset_of(code) + i, 1))
				fail_msg("byte %zu of the jump at %#lx", i, at);
		checked++;
	}
	assert_int_equal(checked, 1);
}

/* Goes by labels that the loader's words point at; of the second one code makes such an address. */
#define THREADED(name, table, second)                                                              \
	".type " name ", @function\n" name ": .cfi_startproc\n"                                    \
	"	push %rbx\n	.cfi_adjust_cfa_offset 8\n	mov %rdi, %rbx\n"                                 \
	"	lea " table "(%rip), %rdx\n	and $1, %edi\n	jmp *(%rdx,%rdi,8)\n"                   \
	"2:	add $0x100, %rax\n"                                                                    \
	"3:	" second "\n	add %rcx, %rax\n	add %rsi, %rax\n	add %r8, %rax\n"                    \
	"	add %r9, %rax\n	add %r10, %rax\n	add %r11, %rax\n	add %rbx, %rax\n"                      \
	"	pop %rbx\n	.cfi_adjust_cfa_offset -8\n	ret\n"                                            \
	"	.cfi_endproc\n	.size " name ", .-" name "\n"                                      \
	".data\n	.balign 8\n" table ": .quad 2b, 3b\n.text\n"

__asm__(".text\n" THREADED("threads", "threads_labels", "add $0x200, %rax")
		THREADED("threads_and_makes", "made_labels", "lea 3b(%rip), %rax"));

extern const unsigned char threads_labels[], made_labels[];

/* The relocation of the word at `place` in this program, which is loaded somewhere. */
static const struct object_code_word *word_of(const unsigned char *place)
{
	size_t count;
	const struct object_code_word *words = object_code_words(original, &count);
	const uint64_t page_offset = (uintptr_t)place & 0xfff;
	const uint64_t target = *(const uint64_t *)(const void *)place & 0xfff;

	for (size_t i = 0; i < count; i++)
		if ((words[i].addr & 0xfff) == page_offset && (words[i].target & 0xfff) == target)
			return &words[i];
	fail_msg("no relocation fills %p", (const void *)place);
	return NULL;
}

static uint64_t stored(const struct object_code_word *word)
{
	uint64_t value;

	memcpy(&value, bytes.data + offset_of(object_at(copy, word->stored_at, 8)), sizeof(value));
	return value;
}

static bool pointer_is_found(const struct object_code_word *word, uint64_t target)
{
	const uint64_t before = stored(word);
	unsigned char *at = bytes.data + offset_of(object_at(copy, word->stored_at, 8));

	memcpy(at, &target, sizeof(target));
	const bool found = is_found();
	memcpy(at, &before, sizeof(before));
	return found;
}

/* Where the jump leads that stands at a label in the copy's file. */
static uint64_t jump_target(uint64_t label)
{
	const unsigned char *jump = object_at(copy, label, 5);
	int32_t distance;

	assert_int_equal(jump[0], 0xe9);
	memcpy(&distance, jump + 1, sizeof(distance));
	return label + 5 + (uint64_t)(int64_t)distance;
}

static void test_label_pointers(void **state)
{
	const struct rewrite_options options = {.keep_small = true};

	(void)state;
	make("/proc/self/exe", &options);
	const struct object_code_word *first = word_of(threads_labels);
	const struct object_code_word *second = word_of(threads_labels + 8);
	const struct object_code_word *made = word_of(made_labels);

	assert_int_equal(stored(first), jump_target(first->target));
	assert_int_equal(stored(second), jump_target(second->target));
	assert_int_equal(stored(made), made->target);
	assert_false(is_found());
	assert_true(pointer_is_found(first, stored(second)));
	assert_true(pointer_is_found(first, stored(first) + 1));
	assert_true(pointer_is_found(first, second->target));
	assert_true(pointer_is_found(made, jump_target(made->target)));
	/* The label's jump leads to the copy, too. */
	assert_false(pointer_is_found(first, first->target));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_label_pointers, drop),
		cmocka_unit_test_teardown(test_jump_through_own_register, drop),
		cmocka_unit_test_teardown(test_rounds, drop),
		cmocka_unit_test_teardown(test_exception_tables, drop),
		cmocka_unit_test_teardown(test_landing_probes, drop),
		cmocka_unit_test_teardown(test_flags_are_given_back, drop),
		cmocka_unit_test_teardown(test_branches, drop),
		cmocka_unit_test_teardown(test_label_jumps, drop),
		cmocka_unit_test_teardown(test_states_in_stubs, drop),
		cmocka_unit_test_teardown(test_states_of_originals, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
