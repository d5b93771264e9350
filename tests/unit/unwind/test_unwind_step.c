/*
 * Single steps at the bounds of what rules may say: registers that cannot be read or lie far away,
 * frame pointers, maps that change, stacks that are full, arithmetic of expressions.
 */
#include "object/object.h"
#include "tests/support/small_elf.h"
#include "tests/support/unwind_step.h"
#include "unwind/build.h"
#include "unwind/expression.h"
#include "unwind/unwind.h"

#include <dwarf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STACK = 0x7000, WORDS = 8, CODE = 0x1000, CODE_BYTES = 0x100 };

/* Word i is 0x1111 * (i + 1). */
static uint64_t words[WORDS];

static struct unwind_memory memory_of_words(void)
{
	for (size_t i = 0; i < WORDS; i++)
		words[i] = 0x1111 * (i + 1);
	return (struct unwind_memory){.begin = STACK, .size_bytes = sizeof(words), .bytes = words};
}

/* ---- expressions ---- */

static enum unwind_result evaluate(const unsigned char *bytes, size_t size, uint64_t *value)
{
	const struct unwind_memory memory = memory_of_words();
	const struct unwind_registers registers = {.value[UNWIND_RSP] = STACK};
	const struct unwind_expression expression = {
		.bytes = bytes, .size_bytes = size, .registers = &registers, .memory = &memory};

	return unwind_evaluate(&expression, NULL, value);
}

#define EVALUATE(value, ...)                                                                       \
	evaluate((const unsigned char[]){__VA_ARGS__},                                             \
		 sizeof((const unsigned char[]){__VA_ARGS__}), value)

#define EXPECT_VALUE(wanted, ...)                                                                  \
	do {                                                                                       \
		uint64_t result = 0;                                                               \
		assert_int_equal(EVALUATE(&result, __VA_ARGS__), UNWIND_CALLER);                   \
		assert_int_equal((int64_t)result, wanted);                                         \
	} while (0)

#define MINUS(number) DW_OP_const1s, (unsigned char)-(number)

static void test_shifts(void **state)
{
	(void)state;
	EXPECT_VALUE(-4, MINUS(16), DW_OP_lit2, DW_OP_shra);
	EXPECT_VALUE(4, DW_OP_lit16, DW_OP_lit2, DW_OP_shra);
	EXPECT_VALUE(-1, MINUS(16), DW_OP_const1u, 64, DW_OP_shra);
	EXPECT_VALUE(0, DW_OP_lit16, DW_OP_const1u, 200, DW_OP_shra);
	EXPECT_VALUE(INT64_MAX, MINUS(1), DW_OP_lit1, DW_OP_shr);
	EXPECT_VALUE(0, MINUS(1), DW_OP_const1u, 64, DW_OP_shr);
	EXPECT_VALUE(INT64_MIN, DW_OP_lit1, DW_OP_const1u, 63, DW_OP_shl);
	EXPECT_VALUE(0, DW_OP_lit1, DW_OP_const1u, 64, DW_OP_shl);
}

static void test_comparisons_are_signed(void **state)
{
	(void)state;
	EXPECT_VALUE(1, MINUS(1), DW_OP_lit1, DW_OP_lt);
	EXPECT_VALUE(0, DW_OP_lit1, MINUS(1), DW_OP_lt);
	EXPECT_VALUE(0, DW_OP_lit1, DW_OP_lit1, DW_OP_lt);
	EXPECT_VALUE(1, MINUS(1), DW_OP_lit1, DW_OP_le);
	EXPECT_VALUE(1, DW_OP_lit1, DW_OP_lit1, DW_OP_le);
	EXPECT_VALUE(1, DW_OP_lit1, MINUS(1), DW_OP_gt);
	EXPECT_VALUE(0, DW_OP_lit1, DW_OP_lit1, DW_OP_gt);
	EXPECT_VALUE(1, DW_OP_lit1, MINUS(1), DW_OP_ge);
	EXPECT_VALUE(1, DW_OP_lit1, DW_OP_lit1, DW_OP_ge);
}

static void test_divisions(void **state)
{
	uint64_t value;

	(void)state;
	EXPECT_VALUE(-3, MINUS(6), DW_OP_lit2, DW_OP_div);
	EXPECT_VALUE(6, MINUS(6), MINUS(1), DW_OP_div);
	EXPECT_VALUE(1, DW_OP_lit7, DW_OP_lit3, DW_OP_mod);
	/* The processor has no result for it. */
	assert_int_equal(
		EVALUATE(&value, DW_OP_const8u, 0, 0, 0, 0, 0, 0, 0, 0x80, MINUS(1), DW_OP_div),
		UNWIND_BROKEN);
	assert_int_equal(EVALUATE(&value, DW_OP_lit1, DW_OP_lit0, DW_OP_mod), UNWIND_BROKEN);
}

/* DWARF 5, section 2.5.1.3: the top becomes the third, the second the top. */
static void test_rotation(void **state)
{
	(void)state;
	EXPECT_VALUE(2, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot);
	EXPECT_VALUE(1, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop);
	EXPECT_VALUE(3, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop, DW_OP_drop);
}

static void test_jumps_may_end_the_expression(void **state)
{
	uint64_t value;

	(void)state;
	EXPECT_VALUE(7, DW_OP_lit7, DW_OP_skip, 1, 0, DW_OP_lit9);
	EXPECT_VALUE(7, DW_OP_lit7, DW_OP_lit1, DW_OP_bra, 1, 0, DW_OP_lit9);
	assert_int_equal(EVALUATE(&value, DW_OP_lit7, DW_OP_skip, 2, 0, DW_OP_lit9), UNWIND_BROKEN);
}

/* ---- steps ---- */

/* A table of one function, [0, CODE_BYTES) above its base, with one rule. */
struct one_rule {
	struct unwind_table head;
	uint32_t start, row_rule;
	struct unwind_rule rules[2];
};

static struct one_rule one_rule(struct unwind_rule rule)
{
	return (struct one_rule){.head = {.magic = UNWIND_TABLE_MAGIC,
					  .version = UNWIND_TABLE_VERSION,
					  .row_count = 1,
					  .base = CODE,
					  .rule_count = 2,
					  .size_bytes = sizeof(struct one_rule)},
				 .row_rule = 1,
				 .rules = {{0}, rule}};
}

/* rbp saved below the return address, at the top of the stack. */
static const struct unwind_rule pushed_rbp = {
	.cfa_offset = 16,
	.cfa_register = UNWIND_RSP,
	.saved = {[UNWIND_SAVED_RBX] = UNWIND_SAME,
		  [UNWIND_SAVED_RBP] = -16,
		  [UNWIND_SAVED_R12] = UNWIND_SAME,
		  [UNWIND_SAVED_R13] = UNWIND_SAME,
		  [UNWIND_SAVED_R14] = UNWIND_SAME,
		  [UNWIND_SAVED_R15] = UNWIND_SAME},
};

static struct unwind_registers registers_at(uint64_t sp)
{
	struct unwind_registers registers = {0};

	registers.value[UNWIND_RSP] = sp;
	registers.value[UNWIND_RA] = CODE + 0x10;
	return registers;
}

static void test_unreadable_registers_end_the_step(void **state)
{
	const struct unwind_memory memory = memory_of_words();
	const struct one_rule table = one_rule(pushed_rbp);
	struct unwind_registers registers = registers_at(STACK);

	(void)state;
	assert_true(unwind_table_check(&table.head, sizeof(table)));
	assert_int_equal(unwind_step(&table.head, 0, &registers, &memory), UNWIND_CALLER);
	assert_int_equal(registers.value[UNWIND_RBP], 0x1111);
	assert_int_equal(registers.value[UNWIND_RA], 0x2222);
	/* The return address can be read, the register below it cannot. */
	registers = registers_at(STACK - 8);
	const struct unwind_registers before = registers;
	assert_int_equal(unwind_step(&table.head, 0, &registers, &memory), UNWIND_UNREADABLE);
	assert_memory_equal(registers.value, before.value, sizeof(before.value));
}

/* Where a signal came the next instruction was to run, be it a function's first. */
static void test_callers_of_signal_frames_are_exact(void **state)
{
	const struct unwind_memory memory = memory_of_words();
	struct unwind_rule signal_frame = pushed_rbp;
	struct unwind_registers registers = registers_at(STACK);

	(void)state;
	words[1] = CODE;
	signal_frame.flags = UNWIND_SIGNAL_FRAME;
	const struct one_rule table = one_rule(signal_frame), next = one_rule(pushed_rbp);
	assert_int_equal(unwind_step(&table.head, 0, &registers, &memory), UNWIND_CALLER);
	assert_true(registers.exact);
	assert_int_equal(unwind_call_addr(&registers), CODE);
	assert_int_equal(unwind_step(&next.head, 0, &registers, &memory), UNWIND_CALLER);
	assert_false(registers.exact);
}

static void test_frame_pointers(void **state)
{
	const struct unwind_memory memory = memory_of_words();
	struct unwind_registers registers = registers_at(STACK);

	(void)state;
	/* Behind push %rbp and mov %rsp, %rbp both are the same. */
	registers.value[UNWIND_RBP] = STACK;
	assert_int_equal(unwind_step_frame_pointer(&registers, &memory), UNWIND_CALLER);
	assert_int_equal(registers.value[UNWIND_RBP], 0x1111);
	assert_int_equal(registers.value[UNWIND_RA], 0x2222);
	assert_int_equal(registers.value[UNWIND_RSP], STACK + 16);
	registers = registers_at(STACK + 8);
	registers.value[UNWIND_RBP] = STACK;
	assert_int_equal(unwind_step_frame_pointer(&registers, &memory), UNWIND_STUCK);
	/* Some number, no frame. */
	for (uint64_t off = 1; off < 8; off++) {
		registers = registers_at(STACK);
		registers.value[UNWIND_RBP] = STACK + 8 + off;
		assert_int_equal(unwind_step_frame_pointer(&registers, &memory), UNWIND_STUCK);
	}
}

/* Starts are numbers of 32 bits. */
static void test_no_rule_beyond_4_gib(void **state)
{
	const struct one_rule table = one_rule(pushed_rbp);

	(void)state;
	assert_null(unwind_table_find(&table.head, CODE - 1));
	assert_ptr_equal(unwind_table_find(&table.head, CODE), &table.rules[1]);
	assert_non_null(unwind_table_find(&table.head, CODE + UINT64_C(0xffffffff)));
	assert_null(unwind_table_find(&table.head, CODE + UINT64_C(0x100000000)));
	assert_null(unwind_table_find(&table.head, CODE + UINT64_C(0x100000010)));
}

/* ---- rules from unwind information ---- */

/* The table of a function with that program, whose CFA is rsp + 8 at first. */
static struct unwind_table *table_of(const unsigned char *program, size_t size)
{
	static const unsigned char initial[] = {DW_CFA_def_cfa, UNWIND_RSP, 8,
						DW_CFA_offset | UNWIND_RA, 1};
	static const struct object_cie cie = {.code_align = 1,
					      .data_align = -8,
					      .return_register = UNWIND_RA,
					      .lsda_encoding = 0xff,
					      .personality_encoding = 0xff,
					      .understood = true,
					      .program = initial,
					      .program_size = sizeof(initial)};
	const struct object_fde fde = {.begin = CODE,
				       .end = CODE + CODE_BYTES,
				       .cie = &cie,
				       .program = program,
				       .program_size = size};

	return unwind_table_build_function(&fde);
}

#define TABLE_OF(...)                                                                              \
	table_of((const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__}))

/* Any memory: a word's value is its address. */
static bool read_address(void *context, uint64_t run_addr, uint64_t *word)
{
	(void)context;
	*word = run_addr;
	return true;
}

/* rbx of the caller, whose callee's stack pointer is 0x100000. */
static uint64_t caller_rbx(const struct unwind_table *table)
{
	const struct unwind_memory memory = {.read = read_address};
	struct unwind_registers registers = registers_at(0x100000);

	assert_true(unwind_table_check(table, table->size_bytes));
	assert_int_equal(unwind_step(table, 0, &registers, &memory), UNWIND_CALLER);
	return registers.value[UNWIND_RBX];
}

/* Rules of the common form have 16 bits for the place of a register. */
static void test_registers_saved_far_away(void **state)
{
	static const struct {
		int distance; /* in words above the CFA */
		unsigned char encoded[2];
	} all[] = {
		{4095, {0x81, 0x60}},  /* 32760: of the common form */
		{4096, {0x80, 0x60}},  /* 32768 */
		{5000, {0xf8, 0x58}},  /* 40000 */
		{8192, {0x80, 0x40}},  /* 65536: all 16 bits are 0 */
		{-4096, {0x80, 0x20}}, /* -32768 stands for "not saved" */
		{-4095, {0xff, 0x1f}}, /* -32760 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct unwind_table *table =
			TABLE_OF(DW_CFA_def_cfa_offset, 0x88, 0x80, 0x04, /* 65544 */
				 DW_CFA_offset_extended_sf, UNWIND_RBX, all[i].encoded[0],
				 all[i].encoded[1]);
		assert_int_equal(caller_rbx(table), 0x100000 + 65544 + 8 * all[i].distance);
		free(table);
	}
}

/* Asked for without a step, as the first function of a thread is. */
static void test_lost_return_addresses_are_the_outermost(void **state)
{
	struct unwind_table *outermost = TABLE_OF(DW_CFA_undefined, UNWIND_RA);
	struct unwind_table *other = TABLE_OF(DW_CFA_undefined, UNWIND_RBX);
	struct unwind_map *map = unwind_map_new();

	(void)state;
	unwind_map_add(map, &(struct unwind_mapping){CODE, CODE + CODE_BYTES, 0, outermost, NULL});
	unwind_map_add(map, &(struct unwind_mapping){0x5000 + CODE, 0x5000 + CODE + CODE_BYTES,
						     0x5000, other, NULL});
	assert_true(unwind_map_is_outermost(map, CODE));
	assert_true(unwind_map_is_outermost(map, CODE + CODE_BYTES - 1));
	assert_false(unwind_map_is_outermost(map, 0x5000 + CODE));
	unwind_map_free(map);
	free(outermost);
	free(other);
}

/* ---- walks ---- */

static void test_rules_are_those_of_the_file_that_is_mapped_now(void **state)
{
	const struct one_rule inner = one_rule(pushed_rbp);
	const struct one_rule outer = one_rule((struct unwind_rule){.flags = UNWIND_OUTERMOST});
	const uint64_t end = CODE + CODE_BYTES;
	struct unwind_map *map = unwind_map_new();

	(void)state;
	unwind_map_add(map, &(struct unwind_mapping){CODE, end, 0, &inner.head, NULL});
	assert_false(unwind_map_is_outermost(map, CODE + 1));
	unwind_map_add(map, &(struct unwind_mapping){CODE, end, 0, &outer.head, NULL});
	assert_true(unwind_map_is_outermost(map, CODE + 1));
	unwind_map_remove(map, CODE, end);
	assert_false(unwind_map_is_outermost(map, CODE + 1));
	unwind_map_free(map);
}

/*
 * The PLT has no unwind information; rbp leads to a frame whose return address lies in alpha,
 * behind the byte 0x0f of it.
 */
static struct unwind_stack walk_by_frame_pointer(struct small_elf *elf, struct unwind_frame *frames)
{
	enum { BIAS = 0x500000 };
	struct unwind_memory memory = memory_of_words();
	struct unwind_registers registers = {.exact = true};
	struct unwind_map *map = unwind_map_new();
	struct unwind_stack stack = {.frames = frames, .room = 2};
	struct error err;

	struct object *object = object_open_bytes(elf->bytes.data, elf->bytes.len, "small",
						  OBJECT_UNWIND_SEARCH, &err);
	assert_non_null(object);
	struct unwind_rules *rules = unwind_rules_new(object);
	unwind_map_add(map,
		       &(struct unwind_mapping){BIAS, BIAS + elf->bytes.len, BIAS, NULL, rules});
	words[2] = STACK + 48;
	words[3] = BIAS + SMALL_TEXT + 0x10;
	registers.value[UNWIND_RA] = BIAS + SMALL_PLT;
	registers.value[UNWIND_RSP] = STACK;
	registers.value[UNWIND_RBP] = STACK + 16;
	unwind_walk(map, &registers, &memory, &stack);
	unwind_map_free(map);
	unwind_rules_free(rules);
	object_close(object);
	return stack;
}

static void test_guessed_callers_have_made_a_call(void **state)
{
	struct unwind_frame frames[2];
	struct small_elf elf;

	(void)state;
	small_elf_build(&elf, &(struct small_elf_options){0});
	struct unwind_stack stack = walk_by_frame_pointer(&elf, frames);
	assert_int_equal(stack.count, 1);
	assert_int_equal(stack.end, UNWIND_NO_RULE);
	elf.bytes.data[SMALL_TEXT + 0x10 - 5] = 0xe8;
	stack = walk_by_frame_pointer(&elf, frames);
	assert_int_equal(stack.count, 2);
	assert_int_equal(frames[1].addr, 0x500000 + SMALL_TEXT + 0xf);
	assert_int_equal(frames[1].flags, UNWIND_FRAME_GUESSED);
	small_elf_fini(&elf);
}

static void test_stacks_end_where_the_room_does(void **state)
{
	const struct one_rule table = one_rule(pushed_rbp);
	struct unwind_memory memory = memory_of_words();
	struct unwind_map *map = unwind_map_new();
	const struct unwind_registers registers = registers_at(STACK);

	(void)state;
	for (size_t i = 0; i < WORDS; i++)
		words[i] = CODE + 0x20; /* all return addresses */
	unwind_map_add(map,
		       &(struct unwind_mapping){CODE, CODE + CODE_BYTES, 0, &table.head, NULL});
	for (size_t room = 0; room <= WORDS / 2; room++) {
		struct unwind_frame frames[WORDS];
		struct unwind_stack stack = {.frames = frames, .room = room};

		memset(frames, 0x5a, sizeof(frames));
		unwind_walk(map, &registers, &memory, &stack);
		assert_int_equal(stack.count, room);
		assert_int_equal(stack.end, UNWIND_TOO_DEEP);
		assert_int_equal(frames[room].addr, 0x5a5a5a5a5a5a5a5aULL);
	}
	unwind_map_free(map);
}

/* Whatever stands on the stack, and whether rbp is 0, as in a thread's first frame, or not. */
static void test_callers_are_in_code(void **state)
{
	static const uint64_t nowhere[] = {1, 0x37, CODE - 1, CODE + CODE_BYTES + 1, STACK + 8};
	const struct one_rule table = one_rule(pushed_rbp);
	struct unwind_memory memory = memory_of_words();
	struct unwind_map *map = unwind_map_new();

	(void)state;
	unwind_map_add(map,
		       &(struct unwind_mapping){CODE, CODE + CODE_BYTES, 0, &table.head, NULL});
	for (size_t i = 0; i < 2 * sizeof(nowhere) / sizeof(*nowhere); i++) {
		const struct unwind_registers registers = registers_at(STACK);
		struct unwind_frame frames[WORDS];
		struct unwind_stack stack = {.frames = frames, .room = WORDS};

		words[0] = i & 1 ? STACK : 0;
		words[1] = nowhere[i / 2];
		unwind_walk(map, &registers, &memory, &stack);
		assert_int_equal(stack.count, 1);
		assert_int_equal(stack.end, UNWIND_BROKEN);
	}
	unwind_map_free(map);
}

/* Of an interrupted frame it is what was executed: it can be anywhere. */
static void test_interrupted_frames_may_be_anywhere(void **state)
{
	struct unwind_memory memory = memory_of_words();
	struct unwind_map *map = unwind_map_new();
	const struct unwind_registers registers = {.exact = true, .value = {[UNWIND_RA] = 0x37}};
	struct unwind_frame frames[1];
	struct unwind_stack stack = {.frames = frames, .room = 1};

	(void)state;
	unwind_walk(map, &registers, &memory, &stack);
	assert_int_equal(stack.count, 1);
	assert_int_equal(frames[0].addr, 0x37);
	unwind_map_free(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callers_are_in_code),
		cmocka_unit_test(test_interrupted_frames_may_be_anywhere),
		cmocka_unit_test(test_shifts),
		cmocka_unit_test(test_comparisons_are_signed),
		cmocka_unit_test(test_divisions),
		cmocka_unit_test(test_rotation),
		cmocka_unit_test(test_jumps_may_end_the_expression),
		cmocka_unit_test(test_unreadable_registers_end_the_step),
		cmocka_unit_test(test_callers_of_signal_frames_are_exact),
		cmocka_unit_test(test_frame_pointers),
		cmocka_unit_test(test_no_rule_beyond_4_gib),
		cmocka_unit_test(test_registers_saved_far_away),
		cmocka_unit_test(test_lost_return_addresses_are_the_outermost),
		cmocka_unit_test(test_rules_are_those_of_the_file_that_is_mapped_now),
		cmocka_unit_test(test_guessed_callers_have_made_a_call),
		cmocka_unit_test(test_stacks_end_where_the_room_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
