/*
 * The unwind tables of the runtime's own code against the code: along every path through every
 * function, where the tables place the frame by the stack pointer they know how far that has moved.
 * A signal handler or a debugger may unwind from any instruction of a probe, and assembly code has
 * only its author to describe it.
 */
#include "insn/insn.h"
#include "object/cfi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DWARF_RSP = 7, DWARF_RIP = 16, DEPTH_UNKNOWN = -1, FUNCTION_BYTES_MAX = 65536 };

static const char *runtime_path;

struct walk {
	const struct object *object;
	const struct object_fde *fde;
	struct cfi_rows rows;
	int *depths; /* per byte: of the stack, from the CFA; 0 where not reached */
	struct vec_of(uint64_t) todo;
	size_t checked;
};

static int signed_at(const unsigned char *bytes, size_t size)
{
	int32_t wide;

	if (size == 1)
		return (int8_t)bytes[0];
	memcpy(&wide, bytes, sizeof(wide));
	return wide;
}

/* How far the instruction moves the stack pointer down; false if that is not known. */
static bool moves_down(const unsigned char *bytes, int *by)
{
	const unsigned char *op = bytes + (bytes[0] == 0x41);

	*by = 0;
	if (op[0] >= 0x50 && op[0] <= 0x57)
		*by = 8;
	else if (op[0] >= 0x58 && op[0] <= 0x5f)
		*by = -8;
	else if (op[0] == 0x9c || op[0] == 0x6a || op[0] == 0x68 ||
		 (op[0] == 0xff && (op[1] & 0x38) == 0x30))
		*by = 8;
	else if (op[0] == 0x9d)
		*by = -8;
	else if (bytes[0] == 0x48 && (bytes[1] == 0x83 || bytes[1] == 0x81) && bytes[2] == 0xec)
		*by = signed_at(bytes + 3, bytes[1] == 0x83 ? 1 : 4);
	else if (bytes[0] == 0x48 && (bytes[1] == 0x83 || bytes[1] == 0x81) && bytes[2] == 0xc4)
		*by = -signed_at(bytes + 3, bytes[1] == 0x83 ? 1 : 4);
	else if (bytes[0] == 0x48 && bytes[1] == 0x8d && (bytes[2] & 0x3f) == 0x24 &&
		 bytes[2] >> 6 && bytes[3] == 0x24)
		*by = -signed_at(bytes + 4, bytes[2] >> 6 == 1 ? 1 : 4);
	else if (bytes[0] == 0x48 && bytes[1] == 0x8d && (bytes[2] & 0x38) == 0x20)
		return false; /* lea …,%rsp */
	else if (bytes[0] == 0x48 && bytes[1] == 0x83 && bytes[2] == 0xe4)
		return false; /* and …,%rsp */
	else if (bytes[0] == 0xc9)
		return false; /* leave */
	return true;
}

static void reach(struct walk *walk, uint64_t addr, int depth)
{
	if (addr < walk->fde->begin || addr >= walk->fde->end ||
	    walk->depths[addr - walk->fde->begin])
		return;
	walk->depths[addr - walk->fde->begin] = depth;
	vec_push(&walk->todo, addr);
}

/* The depth that holds at addr: what the tables say, if they go by the stack pointer. */
static int depth_at(struct walk *walk, uint64_t addr)
{
	const struct cfi_state *state = &cfi_row_at(&walk->rows, addr)->state;
	const int depth = walk->depths[addr - walk->fde->begin];

	if (state->cfa.kind != CFI_OFFSET || state->cfa_register != DWARF_RSP ||
	    state->registers[DWARF_RIP].kind == CFI_UNDEFINED)
		return depth;
	if (depth != DEPTH_UNKNOWN && depth != state->cfa.offset)
		fail_msg("at %#lx in the function at %#lx the frame is %d bytes up, not %ld",
			 (unsigned long)addr, (unsigned long)walk->fde->begin, depth,
			 (long)state->cfa.offset);
	walk->checked++;
	return (int)state->cfa.offset;
}

static void step(struct walk *walk, uint64_t addr)
{
	const uint64_t left = walk->fde->end - addr, size = left < 15 ? left : 15;
	const unsigned char *bytes = object_at(walk->object, addr, size);
	struct insn insn;
	int depth = depth_at(walk, addr), by;

	assert_non_null(bytes);
	assert_true(insn_decode(bytes, size, addr, &insn));
	if (!moves_down(bytes, &by))
		depth = DEPTH_UNKNOWN;
	else if (depth != DEPTH_UNKNOWN)
		depth += by;
	if (insn_is_branch(&insn))
		reach(walk, insn.target, depth);
	if (insn_falls_through(&insn))
		reach(walk, insn_end(&insn), depth);
}

static size_t check_function(const struct object *object, const struct object_fde *fde)
{
	struct walk walk = {.object = object, .fde = fde};
	struct error err;

	assert_true(fde->end - fde->begin <= FUNCTION_BYTES_MAX);
	if (!cfi_rows_read(fde, &walk.rows, &err))
		fail_msg("%s", err.message);
	walk.depths = mem_zalloc((fde->end - fde->begin) * sizeof(int));
	/* A part that others jump to begins as its first row says. */
	reach(&walk, fde->begin, DEPTH_UNKNOWN);
	while (walk.todo.len) {
		const uint64_t addr = vec_last(&walk.todo);
		walk.todo.len--;
		step(&walk, addr);
	}
	vec_fini(&walk.todo);
	vec_fini(&walk.rows);
	free(walk.depths);
	return walk.checked;
}

static void tables_follow_the_stack_pointer(void **state)
{
	struct error err;
	size_t count, checked = 0;
	struct object *object = object_open(runtime_path, OBJECT_ALL, &err);

	(void)state;
	if (!object)
		fail_msg("%s", err.message);
	const struct object_fde *fdes = object_fdes(object, &count);
	for (size_t i = 0; i < count; i++)
		checked += check_function(object, &fdes[i]);
	print_message("%zu functions, %zu instructions\n", count, checked);
	assert_true(count > 50 && checked > 3000);
	object_close(object);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(tables_follow_the_stack_pointer)};

	if (argc < 2) {
		fprintf(stderr, "usage: %s RUNTIME\n", argv[0]);
		return 2;
	}
	runtime_path = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
