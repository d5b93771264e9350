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
#include "rewrite/private.h"

enum {
	FLAG_STEPS_MAX = 256,
	FLAG_PATHS_MAX = 16,
	LIVENESS_ROUNDS_MAX = 300,
	CLOBBER_ROUNDS_MAX = 200
};

/* Flags of which it is asked whether somebody uses them, from an instruction on. */
struct flags_path {
	const struct insn *insn; /* NULL: unknown code, to which no flags are handed */
	struct range *range;
	unsigned flags;
};

struct flags_walk {
	const struct program *program;
	struct flags_path paths[FLAG_PATHS_MAX];
	unsigned path_count, steps;
	bool returns; /* some path ends at a return: the callers decide */
};

static struct flags_path flags_path_at(const struct program *program, uint64_t addr, unsigned flags)
{
	struct flags_path path = {.flags = flags};

	path.insn = program_insn(program, addr, &path.range);
	return path;
}

static void flags_path_advance(const struct program *program, struct flags_path *path)
{
	const struct insn *insn = path->insn;

	if (insn->kind == INSN_JUMP || insn->kind == INSN_CALL)
		*path = flags_path_at(program, insn->target, path->flags);
	else if (insn + 1 < path->range->insns + path->range->insn_count)
		path->insn++;
	else
		*path = flags_path_at(program, path->range->end, path->flags);
}

/*
 * Follows one path to its end; true if the flags are used, or it cannot be told.
 *
 * Callees that leave the flags alone let them through (-fipa-ra), so the walk goes on into
 * known callees; their returns know whether some caller uses what comes out.
 */
static bool flags_path_uses(struct flags_walk *walk, struct flags_path path)
{
	while (path.insn && path.flags) {
		const struct insn *insn = path.insn;
		if (insn->flags_read & path.flags || insn->kind == INSN_LOOP ||
		    walk->steps++ == FLAG_STEPS_MAX)
			return true;
		if (insn->kind == INSN_RETURN || insn->kind == INSN_JUMP_INDIRECT) {
			walk->returns = true;
			return path.range->returns_flags;
		}
		if (insn->kind == INSN_CALL_INDIRECT || insn->kind == INSN_TRAP)
			return false;
		path.flags &= ~(unsigned)insn->flags_written;
		if (insn->kind == INSN_BRANCH) {
			if (walk->path_count == FLAG_PATHS_MAX)
				return true;
			walk->paths[walk->path_count++] =
				flags_path_at(walk->program, insn->target, path.flags);
		}
		flags_path_advance(walk->program, &path);
	}
	return false;
}

static bool flags_walk_uses(struct flags_walk *walk, const struct program *program, uint64_t addr)
{
	walk->program = program;
	walk->steps = 0;
	walk->returns = false;
	walk->paths[0] = flags_path_at(program, addr, FLAGS_ALL);
	walk->path_count = 1;
	while (walk->path_count) {
		if (flags_path_uses(walk, walk->paths[--walk->path_count]))
			return true;
	}
	return false;
}

bool flags_live(const struct program *program, uint64_t addr)
{
	struct flags_walk walk;

	return flags_walk_uses(&walk, program, addr);
}

/* Whether the flags are used, or may be once more callers are known to want them. */
static bool flags_may_become_live(const struct program *program, uint64_t addr)
{
	struct flags_walk walk;

	return flags_walk_uses(&walk, program, addr) || walk.returns;
}

static bool mark_returns_flags(struct program *program, uint64_t addr)
{
	const struct range *range = program_range(program, addr);
	bool changed = false;

	if (!range)
		return false;
	vec_foreach (number, &program->units.data[range->unit].ranges) {
		struct range *member = &program->ranges.data[*number];
		changed |= !member->returns_flags;
		member->returns_flags = true;
	}
	return changed;
}

/* A call behind which the flags are used, or may be by the caller's callers. */
struct flags_site {
	uint64_t callee, behind;
};

struct flags_sites vec_of(struct flags_site);

struct flags_search {
	const struct program *program;
	struct flags_sites *pieces;
};

/* Nearly all calls need not be looked at again. */
static void flags_sites_piece(void *search_at, unsigned worker, size_t begin, size_t end)
{
	const struct flags_search *search = search_at;
	struct flags_sites *sites = &search->pieces[begin / PROGRAM_PIECE];

	(void)worker;
	for (size_t number = begin; number < end; number++) {
		const struct range *range = &search->program->ranges.data[number];
		for (uint32_t i = 0; i < range->insn_count; i++) {
			const struct insn *insn = &range->insns[i];
			const struct flags_site site = {insn->target, insn_end(insn)};
			if (insn->kind == INSN_CALL &&
			    flags_may_become_live(search->program, site.behind))
				vec_push(sites, site);
		}
	}
}

static void find_flags_sites(const struct program *program, struct flags_sites *sites)
{
	const size_t count = program->ranges.len / PROGRAM_PIECE + 1;
	struct flags_search search = {program, mem_zalloc(count * sizeof(*search.pieces))};

	parallel_run(&(struct parallel_loop){.run = flags_sites_piece,
					     .context = &search,
					     .count = program->ranges.len,
					     .piece = PROGRAM_PIECE,
					     .threads = program->thread_count});
	for (size_t i = 0; i < count; i++) {
		vec_append(sites, search.pieces[i].data, search.pieces[i].len);
		vec_fini(&search.pieces[i]);
	}
	free(search.pieces);
}

/* Callees that this range hands the wish of its callers to by a tail call. */
static bool spread_by_jumps(struct program *program, const struct range *range)
{
	bool changed = false;

	for (uint32_t i = 0; i < range->insn_count; i++) {
		if (insn_is_branch(&range->insns[i]))
			changed |= mark_returns_flags(program, range->insns[i].target);
	}
	return changed;
}

void program_find_returned_flags(struct program *program)
{
	struct flags_sites sites = {0};
	bool changed = true;

	find_flags_sites(program, &sites);
	while (changed) {
		changed = false;
		vec_foreach (site, &sites) {
			if (flags_live(program, site->behind))
				changed |= mark_returns_flags(program, site->callee);
		}
		vec_foreach (range, &program->ranges) {
			if (range->returns_flags)
				changed |= spread_by_jumps(program, range);
		}
	}
	vec_fini(&sites);
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
		/* An indirect jump may stay in the function, where it writes nothing. */
		if (insn->kind == INSN_CALL_INDIRECT)
			clobbers |= REGS_CALLER_SAVED;
		if (insn->kind != INSN_CALL && !insn_is_branch(insn))
			continue;
		if (insn->target >= range->begin && insn->target < range->end)
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
	/* Where it does not come to an end, too few are known: fewer registers are taken for free.
	 */
	for (int round = 0; round < CLOBBER_ROUNDS_MAX && spread_clobbers(program, callees);
	     round++)
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

	if (!insn || !range_is_in_unit(flow->program, range, flow->unit))
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
	const struct indirect_jump *jump = range_jump_at(range, number);

	if (jump && !jump->may_leave)
		return flow->labels;
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
			flow->labels =
				live_or(flow->labels,
					flow->before[slot][range_insn_number(range, *offset) - 1]);
	}
}

void unit_find_liveness(const struct program *program, struct unit *unit)
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
		flow.before[slot] = mem_zalloc(unit_range(program, unit, slot)->insn_count *
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
