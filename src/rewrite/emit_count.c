/*
 * Counters of executions. Where the flags are live they are kept on the stack, behind the red zone:
 *
 *   lea -128(%rsp),%rsp; pushf; incq %gs:counter(%rip); popf; lea 128(%rsp),%rsp
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

static void emit_next_counter(struct emitter *emitter)
{
	emit_counter(emitter, FIXUP_EDGE_COUNTER, emitter->next_edge_counter);
}

static void emit_keeping_flags(struct emitter *emitter, uint64_t like)
{
	emit_red_zone_begin(emitter, like);
	emit_code(emitter, 0x9c); /* pushf */
	emit_state(emitter, like, RED_ZONE_BYTES + FLAGS_BYTES);
	emit_next_counter(emitter);
	emit_code(emitter, 0x9d); /* popf */
	emit_state(emitter, like, RED_ZONE_BYTES);
	emit_red_zone_end(emitter, like);
}

void emit_edge_count(struct emitter *emitter, uint32_t insn, enum count_place place, uint64_t like)
{
	if (!emits_edge_count(emitter, insn, place))
		return;
	/* What stands behind an instruction is as before the next one. */
	if (place == COUNT_NEXT)
		emit_state(emitter, like, 0);
	if (next_counter(emitter)->flags_live)
		emit_keeping_flags(emitter, like);
	else
		emit_next_counter(emitter);
	emitter->next_edge_counter++;
}
