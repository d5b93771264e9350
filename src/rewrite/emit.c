/*
 * Emits the copy of one range: each instruction moved, with probes before, behind or instead.
 * Branches keep their 8-bit form where they still reach; the whole range is emitted again when one
 * turns out not to.
 */
#include "rewrite/emit.h"

#include <assert.h>
#include <string.h>

enum { ALIGN_FILLER_BYTES = 16, EMIT_ROUNDS_MAX = 30 };

/* ---- branches ---- */

bool branch_is_inside(const struct program *program, const struct range *range, uint64_t target)
{
	struct range *other = program_range(program, target);

	if (!other || other->unit != range->unit || !other->copied)
		return false;
	if (target == other->begin)
		return other == range || !other->entry;
	if (range_insn_number(other, target - other->begin))
		return true;
	const uint32_t before = range_insn_number(other, target - other->begin - 1);
	return before && other->insns[before - 1].prefix_lock;
}

/* Index of the branch's target where an 8-bit branch may do, or UINT32_MAX. */
static uint32_t short_target(const struct emitter *emitter, uint32_t number)
{
	const struct range *range = emitter->range;
	const struct insn *insn = &range->insns[number];

	if (insn->rel_bits != 8 || emitter->is_long[number] || insn->target < range->begin ||
	    insn->target >= range->end || emits_edge_count(emitter, number, COUNT_TAKEN))
		return UINT32_MAX;
	return range_insn_number(range, insn->target - range->begin) - 1;
}

static void emit_short(struct emitter *emitter, uint32_t number, uint32_t target)
{
	const struct short_branch branch = {emit_offset(emitter), number, target};

	assert(target < emitter->range->insn_count);
	vec_push(&emitter->shorts, branch);
	put_u8(&emitter->range->code, 0);
}

/* jmp to original code, as a tail call where it leaves the function. */
static void emit_jump_to(struct emitter *emitter, uint64_t like, uint64_t target)
{
	if (!branch_is_inside(emitter->program, emitter->range, target)) {
		const bool flags =
			emitter->range->returns_flags || flags_live(emitter->program, target);
		emit_leave(emitter, like, flags);
		emit_tail_count(emitter, like, target, flags);
	}
	emit_code(emitter, 0xe9);
	emit_fixup(emitter, FIXUP_CODE_JUMP, target, 0);
}

static void emit_jump(struct emitter *emitter, uint32_t number)
{
	const struct insn *insn = &emitter->range->insns[number];
	const uint32_t target = short_target(emitter, number);

	if (target == UINT32_MAX) {
		emit_jump_to(emitter, insn->addr, insn->target);
		return;
	}
	emit_code(emitter, 0xeb);
	emit_short(emitter, number, target);
}

static void emit_branch(struct emitter *emitter, uint32_t number)
{
	const struct insn *insn = &emitter->range->insns[number];
	const unsigned char condition =
		insn_bytes(emitter->program, insn)[insn->rel_offset - 1] & 15;
	const uint32_t target = short_target(emitter, number);
	const bool counts = emits_edge_count(emitter, number, COUNT_TAKEN);
	const bool inside = branch_is_inside(emitter->program, emitter->range, insn->target);

	if (target != UINT32_MAX) {
		emit_code(emitter, 0x70 | condition);
		emit_short(emitter, number, target);
	} else if (counts && inside) {
		emit_counted_branch(emitter, insn, condition);
	} else if (counts || (probes_functions(emitter) && !inside)) {
		/* The inverted branch steps over what counts, a tail call's probe, and the jump. */
		emit_code(emitter, 0x0f, 0x80 | (condition ^ 1));
		const uint32_t skip = emit_offset(emitter);
		put_u32(&emitter->range->code, 0);
		emit_edge_count(emitter, number, COUNT_TAKEN, insn->addr);
		emit_jump_to(emitter, insn->addr, insn->target);
		emit_land(emitter, skip);
	} else {
		emit_code(emitter, 0x0f, 0x80 | condition);
		emit_fixup(emitter, FIXUP_CODE_JUMP, insn->target, 0);
	}
}

/* loop and jrcxz have no 32-bit form: they jump to a jump. */
static void emit_loop(struct emitter *emitter, uint32_t number)
{
	const struct insn *insn = &emitter->range->insns[number];
	const uint32_t at = emit_offset(emitter);

	put_bytes(&emitter->range->code, insn_bytes(emitter->program, insn), insn->length);
	emitter->range->code.data[at + insn->rel_offset] = 5;
	emit_code(emitter, 0xe9);
	const uint32_t skip = emit_offset(emitter);
	put_u32(&emitter->range->code, 0);
	emit_edge_count(emitter, number, COUNT_TAKEN, insn->addr);
	emit_jump_to(emitter, insn->addr, insn->target);
	emit_land(emitter, skip);
}

/* ---- instructions ---- */

/* movslq table(BASE,INDEX,8),REG; add BASE,REG: the pointer that the original reads. */
static void emit_pointer_read(struct emitter *emitter, const struct indirect_jump *jump,
			      unsigned reg)
{
	const unsigned base = jump->base_register, index = jump->index_register;

	emit_code(emitter, (unsigned char)(0x48 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3),
		  0x63, (unsigned char)(0x84 | (reg & 7) << 3),
		  (unsigned char)(0xc0 | (index & 7) << 3 | (base & 7)));
	emit_fixup(emitter, FIXUP_TABLE, jump->table, 0);
	emit_add(emitter, reg, base);
}

static const struct jump_table *jump_table_of(const struct emitter *emitter,
					      const struct indirect_jump *jump)
{
	assert(jump->table < emitter->program->units.data[emitter->range->unit].tables.len);
	return &emitter->program->units.data[emitter->range->unit].tables.data[jump->table];
}

/* The read of a copied jump table: the same with another displacement of 32 bits. */
static void emit_table_read(struct emitter *emitter, const struct insn *insn,
			    const struct indirect_jump *jump)
{
	const unsigned char *bytes = insn_bytes(emitter->program, insn);
	const unsigned modrm = insn->modrm_offset;

	switch (jump_table_of(emitter, jump)->kind) {
	case TABLE_POINTERS:
		emit_pointer_read(emitter, jump, jump->read_register);
		return;
	case TABLE_ADDRESSES:
		put_bytes(&emitter->range->code, bytes, insn->length - 4u);
		break;
	case TABLE_OFFSETS:
		put_bytes(&emitter->range->code, bytes, modrm);
		emit_code(emitter, (unsigned char)((bytes[modrm] & 0x3f) | 0x80), bytes[modrm + 1]);
		break;
	}
	emit_fixup(emitter, FIXUP_TABLE, jump->table, 0);
}

static const struct indirect_jump *jump_reading_table(const struct emitter *emitter,
						      uint32_t number)
{
	const uint32_t reader = emitter->table_readers ? emitter->table_readers[number] : 0;

	assert(reader <= emitter->range->jumps.len);
	return reader ? &emitter->range->jumps.data[reader - 1] : NULL;
}

static void emit_plain(struct emitter *emitter, uint32_t number)
{
	const struct insn *insn = &emitter->range->insns[number];
	const struct indirect_jump *jump = jump_reading_table(emitter, number);

	if (insn->rel_bits) {
		put_bytes(&emitter->range->code, insn_bytes(emitter->program, insn),
			  insn->rel_offset);
		emit_fixup(emitter, FIXUP_CODE_JUMP, insn->target, 0);
	} else if (jump) {
		emit_table_read(emitter, insn, jump);
	} else {
		emit_raw(emitter, insn);
	}
}

static void emit_jump_indirect(struct emitter *emitter, uint32_t number)
{
	const struct insn *insn = &emitter->range->insns[number];
	const struct indirect_jump *jump = range_jump_at(emitter->range, number);

	assert(jump); /* each indirect jump has been planned */
	if (jump->way != JUMP_TABLE) {
		emit_indirect_jump(emitter, jump);
		return;
	}
	if (jump->table_insn != number) {
		emit_raw(emitter, insn);
		return;
	}
	emit_table_read(emitter, insn, jump);
	if (jump_table_of(emitter, jump)->kind == TABLE_POINTERS)
		emit_jump_through(emitter, jump->read_register);
}

static void emit_insn(struct emitter *emitter, uint32_t number)
{
	const struct insn *insn = &emitter->range->insns[number];

	switch (insn->kind) {
	case INSN_RETURN:
		emit_leave(emitter, insn->addr, emitter->range->returns_flags);
		emit_raw(emitter, insn);
		break;
	case INSN_JUMP:
		emit_jump(emitter, number);
		break;
	case INSN_BRANCH:
		emit_branch(emitter, number);
		break;
	case INSN_LOOP:
		emit_loop(emitter, number);
		break;
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
		emit_call(emitter, insn);
		break;
	case INSN_JUMP_INDIRECT:
		emit_jump_indirect(emitter, number);
		break;
	default:
		emit_plain(emitter, number);
	}
}

/* ---- the range ---- */

/* Not before a lock prefix: a jump may lead one byte into that instruction. */
static void emit_landing(struct emitter *emitter, const struct insn *insn)
{
	if (!insn->is_landing_pad || insn->prefix_lock || !probes_functions(emitter))
		return;
	emit_probe(emitter,
		   &(struct probe){.kind = PROBE_LANDING,
				   .like = insn->addr,
				   .flags_live = flags_live(emitter->program, insn->addr)});
}

static void emit_syscall(struct emitter *emitter, const struct insn *insn)
{
	const struct rewrite_options *options = emitter->program->options;

	if (!insn->is_syscall || (options->mode == REWRITE_NULL && !options->syscall_probes))
		return;
	emit_probe(emitter,
		   &(struct probe){.kind = PROBE_SYSCALL,
				   .like = insn->addr,
				   .flags_live = flags_live(emitter->program, insn->addr)});
}

static void emit_one(struct emitter *emitter, uint32_t number)
{
	struct range *range = emitter->range;
	const struct insn *insn = &range->insns[number];

	if (number)
		emit_edge_count(emitter, number - 1, COUNT_NEXT, insn->addr);
	range->copy_offset[number] = emit_offset(emitter);
	if (emit_filler(emitter, number))
		return;
	range->copy_offset[number] = emit_offset(emitter);
	emit_edge_count(emitter, number, COUNT_BEFORE, insn->addr);
	if (!insn->is_endbr)
		emit_landing(emitter, insn);
	emit_syscall(emitter, insn);
	range->syscall_count += insn->is_syscall;
	emit_insn(emitter, number);
	if (insn->is_endbr)
		emit_landing(emitter, insn);
	assert(!number || range->copy_offset[number] >= range->copy_offset[number - 1]);
}

/* Control that would run past the end of the range goes on in the original, or in its copy. */
static void emit_end(struct emitter *emitter)
{
	const struct range *range = emitter->range;
	assert(range->insn_count);
	const struct insn *last = &range->insns[range->insn_count - 1];

	emit_edge_count(emitter, range->insn_count - 1, COUNT_NEXT, last->addr);
	if (!insn_falls_through(last))
		return;
	if (!insn_is_call(last)) {
		emit_jump_to(emitter, last->addr, range->end);
		return;
	}
	emit_code(emitter, 0xe9);
	emit_fixup(emitter, FIXUP_CODE_JUMP, range->end, 0);
}

static void emit_body(struct emitter *emitter)
{
	struct range *range = emitter->range;

	range->code.len = range->fixups.len = range->extras.len = 0;
	range->sites.len = range->body_calls.len = range->far_calls.len = 0;
	emitter->next_edge_counter = 0;
	range->syscall_count = 0;
	emitter->stubs.len = emitter->shorts.len = 0;
	emitter->align_pending = false;
	range->probe_count = range->live_flags_count = 0;
	if (range->entry && probes_functions(emitter))
		emit_probe(emitter, &(struct probe){.kind = PROBE_ENTER,
						    .like = range->begin,
						    .flags_live = flags_live(emitter->program,
									     range->begin)});
	if (range->small)
		emit_count(emitter);
	range->body_offset = emit_offset(emitter);
	for (uint32_t i = 0; i < range->insn_count; i++)
		emit_one(emitter, i);
	emit_end(emitter);
	emit_stubs(emitter);
}

/* Fills the 8-bit branches; those that do not reach become long. False if there was one. */
static bool fill_shorts(struct emitter *emitter)
{
	bool all_fit = true;

	vec_foreach (branch, &emitter->shorts) {
		assert(branch->target_insn < emitter->range->insn_count);
		const int64_t distance = (int64_t)emitter->range->copy_offset[branch->target_insn] -
					 (int64_t)(branch->position + 1);
		if (distance < INT8_MIN || distance > INT8_MAX) {
			emitter->is_long[branch->insn] = 1;
			all_fit = false;
		}
		emitter->range->code.data[branch->position] = (unsigned char)distance;
	}
	return all_fit;
}

/* Which instructions read a table for a jump: that one's number plus one. */
static uint32_t *find_table_readers(const struct range *range)
{
	uint32_t *readers =
		range->jumps.len ? mem_zalloc(range->insn_count * sizeof(*readers)) : NULL;

	for (size_t i = range->jumps.len; i-- > 0;) {
		if (range->jumps.data[i].way != JUMP_TABLE)
			continue;
		assert(range->jumps.data[i].table_insn < range->insn_count);
		readers[range->jumps.data[i].table_insn] = (uint32_t)i + 1;
	}
	return readers;
}

/*
 * The vectors that emit_range makes grow in those of the worker, which are large already; the range
 * keeps a copy of their elements in the arena. So nothing is copied at each doubling, no room is
 * left over, and nothing is to be freed.
 */
static void lend_vectors(struct range *range, const struct range *emitted)
{
	range->code = emitted->code;
	range->fixups = emitted->fixups;
	range->extras = emitted->extras;
	range->sites = emitted->sites;
	range->body_calls = emitted->body_calls;
	range->far_calls = emitted->far_calls;
}

#define KEEP(arena, vec)                                                                           \
	do {                                                                                       \
		const void *lent = (vec)->data;                                                    \
		const size_t bytes = (vec)->len * sizeof(*(vec)->data);                            \
		(vec)->cap = (vec)->len;                                                           \
		(vec)->data = bytes ? arena_alloc(arena, bytes) : NULL;                            \
		if (bytes)                                                                         \
			memcpy((vec)->data, lent, bytes);                                          \
	} while (0)

static void keep_vectors(struct range *range, struct worker *worker)
{
	lend_vectors(&worker->emitted, range);
	KEEP(&worker->arena, &range->code);
	KEEP(&worker->arena, &range->fixups);
	KEEP(&worker->arena, &range->extras);
	KEEP(&worker->arena, &range->sites);
	KEEP(&worker->arena, &range->body_calls);
	KEEP(&worker->arena, &range->far_calls);
}

/* The writers search in the instructions. Filler that is dropped has the place of what follows it.
 */
static bool is_ascending(const struct range *range)
{
	for (uint32_t i = 1; i < range->insn_count; i++)
		if (range->insns[i].addr <= range->insns[i - 1].addr ||
		    range->copy_offset[i] < range->copy_offset[i - 1])
			return false;
	return true;
}

/* In lanes, none of which waits for another. */
static uint64_t hash_code(const struct byte_vec *code)
{
	uint64_t lanes[4] = {code->len}, words[4], hash = 0;

	for (size_t at = 0; at < code->len; at += sizeof(words)) {
		const size_t left = code->len - at;
		memset(words, 0, sizeof(words));
		memcpy(words, code->data + at, left < sizeof(words) ? left : sizeof(words));
		for (size_t lane = 0; lane < 4; lane++)
			lanes[lane] = (lanes[lane] ^ words[lane]) * 0x100000001b3ULL;
	}
	for (size_t lane = 0; lane < 4; lane++)
		hash = hash_u64(hash ^ lanes[lane]);
	return hash;
}

void emit_range(struct program *program, struct range *range, struct worker *worker)
{
	struct emitter emitter = {
		.program = program,
		.range = range,
		.is_long = mem_zalloc(range->insn_count),
		.table_readers = find_table_readers(range),
		.is_loop = find_loops(program, range),
	};

	range->copy_offset = arena_array(&worker->arena, uint32_t, range->insn_count);
	lend_vectors(range, &worker->emitted);
	emit_body(&emitter);
	assert(emitter.next_edge_counter == range->edge_counters.len);
	for (int round = 0; !fill_shorts(&emitter); round++) {
		assert(round <= EMIT_ROUNDS_MAX);
		if (round == EMIT_ROUNDS_MAX)
			memset(emitter.is_long, 1, range->insn_count);
		emit_body(&emitter);
	}
	keep_vectors(range, worker);
	range->code_hash = hash_code(&range->code);
	assert(is_ascending(range));
	vec_fini(&emitter.stubs);
	vec_fini(&emitter.shorts);
	free(emitter.is_long);
	free(emitter.table_readers);
	free(emitter.is_loop);
}
