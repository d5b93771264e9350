/*
 * Whole stacks. The rule of an address is looked for once and then remembered in a direct-mapped
 * table, until the map changes.
 *
 * Code without rules (made at run time, assembly) is stepped over by the frame pointer where that
 * leads to mapped code; such frames are marked, as a function that has not set up its frame yet
 * hides its caller so.
 */
#include "base/base.h"
#include "unwind/unwind.h"

#include <string.h>

#define CACHE_BITS 14

struct cached_rule {
	uint64_t addr; /* of the call; 0: empty */
	const struct unwind_rule *rule;
	const unsigned char *programs;
};

struct unwind_map {
	struct vec_of(struct unwind_mapping) mappings; /* by begin, apart from each other */
	struct cached_rule cache[1 << CACHE_BITS];
};

struct unwind_map *unwind_map_new(void)
{
	return mem_zalloc(sizeof(struct unwind_map));
}

void unwind_map_free(struct unwind_map *map)
{
	if (!map)
		return;
	vec_fini(&map->mappings);
	free(map);
}

/* Index of the first mapping that ends above `run_addr`. */
static size_t first_above(const struct unwind_map *map, uint64_t run_addr)
{
	size_t first = 0, count = map->mappings.len;

	while (count) {
		const size_t half = count / 2;

		if (map->mappings.data[first + half].end <= run_addr) {
			first += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return first;
}

static void insert(struct unwind_map *map, size_t at, const struct unwind_mapping *mapping)
{
	vec_reserve(&map->mappings, 1);
	memmove(&map->mappings.data[at + 1], &map->mappings.data[at],
		(map->mappings.len - at) * sizeof(*mapping));
	map->mappings.data[at] = *mapping;
	map->mappings.len++;
}

void unwind_map_remove(struct unwind_map *map, uint64_t begin, uint64_t end)
{
	size_t at = first_above(map, begin);

	if (begin >= end)
		return;
	memset(map->cache, 0, sizeof(map->cache));
	if (at < map->mappings.len && map->mappings.data[at].begin < begin) {
		struct unwind_mapping *cut = &map->mappings.data[at];
		struct unwind_mapping rest = *cut;

		cut->end = begin;
		at++;
		if (rest.end > end) {
			rest.begin = end;
			insert(map, at, &rest);
			return;
		}
	}
	size_t last = at;
	while (last < map->mappings.len && map->mappings.data[last].end <= end)
		last++;
	if (last < map->mappings.len)
		memmove(&map->mappings.data[at], &map->mappings.data[last],
			(map->mappings.len - last) * sizeof(*map->mappings.data));
	map->mappings.len -= last - at;
	if (at < map->mappings.len && map->mappings.data[at].begin < end)
		map->mappings.data[at].begin = end;
}

void unwind_map_add(struct unwind_map *map, const struct unwind_mapping *mapping)
{
	if (mapping->begin >= mapping->end)
		return;
	unwind_map_remove(map, mapping->begin, mapping->end);
	insert(map, first_above(map, mapping->begin), mapping);
}

const struct unwind_mapping *unwind_map_find(const struct unwind_map *map, uint64_t run_addr)
{
	const size_t at = first_above(map, run_addr);

	if (at == map->mappings.len || map->mappings.data[at].begin > run_addr)
		return NULL;
	return &map->mappings.data[at];
}

/* NULL where there is no rule. */
static const struct cached_rule *find_rule(struct unwind_map *map, uint64_t addr)
{
	struct cached_rule *cached = &map->cache[addr * 0x9e3779b97f4a7c15ULL >> (64 - CACHE_BITS)];

	if (cached->addr == addr && addr)
		return cached->rule ? cached : NULL;
	const struct unwind_mapping *mapping = unwind_map_find(map, addr);
	const struct unwind_table *table = mapping ? mapping->table : NULL;

	*cached = (struct cached_rule){.addr = addr};
	if (!table)
		return NULL;
	cached->rule = unwind_table_find(table, addr - mapping->bias);
	cached->programs = unwind_table_programs(table);
	return cached->rule ? cached : NULL;
}

static enum unwind_result step_without_rule(const struct unwind_map *map,
					    struct unwind_registers *registers,
					    const struct unwind_memory *memory)
{
	struct unwind_registers caller = *registers;

	if (!registers->value[UNWIND_RA])
		return UNWIND_ROOT;
	if (unwind_step_frame_pointer(&caller, memory) != UNWIND_CALLER ||
	    !unwind_map_find(map, unwind_call_addr(&caller)))
		return UNWIND_NO_RULE;
	*registers = caller;
	return UNWIND_CALLER;
}

void unwind_walk(struct unwind_map *map, const struct unwind_registers *registers,
		 const struct unwind_memory *memory, struct unwind_stack *stack)
{
	struct unwind_registers now = *registers;
	uint32_t guessed = 0;

	stack->count = 0;
	for (;;) {
		const uint64_t addr = unwind_call_addr(&now);
		const struct cached_rule *cached = find_rule(map, addr);

		if (stack->count == stack->room) {
			stack->end = UNWIND_TOO_DEEP;
			return;
		}
		/* A return address of zero is where a thread's stack begins. */
		if (now.value[UNWIND_RA] || !stack->count)
			stack->frames[stack->count++] = (struct unwind_frame){
				.addr = addr,
				.sp = now.value[UNWIND_RSP],
				.flags = (now.exact ? UNWIND_FRAME_EXACT : 0) | guessed};
		stack->end = cached ? unwind_apply(cached->rule, cached->programs, &now, memory)
				    : step_without_rule(map, &now, memory);
		if (stack->end != UNWIND_CALLER)
			return;
		guessed = cached ? 0 : UNWIND_FRAME_GUESSED;
	}
}
