/*
 * Ranges, decoded, with the facts that need no other range.
 */
#include "rewrite/private.h"

#include <assert.h>
#include <string.h>

/* Bytes of filler behind a function that may be overwritten. */
enum { PADDING_MAX = 16 };

/* The file's headers are no code, whatever the unwind table says: the output has others. */
static bool is_in_headers(const struct program *program, const unsigned char *bytes, uint64_t size)
{
	size_t file_size, count;
	const uint64_t begin = (uint64_t)(bytes - object_bytes(program->object, &file_size));
	const uint64_t segments = object_header(program->object)->e_phoff;

	object_segments(program->object, &count);
	return begin < sizeof(Elf64_Ehdr) ||
	       (begin < segments + count * sizeof(Elf64_Phdr) && begin + size > segments);
}

struct insn_vec vec_of(struct insn);

/* Enters instruction number `number`, which begins at `offset`; in ascending order. */
static void index_insn(struct range *range, uint64_t offset, uint32_t number)
{
	const uint64_t block = offset / INDEX_BLOCK_BYTES;
	uint32_t *before = &range->index.before[block];

	if (block && !*before)
		*before = number;
	assert(number - *before < INDEX_BLOCK_BYTES); /* none is shorter than a byte */
	range->index.within[offset] = (uint8_t)(number - *before + 1);
}

/* Decodes the range into `scratch`, then keeps an exact copy. */
static void decode_range(const struct program *program, struct range *range,
			 struct insn_vec *scratch, struct worker *worker)
{
	const uint64_t size = range->end - range->begin;
	const unsigned char *bytes = object_at(program->object, range->begin, size);

	range->verdict = REWRITE_UNDECODABLE;
	if (!bytes || !size || size > UINT32_MAX / 8 || is_in_headers(program, bytes, size))
		return;
	range->index.within = arena_alloc(&worker->arena, size);
	range->index.before = arena_array(&worker->arena, uint32_t, size / INDEX_BLOCK_BYTES + 1);
	scratch->len = 0;
	for (uint64_t at = 0; at < size;) {
		struct insn insn;
		if (!insn_decode(bytes + at, size - at, range->begin + at, &insn))
			return;
		assert(insn.length && insn.length <= size - at);
		index_insn(range, at, (uint32_t)scratch->len);
		vec_push(scratch, insn);
		range->has_jump_indirect |= insn.kind == INSN_JUMP_INDIRECT;
		range->has_syscall |= insn.is_syscall;
		range->uses_gs |= insn.uses_gs;
		at += insn.length;
	}
	assert(scratch->len);
	range->insn_count = (uint32_t)scratch->len;
	range->insns = arena_array(&worker->arena, struct insn, scratch->len);
	memcpy(range->insns, scratch->data, scratch->len * sizeof(*scratch->data));
	range->decoded = true;
	range->verdict = REWRITE_INSTRUMENTED;
	worker->statistics.instructions += scratch->len;
}

static bool symbol_begins_at(const struct program *program, uint64_t addr)
{
	return object_symbol_at(program->object, addr) != NULL;
}

/* Length of the nops and int3s behind the range, up to the next range or symbol. */
static uint64_t padding_behind(const struct program *program, const struct range *range,
			       uint64_t limit)
{
	uint64_t at = range->end;

	if (limit > range->end + PADDING_MAX)
		limit = range->end + PADDING_MAX;
	while (at < limit && !symbol_begins_at(program, at)) {
		const unsigned char *bytes = object_at(program->object, at, limit - at);
		struct insn insn;
		if (!bytes)
			break;
		if (*bytes == 0xcc)
			at++;
		else if (insn_decode(bytes, limit - at, at, &insn) && insn.is_nop)
			at += insn.length;
		else
			break;
	}
	assert(at >= range->end);
	return at - range->end;
}

/* Ranges by pieces, each with the branches of its ranges. */
struct reading {
	struct program *program;
	struct branch_vec *pieces;
};

static void decode_piece(void *reading_at, unsigned worker, size_t begin, size_t end)
{
	const struct reading *reading = reading_at;
	const struct program *program = reading->program;
	struct insn_vec scratch = {0};

	for (size_t i = begin; i < end; i++) {
		struct range *range = &program->ranges.data[i];
		assert(!i || program->ranges.data[i - 1].begin <= range->begin);
		decode_range(program, range, &scratch, &program->workers[worker]);
		branches_of_range(range, &reading->pieces[begin / PROGRAM_PIECE]);
		const uint64_t limit = i + 1 < program->ranges.len
					       ? program->ranges.data[i + 1].begin
					       : range->end + PADDING_MAX;
		range->padding = padding_behind(program, range, limit);
	}
	if (worker == 0)
		program_report(program, 0.15 * (double)begin / (double)program->ranges.len);
	vec_fini(&scratch);
}

static void find_text(struct program *program)
{
	const uint64_t begin = program->ranges.len ? program->ranges.data[0].begin : 0;
	const Elf64_Phdr *load = object_load_at(program->object, begin);

	if (!load || begin - load->p_vaddr >= load->p_filesz)
		return;
	program->text_begin = begin;
	program->text_size = load->p_filesz - (begin - load->p_vaddr);
	program->text = object_at(program->object, begin, program->text_size);
}

static void decode_all(struct program *program)
{
	/* One more than there are pieces, for the branches of other code. */
	const size_t count = program->ranges.len / PROGRAM_PIECE + 2;
	struct reading reading = {program, mem_zalloc(count * sizeof(*reading.pieces))};

	parallel_run(&(struct parallel_loop){.run = decode_piece,
					     .context = &reading,
					     .count = program->ranges.len,
					     .piece = PROGRAM_PIECE,
					     .threads = program->thread_count});
	program_gather_branches(program, reading.pieces, count);
	for (size_t i = 0; i < count; i++)
		vec_fini(&reading.pieces[i]);
	free(reading.pieces);
}

bool program_read_ranges(struct program *program, struct error *err)
{
	program->pointers = object_code_pointers(program->object, &program->pointer_count);
	if (!program_find_extents(program, err))
		return false;
	program_index_ranges(program);
	find_text(program);
	decode_all(program);
	return true;
}
