/*
 * What is left of the original in the copy: every byte of the file but for the jumps over entries
 * of copied functions and over labels (original_labels.c), the ELF header's references to tables
 * that moved, and the library search path where $ORIGIN was made absolute; every program header but
 * for the table's own place and the unwind header; nothing new below the end of the original's
 * memory.
 *
 * A jump over an entry may replace bytes of its own range and filler behind it, and nothing that
 * code outside of copies branches to.
 */
#include "verify/private.h"

#include <inttypes.h>
#include <string.h>

enum { ENTRY_JUMP_BYTES = 5, NAME_BYTES_MAX = 16 };

void check_allow(const struct check *check, struct check_allowances *allowances,
		 const unsigned char *at, uint64_t size)
{
	size_t file_size;
	const struct check_allowed allowed = {
		(uint64_t)(at - object_bytes(check->original, &file_size)), size};

	vec_push(allowances, allowed);
}

static int compare_allowed(const void *left, const void *right)
{
	const struct check_allowed *a = left, *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* ---- the jumps over entries ---- */

/* Bytes of the jump behind the range: only filler, and of no other range. */
static bool is_filler(const struct check *check, uint64_t at, uint64_t end)
{
	while (at < end) {
		const unsigned char *bytes = object_at(check->original, at, 1);
		struct insn insn;
		if (!bytes || check_range_at(check, at))
			return false;
		if (*bytes == 0xcc) {
			at++;
			continue;
		}
		uint64_t left = NAME_BYTES_MAX - 1;
		while (left && !object_at(check->original, at, left))
			left--;
		if (!insn_decode(bytes, left, at, &insn) || !insn.is_nop)
			return false;
		at += insn.length;
	}
	return true;
}

static void allow_entries(struct check *check, struct check_allowances *allowances)
{
	vec_foreach (range, &check->ranges) {
		if (!range->entry)
			continue;
		const uint64_t addr = check_patch_addr(check, range);
		const unsigned char *bytes = object_at(check->original, addr, ENTRY_JUMP_BYTES);
		if (bytes)
			check_allow(check, allowances, bytes, ENTRY_JUMP_BYTES);
		if (!bytes || (addr + ENTRY_JUMP_BYTES > range->end &&
			       !is_filler(check, range->end, addr + ENTRY_JUMP_BYTES)))
			check_differs(check, VERIFY_BYTES, range->begin, addr,
				      "the jump over the entry overwrites what is not its own");
	}
}

static bool is_inside_jump(const struct check *check, uint64_t addr)
{
	const struct check_range *range = check_range_at(check, addr);

	/* It may end in filler. */
	for (uint64_t back = 1; !range && back < ENTRY_JUMP_BYTES; back++)
		range = check_range_at(check, addr - back);
	if (!range || !range->entry)
		return false;
	const uint64_t jump = check_patch_addr(check, range);
	return addr > jump && addr < jump + ENTRY_JUMP_BYTES;
}

static void check_uncopied_branch(struct check *check, const struct insn *branch, void *context)
{
	(void)context;
	if (is_inside_jump(check, branch->target))
		check_differs(check, VERIFY_BYTES, branch->addr, branch->target,
			      "branches into the jump over an entry");
}

void uncopied_branches_visit(struct check *check,
			     void (*visit)(struct check *check, const struct insn *branch,
					   void *context),
			     void *context)
{
	vec_foreach (range, &check->ranges) {
		const uint64_t size = range->end - range->begin;
		const unsigned char *bytes =
			range->copied ? NULL : object_at(check->original, range->begin, size);
		struct insn insn;
		for (uint64_t at = 0; bytes && at < size; at += insn.length) {
			if (!insn_decode(bytes + at, size - at, range->begin + at, &insn))
				break;
			if (insn_has_target(&insn))
				visit(check, &insn, context);
		}
	}
}

/* ---- bytes ---- */

static void allow_header(const struct check *check, struct check_allowances *allowances)
{
	size_t size;
	const unsigned char *header = object_bytes(check->original, &size);

	if (static_has_runtime(check))
		check_allow(check, allowances, header + offsetof(Elf64_Ehdr, e_entry), 8);
	check_allow(check, allowances, header + offsetof(Elf64_Ehdr, e_phoff),
		    16); /* and e_shoff */
	check_allow(check, allowances, header + offsetof(Elf64_Ehdr, e_phnum), 2);
	check_allow(check, allowances, header + offsetof(Elf64_Ehdr, e_shnum), 4); /* e_shstrndx */
}

static bool is_search_path(int64_t tag)
{
	return tag == DT_RUNPATH || tag == DT_RPATH || tag == DT_STRSZ;
}

/* The search path: the entries' values, if the original has $ORIGIN in it. */
static void allow_search_path(const struct check *check, struct check_allowances *allowances)
{
	const char *runpath = object_runpath(check->original);
	size_t count;
	const Elf64_Phdr *segments = object_segments(check->original, &count);

	if (!runpath || !strstr(runpath, "ORIGIN"))
		return;
	for (size_t i = 0; i < count; i++) {
		const unsigned char *bytes =
			segments[i].p_type == PT_DYNAMIC
				? object_at(check->original, segments[i].p_vaddr,
					    segments[i].p_filesz)
				: NULL;
		Elf64_Dyn entry;
		for (uint64_t at = 0; bytes && at + sizeof(entry) <= segments[i].p_filesz;
		     at += sizeof(entry)) {
			memcpy(&entry, bytes + at, sizeof(entry));
			if (is_search_path(entry.d_tag))
				check_allow(check, allowances,
					    bytes + at + offsetof(Elf64_Dyn, d_un),
					    sizeof(entry.d_un));
		}
	}
}

static const struct check_allowed *allowed_at(const struct check_allowances *allowances,
					      uint64_t offset)
{
	const size_t low =
		partition_point(allowances->len, i, allowances->data[i].offset <= offset);

	const struct check_allowed *before = low ? &allowances->data[low - 1] : NULL;
	return before && offset - before->offset < before->size ? before : NULL;
}

/* The link address of a place in the original's file, 0 where it is not loaded. */
static uint64_t loaded_addr(const struct check *check, uint64_t offset)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(check->original, &count);

	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD &&
		    offset - segments[i].p_offset < segments[i].p_filesz)
			return segments[i].p_vaddr + (offset - segments[i].p_offset);
	return 0;
}

static void check_bytes(struct check *check, const struct check_allowances *allowances)
{
	size_t size, copy_size;
	const unsigned char *bytes = object_bytes(check->original, &size);
	const unsigned char *copy = object_bytes(check->copy, &copy_size);

	check->result->counts.bytes = size;
	if (copy_size < size) {
		check_differs(check, VERIFY_BYTES, 0, 0, "the copy is shorter than the original");
		return;
	}
	for (uint64_t at = 0; at < size;) {
		if (bytes[at] == copy[at]) {
			/* Mostly everything is equal: by pages. */
			const uint64_t step = size - at < 4096 ? size - at : 4096;
			at += memcmp(bytes + at, copy + at, step) == 0 ? step : 1;
			continue;
		}
		const struct check_allowed *allowed = allowed_at(allowances, at);
		if (allowed) {
			at = allowed->offset + allowed->size;
			continue;
		}
		check_differs(check, VERIFY_BYTES, loaded_addr(check, at), 0,
			      "the byte at offset 0x%" PRIx64 " of the file is changed", at);
		while (at < size && bytes[at] != copy[at])
			at++;
	}
}

/* ---- program headers ---- */

static bool may_differ(const Elf64_Phdr *a, const Elf64_Phdr *b)
{
	return a->p_type == b->p_type && (a->p_type == PT_PHDR || a->p_type == PT_GNU_EH_FRAME);
}

/* A header that the original has not: describes new memory only. */
static bool is_new(const Elf64_Phdr *segment, uint64_t end)
{
	return (segment->p_type == PT_LOAD || segment->p_type == PT_NOTE ||
		segment->p_type == PT_TLS || segment->p_type == PT_GNU_EH_FRAME) &&
	       segment->p_vaddr >= end && segment->p_vaddr + segment->p_memsz >= segment->p_vaddr;
}

static void check_segments(struct check *check)
{
	size_t count, copy_count, at = 0;
	const Elf64_Phdr *segments = object_segments(check->original, &count);
	const Elf64_Phdr *copy = object_segments(check->copy, &copy_count);
	const uint64_t end = object_memory_end(check->original);
	uint64_t last = 0;

	for (size_t i = 0; i < copy_count; i++) {
		/* What replaces thread-local storage is checked in static_program.c. */
		if (at < count && segments[at].p_type == PT_TLS && static_has_runtime(check))
			at++;
		const bool is_own =
			at < count && (memcmp(&segments[at], &copy[i], sizeof(*copy)) == 0 ||
				       may_differ(&segments[at], &copy[i]));
		at += is_own;
		if (!is_own && !is_new(&copy[i], end))
			check_differs(check, VERIFY_HEADERS, 0, copy[i].p_vaddr,
				      "program header %zu is neither the original's nor new", i);
		if (is_own || copy[i].p_type != PT_LOAD)
			continue;
		if (copy[i].p_vaddr < last)
			check_differs(check, VERIFY_HEADERS, 0, copy[i].p_vaddr,
				      "the segment of program header %zu overlaps another", i);
		last = copy[i].p_vaddr + copy[i].p_memsz;
	}
	if (at < count)
		check_differs(check, VERIFY_HEADERS, segments[at].p_vaddr, 0,
			      "program header %zu of the original is missing", at);
}

/* The loader's view: everything it asks for by name is as it was. */
static void check_dynamic(struct check *check)
{
	const Elf64_Ehdr *a = object_header(check->original), *b = object_header(check->copy);
	const char *name = object_soname(check->original), *copy_name = object_soname(check->copy);
	const char *path = object_runpath(check->original),
		   *copy_path = object_runpath(check->copy);

	if ((a->e_entry != b->e_entry && !static_has_runtime(check)) || a->e_type != b->e_type)
		check_differs(check, VERIFY_HEADERS, a->e_entry, b->e_entry,
			      "another entry or type");
	if (!name != !copy_name || (name && strcmp(name, copy_name) != 0))
		check_differs(check, VERIFY_HEADERS, 0, 0, "another DT_SONAME");
	if (!path != !copy_path ||
	    (path && !strstr(path, "ORIGIN") && strcmp(path, copy_path) != 0))
		check_differs(check, VERIFY_HEADERS, 0, 0, "another library search path");
}

void file_check(struct check *check)
{
	struct check_allowances allowances = {0};

	allow_header(check, &allowances);
	allow_entries(check, &allowances);
	labels_allow(check, &allowances);
	allow_search_path(check, &allowances);
	if (static_has_runtime(check))
		static_check(check, &allowances);
	vec_sort(&allowances, compare_allowed);
	check_bytes(check, &allowances);
	uncopied_branches_visit(check, check_uncopied_branch, NULL);
	check_segments(check);
	check_dynamic(check);
	vec_fini(&allowances);
}
