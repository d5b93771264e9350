/*
 * Follows the code from an address to a return, the nearest first, and notes what becomes of the
 * stack pointer and of the registers that functions preserve:
 *
 *   values     same | base + offset | word at base + offset | lost
 *   bases      rsp and rbp as they are at the address
 *   ends       ret, and jumps through a slot of the GOT (PLTs, tail calls)
 *
 * What the code does to get there, the program would do too, so no prologue need be known. Given up
 * is a way on which the stack pointer becomes unknown or a preserved register is not restored. A
 * call that never returns leads into other code; whoever uses the rule has to look whether the
 * return address that it gives can be one.
 */
#include "unwind/from_code.h"

#include "insn/insn.h"
#include "unwind/step.h"

#include <string.h>

enum { WAYS_MAX = 32, INSTRUCTIONS_MAX = 1024, STORED = 32, INSTRUCTION_BYTES = 15 };

struct value {
	enum { VALUE_SAME, VALUE_ADDR, VALUE_WORD, VALUE_LOST } kind;
	bool by_rbp;	/* the base is rbp, else rsp */
	int64_t offset; /* VALUE_SAME: the number of the register whose value it is */
};

/* The state on one way. Index of registers: as encoded. */
struct way {
	uint64_t addr;
	struct value registers[REG_COUNT];
	struct value stored[STORED]; /* words below where rsp was, the highest first */
};

struct search {
	const struct object *object;
	struct way ways[WAYS_MAX];
	size_t first, count; /* a ring */
	uint64_t seen[INSTRUCTIONS_MAX];
	size_t seen_count, seen_max;
};

static const struct value lost = {.kind = VALUE_LOST};

/* ---- operands ---- */

struct operands {
	unsigned opcode, reg, rm;
	bool wide, in_memory, simple; /* simple: [rm + offset], or a register */
	int64_t offset;
};

static bool is_prefix(unsigned char byte)
{
	return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x3e;
}

static struct operands operands_of(const unsigned char *at, const struct insn *insn)
{
	const unsigned char *end = at + insn->length;
	struct operands operands = {.opcode = 0x90};
	unsigned rex = 0;

	while (at < end && is_prefix(*at))
		at++;
	if (at < end && (*at & 0xf0) == 0x40)
		rex = *at++;
	if (at == end)
		return operands;
	operands.opcode = *at++;
	operands.wide = rex & 8;
	operands.rm = (operands.opcode & 7) | (rex & 1) << 3;
	if (!insn->modrm_offset || at >= end)
		return operands;
	const unsigned modrm = *at++, mode = modrm >> 6;

	operands.reg = (modrm >> 3 & 7) | (rex & 4) << 1;
	operands.rm = (modrm & 7) | (rex & 1) << 3;
	operands.in_memory = mode != 3;
	operands.simple = true;
	if (!operands.in_memory)
		return operands;
	if ((modrm & 7) == 4 && at < end) {
		operands.simple = (*at >> 3 & 7) == 4 && !(rex & 2);
		operands.rm = (*at++ & 7) | (rex & 1) << 3;
	}
	operands.simple &= !(mode == 0 && (operands.rm & 7) == 5);
	if (mode == 1 && at < end)
		operands.offset = (int64_t)(int8_t)*at;
	if (mode == 2 && end - at >= 4) {
		int32_t offset;
		memcpy(&offset, at, sizeof(offset));
		operands.offset = offset;
	}
	return operands;
}

static int64_t last_immediate(const unsigned char *bytes, const struct insn *insn, size_t size)
{
	int32_t wide;

	if (size == 1)
		return (int8_t)bytes[insn->length - 1];
	memcpy(&wide, bytes + insn->length - sizeof(wide), sizeof(wide));
	return wide;
}

/* ---- values ---- */

/* The register as an address, lost if it is none. */
static struct value addr_in(const struct way *way, unsigned number)
{
	struct value value = way->registers[number];

	if (value.kind == VALUE_SAME && value.offset == REG_RBP)
		value = (struct value){.kind = VALUE_ADDR, .by_rbp = true};
	return value.kind == VALUE_ADDR ? value : lost;
}

static struct value plus(struct value value, int64_t offset)
{
	value.offset += offset;
	return value;
}

static struct value *stored_at(struct way *way, struct value addr)
{
	if (addr.kind != VALUE_ADDR || addr.by_rbp || addr.offset >= 0 || addr.offset & 7 ||
	    addr.offset < -(int64_t)8 * STORED)
		return NULL;
	return &way->stored[-addr.offset / 8 - 1];
}

static struct value load(struct way *way, struct value addr)
{
	const struct value *stored = stored_at(way, addr);

	if (stored)
		return *stored;
	if (addr.kind != VALUE_ADDR || (!addr.by_rbp && addr.offset < 0))
		return lost;
	addr.kind = VALUE_WORD;
	return addr;
}

static void store(struct way *way, struct value addr, struct value value)
{
	struct value *stored = stored_at(way, addr);

	if (stored)
		*stored = value;
}

static void push(struct way *way, struct value value)
{
	struct value *rsp = &way->registers[REG_RSP];

	rsp->offset -= 8;
	store(way, *rsp, value);
}

static struct value pop(struct way *way)
{
	struct value *rsp = &way->registers[REG_RSP];
	const struct value value = load(way, *rsp);

	rsp->offset += 8;
	return value;
}

/* ---- one instruction ---- */

static void run_move(struct way *way, const struct operands *operands)
{
	const bool to_rm = operands->opcode == 0x89;
	const unsigned to = to_rm ? operands->rm : operands->reg;
	const unsigned from = to_rm ? operands->reg : operands->rm;

	if (!operands->in_memory) {
		way->registers[to] = to == REG_RSP ? addr_in(way, from) : way->registers[from];
		return;
	}
	const struct value base =
		operands->simple ? plus(addr_in(way, operands->rm), operands->offset) : lost;
	if (to_rm)
		store(way, base, way->registers[operands->reg]);
	else
		way->registers[operands->reg] = load(way, base);
}

/* Those that name the stack pointer or move whole registers; false for others. */
static bool run_known(struct way *way, const unsigned char *bytes, const struct insn *insn)
{
	const struct operands operands = operands_of(bytes, insn);
	const unsigned opcode = operands.opcode, group = operands.reg & 7;

	if (opcode >= 0x50 && opcode <= 0x57) {
		push(way, way->registers[operands.rm]);
	} else if (opcode >= 0x58 && opcode <= 0x5f) {
		way->registers[operands.rm] = pop(way);
	} else if (opcode == 0x68 || opcode == 0x6a || opcode == 0x9c ||
		   (opcode == 0xff && group == 6)) {
		push(way, lost);
	} else if (opcode == 0x9d || (opcode == 0x8f && group == 0)) {
		pop(way);
	} else if (opcode == 0xc9) {
		way->registers[REG_RSP] = addr_in(way, REG_RBP);
		way->registers[REG_RBP] = pop(way);
	} else if ((opcode == 0x83 || opcode == 0x81) && operands.wide && !operands.in_memory &&
		   operands.rm == REG_RSP && (group == 0 || group == 5)) {
		const int64_t by = last_immediate(bytes, insn, opcode == 0x83 ? 1 : 4);
		way->registers[REG_RSP].offset += group ? -by : by;
	} else if (opcode == 0x8d && operands.wide) {
		way->registers[operands.reg] =
			operands.simple && operands.in_memory
				? plus(addr_in(way, operands.rm), operands.offset)
				: lost;
	} else if ((opcode == 0x89 || opcode == 0x8b) && operands.wide) {
		run_move(way, &operands);
	} else {
		return false;
	}
	return true;
}

static void run(struct way *way, const unsigned char *bytes, const struct insn *insn)
{
	if (insn_is_call(insn)) {
		for (unsigned i = 0; i < REG_COUNT; i++)
			if (!(REGS_CALLEE_SAVED & REG_BIT(i)))
				way->registers[i] = lost;
		return;
	}
	if (!run_known(way, bytes, insn))
		for (unsigned i = 0; i < REG_COUNT; i++)
			if (insn->writes & REG_BIT(i))
				way->registers[i] = lost;
}

/* ---- the end of a way ---- */

static const uint8_t saved_numbers[] = {
	[UNWIND_SAVED_RBX] = REG_RBX, [UNWIND_SAVED_RBP] = REG_RBP, [UNWIND_SAVED_R12] = REG_R12,
	[UNWIND_SAVED_R13] = REG_R13, [UNWIND_SAVED_R14] = REG_R14, [UNWIND_SAVED_R15] = REG_R15,
};
table_covers(saved_numbers, UNWIND_SAVED_COUNT);

/* The rule of a way at whose end the return address is `above` bytes above the stack pointer. */
static bool make_rule(const struct way *way, int64_t above, struct unwind_rule *rule)
{
	const struct value rsp = way->registers[REG_RSP];
	const int64_t cfa = rsp.offset + above + 8;

	if (rsp.kind != VALUE_ADDR || cfa != (int32_t)cfa || (!rsp.by_rbp && cfa < 8))
		return false;
	*rule = (struct unwind_rule){.cfa_offset = (int32_t)cfa,
				     .cfa_register = rsp.by_rbp ? UNWIND_RBP : UNWIND_RSP};
	for (int i = 0; i < UNWIND_SAVED_COUNT; i++) {
		const struct value value = way->registers[saved_numbers[i]];
		const int64_t offset = value.offset - cfa;

		rule->saved[i] = UNWIND_SAME;
		if (value.kind == VALUE_SAME && value.offset == saved_numbers[i])
			continue;
		if (value.kind != VALUE_WORD || value.by_rbp != rsp.by_rbp ||
		    offset <= UNWIND_SAME || offset > -16)
			return false;
		rule->saved[i] = (int16_t)offset;
	}
	return true;
}

/* Behind the push of the word below the slot: the first entry of a PLT, which two words lie above.
 */
static bool is_first_of_plt(const struct object *object, const struct insn *jump)
{
	const unsigned char *before = object_at(object, jump->addr - 6, 6);
	int32_t offset;

	if (!before || before[0] != 0xff || before[1] != 0x35)
		return false;
	memcpy(&offset, before + 2, sizeof(offset));
	return jump->addr + (uint64_t)(int64_t)offset + 8 == jump->target;
}

static bool is_end(const struct object *object, const struct way *way, const struct insn *insn,
		   struct unwind_rule *rule)
{
	const bool through_slot = insn->kind == INSN_JUMP_INDIRECT && insn->rip_offset;
	const unsigned char *bytes = object_at(object, insn->addr, insn->length);

	if (insn->kind == INSN_RETURN && bytes[insn->length - 1] != 0xc3)
		return false; /* takes arguments off the stack */
	if (insn->kind != INSN_RETURN && !through_slot)
		return false;
	return make_rule(way, through_slot && is_first_of_plt(object, insn) ? 16 : 0, rule);
}

/* ---- the search ---- */

static void add_way(struct search *search, const struct way *way, uint64_t addr)
{
	if (search->count == WAYS_MAX)
		return;
	struct way *added = &search->ways[(search->first + search->count++) % WAYS_MAX];

	*added = *way;
	added->addr = addr;
}

static bool is_seen(struct search *search, uint64_t addr)
{
	for (size_t i = 0; i < search->seen_count; i++)
		if (search->seen[i] == addr)
			return true;
	if (search->seen_count == search->seen_max)
		return true;
	search->seen[search->seen_count++] = addr;
	return false;
}

static bool decode(const struct object *object, uint64_t addr, struct insn *insn,
		   const unsigned char **bytes)
{
	size_t size = INSTRUCTION_BYTES;

	if (!object_is_executable(object, addr))
		return false;
	while (size && !(*bytes = object_at(object, addr, size)))
		size--;
	return size && insn_decode(*bytes, size, addr, insn);
}

/* Another function begins behind a call that does not come back. */
static bool is_behind_last_call(const unsigned char *bytes, const struct insn *insn)
{
	const bool call = insn_is_call(insn);

	return call && bytes[insn->length] == 0xcc;
}

/* One way up to its next branch. True if it has ended with a rule. */
static bool follow(struct search *search, struct way *way, struct unwind_rule *rule)
{
	const unsigned char *bytes;
	struct insn insn;

	while (!is_seen(search, way->addr) && decode(search->object, way->addr, &insn, &bytes)) {
		if (is_end(search->object, way, &insn, rule))
			return true;
		if (insn.kind == INSN_BRANCH || insn.kind == INSN_LOOP)
			add_way(search, way, insn.target);
		if (insn.kind == INSN_JUMP) {
			way->addr = insn.target;
			continue;
		}
		if (!insn_falls_through(&insn) || (object_at(search->object, insn_end(&insn), 1) &&
						   is_behind_last_call(bytes, &insn)))
			return false;
		run(way, bytes, &insn);
		if (way->registers[REG_RSP].kind != VALUE_ADDR)
			return false;
		way->addr = insn_end(&insn);
	}
	return false;
}

static bool search_rule(struct search *search, struct unwind_rule *rule)
{
	while (search->count) {
		struct way way = search->ways[search->first];

		search->first = (search->first + 1) % WAYS_MAX;
		search->count--;
		if (follow(search, &way, rule))
			return true;
	}
	return false;
}

bool unwind_rule_from_code_within(const struct object *object, uint64_t link_addr,
				  struct unwind_rule *rule, size_t *steps)
{
	struct search search = {.object = object};
	struct way begin = {0};

	search.seen_max = *steps < INSTRUCTIONS_MAX ? *steps : INSTRUCTIONS_MAX;
	for (unsigned i = 0; i < REG_COUNT; i++)
		begin.registers[i] = (struct value){.kind = VALUE_SAME, .offset = i};
	begin.registers[REG_RSP] = (struct value){.kind = VALUE_ADDR};
	for (size_t i = 0; i < STORED; i++)
		begin.stored[i] = lost;
	add_way(&search, &begin, link_addr);
	const bool found = search_rule(&search, rule);

	*steps -= search.seen_count;
	return found;
}

bool unwind_rule_from_code(const struct object *object, uint64_t link_addr,
			   struct unwind_rule *rule)
{
	size_t steps = INSTRUCTIONS_MAX;

	return unwind_rule_from_code_within(object, link_addr, rule, &steps);
}

bool unwind_is_return_addr(const struct object *object, uint64_t link_addr)
{
	const unsigned char *bytes = NULL;
	size_t size = INSTRUCTION_BYTES;

	while (size && !(bytes = object_at(object, link_addr - size, size)))
		size--;
	return bytes && unwind_is_behind_call(bytes + size, size);
}
