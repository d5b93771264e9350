/*
 * Probes and their stubs, in the shapes that abi/module.h states. Inline, dormant code pays a
 * compare and a branch that is not taken, and a counter; everything else stands in the stub.
 */
#include "rewrite/emit.h"

#include "abi/module.h"

#include <string.h>

enum {
	DROP_BYTES = 5,	  /* of the lea behind CALL_INDIRECT's handler call */
	RETURN_BYTES = 8, /* of a return address */
};

static const struct insn_operation push_operand = {.opcode = 0xff, .reg = 6};

bool probes_functions(const struct emitter *emitter)
{
	return program_counts(emitter->program) && !emitter->range->small;
}

/* The probe's arming byte. A poisoned SYSCALL has its function's; the other is the runtime's. */
static enum fixup_kind arming_byte(const struct emitter *emitter, const struct probe *probe)
{
	switch (probe->kind) {
	case PROBE_CALL:
	case PROBE_CALL_INDIRECT:
	case PROBE_RETURN:
		return FIXUP_SITE_ARM;
	case PROBE_SYSCALL:
		return program_poisons(emitter->program) ? FIXUP_ARM : FIXUP_SYSCALL_ARM;
	default:
		return FIXUP_ARM;
	}
}

/* cmpb arm(%rip), %spl */
static void emit_compare(struct emitter *emitter, enum fixup_kind kind, uint64_t target)
{
	put_bytes(&emitter->range->code, TARE_GATE, TARE_GATE_CODE_BYTES);
	emit_fixup(emitter, kind, target, 0);
}

/* Compares, and jumps if the probe runs (or if it does not); returns the place of the distance. */
static uint32_t emit_arm_jump(struct emitter *emitter, const struct probe *probe, bool if_it_runs)
{
	const enum fixup_kind kind = arming_byte(emitter, probe);

	emit_compare(emitter, kind, kind == FIXUP_SITE_ARM ? probe->site : 0);
	/* jb or jae: poison runs where the byte is zero, which it always is. */
	emit_code(emitter, 0x0f,
		  TARE_GATE_JUMP | (if_it_runs == program_poisons(emitter->program)));
	const uint32_t position = emit_offset(emitter);
	put_u32(&emitter->range->code, 0);
	return position;
}

static bool probe_counts(const struct probe *probe)
{
	return probe->kind == PROBE_ENTER || probe->kind == PROBE_CALL ||
	       probe->kind == PROBE_CALL_INDIRECT;
}

/* incq %gs:counter(%rip), of what begins behind this probe */
static void emit_probe_counter(struct emitter *emitter, const struct probe *probe)
{
	if (!probe_counts(probe))
		return;
	if (probe->kind == PROBE_ENTER)
		emit_counter(emitter, FIXUP_COUNTER, 0);
	else
		emit_counter(emitter, FIXUP_SITE_COUNTER, probe->site);
}

/* What the probe would count, without it; the stack is as before the instruction at `like`. */
static void emit_bare_counter(struct emitter *emitter, const struct probe *probe)
{
	if (!probe->flags_live) {
		emit_probe_counter(emitter, probe);
		return;
	}
	emit_code(emitter, 0x9c); /* pushf */
	emit_state(emitter, probe->like, 8);
	emit_probe_counter(emitter, probe);
	emit_code(emitter, 0x9d); /* popf */
	emit_state(emitter, probe->like, 0);
}

static bool is_bare(const struct program *program, uint32_t number)
{
	const uint8_t *bare = program->options->bare;

	return bare && number < program->options->bare_count && bare[number / 8] >> number % 8 & 1;
}

bool range_has_bare(const struct program *program, const struct range *range)
{
	const uint32_t first = program->function_count + range->first_site;
	bool any = is_bare(program, range->function);

	for (uint32_t i = 0; i < range->sites.len && !any; i++)
		any = is_bare(program, first + i);
	return any;
}

/* Which call site it is counts only when all have been emitted once. */
static bool probe_is_bare(const struct emitter *emitter, const struct probe *probe)
{
	const struct program *program = emitter->program;
	const struct range *range = emitter->range;

	if (!program->numbered || probe->kind == PROBE_SYSCALL)
		return false;
	if (arming_byte(emitter, probe) == FIXUP_SITE_ARM)
		return is_bare(program, program->function_count + range->first_site + probe->site);
	return is_bare(program, range->function);
}

void emit_probe(struct emitter *emitter, const struct probe *probe)
{
	struct stub stub = {.kind = STUB_PROBE, .probe = *probe};

	if (probe_is_bare(emitter, probe)) {
		/* Where a pointer leads no counter knows, and nothing is to be timed again here. */
		if (probe_counts(probe) && probe->kind != PROBE_CALL_INDIRECT)
			emit_bare_counter(emitter, probe);
		return;
	}
	if (probe->flags_live) {
		emit_code(emitter, 0xe9); /* jmp stub */
		stub.jump = emit_offset(emitter);
		put_u32(&emitter->range->code, 0);
		emitter->range->live_flags_count++;
	} else {
		stub.jump = emit_arm_jump(emitter, probe, true);
	}
	stub.back = emit_offset(emitter);
	if (!probe->flags_live)
		emit_probe_counter(emitter, probe);
	vec_push(&emitter->stubs, stub);
	emitter->range->probe_count++;
}

void emit_count(struct emitter *emitter)
{
	const uint64_t begin = emitter->range->begin;

	emit_bare_counter(emitter,
			  &(struct probe){.kind = PROBE_ENTER,
					  .like = begin,
					  .flags_live = flags_live(emitter->program, begin)});
}

void emit_leave(struct emitter *emitter, uint64_t like, bool flags)
{
	const struct probe probe = {.kind = PROBE_LEAVE, .like = like, .flags_live = flags};

	if (!probes_functions(emitter) || probe_is_bare(emitter, &probe))
		return;
	emit_probe(emitter, &probe);
	/* Until the function has been left. */
	emitter->leaves = true;
	emit_state(emitter, like, 0);
	emitter->leaves = false;
}

/* ---- stubs ---- */

static void emit_slot_call(struct emitter *emitter, const struct probe *probe, size_t slot_offset)
{
	if (probe->flags_live)
		slot_offset += offsetof(struct tare_slots, below_flags);
	emit_code(emitter, 0xff, 0x15); /* call *slot(%rip) */
	emit_fixup(emitter, FIXUP_SLOT, slot_offset, 0);
}

/* The poison handler in its place. The runtime follows exec by SYSCALL probes: it gets its turn. */
static void emit_poison_call(struct emitter *emitter, const struct probe *probe, size_t slot_offset)
{
	const struct poison_handlers *poison = &emitter->program->poison;

	emit_code(emitter, 0x67, 0xe8); /* addr32 call: as long as the call through a slot */
	emit_fixup(emitter, FIXUP_COMPANION,
		   probe->kind == PROBE_CALL_INDIRECT ? poison->call_indirect : poison->plain, 0);
	if (probe->kind != PROBE_SYSCALL)
		return;
	emit_compare(emitter, FIXUP_SYSCALL_ARM, 0);
	emit_code(emitter, 0x0f, TARE_GATE_JUMP | 1); /* jae */
	const uint32_t skip = emit_offset(emitter);
	put_u32(&emitter->range->code, 0);
	emit_slot_call(emitter, probe, slot_offset);
	emit_land(emitter, skip);
}

static void emit_handler_call(struct emitter *emitter, const struct probe *probe,
			      size_t slot_offset)
{
	if (program_poisons(emitter->program))
		emit_poison_call(emitter, probe, slot_offset);
	else
		emit_slot_call(emitter, probe, slot_offset);
}

static void emit_indirect_call_body(struct emitter *emitter, const struct probe *probe,
				    int32_t depth)
{
	/* push target: ff /6 on the operand of the call; its address is taken before rsp moves */
	emit_reused(emitter, probe->insn, push_operand);
	emit_state(emitter, probe->like, depth + 8);
	emit_handler_call(emitter, probe, offsetof(struct tare_handlers, call_indirect));
	emit_code(emitter, 0x48, 0x8d, 0x64, 0x24, 8); /* lea 8(%rsp),%rsp */
	emit_state(emitter, probe->like, depth);
}

static void emit_stub_body(struct emitter *emitter, const struct probe *probe, int32_t depth)
{
	switch (probe->kind) {
	case PROBE_ENTER:
		emit_handler_call(emitter, probe, offsetof(struct tare_handlers, enter));
		break;
	case PROBE_LEAVE:
		emit_handler_call(emitter, probe, offsetof(struct tare_handlers, leave));
		break;
	case PROBE_CALL:
		emit_handler_call(emitter, probe, offsetof(struct tare_handlers, call));
		break;
	case PROBE_CALL_INDIRECT:
		emit_indirect_call_body(emitter, probe, depth);
		break;
	case PROBE_RETURN:
		emit_handler_call(emitter, probe, offsetof(struct tare_handlers, return_));
		break;
	case PROBE_LANDING:
		emit_handler_call(emitter, probe, offsetof(struct tare_handlers, landing));
		break;
	case PROBE_SYSCALL:
		emit_handler_call(emitter, probe, offsetof(struct tare_handlers, syscall_));
		break;
	}
}

static void emit_jump_back(struct emitter *emitter, const struct stub *stub, bool red_zone)
{
	if (red_zone)
		emit_red_zone_end(emitter, stub->probe.like);
	emit_code(emitter, 0xe9);
	put_u32(&emitter->range->code, stub->back - (emit_offset(emitter) + 4));
}

/* What the handler reads, behind the jump back: see abi/module.h. */
static void emit_stub_data(struct emitter *emitter, const struct probe *probe, uint32_t call_end)
{
	const bool indirect = probe->kind == PROBE_CALL_INDIRECT;

	if (!probe_counts(probe))
		return;
	const uint32_t begin =
		call_end + (indirect ? TARE_STUB_DATA_INDIRECT - DROP_BYTES : TARE_STUB_DATA);
	while (emit_offset(emitter) < begin)
		emit_code(emitter, 0xcc);
	if (!indirect)
		emit_fixup(emitter, FIXUP_ADDRESS,
			   probe->kind == PROBE_ENTER ? emitter->range->begin : probe->target, 0);
	if (probe->kind == PROBE_ENTER)
		emit_fixup(emitter, FIXUP_ARM, 0, 0);
	else
		emit_fixup(emitter, FIXUP_SITE_ARM, probe->site, 0);
}

static void emit_stub(struct emitter *emitter, const struct stub *stub)
{
	const struct probe *probe = &stub->probe;
	const bool red_zone = probe->kind == PROBE_SYSCALL;
	const int32_t depth = red_zone ? RED_ZONE_BYTES : 0;
	uint32_t skip = 0;

	emitter->leaves = probe->kind == PROBE_LEAVE;
	emit_land(emitter, stub->jump);
	emit_state(emitter, probe->like, 0);
	if (red_zone)
		emit_red_zone_begin(emitter, probe->like);
	if (probe->flags_live) {
		emit_code(emitter, 0x9c); /* pushf */
		emit_state(emitter, probe->like, depth + 8);
		emit_probe_counter(emitter, probe);
		skip = emit_arm_jump(emitter, probe, false);
	}
	emit_stub_body(emitter, probe, probe->flags_live ? depth + 8 : depth);
	const uint32_t call_end = emit_offset(emitter);
	if (probe->flags_live) {
		emit_land(emitter, skip);
		emit_code(emitter, 0x9d); /* popf */
		emit_state(emitter, probe->like, depth);
	}
	emit_jump_back(emitter, stub, red_zone);
	emit_stub_data(emitter, probe, call_end);
	emitter->leaves = false;
}

static void emit_call_stub(struct emitter *emitter, const struct stub *stub);
static void emit_far_call(struct emitter *emitter, const struct stub *stub);

/* Some stubs have others: far calls of bound ones, and their probes. */
static void emit_stubs_of(struct emitter *emitter, enum stub_kind kind,
			  void (*emit)(struct emitter *emitter, const struct stub *stub))
{
	for (size_t i = 0; i < emitter->stubs.len; i++) {
		const struct stub stub = emitter->stubs.data[i];
		if (stub.kind == kind)
			emit(emitter, &stub);
	}
}

/* Probes stand last: the others are the program's own way. */
void emit_stubs(struct emitter *emitter)
{
	emitter->range->stubs_offset = emit_offset(emitter);
	emit_stubs_of(emitter, STUB_CALL, emit_call_stub);
	emit_stubs_of(emitter, STUB_FAR, emit_far_call);
	emit_stubs_of(emitter, STUB_BRANCH, emit_branch_stub);
	emitter->range->probe_stubs_offset = emit_offset(emitter);
	emit_stubs_of(emitter, STUB_PROBE, emit_stub);
}

/* ---- calls ---- */

/* Compiler-made calls with conventions of their own, which are no functions to a reader. */
static bool is_artefact(const char *name)
{
	/* Asked for every call: the first letters decide nearly always. */
	if (!name || !(name[0] == 'm' || (name[0] == '_' && (name[1] == '_' || name[1] == 'm'))))
		return false;
	return strcmp(name, "__tls_get_addr") == 0 || strcmp(name, "__fentry__") == 0 ||
	       strcmp(name, "mcount") == 0 || strcmp(name, "_mcount") == 0 ||
	       str_starts_with(name, "__x86_indirect_thunk") ||
	       str_starts_with(name, "__x86_return_thunk");
}

/* A call of it needs no probes: it has its own, or a counter. */
static bool reports_itself(const struct program *program, const struct range *callee)
{
	return callee && callee->verdict == REWRITE_INSTRUMENTED &&
	       program->options->probes != REWRITE_PROBES_ALL;
}

/* Whether the direct call leaves instrumented code. */
static bool call_leaves(const struct program *program, const struct insn *insn)
{
	const struct range *callee = program_range(program, insn->target);
	const char *symbol = object_plt_symbol(program->object, insn->target);

	if (symbol || !callee)
		return !is_artefact(symbol);
	if (insn->target != callee->begin || !callee->entry || is_artefact(callee->name))
		return false;
	return !reports_itself(program, callee);
}

/* Whether the jump that leaves the function is a call of one that does not count itself. */
static bool tail_call_leaves(const struct emitter *emitter, uint64_t target)
{
	const struct program *program = emitter->program;
	const struct range *callee = program_range(program, target);
	const char *symbol = object_plt_symbol(program->object, target);

	if (symbol || !callee)
		return symbol && !is_artefact(symbol);
	return target == callee->begin && callee->entry && !is_artefact(callee->name) &&
	       callee->verdict != REWRITE_INSTRUMENTED;
}

static void add_site(struct range *range, uint64_t target, uint64_t from)
{
	const struct call_site site = {target, range_insn_number(range, from - range->begin) - 1};

	vec_push(&range->sites, site);
}

void emit_tail_count(struct emitter *emitter, uint64_t like, uint64_t target, bool flags)
{
	struct range *range = emitter->range;

	if (!probes_functions(emitter) || !tail_call_leaves(emitter, target))
		return;
	emitter->leaves = true; /* the flags are kept where registers may have been */
	emit_bare_counter(emitter, &(struct probe){.kind = PROBE_CALL,
						   .like = like,
						   .flags_live = flags,
						   .site = (uint32_t)range->sites.len});
	emitter->leaves = false;
	add_site(range, target, like);
}

static bool make_call_probe(const struct program *program, const struct insn *insn,
			    struct probe *probe)
{
	*probe = (struct probe){.like = insn->addr, .insn = insn};
	if (insn->kind == INSN_CALL) {
		probe->kind = PROBE_CALL;
		probe->target = insn->target;
		probe->flags_live =
			program_range(program, insn->target) && flags_live(program, insn->target);
		return call_leaves(program, insn);
	}
	const char *symbol =
		insn->rip_offset ? object_plt_symbol(program->object, insn->target) : NULL;
	if (symbol) {
		probe->kind = PROBE_CALL;
		probe->target = insn->target;
		return !is_artefact(symbol);
	}
	unsigned char bytes[16];
	size_t rip_offset;
	probe->kind = PROBE_CALL_INDIRECT;
	return insn_reuse_operand(insn_bytes(program, insn), insn, push_operand, bytes,
				  &rip_offset) > 0;
}

/*
 * Calls through the PLT of functions of this file. Where the loader has bound such a call to the
 * function here, and to none of another file, it goes to the copy by one jump, which takes the time
 * that the PLT's takes; without it jq was faster than without tare, and the time of its shortest
 * functions was gone. The way by the PLT and the jump at the original's entry has one more. The PLT
 * itself uses r11, and the binding of a call at its first time the flags.
 */
struct bound_call {
	const struct range *callee; /* NULL: it is no such call */
	uint64_t slot;		    /* the word that says where it is bound to */
};

static struct bound_call bound_call(const struct program *program, const struct insn *insn)
{
	struct bound_call call = {0};
	const uint64_t function =
		insn->kind == INSN_CALL || insn->rip_offset
			? object_plt_function(program->object, insn->target, &call.slot)
			: 0;
	const struct range *callee = function ? program_range(program, function) : NULL;

	if (callee && callee->begin == function && callee->entry && callee->copied &&
	    !is_artefact(object_plt_symbol(program->object, call.slot)))
		call.callee = callee;
	return call;
}

/*
 * A small function is counted where it is called, if that is known, and the call goes behind its
 * own counter. Calls of it that follow each other would wait for each other's additions to one
 * word, and for small functions that is most of their time.
 */
static bool goes_to_body(const struct program *program, uint64_t target)
{
	const struct range *callee = program_range(program, target);

	return program_counts(program) && !program->options->count_executions &&
	       program->options->probes != REWRITE_PROBES_ALL && callee &&
	       callee->begin == target && callee->copied && callee->small &&
	       !flags_live(program, target);
}

/* incq %gs:counter(%rip) before a call that goes to the body. False, with nothing emitted, if it
   does not go there. */
static bool emit_body_count(struct emitter *emitter, uint64_t target)
{
	struct range *range = emitter->range;

	if (!goes_to_body(emitter->program, target))
		return false;
	emit_counter(emitter, FIXUP_BODY_COUNTER, range->body_calls.len);
	vec_push(&range->body_calls, target);
	return true;
}

static void emit_original_call(struct emitter *emitter, const struct insn *insn)
{
	if (insn->kind == INSN_CALL_INDIRECT) {
		emit_raw(emitter, insn);
	} else if (emit_body_count(emitter, insn->target)) {
		emit_code(emitter, 0xe8);
		emit_fixup(emitter, FIXUP_CODE_BODY, insn->target, 0);
	} else {
		put_bytes(&emitter->range->code, insn_bytes(emitter->program, insn),
			  insn->rel_offset);
		emit_fixup(emitter, FIXUP_CODE, insn->target, 0);
	}
}

/* lea original(%rip),%r11; cmp %r11,slot(%rip) */
static void emit_slot_compare(struct emitter *emitter, const struct stub *stub)
{
	emit_code(emitter, 0x4c, 0x8d, 0x1d);
	emit_fixup(emitter, FIXUP_ADDRESS, stub->callee, 0);
	emit_code(emitter, 0x4c, 0x39, 0x1d);
	emit_fixup(emitter, FIXUP_ADDRESS, stub->slot, 0);
}

/* The opcode has been written; returns where the distance is. */
static uint32_t emit_distance(struct emitter *emitter)
{
	put_u32(&emitter->range->code, 0);
	return emit_offset(emitter) - 4;
}

/*
 * call stub; or, of a function that is counted where it is called:
 *
 *   the comparison; jne far; count; call stub
 *
 * `probe`: what stands before a call that leads to another file; or NULL.
 */
static void emit_bound_call(struct emitter *emitter, const struct insn *insn,
			    const struct bound_call *bound, const struct probe *probe)
{
	struct stub stub = {.kind = STUB_CALL,
			    .insn = insn,
			    .callee = bound->callee->begin,
			    .slot = bound->slot,
			    .is_probed = probe,
			    .is_compared = goes_to_body(emitter->program, bound->callee->begin)};

	if (probe)
		stub.probe = *probe;
	if (stub.is_compared) {
		emit_slot_compare(emitter, &stub);
		emit_code(emitter, 0x0f, 0x85);
		stub.jump = emit_distance(emitter);
		emit_body_count(emitter, stub.callee);
	}
	emit_code(emitter, 0xe8);
	stub.call = emit_distance(emitter);
	stub.back = emit_offset(emitter);
	vec_push(&emitter->stubs, stub);
}

static void emit_call_itself(struct emitter *emitter, const struct insn *insn,
			     const struct bound_call *bound)
{
	if (bound->callee)
		emit_bound_call(emitter, insn, bound, NULL);
	else
		emit_original_call(emitter, insn);
}

/* The call, with the probe before it and that of its return. */
static void emit_probed_call(struct emitter *emitter, const struct insn *insn,
			     const struct bound_call *bound, struct probe probe)
{
	emit_probe(emitter, &probe);
	emit_call_itself(emitter, insn, bound);
	probe.kind = PROBE_RETURN;
	probe.flags_live = flags_live(emitter->program, insn_end(insn));
	emit_probe(emitter, &probe);
}

static void push_far_call(struct emitter *emitter, const struct stub *near, uint32_t jump)
{
	struct stub far = *near;

	far.kind = STUB_FAR;
	far.jump = jump;
	vec_push(&emitter->stubs, far);
}

/* The comparison; je copy; and the way elsewhere: [count;] jmp *slot(%rip), or with probes jmp far
 */
static void emit_comparing_stub(struct emitter *emitter, const struct stub *stub)
{
	emit_slot_compare(emitter, stub);
	emit_code(emitter, 0x0f, 0x84);
	emit_fixup(emitter, FIXUP_CODE, stub->callee, 0);
	if (stub->is_probed && !probe_is_bare(emitter, &stub->probe)) {
		emit_code(emitter, 0xe9);
		push_far_call(emitter, stub, emit_distance(emitter));
		return;
	}
	if (stub->is_probed)
		emit_probe(emitter, &stub->probe);
	emit_code(emitter, 0xff, 0x25);
	emit_fixup(emitter, FIXUP_ADDRESS, stub->slot, 0);
}

/* What stands for the PLT's stub. */
static void emit_call_stub(struct emitter *emitter, const struct stub *stub)
{
	emit_land(emitter, stub->call);
	emit_state(emitter, stub->insn->addr, RETURN_BYTES);
	if (!stub->is_compared) {
		emit_comparing_stub(emitter, stub);
		return;
	}
	emit_code(emitter, 0xe9);
	emit_fixup(emitter, FIXUP_CODE_BODY, stub->callee, 0);
	push_far_call(emitter, stub, stub->jump);
}

/*
 * The stub's own return address is taken from the stack; and where the processor keeps another of
 * such addresses (rdssp tells, and does nothing elsewhere), from that:
 *
 *   xor %r11d,%r11d; rdsspq %r11; test %r11,%r11; je 1f; mov $1,%r11d; incsspq %r11
 *   1: lea 8(%rsp),%rsp
 */
static void emit_drop_return(struct emitter *emitter)
{
	emit_code(emitter, 0x45, 0x31, 0xdb, 0xf3, 0x49, 0x0f, 0x1e, 0xcb, 0x4d, 0x85, 0xdb, 0x74,
		  11);
	emit_code(emitter, 0x41, 0xbb, 1, 0, 0, 0, 0xf3, 0x49, 0x0f, 0xae, 0xeb);
	emit_code(emitter, 0x48, 0x8d, 0x64, 0x24, RETURN_BYTES);
}

/* [The stub's return address is dropped;] the call as it was, with its probes; jmp back */
static void emit_far_call(struct emitter *emitter, const struct stub *stub)
{
	static const struct bound_call elsewhere = {0};
	struct far_call call = {
		.insn = range_insn_number(emitter->range,
					  stub->insn->addr - emitter->range->begin) -
			1,
		.begin = emit_offset(emitter)};

	emit_land(emitter, stub->jump);
	if (!stub->is_compared) {
		emit_state(emitter, stub->insn->addr, RETURN_BYTES);
		emit_drop_return(emitter);
	}
	emit_state(emitter, stub->insn->addr, 0);
	if (stub->is_probed)
		emit_probed_call(emitter, stub->insn, &elsewhere, stub->probe);
	else
		emit_original_call(emitter, stub->insn);
	emit_jump_back(emitter, stub, false);
	call.end = emit_offset(emitter);
	vec_push(&emitter->range->far_calls, call);
}

bool call_is_counted(const struct program *program, const struct range *range,
		     const struct insn *call)
{
	struct probe probe;

	return program_counts(program) && !range->small && make_call_probe(program, call, &probe) &&
	       !reports_itself(program, bound_call(program, call).callee);
}

void emit_call(struct emitter *emitter, const struct insn *insn)
{
	const struct bound_call bound = bound_call(emitter->program, insn);
	struct probe probe;

	if (!probes_functions(emitter) || !make_call_probe(emitter->program, insn, &probe)) {
		emit_call_itself(emitter, insn, &bound);
		return;
	}
	probe.site = (uint32_t)emitter->range->sites.len;
	add_site(emitter->range, probe.target, insn->addr);
	if (reports_itself(emitter->program, bound.callee))
		emit_bound_call(emitter, insn, &bound, &probe);
	else
		emit_probed_call(emitter, insn, &bound, probe);
}
