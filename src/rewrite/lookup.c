/*
 * From addresses to ranges and instructions. Every branch, call and operand asks for its range many
 * times over, so a table of hints, one for each few hundred bytes of code, leaves little to search.
 * Within a range each byte knows the number of the instruction that begins there, counted from the
 * begin of its block; see struct insn_index.
 */
#include "rewrite/private.h"

enum { HINT_SHIFT_MIN = 6 };

/* Hints cover [begin of the first range, begin of the last]; their number is bounded by that of the
   ranges however far apart those lie. */
void program_index_ranges(struct program *program)
{
	const size_t count = program->ranges.len;
	size_t number = 0;

	if (!count)
		return;
	const uint64_t first = program->ranges.data[0].begin;
	const uint64_t span = program->ranges.data[count - 1].begin - first;
	program->hint_shift = HINT_SHIFT_MIN;
	while (span >> program->hint_shift > 2 * (uint64_t)count)
		program->hint_shift++;
	program->hint_count = (size_t)(span >> program->hint_shift) + 1;
	program->hints = arena_array(&program->arena, uint32_t, program->hint_count + 1);
	for (size_t i = 0; i < program->hint_count; i++) {
		const uint64_t block = first + ((uint64_t)i << program->hint_shift);
		while (number < count && program->ranges.data[number].begin <= block)
			number++;
		program->hints[i] = (uint32_t)number;
	}
	program->hints[program->hint_count] = (uint32_t)count;
}

struct range *program_range_before(const struct program *program, uint64_t addr)
{
	if (!program->ranges.len || addr < program->ranges.data[0].begin)
		return NULL;
	const uint64_t block = (addr - program->ranges.data[0].begin) >> program->hint_shift;
	if (block >= program->hint_count)
		return &vec_last(&program->ranges);
	/* Ranges before hints[block] begin at or before the block, those from the next block's hint
	   on behind it. */
	const size_t from = program->hints[block], count = program->hints[block + 1] - from;
	const size_t low =
		from + partition_point(count, i, program->ranges.data[from + i].begin <= addr);
	return &program->ranges.data[low - 1];
}

struct range *program_range(const struct program *program, uint64_t addr)
{
	struct range *range = program_range_before(program, addr);

	return range && addr < range->end ? range : NULL;
}

struct insn *program_insn(const struct program *program, uint64_t addr, struct range **range)
{
	struct range *found = program_range(program, addr);

	if (!found || !found->decoded)
		return NULL;
	const uint32_t number = range_insn_number(found, addr - found->begin);
	if (range)
		*range = found;
	return number ? &found->insns[number - 1] : NULL;
}

const struct indirect_jump *range_jump_at(const struct range *range, uint32_t number)
{
	const size_t low = partition_point(range->jumps.len, i, range->jumps.data[i].insn < number);

	return low < range->jumps.len && range->jumps.data[low].insn == number
		       ? &range->jumps.data[low]
		       : NULL;
}

size_t program_first_pointer(const struct program *program, uint64_t addr)
{
	return partition_point(program->pointer_count, i, program->pointers[i] < addr);
}

bool program_is_pointed_to(const struct program *program, uint64_t addr)
{
	const size_t first = program_first_pointer(program, addr);

	return first < program->pointer_count && program->pointers[first] == addr;
}

size_t program_first_branch_to(const struct program *program, uint64_t addr)
{
	return partition_point(program->branches.len, i, program->branches.data[i].to < addr);
}
