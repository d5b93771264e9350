/*
 * Which branches and calls lead where, of all code there is: of ranges, of what does not decode as
 * a whole, and of what lies between them.
 */
#include "rewrite/private.h"

enum { GAP_BLOCK_INSNS = 64 };

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
static void add_leading_branches(const struct program *program, uint64_t at, uint64_t end,
				 struct branch_vec *branches)
{
	const unsigned char *bytes = object_at(program->object, at, end - at);
	struct insn insn;

	for (; bytes && at < end; bytes += insn.length, at += insn.length) {
		if (!insn_decode(bytes, end - at, at, &insn))
			return;
		add_branch(branches, &insn);
	}
}

/*
 * Code of functions that do not decode as a whole, and of records that are no function's: it stays
 * as it is, and with it the branches before what does not decode.
 */
static void add_other_branches(const struct program *program, struct branch_vec *branches)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(program->object, &count);

	vec_foreach (range, &program->ranges)
		if (!range->decoded)
			add_leading_branches(program, range->begin, range->end, branches);
	for (size_t i = 0; i < count; i++)
		if (!program_range(program, fdes[i].begin))
			add_leading_branches(program, fdes[i].begin, fdes[i].end, branches);
}

/* Branches of code that no FDE covers, found by decoding it from one end to the other. */
static void add_gap_branches(const struct program *program, uint64_t at, uint64_t end,
			     struct branch_vec *branches)
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
				add_branch(branches, &insn);
			at += insn.length;
		} else {
			at++;
		}
	}
}

static void add_all_gap_branches(const struct program *program, struct branch_vec *branches)
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
		add_gap_branches(program, header->sh_addr, header->sh_addr + header->sh_size,
				 branches);
		bytes_left -= header->sh_size;
	}
	if (count)
		return;
	const Elf64_Phdr *segments = object_segments(program->object, &count);
	for (size_t i = 0; i < count; i++) {
		if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_X))
			add_gap_branches(program, segments[i].p_vaddr,
					 segments[i].p_vaddr + segments[i].p_filesz, branches);
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

struct scatter {
	const struct program *program;
	size_t *ends; /* per block: where its next branch goes */
	struct branch *to;
};

static void count(const struct scatter *scatter, const struct branch_vec *branches)
{
	vec_foreach (branch, branches)
		scatter->ends[block_of(scatter->program, branch->to) + 1]++;
}

static void put(const struct scatter *scatter, const struct branch_vec *branches)
{
	vec_foreach (branch, branches)
		scatter->to[scatter->ends[block_of(scatter->program, branch->to)]++] = *branch;
}

/* All of them into one, by target: into blocks first, so what is left to sort are a few at a time.
 */
static void sort_branches(struct program *program, const struct branch_vec *pieces,
			  size_t piece_count)
{
	const size_t blocks = program->hint_count + 2;
	struct scatter scatter = {.program = program,
				  .ends = mem_zalloc((blocks + 1) * sizeof(*scatter.ends))};

	for (size_t i = 0; i < piece_count; i++)
		count(&scatter, &pieces[i]);
	for (size_t i = 0; i < blocks; i++)
		scatter.ends[i + 1] += scatter.ends[i];
	const size_t all = scatter.ends[blocks];
	scatter.to = mem_alloc(all * sizeof(*scatter.to));
	for (size_t i = 0; i < piece_count; i++)
		put(&scatter, &pieces[i]);
	for (size_t i = 0, begin = 0; i < blocks; begin = scatter.ends[i++])
		if (scatter.ends[i] - begin > 1)
			qsort(scatter.to + begin, scatter.ends[i] - begin, sizeof(*scatter.to),
			      compare_branches);
	program->branches.data = scatter.to;
	program->branches.len = program->branches.cap = all;
	free(scatter.ends);
}

void branches_of_range(const struct range *range, struct branch_vec *branches)
{
	for (uint32_t i = 0; i < range->insn_count; i++)
		if (concerns_others(range, &range->insns[i]))
			add_branch(branches, &range->insns[i]);
}

void program_gather_branches(struct program *program, struct branch_vec *pieces, size_t count)
{
	struct branch_vec *others = &pieces[count - 1];

	add_other_branches(program, others);
	add_all_gap_branches(program, others);
	sort_branches(program, pieces, count);
	vec_foreach (branch, &program->branches) {
		struct range *range = branch->call ? program_range(program, branch->to) : NULL;
		if (range && range->begin == branch->to)
			range->called = true;
	}
}
