/*
 * Whole stacks. The rule of an address is looked for once and then remembered until the map
 * changes.
 *
 * Code without unwind information is stepped over by what it does until it returns, else by the
 * frame pointer, where that leads behind a call (made at run time: to any code). Callers found so
 * are marked.
 *
 * What does not lead to code is no caller, and the stack ends before it. So it is where the kernel
 * had not saved the registers yet (they are those of an earlier interrupt), and where it could not
 * copy the stack, which had changed until it was read.
 *
 * A stack is complete if its last function is known to be a first one: by its unwind information,
 * as a file's entry point, or by a frame pointer of zero, which marks the outermost frame (System V
 * ABI, AMD64 supplement, section 3.4.1), where the rest of the frame leads nowhere.
 */
#include "base/base.h"
#include "unwind/rule_cache.h"
#include "unwind/unwind.h"

#include <string.h>

struct unwind_map {
	struct vec_of(struct unwind_mapping) mappings; /* by begin, apart from each other */
	struct rule_cache known;		       /* holds for the map as it is */
};

struct unwind_map *unwind_map_new(void)
{
	struct unwind_map *map = mem_zalloc(sizeof(*map));

	rule_cache_init(&map->known);
	return map;
}

void unwind_map_free(struct unwind_map *map)
{
	if (!map)
		return;
	vec_fini(&map->mappings);
	rule_cache_fini(&map->known);
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
	rule_cache_drop(&map->known);
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

static struct unwind_found look_up(const struct unwind_mapping *mapping, uint64_t addr, bool exact)
{
	struct unwind_found found = {0};

	if (mapping->rules)
		return unwind_rules_find(mapping->rules, addr + !exact - mapping->bias, exact);
	if (mapping->table) {
		found.rule = unwind_table_find(mapping->table, addr - mapping->bias);
		found.programs = unwind_table_programs(mapping->table);
		found.from_code = found.rule && found.rule->flags & UNWIND_FROM_CODE;
	}
	return found;
}

/* Holds until the next call. */
static const struct rule_cached *find_rule(struct unwind_map *map, uint64_t addr, bool exact)
{
	const struct rule_cached *known = rule_cache_get(&map->known, addr, exact);

	if (known)
		return known;
	const struct unwind_mapping *mapping = unwind_map_find(map, addr);

	return rule_cache_put(&map->known, addr, exact, mapping != NULL,
			      mapping ? look_up(mapping, addr, exact) : (struct unwind_found){0});
}

bool unwind_map_is_outermost(struct unwind_map *map, uint64_t run_addr)
{
	const struct unwind_found *found = &find_rule(map, run_addr, true)->found;

	return found->rule && found->rule->flags & UNWIND_OUTERMOST;
}

/* Whether control can return to where `caller` is: behind a call, or, of an outermost frame, to any
   code, as Go's first functions do. */
static bool is_return(const struct unwind_map *map, const struct unwind_registers *caller)
{
	const uint64_t addr = caller->value[UNWIND_RA];
	const struct unwind_mapping *mapping = unwind_map_find(map, addr - 1);

	return mapping && (!mapping->rules || !caller->value[UNWIND_RBP] ||
			   unwind_rules_is_return(mapping->rules, addr - mapping->bias));
}

/* *flags: how the caller was found. */
static enum unwind_result step_without_information(const struct unwind_map *map,
						   const struct unwind_rule *rule,
						   struct unwind_registers *registers,
						   const struct unwind_memory *memory,
						   uint32_t *flags)
{
	struct unwind_registers caller = *registers;

	*flags = UNWIND_FRAME_FROM_CODE;
	if (!rule || unwind_apply(rule, NULL, &caller, memory) != UNWIND_CALLER ||
	    !is_return(map, &caller)) {
		caller = *registers;
		*flags = UNWIND_FRAME_GUESSED;
		if (unwind_step_frame_pointer(&caller, memory) != UNWIND_CALLER ||
		    !is_return(map, &caller))
			return registers->value[UNWIND_RBP] || registers->exact ? UNWIND_NO_RULE
										: UNWIND_ROOT;
	}
	*registers = caller;
	return UNWIND_CALLER;
}

void unwind_walk(struct unwind_map *map, const struct unwind_registers *registers,
		 const struct unwind_memory *memory, struct unwind_stack *stack)
{
	struct unwind_registers now = *registers;
	uint32_t flags = 0;

	stack->count = 0;
	for (;;) {
		const uint64_t addr = unwind_call_addr(&now);

		if (stack->count == stack->room) {
			stack->end = UNWIND_TOO_DEEP;
			return;
		}
		if (!now.value[UNWIND_RA] && stack->count) {
			stack->end = now.value[UNWIND_RBP] ? UNWIND_NO_RULE : UNWIND_ROOT;
			return;
		}
		const struct rule_cached *known = find_rule(map, addr, now.exact);

		if (!known->is_code && !now.exact) {
			stack->end = UNWIND_BROKEN;
			return;
		}
		stack->frames[stack->count++] = (struct unwind_frame){
			.addr = addr,
			.sp = now.value[UNWIND_RSP],
			.flags = (now.exact ? UNWIND_FRAME_EXACT : 0) | flags};
		const struct unwind_found *found = &known->found;

		flags = 0;
		stack->end =
			found->rule && !found->from_code
				? unwind_apply(found->rule, found->programs, &now, memory)
				: step_without_information(map, found->rule, &now, memory, &flags);
		if (stack->end != UNWIND_CALLER)
			return;
	}
}
