/*
 * The order of the comparison. The jumps over original entries say where the copies of functions
 * begin; parts that are not entered by a call are found by the branches that lead to them. A range
 * is walked once (range_walk.c); branches between ranges, tables and maps are judged at the end,
 * when it is known where everything went.
 */
#include "verify/private.h"

#include <inttypes.h>
#include <string.h>

enum { ENTRY_JUMP_BYTES = 5 };

const char *verify_kind_name(enum verify_kind kind)
{
	static const char *const names[] = {
		[VERIFY_CODE] = "code",
		[VERIFY_PROBE] = "probe",
		[VERIFY_TABLE] = "table",
		[VERIFY_UNWIND] = "unwind",
		[VERIFY_EXCEPTIONS] = "exceptions",
		[VERIFY_BYTES] = "bytes",
		[VERIFY_HEADERS] = "headers",
	};
	table_covers(names, VERIFY_KINDS);

	return names[kind];
}

/* ---- ranges ---- */

/*
 * Behind the copy that begins at copy_begin; 0 if none does. Without an unwind record the walk
 * finds the end, which is nearer.
 */
static uint64_t copy_end(const struct check *check, const struct check_range *range,
			 uint64_t copy_begin)
{
	const struct object_fde *fde = object_fde_covering(check->copy, copy_begin);
	size_t count;

	if (range->fde)
		return fde && fde->begin == copy_begin && fde->end <= check->code_end ? fde->end
										      : 0;
	const struct object_fde *fdes = object_fdes(check->copy, &count);
	const size_t next = partition_point(count, i, fdes[i].begin <= copy_begin);

	return next < count && fdes[next].begin < check->code_end ? fdes[next].begin
								  : check->code_end;
}

/* Pairs the range with the copy that begins at copy_begin; false if that is no begin of one. */
static bool check_pair(struct check *check, struct check_range *range, uint64_t copy_begin)
{
	const uint64_t end = copy_end(check, range, copy_begin);

	if (!end || copy_begin < check->code_begin || copy_begin >= check->code_end)
		return false;
	uint64_t *claim = map_put(&check->claimed, copy_begin, 0);
	if (*claim)
		return false;
	*claim = range->begin;
	range->copied = true;
	range->copy_fde = range->fde ? object_fde_covering(check->copy, copy_begin) : NULL;
	range->copy_begin = copy_begin;
	range->copy_end = end;
	vec_push(&check->work, (uint32_t)(range - check->ranges.data));
	return true;
}

/* Where a jump into the copied code leads that stands over the entry; 0 if there is none. One that
   the original has there is its own. */
static uint64_t entry_target(const struct check *check, const struct check_range *range)
{
	const uint64_t addr = check_patch_addr(check, range);
	const unsigned char *bytes = object_at(check->copy, addr, ENTRY_JUMP_BYTES);
	const unsigned char *before = object_at(check->original, addr, ENTRY_JUMP_BYTES);
	int32_t distance;

	if (!bytes || bytes[0] != 0xe9 || (before && !memcmp(bytes, before, ENTRY_JUMP_BYTES)))
		return 0;
	memcpy(&distance, bytes + 1, sizeof(distance));
	const uint64_t target = addr + ENTRY_JUMP_BYTES + (uint64_t)(int64_t)distance;
	return target >= check->code_begin && target < check->code_end ? target : 0;
}

static void find_entry(struct check *check, struct check_range *range)
{
	const uint64_t target = entry_target(check, range);

	range->entry = target && check_pair(check, range, target);
	if (target && !range->entry)
		check_differs(check, VERIFY_BYTES, range->begin, target,
			      "the jump over the entry leads to no begin of a copy");
}

static bool has_records(const struct object *object, const struct check_range *range)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(object, &count);
	const size_t low = partition_point(count, i, fdes[i].end <= range->begin);

	return low < count && fdes[low].begin < range->end;
}

/* Functions that have no unwind record: only their symbols tell where they are. */
static void add_symbols(struct check *check)
{
	size_t count;
	const struct object_symbol *symbols = object_symbols(check->original, &count);
	uint64_t covered = 0;

	for (size_t i = 0; i < count; i++) {
		const struct object_symbol *symbol = &symbols[i];
		const struct check_range range = {.begin = symbol->addr,
						  .end = symbol->addr + symbol->size};
		if ((symbol->type != STT_FUNC && symbol->type != STT_GNU_IFUNC) ||
		    range.end <= range.begin || range.begin < covered ||
		    has_records(check->original, &range) ||
		    !object_at(check->original, range.begin, symbol->size))
			continue;
		covered = range.end;
		vec_push(&check->ranges, range);
	}
}

static int compare_ranges(const void *left, const void *right)
{
	const struct check_range *a = left, *b = right;

	return (a->begin > b->begin) - (a->begin < b->begin);
}

static void find_landing_pads(struct check *check, const struct object_fde *fde)
{
	struct lsda lsda = {0};
	struct error ignored;

	if (!fde->lsda || !lsda_read(check->original, fde, &lsda, &ignored))
		return;
	vec_foreach (site, &lsda.call_sites)
		if (site->landing_pad)
			map_put(&check->pads, site->landing_pad, 1);
	lsda_fini(&lsda);
}

static void find_entries(struct check *check)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(check->original, &count);

	vec_reserve(&check->ranges, count);
	for (size_t i = 0; i < count; i++) {
		const struct check_range range = {
			.begin = fdes[i].begin, .end = fdes[i].end, .fde = &fdes[i]};
		vec_push(&check->ranges, range);
		find_landing_pads(check, &fdes[i]);
	}
	add_symbols(check);
	vec_sort(&check->ranges, compare_ranges);
	vec_foreach (range, &check->ranges)
		find_entry(check, range);
}

/* ---- parts that no jump over an entry leads to ---- */

/* A branch leads from a copy into one that is not known yet: that of the original's target. */
static bool find_part(struct check *check, uint64_t target, uint64_t copy_target)
{
	struct check_range *range = check_range_at(check, target);
	const struct object_fde *fde = object_fde_covering(check->copy, copy_target);

	if (!range || range->copied || copy_target < check->code_begin ||
	    copy_target >= check->code_end)
		return false;
	if (!range->fde)
		return !fde && target == range->begin && check_pair(check, range, copy_target);
	return fde && check_pair(check, range, fde->begin);
}

static bool find_parts_of_maps(struct check *check)
{
	bool found = false;

	vec_foreach (map, &check->maps) {
		const unsigned char *entry = object_at(check->copy, map->map_addr, 4);
		int32_t distance;
		if (!entry)
			continue;
		memcpy(&distance, entry, sizeof(distance));
		found |= find_part(check, map->first, check_map_target(map, map->first, distance));
	}
	return found;
}

/*
 * What only tables lead to: copies lie in the order of their originals, so an unknown copy belongs
 * to an unknown range between the neighbours' originals. The first whose walk agrees is it.
 */
static bool try_pair(struct check *check, struct check_range *range, uint64_t copy_begin)
{
	const struct check_kept before = check_keep(check);
	const size_t targets = check->targets.len, tables = check->tables.len,
		     maps = check->maps.len, bases = check->bases.len;

	if (!check_pair(check, range, copy_begin))
		return false;
	check->work.len--;
	check_walk(check, range);
	if (!range->broken)
		return true;
	/* Taken back. */
	check_restore(check, &before);
	check->targets.len = targets;
	check->tables.len = tables;
	check->maps.len = maps;
	check->bases.len = bases;
	*map_get(&check->claimed, copy_begin) = 0;
	vec_fini(&range->points);
	range->copy_fde = NULL;
	range->arm_addr = 0;
	range->copied = false;
	range->broken = range->walked = false;
	return false;
}

static bool find_parts_by_order(struct check *check)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(check->copy, &count);
	uint64_t low = 0;
	bool found = false;

	for (size_t i = 0; i < count; i++) {
		const uint64_t copy = fdes[i].begin;
		const uint64_t *claim = map_get(&check->claimed, copy);
		if (copy < check->code_begin || copy >= check->code_end)
			continue;
		if (claim && *claim) {
			low = *claim;
			continue;
		}
		uint64_t high = UINT64_MAX;
		for (size_t k = i + 1; k < count && high == UINT64_MAX; k++) {
			claim = map_get(&check->claimed, fdes[k].begin);
			high = claim && *claim ? *claim : UINT64_MAX;
		}
		vec_foreach (range, &check->ranges) {
			if (range->begin <= low || range->begin >= high || range->copied ||
			    !try_pair(check, range, copy))
				continue;
			low = range->begin;
			found = true;
			break;
		}
	}
	return found;
}

struct extents vec_of(struct object_extent);

static int compare_extents(const void *left, const void *right)
{
	const struct object_extent *a = left, *b = right;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

/* All copies: those that unwind records tell of, and those that were found by their entries. */
static void list_copies(const struct check *check, struct extents *copies)
{
	size_t count;
	const struct object_fde *fdes = object_fdes(check->copy, &count);

	for (size_t i = 0; i < count; i++) {
		const struct object_extent extent = {fdes[i].begin, fdes[i].end - fdes[i].begin};
		if (extent.addr >= check->code_begin && extent.addr < check->code_end)
			vec_push(copies, extent);
	}
	vec_foreach (range, &check->ranges) {
		const struct object_extent extent = {range->copy_begin,
						     range->copy_end - range->copy_begin};
		if (range->copied && !range->fde)
			vec_push(copies, extent);
	}
	vec_sort(copies, compare_extents);
}

/* Tries what is no filler in [at, end) as the copy of a range between `low` and `high`. Returns the
   end of that copy, or 0. */
static uint64_t try_gap(struct check *check, struct object_extent gap, uint64_t low, uint64_t high)
{
	const uint64_t end = gap.addr + gap.size;
	const unsigned char *bytes = object_at(check->copy, gap.addr, gap.size);
	uint64_t at = gap.addr;

	while (bytes && at < end && bytes[at - gap.addr] == 0xcc)
		at++;
	if (!bytes || at >= end)
		return 0;
	vec_foreach (range, &check->ranges)
		if (!range->fde && !range->copied && range->begin > low && range->begin < high &&
		    try_pair(check, range, at))
			return range->copy_end;
	return 0;
}

/* Copies without unwind records that only branches into their middle lead to: between others, in
   the order of their originals. */
static bool find_parts_in_gaps(struct check *check)
{
	const struct object_extent last = {check->code_end, 0};
	struct extents copies = {0};
	uint64_t at = check->code_begin, low = 0;
	bool found = false;

	list_copies(check, &copies);
	vec_push(&copies, last);
	vec_foreach (copy, &copies) {
		const uint64_t *claim = map_get(&check->claimed, copy->addr);
		const uint64_t claimed = claim ? *claim : 0;
		while (at < copy->addr) {
			const struct object_extent gap = {at, copy->addr - at};
			const uint64_t end =
				try_gap(check, gap, low, claimed ? claimed : UINT64_MAX);
			if (!end)
				break;
			found = true;
			at = end;
		}
		at = copy->addr + copy->size;
		low = claimed ? claimed : low;
	}
	vec_fini(&copies);
	return found;
}

static void walk_all(struct check *check)
{
	size_t judged = 0;

	do {
		while (check->work.len) {
			const uint32_t number = check->work.data[--check->work.len];
			check_walk(check, &check->ranges.data[number]);
		}
		for (; judged < check->targets.len; judged++) {
			const struct check_target *target = &check->targets.data[judged];
			find_part(check, target->target, target->copy_target);
		}
	} while (check->work.len || find_parts_of_maps(check) || find_parts_by_order(check) ||
		 find_parts_in_gaps(check));
}

static void judge_targets(struct check *check)
{
	vec_foreach (target, &check->targets) {
		check->result->counts.branches++;
		if (!check_leads_to(check, target->target, target->from, target->copy_target))
			check_differs(check, VERIFY_CODE, target->addr, target->copy_addr,
				      "leads to 0x%" PRIx64 ", which is no copy of 0x%" PRIx64,
				      target->copy_target, target->target);
		else if (target->behind_counter &&
			 !check_begins_with_counter(check, target->target))
			check_differs(check, VERIFY_CODE, target->addr, target->copy_addr,
				      "leads behind a counter that 0x%" PRIx64 " has not",
				      target->target);
	}
}

static void check_filler(struct check *check, uint64_t at, uint64_t end)
{
	for (; at < end; at++) {
		const unsigned char *byte = object_at(check->copy, at, 1);
		if (byte && *byte == 0xcc)
			continue;
		check_differs(check, VERIFY_CODE, 0, at,
			      "code between the copies that belongs to none");
		return;
	}
}

/* Every copy belongs to a range; between copies there is filler. */
static void judge_copies(struct check *check)
{
	struct extents copies = {0};
	uint64_t at = check->code_begin;

	list_copies(check, &copies);
	vec_foreach (copy, &copies) {
		const uint64_t *claim = map_get(&check->claimed, copy->addr);
		if (!claim || !*claim)
			check_differs(check, VERIFY_CODE, 0, copy->addr,
				      "a copy of no known function");
		check_filler(check, at, copy->addr);
		at = copy->addr + copy->size;
	}
	check_filler(check, at, check->code_end);
	vec_fini(&copies);
}

/* ---- the whole ---- */

/* Behind the writable segment that holds the slots. */
static uint64_t writable_end(const struct check *check)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(check->copy, &count);

	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD &&
		    check->slots_addr - segments[i].p_vaddr < segments[i].p_memsz)
			return segments[i].p_vaddr + segments[i].p_memsz;
	return 0;
}

/* Their pages can be exchanged: nothing else lies there. */
static bool counters_are_apart(const struct check *check, uint64_t end)
{
	const uint64_t size = check->module.counter_count * sizeof(uint64_t);

	return !size || (check->counters_addr % TARE_COUNTER_PAGE == 0 &&
			 check->counters_addr >= check->arm_end && check->counters_addr < end &&
			 size <= end - check->counters_addr);
}

static bool read_note(struct check *check, struct error *err)
{
	const uint64_t note = object_tare_note(check->copy);
	const unsigned char *bytes =
		note ? object_at(check->copy, note, sizeof(check->module)) : NULL;
	struct tare_module *module = &check->module;

	if (!bytes)
		return error_set(err, ERROR_INPUT, "%s is not instrumented",
				 object_path(check->copy));
	if (object_tare_note(check->original))
		return error_set(err, ERROR_INPUT, "%s is instrumented itself: it is no original",
				 object_path(check->original));
	memcpy(module, bytes, sizeof(*module));
	if (module->abi != TARE_MODULE_ABI || module->link_addr != note)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s was made by another version of tare (layout %" PRIu32 ")",
				 object_path(check->copy), module->abi);
	check->slots_addr = note + (uint64_t)module->slots_offset;
	check->arm_addr = note + (uint64_t)module->arm_offset;
	check->code_begin = note + (uint64_t)module->code_offset;
	check->code_end = check->code_begin + module->code_size;
	const uint64_t end = writable_end(check);
	check->arm_end =
		check->arm_addr + module->function_count + UINT64_C(1) + module->call_site_count;
	/* A poisoned file shows the runtime only the last of its arming bytes. */
	check->poison = !module->function_count && !module->call_site_count;
	if (check->poison)
		check->arm_addr = check->slots_addr + sizeof(struct tare_slots);
	check->counters_addr = note + (uint64_t)module->counters_offset;
	check->counted_addr = note + (uint64_t)module->counted_offset;
	if (!executions_begin(check) || !counters_are_apart(check, end) ||
	    check->arm_addr < check->slots_addr + sizeof(struct tare_slots) ||
	    check->arm_end > end || check->arm_end <= check->arm_addr ||
	    check->code_end <= check->code_begin)
		return error_set(err, ERROR_INPUT, "the note of %s contradicts its segments",
				 object_path(check->copy));
	return true;
}

static void check_fini(struct check *check)
{
	vec_foreach (range, &check->ranges)
		vec_fini(&range->points);
	vec_fini(&check->ranges);
	vec_fini(&check->work);
	vec_fini(&check->targets);
	vec_fini(&check->tables);
	vec_fini(&check->maps);
	vec_fini(&check->bases);
	free(check->executions);
	map_fini(&check->sites);
	map_fini(&check->enters);
	map_fini(&check->claimed);
	map_fini(&check->pads);
}

bool verify_copy(const struct object *original, const struct object *copy,
		 struct verify_result *result, struct error *err)
{
	struct check check = {.original = original, .copy = copy, .result = result};

	*result = (struct verify_result){0};
	if (!read_note(&check, err)) {
		free(check.executions);
		return false;
	}
	map_init(&check.sites);
	map_init(&check.enters);
	map_init(&check.claimed);
	map_init(&check.pads);
	find_entries(&check);
	walk_all(&check);
	judge_targets(&check);
	judge_copies(&check);
	tables_check(&check);
	indirect_check_maps(&check);
	records_check(&check);
	file_check(&check);
	check_fini(&check);
	return true;
}

void verify_result_fini(struct verify_result *result)
{
	vec_fini(&result->differences);
}
