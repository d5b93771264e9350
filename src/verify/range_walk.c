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
	const struct check_stub stub = {
		.begin = offset, .end = walk->at, .behind_gap = is_loop, .kind = CHECK_STUB_OTHER};
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

enum { RETURN_BYTES = 8 }; /* of a return address */

/* A call of a function of the same file through a slot that another file may be bound to. */
struct bound_call {
	uint64_t function, slot;
	uint32_t back;	 /* behind it in the copy */
	bool has_probes; /* around both ways, or a counter before them */
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
	if (!count_take_body_call(walk, 0, function) ||
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

/* lea function(%rip),%r11; cmp %r11,slot(%rip): is the slot bound to the function of this file? */
static bool take_slot_compare(struct walk *walk, const struct bound_call *bound)
{
	const uint32_t before = walk->at;
	uint64_t function, slot;

	if (walk_take_bytes(walk, 0x4c, 0x8d, 0x1d) && walk_take_distance(walk, 0, &function) &&
	    function == bound->function && walk_take_bytes(walk, 0x4c, 0x39, 0x1d) &&
	    walk_take_distance(walk, 0, &slot) && slot == bound->slot)
		return true;
	walk->at = before;
	return false;
}

/* The distance to the copy; `to_body`: behind its counter. */
static bool take_way_to_copy(struct walk *walk, uint64_t function, bool to_body)
{
	uint64_t copy;

	if (!walk_take_distance(walk, 0, &copy))
		return walk_fails(walk, VERIFY_CODE, "no jump to what the file has itself");
	walk_note_target(walk, function, copy - (to_body ? TARE_COUNT_BYTES : 0), true);
	vec_last(&walk->check->targets).behind_counter = to_body;
	return true;
}

static bool far_is_counted_once(struct walk *walk, const struct bound_call *bound, bool is_bare)
{
	if (bound->has_probes && is_bare)
		return walk_fails(walk, VERIFY_PROBE, "a far call that is counted twice");
	if (walk->probes_calls && !bound->has_probes && !is_bare)
		return walk_fails(walk, VERIFY_PROBE, "a call to elsewhere without its probe");
	return true;
}

/* [incq counter;] jmp *slot(%rip) */
static bool take_way_without_probes(struct walk *walk, const struct bound_call *bound)
{
	bool is_bare;
	uint64_t through;

	if (!count_take_call(walk, RETURN_BYTES, &is_bare) ||
	    !far_is_counted_once(walk, bound, is_bare))
		return false;
	rows_check(walk, walk->at, walk->insn->addr, RETURN_BYTES);
	return (walk_take_bytes(walk, 0xff, 0x25) && walk_take_distance(walk, 0, &through) &&
		through == bound->slot) ||
	       walk_fails(walk, VERIFY_CODE, "a call to elsewhere that does not go there");
}

static void note_stub(struct walk *walk, uint32_t begin, enum check_stub_kind kind)
{
	const struct check_stub stub = {.begin = begin, .end = walk->at, .kind = kind};

	vec_push(&walk->stubs, stub);
}

/*
 * xor %r11d,%r11d; rdsspq %r11; test %r11,%r11; je 1f; mov $1,%r11d; incsspq %r11
 * 1: lea 8(%rsp),%rsp
 */
static bool take_drop(struct walk *walk)
{
	return walk_take_bytes(walk, 0x45, 0x31, 0xdb, 0xf3, 0x49, 0x0f, 0x1e, 0xcb, 0x4d, 0x85,
			       0xdb, 0x74, 11, 0x41, 0xbb, 1, 0, 0, 0, 0xf3, 0x49, 0x0f, 0xae, 0xeb,
			       0x48, 0x8d, 0x64, 0x24, RETURN_BYTES) ||
	       walk_fails(walk, VERIFY_CODE, "a far call that keeps an address");
}

/* [The stub's return address is dropped;] the original call, with its probes unless they stand
   around both ways; jmp back */
static bool take_far_call(struct walk *walk, const struct bound_call *bound, bool drops)
{
	const uint32_t begin = walk->at;
	struct check_probe before;
	bool is_bare;
	uint64_t target;

	rows_check(walk, walk->at, walk->insn->addr, drops ? RETURN_BYTES : 0);
	if (drops && !take_drop(walk))
		return false;
	rows_check(walk, walk->at, walk->insn->addr, 0);
	if (!take_probes(walk, &before) || !count_take_call(walk, 0, &is_bare))
		return false;
	if (before.kind != CHECK_NO_PROBE && (bound->has_probes || before.kind != CHECK_CALL))
		return walk_fails(walk, VERIFY_PROBE, "a far call with a probe of something else");
	if ((before.kind == CHECK_NO_PROBE && !far_is_counted_once(walk, bound, is_bare)) ||
	    !take_original_call(walk, &before))
		return false;
	rows_check(walk, walk->at, walk->insn->addr, 0);
	if (!walk_take_bytes(walk, 0xe9) || !walk_take_distance(walk, 0, &target) ||
	    target != walk->range->copy_begin + bound->back)
		return walk_fails(walk, VERIFY_CODE, "a far call does not come back");
	note_stub(walk, begin, CHECK_STUB_FAR);
	return true;
}

/* Where a far call is, behind the present place. */
static bool go_far(struct walk *walk, uint64_t addr)
{
	const uint64_t offset = addr - walk->range->copy_begin;

	if (offset >= walk->size || offset < walk->at)
		return walk_fails(walk, VERIFY_CODE, "not the other way of a call");
	walk->at = (uint32_t)offset;
	return true;
}

/* The comparison; je copy; and the way elsewhere: here or, with probes, jmp far */
static bool take_comparing_stub(struct walk *walk, const struct bound_call *bound)
{
	const uint32_t begin = walk->at;
	uint64_t far;

	rows_check(walk, walk->at, walk->insn->addr, RETURN_BYTES);
	if (!take_slot_compare(walk, bound) || !walk_take_bytes(walk, 0x0f, 0x84))
		return walk_fails(walk, VERIFY_CODE, "not the comparison of where a call is bound");
	if (!take_way_to_copy(walk, bound->function, false))
		return false;
	rows_check(walk, walk->at, walk->insn->addr, RETURN_BYTES);
	const bool apart = walk_take_bytes(walk, 0xe9);
	if (apart && !walk_take_distance(walk, 0, &far))
		return walk_fails(walk, VERIFY_CODE, "no other way of a call");
	if (!apart && !take_way_without_probes(walk, bound))
		return false;
	note_stub(walk, begin, CHECK_STUB_BOUND);
	return !apart || (go_far(walk, far) && take_far_call(walk, bound, true));
}

/* jmp copy, behind its counter; and where the comparison before the call leads */
static bool take_compared_stub(struct walk *walk, const struct bound_call *bound, uint64_t far)
{
	const uint32_t begin = walk->at;

	rows_check(walk, walk->at, walk->insn->addr, RETURN_BYTES);
	if (!walk_take_bytes(walk, 0xe9) || !take_way_to_copy(walk, bound->function, true))
		return walk_fails(walk, VERIFY_CODE, "a call of what the file has leads elsewhere");
	note_stub(walk, begin, CHECK_STUB_BOUND);
	return go_far(walk, far) && take_far_call(walk, bound, false);
}

static struct bound_call bound_call(const struct walk *walk, bool has_probes)
{
	struct bound_call bound = {.has_probes = has_probes};

	if (walk->insn->kind == INSN_CALL || walk->insn->rip_offset)
		bound.function =
			object_plt_function(walk->check->original, walk->insn->target, &bound.slot);
	return bound;
}

/* call stub, behind the range's code; false: it is something else */
static bool take_call_of_stub(struct walk *walk, uint32_t *stub)
{
	const uint32_t before = walk->at;
	uint64_t target;

	if (walk_take_bytes(walk, 0xe8) && walk_take_distance(walk, 0, &target)) {
		const uint64_t offset = target - walk->range->copy_begin;
		*stub = (uint32_t)offset;
		if (offset >= walk->at && offset < walk->size)
			return true;
	}
	walk->at = before;
	return false;
}

/* jne far; incq counter */
static bool take_count_of_own(struct walk *walk, const struct bound_call *bound, uint64_t *far)
{
	if (!walk_take_bytes(walk, 0x0f, 0x85) || !walk_take_distance(walk, 0, far))
		return walk_fails(walk, VERIFY_CODE, "not the same call of what may be bound here");
	return count_take_body_call(walk, 0, bound->function);
}

/* One that is bound to this file or another; *found: whether it is. */
static bool take_bound_call(struct walk *walk, struct bound_call *bound, bool *found)
{
	const bool is_compared = bound->function && take_slot_compare(walk, bound);
	uint64_t far;
	uint32_t stub;

	if (is_compared && !take_count_of_own(walk, bound, &far))
		return false;
	const uint32_t begin = walk->at;
	*found = bound->function && take_call_of_stub(walk, &stub);
	if (!*found)
		return !is_compared || walk_fails(walk, VERIFY_CODE, "no call of a stub");
	bound->back = walk->at;
	rows_check_call_site(walk, walk->insn, begin, walk->at);
	walk->at = stub;
	const bool ok = is_compared ? take_compared_stub(walk, bound, far)
				    : take_comparing_stub(walk, bound);
	walk->at = bound->back;
	return ok;
}

static bool take_call(struct walk *walk, const struct check_probe *before)
{
	bool is_bare = false, is_bound;

	if (!is_probe_of_call(before) && !count_take_call(walk, 0, &is_bare))
		return false;
	struct bound_call bound = bound_call(walk, is_probe_of_call(before) || is_bare);
	if (!take_bound_call(walk, &bound, &is_bound))
		return false;
	return is_bound ? take_return(walk, before) : take_original_call(walk, before);
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

/* Of far calls, where something may be caught, those stand together; nothing is between any. */
static bool check_stub_order(struct walk *walk)
{
	enum check_stub_kind kind = CHECK_STUB_BOUND;
	uint64_t at = walk->at, far_begin = at, far_end = at;

	vec_sort(&walk->stubs, compare_stubs);
	vec_foreach (stub, &walk->stubs) {
		while (stub->behind_gap && at < stub->begin && walk->code[at] == 0xcc)
			at++;
		if (stub->begin != at || stub->kind < kind)
			return walk_fails(walk, VERIFY_PROBE,
					  "the stub at 0x%" PRIx64
					  " does not follow the one before",
					  walk->range->copy_begin + stub->begin);
		at = stub->end;
		kind = stub->kind;
		if (kind == CHECK_STUB_BOUND)
			far_begin = at;
		if (kind <= CHECK_STUB_FAR)
			far_end = at;
	}
	/* Without an unwind record nothing else tells the end; what follows is another copy's. */
	if (!walk->range->fde)
		walk->range->copy_end = walk->range->copy_begin + at;
	else if (at != walk->size)
		return walk_fails(walk, VERIFY_PROBE, "bytes behind the stubs that belong to none");
	rows_check_stubs(walk, walk->at, (uint32_t)far_begin);
	rows_check_stubs(walk, (uint32_t)far_end, walk->size);
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
