/*
 * Probes and their stubs, in the shapes of abi/module.h, and nothing else.
 *
 *   inline   cmpb arm(%rip),%spl; jb stub; [count]    or      jmp stub, where the flags are live
 *   stub     [lea -128(%rsp),%rsp] [pushf; [count;] cmpb arm(%rip),%spl; jae 1f]
 *            [push operand] call handler [lea 8(%rsp),%rsp]
 *            [1: popf] [lea 128(%rsp),%rsp] jmp back; [filler; data]
 *
 * Probes of entries and calls count, others do not.
 */
#include "verify/private.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { RED_ZONE_BYTES = 128, WORD_BYTES = 8, COMPARE_BYTES = 7 };

/* A probe while it is read: the walk's place goes to the stub and back. */
struct reading {
	struct walk *walk;
	uint64_t arm_addr;
	uint32_t begin, back, stub; /* of the probe; behind it; of its stub */
	uint32_t call_end;
	uint32_t count_at;   /* of the instruction that counts; 0: there is none */
	uint64_t count_addr; /* what that counts in */
	bool flags_live, flags_saved, red_zone, pushes;
	bool known; /* the slot tells the kind */
	enum check_probe_kind kind;
};

static bool is_arm(const struct check *check, uint64_t addr)
{
	return addr >= check->arm_addr && addr < check->arm_end;
}

/* cmpb arm(%rip), %spl */
static bool take_compare(struct walk *walk, uint64_t *arm_addr)
{
	const uint32_t before = walk->at;

	if (walk_take_bytes(walk, 0x40, 0x3a, 0x25) && walk_take_distance(walk, 0, arm_addr) &&
	    is_arm(walk->check, *arm_addr))
		return true;
	walk->at = before;
	return false;
}

/* incq %gs:counter(%rip) */
bool count_take_insn(struct walk *walk, uint64_t *counter_addr)
{
	const uint32_t before = walk->at;

	if (walk_take_bytes(walk, 0x65, 0x48, 0xff, 0x05) &&
	    walk_take_distance(walk, 0, counter_addr))
		return true;
	walk->at = before;
	return false;
}

static void read_count(struct reading *reading)
{
	const uint32_t at = reading->walk->at;

	if (count_take_insn(reading->walk, &reading->count_addr))
		reading->count_at = at;
}

/* jb or jae: of poison the opposite. */
static bool take_condition(struct walk *walk, bool if_armed, uint64_t *target)
{
	const unsigned char below = 0x82, opcode = below | (if_armed == walk->check->poison);

	return walk_take_bytes(walk, 0x0f, opcode) && walk_take_distance(walk, 0, target);
}

static bool stub_offset(const struct walk *walk, uint64_t addr, uint32_t *offset)
{
	const uint64_t value = addr - walk->range->copy_begin;

	*offset = (uint32_t)value;
	return value < walk->size;
}

/* `jmp` to what saves the flags and asks for an arming byte: no copy of code looks like that. */
static bool leads_to_saving_stub(struct walk *walk, uint32_t stub)
{
	const uint32_t before = walk->at;
	uint64_t arm_addr, counter_addr;

	walk->at = stub;
	walk_take_bytes(walk, 0x48, 0x8d, 0x64, 0x24, 0x80);
	bool found = walk_take_bytes(walk, 0x9c);
	count_take_insn(walk, &counter_addr);
	found = found && take_compare(walk, &arm_addr);
	walk->at = before;
	return found;
}

/* The inline part. False: there is no probe here. */
static bool take_inline(struct reading *reading)
{
	struct walk *walk = reading->walk;
	uint64_t target;

	reading->begin = walk->at;
	if (take_compare(walk, &reading->arm_addr) && take_condition(walk, true, &target) &&
	    stub_offset(walk, target, &reading->stub)) {
		reading->back = walk->at;
		return true;
	}
	walk->at = reading->begin;
	if (walk_take_bytes(walk, 0xe9) && walk_take_distance(walk, 0, &target) &&
	    stub_offset(walk, target, &reading->stub) &&
	    leads_to_saving_stub(walk, reading->stub)) {
		reading->flags_live = true;
		reading->back = walk->at;
		return true;
	}
	walk->at = reading->begin;
	return false;
}

/* ---- counters ---- */

static bool counts(const struct reading *reading)
{
	return reading->kind == CHECK_ENTER || reading->kind == CHECK_CALL ||
	       reading->kind == CHECK_CALL_INDIRECT;
}

/* What the file says of the counter to those who add up and change them. `target` 0: not known. */
bool count_is_described(const struct walk *walk, uint64_t number, uint64_t target, uint32_t at)
{
	const struct check *check = walk->check;
	struct tare_counted counted;
	const void *bytes = object_at(check->copy, check->counted_addr + number * sizeof(counted),
				      sizeof(counted));

	if (!bytes)
		return false;
	memcpy(&counted, bytes, sizeof(counted));
	return counted.target == (target ? (int32_t)(target - check->module.link_addr) : 0) &&
	       check->code_begin + counted.prefix == walk->range->copy_begin + at;
}

static uint64_t counted_target(const struct reading *reading)
{
	if (reading->kind == CHECK_ENTER)
		return reading->walk->range->begin;
	return reading->kind == CHECK_CALL ? reading->walk->insn->target : 0;
}

/* The probe's event is counted once, in the counter that has the number of its arming byte. */
static bool check_count(struct reading *reading)
{
	struct walk *walk = reading->walk;
	const uint64_t number = reading->arm_addr - walk->check->arm_addr;

	if (!reading->flags_live && counts(reading)) {
		rows_check(walk, walk->at, walk->insn->addr, 0);
		read_count(reading);
	}
	if (!counts(reading))
		return !reading->count_at ||
		       walk_fails(walk, VERIFY_PROBE, "a probe counts that is no begin of a call");
	if (!reading->count_at || number >= walk->check->module.counter_count ||
	    reading->count_addr != walk->check->counters_addr + number * sizeof(uint64_t))
		return walk_fails(walk, VERIFY_PROBE, "a call is not counted in its counter");
	return count_is_described(walk, number, counted_target(reading), reading->count_at) ||
	       walk_fails(walk, VERIFY_PROBE, "the file says something else of its counter");
}

/* A counter without a probe, where the stack is `depth` bytes deeper than before the instruction.
 */
struct bare {
	uint64_t number;
	uint32_t at;
	bool found, whole; /* whole: the flags are as before, and it is a counter that it adds to */
};

static struct bare take_bare(struct walk *walk, int64_t depth)
{
	const struct check *check = walk->check;
	const uint64_t like = walk->insn->addr;
	const uint32_t before = walk->at;
	const bool saves = walk_take_bytes(walk, 0x9c);
	struct bare bare = {.at = walk->at};
	uint64_t counter_addr;

	if (!count_take_insn(walk, &counter_addr)) {
		walk->at = before;
		return bare;
	}
	rows_check(walk, bare.at, like, depth + (saves ? WORD_BYTES : 0));
	if (saves)
		rows_check(walk, walk->at, like, depth + WORD_BYTES);
	bare.found = true;
	bare.number = (counter_addr - check->counters_addr) / sizeof(uint64_t);
	bare.whole = (!saves || walk_take_bytes(walk, 0x9d)) &&
		     bare.number < check->module.counter_count &&
		     counter_addr == check->counters_addr + bare.number * sizeof(uint64_t);
	return bare;
}

bool count_take(struct walk *walk)
{
	const uint64_t begin = walk->range->begin;
	struct check *check = walk->check;

	if (!check->module.counter_count)
		return true;
	const struct bare bare = take_bare(walk, 0);
	if (!bare.found) {
		/* What looked like the jump over an entry is one over a label. */
		walk->range->entry = false;
		walk->range->part = true;
		return true;
	}
	const uint64_t *owner = map_put(&check->enters, check->arm_addr + bare.number, begin);
	return (bare.whole && *owner == begin &&
		count_is_described(walk, bare.number, begin, bare.at)) ||
	       walk_fails(walk, VERIFY_PROBE, "the counter is not the function's own");
}

bool count_take_tail(struct walk *walk, uint64_t target)
{
	const uint64_t from = walk->insn->addr;
	struct check *check = walk->check;
	const struct bare bare = take_bare(walk, 0);

	if (!bare.found)
		return true;
	rows_check(walk, walk->at, from, 0);
	const uint64_t *owner = map_put(&check->sites, check->arm_addr + bare.number, from);
	return (bare.whole && *owner == from && bare.number >= check->module.function_count &&
		count_is_described(walk, bare.number, target, bare.at)) ||
	       walk_fails(walk, VERIFY_PROBE, "the counter is not the jump's own");
}

/* What the file says that the call leads to; 0 where its place in memory is asked. */
static bool is_described_call(const struct walk *walk, const struct bare *bare)
{
	const struct insn *insn = walk->insn;

	return (insn->kind == INSN_CALL_INDIRECT &&
		count_is_described(walk, bare->number, 0, bare->at)) ||
	       ((insn->kind == INSN_CALL || insn->rip_offset) &&
		count_is_described(walk, bare->number, insn->target, bare->at));
}

bool count_take_call(struct walk *walk, int64_t depth, bool *found)
{
	const struct tare_module *module = &walk->check->module;
	const uint64_t from = walk->insn->addr;
	const uint32_t before = walk->at;
	const struct bare bare = take_bare(walk, depth);

	*found = bare.found && bare.number - module->function_count < module->call_site_count;
	if (!*found) {
		walk->at = before;
		return true;
	}
	rows_check(walk, walk->at, from, depth);
	const uint64_t *owner =
		map_put(&walk->check->sites, walk->check->arm_addr + bare.number, from);
	return (bare.whole && *owner == from && is_described_call(walk, &bare)) ||
	       walk_fails(walk, VERIFY_PROBE, "the counter is not the call's own");
}

bool count_is_next(struct walk *walk)
{
	const uint32_t before = walk->at;
	uint64_t addr;
	const bool is_next = count_take_insn(walk, &addr);

	walk->at = before;
	return is_next;
}

bool count_take_body_call(struct walk *walk, int64_t depth, uint64_t function)
{
	const struct tare_module *module = &walk->check->module;
	const struct bare bare = take_bare(walk, depth);

	return (bare.whole && !module->flow_offset &&
		bare.number >= (uint64_t)module->function_count + module->call_site_count &&
		count_is_described(walk, bare.number, function, bare.at)) ||
	       walk_fails(walk, VERIFY_PROBE, "the counter is not that of a call");
}

/* ---- the stub ---- */

static int64_t depth_of(const struct reading *reading)
{
	return (reading->red_zone ? RED_ZONE_BYTES : 0) + (reading->flags_saved ? WORD_BYTES : 0) +
	       (reading->pushes ? WORD_BYTES : 0);
}

static void check_row(const struct reading *reading)
{
	rows_check(reading->walk, reading->walk->at, reading->walk->insn->addr, depth_of(reading));
}

/* call *slot(%rip) */
static bool take_slot_call(struct reading *reading)
{
	static const enum check_probe_kind kinds[] = {
		CHECK_ENTER,  CHECK_LEAVE,   CHECK_CALL,   CHECK_CALL_INDIRECT,
		CHECK_RETURN, CHECK_LANDING, CHECK_SYSCALL};
	struct walk *walk = reading->walk;
	uint64_t slot;

	if (!walk_take_bytes(walk, 0xff, 0x15) || !walk_take_distance(walk, 0, &slot))
		return false;
	slot -= walk->check->slots_addr;
	if (reading->flags_live)
		slot -= offsetof(struct tare_slots, below_flags);
	if (slot % WORD_BYTES || slot >= sizeof(struct tare_handlers))
		return false;
	reading->kind = kinds[slot / WORD_BYTES];
	reading->known = true;
	return true;
}

/* addr32 call of a handler in the file; a SYSCALL has the runtime's as well. */
static bool take_poison_call(struct reading *reading)
{
	struct walk *walk = reading->walk;
	uint64_t handler, arm_addr, skip;

	if (!walk_take_bytes(walk, 0x67, 0xe8) || !walk_take_distance(walk, 0, &handler) ||
	    !object_is_executable(walk->check->copy, handler))
		return false;
	if (!take_compare(walk, &arm_addr))
		return true;
	return walk_take_bytes(walk, 0x0f, 0x83) && walk_take_distance(walk, 0, &skip) &&
	       take_slot_call(reading) && reading->kind == CHECK_SYSCALL && skip == walk_addr(walk);
}

static bool take_call(struct reading *reading)
{
	static const struct insn_operation push_operand = {.opcode = 0xff, .reg = 6};
	struct walk *walk = reading->walk;

	if (walk->insn->kind == INSN_CALL_INDIRECT && walk_take_reused(walk, push_operand)) {
		reading->pushes = true;
		check_row(reading);
	}
	if (walk->check->poison ? !take_poison_call(reading) : !take_slot_call(reading))
		return walk_fails(walk, VERIFY_PROBE, "a stub calls no handler");
	reading->call_end = walk->at;
	check_row(reading);
	if (reading->pushes) {
		if (!walk_take_bytes(walk, 0x48, 0x8d, 0x64, 0x24, 8))
			return walk_fails(walk, VERIFY_PROBE, "a stub keeps its operand");
		reading->pushes = false;
		reading->kind = reading->known && reading->kind != CHECK_CALL_INDIRECT
					? CHECK_WRONG_PROBE
					: CHECK_CALL_INDIRECT;
		reading->known = true;
		check_row(reading);
	}
	return true;
}

static bool take_begin(struct reading *reading, uint64_t *skip)
{
	struct walk *walk = reading->walk;
	uint64_t arm_addr;

	check_row(reading);
	if (walk_take_bytes(walk, 0x48, 0x8d, 0x64, 0x24, 0x80)) {
		reading->red_zone = true;
		check_row(reading);
	}
	if (!reading->flags_live)
		return true;
	if (!walk_take_bytes(walk, 0x9c))
		return walk_fails(walk, VERIFY_PROBE, "a stub does not save the flags");
	reading->flags_saved = true;
	check_row(reading);
	read_count(reading);
	if (!take_compare(walk, &arm_addr) || !take_condition(walk, false, skip))
		return walk_fails(walk, VERIFY_PROBE, "a stub does not ask whether it is armed");
	reading->arm_addr = arm_addr;
	check_row(reading);
	return true;
}

static bool take_end(struct reading *reading, uint64_t skip)
{
	struct walk *walk = reading->walk;
	uint64_t back;

	if (reading->flags_live) {
		if (skip != walk_addr(walk) || !walk_take_bytes(walk, 0x9d))
			return walk_fails(walk, VERIFY_PROBE, "a stub does not restore the flags");
		reading->flags_saved = false;
		check_row(reading);
	}
	if (reading->red_zone) {
		if (!walk_take_bytes(walk, 0x48, 0x8d, 0xa4, 0x24, RED_ZONE_BYTES, 0, 0, 0))
			return walk_fails(walk, VERIFY_PROBE, "a stub loses the red zone");
		reading->red_zone = false;
		check_row(reading);
	}
	if (!walk_take_bytes(walk, 0xe9) || !walk_take_distance(walk, 0, &back) ||
	    back != walk->range->copy_begin + reading->back)
		return walk_fails(walk, VERIFY_PROBE, "a stub does not lead back behind its probe");
	return true;
}

/* ---- data ---- */

/* `key` is NULL where there is none, as with an indirect call. */
static bool take_data(struct reading *reading, const uint64_t *key)
{
	struct walk *walk = reading->walk;
	const uint32_t before = walk->at;
	const uint32_t begin = reading->call_end + (key ? TARE_STUB_DATA : TARE_STUB_DATA_INDIRECT);
	uint64_t found, arm_addr;

	while (walk->at < begin)
		if (!walk_take_bytes(walk, 0xcc))
			break;
	if (walk->at == begin && (!key || (walk_take_distance(walk, 0, &found) && found == *key)) &&
	    walk_take_distance(walk, 0, &arm_addr) && arm_addr == reading->arm_addr)
		return true;
	walk->at = before;
	return false;
}

/* ---- what may stand where ---- */

/* The function may be left here: also at its end, before a jump to what follows. */
static bool leaves(const struct walk *walk)
{
	const enum insn_kind kind = (enum insn_kind)walk->insn->kind;

	return kind == INSN_RETURN || kind == INSN_JUMP || kind == INSN_BRANCH ||
	       kind == INSN_LOOP || kind == INSN_JUMP_INDIRECT ||
	       insn_end(walk->insn) == walk->range->end;
}

/* An exception may come here. That probe stands before all others of the instruction. */
static bool lands(const struct walk *walk)
{
	return map_get(&walk->check->pads, walk->insn->addr) != NULL;
}

/* What the context says of a poisoned probe, whose stub does not tell. */
static enum check_probe_kind guess_kind(const struct reading *reading, bool enters,
					bool behind_call, bool was_red)
{
	if (behind_call)
		return CHECK_RETURN;
	if (was_red)
		return CHECK_SYSCALL;
	if (enters)
		return CHECK_ENTER;
	if (insn_is_call(reading->walk->insn))
		return CHECK_CALL;
	if (lands(reading->walk) && !reading->walk->landed)
		return CHECK_LANDING;
	return leaves(reading->walk) ? CHECK_LEAVE : CHECK_LANDING;
}

static bool may_stand_here(const struct reading *reading, bool enters, bool behind_call)
{
	const struct insn *insn = reading->walk->insn;
	const enum insn_kind kind = (enum insn_kind)insn->kind;

	switch (reading->kind) {
	case CHECK_ENTER:
		return enters;
	case CHECK_LEAVE:
		return leaves(reading->walk);
	case CHECK_CALL:
		return insn_is_call(insn);
	case CHECK_CALL_INDIRECT:
		return kind == INSN_CALL_INDIRECT;
	case CHECK_SYSCALL:
		return insn->is_syscall;
	case CHECK_RETURN:
		return behind_call;
	case CHECK_LANDING:
		return lands(reading->walk);
	default:
		return false;
	}
}

static bool check_function_arm(struct reading *reading)
{
	struct check_range *range = reading->walk->range;

	if (!range->arm_addr)
		range->arm_addr = reading->arm_addr;
	else if (range->arm_addr != reading->arm_addr)
		return walk_fails(reading->walk, VERIFY_PROBE,
				  "probes of one function have different arming bytes");
	if (reading->kind != CHECK_ENTER)
		return true;
	uint64_t *owner = map_put(&reading->walk->check->enters, reading->arm_addr, range->begin);
	return *owner == range->begin || walk_fails(reading->walk, VERIFY_PROBE,
						    "its arming byte is another function's, too");
}

static bool check_arm(struct reading *reading)
{
	const struct check *check = reading->walk->check;
	const uint64_t sites = check->arm_addr + check->module.function_count;
	const bool of_site = reading->kind == CHECK_CALL || reading->kind == CHECK_CALL_INDIRECT ||
			     reading->kind == CHECK_RETURN;

	if (of_site) {
		if (reading->kind == CHECK_RETURN)
			return true;
		uint64_t *owner = map_put(&reading->walk->check->sites, reading->arm_addr,
					  reading->walk->insn->addr);
		if (*owner != reading->walk->insn->addr ||
		    (!check->poison && reading->arm_addr < sites))
			return walk_fails(reading->walk, VERIFY_PROBE,
					  "its arming byte is another's, too");
		return true;
	}
	if (check->poison)
		return check_function_arm(reading);
	if (reading->kind == CHECK_SYSCALL)
		return reading->arm_addr == check->arm_end - 1 ||
		       walk_fails(reading->walk, VERIFY_PROBE, "not the byte of system calls");
	if (reading->arm_addr >= sites)
		return walk_fails(reading->walk, VERIFY_PROBE, "its arming byte is a call's");
	return check_function_arm(reading);
}

/* The data behind stubs that have some: they tell a poisoned ENTER from others, too. */
static bool check_data(struct reading *reading)
{
	const struct insn *insn = reading->walk->insn;

	if (reading->kind == CHECK_ENTER)
		return take_data(reading, &reading->walk->range->begin);
	if (reading->kind == CHECK_CALL)
		return take_data(reading, &insn->target);
	return reading->kind != CHECK_CALL_INDIRECT || take_data(reading, NULL);
}

static bool take_stub(struct reading *reading, bool enters, bool behind_call)
{
	struct walk *walk = reading->walk;
	uint64_t skip = 0;

	walk->at = reading->stub;
	if (!take_begin(reading, &skip))
		return false;
	const bool red_zone = reading->red_zone;
	if (!take_call(reading) || !take_end(reading, skip))
		return false;
	if (!reading->known)
		reading->kind = guess_kind(reading, enters, behind_call, red_zone);
	if (red_zone != (reading->kind == CHECK_SYSCALL))
		return walk_fails(walk, VERIFY_PROBE, "a stub treats the red zone wrongly");
	return true;
}

/* Behind the inline part: reads the stub, and what may tell its kind. False: a difference. */
static bool read_probe(struct reading *reading, bool enters, bool behind_call)
{
	struct walk *walk = reading->walk;

	if (!reading->flags_live)
		rows_check(walk, reading->begin + COMPARE_BYTES, walk->insn->addr, 0);
	walk->in_leave = leaves(walk);
	const bool ok = take_stub(reading, enters, behind_call);
	walk->in_leave = false;
	return ok;
}

/* All of the probe is known: notes it, and steps behind it. False: a difference. */
static bool accept_probe(struct reading *reading)
{
	struct walk *walk = reading->walk;
	const struct check_stub stub = {
		.begin = reading->stub, .end = walk->at, .kind = CHECK_STUB_OTHER};

	vec_push(&walk->stubs, stub);
	walk->check->result->counts.probes++;
	walk->left |= reading->kind == CHECK_LEAVE;
	walk->landed |= reading->kind == CHECK_LANDING;
	walk->at = reading->back;
	return check_count(reading);
}

struct check_probe probe_take(struct walk *walk, bool enters, bool behind_call)
{
	struct reading reading = {.walk = walk, .kind = CHECK_WRONG_PROBE};
	const struct check_probe none = {.kind = CHECK_NO_PROBE},
				 wrong = {.kind = CHECK_WRONG_PROBE};

	if (!take_inline(&reading))
		return none;
	if (!read_probe(&reading, enters, behind_call))
		return wrong;
	const uint32_t data_begin = walk->at;
	if (enters &&
	    (reading.kind != CHECK_ENTER || (walk->check->poison && !check_data(&reading)))) {
		/* Some probe of the first instruction: its turn comes. */
		walk->at = reading.begin;
		return none;
	}
	/* A poisoned landing pad may begin with a call. */
	if (walk->check->poison && reading.kind == CHECK_CALL && !check_data(&reading))
		reading.kind = CHECK_LANDING;
	else if (walk->check->poison && reading.kind == CHECK_CALL)
		walk->at = data_begin;
	if (!may_stand_here(&reading, enters, behind_call)) {
		walk->at = reading.begin;
		walk_fails(walk, VERIFY_PROBE, "a probe of a kind that has no meaning here");
		return wrong;
	}
	if (!(enters && walk->check->poison) && !check_data(&reading)) {
		walk_fails(walk, VERIFY_PROBE, "the data of a stub are wrong");
		return wrong;
	}
	if (!check_arm(&reading) || !accept_probe(&reading))
		return wrong;
	return (struct check_probe){.kind = reading.kind, .arm_addr = reading.arm_addr};
}

bool probe_take_landing(struct walk *walk)
{
	const struct check_kept kept = check_keep(walk->check);
	struct reading reading = {.walk = walk, .kind = CHECK_WRONG_PROBE};
	const uint32_t before = walk->at;

	if (take_inline(&reading) && read_probe(&reading, false, false) &&
	    reading.kind == CHECK_LANDING && lands(walk) && check_arm(&reading))
		return accept_probe(&reading);
	check_restore(walk->check, &kept);
	walk->at = before;
	return false;
}
