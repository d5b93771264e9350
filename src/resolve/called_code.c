/*
 * A target counts where several calls lead to it, where it is aligned as compilers align functions,
 * or where what is before it does not run on into it: the end of another function, or filling.
 */
#include "resolve/called_code.h"

#include "base/partition.h"

#include <elf.h>
#include <string.h>

enum {
	CALL_OPCODE = 0xe8,
	JUMP_OPCODE = 0xe9,
	SHORT_JUMP_OPCODE = 0xeb,
	RETURN_OPCODE = 0xc3,
	TRAP_OPCODE = 0xcc,
	NOP_OPCODE = 0x90,
	CALL_BYTES = 5,
	SHORT_JUMP_BYTES = 2,
	FUNCTION_ALIGN = 16
};

static int compare_addrs(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Where a call at `at` leads to. */
static uint64_t target_of(const unsigned char *bytes, uint64_t at)
{
	int32_t distance;

	memcpy(&distance, bytes + 1, sizeof(distance));
	return at + CALL_BYTES + (uint64_t)(int64_t)distance;
}

static void take_segment(struct called_code *code, const struct object *object,
			 const Elf64_Phdr *segment)
{
	const unsigned char *bytes = object_at(object, segment->p_vaddr, segment->p_filesz);
	const unsigned char *at = bytes;

	if (!bytes || segment->p_filesz < CALL_BYTES)
		return;
	const unsigned char *end = bytes + segment->p_filesz - CALL_BYTES + 1;

	while (at < end && (at = memchr(at, CALL_OPCODE, (size_t)(end - at)))) {
		const uint64_t target = target_of(at, segment->p_vaddr + (uint64_t)(at - bytes));
		if (object_is_executable(object, target))
			vec_push(code, target);
		at++;
	}
}

static bool ends_before(const struct object *object, uint64_t addr)
{
	const unsigned char *last = object_at(object, addr - 1, 1);
	const unsigned char *jump = object_at(object, addr - CALL_BYTES, CALL_BYTES);

	if (last && (*last == RETURN_OPCODE || *last == TRAP_OPCODE || *last == NOP_OPCODE))
		return true;
	return jump && (jump[0] == JUMP_OPCODE || jump[0] == CALL_OPCODE ||
			jump[CALL_BYTES - SHORT_JUMP_BYTES] == SHORT_JUMP_OPCODE);
}

void called_code_read(struct called_code *code, const struct object *object)
{
	size_t count, kept = 0;
	const Elf64_Phdr *segments = object_segments(object, &count);

	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X)
			take_segment(code, object, &segments[i]);
	vec_sort(code, compare_addrs);
	for (size_t i = 0, next; i < code->len; i = next) {
		const uint64_t addr = code->data[i];
		for (next = i + 1; next < code->len && code->data[next] == addr;)
			next++;
		if (next - i > 1 || addr % FUNCTION_ALIGN == 0 || ends_before(object, addr))
			code->data[kept++] = addr;
	}
	code->len = kept;
}

uint64_t called_code_below(const struct called_code *code, uint64_t link_addr)
{
	const size_t above = partition_point(code->len, i, code->data[i] <= link_addr);

	return above ? code->data[above - 1] : 0;
}

uint64_t called_code_above(const struct called_code *code, uint64_t link_addr)
{
	const size_t above = partition_point(code->len, i, code->data[i] <= link_addr);

	return above < code->len ? code->data[above] : UINT64_MAX;
}
