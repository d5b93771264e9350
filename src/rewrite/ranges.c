/*
 * Ranges: the code of each FDE, decoded, with the facts that need no other range. The FDEs of PLT,
 * .init and .fini are left out: nobody calls those as functions.
 */
#include "rewrite/program.h"

#include <string.h>

/* Bytes of filler behind a function that may be overwritten. */
enum { PADDING_MAX = 16 };

static bool is_linkage_section(const char *name)
{
	return str_starts_with(name, ".plt") || strcmp(name, ".iplt") == 0 ||
	       strcmp(name, ".init") == 0 || strcmp(name, ".fini") == 0;
}

static bool in_linkage_section(const struct program *program, uint64_t addr)
{
	size_t count;
	const struct object_section *sections = object_sections(program->object, &count);

	for (size_t i = 0; i < count; i++) {
		const Elf64_Shdr *header = &sections[i].header;
		if ((header->sh_flags & SHF_EXECINSTR) &&
		    addr - header->sh_addr < header->sh_size &&
		    is_linkage_section(sections[i].name))
			return true;
	}
	return false;
}

struct range *program_range(const struct program *program, uint64_t addr)
{
	size_t low = 0, high = program->ranges.len;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (program->ranges.data[middle].begin <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	struct range *range = &program->ranges.data[low - 1];
	return addr < range->end ? range : NULL;
}

struct insn *program_insn(const struct program *program, uint64_t addr, struct range **range)
{
	struct range *found = program_range(program, addr);

	if (!found || !found->decoded)
		return NULL;
	const uint32_t number = found->index[addr - found->begin];
	if (range)
		*range = found;
	return number ? &found->insns[number - 1] : NULL;
}

size_t program_first_pointer(const struct program *program, uint64_t addr)
{
	size_t low = 0, high = program->pointer_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (program->pointers[middle] < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool program_is_pointed_to(const struct program *program, uint64_t addr)
{
	const size_t first = program_first_pointer(program, addr);

	return first < program->pointer_count && program->pointers[first] == addr;
}

const unsigned char *insn_bytes(const struct program *program, const struct insn *insn)
{
	return object_at(program->object, insn->addr, insn->length);
}

static const char *range_name(const struct program *program, uint64_t addr)
{
	const struct object_symbol *symbol = object_symbol_at(program->object, addr);

	return symbol ? symbol->name : "";
}

static void add_ranges(struct program *program)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(program->object, &count);

	for (size_t i = 0; i < count; i++) {
		const struct object_fde *fde = &fdes[i];
		if (!object_is_executable(program->object, fde->begin) ||
		    in_linkage_section(program, fde->begin))
			continue;
		struct range range = {.begin = fde->begin,
				      .end = fde->end,
				      .fde = fde,
				      .name = range_name(program, fde->begin),
				      .entry = true};
		vec_push(&program->ranges, range);
	}
}

struct insn_vec vec_of(struct insn);

/* Decodes the range into `scratch`, then keeps an exact copy. */
static void decode_range(struct program *program, struct range *range, struct insn_vec *scratch)
{
	const uint64_t size = range->end - range->begin;
	const unsigned char *bytes = object_at(program->object, range->begin, size);

	range->verdict = REWRITE_UNDECODABLE;
	if (!bytes || !size || size > UINT32_MAX / 8)
		return;
	range->index = arena_array(&program->arena, uint32_t, size);
	scratch->len = 0;
	for (uint64_t at = 0; at < size;) {
		struct insn insn;
		if (!insn_decode(bytes + at, size - at, range->begin + at, &insn))
			return;
		vec_push(scratch, insn);
		range->index[at] = (uint32_t)scratch->len;
		range->has_jump_indirect |= insn.kind == INSN_JUMP_INDIRECT;
		range->has_syscall |= insn.is_syscall;
		at += insn.length;
	}
	range->insn_count = (uint32_t)scratch->len;
	range->insns = arena_array(&program->arena, struct insn, scratch->len);
	memcpy(range->insns, scratch->data, scratch->len * sizeof(*scratch->data));
	range->decoded = true;
	range->verdict = REWRITE_INSTRUMENTED;
	program->statistics->instructions += scratch->len;
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
	return at - range->end;
}

static bool has_text_relocation(const struct program *program, const struct range *range)
{
	size_t count;
	const uint64_t *relocations = object_text_relocations(program->object, &count);

	for (size_t i = 0; i < count; i++) {
		if (relocations[i] + 8 > range->begin && relocations[i] < range->end)
			return true;
	}
	return false;
}

/* Code that the C library recognises by its address. */
static bool is_special_name(const char *name)
{
	return strcmp(name, "__syscall_cancel_arch") == 0 || strcmp(name, "__restore_rt") == 0;
}

static void judge_range(const struct program *program, struct range *range)
{
	if (!range->decoded)
		return;
	if (range->fde->cie->signal_frame)
		range->verdict = REWRITE_SIGNAL_FRAME;
	else if (!range->fde->cie->understood)
		range->verdict = REWRITE_BAD_UNWIND;
	else if (range->begin == object_header(program->object)->e_entry ||
		 strcmp(range->name, "_start") == 0)
		range->verdict = REWRITE_STARTUP;
	else if (is_special_name(range->name))
		range->verdict = REWRITE_SPECIAL;
	else if (has_text_relocation(program, range))
		range->verdict = REWRITE_TEXT_RELOCATION;
}

/* Branches into the own range must meet instructions; `lock`-skipping ones may land one behind. */
static void judge_targets(const struct program *program, struct range *range)
{
	for (uint32_t i = 0; i < range->insn_count; i++) {
		const struct insn *insn = &range->insns[i];
		if ((!insn_is_branch(insn) && insn->kind != INSN_CALL) ||
		    insn->target < range->begin || insn->target >= range->end)
			continue;
		const struct insn *target = program_insn(program, insn->target, NULL);
		if (!target) {
			const struct insn *before = program_insn(program, insn->target - 1, NULL);
			if (before && before->prefix_lock)
				continue;
			range->verdict = REWRITE_BAD_TARGET;
			return;
		}
		const unsigned char *bytes = insn_bytes(program, target);
		if (insn->kind == INSN_CALL && insn->target != range->begin && bytes &&
		    bytes[0] >= 0x58 && bytes[0] <= 0x5f) {
			range->verdict = REWRITE_READS_PC;
			return;
		}
	}
}

static void add_branch(struct program *program, const struct insn *insn)
{
	if (insn_is_branch(insn) || insn->kind == INSN_CALL) {
		const struct branch branch = {insn->addr, insn->target, insn->kind == INSN_CALL};
		vec_push(&program->branches, branch);
	}
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
			add_branch(program, &insn);
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

	for (size_t i = 0; i < count; i++) {
		const Elf64_Shdr *header = &sections[i].header;
		if ((header->sh_flags & SHF_EXECINSTR) && header->sh_type != SHT_NOBITS)
			add_gap_branches(program, header->sh_addr,
					 header->sh_addr + header->sh_size);
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

static void find_branches(struct program *program)
{
	vec_foreach (range, &program->ranges) {
		for (uint32_t i = 0; i < range->insn_count; i++)
			add_branch(program, &range->insns[i]);
	}
	add_all_gap_branches(program);
	vec_sort(&program->branches, compare_branches);
	vec_foreach (branch, &program->branches) {
		struct range *range = branch->call ? program_range(program, branch->to) : NULL;
		if (range && range->begin == branch->to)
			range->called = true;
	}
}

/* Libraries of data alone have an executable segment, too, but nothing in it. */
static bool has_code(const struct object *object)
{
	size_t count;
	const struct object_section *sections = object_sections(object, &count);

	if (!count)
		return true;
	for (size_t i = 0; i < count; i++) {
		if ((sections[i].header.sh_flags & SHF_EXECINSTR) && sections[i].header.sh_size &&
		    !is_linkage_section(sections[i].name))
			return true;
	}
	return false;
}

bool program_read_ranges(struct program *program, struct error *err)
{
	struct insn_vec scratch = {0};

	program->pointers = object_code_pointers(program->object, &program->pointer_count);
	add_ranges(program);
	if (!program->ranges.len && has_code(program->object))
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s has no unwind tables (.eh_frame) that tell its functions; "
				 "rebuild it with -fasynchronous-unwind-tables",
				 object_path(program->object));
	for (size_t i = 0; i < program->ranges.len; i++) {
		struct range *range = &program->ranges.data[i];
		decode_range(program, range, &scratch);
		const uint64_t limit = i + 1 < program->ranges.len
					       ? program->ranges.data[i + 1].begin
					       : range->end + PADDING_MAX;
		range->padding = padding_behind(program, range, limit);
		judge_range(program, range);
	}
	vec_fini(&scratch);
	vec_foreach (range, &program->ranges) {
		if (range->decoded && range->verdict == REWRITE_INSTRUMENTED)
			judge_targets(program, range);
	}
	find_branches(program);
	return true;
}
