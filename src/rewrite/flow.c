/*
 * Liveness. Flags: from each probe's place, forward, until they are read or overwritten. Registers:
 * for units with translated indirect jumps only, backward to a fixed point.
 *
 * gcc's -fipa-ra lets callers keep values in caller-saved registers across calls to functions that
 * do not write them. So a caller-saved register is free at a return only if this unit, or what it
 * calls, writes it on some path: then no caller can rely on it.
 *
 * Three assumptions about what calls read: strict (everything), medium (the ABI's arguments and
 * what must survive), soft (only what must survive: good for r11 alone, which carries no argument).
 */
#include "rewrite/program.h"

enum { FLAG_WALK_MAX = 64, LIVENESS_ROUNDS_MAX = 300 };

bool flags_live(const struct program *program, uint64_t addr)
{
	for (int steps = 0; steps < FLAG_WALK_MAX; steps++) {
		const struct insn *insn = program_insn(program, addr, NULL);
		if (!insn)
			return false;
		if (insn->reads_flags)
			return true;
		if (insn->kills_flags || insn->kind == INSN_CALL ||
		    insn->kind == INSN_CALL_INDIRECT || insn->kind == INSN_RETURN ||
		    insn->kind == INSN_JUMP_INDIRECT || insn->kind == INSN_TRAP)
			return false;
		addr = insn->kind == INSN_JUMP ? insn->target : insn_end(insn);
	}
	return true;
}

/* ---- what a unit may write ---- */

struct call_edges vec_of(uint32_t);

static uint16_t direct_clobbers(const struct program *program, const struct range *range,
				struct call_edges *callees)
{
	uint16_t clobbers = 0;

	if (!range->decoded)
		return REGS_CALLER_SAVED;
	for (uint32_t i = 0; i < range->insn_count; i++) {
		const struct insn *insn = &range->insns[i];
		clobbers |= insn->writes;
		if (insn->is_syscall)
			clobbers |= REG_BIT(REG_RCX) | REG_BIT(REG_R11);
		if (insn->kind == INSN_CALL_INDIRECT || insn->kind == INSN_JUMP_INDIRECT)
			clobbers |= REGS_CALLER_SAVED;
		if (insn->kind != INSN_CALL && !insn_is_branch(insn))
			continue;
		const struct range *target = program_range(program, insn->target);
		if (!target)
			clobbers |= REGS_CALLER_SAVED;
		else if (target->unit != range->unit)
			vec_push(callees, (uint32_t)target->unit);
	}
	return clobbers & REGS_CALLER_SAVED;
}

static bool spread_clobbers(struct program *program, const struct call_edges *callees)
{
	bool changed = false;

	for (size_t i = 0; i < program->units.len; i++) {
		struct unit *unit = &program->units.data[i];
		uint16_t clobbers = unit->clobbers;
		vec_foreach (callee, &callees[i])
			clobbers |= program->units.data[*callee].clobbers;
		changed |= clobbers != unit->clobbers;
		unit->clobbers = clobbers;
	}
	return changed;
}

void program_find_clobbers(struct program *program)
{
	struct call_edges *callees = mem_zalloc(program->units.len * sizeof(*callees));

	for (size_t i = 0; i < program->units.len; i++) {
		struct unit *unit = &program->units.data[i];
		vec_foreach (number, &unit->ranges)
			unit->clobbers |= direct_clobbers(program, &program->ranges.data[*number],
							  &callees[i]);
	}
	while (spread_clobbers(program, callees))
		;
	for (size_t i = 0; i < program->units.len; i++)
		vec_fini(&callees[i]);
	free(callees);
}

/* ---- register liveness ---- */

struct live {
	uint16_t strict, medium, soft;
};

struct liveness {
	const struct program *program;
	const struct unit *unit;
	struct live **before; /* per range of the unit, per instruction */
	struct live labels;   /* union over all labels of the unit */
	struct live leaving;  /* at jumps out of the unit */
	struct live returning;
};

static struct live live_or(struct live a, struct live b)
{
	return (struct live){a.strict | b.strict, a.medium | b.medium, a.soft | b.soft};
}

static bool live_equal(struct live a, struct live b)
{
	return a.strict == b.strict && a.medium == b.medium && a.soft == b.soft;
}

static struct live live_at(const struct liveness *flow, uint64_t addr)
{
	struct range *range;
	const struct insn *insn = program_insn(flow->program, addr, &range);

	if (!insn || &flow->program->units.data[range->unit] != flow->unit)
		return flow->leaving;
	return flow->before[range->slot][insn - range->insns];
}

static struct live live_through_call(const struct insn *insn, struct live after)
{
	const uint16_t survives = after.soft & REGS_CALLEE_SAVED;
	const uint16_t operand = insn->kind == INSN_CALL_INDIRECT ? insn->reads : 0;

	return (struct live){
		.strict = REGS_ALL,
		.medium = (uint16_t)((after.medium & REGS_CALLEE_SAVED) | REGS_ARGUMENTS | operand |
				     REG_BIT(REG_RSP)),
		.soft = survives | operand | REG_BIT(REG_RSP),
	};
}

static struct live live_through(const struct insn *insn, struct live after)
{
	const uint16_t keep = (uint16_t)~insn->writes;
	struct live live = {
		.strict = (uint16_t)((after.strict & keep) | insn->reads),
		.medium = (uint16_t)((after.medium & keep) | insn->reads),
		.soft = (uint16_t)((after.soft & keep) | insn->reads),
	};

	if (insn->is_syscall)
		live.strict = live.medium = REGS_ALL;
	return live;
}

/* What an indirect jump's targets need: labels, and the outside where it may be a tail call. */
static struct live live_at_jump_targets(const struct liveness *flow, const struct range *range,
					uint32_t number)
{
	vec_foreach (jump, &range->jumps) {
		if (jump->insn == number && !jump->may_leave)
			return flow->labels;
	}
	return live_or(flow->leaving, flow->labels);
}

static struct live live_before(const struct liveness *flow, const struct range *range,
			       uint32_t number, struct live next)
{
	const struct insn *insn = &range->insns[number];

	switch (insn->kind) {
	case INSN_RETURN:
		return flow->returning;
	case INSN_TRAP:
		return (struct live){0};
	case INSN_JUMP:
		return live_at(flow, insn->target);
	case INSN_JUMP_INDIRECT:
		return live_through(insn, live_at_jump_targets(flow, range, number));
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
		return live_through_call(insn, next);
	case INSN_BRANCH:
	case INSN_LOOP:
		return live_through(insn, live_or(next, live_at(flow, insn->target)));
	default:
		return live_through(insn, next);
	}
}

static bool update_range(struct liveness *flow, size_t slot)
{
	const struct range *range = &flow->program->ranges.data[flow->unit->ranges.data[slot]];
	struct live next = flow->leaving;
	bool changed = false;

	for (uint32_t i = range->insn_count; i-- > 0;) {
		const struct live live = live_before(flow, range, i, next);
		changed |= !live_equal(live, flow->before[slot][i]);
		flow->before[slot][i] = next = live;
	}
	return changed;
}

static void update_labels(struct liveness *flow)
{
	for (size_t slot = 0; slot < flow->unit->ranges.len; slot++) {
		const struct range *range =
			&flow->program->ranges.data[flow->unit->ranges.data[slot]];
		vec_foreach (offset, &range->labels)
			flow->labels = live_or(flow->labels,
					       flow->before[slot][range->index[*offset] - 1]);
	}
}

void unit_find_liveness(struct program *program, struct unit *unit)
{
	const uint16_t kept = (uint16_t)~unit->clobbers;
	struct liveness flow = {
		.program = program,
		.unit = unit,
		.before = mem_zalloc(unit->ranges.len * sizeof(*flow.before)),
		.leaving = {REGS_ALL, REGS_CALLEE_SAVED | REGS_ARGUMENTS | kept,
			    REGS_CALLEE_SAVED | kept},
		.returning = {REGS_ALL, (uint16_t)(kept | REG_BIT(REG_RAX) | REG_BIT(REG_RDX)),
			      REGS_CALLEE_SAVED | kept},
	};
	bool changed = true;

	for (size_t slot = 0; slot < unit->ranges.len; slot++)
		flow.before[slot] =
			mem_zalloc(program->ranges.data[unit->ranges.data[slot]].insn_count *
				   sizeof(**flow.before));
	for (int round = 0; changed && round < LIVENESS_ROUNDS_MAX; round++) {
		changed = false;
		update_labels(&flow);
		for (size_t slot = 0; slot < unit->ranges.len; slot++)
			changed |= update_range(&flow, slot);
	}
	update_labels(&flow);
	const uint16_t never = changed ? REGS_ALL : REG_BIT(REG_RSP);
	unit->dead_strict = (uint16_t) ~(flow.labels.strict | never);
	unit->dead_medium = (uint16_t) ~(flow.labels.medium | never);
	unit->dead_soft = (uint16_t) ~(flow.labels.soft | never);
	unit->liveness_known = true;
	for (size_t slot = 0; slot < unit->ranges.len; slot++)
		free(flow.before[slot]);
	free(flow.before);
}
