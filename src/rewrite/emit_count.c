/*
 * Counters of executions. Where the flags are live they are kept on the stack, behind the red zone:
 *
 *   lea -128(%rsp),%rsp; pushf; incq %gs:counter(%rip); popf; lea 128(%rsp),%rsp
 *
 * What a branch takes is counted in a stub, as the tree leaves over what is taken seldom: code that
 * goes on past the branch pays nothing.
 *
 *   jcc stub; …; stub: count; jmp target
 *
 * Of a loop of one block the stub has copies (unroll.c). So a round is counted where the loop is
 * left, or once for all copies, and the word is not waited for in each:
 *
 *   stub: block; jcc next; addq $1, counter; jmp behind the branch
 *   next: block; jcc next; addq $2, counter; jmp behind the branch
 *   next: …
 *         addq $copies + 1, counter; jmp target
 *
 * Each round takes a branch, as it does in the original, to the block's place in a line: else short
 * loops would be faster, or slower.
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

/* One execution, or so many rounds of a loop. */
static void emit_addition(struct emitter *emitter, uint32_t number, uint8_t rounds)
{
	assert(number < emitter->range->edge_counters.len);
	if (rounds)
		emit_rounds(emitter, number, rounds);
	else
		emit_counter(emitter, FIXUP_EDGE_COUNTER, number);
}

/* It, with the flags kept where they are live; `like` as of emit_state. */
static void emit_executions(struct emitter *emitter, uint32_t number, uint8_t rounds, bool flags,
			    uint64_t like)
{
	if (!flags) {
		emit_addition(emitter, number, rounds);
		return;
	}
	emit_red_zone_begin(emitter, like);
	emit_code(emitter, 0x9c); /* pushf */
	emit_state(emitter, like, RED_ZONE_BYTES + FLAGS_BYTES);
	emit_addition(emitter, number, rounds);
	emit_code(emitter, 0x9d); /* popf */
	emit_state(emitter, like, RED_ZONE_BYTES);
	emit_red_zone_end(emitter, like);
}

static void emit_numbered(struct emitter *emitter, uint32_t number, uint64_t like)
{
	assert(number < emitter->range->edge_counters.len);
	emit_executions(emitter, number, 0, emitter->range->edge_counters.data[number].flags_live,
			like);
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
	struct stub stub = {
		.kind = STUB_BRANCH, .insn = insn, .counter = emitter->next_edge_counter};

	emitter->next_edge_counter += 1u + next_counter(emitter)->copies;
	emit_code(emitter, 0x0f, 0x80 | condition);
	stub.jump = emit_offset(emitter);
	put_u32(&emitter->range->code, 0);
	stub.back = emit_offset(emitter);
	vec_push(&emitter->stubs, stub);
}

/* ---- stubs ---- */

/* The loop's block without its branch. */
static void emit_block(struct emitter *emitter, const struct insn *branch)
{
	const struct insn *insn = branch;

	while (insn->addr > branch->target)
		insn--;
	assert(insn >= emitter->range->insns && insn->addr == branch->target);
	for (; insn < branch; insn++) {
		emit_state(emitter, insn->addr, 0);
		emit_raw(emitter, insn);
	}
	emit_state(emitter, branch->addr, 0);
}

/* Where a copy is left: its rounds, and on behind the loop. */
static void emit_exit(struct emitter *emitter, const struct stub *stub, uint8_t rounds, bool flags)
{
	const uint64_t like = insn_end(stub->insn);

	emit_state(emitter, like, 0);
	emit_executions(emitter, stub->counter + rounds, rounds, flags, like);
	emit_code(emitter, 0xe9);
	put_u32(&emitter->range->code, stub->back - (emit_offset(emitter) + 4));
}

static void emit_loop_stub(struct emitter *emitter, const struct stub *stub, uint8_t copies)
{
	const struct insn *branch = stub->insn;
	const unsigned char condition =
		insn_bytes(emitter->program, branch)[branch->rel_offset - 1] & 15;
	const bool flags = flags_live(emitter->program, insn_end(branch));

	for (uint8_t rounds = 1; rounds <= copies; rounds++) {
		emit_block(emitter, branch);
		emit_code(emitter, 0x70 | condition, 0);
		const uint32_t begin = emit_offset(emitter);
		emit_exit(emitter, stub, rounds, flags);
		if (rounds < copies)
			emit_gap(emitter, branch->target);
		assert(emit_offset(emitter) - begin <= INT8_MAX);
		emitter->range->code.data[begin - 1] = (uint8_t)(emit_offset(emitter) - begin);
	}
	emit_state(emitter, branch->addr, 0);
	emit_addition(emitter, stub->counter, (uint8_t)(copies + 1));
}

void emit_branch_stub(struct emitter *emitter, const struct stub *stub)
{
	const uint8_t copies = emitter->range->edge_counters.data[stub->counter].copies;

	if (copies)
		emit_gap(emitter, stub->insn->target);
	emit_land(emitter, stub->jump);
	emit_state(emitter, stub->insn->addr, 0);
	if (copies)
		emit_loop_stub(emitter, stub, copies);
	else
		emit_numbered(emitter, stub->counter, stub->insn->addr);
	emit_code(emitter, 0xe9);
	emit_fixup(emitter, FIXUP_CODE_JUMP, stub->insn->target, 0);
}
