/*
 * Finding a function takes its FDE by binary search in the file, no list of all. Tables of
 * functions are those of rule_table.h, each for itself. What was found is remembered for all
 * processes that have mapped the file.
 */
#include "unwind/rules.h"

#include "unwind/build.h"
#include "unwind/from_code.h"
#include "unwind/rule_cache.h"

struct unwind_rules {
	const struct object *object;
	struct object *debug; /* the same file with its .debug_frame, or NULL */
	bool debug_opened;
	struct map functions; /* begin → index of the table */
	struct vec_of(struct unwind_table *) tables;
	struct map from_code; /* next instruction → rule in the arena, or 0 */
	struct arena arena;
	struct rule_cache known;
};

static const struct unwind_rule outermost = {.flags = UNWIND_OUTERMOST};

struct unwind_rules *unwind_rules_new(const struct object *object)
{
	struct unwind_rules *rules = mem_zalloc(sizeof(*rules));

	rules->object = object;
	map_init(&rules->functions);
	map_init(&rules->from_code);
	arena_init(&rules->arena);
	rule_cache_init(&rules->known);
	return rules;
}

void unwind_rules_free(struct unwind_rules *rules)
{
	if (!rules)
		return;
	vec_foreach (table, &rules->tables)
		free(*table);
	vec_fini(&rules->tables);
	map_fini(&rules->functions);
	map_fini(&rules->from_code);
	arena_fini(&rules->arena);
	rule_cache_fini(&rules->known);
	object_close(rules->debug);
	free(rules);
}

/* ---- unwind information ---- */

static const struct unwind_table *table_of(struct unwind_rules *rules, const struct object_fde *fde)
{
	const uint64_t *known = map_get(&rules->functions, fde->begin);

	if (known)
		return rules->tables.data[*known];
	struct unwind_table *table = unwind_table_build_function(fde);

	map_put(&rules->functions, fde->begin, rules->tables.len);
	vec_push(&rules->tables, table);
	return table;
}

static const struct object_fde *debug_fde(struct unwind_rules *rules, uint64_t addr)
{
	size_t count;
	struct error err;

	if (!rules->debug_opened)
		rules->debug = object_open(object_path(rules->object), OBJECT_DEBUG_FRAME, &err);
	rules->debug_opened = true;
	if (!rules->debug)
		return NULL;
	const struct object_fde *fdes = object_debug_fdes(rules->debug, &count);
	const size_t at = partition_point(count, i, fdes[i].begin <= addr);

	return at && addr < fdes[at - 1].end ? &fdes[at - 1] : NULL;
}

static struct unwind_found find_by_information(struct unwind_rules *rules, uint64_t addr)
{
	struct unwind_found found = {0};
	struct object_cie cie;
	struct object_fde here;
	const struct object_fde *fde = &here;

	if (!object_fde_find(rules->object, addr, &here, &cie))
		fde = debug_fde(rules, addr);
	if (!fde)
		return found;
	const struct unwind_table *table = table_of(rules, fde);

	found.rule = unwind_table_find(table, addr);
	found.programs = unwind_table_programs(table);
	return found;
}

/* ---- code ---- */

static bool is_entry(const struct unwind_rules *rules, uint64_t addr)
{
	return addr - object_header(rules->object)->e_entry < UNWIND_ENTRY_BYTES;
}

static const struct unwind_rule *find_by_code(struct unwind_rules *rules, uint64_t next)
{
	const uint64_t *known = map_get(&rules->from_code, next);
	struct unwind_rule rule, *kept = NULL;

	if (known)
		return (const struct unwind_rule *)(uintptr_t)*known;
	if (unwind_rule_from_code(rules->object, next, &rule)) {
		kept = arena_new(&rules->arena, struct unwind_rule);
		*kept = rule;
	}
	map_put(&rules->from_code, next, (uintptr_t)kept);
	return kept;
}

static struct unwind_found find(struct unwind_rules *rules, uint64_t link_addr, bool exact)
{
	const uint64_t addr = link_addr - !exact;
	struct unwind_found found = find_by_information(rules, addr);

	/* Go has its first functions return to where no call is. */
	if (found.rule && !exact && object_has_go_note(rules->object) &&
	    !unwind_is_return_addr(rules->object, link_addr))
		found.rule = &outermost;
	if (found.rule || !object_is_executable(rules->object, addr))
		return found;
	found = (struct unwind_found){.rule = find_by_code(rules, link_addr), .from_code = true};
	/* Nothing calls the entry point. */
	if (!found.rule && is_entry(rules, addr))
		found = (struct unwind_found){.rule = &outermost};
	return found;
}

struct unwind_found unwind_rules_find(struct unwind_rules *rules, uint64_t link_addr, bool exact)
{
	const struct rule_cached *known = rule_cache_get(&rules->known, link_addr, exact);

	if (!known)
		known = rule_cache_put(&rules->known, link_addr, exact, true,
				       find(rules, link_addr, exact));
	return known->found;
}

bool unwind_rules_is_return(const struct unwind_rules *rules, uint64_t link_addr)
{
	return unwind_is_return_addr(rules->object, link_addr);
}
