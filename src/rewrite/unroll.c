/*
 * Loops of one block, and how often their counter's stub repeats them (emit_count.c). A round that
 * is counted in one word waits for the addition of the round before, four or five cycles: longer
 * than many loops take.
 */
#include "rewrite/graph.h"

/* In larger loops the addition is done before the next one. */
enum { COPIES_MAX = 7, LOOP_BYTES_MAX = 96, STUB_BYTES_MAX = 480 };

/* It may stand at another place, any number of times. */
static bool repeats(const struct insn *insn)
{
	return insn->kind == INSN_PLAIN && !insn->rel_bits && !insn->is_nop && !insn->is_endbr &&
	       !insn->is_syscall && !insn->is_landing_pad && !insn->prefix_lock && !insn->uses_gs;
}

static bool reads_table(const struct range *range, uint32_t number)
{
	vec_foreach (jump, &range->jumps)
		if (jump->way == JUMP_TABLE && jump->table_insn == number)
			return true;
	return false;
}

/* What is thrown in a stub passes it. Without an exception table it would have anyway. */
static bool catches_nothing(const struct range *range)
{
	return !range->fde->addr || !range->fde->lsda;
}

uint32_t graph_copies(const struct program *program, const struct graph *graph,
		      const struct graph_edge *edge)
{
	const struct graph_block *block = &graph->blocks.data[edge->from];
	const struct range *range = &program->ranges.data[block->range];
	const struct insn *last = &range->insns[block->last];
	const uint64_t bytes = insn_end(last) - range->insns[block->first].addr;

	if (edge->to != edge->from || !edge->taken || last->kind != INSN_BRANCH ||
	    block->skips_lock || block->last + 1 >= range->insn_count || bytes > LOOP_BYTES_MAX ||
	    !catches_nothing(range))
		return 0;
	for (uint32_t i = block->first; i < block->last; i++)
		if (!repeats(&range->insns[i]) || reads_table(range, i))
			return 0;
	const uint64_t copies = STUB_BYTES_MAX / bytes;
	return copies < COPIES_MAX ? (uint32_t)copies : COPIES_MAX;
}
