/* See fake_copies.h. */
#include "tests/support/fake_copies.h"

#include <string.h>

static void extra_put(struct copy_range *range, uint64_t copy_addr, uint64_t like, int32_t delta)
{
	const struct copy_extra extra = {.copy_addr = copy_addr, .like = like, .cfa_delta = delta};

	vec_push(&range->extras, extra);
}

/* Filler that was dropped: it has the place of what follows it. */
static bool is_dropped(uint64_t i, uint64_t size)
{
	return i % 22 == 17 && i + 1 < size;
}

/* One byte deep inside every eleventh copied byte the stack is 128 bytes deeper. */
static void insns_put(struct arena *arena, struct copy_range *range)
{
	const uint64_t size = range->fde->end - range->fde->begin;
	struct insn *insns = arena_alloc(arena, size * sizeof(*insns));
	uint32_t *copy_offset = arena_alloc(arena, size * sizeof(*copy_offset));

	range->insns = insns;
	range->copy_offset = copy_offset;
	range->insn_count = size;
	for (uint64_t i = 0; i < size; i++) {
		insns[i] = (struct insn){.addr = range->fde->begin + i, .length = 1};
		copy_offset[i] = (uint32_t)(i + is_dropped(i, size)) * FAKE_STRIDE;
		if (i % 11 == 5)
			extra_put(range, copy_addr_at(range, i) + 1, insns[i].addr, 128);
		if (i % 22 == 5)
			extra_put(range, copy_addr_at(range, i) + 2, insns[i].addr, 0);
	}
	range->stubs_begin = range->copy_begin + size * FAKE_STRIDE;
	range->copy_end = range->stubs_begin + FAKE_STUB_BYTES;
	extra_put(range, range->stubs_begin, range->fde->begin, 0);
	extra_put(range, range->stubs_begin + 5, range->fde->begin + size / 2, 8);
	extra_put(range, range->stubs_begin + 13, range->fde->begin + size - 1, -8);
}

static void ranges_put(const struct object *object, struct fake_copies *copies)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(object, &count);
	uint64_t addr = copies->layout.image_addr + copies->layout.headers_size;
	const uint64_t unit_begin = addr;
	struct error ignored;

	for (size_t i = 0; i < count; i++) {
		struct copy_range range = {
			.fde = &fdes[i], .copy_begin = addr, .unit_begin = unit_begin};
		if (!unwind_out_check(object, &fdes[i], &ignored)) {
			copies->refused++;
			continue;
		}
		insns_put(&copies->arena, &range);
		addr = (range.copy_end + 15) & ~UINT64_C(15);
		vec_push(&copies->ranges, range);
	}
}

static uint64_t landing_pad_copy(void *context, uint64_t addr)
{
	const struct fake_copies *copies = context;

	vec_foreach (range, &copies->ranges)
		if (addr >= range->fde->begin && addr < range->fde->end)
			return copy_of(range, addr);
	return 0;
}

static void lsdas_put(const struct object *object, struct fake_copies *copies)
{
	const struct lsda_out out = {.object = object,
				     .bytes = &copies->image,
				     .bytes_addr = copies->layout.image_addr,
				     .landing_pad = landing_pad_copy,
				     .context = copies};
	struct error ignored;

	vec_foreach (range, &copies->ranges) {
		uint64_t addr = 0;
		if (range->fde->lsda && !lsda_out_append(&out, range, &addr, &ignored))
			copies->refused++;
		vec_push(&copies->lsda_addrs, addr);
	}
}

/* As large as the real one, but of a type that nobody looks for. */
static void note_put(struct fake_copies *copies)
{
	put_align(&copies->image, 4, 0);
	copies->note.addr = copies->layout.image_addr + copies->image.len;
	put_u32(&copies->image, 5);
	put_u32(&copies->image, 88);
	put_u32(&copies->image, 0x7fff);
	put_bytes(&copies->image, "tare\0\0\0", 8);
	for (unsigned i = 0; i < 88; i++)
		put_u8(&copies->image, 0);
	copies->note.size = 20 + 88;
}

static bool file_put(const struct object *object, struct fake_copies *copies, struct error *err)
{
	const struct elf_layout *layout = &copies->layout;
	const uint64_t code_begin = layout->image_addr + layout->headers_size;
	const uint64_t code_end =
		copies->ranges.len ? vec_last(&copies->ranges).copy_end : code_begin;
	const uint64_t frame_addr = layout->image_addr + copies->image.len;
	const struct elf_section sections[] = {
		{".tare.text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code_begin,
		 code_end - code_begin, 16},
		{".tare.data", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, layout->rw_addr, layout->rw_size,
		 4096},
		{".eh_frame", SHT_PROGBITS, SHF_ALLOC, frame_addr, copies->unwind.eh_frame.len, 8},
		{".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, copies->unwind.eh_frame_hdr_addr,
		 copies->unwind.eh_frame_hdr.len, 4},
		{".note.tare", SHT_NOTE, SHF_ALLOC, copies->note.addr, copies->note.size, 8},
	};
	struct vec_of(struct elf_symbol) symbols = {0};

	vec_foreach (range, &copies->ranges) {
		const struct object_symbol *symbol = object_symbol_at(object, range->fde->begin);
		const struct elf_symbol copy = {symbol ? symbol->name : "", range->copy_begin,
						range->copy_end - range->copy_begin};
		if (symbol)
			vec_push(&symbols, copy);
	}
	put_bytes(&copies->image, copies->unwind.eh_frame.data, copies->unwind.eh_frame.len);
	put_bytes(&copies->image, copies->unwind.eh_frame_hdr.data,
		  copies->unwind.eh_frame_hdr.len);
	const struct elf_out_input input = {
		.object = object,
		.layout = *layout,
		.image_size = copies->image.len,
		.identity = 0x0123456789abcdef,
		.sections = sections,
		.section_count = sizeof(sections) / sizeof(*sections),
		.symbols = symbols.data,
		.symbol_count = symbols.len,
		.note = copies->note,
		.eh_frame_hdr = {copies->unwind.eh_frame_hdr_addr, copies->unwind.eh_frame_hdr.len},
	};
	elf_out_begin(object, layout, copies->image.len, &copies->file);
	put_bytes(&copies->file, copies->image.data, copies->image.len);
	const bool ok = elf_out_write(&input, &copies->file, err);
	vec_fini(&symbols);
	return ok;
}

bool fake_copies_build(const struct object *object, struct fake_copies *copies, struct error *err)
{
	*copies = (struct fake_copies){.layout = elf_out_layout(object, 100, 0)};
	ranges_put(object, copies);
	const size_t code_bytes =
		copies->ranges.len ? vec_last(&copies->ranges).copy_end - copies->layout.image_addr
				   : copies->layout.headers_size;
	vec_reserve(&copies->image, code_bytes);
	memset(copies->image.data, 0xcc, code_bytes);
	copies->image.len = code_bytes;
	lsdas_put(object, copies);
	note_put(copies);
	put_align(&copies->image, 8, 0);
	const struct unwind_out_input input = {.object = object,
					       .ranges = &copies->ranges,
					       .lsda_addrs = copies->lsda_addrs.data,
					       .eh_frame_addr = copies->layout.image_addr +
								copies->image.len};
	return unwind_out_build(&input, &copies->unwind, err) && file_put(object, copies, err);
}

void fake_copies_fini(struct fake_copies *copies)
{
	vec_foreach (range, &copies->ranges)
		vec_fini(&range->extras);
	arena_fini(&copies->arena);
	vec_fini(&copies->ranges);
	vec_fini(&copies->lsda_addrs);
	vec_fini(&copies->image);
	vec_fini(&copies->file);
	unwind_out_fini(&copies->unwind);
}

void fake_copies_expect(const struct copy_range *range, uint64_t copy_addr, uint64_t *like,
			int64_t *delta)
{
	const uint64_t size = range->fde->end - range->fde->begin;
	const uint64_t i = (copy_addr - range->copy_begin) / FAKE_STRIDE;
	const uint64_t within = (copy_addr - range->copy_begin) % FAKE_STRIDE;

	*like = range->fde->begin + i;
	*delta = i % 11 == 5 && within >= 1 ? 128 : 0;
	if (i % 22 == 5 && within == 2)
		*delta = 0;
	if (is_dropped(i, size)) {
		*like = range->fde->begin + i - 1;
		*delta = 128;
	}
	if (copy_addr < range->stubs_begin)
		return;
	const uint64_t in_stubs = copy_addr - range->stubs_begin;
	*like = range->fde->begin + (in_stubs < 5 ? 0 : in_stubs < 13 ? size / 2 : size - 1);
	*delta = in_stubs < 5 ? 0 : in_stubs < 13 ? 8 : -8;
}
