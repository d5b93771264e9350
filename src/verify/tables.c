/*
 * The entries of jump tables. A table's end is not known either: it ends where the next one begins,
 * or the maps, or the exception tables; a word of filler may stand before that.
 */
#include "verify/private.h"

#include <inttypes.h>
#include <string.h>

enum { LIKELY_ENTRIES = 4 };

static uint64_t entry_bytes(const struct check_table *table)
{
	return table->kind == CHECK_OFFSETS ? 4 : 8;
}

static bool read_s32(const struct object *object, uint64_t addr, uint64_t *value)
{
	const unsigned char *bytes = object_at(object, addr, 4);
	int32_t number = 0;

	if (bytes)
		memcpy(&number, bytes, sizeof(number));
	*value = (uint64_t)(int64_t)number;
	return bytes != NULL;
}

static bool read_u64_at(const struct object *object, uint64_t addr, uint64_t *value)
{
	const unsigned char *bytes = object_at(object, addr, sizeof(*value));

	if (bytes)
		memcpy(value, bytes, sizeof(*value));
	return bytes != NULL;
}

/* Whether entry `i` of the copied table leads to the copy of where the original's leads. */
static bool entry_agrees(const struct check *check, const struct check_table *table, uint64_t i)
{
	const uint64_t addr = table->base + (uint64_t)table->disp + i * entry_bytes(table);
	const uint64_t copy = table->copy_table + i * entry_bytes(table);
	uint64_t target = 0, copy_target = 0;
	bool ok = false;

	switch (table->kind) {
	case CHECK_OFFSETS:
		ok = read_s32(check->original, addr, &target) &&
		     read_s32(check->copy, copy, &copy_target);
		break;
	case CHECK_ADDRESSES:
		ok = read_u64_at(check->original, addr, &target) &&
		     read_u64_at(check->copy, copy, &copy_target);
		break;
	case CHECK_POINTERS:
		if (!object_code_word(check->original, addr, &target) ||
		    !read_s32(check->copy, copy, &copy_target))
			return false;
		return check_leads_to(check, target, table->from, table->base + copy_target);
	}
	return ok && check_leads_to(check, table->label + target, table->from,
				    table->label + copy_target);
}

static bool is_in_tables(const struct check *check, uint64_t addr, uint64_t end)
{
	/* They are aligned as the code is, which may be placed anywhere. */
	return addr >= check->code_end && addr < end && (addr - check->code_begin) % 8 == 0;
}

/* Where exception tables, unwind records, or what is said of counters begin. */
static uint64_t tables_end(const struct check *check)
{
	uint64_t end = object_eh_frame(check->copy).addr;

	vec_foreach (range, &check->ranges)
		if (range->copy_fde && range->copy_fde->lsda >= check->code_end &&
		    range->copy_fde->lsda < end)
			end = range->copy_fde->lsda;
	vec_foreach (map, &check->maps)
		if (map->map_addr >= check->code_end && map->map_addr < end)
			end = map->map_addr;
	if (check->module.counter_count && check->counted_addr < end)
		end = check->counted_addr;
	return end;
}

/* What a base has to satisfy: `count` entries agree, none of which lies behind `end`. */
struct wanted {
	uint64_t count, end;
};

static bool entries_agree(const struct check *check, const struct check_table *table,
			  const struct wanted *wanted)
{
	const uint64_t bytes = wanted->count * entry_bytes(table);

	if (wanted->end - table->copy_table < bytes)
		return false;
	for (uint64_t i = 0; i < wanted->count; i++)
		if (!entry_agrees(check, table, i))
			return false;
	return true;
}

/* glibc's vfprintf adds the address of a label of its own to what it reads. */
static bool find_label(const struct check *check, struct check_table *found,
		       const struct wanted *wanted)
{
	found->label = found->base;
	if (entries_agree(check, found, wanted))
		return true;
	if (found->kind != CHECK_OFFSETS)
		return false;
	vec_foreach (base, &check->bases) {
		found->label = base->value;
		if (base->range == found->from && check_range_at(check, base->value) &&
		    entries_agree(check, found, wanted))
			return true;
	}
	return false;
}

static bool try_base(const struct check *check, struct check_table *table, uint64_t base,
		     const struct wanted *wanted)
{
	struct check_table found = *table;

	found.base = base;
	found.copy_table = base + (uint64_t)table->copy_disp;
	if (!is_in_tables(check, found.copy_table, wanted->end) ||
	    !find_label(check, &found, wanted))
		return false;
	*table = found;
	return true;
}

/* The loads before the read, the last one first; no more than so many. */
static bool try_loads(const struct check *check, struct check_table *table,
		      const struct wanted *wanted, size_t most)
{
	for (size_t i = check->bases.len; i > 0 && most; i--) {
		const struct check_base *base = &check->bases.data[i - 1];
		if (base->range != table->from || base->reg != table->base_register ||
		    base->addr >= table->addr)
			continue;
		if (try_base(check, table, base->value, wanted))
			return true;
		most--;
	}
	return false;
}

static bool find_base(const struct check *check, struct check_table *table,
		      const struct wanted *wanted)
{
	if (table->kind == CHECK_ADDRESSES)
		return try_base(check, table, 0, wanted);
	/* Most likely is the last load before the read; then any other of the function, also in its
	   other parts. */
	if (try_loads(check, table, wanted, SIZE_MAX))
		return true;
	vec_foreach (base, &check->bases)
		if (base->reg == table->base_register &&
		    try_base(check, table, base->value, wanted))
			return true;
	vec_foreach (base, &check->bases)
		if (try_base(check, table, base->value, wanted))
			return true;
	return false;
}

/*
 * One entry may agree by chance: where it leads to no copy, it does with any base. A table may have
 * no more than that one, though. Tables that stand as far from each other as their originals agree
 * with each other's bases, and the longer one better than the shorter one with its own.
 */
static bool find_likely_base(const struct check *check, struct check_table *table, uint64_t end)
{
	for (uint64_t count = LIKELY_ENTRIES; count > 1; count--)
		if (try_loads(check, table, &(struct wanted){count, end}, 1))
			return true;
	for (uint64_t count = LIKELY_ENTRIES; count; count--)
		if (find_base(check, table, &(struct wanted){count, end}))
			return true;
	return false;
}

static int compare_tables(const void *left, const void *right)
{
	const struct check_table *a = left, *b = right;

	return a->copy_table < b->copy_table ? -1 : a->copy_table > b->copy_table;
}

/* Entries before this one agreed by chance: another base agrees with it, too. */
static bool find_better_base(const struct check *check, struct check_table *table, uint64_t entry,
			     uint64_t end)
{
	struct check_table found = *table;

	if (!find_base(check, &found, &(struct wanted){entry + 1, end}) ||
	    found.copy_table != table->copy_table)
		return false;
	*table = found;
	return true;
}

static void check_entries(struct check *check, struct check_table *table, uint64_t end)
{
	const uint64_t count = (end - table->copy_table) / entry_bytes(table);

	check->result->counts.tables++;
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t entry = table->copy_table + i * entry_bytes(table);
		uint64_t filler;
		if (entry_agrees(check, table, i) || find_better_base(check, table, i, end)) {
			check->result->counts.table_entries++;
			continue;
		}
		if (i && end - entry < 8 && read_s32(check->copy, entry, &filler) && !filler)
			return;
		check_differs(check, VERIFY_TABLE, table->addr, entry,
			      "entry %" PRIu64 " of the jump table at 0x%" PRIx64
			      " leads elsewhere than the original's",
			      i, table->copy_table);
		return;
	}
}

void tables_check(struct check *check)
{
	const uint64_t end = tables_end(check);

	vec_foreach (table, &check->tables) {
		if (table->from->broken || find_likely_base(check, table, end))
			continue;
		check_differs(check, VERIFY_TABLE, table->addr, table->copy_addr,
			      "a read of a jump table that is no copy of the original's");
	}
	vec_sort(&check->tables, compare_tables);
	for (size_t i = 0; i < check->tables.len; i++) {
		struct check_table *table = &check->tables.data[i];
		size_t next = i + 1;
		while (next < check->tables.len &&
		       check->tables.data[next].copy_table == table->copy_table)
			next++;
		if (table->copy_table && !table->from->broken)
			check_entries(check, table,
				      next < check->tables.len ? check->tables.data[next].copy_table
							       : end);
	}
}
