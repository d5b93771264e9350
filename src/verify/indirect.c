/*
 * Indirect jumps. A translated jump has before it, for each range that its target may lie in,
 *
 *     lea first(%rip),A; sub target,A; neg A; cmp $size,A; jae next
 *     lea map(%rip),B; movslq (B,A,4),A; add B,A; jmp *A
 *   next:
 *
 * or the same with A, B and the flags saved behind the red zone and `ret $128` as the jump, or, of
 * a jump through a register D, which must keep the target,
 *
 *     lea (A,A,2),A; movslq map-first(D,A),A; add D,A; jmp *A
 *
 * or, of one through a register D that nothing needs at the target, with A alone saved,
 *
 *     lea (A,A,2),A; movslq map-first(D,A),A; add A,D; pop A; lea 128(%rsp),%rsp; jmp *D
 *
 * The map must lead from every original byte that begins an instruction to its copy, and from the
 * others to themselves. In poisoned files A, B and the flags are spoiled where they are said to be
 * dead.
 *
 * A jump through a table reads another table. What its base register holds is not known here: of
 * the addresses that the function loads, the one is taken with which all entries agree.
 */
#include "verify/private.h"

#include <inttypes.h>
#include <string.h>

enum { RED_ZONE_BYTES = 128, SAVED_WORDS = 4, REGISTER_UNKNOWN = 16 };

/* ---- translated jumps ---- */

/* lea address(%rip),register */
static bool take_lea(struct walk *walk, unsigned *reg, uint64_t *target)
{
	const uint32_t before = walk->at;

	for (*reg = 0; *reg < REG_COUNT; ++*reg) {
		if (walk_take_bytes(walk, (unsigned char)(0x48 | (*reg >> 3) << 2), 0x8d,
				    (unsigned char)(0x05 | (*reg & 7) << 3)) &&
		    walk_take_distance(walk, 0, target))
			return true;
		walk->at = before;
	}
	return false;
}

struct translation {
	unsigned a, b;
	uint64_t first, next;
	bool saves; /* A, B and the flags */
	bool own;   /* A is saved, and the jump's register leads to the copy */
};

/* A = target - first, or on to `next`. */
static bool take_offset(struct walk *walk, struct translation *translation)
{
	const unsigned a = translation->a;
	const struct check_range *range = check_range_at(walk->check, translation->first);
	const uint64_t size = range ? range->end - translation->first : 0;

	return range && a != REG_RSP && !(walk->insn->reads & REG_BIT(a)) &&
	       (translation->first == range->begin || translation->first == range->begin + 1) &&
	       walk_take_reused(
		       walk,
		       (struct insn_operation){.opcode = 0x2b, .reg = (uint8_t)a, .wide = true}) &&
	       walk_take_bytes(walk, (unsigned char)(0x48 | a >> 3), 0xf7,
			       (unsigned char)(0xd8 | (a & 7))) &&
	       walk_take_bytes(walk, (unsigned char)(0x48 | a >> 3), 0x81,
			       (unsigned char)(0xf8 | (a & 7)), (unsigned char)size,
			       (unsigned char)(size >> 8), (unsigned char)(size >> 16),
			       (unsigned char)(size >> 24)) &&
	       walk_take_bytes(walk, 0x0f, 0x83) && walk_take_distance(walk, 0, &translation->next);
}

/* The jump goes through a register that is not saved, and keeps it. */
static bool keeps_target(const struct walk *walk, const struct translation *translation)
{
	return !translation->saves && walk->insn->jump_register != REG_NONE;
}

/* add addend,to */
static bool take_add(struct walk *walk, unsigned to, unsigned addend)
{
	return walk_take_bytes(walk, (unsigned char)(0x48 | (addend >> 3) << 2 | to >> 3), 0x01,
			       (unsigned char)(0xc0 | (addend & 7) << 3 | (to & 7)));
}

/* A, or the jump's own register, = its copy, by the map of distances from the originals and the
   register with the target */
static bool take_register_lookup(struct walk *walk, const struct translation *translation)
{
	const unsigned a = translation->a, target = walk->insn->jump_register;
	struct check_map map = {.addr = walk->insn->addr,
				.copy_addr = walk_addr(walk),
				.first = translation->first,
				.from_original = true};
	int32_t disp;

	if (!walk_take_bytes(walk, (unsigned char)(0x48 | (a >> 3) << 2 | (a >> 3) << 1 | a >> 3),
			     0x8d, (unsigned char)(0x44 | (a & 7) << 3),
			     (unsigned char)(0x40 | (a & 7) << 3 | (a & 7)), 0) ||
	    !walk_take_bytes(walk,
			     (unsigned char)(0x48 | (a >> 3) << 2 | (a >> 3) << 1 | target >> 3),
			     0x63, (unsigned char)(0x84 | (a & 7) << 3),
			     (unsigned char)((a & 7) << 3 | (target & 7))) ||
	    !walk_take_disp(walk, &disp))
		return false;
	map.map_addr = map.first + (uint64_t)(int64_t)disp;
	vec_push(&walk->check->maps, map);
	return translation->own ? take_add(walk, target, a) : take_add(walk, a, target);
}

/* A = its copy, by the map */
static bool take_lookup(struct walk *walk, struct translation *translation)
{
	const unsigned a = translation->a;
	struct check_map map = {.addr = walk->insn->addr,
				.copy_addr = walk_addr(walk),
				.first = translation->first};

	if (keeps_target(walk, translation))
		return take_register_lookup(walk, translation);
	if (!take_lea(walk, &translation->b, &map.map_addr))
		return false;
	const unsigned b = translation->b;
	vec_push(&walk->check->maps, map);
	return a != b && b != REG_RSP &&
	       walk_take_bytes(walk, (unsigned char)(0x48 | (a >> 3) << 2 | (a >> 3) << 1 | b >> 3),
			       0x63, (unsigned char)(0x44 | (a & 7) << 3),
			       (unsigned char)(0x80 | (a & 7) << 3 | (b & 7)), 0) &&
	       take_add(walk, a, b);
}

/* mov $pattern,register: of a register that is dead */
static bool take_scramble(struct walk *walk, unsigned reg)
{
	return (reg < 8 || walk_take_bytes(walk, 0x41)) &&
	       walk_take_bytes(walk, (unsigned char)(0xb8 | (reg & 7)), 0x5a, 0x5a, 0x5a, 0x5a);
}

/* B and the flags are spoiled: mov $constant,B; add or test B,B; then B. */
static bool take_poison(struct walk *walk, unsigned b)
{
	const unsigned char both = (unsigned char)(0xc0 | (b & 7) << 3 | (b & 7));

	if (!walk_take_bytes(walk, (unsigned char)(0x40 | b >> 3),
			     (unsigned char)(0xb8 | (b & 7))) ||
	    walk->size - walk->at < 4)
		return false;
	walk->at += 4;
	if (!walk_take_bytes(walk, (unsigned char)(0x40 | (b >> 3) << 2 | b >> 3)) ||
	    (!walk_take_bytes(walk, 0x01, both) && !walk_take_bytes(walk, 0x85, both)))
		return false;
	return take_scramble(walk, b);
}

/* The flags are spoiled: cmp A,A and stc; or test A,A. */
static bool take_flags_poison(struct walk *walk, unsigned a)
{
	const unsigned char prefix = (unsigned char)(0x48 | (a >> 3) << 2 | a >> 3);
	const unsigned char both = (unsigned char)(0xc0 | (a & 7) << 3 | (a & 7));

	return walk_take_bytes(walk, prefix, 0x39, both, 0xf9) ||
	       walk_take_bytes(walk, prefix, 0x85, both);
}

static bool take_pop(struct walk *walk, unsigned reg)
{
	return (reg < 8 || walk_take_bytes(walk, 0x41)) &&
	       walk_take_bytes(walk, (unsigned char)(0x58 | (reg & 7)));
}

static void check_saved_row(struct walk *walk, unsigned words)
{
	rows_check(walk, walk->at, walk->insn->addr, RED_ZONE_BYTES + 8 * words);
}

static bool take_restore(struct walk *walk, const struct translation *translation)
{
	check_saved_row(walk, 4);
	if (!take_pop(walk, translation->b))
		return false;
	check_saved_row(walk, 3);
	if (!take_pop(walk, translation->a))
		return false;
	check_saved_row(walk, 2);
	if (!walk_take_bytes(walk, 0x9d))
		return false;
	check_saved_row(walk, 1);
	return true;
}

static bool take_jump_through(struct walk *walk, unsigned reg)
{
	return (reg < 8 || walk_take_bytes(walk, 0x41)) &&
	       walk_take_bytes(walk, 0xff, (unsigned char)(0xe0 | (reg & 7)));
}

/* pop A; lea 128(%rsp),%rsp */
static bool take_restore_one(struct walk *walk, unsigned a)
{
	check_saved_row(walk, 1);
	if (!take_pop(walk, a))
		return false;
	check_saved_row(walk, 0);
	if (!walk_take_bytes(walk, 0x48, 0x8d, 0xa4, 0x24, RED_ZONE_BYTES, 0, 0, 0))
		return false;
	rows_check(walk, walk->at, walk->insn->addr, 0);
	return true;
}

static bool take_own_arrival(struct walk *walk, unsigned a)
{
	return (!walk->check->poison || take_flags_poison(walk, a)) && take_restore_one(walk, a) &&
	       take_jump_through(walk, walk->insn->jump_register);
}

/* The jump to the copy. */
static bool take_arrival(struct walk *walk, const struct translation *translation)
{
	const unsigned a = translation->a;

	if (translation->saves)
		return walk_take_bytes(walk, (unsigned char)(0x48 | (a >> 3) << 2), 0x89,
				       (unsigned char)(0x44 | (a & 7) << 3), 0x24, 24) &&
		       take_restore(walk, translation) &&
		       walk_take_bytes(walk, 0xc2, RED_ZONE_BYTES, 0);
	if (translation->own)
		return take_own_arrival(walk, a);
	rows_check(walk, walk->at, walk->insn->addr, 0);
	if (walk->check->poison &&
	    !(keeps_target(walk, translation) ? take_flags_poison(walk, a)
					      : take_poison(walk, translation->b)))
		return false;
	return take_jump_through(walk, a);
}

/* One range's block, if one is next: its first instruction loads the begin of a range. */
static bool take_block(struct walk *walk, struct translation *translation, bool *found)
{
	const uint32_t before = walk->at;
	struct translation block = {.saves = translation->saves, .own = translation->own};

	*found = take_lea(walk, &block.a, &block.first) && take_offset(walk, &block);
	if (!*found) {
		walk->at = before;
		return true;
	}
	const unsigned a = translation->a;
	*translation = block;
	if (a < REGISTER_UNKNOWN && a != translation->a)
		return walk_fails(walk, VERIFY_CODE, "a translated jump uses other registers");
	if (!take_lookup(walk, translation) || !take_arrival(walk, translation) ||
	    translation->next != walk_addr(walk))
		return walk_fails(walk, VERIFY_CODE, "a translated jump has another form");
	return true;
}

static bool take_blocks(struct walk *walk, struct translation *translation)
{
	bool found;

	do {
		if (!take_block(walk, translation, &found))
			return false;
	} while (found);
	return true;
}

/* The registers that are saved, in the order of the pushes. */
static bool take_push(struct walk *walk, unsigned *reg)
{
	const uint32_t before = walk->at;

	*reg = walk_take_bytes(walk, 0x41) ? 8 : 0;
	if (walk->at < walk->size && (walk->code[walk->at] & 0xf8) == 0x50) {
		*reg += walk->code[walk->at++] & 7;
		return true;
	}
	walk->at = before;
	return false;
}

static bool take_saving_all(struct walk *walk)
{
	struct translation translation = {.a = REGISTER_UNKNOWN, .saves = true};
	unsigned reg;

	check_saved_row(walk, 1);
	bool ok = walk_take_bytes(walk, 0x9c);
	check_saved_row(walk, 2);
	ok = ok && take_push(walk, &reg);
	check_saved_row(walk, 3);
	ok = ok && take_push(walk, &reg);
	check_saved_row(walk, 4);
	if (!ok)
		return walk_fails(walk, VERIFY_CODE, "a translated jump does not save its state");
	if (!take_blocks(walk, &translation))
		return false;
	if (translation.a == REGISTER_UNKNOWN || !take_restore(walk, &translation) ||
	    !walk_take_bytes(walk, 0x48, 0x8d, 0xa4, 0x24, RED_ZONE_BYTES + 8, 0, 0, 0))
		return walk_fails(walk, VERIFY_CODE,
				  "a translated jump does not restore its state");
	return true;
}

static bool take_saving_one(struct walk *walk)
{
	struct translation translation = {.own = true};
	const uint8_t target = walk->insn->jump_register;

	if (target == REG_NONE || !take_push(walk, &translation.a) || translation.a == target)
		return walk_fails(walk, VERIFY_CODE, "a translated jump does not save its state");
	check_saved_row(walk, 1);
	if (!take_blocks(walk, &translation))
		return false;
	return take_restore_one(walk, translation.a) ||
	       walk_fails(walk, VERIFY_CODE, "a translated jump does not restore its state");
}

static bool take_saving(struct walk *walk)
{
	check_saved_row(walk, 0);
	return walk_take_bytes(walk, 0x6a, 0) ? take_saving_all(walk) : take_saving_one(walk);
}

bool indirect_take_translation(struct walk *walk)
{
	struct translation translation = {.a = REGISTER_UNKNOWN};

	if (walk_take_bytes(walk, 0x48, 0x8d, 0x64, 0x24, 0x80))
		return take_saving(walk);
	if (!take_blocks(walk, &translation))
		return false;
	if (translation.a == REGISTER_UNKNOWN || !walk->check->poison)
		return true;
	return take_scramble(walk, translation.a) ||
	       walk_fails(walk, VERIFY_CODE, "a poisoned jump keeps its register");
}

/* ---- maps ---- */

static bool check_map(struct check *check, const struct check_map *map)
{
	const struct check_range *range = check_range_at(check, map->first);
	const uint64_t count = range->end - map->first;
	const unsigned char *entries = object_at(check->copy, map->map_addr, count * 4);

	if (!range->copied || range->entry != (map->first != range->begin) || !entries) {
		check_differs(check, VERIFY_TABLE, map->addr, map->copy_addr,
			      "the map at 0x%" PRIx64 " is not that of the range", map->map_addr);
		return false;
	}
	for (uint64_t i = 0; i < count; i++) {
		int32_t distance;
		memcpy(&distance, entries + 4 * i, sizeof(distance));
		const uint64_t target = check_map_target(map, map->first + i, distance);
		check->result->counts.map_entries++;
		if (check_leads_to(check, map->first + i, range, target))
			continue;
		check_differs(check, VERIFY_TABLE, map->first + i, map->map_addr + 4 * i,
			      "the map leads to 0x%" PRIx64, target);
		return false;
	}
	return true;
}

void indirect_check_maps(struct check *check)
{
	struct map seen = {0};

	map_init(&seen);
	vec_foreach (map, &check->maps) {
		uint64_t *first = map_put(&seen, map->map_addr, 0);
		if (*first == map->first)
			continue;
		*first = map->first;
		check->result->counts.maps++;
		check_map(check, map);
	}
	map_fini(&seen);
}

/* ---- reads of tables ---- */

static bool take_disp(struct walk *walk, struct check_table *table)
{
	int32_t disp;

	if (!walk_take_disp(walk, &disp))
		return false;
	table->copy_disp = disp;
	return true;
}

/* The same instruction with a displacement of 32 bits. */
static bool take_offset_read(struct walk *walk, const unsigned char *bytes,
			     struct check_table *table)
{
	const unsigned modrm = walk->insn->modrm_offset;

	table->kind = CHECK_OFFSETS;
	return modrm && walk_take(walk, bytes, modrm) &&
	       walk_take_bytes(walk, (unsigned char)((bytes[modrm] & 0x3f) | 0x80),
			       bytes[modrm + 1]) &&
	       take_disp(walk, table);
}

/* movslq table(BASE,INDEX,8),REG; add BASE,REG, and for a jump: jmp *REG */
static bool take_pointer_read(struct walk *walk, const struct insn_detail *detail,
			      struct check_table *table)
{
	const unsigned base = detail->memory.base, index = detail->memory.index;
	const bool jumps = detail->form == INSN_FORM_JUMP_MEM;
	const uint32_t before = walk->at;

	table->kind = CHECK_POINTERS;
	for (unsigned reg = 0; reg < REG_COUNT; reg++) {
		walk->at = before;
		if ((!jumps && reg != detail->destination) || reg == base || reg == REG_RSP)
			continue;
		if (walk_take_bytes(
			    walk,
			    (unsigned char)(0x48 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3),
			    0x63, (unsigned char)(0x84 | (reg & 7) << 3),
			    (unsigned char)(0xc0 | (index & 7) << 3 | (base & 7))) &&
		    take_disp(walk, table) && take_add(walk, reg, base) &&
		    (!jumps || take_jump_through(walk, reg)))
			return true;
	}
	walk->at = before;
	return false;
}

static bool take_read(struct walk *walk, const unsigned char *bytes,
		      const struct insn_detail *detail, struct check_table *table)
{
	const struct insn *insn = walk->insn;
	const struct insn_memory *memory = &detail->memory;

	if (memory->rip_relative || memory->segment || memory->index == REG_NONE)
		return false;
	table->disp = memory->disp;
	table->base_register = memory->base;
	if (detail->form == INSN_FORM_MOVSXD)
		return memory->base != REG_NONE && (memory->scale == 4 || memory->scale == 1) &&
		       take_offset_read(walk, bytes, table);
	if ((detail->form != INSN_FORM_LOAD && detail->form != INSN_FORM_JUMP_MEM) ||
	    memory->scale != 8)
		return false;
	if (memory->base != REG_NONE)
		return take_pointer_read(walk, detail, table);
	table->kind = CHECK_ADDRESSES;
	return walk_take(walk, bytes, insn->length - 4u) && take_disp(walk, table);
}

bool indirect_take_table(struct walk *walk)
{
	const unsigned char *bytes = walk->original + (walk->insn->addr - walk->range->begin);
	const uint32_t before = walk->at;
	struct insn_detail detail;
	struct check_table table = {
		.addr = walk->insn->addr, .copy_addr = walk_addr(walk), .from = walk->range};

	if (!insn_describe(bytes, walk->insn, &detail) ||
	    !take_read(walk, bytes, &detail, &table)) {
		walk->at = before;
		return false;
	}
	vec_push(&walk->check->tables, table);
	return true;
}
