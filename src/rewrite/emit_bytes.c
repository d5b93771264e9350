/* What every part of the emitter writes: bytes, fixups, unwind states, instructions as they are. */
#include "rewrite/emit.h"

#include "abi/module.h"

#include <assert.h>

void emit_fixup(struct emitter *emitter, enum fixup_kind kind, uint64_t target, unsigned trailing)
{
	const struct fixup fixup = {.position = emit_offset(emitter),
				    .kind = (uint8_t)kind,
				    .trailing = (uint8_t)trailing,
				    .target = target};

	vec_push(&emitter->range->fixups, fixup);
	put_u32(&emitter->range->code, 0);
}

void emit_state(struct emitter *emitter, uint64_t like, int32_t cfa_delta)
{
	const struct copy_extra extra = {.copy_addr = emit_offset(emitter),
					 .like = like,
					 .cfa_delta = cfa_delta,
					 .leaves = emitter->leaves};

	vec_push(&emitter->range->extras, extra);
}

void emit_land(struct emitter *emitter, uint32_t position)
{
	assert(position + 4 <= emit_offset(emitter));
	set_u32(&emitter->range->code, position, emit_offset(emitter) - (position + 4));
}

size_t emit_missing(const struct emitter *emitter, uint64_t addr, unsigned line)
{
	const struct range *range = emitter->range;
	const uint64_t here = emit_offset(emitter) - range->body_offset + range->begin;

	return (addr - here) % line;
}

void emit_gap(struct emitter *emitter, uint64_t addr)
{
	enum { INT3 = 0xcc };

	for (size_t missing = emit_missing(emitter, addr, LINE_BYTES); missing; missing--)
		put_u8(&emitter->range->code, INT3);
}

/* Makes the four bytes at `at`, already emitted, a fixup to a link address. */
static void fix_operand(struct emitter *emitter, uint32_t at, uint64_t target)
{
	const struct fixup fixup = {.position = at,
				    .kind = FIXUP_ADDRESS,
				    .trailing = (uint8_t)(emit_offset(emitter) - at - 4),
				    .target = target};

	assert(at + 4 <= emit_offset(emitter));
	vec_push(&emitter->range->fixups, fixup);
}

void emit_raw(struct emitter *emitter, const struct insn *insn)
{
	const uint32_t at = emit_offset(emitter);

	put_bytes(&emitter->range->code, insn_bytes(emitter->program, insn), insn->length);
	if (insn->rip_offset)
		fix_operand(emitter, at + insn->rip_offset, insn->target);
}

bool emit_reused(struct emitter *emitter, const struct insn *insn, struct insn_operation operation)
{
	unsigned char bytes[24];
	size_t rip_offset;
	const size_t length = insn_reuse_operand(insn_bytes(emitter->program, insn), insn,
						 operation, bytes, &rip_offset);
	const uint32_t at = emit_offset(emitter);

	assert(length <= sizeof(bytes));
	put_bytes(&emitter->range->code, bytes, length);
	if (length && rip_offset)
		fix_operand(emitter, at + (uint32_t)rip_offset, insn->target);
	return length > 0;
}

void emit_counter(struct emitter *emitter, enum fixup_kind kind, uint64_t target)
{
	put_bytes(&emitter->range->code, TARE_COUNT, TARE_COUNT_CODE_BYTES);
	emit_fixup(emitter, kind, target, 0);
}

void emit_rounds(struct emitter *emitter, uint64_t target, uint8_t rounds)
{
	put_bytes(&emitter->range->code, TARE_COUNT_ROUNDS, TARE_COUNT_CODE_BYTES);
	emit_fixup(emitter, FIXUP_EDGE_COUNTER, target, 1);
	put_u8(&emitter->range->code, rounds);
}

void emit_red_zone_begin(struct emitter *emitter, uint64_t like)
{
	emit_code(emitter, 0x48, 0x8d, 0x64, 0x24, 0x80); /* lea -128(%rsp),%rsp */
	emit_state(emitter, like, RED_ZONE_BYTES);
}

void emit_red_zone_end(struct emitter *emitter, uint64_t like)
{
	/* lea 128(%rsp),%rsp */
	emit_code(emitter, 0x48, 0x8d, 0xa4, 0x24, RED_ZONE_BYTES, 0, 0, 0);
	emit_state(emitter, like, 0);
}

void emit_add(struct emitter *emitter, unsigned to, unsigned addend)
{
	emit_code(emitter, (unsigned char)(0x48 | (addend >> 3) << 2 | to >> 3), 0x01,
		  (unsigned char)(0xc0 | (addend & 7) << 3 | (to & 7)));
}

void emit_jump_through(struct emitter *emitter, unsigned reg)
{
	if (reg >= 8)
		emit_code(emitter, 0x41);
	emit_code(emitter, 0xff, (unsigned char)(0xe0 | (reg & 7)));
}
