/*
 * Functions of run-time libraries that end by a jump are on no stack: "qsort" jumps to "qsort_r",
 * and "strdup" to the copying. Callers' probes and counters have seen a call of qsort, stacks have
 * qsort_r right below its caller. The call's instruction, by way of the linkage table's stub or the
 * slot itself, says which name was called.
 *
 * The jump may lead to another library: "operator delete" of C++ to "free" of C. The loader, which
 * looks for a name when it is called first, has not been jumped to.
 *
 *   f: call qsort@plt ─▶ qsort: jmp ─▶ qsort_r      stack: f ◀─ qsort_r, becomes f ◀─ qsort ◀─
 * qsort_r
 */
#include "resolve/resolve.h"

#include <assert.h>
#include <elf.h>

enum {
	DISTANCE_BYTES = 4,
	CALL_OPCODE = 0xe8, /* call distance */
	GROUP_OPCODE = 0xff,
	CALL_BY_RIP = 0x15 /* call *distance(%rip) */
};

/* What the call whose last byte is at `last` names; NULL: it names nothing. */
static const char *called_name(const struct object *object, uint64_t last)
{
	enum { BEFORE = DISTANCE_BYTES + 2 };
	const unsigned char *bytes =
		last >= BEFORE ? object_at(object, last + 1 - BEFORE, BEFORE) : NULL;
	int32_t distance;

	if (!bytes ||
	    (bytes[1] != CALL_OPCODE && (bytes[0] != GROUP_OPCODE || bytes[1] != CALL_BY_RIP)))
		return NULL;
	__builtin_memcpy(&distance, bytes + 2, sizeof(distance));
	return object_plt_symbol(object, last + 1 + (uint64_t)(int64_t)distance);
}

/* The one module that defines the name; NULL: none does, or of several the loader has chosen. */
static struct resolve_module *only_definer(const struct resolver *resolver, const char *name)
{
	struct resolve_module *found = NULL;

	vec_foreach (item, &resolver->modules) {
		struct resolve_module *module = *item;

		if (!module->object || !object_dynamic_symbol(module->object, name))
			continue;
		if (found)
			return NULL;
		found = module;
	}
	return found;
}

/* The same, looked for once: among the modules that were known then. */
static struct resolve_module *definer_of(struct resolver *resolver, const char *name)
{
	const uint64_t *known = strmap_get(&resolver->definers, name);

	if (known)
		return (struct resolve_module *)(uintptr_t)*known;
	struct resolve_module *definer = only_definer(resolver, name);
	strmap_put(&resolver->definers, arena_strdup(&resolver->arena, name),
		   (uint64_t)(uintptr_t)definer);
	return definer;
}

/* Where the library's function of that name begins, if it is another one than that which has the
   location; else 0. */
static uint64_t jumped_from(const struct resolve_module *library, const char *name,
			    const struct resolve_location *to)
{
	const struct object *object = library->object;
	const uint64_t begin = object_dynamic_symbol(object, name);
	const struct object_symbol *symbol = begin ? object_symbol_at(object, begin) : NULL;

	/* Which form of an indirect function runs is another matter: see chosen_code.h. */
	if (!symbol || symbol->type != STT_FUNC || !symbol->size)
		return 0;
	return library != to->module || to->link_addr - begin >= symbol->size ? begin : 0;
}

static bool is_loader(const struct resolve_module *module)
{
	return str_starts_with(path_basename(module->path), "ld-");
}

/* The library whose function of that name has jumped to the location; NULL: none. */
static struct resolve_module *library_of(struct resolver *resolver, const char *name,
					 const struct resolve_location *to)
{
	if (is_loader(to->module))
		return NULL;
	struct resolve_module *library = object_dynamic_symbol(to->module->object, name)
						 ? to->module
						 : definer_of(resolver, name);

	return library && library->system ? library : NULL;
}

bool resolver_named_callee(struct resolver *resolver, int64_t caller, int64_t callee,
			   int64_t *named, struct error *err)
{
	assert(caller > 0 && (size_t)caller <= resolver->locations.len);
	assert(callee > 0 && (size_t)callee <= resolver->locations.len);
	const struct resolve_location from = resolver->locations.data[caller - 1];
	const struct resolve_location to = resolver->locations.data[callee - 1];

	*named = 0;
	if (!from.module->copy || from.module->system || !to.module->system ||
	    !from.module->object || !to.module->object)
		return true;
	const char *name = called_name(from.module->object, from.link_addr);
	struct resolve_module *library = name ? library_of(resolver, name, &to) : NULL;
	const uint64_t begin = library ? jumped_from(library, name, &to) : 0;

	*named = begin ? resolver_location(resolver, library, begin, err) : 0;
	return !begin || *named;
}
