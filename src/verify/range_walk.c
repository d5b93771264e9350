/*
 * Original and copy of one range, side by side. Each instruction must be met again, in order, with
 * no more than these changes:
 *
 *   filler (nops) dropped or added
 *   operands relative to rip: another distance to the same address
 *   branches: short or long; to the copy of the target, or to the target where there is no copy
 *   conditional tail calls: the inverted branch over a probe and a jump
 *   calls through the PLT that may be bound to this file: to the copy where they are, and else to
 *     a stub that has the call
 *   branches that count how often they are taken: to a stub that does, and jumps there; loops
 *     of one block to copies of it, see loop_stub.c
 *   loop, jrcxz: over a jump to a jump
 *   reads of jump tables, indirect jumps: see indirect.c
 *   probes between instructions: see probe.c
 *
 * Behind the last instruction, if control runs on, stands a jump to where it goes; then come the
 * stubs of calls, branches and probes, each in the same order, to the end of the copy.
 */
#include "verify/private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { INSN_BYTES_MAX = 15 };

/* Steps over the present instruction as it is, its operand based anew. */
static bool walk_take_raw(struct walk *walk)
{
	const struct insn *insn = walk->insn;

	return walk_take_moved(walk, walk_insn_bytes(walk, insn), insn->length, insn->rip_offset,
			       insn->target);
}

/* ---- transfers of control ---- */

static void walk_note_target(struct walk *walk, uint64_t target, uint64_t copy_target, bool call)
{
	const struct check_target noted = {.addr = walk->insn->addr,
					   .copy_addr = walk_addr(walk),
					   .target = target,
					   .copy_target = copy_target,
					   .from = call ? NULL : walk->range};

	vec_push(&walk->check->targets, noted);
}

/* jmp, short or long, to where `target` went. */
static bool take_jump(struct walk *walk, uint64_t target)
{
	uint64_t copy_target;

	if (walk->size - walk->at >= 2 && walk->code[walk->at] == 0xeb) {
		walk->at += 2;
		copy_target = walk_addr(walk) + (uint64_t)(int64_t)(int8_t)walk->code[walk->at - 1];
	} else if (!walk_take_bytes(walk, 0xe9) || !walk_take_distance(walk, 0, &copy_target)) {
		return walk_fails(walk, VERIFY_CODE, "no jump to the copy of 0x%" PRIx64, target);
	}
	walk_note_target(walk, target, copy_target, false);
	return true;
}

/* A probe of kind LEAVE, as there may be where a function is left. */
static bool take_leave(struct walk *walk)
{
	struct check_probe probe;

	do
		probe = probe_take(walk, false, false);
	while (probe.kind == CHECK_LEAVE);
	return probe.kind == CHECK_NO_PROBE ||
	       (probe.kind != CHECK_WRONG_PROBE &&
		walk_fails(walk, VERIFY_PROBE, "a probe that does not belong before a jump"));
}

/* The inverted branch, or a loop over a jump, has led to: [probe] jump, behind which it goes on. */
static bool take_jump_over(struct walk *walk, uint64_t skip)
{
	const uint32_t begin = walk->at;

	rows_check(walk, begin, walk->insn->addr, 0);
	if (!executions_take(walk, CHECK_TAKEN, insn_end(walk->insn)) || !take_leave(walk))
		return false;
	rows_check(walk, walk->at, walk->insn->addr, 0);
	if (!count_take_tail(walk, walk->insn->target) || !take_jump(walk, walk->insn->target))
		return false;
	return skip == walk_addr(walk) ||
	       walk_fails(walk, VERIFY_CODE, "the inverted branch leads elsewhere");
}

/* The branch leads to a stub that counts. False: it does not; nothing was read. */
static bool take_branch_stub(struct walk *walk, uint64_t stub_addr, bool *ok)
{
	const uint32_t back = walk->at;
	const uint64_t offset = stub_addr - walk->range->copy_begin;

	if (offset >= walk->size || offset <= walk->at)
		return false;
	walk->at = (uint32_t)offset;
	*ok = executions_take(walk, CHECK_TAKEN, insn_end(walk->insn));
	const bool is_loop = *ok && walk->at == offset && walk->check->executions &&
			     loop_stub_take(walk, back, ok);
	if (*ok && walk->at == offset) {
		walk->at = back;
		return false;
	}
	rows_check(walk, walk->at, walk->insn->addr, 0);
	*ok = *ok && take_jump(walk, walk->insn->target);
	const struct check_stub stub = {.begin = offset, .end = walk->at, .behind_gap = is_loop};
	vec_push(&walk->stubs, stub);
	walk->at = back;
	return true;
}

static bool take_branch(struct walk *walk)
{
	const struct insn *insn = walk->insn;
	const unsigned condition = walk_insn_bytes(walk, insn)[insn->rel_offset - 1] & 15;
	uint64_t copy_target;
	bool ok;

	if (walk->size - walk->at >= 2 && walk->code[walk->at] == (0x70 | condition)) {
		walk->at += 2;
		copy_target = walk_addr(walk) + (uint64_t)(int64_t)(int8_t)walk->code[walk->at - 1];
		walk_note_target(walk, insn->target, copy_target, false);
		return true;
	}
	if (walk_take_bytes(walk, 0x0f, (unsigned char)(0x80 | condition))) {
		if (!walk_take_distance(walk, 0, &copy_target))
			return walk_fails(walk, VERIFY_CODE, "a branch is cut off");
		if (take_branch_stub(walk, copy_target, &ok))
			return ok;
		walk_note_target(walk, insn->target, copy_target, false);
		return true;
	}
	if (!walk_take_bytes(walk, 0x0f, (unsigned char)(0x80 | (condition ^ 1))) ||
	    !walk_take_distance(walk, 0, &copy_target))
		return walk_fails(walk, VERIFY_CODE, "not the same branch");
	return take_jump_over(walk, copy_target);
}

static bool take_loop(struct walk *walk)
{
	const struct insn *insn = walk->insn;
	uint64_t skip;

	if (!walk_take(walk, walk_insn_bytes(walk, insn), insn->rel_offset) ||
	    !walk_take_bytes(walk, 5, 0xe9) || !walk_take_distance(walk, 0, &skip))
		return walk_fails(walk, VERIFY_CODE, "not the same loop");
	return take_jump_over(walk, skip);
}

/* call, or another instruction with a target of 32 bits (xbegin). */
static bool take_relative(struct walk *walk, bool call)
{
	const struct insn *insn = walk->insn;
	uint64_t copy_target;

	if (!walk_take(walk, walk_insn_bytes(walk, insn), insn->rel_offset) ||
	    !walk_take_distance(walk, 0, &copy_target))
		return walk_fails(walk, VERIFY_CODE, "not the same instruction");
	walk_note_target(walk, insn->target, copy_target, call);
	return true;
}

static bool take_probes(struct walk *walk, struct check_probe *last)
{
	*last = (struct check_probe){.kind = CHECK_NO_PROBE};
	for (;;) {
		rows_check(walk, walk->at, walk->insn->addr, 0);
		const struct check_probe probe = probe_take(walk, false, false);
		if (probe.kind == CHECK_WRONG_PROBE)
			return false;
		if (probe.kind == CHECK_NO_PROBE)
			return true;
		*last = probe;
	}
}

/* Calls of functions of the same file through a slot that another file may be bound to: they look
   where it leads. */
struct bound_call {
	uint64_t function, slot;
};

static bool is_probe_of_call(const struct check_probe *probe)
{
	return probe->kind == CHECK_CALL || probe->kind == CHECK_CALL_INDIRECT;
}

/* Behind a call that had a probe before it. */
static bool take_return(struct walk *walk, const struct check_probe *before)
{
	if (!is_probe_of_call(before))
		return true;
	const struct check_probe behind = probe_take(walk, false, true);
	if (behind.kind == CHECK_WRONG_PROBE)
		return false;
	return (behind.kind == CHECK_RETURN && behind.arm_addr == before->arm_addr) ||
	       walk_fails(walk, VERIFY_PROBE, "the probe of a call has none of its return");
}

/* call copy */
static bool take_call_of_copy(struct walk *walk, uint64_t function, uint32_t skipped_bytes)
{
	uint64_t copy;

	if (!walk_take_bytes(walk, 0xe8) || !walk_take_distance(walk, 0, &copy))
		return walk_fails(walk, VERIFY_CODE, "no call of the copy");
	walk_note_target(walk, function, copy - skipped_bytes, true);
	return true;
}

/* incq %gs:counter(%rip); call copy, behind its own counter */
static bool take_body_call(struct walk *walk, uint64_t function)
{
	if (!count_take_body_call(walk, function) ||
	    !take_call_of_copy(walk, function, TARE_COUNT_BYTES))
		return false;
	vec_last(&walk->check->targets).behind_counter = true;
	return true;
}

static bool take_original_call(struct walk *walk, const struct check_probe *before)
{
	const uint32_t begin = walk->at;
	bool same;

	if (walk->insn->kind == INSN_CALL_INDIRECT)
		same = walk_take_raw(walk) || walk_fails(walk, VERIFY_CODE, "not the same call");
	else if (count_is_next(walk))
		same = take_body_call(walk, walk->insn->target);
	else
		same = take_relative(walk, true);
	if (!same)
		return false;
	rows_check_call_site(walk, walk->insn, begin, walk->at);
	return take_return(walk, before);
}

/* [incq counter;] call near: where that is, and whether it goes to the body of the copy. */
static bool take_near_call(struct walk *walk, uint64_t function, uint64_t *near, bool *to_body)
{
	const uint32_t begin = walk->at;

	*to_body = count_is_next(walk);
	if (*to_body && !count_take_body_call(walk, function))
		return false;
	if (!walk_take_bytes(walk, 0xe8) || !walk_take_distance(walk, 0, near))
		return walk_fails(walk, VERIFY_CODE, "no call of what the file has itself");
	rows_check_call_site(walk, walk->insn, begin, walk->at);
	return true;
}

/* near: jmp copy */
static bool take_near(struct walk *walk, uint64_t function, uint64_t near, bool to_body)
{
	uint64_t copy;

	rows_check(walk, walk->at, walk->insn->addr, 8);
	if (near != walk_addr(walk) || !walk_take_bytes(walk, 0xe9) ||
	    !walk_take_distance(walk, 0, &copy))
		return walk_fails(walk, VERIFY_CODE, "a call of what the file has leads elsewhere");
	walk_note_target(walk, function, copy - (to_body ? TARE_COUNT_BYTES : 0), true);
	vec_last(&walk->check->targets).behind_counter = to_body;
	return true;
}

/* The original call, with its probes unless they stand around both ways; jmp back */
static bool take_far_call(struct walk *walk, uint32_t back, bool has_probes)
{
	struct check_probe before;
	bool is_bare;
	uint64_t target;

	if (!take_probes(walk, &before) || !count_take_call(walk, &is_bare))
		return false;
	if (before.kind != CHECK_NO_PROBE && (has_probes || before.kind != CHECK_CALL))
		return walk_fails(walk, VERIFY_PROBE, "a far call with a probe of something else");
	if (has_probes && is_bare)
		return walk_fails(walk, VERIFY_PROBE, "a far call that is counted twice");
	if (walk->probes_calls && !has_probes && !is_bare && before.kind == CHECK_NO_PROBE)
		return walk_fails(walk, VERIFY_PROBE, "a call to elsewhere without its probe");
	if (!take_original_call(walk, &before))
		return false;
	rows_check(walk, walk->at, walk->insn->addr, 0);
	return (walk_take_bytes(walk, 0xe9) && walk_take_distance(walk, 0, &target) &&
		target == walk->range->copy_begin + back) ||
	       walk_fails(walk, VERIFY_CODE, "a far call does not come back");
}

/* jne far; [incq counter;] call near */
static bool take_call_either_way(struct walk *walk, const struct bound_call *bound, bool has_probes)
{
	uint64_t far, near;
	bool to_body;

	if (!walk_take_bytes(walk, 0x0f, 0x85) || !walk_take_distance(walk, 0, &far))
		return walk_fails(walk, VERIFY_CODE, "not the same call of what may be bound here");
	if (!take_near_call(walk, bound->function, &near, &to_body))
		return false;
	const uint32_t back = walk->at;
	const uint64_t offset = far - walk->range->copy_begin;
	if (offset >= walk->size || offset < back)
		return walk_fails(walk, VERIFY_CODE, "not the other way of a call");
	walk->at = (uint32_t)offset;
	const bool ok = take_far_call(walk, back, has_probes) &&
			take_near(walk, bound->function, near, to_body);
	const struct check_stub stub = {.begin = offset, .end = walk->at, .is_call = true};
	vec_push(&walk->stubs, stub);
	walk->at = back;
	return ok;
}

/* lea function(%rip),%r11; cmp %r11,slot(%rip): is the slot bound to the function of this file? */
static bool take_bound_compare(struct walk *walk, struct bound_call *bound)
{
	const uint32_t before = walk->at;
	uint64_t function, slot;

	*bound = (struct bound_call){0};
	if (walk->insn->kind == INSN_CALL || walk->insn->rip_offset)
		bound->function = object_plt_function(walk->check->original, walk->insn->target,
						      &bound->slot);
	if (bound->function && walk_take_bytes(walk, 0x4c, 0x8d, 0x1d) &&
	    walk_take_distance(walk, 0, &function) && function == bound->function &&
	    walk_take_bytes(walk, 0x4c, 0x39, 0x1d) && walk_take_distance(walk, 0, &slot) &&
	    slot == bound->slot)
		return true;
	walk->at = before;
	return false;
}

static bool take_call(struct walk *walk, const struct check_probe *before)
{
	struct bound_call bound;
	bool is_bare = false;

	if (!is_probe_of_call(before) && !count_take_call(walk, &is_bare))
		return false;
	if (!take_bound_compare(walk, &bound))
		return take_original_call(walk, before);
	return take_call_either_way(walk, &bound, is_probe_of_call(before) || is_bare) &&
	       take_return(walk, before);
}

static bool take_indirect_jump(struct walk *walk)
{
	if (!indirect_take_translation(walk) || !take_leave(walk) ||
	    !count_take_tail(walk, walk->insn->target))
		return false;
	rows_check(walk, walk->at, walk->insn->addr, 0);
	return walk_take_raw(walk) || indirect_take_table(walk) ||
	       walk_fails(walk, VERIFY_CODE, "not the same jump");
}

static bool take_plain(struct walk *walk)
{
	if (walk->insn->rel_bits)
		return take_relative(walk, false);
	return walk_take_raw(walk) || indirect_take_table(walk) ||
	       walk_fails(walk, VERIFY_CODE, "not the same instruction");
}

/* ---- instructions ---- */

/* The probe of an entry stands before everything that a branch may lead to. */
static bool take_enter(struct walk *walk)
{
	rows_check(walk, walk->at, walk->insn->addr, 0);
	const struct check_probe probe = probe_take(walk, true, false);
	walk->probes_calls = probe.kind == CHECK_ENTER;
	return probe.kind == CHECK_NO_PROBE ? count_take(walk) : probe.kind != CHECK_WRONG_PROBE;
}

static bool take_landing(struct walk *walk)
{
	const struct check_probe probe = probe_take(walk, false, false);

	return probe.kind == CHECK_NO_PROBE || probe.kind == CHECK_LANDING ||
	       (probe.kind != CHECK_WRONG_PROBE &&
		walk_fails(walk, VERIFY_PROBE, "a probe that does not belong to a landing pad"));
}

static bool take_insn(struct walk *walk)
{
	struct check_probe last;

	if (!executions_take(walk, CHECK_BEFORE, walk->insn->addr) || !take_probes(walk, &last))
		return false;
	if (walk->insn->is_endbr && last.kind != CHECK_NO_PROBE)
		return walk_fails(walk, VERIFY_PROBE,
				  "a probe stands before the mark that indirect jumps need");
	const uint32_t begin = walk->at;
	switch ((enum insn_kind)walk->insn->kind) {
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
		return take_call(walk, &last);
	case INSN_JUMP:
		return count_take_tail(walk, walk->insn->target) &&
		       take_jump(walk, walk->insn->target);
	case INSN_BRANCH:
		return take_branch(walk);
	case INSN_LOOP:
		return take_loop(walk);
	case INSN_JUMP_INDIRECT:
		return take_indirect_jump(walk);
	default:
		break;
	}
	if (!take_plain(walk))
		return false;
	rows_check_call_site(walk, walk->insn, begin, walk->at);
	/* That of a landing pad follows the mark that indirect jumps need. */
	return !walk->insn->is_endbr || !map_get(&walk->check->pads, walk->insn->addr) ||
	       take_landing(walk);
}

static void skip_filler(struct walk *walk)
{
	struct insn insn;

	while (walk->at < walk->size &&
	       insn_decode(walk->code + walk->at, walk->size - walk->at, walk_addr(walk), &insn) &&
	       insn.is_nop && !insn.is_endbr) {
		/* Behind a jump it is never met. */
		if (walk->reached)
			rows_check_filler(walk, walk->at);
		walk->at += insn.length;
	}
}

static void note_base(struct walk *walk)
{
	const struct insn *insn = walk->insn;
	const unsigned char *bytes = walk_insn_bytes(walk, insn);
	const bool rex = (bytes[0] & 0xf0) == 0x40;
	struct check_base base = {.range = walk->range, .addr = insn->addr};
	uint32_t value;

	if (insn->is_lea && insn->rip_offset) {
		base.value = insn->target;
		base.reg = (bytes[insn->modrm_offset] >> 3 & 7u) | (rex ? (bytes[0] & 4u) << 1 : 0);
	} else if (insn->length == 5u + rex && (bytes[rex] & 0xf8) == 0xb8) {
		memcpy(&value, bytes + insn->length - 4, sizeof(value));
		base.value = value;
		base.reg = (bytes[rex] & 7u) | (rex ? (bytes[0] & 1u) << 3 : 0);
	} else {
		return;
	}
	/* What is loaded relative to rip is an address in any case. */
	if (insn->rip_offset || object_is_mapped(walk->check->original, base.value))
		vec_push(&walk->check->bases, base);
}

/*
 * A nop of the original. An exception may land on it: its probe, if it has one, stands behind the
 * filler before. Where the nop was dropped, the next instruction's probe may follow.
 */
static void take_filler(struct walk *walk)
{
	const uint32_t before = walk->at;

	if (!walk->filler)
		walk->filler = walk->insn->addr;
	if (!map_get(&walk->check->pads, walk->insn->addr))
		return;
	const struct check_kept kept = check_keep(walk->check);
	skip_filler(walk);
	if (probe_take_landing(walk))
		return;
	check_restore(walk->check, &kept);
	walk->at = before;
}

/* Before the present instruction: filler, and counters of going on behind those before it. */
static bool take_what_is_between(struct walk *walk, bool filler)
{
	uint32_t before;

	do {
		before = walk->at;
		if (!filler)
			skip_filler(walk);
		if (!executions_take(walk, CHECK_NEXT, walk->insn->addr))
			return false;
	} while (walk->at != before);
	return true;
}

/* Nops of the original may be dropped: they are anywhere in the filler of the copy. */
static bool take_original_insn(struct walk *walk, size_t *first_filler)
{
	struct check_range *range = walk->range;
	const struct insn *insn = walk->insn;
	const bool filler = insn->is_nop && !insn->is_endbr;

	walk->left = walk->landed = false;
	if (!take_what_is_between(walk, filler))
		return false;
	for (size_t i = *first_filler; i < range->points.len; i++)
		range->points.data[i].copy_end = walk->at;
	const struct check_point point = {(uint32_t)(insn->addr - range->begin), walk->at,
					  walk->at};
	vec_push(&range->points, point);
	if (filler) {
		take_filler(walk);
		return true;
	}
	walk->filler = 0;
	*first_filler = range->points.len;
	note_base(walk);
	walk->check->result->counts.instructions++;
	const bool ok = take_insn(walk);
	walk->reached = insn_falls_through(insn);
	return ok;
}

/* Control that runs past the end of the range. */
static bool take_end(struct walk *walk, const struct insn *last)
{
	if (!executions_take(walk, CHECK_NEXT, walk->range->end))
		return false;
	if (!insn_falls_through(last))
		return true;
	if (!insn_is_call(last) && !take_leave(walk))
		return false;
	return count_take_tail(walk, walk->range->end) && take_jump(walk, walk->range->end);
}

static int compare_stubs(const void *a, const void *b)
{
	const struct check_stub *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Those of calls, where something may be caught, come before those of branches and probes; nothing
   is between. */
static bool check_stub_order(struct walk *walk)
{
	uint64_t at = walk->at, calls_end = at;

	vec_sort(&walk->stubs, compare_stubs);
	vec_foreach (stub, &walk->stubs) {
		while (stub->behind_gap && at < stub->begin && walk->code[at] == 0xcc)
			at++;
		if (stub->begin != at || (stub->is_call && at != calls_end))
			return walk_fails(walk, VERIFY_PROBE,
					  "the stub at 0x%" PRIx64
					  " does not follow the one before",
					  walk->range->copy_begin + stub->begin);
		at = stub->end;
		if (stub->is_call)
			calls_end = at;
	}
	/* Without an unwind record nothing else tells the end; what follows is another copy's. */
	if (!walk->range->fde)
		walk->range->copy_end = walk->range->copy_begin + at;
	else if (at != walk->size)
		return walk_fails(walk, VERIFY_PROBE, "bytes behind the stubs that belong to none");
	rows_check_stubs(walk, (uint32_t)calls_end, walk->size);
	return true;
}

static bool walk_range(struct walk *walk)
{
	struct check_range *range = walk->range;
	const uint64_t size = range->end - range->begin;
	size_t first_filler = 0;
	struct insn insn = {.addr = range->begin};

	walk->insn = &insn;
	walk->probes_calls = walk->check->poison || walk->check->module.call_site_count;
	if (range->entry && !take_enter(walk))
		return false;
	for (uint64_t at = 0; at < size; at += insn.length) {
		if (!insn_decode(walk->original + at, size - at, range->begin + at, &insn))
			return walk_fails(walk, VERIFY_CODE, "the original is no instruction here");
		if (!take_original_insn(walk, &first_filler))
			return false;
	}
	if (first_filler < range->points.len)
		skip_filler(walk);
	for (size_t i = first_filler; i < range->points.len; i++)
		range->points.data[i].copy_end = walk->at;
	return take_end(walk, &insn) && check_stub_order(walk);
}

void check_walk(struct check *check, struct check_range *range)
{
	const uint64_t size = range->end - range->begin;
	const uint64_t copy_size = range->copy_end - range->copy_begin;
	struct walk walk = {.check = check,
			    .range = range,
			    .original = object_at(check->original, range->begin, size),
			    .code = object_at(check->copy, range->copy_begin, copy_size),
			    .size = (uint32_t)copy_size};

	range->walked = true;
	check->result->counts.ranges++;
	range->broken =
		!walk.original || !walk.code || copy_size > UINT32_MAX || !rows_begin(&walk);
	if (!range->broken) {
		rows_check_tables(&walk);
		range->broken = !walk_range(&walk);
	}
	rows_end(&walk);
	vec_fini(&walk.stubs);
}
