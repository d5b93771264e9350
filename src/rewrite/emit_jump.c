/*
 * Indirect jumps that are translated at run time: the target's offset in each range of the unit
 * that it may lie in indexes a dense map from original to copied code. A target outside is a tail
 * call: exit probe, then the original jump. With two registers proven dead:
 *
 *     lea begin(%rip),A; sub target,A; neg A          A = target - begin
 *     cmp $size,A; jae next
 *     lea map(%rip),B; movslq (B,A,4),A; add B,A; jmp *A
 *   next:
 *
 * A jump through a register D needs one. The register keeps the target, which the code there may
 * use: T + 3 * (T - begin) + (map - begin) is the address of the entry, the distance from T.
 *
 *     lea (A,A,2),A; movslq map-begin(D,A),A; add D,A; jmp *A
 *
 * Where nothing needs D there, and no other register is dead, A is saved behind the red zone, and D
 * leads: add A,D; pop A; lea 128(%rsp),%rsp; jmp *D.
 *
 * Else two registers and the flags are saved behind the red zone, and `ret` both jumps and gives
 * the stack back in one instruction, as nothing below rsp survives a signal.
 */
#include "rewrite/emit.h"

enum { SAVED_WORDS = 4 };

static void emit_lea(struct emitter *emitter, unsigned reg, enum fixup_kind kind, uint64_t target)
{
	emit_code(emitter, (unsigned char)(0x48 | (reg >> 3) << 2), 0x8d,
		  (unsigned char)(0x05 | (reg & 7) << 3));
	emit_fixup(emitter, kind, target, 0);
}

/* a = target of the jump - begin */
static void emit_offset_of_target(struct emitter *emitter, const struct insn *insn, unsigned a,
				  uint64_t begin)
{
	emit_lea(emitter, a, FIXUP_ADDRESS, begin);
	emit_reused(emitter, insn,
		    (struct insn_operation){.opcode = 0x2b, .reg = (uint8_t)a, .wide = true});
	emit_code(emitter, (unsigned char)(0x48 | a >> 3), 0xf7, (unsigned char)(0xd8 | (a & 7)));
}

/* cmp $size,a; jae …; returns the place of the jump's distance. */
static uint32_t emit_range_check(struct emitter *emitter, unsigned a, uint64_t size)
{
	emit_code(emitter, (unsigned char)(0x48 | a >> 3), 0x81, (unsigned char)(0xf8 | (a & 7)));
	put_u32(&emitter->range->code, (uint32_t)size);
	emit_code(emitter, 0x0f, 0x83);
	const uint32_t position = emit_offset(emitter);
	put_u32(&emitter->range->code, 0);
	return position;
}

/* a = distance of the copy from the target, which the register holds */
static void emit_register_lookup(struct emitter *emitter, unsigned a, unsigned target,
				 uint64_t range_number)
{
	emit_code(emitter, (unsigned char)(0x48 | (a >> 3) << 2 | (a >> 3) << 1 | a >> 3), 0x8d,
		  (unsigned char)(0x44 | (a & 7) << 3),
		  (unsigned char)(0x40 | (a & 7) << 3 | (a & 7)), 0);
	emit_code(emitter, (unsigned char)(0x48 | (a >> 3) << 2 | (a >> 3) << 1 | target >> 3),
		  0x63, (unsigned char)(0x84 | (a & 7) << 3),
		  (unsigned char)((a & 7) << 3 | (target & 7)));
	emit_fixup(emitter, FIXUP_MAP_FROM, range_number, 0);
}

/* a = address of the copy; b is used up */
static void emit_map_lookup(struct emitter *emitter, unsigned a, unsigned b, uint64_t range_number)
{
	emit_lea(emitter, b, FIXUP_MAP, range_number);
	emit_code(emitter, (unsigned char)(0x48 | (a >> 3) << 2 | (a >> 3) << 1 | b >> 3), 0x63,
		  (unsigned char)(0x44 | (a & 7) << 3),
		  (unsigned char)(0x80 | (a & 7) << 3 | (b & 7)), 0);
	emit_add(emitter, a, b);
}

static void emit_push(struct emitter *emitter, unsigned reg)
{
	if (reg >= 8)
		emit_code(emitter, 0x41);
	emit_code(emitter, (unsigned char)(0x50 | (reg & 7)));
}

static void emit_pop(struct emitter *emitter, unsigned reg)
{
	if (reg >= 8)
		emit_code(emitter, 0x41);
	emit_code(emitter, (unsigned char)(0x58 | (reg & 7)));
}

/* The range may hold a target: it has labels, or nothing is known of the unit's labels. A function
   of one byte has none behind its begin. */
static bool may_hold_target(const struct unit *unit, const struct range *range)
{
	return range->copied && range_map_begin(range) < range->end &&
	       (range->labels.len || unit->incomplete || !unit->has_labels);
}

/* a = address of the copy, if the target is in the range; else control goes on at emit_land of the
   place that is returned. Without b the jump goes through a register, and a is the distance from
   there. */
static uint32_t emit_translation(struct emitter *emitter, const struct insn *insn,
				 uint32_t range_number, unsigned a, unsigned b)
{
	struct range *range = &emitter->program->ranges.data[range_number];
	const uint64_t begin = range_map_begin(range);

	range->needs_map[b == REG_NONE ? MAP_FROM_ORIGINAL : MAP_FROM_MAP] = true;
	emit_offset_of_target(emitter, insn, a, begin);
	const uint32_t next = emit_range_check(emitter, a, range->end - begin);
	if (b == REG_NONE)
		emit_register_lookup(emitter, a, insn->jump_register, range_number);
	else
		emit_map_lookup(emitter, a, b, range_number);
	return next;
}

static void emit_scramble(struct emitter *emitter, unsigned reg)
{
	if (reg >= 8)
		emit_code(emitter, 0x41);
	emit_code(emitter, (unsigned char)(0xb8 | (reg & 7)), 0x5a, 0x5a, 0x5a, 0x5a); /* mov */
}

/* Poison: what is said to be dead at the target, the flags too, has no sensible value there. */
static void emit_poison(struct emitter *emitter, const struct insn *insn, unsigned b)
{
	const unsigned char prefix = (unsigned char)(0x40 | (b >> 3) << 2 | b >> 3);
	const unsigned char both = (unsigned char)(0xc0 | (b & 7) << 3 | (b & 7));

	if (insn->addr & 2) {
		/* mov $0x80000000,b; add b,b: carry, overflow, zero, parity */
		emit_code(emitter, (unsigned char)(0x40 | b >> 3), (unsigned char)(0xb8 | (b & 7)),
			  0, 0, 0, 0x80);
		emit_code(emitter, prefix, 0x01, both);
	} else {
		/* mov $1,b; test b,b: none */
		emit_code(emitter, (unsigned char)(0x40 | b >> 3), (unsigned char)(0xb8 | (b & 7)),
			  1, 0, 0, 0);
		emit_code(emitter, prefix, 0x85, both);
	}
	emit_scramble(emitter, b);
}

/* The same of the flags alone, as the only dead register leads to the target. */
static void emit_flags_poison(struct emitter *emitter, const struct insn *insn, unsigned a)
{
	const unsigned char prefix = (unsigned char)(0x48 | (a >> 3) << 2 | a >> 3);
	const unsigned char both = (unsigned char)(0xc0 | (a & 7) << 3 | (a & 7));

	if (insn->addr & 2)
		emit_code(emitter, prefix, 0x39, both, 0xf9); /* cmp a,a; stc */
	else
		emit_code(emitter, prefix, 0x85, both); /* test a,a */
}

/* The other register is saved, and the jump's own is overwritten. */
static void emit_through_own(struct emitter *emitter, const struct insn *insn)
{
	const struct program *program = emitter->program;
	const struct unit *unit = &program->units.data[emitter->range->unit];
	const unsigned target = insn->jump_register, a = target == REG_RAX ? REG_RCX : REG_RAX;

	emit_red_zone_begin(emitter, insn->addr);
	emit_push(emitter, a);
	emit_state(emitter, insn->addr, RED_ZONE_BYTES + 8);
	vec_foreach (number, &unit->ranges) {
		if (!may_hold_target(unit, &program->ranges.data[*number]))
			continue;
		const uint32_t next = emit_translation(emitter, insn, *number, a, REG_NONE);
		emit_add(emitter, target, a);
		if (program_poisons(program))
			emit_flags_poison(emitter, insn, a);
		emit_pop(emitter, a);
		emit_state(emitter, insn->addr, RED_ZONE_BYTES);
		emit_red_zone_end(emitter, insn->addr);
		emit_jump_through(emitter, target);
		emit_land(emitter, next);
		emit_state(emitter, insn->addr, RED_ZONE_BYTES + 8);
	}
	emit_pop(emitter, a);
	emit_state(emitter, insn->addr, RED_ZONE_BYTES);
	emit_red_zone_end(emitter, insn->addr);
}

static void emit_fast(struct emitter *emitter, const struct insn *insn, unsigned a, unsigned b)
{
	const struct program *program = emitter->program;
	const struct unit *unit = &program->units.data[emitter->range->unit];

	vec_foreach (number, &unit->ranges) {
		if (!may_hold_target(unit, &program->ranges.data[*number]))
			continue;
		const uint32_t next = emit_translation(emitter, insn, *number, a, b);
		if (b == REG_NONE)
			emit_add(emitter, a, insn->jump_register);
		if (program_poisons(program) && b == REG_NONE)
			emit_flags_poison(emitter, insn, a);
		else if (program_poisons(program))
			emit_poison(emitter, insn, b);
		emit_jump_through(emitter, a);
		emit_land(emitter, next);
	}
	if (program_poisons(program))
		emit_scramble(emitter, a);
}

/* Steps over the red zone, makes room for the target, saves flags, a and b. */
static void emit_save(struct emitter *emitter, const struct insn *insn, unsigned a, unsigned b)
{
	emit_red_zone_begin(emitter, insn->addr);
	emit_code(emitter, 0x6a, 0); /* push $0 */
	emit_state(emitter, insn->addr, RED_ZONE_BYTES + 8);
	emit_code(emitter, 0x9c); /* pushf */
	emit_state(emitter, insn->addr, RED_ZONE_BYTES + 16);
	emit_push(emitter, a);
	emit_state(emitter, insn->addr, RED_ZONE_BYTES + 24);
	emit_push(emitter, b);
	emit_state(emitter, insn->addr, RED_ZONE_BYTES + 32);
}

static void emit_restore(struct emitter *emitter, const struct insn *insn, unsigned a, unsigned b)
{
	emit_pop(emitter, b);
	emit_state(emitter, insn->addr, RED_ZONE_BYTES + 24);
	emit_pop(emitter, a);
	emit_state(emitter, insn->addr, RED_ZONE_BYTES + 16);
	emit_code(emitter, 0x9d); /* popf */
	emit_state(emitter, insn->addr, RED_ZONE_BYTES + 8);
}

static void emit_saving(struct emitter *emitter, const struct insn *insn)
{
	const struct program *program = emitter->program;
	const struct unit *unit = &program->units.data[emitter->range->unit];
	static const unsigned choice[] = {REG_R11, REG_RAX, REG_RCX, REG_RDX, REG_R9, REG_R10};
	unsigned pair[2], found = 0;

	for (size_t i = 0; i < sizeof(choice) / sizeof(*choice) && found < 2; i++) {
		if (!(insn->reads & REG_BIT(choice[i])))
			pair[found++] = choice[i];
	}
	const unsigned a = pair[0], b = pair[1];
	emit_save(emitter, insn, a, b);
	vec_foreach (number, &unit->ranges) {
		if (!may_hold_target(unit, &program->ranges.data[*number]))
			continue;
		const uint32_t next = emit_translation(emitter, insn, *number, a, b);
		/* mov a,24(%rsp): the room made for the target */
		emit_code(emitter, (unsigned char)(0x48 | (a >> 3) << 2), 0x89,
			  (unsigned char)(0x44 | (a & 7) << 3), 0x24, 24);
		emit_restore(emitter, insn, a, b);
		emit_code(emitter, 0xc2, RED_ZONE_BYTES, 0); /* ret $128 */
		emit_land(emitter, next);
		emit_state(emitter, insn->addr, RED_ZONE_BYTES + SAVED_WORDS * 8);
	}
	emit_restore(emitter, insn, a, b);
	emit_code(emitter, 0x48, 0x8d, 0xa4, 0x24, RED_ZONE_BYTES + 8, 0, 0, 0);
	emit_state(emitter, insn->addr, 0);
}

void emit_indirect_jump(struct emitter *emitter, const struct indirect_jump *jump)
{
	const struct insn *insn = &emitter->range->insns[jump->insn];

	if (jump->way == JUMP_TRANSLATE) {
		if (jump->scratch_a == REG_NONE)
			emit_saving(emitter, insn);
		else if (jump->scratch_a == insn->jump_register)
			emit_through_own(emitter, insn);
		else
			emit_fast(emitter, insn, jump->scratch_a, jump->scratch_b);
	}
	if (jump->way == JUMP_BY_LABELS) {
		emit_raw(emitter, insn);
		return;
	}
	emit_leave(emitter, insn->addr, emitter->range->returns_flags);
	if (jump->way != JUMP_TRANSLATE && insn->rip_offset)
		emit_tail_count(emitter, insn->addr, insn->target, emitter->range->returns_flags);
	emit_raw(emitter, insn);
}
