/*
 * Unwind information and steps by it. The first byte says what the input is:
 *
 *   0   .eh_frame, from which a table is built: it must be a good one
 *   1   a table itself, as a file that anybody may have written: a bad one is refused, by a good
 *       one steps are taken
 *   2   code, with what is left as .eh_frame: rules are made as steps ask for them
 *   3   .debug_frame, from which a table is built
 *
 * The registers and the memory that steps work on are taken from the input as well.
 */
#include "fuzz/fuzz.h"
#include "fuzz/tiny_elf.h"
#include "object/object.h"
#include "unwind/build.h"
#include "unwind/unwind.h"

#include <assert.h>
#include <elf.h>
#include <string.h>

enum { STACK_BYTES = 256, FRAMES = 64 };

#define STACK_BEGIN UINT64_C(0x7ffc0000)

static bool read_anywhere(void *context, uint64_t run_addr, uint64_t *word)
{
	(void)context;
	*word = run_addr * 0x9e3779b97f4a7c15ULL;
	return run_addr & 8;
}

/* Stacks that begin at addresses from `base` on. */
static void step_all(const struct unwind_mapping *mapping, uint64_t base, const uint8_t *data,
		     size_t size)
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

	unwind_map_add(map, mapping);
	for (uint64_t i = 0; i < 64; i++) {
		for (int j = 0; j < UNWIND_REGISTERS; j++)
			registers.value[j] = STACK_BEGIN + 8 * (i + (uint64_t)j);
		registers.value[UNWIND_RA] = base + i * 4;
		unwind_walk(map, &registers, &memory, &stack);
		assert(stack.count >= 1 && stack.count <= FRAMES);
	}
	unwind_map_free(map);
}

static struct unwind_mapping everywhere(const struct unwind_table *table,
					struct unwind_rules *rules)
{
	return (struct unwind_mapping){
		.begin = 0, .end = UINT64_C(1) << 48, .table = table, .rules = rules};
}

static void build_and_step(const struct byte_vec *file, unsigned parts, const uint8_t *data,
			   size_t size)
{
	struct unwind_build_statistics statistics;
	struct error err;
	struct object *object = object_open_bytes(file->data, file->len, "tiny", parts, &err);

	if (object) {
		struct unwind_table *table =
			unwind_table_build(object, UNWIND_GAPS_FOLLOWED, &statistics);
		const struct unwind_mapping mapping = everywhere(table, NULL);

		assert(unwind_table_check(table, table->size_bytes));
		step_all(&mapping, table->base, data, size);
		free(table);
	}
	object_close(object);
}

static void try_eh_frame(const uint8_t *data, size_t size)
{
	struct byte_vec file = {0};

	tiny_elf_begin(&file, TINY_EH_FRAME + size);
	put_bytes(&file, data, size);
	build_and_step(&file, OBJECT_UNWIND, data, size);
	vec_fini(&file);
}

static void put_section(struct byte_vec *file, uint32_t name, uint64_t offset, uint64_t size)
{
	const Elf64_Shdr header = {.sh_name = name,
				   .sh_type = size ? SHT_PROGBITS : SHT_NULL,
				   .sh_offset = offset,
				   .sh_size = size,
				   .sh_addralign = 1};

	put_bytes(file, &header, sizeof(header));
}

static void try_debug_frame(const uint8_t *data, size_t size)
{
	static const char names[] = "\0.debug_frame\0.shstrtab";
	struct byte_vec file = {0};
	Elf64_Ehdr header;

	tiny_elf_begin(&file, TINY_EH_FRAME + 4);
	put_u32(&file, 0); /* .eh_frame is empty */
	const uint64_t frame = file.len;
	put_bytes(&file, data, size);
	const uint64_t text = file.len;
	put_bytes(&file, names, sizeof(names));
	put_align(&file, 8, 0);
	memcpy(&header, file.data, sizeof(header));
	header.e_shoff = file.len;
	header.e_shentsize = sizeof(Elf64_Shdr);
	header.e_shnum = 3;
	header.e_shstrndx = 2;
	memcpy(file.data, &header, sizeof(header));
	put_section(&file, 0, 0, 0);
	put_section(&file, 1, frame, size);
	put_section(&file, 14, text, sizeof(names));
	build_and_step(&file, OBJECT_UNWIND | OBJECT_DEBUG_FRAME, data, size);
	vec_fini(&file);
}

static void try_code(const uint8_t *data, size_t size)
{
	const size_t code = size < TINY_TEXT_BYTES ? size : TINY_TEXT_BYTES;
	struct byte_vec file = {0};
	struct error err;

	tiny_elf_begin(&file, TINY_EH_FRAME + size - code);
	memcpy(file.data + TINY_TEXT, data, code);
	put_bytes(&file, data + code, size - code);
	struct object *object =
		object_open_bytes(file.data, file.len, "tiny", OBJECT_UNWIND_SEARCH, &err);
	if (object) {
		struct unwind_rules *rules = unwind_rules_new(object);
		const struct unwind_mapping mapping = everywhere(NULL, rules);

		step_all(&mapping, TINY_TEXT, data, size);
		unwind_rules_free(rules);
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
		const struct unwind_mapping mapping = everywhere(table, NULL);
		if (unwind_table_check(table, size))
			step_all(&mapping, table->base, data, size);
	}
	free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0] % 4) {
	case 0:
		try_eh_frame(data + 1, size - 1);
		break;
	case 1:
		try_table(data + 1, size - 1);
		break;
	case 2:
		try_code(data + 1, size - 1);
		break;
	default:
		try_debug_frame(data + 1, size - 1);
		break;
	}
	return 0;
}
