/*
 * Unwind tables and steps. The first byte says what the input is:
 *
 *   even   .eh_frame, from which a table is built: it must be a good one
 *   odd    a table itself, as a file that anybody may have written: a bad one is refused, by a good
 *          one steps are taken
 *
 * The registers and the memory that steps work on are taken from the input as well.
 */
#include "fuzz/fuzz.h"
#include "fuzz/tiny_elf.h"
#include "object/object.h"
#include "unwind/build.h"
#include "unwind/unwind.h"

#include <assert.h>
#include <string.h>

enum { STACK_BYTES = 256, FRAMES = 64 };

#define STACK_BEGIN UINT64_C(0x7ffc0000)

static bool read_anywhere(void *context, uint64_t run_addr, uint64_t *word)
{
	(void)context;
	*word = run_addr * 0x9e3779b97f4a7c15ULL;
	return run_addr & 8;
}

/* Each row of the table is stepped from once, then stacks are walked. */
static void step_all(const struct unwind_table *table, const uint8_t *data, size_t size)
{
	struct unwind_registers registers = {.exact = true};
	struct unwind_frame frames[FRAMES];
	uint8_t memory_bytes[STACK_BYTES];
	struct unwind_stack stack = {.frames = frames, .room = FRAMES};
	struct unwind_map *map = unwind_map_new();

	for (size_t i = 0; i < STACK_BYTES; i++)
		memory_bytes[i] = size ? data[i % size] : 0;
	const struct unwind_memory memory = {.begin = STACK_BEGIN,
					     .size_bytes = STACK_BYTES,
					     .bytes = memory_bytes,
					     .read = read_anywhere};

	unwind_map_add(map, &(struct unwind_mapping){
				    .begin = 0, .end = UINT64_C(1) << 48, .table = table});
	for (uint64_t i = 0; i < 64; i++) {
		for (int j = 0; j < UNWIND_REGISTERS; j++)
			registers.value[j] = STACK_BEGIN + 8 * (i + (uint64_t)j);
		registers.value[UNWIND_RA] = table->base + i * 4;
		unwind_walk(map, &registers, &memory, &stack);
		assert(stack.count >= 1 && stack.count <= FRAMES);
	}
	unwind_map_free(map);
}

static void try_eh_frame(const uint8_t *data, size_t size)
{
	struct unwind_build_statistics statistics;
	struct byte_vec file = {0};
	struct error err;

	tiny_elf_begin(&file, TINY_EH_FRAME + size);
	put_bytes(&file, data, size);
	struct object *object = object_open_bytes(file.data, file.len, "tiny", OBJECT_UNWIND, &err);
	if (object) {
		struct unwind_table *table = unwind_table_build(object, &statistics);

		assert(unwind_table_check(table, table->size_bytes));
		step_all(table, data, size);
		free(table);
	}
	object_close(object);
	vec_fini(&file);
}

/* Order and numbers right, so that the rest is reached. */
static void mend(struct unwind_table *table)
{
	uint32_t *starts = (uint32_t *)(table + 1), *row_rules = starts + table->row_count;
	struct unwind_rule *rules = (struct unwind_rule *)(row_rules + table->row_count);

	for (uint32_t i = 0; i < table->row_count; i++) {
		starts[i] = 4 * i;
		row_rules[i] %= table->rule_count;
	}
	for (uint32_t i = 0; i < table->rule_count; i++)
		if (!(rules[i].flags & UNWIND_BY_PROGRAM))
			rules[i].cfa_register %= UNWIND_REGISTERS;
		else if (table->program_bytes)
			rules[i].cfa_offset =
				(int32_t)((uint32_t)rules[i].cfa_offset % table->program_bytes);
}

static void try_table(const uint8_t *data, size_t size)
{
	struct unwind_table *table = mem_alloc(size < sizeof(*table) ? sizeof(*table) : size);

	memset(table, 0, sizeof(*table));
	memcpy(table, data, size);
	table->magic = UNWIND_TABLE_MAGIC;
	table->version = UNWIND_TABLE_VERSION;
	table->row_count &= 0xff;
	table->rule_count &= 0xff;
	if (size >= sizeof(*table)) {
		const uint64_t parts = sizeof(*table) + table->row_count * 8ULL +
				       table->rule_count * sizeof(struct unwind_rule);

		table->size_bytes = size;
		table->program_bytes = parts <= size ? (uint32_t)(size - parts) : 0;
		if (parts <= size && table->rule_count)
			mend(table);
		if (unwind_table_check(table, size))
			step_all(table, data, size);
	}
	free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] & 1)
		try_table(data + 1, size - 1);
	else
		try_eh_frame(data + 1, size - 1);
	return 0;
}
