/*
 * Unwind tables of the new file: those of the copies, and all in one.
 *
 *   .eh_frame      original CIEs and FDEs, moved: distances to other places are adjusted
 *                  CIE 1, FDE, FDE, CIE 2, FDE ...   of the copies, all pc-relative 32-bit
 *                  one terminator
 *   .eh_frame_hdr  one sorted table of all FDEs
 *
 * The rows of a copy are those of the original at the places where its instructions went, and at
 * extras (stubs, steps of probes) those of an original instruction with a deeper stack. Refused:
 * distances beyond 2 GiB.
 */
#include "rewrite/unwind_out.h"
#include "object/cfi_write.h"
#include "object/encoded_pointer.h"
#include "rewrite/lsda_out.h"
#include "rewrite/unwind_builder.h"

#include <assert.h>
#include <inttypes.h>

enum { PCREL32 = POINTER_PCREL | POINTER_S32, RECORD_ALIGN = 8 };

/* Register numbers of DWARF; r8…r15 have their own. */
enum { DWARF_RBX = 3, DWARF_RBP = 6, DWARF_RSP = 7 };

uint64_t unwind_builder_addr(const struct unwind_builder *builder)
{
	return builder->input->eh_frame_addr + builder->out->eh_frame.len;
}

bool unwind_builder_fail_distance(const struct unwind_builder *builder)
{
	return error_set(
		builder->err, ERROR_TOO_LARGE,
		"%s is too large: its unwind tables would be more than 2 GiB from the code",
		object_path(builder->input->object));
}

static bool put_distance(struct unwind_builder *builder, uint64_t target)
{
	const uint64_t distance = target - unwind_builder_addr(builder);

	if ((uint64_t)(int64_t)(int32_t)distance != distance)
		return unwind_builder_fail_distance(builder);
	put_u32(&builder->out->eh_frame, (uint32_t)distance);
	return true;
}

void unwind_builder_put_entry(struct unwind_builder *builder, uint64_t begin, uint64_t record_addr)
{
	const struct unwind_entry entry = {begin, record_addr};

	vec_push(&builder->table, entry);
}

/* ---- records of the copies ---- */

static void record_end(struct unwind_builder *builder, size_t start)
{
	struct byte_vec *bytes = &builder->out->eh_frame;

	assert(bytes->len >= start + 4);
	/* DW_CFA_nop fills */
	put_align(bytes, RECORD_ALIGN, 0);
	set_u32(bytes, start, (uint32_t)(bytes->len - start - 4));
}

static bool put_personality(struct unwind_builder *builder, const struct object_cie *cie)
{
	struct byte_vec *bytes = &builder->out->eh_frame;

	/* A pointer of eight bytes may be filled in by the loader: go through it. */
	if ((cie->personality_encoding & POINTER_BASE) != POINTER_PCREL &&
	    pointer_size(cie->personality_encoding) == 8) {
		put_u8(bytes, POINTER_INDIRECT | PCREL32);
		return put_distance(builder, cie->personality_field);
	}
	put_u8(bytes, PCREL32 | (cie->personality_encoding & POINTER_INDIRECT));
	return put_distance(builder, cie->personality);
}

static bool has_personality(const struct object_cie *cie)
{
	return cie->personality_encoding != POINTER_OMIT && cie->personality;
}

static bool has_lsda(const struct object_cie *cie)
{
	return cie->lsda_encoding != POINTER_OMIT;
}

static bool new_cie_put(struct unwind_builder *builder, const struct object_cie *cie)
{
	struct byte_vec *bytes = &builder->out->eh_frame;
	const size_t start = bytes->len;
	const bool personality = has_personality(cie), lsda = has_lsda(cie);

	put_u32(bytes, 0);
	put_u32(bytes, 0);
	put_u8(bytes, 1);
	put_u8(bytes, 'z');
	if (personality)
		put_u8(bytes, 'P');
	if (lsda)
		put_u8(bytes, 'L');
	put_u8(bytes, 'R');
	if (cie->signal_frame)
		put_u8(bytes, 'S');
	put_u8(bytes, 0);
	put_uleb(bytes, 1);
	put_sleb(bytes, cie->data_align);
	put_u8(bytes, cie->return_register);
	put_uleb(bytes, (personality ? 5 : 0) + (lsda ? 1 : 0) + 1);
	if (personality && !put_personality(builder, cie))
		return false;
	if (lsda)
		put_u8(bytes, PCREL32);
	put_u8(bytes, PCREL32);
	put_bytes(bytes, cie->program, cie->program_size);
	record_end(builder, start);
	return true;
}

static bool new_cie_get(struct unwind_builder *builder, const struct object_cie *cie,
			uint64_t *addr)
{
	const uint64_t *known = map_get(&builder->new_cies, cie->offset);

	*addr = known ? *known : unwind_builder_addr(builder);
	if (known)
		return true;
	map_put(&builder->new_cies, cie->offset, *addr);
	return new_cie_put(builder, cie);
}

/* The state behind the CIE's initial instructions. */
static bool initial_state(const struct object_cie *cie, struct cfi_state *state, struct error *err)
{
	const struct object_fde empty = {.begin = 0, .end = 1, .cie = cie, .program = cie->program};
	struct cfi_rows rows = {0};
	const bool ok = cfi_rows_read(&empty, &rows, err);

	if (ok)
		*state = rows.data[0].state;
	vec_fini(&rows);
	return ok;
}

/* ---- rows of a copy ---- */

/* From copy_addr on, the state of `row` holds but for what the extra says, if there is one. */
struct event {
	uint64_t copy_addr;
	const struct cfi_row *row;
	const struct copy_extra *extra;
};

struct events vec_of(struct event);

/* Index of the first instruction that is not at or below copy_addr in the copy. */
static size_t insn_above(const struct copy_range *range, uint64_t copy_addr)
{
	return partition_point(range->insn_count, i, copy_addr_at(range, i) <= copy_addr);
}

/*
 * Index of the next instruction behind copy_addr, or their number: there the original's own state
 * is in force again. Dropped filler has the place of the instruction behind it, whose state is what
 * counts.
 */
static size_t insn_behind(const struct copy_range *range, uint64_t copy_addr)
{
	const size_t first = insn_above(range, copy_addr);

	return first == range->insn_count ? first
					  : insn_above(range, copy_addr_at(range, first)) - 1;
}

static void event_put(struct events *events, uint64_t copy_addr, const struct cfi_row *row,
		      const struct copy_extra *extra)
{
	const struct event event = {copy_addr, row, extra};

	/* An extra is like an address of its own function. */
	assert(row);
	assert(!events->len || vec_last(events).copy_addr <= copy_addr);
	/* The later statement about the same place is the one that counts. */
	if (events->len && vec_last(events).copy_addr == copy_addr)
		events->len--;
	vec_push(events, event);
}

/* Rows before `limit`, from number *next on. */
static void put_rows_before(const struct copy_range *range, const struct cfi_rows *rows,
			    uint64_t limit, size_t *next, struct events *events)
{
	for (; *next < rows->len; ++*next) {
		const struct cfi_row *row = &rows->data[*next];
		const uint64_t copy_addr = *next ? copy_of(range, row->addr) : range->copy_begin;
		/* A row in the padding at the end says nothing about the stubs. */
		if (copy_addr > limit || (*next && copy_addr >= range->stubs_begin))
			return;
		event_put(events, copy_addr, row, NULL);
	}
}

/*
 * Merges rows and extras in the order of the copy; at equal addresses the extra wins. After an
 * extra, the next copied instruction returns to its own row.
 */
static void events_collect(const struct copy_range *range, const struct cfi_rows *rows,
			   struct events *events)
{
	size_t next = 0;

	for (size_t i = 0; i < range->extras.len; i++) {
		const struct copy_extra *extra = &range->extras.data[i];
		const struct copy_extra *following = i + 1 < range->extras.len ? extra + 1 : NULL;
		const size_t insn = insn_behind(range, extra->copy_addr);
		const uint64_t resume =
			insn < range->insn_count ? copy_addr_at(range, insn) : range->stubs_begin;
		put_rows_before(range, rows, extra->copy_addr, &next, events);
		event_put(events, extra->copy_addr, cfi_row_at(rows, extra->like), extra);
		if (resume < range->stubs_begin && (!following || resume < following->copy_addr)) {
			put_rows_before(range, rows, resume, &next, events);
			event_put(events, resume, cfi_row_at(rows, range->insns[insn].addr), NULL);
		}
	}
	put_rows_before(range, rows, UINT64_MAX, &next, events);
}

/* Registers saved below the stack pointer are in themselves: see struct copy_extra. */
static void slots_forget(struct cfi_state *state)
{
	static const unsigned saved[] = {DWARF_RBX, DWARF_RBP, 12, 13, 14, 15};

	if (state->cfa.kind != CFI_OFFSET || state->cfa_register != DWARF_RSP)
		return;
	for (size_t i = 0; i < sizeof(saved) / sizeof(*saved); i++) {
		struct cfi_rule *rule = &state->registers[saved[i]];
		if (rule->kind == CFI_OFFSET && rule->offset < -state->cfa.offset)
			*rule = (struct cfi_rule){.kind = CFI_SAME};
	}
}

static bool event_state(struct unwind_builder *builder, const struct event *event,
			struct cfi_state *state)
{
	*state = event->row->state;
	if (!event->extra)
		return true;
	if (event->extra->leaves)
		slots_forget(state);
	return !event->extra->cfa_delta ||
	       cfi_write_shift(state, event->extra->cfa_delta, &builder->arena, builder->err);
}

static bool put_program(struct unwind_builder *builder, const struct copy_range *range,
			const struct events *events)
{
	struct cfi_state initial, states[2];
	struct byte_vec *bytes = &builder->out->eh_frame;
	uint64_t location = range->copy_begin;
	unsigned present = 0;

	if (!initial_state(range->fde->cie, &initial, builder->err))
		return false;
	states[present] = initial;
	const struct cfi_writer writer = {bytes, range->fde->cie->data_align, &initial};
	vec_foreach (event, events) {
		struct cfi_state *state = &states[!present];
		if (!event_state(builder, event, state))
			return false;
		if (cfi_state_equal(&states[present], state))
			continue;
		assert(event->copy_addr >= location && event->copy_addr <= range->copy_end);
		cfi_write_advance(bytes, event->copy_addr - location);
		location = event->copy_addr;
		if (!cfi_write_change(&writer, &states[present], state, builder->err))
			return false;
		present = !present;
	}
	return true;
}

static bool new_fde_put(struct unwind_builder *builder, const struct copy_range *range,
			uint64_t lsda_addr)
{
	struct byte_vec *bytes = &builder->out->eh_frame;
	struct events events = {0};
	uint64_t cie_addr;

	assert(range->copy_begin < range->copy_end && range->stubs_begin >= range->copy_begin &&
	       range->stubs_begin <= range->copy_end);
	builder->rows.len = 0;
	if (!cfi_rows_read(range->fde, &builder->rows, builder->err) ||
	    !new_cie_get(builder, range->fde->cie, &cie_addr))
		return false;
	const size_t start = bytes->len;
	unwind_builder_put_entry(builder, range->copy_begin, unwind_builder_addr(builder));
	put_u32(bytes, 0);
	put_u32(bytes, (uint32_t)(unwind_builder_addr(builder) - cie_addr));
	if (!put_distance(builder, range->copy_begin))
		return false;
	put_u32(bytes, (uint32_t)(range->copy_end - range->copy_begin));
	put_u8(bytes, has_lsda(range->fde->cie) ? 4 : 0);
	if (has_lsda(range->fde->cie) && !lsda_addr)
		put_u32(bytes, 0);
	else if (has_lsda(range->fde->cie) && !put_distance(builder, lsda_addr))
		return false;
	events_collect(range, &builder->rows, &events);
	const bool ok = put_program(builder, range, &events);
	vec_fini(&events);
	record_end(builder, start);
	builder->out->records_new++;
	return ok;
}

static bool new_fdes_put(struct unwind_builder *builder)
{
	const struct unwind_out_input *input = builder->input;

	for (size_t i = 0; i < input->ranges->len; i++) {
		const struct copy_range *range = &input->ranges->data[i];
		if (!range->fde->addr)
			continue; /* the original has none */
		if (!new_fde_put(builder, range, input->lsda_addrs[i]))
			return error_prefix(builder->err, "the copy of the code at 0x%" PRIx64,
					    range->fde->begin);
		arena_fini(&builder->arena);
		arena_init(&builder->arena);
	}
	return true;
}

/* ---- .eh_frame_hdr ---- */

static int entry_compare(const void *a_pointer, const void *b_pointer)
{
	const struct unwind_entry *a = a_pointer, *b = b_pointer;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->record_addr < b->record_addr ? -1 : a->record_addr > b->record_addr;
}

static bool header_put(struct unwind_builder *builder)
{
	struct unwind_out *out = builder->out;
	struct byte_vec *bytes = &out->eh_frame_hdr;
	const uint64_t addr = unwind_builder_addr(builder);

	vec_sort(&builder->table, entry_compare);
	out->eh_frame_hdr_addr = addr;
	put_u8(bytes, 1);
	put_u8(bytes, PCREL32);
	put_u8(bytes, POINTER_U32);
	put_u8(bytes, POINTER_DATAREL | POINTER_S32);
	put_u32(bytes, (uint32_t)(builder->input->eh_frame_addr - (addr + 4)));
	put_u32(bytes, (uint32_t)builder->table.len);
	vec_foreach (entry, &builder->table) {
		const uint64_t begin = entry->begin - addr, record = entry->record_addr - addr;
		if ((uint64_t)(int64_t)(int32_t)begin != begin ||
		    (uint64_t)(int64_t)(int32_t)record != record)
			return unwind_builder_fail_distance(builder);
		put_u32(bytes, (uint32_t)begin);
		put_u32(bytes, (uint32_t)record);
	}
	return true;
}

/* ---- public ---- */

bool unwind_out_build(const struct unwind_out_input *input, struct unwind_out *out,
		      struct error *err)
{
	struct unwind_builder builder = {.input = input, .out = out, .err = err};
	bool ok;

	*out = (struct unwind_out){0};
	map_init(&builder.moved_cies);
	map_init(&builder.new_cies);
	arena_init(&builder.arena);
	ok = unwind_move_records(&builder);
	ok = ok && new_fdes_put(&builder);
	if (ok) {
		put_u32(&out->eh_frame, 0);
		ok = header_put(&builder);
	}
	vec_fini(&builder.table);
	vec_fini(&builder.rows);
	map_fini(&builder.moved_cies);
	map_fini(&builder.new_cies);
	arena_fini(&builder.arena);
	if (!ok)
		unwind_out_fini(out);
	return ok;
}

void unwind_out_fini(struct unwind_out *out)
{
	vec_fini(&out->eh_frame);
	vec_fini(&out->eh_frame_hdr);
}

static bool rows_check(const struct object_fde *fde, const struct cfi_rows *rows, struct error *err)
{
	struct arena arena = {0};
	bool ok = true;

	arena_init(&arena);
	vec_foreach (row, rows) {
		struct cfi_state state = row->state;
		if (state.cfa.kind == CFI_UNDEFINED)
			ok = error_set(err, ERROR_UNSUPPORTED,
				       "the unwind information of the code at 0x%" PRIx64
				       " defines no frame address",
				       fde->begin);
		ok = ok && cfi_write_shift(&state, 8, &arena, err);
		if (!ok)
			break;
	}
	arena_fini(&arena);
	return ok;
}

bool unwind_out_check(const struct object *object, const struct object_fde *fde, struct error *err)
{
	const struct object_cie *cie = fde->cie;
	struct cfi_rows rows = {0};
	bool ok;

	if (!fde->addr)
		return true; /* nothing to carry over */
	if (cie->personality_encoding != POINTER_OMIT &&
	    (cie->personality_encoding & POINTER_INDIRECT) &&
	    (cie->personality_encoding & POINTER_BASE) != POINTER_PCREL &&
	    pointer_size(cie->personality_encoding) == 8)
		return error_set(err, ERROR_UNSUPPORTED,
				 "the code at 0x%" PRIx64
				 " encodes its personality routine in a way that is not supported",
				 fde->begin);
	if (!cie->data_align)
		return error_set(err, ERROR_UNSUPPORTED,
				 "the unwind information of the code at 0x%" PRIx64
				 " has no factor for stack offsets",
				 fde->begin);
	ok = cfi_rows_read(fde, &rows, err) && rows_check(fde, &rows, err) &&
	     (!fde->lsda || lsda_out_check(object, fde, err));
	vec_fini(&rows);
	return ok;
}
