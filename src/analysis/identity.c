/*
 * Which rows of the profile are the same module or function: modules by path and build (a program
 * may be rebuilt while it is recorded), functions by module and address, or by module and name
 * where only that is known. So a function is one row however many processes ran it.
 */
#include "analysis/private.h"

#include <stdio.h>
#include <string.h>

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

static void load_modules(struct analysis *analysis)
{
	size_t count;
	const struct profile_module *rows = profile_modules(analysis->profile, &count);
	struct strmap by_path = {0};

	analysis->module_of = arena_array(&analysis->arena, uint32_t, count + 1);
	strmap_init(&by_path);
	for (size_t i = 0; i < count; i++) {
		const struct profile_module *row = &rows[i];
		const char *path = text_or_empty(row->path);
		const char *name = text_or_empty(row->name);
		const char *key = arena_printf(&analysis->arena, "%s\n%s\n%s", path,
					       text_or_empty(row->build_id), path[0] ? "" : name);
		const uint64_t index = *strmap_put(&by_path, key, analysis->modules.len);
		analysis->module_of[i] = (uint32_t)index;
		if (index < analysis->modules.len) {
			struct analysis_module *module = &analysis->modules.data[index];
			module->instrumented = module->instrumented || row->instrumented;
			continue;
		}
		vec_push(&analysis->modules,
			 ((struct analysis_module){.name = name[0] ? name : path_basename(path),
						   .path = path,
						   .build_id = text_or_empty(row->build_id),
						   .system = row->system,
						   .instrumented = row->instrumented,
						   .values = analysis_values_zero()}));
	}
	strmap_fini(&by_path);
}

static const char *function_name(struct analysis *analysis, uint32_t module,
				 const struct profile_function *row, bool keep_mangled)
{
	const char *symbol = text_or_empty(row->name);

	if (!symbol[0])
		return arena_printf(&analysis->arena, "%s+0x%llx",
				    analysis->modules.data[module].name,
				    (unsigned long long)row->link_addr);
	return keep_mangled ? symbol : analysis_demangle(&analysis->arena, symbol);
}

/* Of what is no file the addresses differ from run to run: the kernel, code made at run time. */
const char *analysis_function_build(const struct analysis *analysis,
				    const struct analysis_function *function)
{
	const struct analysis_module *module = &analysis->modules.data[function->module];

	return module->path[0] == '/' && function->link_addr && !function->inlined
		       ? module->build_id
		       : "";
}

/* Functions of the same module and name get `has_twin`. */
static void mark_twins(struct analysis *analysis)
{
	struct strmap names = {0};

	strmap_init(&names);
	for (size_t i = 0; i < analysis->functions.len; i++) {
		struct analysis_function *function = &analysis->functions.data[i];
		const char *key =
			arena_printf(&analysis->arena, "%u:%s", function->module, function->name);
		const uint64_t first = *strmap_put(&names, key, i);
		if (first != i) {
			function->has_twin = true;
			analysis->functions.data[first].has_twin = true;
		}
	}
	strmap_fini(&names);
}

void analysis_load_identities(struct analysis *analysis, bool keep_mangled)
{
	size_t count;
	const struct profile_function *rows = profile_functions(analysis->profile, &count);
	struct strmap known = {0};

	load_modules(analysis);
	analysis->function_of = arena_array(&analysis->arena, uint32_t, count + 1);
	strmap_init(&known);
	for (size_t i = 0; i < count; i++) {
		const struct profile_function *row = &rows[i];
		const uint32_t module = analysis->module_of[row->module - 1];
		const char *key = arena_printf(&analysis->arena, "%u:%llx:%s", module,
					       (unsigned long long)row->link_addr,
					       row->link_addr ? "" : text_or_empty(row->name));
		const uint64_t index = *strmap_put(&known, key, analysis->functions.len);
		analysis->function_of[i] = (uint32_t)index;
		if (index < analysis->functions.len)
			continue;
		vec_push(&analysis->functions,
			 ((struct analysis_function){
				 .module = module,
				 .name = function_name(analysis, module, row, keep_mangled),
				 .symbol = text_or_empty(row->name),
				 .source = row->source,
				 .line = row->line,
				 .link_addr = row->link_addr,
				 .size = row->size,
				 .values = analysis_values_zero()}));
	}
	strmap_fini(&known);
	mark_twins(analysis);
}
