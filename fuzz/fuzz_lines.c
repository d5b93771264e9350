/*
 * Damaged debug information: lines, inlines and declarations of addresses all over the code. The
 * seeds are small programs with DWARF 4, DWARF 5 and compressed sections.
 */
#include "fuzz/fuzz.h"
#include "object/lines.h"

#include <assert.h>

enum { ADDRESSES = 64 };

static size_t addresses_choose(const struct object *object, uint64_t *addrs)
{
	size_t symbol_count, segment_count, count = 0;
	const struct object_symbol *symbols = object_symbols(object, &symbol_count);
	const Elf64_Phdr *segments = object_segments(object, &segment_count);

	for (size_t i = 0; i < symbol_count && count < ADDRESSES / 2; i++)
		addrs[count++] = symbols[i].addr + symbols[i].size / 2;
	for (size_t i = 0; i < segment_count && count < ADDRESSES; i++) {
		if (segments[i].p_type != PT_LOAD || !(segments[i].p_flags & PF_X))
			continue;
		for (uint64_t part = 0; part < ADDRESSES / 2 && count < ADDRESSES; part++)
			addrs[count++] = segments[i].p_vaddr + segments[i].p_filesz / 32 * part;
	}
	return count;
}

/* Changes one section of debug information, and leaves the file as it is otherwise. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed)
{
	struct error ignored;
	size_t count, wanted = 0;
	struct object *object = object_open_bytes(data, size, "fuzz", 0, &ignored);

	if (!object || seed % 8 == 0) {
		object_close(object);
		return LLVMFuzzerMutate(data, size, size_max);
	}
	const struct object_section *sections = object_sections(object, &count), *chosen = NULL;
	for (size_t i = 0; i < count; i++) {
		if (str_starts_with(sections[i].name, ".debug_") &&
		    sections[i].header.sh_offset < size &&
		    sections[i].header.sh_size <= size - sections[i].header.sh_offset &&
		    sections[i].header.sh_size && (seed >> 3) % ++wanted == 0)
			chosen = &sections[i];
	}
	if (chosen)
		LLVMFuzzerMutate(data + chosen->header.sh_offset, chosen->header.sh_size,
				 chosen->header.sh_size);
	object_close(object);
	return chosen ? size : LLVMFuzzerMutate(data, size, size_max);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lines_answer answers[ADDRESSES];
	uint64_t addrs[ADDRESSES];
	struct error ignored;
	struct object *object = object_open_bytes(data, size, "fuzz", OBJECT_SYMBOLS, &ignored);

	if (!object)
		return 0;
	const size_t count = addresses_choose(object, addrs);
	struct lines *lines = lines_open(object, NULL);
	lines_find(lines, addrs, count, answers);
	for (size_t i = 0; i < count; i++) {
		assert(answers[i].reason < LINES_REASONS);
		assert((answers[i].count != 0) == (answers[i].frames != NULL));
		for (size_t j = 0; j < answers[i].count; j++)
			assert(answers[i].frames[j].function);
	}
	lines_close(lines);
	object_close(object);
	return 0;
}
