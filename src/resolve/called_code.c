/*
 * A target of calls counts where several lead to it, where it is aligned as compilers align
 * functions, or where what is before it does not run on into it: the end of another function, or
 * filling. Addresses are also taken of what lies within functions, the targets of computed jumps:
 * such a place has to be aligned, too, and has no weight beside calls.
 */
#include "resolve/called_code.h"

#include "base/base.h"
#include "base/partition.h"

#include <elf.h>
#include <string.h>

enum {
	JUMP_OPCODE = 0xe9,
	SHORT_JUMP_OPCODE = 0xeb,
	RETURN_OPCODE = 0xc3,
	TRAP_OPCODE = 0xcc,
	NOP_OPCODE = 0x90,
	CALL_BYTES = 5,
	SHORT_JUMP_BYTES = 2,
	FUNCTION_ALIGN = 16
};

/* What an instruction that ends at `end` leads to or names, by the distance in its last bytes. */
static uint64_t target_of(const unsigned char *bytes_end, uint64_t end)
{
	int32_t distance;

	memcpy(&distance, bytes_end - sizeof(distance), sizeof(distance));
	return end + (uint64_t)(int64_t)distance;
}

/* An instruction that ends with the distance of a place, as it is searched for. */
struct form {
	unsigned char opcode;
	unsigned before, bytes; /* of the instruction: before its opcode, and all */
};

static const struct form call = {.opcode = 0xe8, .bytes = CALL_BYTES};
/* lea distance(%rip),%register of 64 bits: behind the opcode stands how the place is given. */
static const struct form lea = {.opcode = 0x8d, .before = 1, .bytes = 7};

static bool is_form(const struct form *form, const unsigned char *opcode)
{
	enum { REX_W = 0x48, REX_R = 0x04, MODE_AND_BASE = 0xc7, BY_RIP = 0x05 };

	return form != &lea ||
	       ((opcode[-1] & ~REX_R) == REX_W && (opcode[1] & MODE_AND_BASE) == BY_RIP);
}

static void take_segment(struct called_code *code, const struct object *object,
			 const Elf64_Phdr *segment, const struct form *form)
{
	const unsigned char *bytes = object_at(object, segment->p_vaddr, segment->p_filesz);

	if (!bytes || segment->p_filesz < form->bytes)
		return;
	const unsigned char *at = bytes + form->before;
	const unsigned char *end = at + segment->p_filesz - form->bytes + 1;

	while (at < end && (at = memchr(at, form->opcode, (size_t)(end - at)))) {
		const unsigned char *behind = at - form->before + form->bytes;
		const uint64_t target =
			target_of(behind, segment->p_vaddr + (uint64_t)(behind - bytes));
		if (is_form(form, at) && object_is_executable(object, target))
			vec_push(code, target);
		at++;
	}
}

/* What all instructions of the form lead to or name, ascending. */
static void take_all(struct called_code *code, const struct object *object, const struct form *form)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(object, &count);

	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X)
			take_segment(code, object, &segments[i], form);
	sort_u64(code->data, code->len);
}

/* One of the long no-operations that assemblers fill with, of 3 to 8 bytes. */
static bool fills_before(const struct object *object, uint64_t addr)
{
	static const struct {
		unsigned size;
		unsigned char bytes[8];
	} fillings[] = {{3, {0x0f, 0x1f, 0x00}},
			{4, {0x0f, 0x1f, 0x40, 0x00}},
			{5, {0x0f, 0x1f, 0x44, 0x00, 0x00}},
			{7, {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00}},
			{8, {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00}}};

	for (size_t i = 0; i < TABLE_COUNT(fillings); i++) {
		const unsigned size = fillings[i].size;
		const unsigned char *bytes = object_at(object, addr - size, size);
		if (bytes && !memcmp(bytes, fillings[i].bytes, size))
			return true;
	}
	return false;
}

static bool ends_before(const struct object *object, uint64_t addr)
{
	const unsigned char *last = object_at(object, addr - 1, 1);
	const unsigned char *jump = object_at(object, addr - CALL_BYTES, CALL_BYTES);

	if (last && (*last == RETURN_OPCODE || *last == TRAP_OPCODE || *last == NOP_OPCODE))
		return true;
	return jump && (jump[0] == JUMP_OPCODE || jump[0] == call.opcode ||
			jump[CALL_BYTES - SHORT_JUMP_BYTES] == SHORT_JUMP_OPCODE);
}

static void choose_called(struct called_code *code, const struct object *object)
{
	size_t kept = 0;

	for (size_t i = 0, next; i < code->len; i = next) {
		const uint64_t addr = code->data[i];
		for (next = i + 1; next < code->len && code->data[next] == addr;)
			next++;
		if (next - i > 1 || addr % FUNCTION_ALIGN == 0 || ends_before(object, addr))
			code->data[kept++] = addr;
	}
	code->len = kept;
}

static void add_named(struct called_code *code, const struct called_code *named,
		      const struct object *object)
{
	vec_foreach (addr, named)
		if (*addr % FUNCTION_ALIGN == 0 &&
		    (ends_before(object, *addr) || fills_before(object, *addr)))
			vec_push(code, *addr);
	sort_u64(code->data, code->len);
}

void called_code_read(struct called_code *code, const struct object *object)
{
	struct called_code named = {0};

	take_all(code, object, &call);
	choose_called(code, object);
	take_all(&named, object, &lea);
	add_named(code, &named, object);
	vec_fini(&named);
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
