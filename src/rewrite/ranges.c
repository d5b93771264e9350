/*
 * Ranges, decoded, with the facts that need no other range.
 */
#include "rewrite/private.h"

#include <assert.h>
#include <string.h>

/* Bytes of filler behind a function that may be overwritten. */
enum { PADDING_MAX = 16, GAP_BLOCK_INSNS = 64 };

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

static void add_branch(struct branch_vec *branches, const struct insn *insn)
{
	if (insn_has_target(insn)) {
		const struct branch branch = {insn->addr, insn->target, insn->kind == INSN_CALL};
		vec_push(branches, branch);
	}
}

/*
 * Whether what stands between the ranges looks like code from `at` on: instructions up to one that
 * ends a block, none of them with a zero byte first. Constants and strings rarely do.
 */
static bool is_plausible_code(const struct program *program, uint64_t at, uint64_t end)
{
	for (int i = 0; i < GAP_BLOCK_INSNS && at < end; i++) {
		const struct range *range = program_range(program, at);
		const uint64_t size = end - at < 15 ? end - at : 15;
		const unsigned char *bytes = object_at(program->object, at, size);
		struct insn insn;
		if (range && range->decoded)
			return true;
		if (!bytes || !*bytes || !insn_decode(bytes, size, at, &insn))
			return false;
		if (!insn_falls_through(&insn))
			return true;
		const struct range *callee =
			insn.kind == INSN_CALL ? program_range(program, insn.target) : NULL;
		if (callee && callee->begin == insn.target)
			return true;
		at = insn_end(&insn);
	}
	return true;
}

/* Branches of the instructions from `at` on, as far as they decode. */
static void add_leading_branches(struct program *program, uint64_t at, uint64_t end)
{
	const unsigned char *bytes = object_at(program->object, at, end - at);
	struct insn insn;

	for (; bytes && at < end; bytes += insn.length, at += insn.length) {
		if (!insn_decode(bytes, end - at, at, &insn))
			return;
		add_branch(&program->branches, &insn);
	}
}

/*
 * Code of functions that do not decode as a whole, and of records that are no function's: it stays
 * as it is, and with it the branches before what does not decode.
 */
static void add_other_branches(struct program *program)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(program->object, &count);

	vec_foreach (range, &program->ranges)
		if (!range->decoded)
			add_leading_branches(program, range->begin, range->end);
	for (size_t i = 0; i < count; i++)
		if (!program_range(program, fdes[i].begin))
			add_leading_branches(program, fdes[i].begin, fdes[i].end);
}

/* Branches of code that no FDE covers, found by decoding it from one end to the other. */
static void add_gap_branches(struct program *program, uint64_t at, uint64_t end)
{
	while (at < end) {
		const struct range *range = program_range(program, at);
		struct insn insn;
		if (range && range->decoded) {
			at = range->end;
			continue;
		}
		const uint64_t size = end - at < 15 ? end - at : 15;
		const unsigned char *bytes = object_at(program->object, at, size);
		if (!bytes)
			return;
		if (insn_decode(bytes, size, at, &insn)) {
			if (insn_has_target(&insn) && is_plausible_code(program, at, end))
				add_branch(&program->branches, &insn);
			at += insn.length;
		} else {
			at++;
		}
	}
}

static void add_all_gap_branches(struct program *program)
{
	size_t count;
	const struct object_section *sections = object_sections(program->object, &count);
	size_t bytes_left;

	/* Together they are no larger than the file, unless they overlap to make this endless. */
	object_bytes(program->object, &bytes_left);
	for (size_t i = 0; i < count; i++) {
		const Elf64_Shdr *header = &sections[i].header;
		if (!(header->sh_flags & SHF_EXECINSTR) || header->sh_type == SHT_NOBITS ||
		    header->sh_size > bytes_left)
			continue;
		add_gap_branches(program, header->sh_addr, header->sh_addr + header->sh_size);
		bytes_left -= header->sh_size;
	}
	if (count)
		return;
	const Elf64_Phdr *segments = object_segments(program->object, &count);
	for (size_t i = 0; i < count; i++) {
		if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_X))
			add_gap_branches(program, segments[i].p_vaddr,
					 segments[i].p_vaddr + segments[i].p_filesz);
	}
}

static int compare_branches(const void *left, const void *right)
{
	const struct branch *a = left, *b = right;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

/* Jumps within a range matter only where they lead to its first bytes. */
static bool concerns_others(const struct range *range, const struct insn *insn)
{
	return insn->kind == INSN_CALL || insn->target < range->begin ||
	       insn->target >= range->end || insn->target - range->begin < ENTRY_WINDOW_BYTES;
}

/* The block of hints that an address lies in; those before and behind all have one, too. */
static size_t block_of(const struct program *program, uint64_t addr)
{
	const uint64_t first = program->ranges.len ? program->ranges.data[0].begin : 0;
	const uint64_t block = addr < first ? 0 : ((addr - first) >> program->hint_shift) + 1;

	return block <= program->hint_count ? (size_t)block : program->hint_count + 1;
}

/* By target. They are put into blocks first: what is left to sort are a few at a time. */
static void sort_branches(struct program *program)
{
	const struct branch_vec from = program->branches;
	const size_t blocks = program->hint_count + 2;
	struct branch *to = mem_alloc(from.len * sizeof(*to));
	size_t *ends = mem_zalloc((blocks + 1) * sizeof(*ends));

	vec_foreach (branch, &from)
		ends[block_of(program, branch->to) + 1]++;
	for (size_t i = 0; i < blocks; i++)
		ends[i + 1] += ends[i];
	vec_foreach (branch, &from)
		to[ends[block_of(program, branch->to)]++] = *branch;
	for (size_t i = 0, begin = 0; i < blocks; begin = ends[i++])
		if (ends[i] - begin > 1)
			qsort(to + begin, ends[i] - begin, sizeof(*to), compare_branches);
	program->branches.data = to;
	program->branches.cap = from.len;
	free(from.data);
	free(ends);
}

struct branch_search {
	struct program *program;
	struct branch_vec *pieces;
};

static void find_branches_piece(void *search_at, unsigned worker, size_t begin, size_t end)
{
	const struct branch_search *search = search_at;

	(void)worker;
	for (size_t number = begin; number < end; number++) {
		const struct range *range = &search->program->ranges.data[number];
		for (uint32_t i = 0; i < range->insn_count; i++) {
			if (concerns_others(range, &range->insns[i]))
				add_branch(&search->pieces[begin / PROGRAM_PIECE],
					   &range->insns[i]);
		}
	}
}

static void add_range_branches(struct program *program)
{
	const size_t count = program->ranges.len / PROGRAM_PIECE + 1;
	struct branch_search search = {program, mem_zalloc(count * sizeof(*search.pieces))};

	parallel_run(&(struct parallel_loop){.run = find_branches_piece,
					     .context = &search,
					     .count = program->ranges.len,
					     .piece = PROGRAM_PIECE,
					     .threads = program->thread_count});
	for (size_t i = 0; i < count; i++) {
		vec_append(&program->branches, search.pieces[i].data, search.pieces[i].len);
		vec_fini(&search.pieces[i]);
	}
	free(search.pieces);
}

static void find_branches(struct program *program)
{
	add_range_branches(program);
	add_other_branches(program);
	add_all_gap_branches(program);
	sort_branches(program);
	vec_foreach (branch, &program->branches) {
		struct range *range = branch->call ? program_range(program, branch->to) : NULL;
		if (range && range->begin == branch->to)
			range->called = true;
	}
}

static void decode_piece(void *program_at, unsigned worker, size_t begin, size_t end)
{
	const struct program *program = program_at;
	struct insn_vec scratch = {0};

	for (size_t i = begin; i < end; i++) {
		struct range *range = &program->ranges.data[i];
		assert(!i || program->ranges.data[i - 1].begin <= range->begin);
		decode_range(program, range, &scratch, &program->workers[worker]);
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

bool program_read_ranges(struct program *program, struct error *err)
{
	program->pointers = object_code_pointers(program->object, &program->pointer_count);
	if (!program_find_extents(program, err))
		return false;
	program_index_ranges(program);
	find_text(program);
	program_run(program, decode_piece, program->ranges.len);
	find_branches(program);
	return true;
}
