/*
 * Where instructions stand in the lines that a processor fetches decides how fast a short loop
 * runs: twice as fast, or half, whatever was measured. So a copy keeps the original's places modulo
 * LINE_BYTES: place.c puts a range where the instructions behind its entry probe have them, and
 * before a loop that has no probes inside filler makes up for what was inserted since. What the
 * compiler aligned to 16 bytes gets new filler for that.
 */
#include "rewrite/emit.h"

#include <assert.h>

enum { ALIGN_FILLER_BYTES = 16, ALIGN_BYTES = 16, LOOP_BYTES_MAX = 512 };

static const unsigned char nops[10][9] = {
	{0},
	{0x90},
	{0x66, 0x90},
	{0x0f, 0x1f, 0x00},
	{0x0f, 0x1f, 0x40, 0x00},
	{0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
	{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
	{0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
};

/* Up to the next place that is the original's modulo `line`. */
static void emit_up_to(struct emitter *emitter, uint64_t addr, unsigned line)
{
	size_t missing = emit_missing(emitter, addr, line);

	/* The original's filler has an unwind state; where there was none, it is that of `addr`. */
	if (missing && !emitter->align_pending)
		emit_state(emitter, addr, 0);
	while (missing) {
		const size_t piece = missing > 9 ? 9 : missing;
		put_bytes(&emitter->range->code, nops[piece], piece);
		missing -= piece;
	}
}

/* A run of nops that only brings the next instruction to a multiple of 16. */
static bool is_alignment(const struct range *range, uint32_t number)
{
	uint32_t next = number;

	while (next < range->insn_count && range->insns[next].is_nop &&
	       next - number < ALIGN_FILLER_BYTES)
		next++;
	return number > 0 && next > number && next < range->insn_count &&
	       range->insns[next].addr % ALIGN_BYTES == 0 &&
	       range->insns[next].addr - range->insns[number].addr < ALIGN_FILLER_BYTES;
}

bool emit_filler(struct emitter *emitter, uint32_t number)
{
	const uint64_t addr = emitter->range->insns[number].addr;

	if (is_alignment(emitter->range, number)) {
		emitter->align_pending = true;
		return true;
	}
	if (emitter->is_loop && emitter->is_loop[number])
		emit_up_to(emitter, addr, LINE_BYTES);
	else if (emitter->align_pending)
		emit_up_to(emitter, addr, ALIGN_BYTES);
	emitter->align_pending = false;
	return false;
}

/* ---- loops ---- */

/* The copy of the instruction is as long as the original, but for branches that reach farther. */
static bool stays(const struct program *program, const struct range *range, const struct insn *insn)
{
	switch ((enum insn_kind)insn->kind) {
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
	case INSN_RETURN:
	case INSN_JUMP_INDIRECT:
	case INSN_LOOP:
		return false;
	case INSN_JUMP:
	case INSN_BRANCH:
		return branch_is_inside(program, range, insn->target);
	default:
		return !insn->is_syscall;
	}
}

/* Number of the instruction that the branch at `number` goes back to, or UINT32_MAX. */
static uint32_t goes_back_to(const struct range *range, uint32_t number)
{
	const struct insn *insn = &range->insns[number];

	if ((insn->kind != INSN_BRANCH && insn->kind != INSN_JUMP) || insn->target < range->begin ||
	    insn->target > insn->addr || insn->addr - insn->target > LOOP_BYTES_MAX)
		return UINT32_MAX;
	return range_insn_number(range, insn->target - range->begin) - 1;
}

/* Of those whose executions are counted, the ones that have nothing inserted. */
static unsigned char *find_counted_loops(const struct range *range)
{
	unsigned char *is_loop = NULL;

	vec_foreach (counter, &range->edge_counters) {
		if (!counter->copies)
			continue;
		if (!is_loop)
			is_loop = mem_zalloc(range->insn_count);
		is_loop[goes_back_to(range, counter->insn)] = 1;
	}
	return is_loop;
}

unsigned char *find_loops(const struct program *program, const struct range *range)
{
	unsigned char *is_loop = NULL;
	uint32_t since = 0; /* the first instruction from which on nothing is inserted */

	if (range->edge_counters.len)
		return find_counted_loops(range);
	for (uint32_t i = 0; i < range->insn_count; i++) {
		if (!stays(program, range, &range->insns[i])) {
			since = i + 1;
			continue;
		}
		const uint32_t begin = goes_back_to(range, i);
		if (begin == UINT32_MAX || begin < since)
			continue;
		if (!is_loop)
			is_loop = mem_zalloc(range->insn_count);
		is_loop[begin] = 1;
	}
	return is_loop;
}
