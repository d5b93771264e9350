/*
 * Functions whose time is another one's: forms of a function for different processors, and stubs of
 * procedure linkage tables, which are part of the call of the function that they lead to. A timer's
 * interrupt comes where the processor has to wait, and through a copy that is later than in the
 * stub: so the stub's samples move to the function anyway, and times are the same only together.
 */
#include "analysis/aliases.h"

#include <string.h>

#define STUB_SUFFIX "@plt"

/*
 * The C library has functions in several forms for different processors, "__memset_avx2_erms" and
 * the like, of which one is chosen when the program begins: calls are those of "memset".
 */
static size_t chosen_form(const char *symbol, const char **base)
{
	static const char *const forms[] = {"_avx", "_sse", "_ssse", "_evex", "_erms", "_fma"};
	size_t length = 0;

	if (strncmp(symbol, "__", 2) != 0)
		return 0;
	for (size_t i = 0; i < TABLE_COUNT(forms); i++) {
		const char *at = strstr(symbol + 2, forms[i]);
		if (at && (!length || (size_t)(at - symbol - 2) < length))
			length = (size_t)(at - symbol - 2);
	}
	*base = symbol + 2;
	return length;
}

static const char *name_key(struct analysis *analysis, uint32_t module, const char *name,
			    size_t length)
{
	return arena_printf(&analysis->arena, "%u:%.*s", module, (int)length, name);
}

/* By "module:symbol", and by ":symbol" the first of any module. */
static void index_names(struct analysis *analysis, struct strmap *names)
{
	for (uint32_t i = 0; i < analysis->functions.len; i++) {
		const struct analysis_function *function = &analysis->functions.data[i];
		const size_t length = strlen(function->symbol);
		if (!length || str_ends_with(function->symbol, STUB_SUFFIX))
			continue;
		strmap_put(names, name_key(analysis, function->module, function->symbol, length),
			   i);
		const char *anywhere = arena_printf(&analysis->arena, ":%s", function->symbol);
		if (!strmap_get(names, anywhere))
			strmap_put(names, anywhere, i);
	}
}

static uint32_t find_entry(const struct analysis_aliases *aliases, struct analysis *analysis,
			   const struct strmap *names, uint32_t index)
{
	const struct analysis_function *function = &analysis->functions.data[index];
	const char *base;
	const size_t length =
		aliases->is_runtime[function->module] ? chosen_form(function->symbol, &base) : 0;
	const uint64_t *entry =
		length ? strmap_get(names, name_key(analysis, function->module, base, length))
		       : NULL;

	return entry ? (uint32_t)*entry : index;
}

/* A file's own function comes before others', as the loader has it but for interposition. */
static uint32_t find_stub(struct analysis *analysis, const struct strmap *names, uint32_t index)
{
	const struct analysis_function *function = &analysis->functions.data[index];

	if (!str_ends_with(function->symbol, STUB_SUFFIX))
		return index;
	const size_t length = strlen(function->symbol) - strlen(STUB_SUFFIX);
	const uint64_t *called =
		strmap_get(names, name_key(analysis, function->module, function->symbol, length));
	if (!called)
		called = strmap_get(names, arena_printf(&analysis->arena, ":%.*s", (int)length,
							function->symbol));
	return called ? (uint32_t)*called : index;
}

static void find_modules(struct analysis_aliases *aliases, const struct analysis *analysis)
{
	size_t count;
	const struct profile_module *modules = profile_modules(analysis->profile, &count);

	aliases->is_runtime = mem_zalloc(analysis->modules.len + 1);
	aliases->is_kernel = mem_zalloc(analysis->modules.len + 1);
	for (size_t i = 0; i < count; i++) {
		const uint32_t module = analysis->module_of[i];
		const bool kernels = analysis_is_kernels(modules[i].path);
		const bool vdso = kernels && strncmp(modules[i].path, "[v", 2) == 0;
		aliases->is_runtime[module] |= modules[i].system || vdso;
		aliases->is_kernel[module] |= kernels && !vdso;
	}
}

static void find_functions(struct analysis_aliases *aliases, struct analysis *analysis)
{
	const size_t count = analysis->functions.len;
	struct strmap names = {0};

	strmap_init(&names);
	index_names(analysis, &names);
	aliases->function_count = count;
	aliases->entry_of = mem_alloc((count + 1) * sizeof(uint32_t));
	aliases->stub_of = mem_alloc((count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++) {
		aliases->entry_of[i] = find_entry(aliases, analysis, &names, i);
		aliases->stub_of[i] = find_stub(analysis, &names, i);
	}
	strmap_fini(&names);
}

const struct analysis_aliases *analysis_aliases_of(struct analysis *analysis)
{
	if (!analysis->aliases) {
		analysis->aliases = mem_zalloc(sizeof(*analysis->aliases));
		find_modules(analysis->aliases, analysis);
		find_functions(analysis->aliases, analysis);
	}
	return analysis->aliases;
}

void analysis_aliases_free(struct analysis_aliases *aliases)
{
	if (!aliases)
		return;
	free(aliases->is_runtime);
	free(aliases->is_kernel);
	free(aliases->entry_of);
	free(aliases->stub_of);
	free(aliases);
}
