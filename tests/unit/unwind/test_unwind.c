/*
 * unwind: tables, rules, expressions, maps; and whole stacks of this process, interrupted at any
 * instruction, against those of the compiler's own unwinder.
 */
#include "tests/support/unwind_step.h"
#include "unwind/build.h"
#include "unwind/expression.h"
#include "unwind/from_code.h"
#include "unwind/unwind.h"

#include <dwarf.h>
#include <execinfo.h>
#include <link.h>
#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <ucontext.h>

#include <cmocka.h>

/* ---- the files of this process ---- */

struct files {
	struct unwind_map *map;
	struct vec_of(struct object *) objects;
	struct vec_of(struct unwind_table *) tables;
	size_t functions, refused;
};

static struct files files;

static int add_file(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *path = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
	const bool is_vdso = info->dlpi_addr == getauxval(AT_SYSINFO_EHDR);
	struct unwind_build_statistics statistics;
	struct error err;

	(void)size;
	(void)context;
	struct object *object = is_vdso ? object_open_bytes((const void *)info->dlpi_addr, 8192,
							    "vdso", OBJECT_UNWIND, &err)
					: object_open(path, OBJECT_UNWIND, &err);
	if (!object)
		return 0;
	struct unwind_table *table = unwind_table_build(object, UNWIND_GAPS_FOLLOWED, &statistics);

	assert_true(unwind_table_check(table, table->size_bytes));
	files.functions += statistics.functions;
	files.refused += statistics.refused;
	vec_push(&files.objects, object);
	vec_push(&files.tables, table);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const uint64_t begin = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
			unwind_map_add(files.map,
				       &(struct unwind_mapping){.begin = begin,
								.end = begin + segment->p_memsz,
								.bias = info->dlpi_addr,
								.table = table});
	}
	return 0;
}

static int files_open(void **state)
{
	(void)state;
	files.map = unwind_map_new();
	dl_iterate_phdr(add_file, NULL);
	return 0;
}

static int files_close(void **state)
{
	(void)state;
	unwind_map_free(files.map);
	vec_foreach (table, &files.tables)
		free(*table);
	vec_foreach (object, &files.objects)
		object_close(*object);
	vec_fini(&files.tables);
	vec_fini(&files.objects);
	return 0;
}

static void test_all_functions_have_rules(void **state)
{
	(void)state;
	assert_true(files.functions > 1000);
	assert_int_equal(files.refused, 0);
}

/* ---- rules on demand ---- */

static void expect_same_rule(const struct unwind_table *table, struct unwind_rules *rules,
			     uint64_t addr)
{
	const struct unwind_rule *expected = unwind_table_find(table, addr);
	const struct unwind_found found = unwind_rules_find(rules, addr, true);

	if (!expected)
		return;
	assert_non_null(found.rule);
	assert_int_equal(found.from_code, (expected->flags & UNWIND_FROM_CODE) != 0);
	if (found.from_code)
		return;
	assert_int_equal(found.rule->flags, expected->flags);
	if (expected->flags & UNWIND_BY_PROGRAM)
		assert_memory_equal(found.programs + found.rule->cfa_offset,
				    unwind_table_programs(table) + expected->cfa_offset, 8);
	else
		assert_memory_equal(found.rule, expected, sizeof(*expected));
}

static void test_rules_on_demand_are_those_of_tables(void **state)
{
	size_t count, compared = 0;
	struct error err;

	(void)state;
	for (size_t i = 0; i < files.objects.len; i++) {
		const struct object_fde *fdes = object_fdes(files.objects.data[i], &count);
		const char *path = object_path(files.objects.data[i]);
		struct object *object = object_open(path, OBJECT_UNWIND_SEARCH, &err);

		if (!object)
			continue; /* the vDSO */
		struct unwind_rules *rules = unwind_rules_new(object);

		for (size_t k = 0; k < count; k += 3, compared++)
			for (uint64_t addr = fdes[k].begin; addr < fdes[k].end; addr += 13)
				expect_same_rule(files.tables.data[i], rules, addr);
		unwind_rules_free(rules);
		object_close(object);
	}
	assert_true(compared > 1000);
}

/* ---- rules from code ---- */

/* Without unwind information; each label is where the rule is asked for. */
__asm__(".pushsection .text\n"
	"from_code_begin: push %rbx\n"
	"from_code_pushed: push %rbp\n mov %rsp, %rbp\n sub $24, %rsp\n test %edi, %edi\n"
	"je 1f\n call from_code_tail\n"
	"from_code_called: 1: lea 8(%rsp), %rax\n"
	"leave\n"
	"from_code_left: pop %rbx\n"
	"ret\n"
	"from_code_tail: push %r12\n mov 16(%rsp), %r12\n add $8, %rsp\n"
	"jmp from_code_end\n"
	"from_code_hopeless: mov %rax, %rsp\n ret\n"
	"from_code_broken: mov $1, %ebx\n ret\n"
	"from_code_arguments: ret $8\n"
	"from_code_moved: sub $24, %rsp\n add $16, %rsp\n add $8, %rsp\n ret\n"
	"from_code_kept: mov %rbx, %rcx\n call from_code_end\n mov %rcx, %rbx\n ret\n"
	"from_code_last_call: call from_code_end\n int3\n ret\n"
	"from_code_plt: pushq from_code_slots(%rip)\n"
	"from_code_plt_jump: jmp *from_code_slots+8(%rip)\n"
	"from_code_end: ret\n"
	"nop\n nop\n nop\n ret\n"
	".popsection\n"
	".pushsection .data\n"
	"from_code_slots: .quad 0, 0, 0\n"
	".popsection\n");

extern const char from_code_begin[], from_code_pushed[], from_code_called[], from_code_left[],
	from_code_tail[], from_code_hopeless[], from_code_broken[], from_code_arguments[],
	from_code_moved[], from_code_kept[], from_code_last_call[], from_code_plt[],
	from_code_plt_jump[], from_code_end[];

static bool rule_from_code(const char *label, struct unwind_rule *rule)
{
	struct error err;
	const struct unwind_mapping *mapping = unwind_map_find(files.map, (uintptr_t)label);
	struct object *object = object_open("/proc/self/exe", OBJECT_UNWIND_SEARCH, &err);
	const bool found = unwind_rule_from_code(object, (uintptr_t)label - mapping->bias, rule);

	object_close(object);
	return found;
}

static void expect_frame(const struct unwind_rule *rule, unsigned cfa_register, int offset)
{
	assert_int_equal(rule->cfa_register, cfa_register);
	assert_int_equal(rule->cfa_offset, offset);
}

static void test_rules_from_code(void **state)
{
	struct unwind_rule rule;

	(void)state;
	assert_true(rule_from_code(from_code_begin, &rule));
	expect_frame(&rule, UNWIND_RSP, 8);
	assert_int_equal(rule.saved[UNWIND_SAVED_RBX], UNWIND_SAME);
	assert_true(rule_from_code(from_code_pushed, &rule));
	expect_frame(&rule, UNWIND_RSP, 16);
	assert_int_equal(rule.saved[UNWIND_SAVED_RBX], -16);
	assert_int_equal(rule.saved[UNWIND_SAVED_RBP], UNWIND_SAME);
	assert_true(rule_from_code(from_code_called, &rule));
	expect_frame(&rule, UNWIND_RBP, 24);
	assert_int_equal(rule.saved[UNWIND_SAVED_RBX], -16);
	assert_int_equal(rule.saved[UNWIND_SAVED_RBP], -24);
	assert_true(rule_from_code(from_code_left, &rule));
	expect_frame(&rule, UNWIND_RSP, 16);
	assert_false(
		rule_from_code(from_code_tail, &rule)); /* r12 is another word of the caller's */
	assert_false(rule_from_code(from_code_hopeless, &rule));
	assert_false(rule_from_code(from_code_broken, &rule));
	/* takes more off the stack than its return address */
	assert_false(rule_from_code(from_code_arguments, &rule));
}

static void test_rules_from_what_code_does(void **state)
{
	struct unwind_rule rule;

	(void)state;
	assert_true(rule_from_code(from_code_moved, &rule));
	expect_frame(&rule, UNWIND_RSP, 8);
	/* rcx is what the callee leaves in it. */
	assert_false(rule_from_code(from_code_kept, &rule));
	/* What comes behind filler is another function's. */
	assert_false(rule_from_code(from_code_last_call, &rule));
	/* The PLT's first entry is jumped to with one word on the stack, and pushes another one. */
	assert_true(rule_from_code(from_code_plt, &rule));
	expect_frame(&rule, UNWIND_RSP, 16);
	assert_true(rule_from_code(from_code_plt_jump, &rule));
	expect_frame(&rule, UNWIND_RSP, 24);
}

static const struct unwind_rule *rule_of_table(const char *label)
{
	const struct unwind_mapping *mapping = unwind_map_find(files.map, (uintptr_t)label);

	return unwind_table_find(mapping->table, (uintptr_t)label - mapping->bias);
}

/* Tables have them where there is no information, at each instruction that changes what they say.
 */
static void test_tables_have_rules_from_code(void **state)
{
	static const char *const labels[] = {from_code_begin, from_code_pushed, from_code_called,
					     from_code_left, from_code_moved};
	struct unwind_rule rule;

	(void)state;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		assert_true(rule_from_code(labels[i], &rule));
		rule.flags = UNWIND_FROM_CODE;
		assert_non_null(rule_of_table(labels[i]));
		assert_memory_equal(rule_of_table(labels[i]), &rule, sizeof(rule));
	}
	/* "sub $24, %rsp" is 4 bytes, and "add $16, %rsp". */
	expect_frame(rule_of_table(from_code_moved + 4), UNWIND_RSP, 32);
	expect_frame(rule_of_table(from_code_moved + 8), UNWIND_RSP, 16);
	assert_null(rule_of_table(from_code_hopeless));
	assert_null(rule_of_table(from_code_broken));
	assert_null(rule_of_table(from_code_arguments));
	/* Between functions. */
	assert_null(rule_of_table(from_code_end + 1));
	assert_null(rule_of_table(from_code_end + 3));
	assert_non_null(rule_of_table(from_code_end + 4));
	/* Functions with information have that. */
	assert_int_equal(rule_of_table((const char *)(uintptr_t)expect_frame)->flags, 0);
}

static bool read_nothing(void *context, uint64_t addr, uint64_t *word)
{
	(void)context;
	(void)addr;
	(void)word;
	return false;
}

/* They are believed where they lead to code. */
static void test_rules_from_code_lead_nowhere(void **state)
{
	const uint64_t words[] = {16, 16, 16, 16, 16, 16, 16, 16}; /* no address of code */
	struct unwind_frame frames[4];
	struct unwind_stack stack = {.frames = frames, .room = 4};
	struct unwind_registers registers = {.exact = true};
	const struct unwind_memory memory = {.begin = (uint64_t)words,
					     .size_bytes = sizeof(words),
					     .bytes = (const void *)words,
					     .read = read_nothing};

	(void)state;
	registers.value[UNWIND_RSP] = (uint64_t)words;
	registers.value[UNWIND_RBP] = 1;
	registers.value[UNWIND_RA] = (uint64_t)from_code_pushed;
	unwind_walk(files.map, &registers, &memory, &stack);
	assert_int_equal(stack.count, 1);
	assert_int_equal(stack.end, UNWIND_NO_RULE);
}

/* ---- the map ---- */

static void map_range(struct unwind_map *map, uint64_t begin, uint64_t end, uint64_t bias)
{
	unwind_map_add(map, &(struct unwind_mapping){.begin = begin, .end = end, .bias = bias});
}

/* The bias at an address, ~0 where nothing is mapped. */
static uint64_t bias_at(const struct unwind_map *map, uint64_t addr)
{
	const struct unwind_mapping *mapping = unwind_map_find(map, addr);

	return mapping ? mapping->bias : ~UINT64_C(0);
}

static void test_mappings_replace_each_other(void **state)
{
	struct unwind_map *map = unwind_map_new();

	(void)state;
	assert_null(unwind_map_find(map, 0x1000));
	map_range(map, 0x1000, 0x5000, 1);
	map_range(map, 0x6000, 0x7000, 2);
	map_range(map, 0x2000, 0x3000, 3); /* inside the first, of which two parts stay */
	assert_int_equal(bias_at(map, 0xfff), ~UINT64_C(0));
	assert_int_equal(bias_at(map, 0x1fff), 1);
	assert_int_equal(bias_at(map, 0x2000), 3);
	assert_int_equal(bias_at(map, 0x3000), 1);
	assert_int_equal(bias_at(map, 0x5000), ~UINT64_C(0));
	map_range(map, 0x2800, 0x6800, 4); /* over ends and wholes */
	assert_int_equal(bias_at(map, 0x27ff), 3);
	assert_int_equal(bias_at(map, 0x4000), 4);
	assert_int_equal(bias_at(map, 0x67ff), 4);
	assert_int_equal(bias_at(map, 0x6800), 2);
	unwind_map_remove(map, 0x1800, 0x2900);
	assert_int_equal(bias_at(map, 0x17ff), 1);
	assert_int_equal(bias_at(map, 0x1800), ~UINT64_C(0));
	assert_int_equal(bias_at(map, 0x2900), 4);
	unwind_map_remove(map, 0, ~UINT64_C(0));
	assert_null(unwind_map_find(map, 0x3000));
	unwind_map_free(map);
}

/* ---- tables ---- */

/* One row at 0x1000 with a rule of the common form, one at 0x1010 with a program. */
struct small_table {
	struct unwind_table head;
	uint32_t starts[3], row_rules[3];
	struct unwind_rule rules[3];
	unsigned char programs[16];
};

static struct small_table small_table(void)
{
	return (struct small_table){
		.head = {.magic = UNWIND_TABLE_MAGIC,
			 .version = UNWIND_TABLE_VERSION,
			 .row_count = 3,
			 .base = 0x1000,
			 .rule_count = 3,
			 .program_bytes = 16,
			 .size_bytes = offsetof(struct small_table, programs) + 16},
		.starts = {0, 0x10, 0x20},
		.row_rules = {1, 2, UNWIND_RULE_NONE},
		.rules = {{0},
			  {.cfa_offset = 16,
			   .cfa_register = UNWIND_RSP,
			   .saved = {UNWIND_SAME, -16, UNWIND_SAME, UNWIND_SAME, UNWIND_SAME,
				     UNWIND_SAME}},
			  {.flags = UNWIND_BY_PROGRAM, .cfa_offset = 0}},
		.programs = {UNWIND_ITEM_CFA, UNWIND_RBP, 24, 0, 0, 0, UNWIND_ITEM_AT, UNWIND_RA,
			     0xf0, 0xff, 0xff, 0xff, UNWIND_ITEM_UNDEFINED, UNWIND_RBX,
			     UNWIND_ITEM_END}};
}

static bool is_good(const struct small_table *table)
{
	return unwind_table_check(&table->head, table->head.size_bytes);
}

static void test_tables_are_checked(void **state)
{
	struct small_table table = small_table();

	(void)state;
	assert_true(is_good(&table));
	assert_false(unwind_table_check(&table.head, table.head.size_bytes - 1));
	table.head.row_count = UINT32_MAX;
	assert_false(is_good(&table));
	table = small_table();
	table.row_rules[1] = 3;
	assert_false(is_good(&table));
	table = small_table();
	table.starts[2] = 0x10;
	assert_false(is_good(&table));
	table = small_table();
	table.rules[1].cfa_register = UNWIND_REGISTERS;
	assert_false(is_good(&table));
	table = small_table();
	table.rules[2].cfa_offset = 16; /* behind the programs */
	assert_false(is_good(&table));
	table = small_table();
	table.programs[14] = UNWIND_ITEM_AT; /* no end */
	assert_false(is_good(&table));
	table = small_table();
	table.programs[0] = UNWIND_ITEM_UNDEFINED; /* no CFA */
	assert_false(is_good(&table));
}

static void test_steps(void **state)
{
	const uint64_t stack[] = {0x1111, 0x2222, 0x3333, 0x4444};
	const struct unwind_memory memory = {
		.begin = 0x7000, .size_bytes = sizeof(stack), .bytes = stack};
	const struct small_table table = small_table();
	struct unwind_registers registers = {.exact = true};

	(void)state;
	registers.value[UNWIND_RSP] = 0x7000;
	registers.value[UNWIND_RA] = 0x501005; /* loaded at 0x500000 */
	assert_int_equal(unwind_step(&table.head, 0x500000, &registers, &memory), UNWIND_CALLER);
	assert_int_equal(registers.value[UNWIND_RSP], 0x7010);
	assert_int_equal(registers.value[UNWIND_RBP], 0x1111);
	assert_int_equal(registers.value[UNWIND_RA], 0x2222);
	assert_false(registers.exact);

	registers.value[UNWIND_RBP] = 0x7000;
	registers.value[UNWIND_RA] = 0x501011; /* a return address: the call is at 0x501010 */
	registers.value[UNWIND_RSP] = 0x7000;
	assert_int_equal(unwind_step(&table.head, 0x500000, &registers, &memory), UNWIND_CALLER);
	assert_int_equal(registers.value[UNWIND_RSP], 0x7018);
	assert_int_equal(registers.value[UNWIND_RA], 0x2222);

	registers.value[UNWIND_RA] = 0x501021;
	assert_int_equal(unwind_step(&table.head, 0x500000, &registers, &memory), UNWIND_NO_RULE);
	registers.value[UNWIND_RA] = 0x501002;
	registers.value[UNWIND_RSP] = 0x7018; /* the return address lies above the memory */
	assert_int_equal(unwind_step(&table.head, 0x500000, &registers, &memory),
			 UNWIND_UNREADABLE);
	registers.value[UNWIND_RA] = 0x501012;
	registers.value[UNWIND_RBP] = 0x7000 - 24 + 8; /* the caller lies below its callee */
	assert_int_equal(unwind_step(&table.head, 0x500000, &registers, &memory), UNWIND_STUCK);
}

/* A program that walks on must move the stack pointer, or it could do so for ever. */
static void test_steps_go_up(void **state)
{
	const uint64_t stack[] = {0x1111, 0x2222, 0x3333, 0x4444};
	const struct unwind_memory memory = {
		.begin = 0x7000, .size_bytes = sizeof(stack), .bytes = stack};
	const struct small_table table = small_table();
	struct unwind_registers registers = {.exact = false};

	(void)state;
	registers.value[UNWIND_RSP] = 0x7010;
	registers.value[UNWIND_RBP] = 0x7010 - 24; /* the caller lies where its callee lies */
	registers.value[UNWIND_RA] = 0x501012;
	assert_int_equal(unwind_step(&table.head, 0x500000, &registers, &memory), UNWIND_STUCK);
	assert_int_equal(registers.value[UNWIND_RA], 0x501012);
	/* An interrupted function may have taken its return address off, as vfork does. */
	registers.exact = true;
	registers.value[UNWIND_RA] = 0x501011;
	assert_int_equal(unwind_step(&table.head, 0x500000, &registers, &memory), UNWIND_CALLER);
	assert_int_equal(registers.value[UNWIND_RSP], 0x7010);
	assert_int_equal(registers.value[UNWIND_RA], 0x1111);
}

/* Programs are checked for their length only: what they name is checked by each step. */
static void test_programs_name_registers_that_exist(void **state)
{
	static const struct {
		unsigned char items[4];
		unsigned length;
	} bad[] = {{{UNWIND_ITEM_UNDEFINED, UNWIND_REGISTERS}, 2},
		   {{UNWIND_ITEM_UNDEFINED, 255}, 2},
		   {{UNWIND_ITEM_REGISTER, UNWIND_REGISTERS, UNWIND_RAX}, 3},
		   {{UNWIND_ITEM_REGISTER, UNWIND_RAX, UNWIND_REGISTERS}, 3}};
	const uint64_t stack[] = {0x1111, 0x2222, 0x3333, 0x4444};
	const struct unwind_memory memory = {
		.begin = 0x7000, .size_bytes = sizeof(stack), .bytes = stack};

	(void)state;
	for (size_t i = 0; i <= sizeof(bad) / sizeof(bad[0]); i++) {
		struct small_table table = small_table();
		struct unwind_registers registers = {.exact = true};
		registers.value[UNWIND_RSP] = registers.value[UNWIND_RBP] = 0x7000;
		registers.value[UNWIND_RA] = 0x501010;
		if (i < sizeof(bad) / sizeof(bad[0])) {
			memcpy(table.programs + 6, bad[i].items, bad[i].length);
			table.programs[6 + bad[i].length] = UNWIND_ITEM_END;
		} else {
			table.programs[1] = UNWIND_REGISTERS; /* the CFA's */
		}
		const struct unwind_registers before = registers;
		assert_int_equal(unwind_step(&table.head, 0x500000, &registers, &memory),
				 UNWIND_BROKEN);
		assert_memory_equal(registers.value, before.value, sizeof(before.value));
	}
}

/* ---- expressions ---- */

static enum unwind_result evaluate(const unsigned char *bytes, size_t size, uint64_t *value)
{
	const uint64_t stack[] = {0x1111, 0x2222};
	const struct unwind_memory memory = {
		.begin = 0x7000, .size_bytes = sizeof(stack), .bytes = stack};
	const struct unwind_registers registers = {.value[UNWIND_RSP] = 0x7000,
						   .value[UNWIND_RA] = 0x100b};
	const struct unwind_expression expression = {
		.bytes = bytes, .size_bytes = size, .registers = &registers, .memory = &memory};

	return unwind_evaluate(&expression, NULL, value);
}

#define EVALUATE(value, ...)                                                                       \
	evaluate((const unsigned char[]){__VA_ARGS__},                                             \
		 sizeof((const unsigned char[]){__VA_ARGS__}), value)

static void test_expressions(void **state)
{
	uint64_t value = 0;

	(void)state;
	/* What linkers write for a PLT: rsp + 8, and 8 more behind its push. */
	assert_int_equal(EVALUATE(&value, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and,
				  DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus),
			 UNWIND_CALLER);
	assert_int_equal(value, 0x7010);
	assert_int_equal(EVALUATE(&value, DW_OP_breg7, 8, DW_OP_deref), UNWIND_CALLER);
	assert_int_equal(value, 0x2222);
	assert_int_equal(EVALUATE(&value, DW_OP_const1s, 0xff, DW_OP_const2u, 2, 0, DW_OP_mul),
			 UNWIND_CALLER);
	assert_int_equal(value, ~UINT64_C(0) - 1);
	assert_int_equal(EVALUATE(&value, DW_OP_lit1, DW_OP_bra, 1, 0, DW_OP_lit9, DW_OP_lit4),
			 UNWIND_CALLER);
	assert_int_equal(value, 4);
}

static void test_bad_expressions(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(EVALUATE(&value, DW_OP_breg7, 16, DW_OP_deref), UNWIND_UNREADABLE);
	assert_int_equal(EVALUATE(&value, DW_OP_plus), UNWIND_BROKEN);
	assert_int_equal(EVALUATE(&value, DW_OP_lit1, DW_OP_lit0, DW_OP_div), UNWIND_BROKEN);
	assert_int_equal(EVALUATE(&value, DW_OP_const8u, 1, 2), UNWIND_BROKEN);
	assert_int_equal(EVALUATE(&value, DW_OP_skip, 0xfd, 0xff), UNWIND_BROKEN); /* for ever */
	assert_int_equal(EVALUATE(&value, DW_OP_skip, 0x10, 0), UNWIND_BROKEN);
	assert_int_equal(EVALUATE(&value, DW_OP_addr, 0), UNWIND_BROKEN);
	/* Pushes without end. */
	assert_int_equal(EVALUATE(&value, DW_OP_lit1, DW_OP_skip, 0xfc, 0xff), UNWIND_BROKEN);
}

/* ---- stacks ---- */

enum { SAMPLES = 400, FRAMES = 64, ALTERNATE_BYTES = 65536 };

struct sample {
	struct unwind_frame found[FRAMES];
	size_t found_count, expected_count;
	enum unwind_result end;
	void *expected[FRAMES];
};

static struct sample samples[SAMPLES];
static volatile sig_atomic_t sample_count;

static bool read_directly(void *context, uint64_t run_addr, uint64_t *word)
{
	(void)context;
	memcpy(word, (const void *)run_addr, sizeof(*word));
	return true;
}

static void take_sample(int number, siginfo_t *info, void *context)
{
	static const int names[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
				    REG_RBP, REG_RSP, REG_R8,  REG_R9,	REG_R10, REG_R11,
				    REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
	const ucontext_t *interrupted = context;
	const struct unwind_memory memory = {.read = read_directly};
	struct unwind_registers registers = {.exact = true};

	(void)number;
	(void)info;
	if (sample_count == SAMPLES)
		return;
	struct sample *sample = &samples[sample_count];
	struct unwind_stack stack = {.frames = sample->found, .room = FRAMES};

	for (int i = 0; i < UNWIND_REGISTERS; i++)
		registers.value[i] = (uint64_t)interrupted->uc_mcontext.gregs[names[i]];
	unwind_walk(files.map, &registers, &memory, &stack);
	sample->found_count = stack.count;
	sample->end = stack.end;
	sample->expected_count = (size_t)backtrace(sample->expected, FRAMES);
	sample_count++;
}

static volatile unsigned sink;

static int compare(const void *a, const void *b)
{
	const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* Its frame size is not known before it runs, so that it needs a frame pointer. */
__attribute__((noinline)) static void sort_some(unsigned count)
{
	unsigned *values = __builtin_alloca(count * sizeof(*values));

	for (unsigned i = 0; i < count; i++)
		values[i] = (i * 2654435761u) >> 7;
	qsort(values, count, sizeof(*values), compare);
	sink += values[count / 2];
}

/* Its stack pointer is aligned by hand. */
__attribute__((noinline)) static void descend(unsigned depth)
{
	_Alignas(128) volatile char aligned[128];

	aligned[depth] = 1;
	if (depth)
		descend(depth - 1);
	else
		sort_some(200);
	sink += (unsigned)aligned[depth];
}

/* Works in a signal handler, on another stack. */
static void handle(int number)
{
	(void)number;
	sort_some(100);
}

static void collect(void)
{
	const struct itimerval often = {.it_interval = {.tv_usec = 1000},
					.it_value = {.tv_usec = 1000}};
	const struct itimerval never = {0};
	struct sigaction action = {.sa_sigaction = take_sample,
				   .sa_flags = SA_SIGINFO | SA_RESTART};
	const struct sigaction handled = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
	static char alternate[ALTERNATE_BYTES];
	char text[64];

	sigaltstack(&(stack_t){.ss_sp = alternate, .ss_size = sizeof(alternate)}, NULL);
	sigaction(SIGPROF, &action, NULL);
	sigaction(SIGUSR1, &handled, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	for (unsigned round = 0; sample_count < SAMPLES; round++) {
		descend(round % 20);
		raise(SIGUSR1);
		snprintf(text, sizeof(text), "%u %f", round, (double)round / 3);
		sink += (unsigned)strlen(text);
	}
	setitimer(ITIMER_PROF, &never, NULL);
	signal(SIGPROF, SIG_IGN);
}

static void test_stacks_like_those_of_libgcc(void **state)
{
	void *warm[4];
	size_t frames = 0;

	(void)state;
	backtrace(warm, 4); /* loads libgcc_s, which allocates */
	collect();
	for (int i = 0; i < SAMPLES; i++) {
		const struct sample *sample = &samples[i];

		/* The other one begins with the handler and what it returns to, and a sanitizer. */
		const size_t first = sample->expected_count - sample->found_count;

		assert_int_equal(sample->end, UNWIND_ROOT);
		assert_in_range(first, 2, 3);
		for (size_t k = 0; k < sample->found_count; k++) {
			const struct unwind_frame *frame = &sample->found[k];

			assert_int_equal(frame->addr + !(frame->flags & UNWIND_FRAME_EXACT),
					 sample->expected[first + k]);
		}
		frames += sample->found_count;
	}
	assert_true(frames > 5 * SAMPLES);
}

/* Of a build's thousands of processes each has one; nearly all see few stacks. */
static void test_maps_are_small(void **state)
{
	enum { MAPS = 64 };
	struct unwind_map *maps[MAPS];
	const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;

	(void)state;
	for (int i = 0; i < MAPS; i++)
		maps[i] = unwind_map_new();
	assert_true(mallinfo2().uordblks + mallinfo2().hblkhd - before < MAPS * 4096);
	for (int i = 0; i < MAPS; i++)
		unwind_map_free(maps[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mappings_replace_each_other),
		cmocka_unit_test(test_maps_are_small),
		cmocka_unit_test(test_tables_are_checked),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_steps_go_up),
		cmocka_unit_test(test_programs_name_registers_that_exist),
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_bad_expressions),
		cmocka_unit_test(test_all_functions_have_rules),
		cmocka_unit_test(test_rules_on_demand_are_those_of_tables),
		cmocka_unit_test(test_rules_from_code),
		cmocka_unit_test(test_rules_from_what_code_does),
		cmocka_unit_test(test_tables_have_rules_from_code),
		cmocka_unit_test(test_rules_from_code_lead_nowhere),
		cmocka_unit_test(test_stacks_like_those_of_libgcc),
	};

	return cmocka_run_group_tests(tests, files_open, files_close);
}
