/*
 * Counters of executions. Where the flags are live they are kept on the stack, behind the red zone:
 *
 *   lea -128(%rsp),%rsp; pushf; incq %gs:counter(%rip); popf; lea 128(%rsp),%rsp
 *
 * What a branch takes is counted in a stub, as the tree leaves over what is taken seldom: code that
 * goes on past the branch pays nothing.
 *
 *   jcc stub; …; stub: count; jmp target
 */
#include "rewrite/emit.h"

#include <assert.h>

enum { FLAGS_BYTES = 8 };

static const struct edge_counter *next_counter(const struct emitter *emitter)
{
	const struct range *range = emitter->range;

	return emitter->next_edge_counter < range->edge_counters.len
		       ? &range->edge_counters.data[emitter->next_edge_counter]
		       : NULL;
}

bool emits_edge_count(const struct emitter *emitter, uint32_t insn, enum count_place place)
{
	const struct edge_counter *next = next_counter(emitter);

	return next && next->insn == insn && next->place == place;
}

static void emit_keeping_flags(struct emitter *emitter, uint32_t number, uint64_t like)
{
	emit_red_zone_begin(emitter, like);
	emit_code(emitter, 0x9c); /* pushf */
	emit_state(emitter, like, RED_ZONE_BYTES + FLAGS_BYTES);
	emit_counter(emitter, FIXUP_EDGE_COUNTER, number);
	emit_code(emitter, 0x9d); /* popf */
	emit_state(emitter, like, RED_ZONE_BYTES);
	emit_red_zone_end(emitter, like);
}

static void emit_numbered(struct emitter *emitter, uint32_t number, uint64_t like)
{
	assert(number < emitter->range->edge_counters.len);
	if (emitter->range->edge_counters.data[number].flags_live)
		emit_keeping_flags(emitter, number, like);
	else
		emit_counter(emitter, FIXUP_EDGE_COUNTER, number);
}

void emit_edge_count(struct emitter *emitter, uint32_t insn, enum count_place place, uint64_t like)
{
	if (!emits_edge_count(emitter, insn, place))
		return;
	/* What stands behind an instruction is as before the next one. */
	if (place == COUNT_NEXT)
		emit_state(emitter, like, 0);
	emit_numbered(emitter, emitter->next_edge_counter++, like);
}

void emit_counted_branch(struct emitter *emitter, const struct insn *insn, unsigned char condition)
{
	struct stub stub = {.branch = insn, .counter = emitter->next_edge_counter++};

	emit_code(emitter, 0x0f, 0x80 | condition);
	stub.jump = emit_offset(emitter);
	put_u32(&emitter->range->code, 0);
	vec_push(&emitter->stubs, stub);
}

void emit_branch_stub(struct emitter *emitter, const struct stub *stub)
{
	emit_land(emitter, stub->jump);
	emit_state(emitter, stub->branch->addr, 0);
	emit_numbered(emitter, stub->counter, stub->branch->addr);
	emit_code(emitter, 0xe9);
	emit_fixup(emitter, FIXUP_CODE_JUMP, stub->branch->target, 0);
}
