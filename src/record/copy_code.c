/* endbr64 stays before the jump where the original begins with it. */
#include "record/copy_code.h"

#include <string.h>

enum { JUMP = 0xe9, JUMP_BYTES = 5, LANDING_BYTES = 4 };

static int compare(const void *a, const void *b)
{
	const struct copy_function *x = a, *y = b;

	return x->copy_addr < y->copy_addr ? -1 : x->copy_addr > y->copy_addr;
}

/* The bytes at a link address, `size` of them; NULL where the file has none there. */
static const unsigned char *bytes_at(const struct object *object, uint64_t addr, uint64_t size)
{
	size_t count, file_bytes;
	const Elf64_Phdr *segments = object_segments(object, &count);
	const unsigned char *bytes = object_bytes(object, &file_bytes);

	for (size_t i = 0; i < count; i++) {
		const uint64_t offset = addr - segments[i].p_vaddr;

		if (segments[i].p_type != PT_LOAD || offset >= segments[i].p_filesz ||
		    segments[i].p_filesz - offset < size)
			continue;
		if (segments[i].p_offset > file_bytes ||
		    file_bytes - segments[i].p_offset < offset + size)
			return NULL;
		return bytes + segments[i].p_offset + offset;
	}
	return NULL;
}

/* Where a function's begin jumps to; 0: it does not begin with a jump. */
static uint64_t jump_target(const struct object *object, uint64_t addr)
{
	static const unsigned char landing[LANDING_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa};
	const unsigned char *at = bytes_at(object, addr, LANDING_BYTES);
	int32_t distance;

	if (at && memcmp(at, landing, sizeof(landing)) == 0)
		addr += LANDING_BYTES;
	at = bytes_at(object, addr, JUMP_BYTES);
	if (!at || *at != JUMP)
		return 0;
	memcpy(&distance, at + 1, sizeof(distance));
	return addr + JUMP_BYTES + (uint64_t)(int64_t)distance;
}

static uint64_t code_end(const struct object *object)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(object, &count);
	uint64_t end = 0;

	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X &&
		    segments[i].p_vaddr + segments[i].p_filesz > end)
			end = segments[i].p_vaddr + segments[i].p_filesz;
	return end;
}

void copy_code_read(struct copy_code *code, const struct object *copy, uint64_t code_begin,
		    const struct coverage *coverage)
{
	vec_foreach (row, &coverage->rows) {
		const uint64_t target = jump_target(copy, row->addr);
		const struct copy_function function = {target, row->addr};

		if (target >= code_begin)
			vec_push(&code->functions, function);
	}
	vec_sort(&code->functions, compare);
	code->end = code_end(copy);
}

void copy_code_fini(struct copy_code *code)
{
	vec_fini(&code->functions);
}

uint64_t copy_code_function(const struct copy_code *code, uint64_t copy_addr)
{
	const size_t above = partition_point(code->functions.len, i,
					     code->functions.data[i].copy_addr <= copy_addr);

	return above && copy_addr < code->end ? code->functions.data[above - 1].addr : 0;
}
