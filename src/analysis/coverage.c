/* What became of each function of each module, classified by the name of the verdict. */
#include "analysis/private.h"

#include <string.h>

enum { VERDICTS_MAX = 64 };

/* Of older profiles: small functions had no counters. */
#define SKIPPED "small"

/* Functions of one module that were refused for one reason. */
struct refusal {
	const char *verdict;
	uint64_t count;
};

struct refusals vec_of(struct refusal);

struct coverage_loader {
	struct analysis *analysis;
	const struct analysis_options *options;
	struct refusals *modules; /* per module, and behind them of all */
	const char *verdicts[VERDICTS_MAX];
	size_t verdict_count;
};

static enum analysis_coverage_class classify(const char *verdict)
{
	static const struct {
		const char *name;
		enum analysis_coverage_class class;
	} known[] = {
		{"instrumented", COVERAGE_INSTRUMENTED},
		{"part", COVERAGE_PART},
		{"counted", COVERAGE_SMALL},
		{SKIPPED, COVERAGE_SMALL},
		{"not-selected", COVERAGE_NOT_SELECTED},
		{"no-syscall", COVERAGE_NOT_SELECTED},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, verdict) == 0)
			return known[i].class;
	return COVERAGE_REFUSED;
}

/* Verdicts are few: one copy of each, and a hostile file gets no more than VERDICTS_MAX. */
static const char *verdict_intern(struct coverage_loader *loader, const char *verdict)
{
	for (size_t i = 0; i < loader->verdict_count; i++)
		if (strcmp(loader->verdicts[i], verdict) == 0)
			return loader->verdicts[i];
	if (loader->verdict_count == VERDICTS_MAX)
		return "other";
	const char *copy = arena_strdup(&loader->analysis->arena, verdict);
	loader->verdicts[loader->verdict_count++] = copy;
	return copy;
}

static void refusal_add(struct refusals *refusals, const char *verdict, uint64_t count)
{
	vec_foreach (refusal, refusals) {
		if (refusal->verdict == verdict) {
			refusal->count += count;
			return;
		}
	}
	vec_push(refusals, ((struct refusal){.verdict = verdict, .count = count}));
}

static int refusal_compare(const void *a, const void *b)
{
	const struct refusal *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->verdict, y->verdict);
}

/* "3 jump-unproven, 1 bad-target"; empties the list. */
static const char *refusals_text(struct arena *arena, struct refusals *refusals)
{
	struct str text = {0};

	vec_sort(refusals, refusal_compare);
	for (size_t i = 0; i < refusals->len; i++)
		str_printf(&text, "%s%llu %s", i ? ", " : "",
			   (unsigned long long)refusals->data[i].count, refusals->data[i].verdict);
	const char *result = text.len ? arena_strdup(arena, text.data) : "";
	str_fini(&text);
	vec_fini(refusals);
	return result;
}

static const char *coverage_name(const struct coverage_loader *loader,
				 const struct profile_coverage *row, uint32_t module)
{
	struct arena *arena = &loader->analysis->arena;

	if (row->function && row->function[0]) {
		const char *symbol = arena_strdup(arena, row->function);
		return loader->options->keep_mangled ? symbol : analysis_demangle(arena, symbol);
	}
	if (row->count == 1)
		return arena_printf(arena, "%s+0x%llx", loader->analysis->modules.data[module].name,
				    (unsigned long long)row->link_addr);
	return "";
}

static bool is_deferred(const struct profile_coverage *row)
{
	return row->verdict && strcmp(row->verdict, PROFILE_COVERAGE_DEFERRED) == 0;
}

static bool is_whole_file(const struct profile_coverage *row)
{
	return is_deferred(row) ||
	       (row->verdict && strcmp(row->verdict, PROFILE_COVERAGE_FILE) == 0);
}

static void load_file(struct coverage_loader *loader, const struct profile_coverage *row,
		      struct analysis_module_coverage *module)
{
	struct analysis *analysis = loader->analysis;

	module->refusals = arena_strdup(&analysis->arena, row->function ? row->function : "");
	module->is_deferred = is_deferred(row);
	refusal_add(&loader->modules[analysis->modules.len],
		    module->is_deferred ? PROFILE_COVERAGE_DEFERRED : PROFILE_COVERAGE_FILE, 1);
}

static bool load_row(const struct profile_coverage *row, void *context)
{
	struct coverage_loader *loader = context;
	struct analysis *analysis = loader->analysis;
	const uint32_t module = analysis->module_of[row->module - 1];

	if (is_whole_file(row)) {
		load_file(loader, row, &analysis->module_coverage.data[module]);
		return true;
	}
	const char *verdict = verdict_intern(loader, row->verdict ? row->verdict : "");
	const enum analysis_coverage_class class = classify(verdict);
	const uint64_t count = (uint64_t)row->count;

	analysis->totals.coverage[class] += count;
	analysis->totals.small_skipped += strcmp(verdict, SKIPPED) == 0 ? count : 0;
	analysis->module_coverage.data[module].count[class] += count;
	analysis->module_coverage.data[module].found += count;
	if (class == COVERAGE_REFUSED) {
		refusal_add(&loader->modules[module], verdict, count);
		refusal_add(&loader->modules[analysis->modules.len], verdict, count);
	}
	if (loader->options->coverage_functions)
		vec_push(&analysis->coverage,
			 ((struct analysis_coverage){.module = module,
						     .name = coverage_name(loader, row, module),
						     .link_addr = row->link_addr,
						     .size = row->size,
						     .verdict = verdict,
						     .class = class,
						     .count = count}));
	return true;
}

/* Modules without any row have nothing to show. */
static void drop_empty(struct analysis *analysis)
{
	size_t kept = 0;

	for (size_t i = 0; i < analysis->module_coverage.len; i++)
		if (analysis->module_coverage.data[i].found ||
		    analysis->module_coverage.data[i].refusals[0])
			analysis->module_coverage.data[kept++] = analysis->module_coverage.data[i];
	analysis->module_coverage.len = kept;
}

bool analysis_load_coverage(struct analysis *analysis, struct profile *profile,
			    const struct analysis_options *options, struct error *err)
{
	const size_t modules = analysis->modules.len;
	struct coverage_loader loader = {.analysis = analysis, .options = options};

	loader.modules = mem_zalloc((modules + 1) * sizeof(*loader.modules));
	for (size_t i = 0; i < modules; i++)
		vec_push(&analysis->module_coverage,
			 ((struct analysis_module_coverage){.module = (uint32_t)i}));
	vec_foreach (function, &analysis->functions)
		analysis->module_coverage.data[function->module].disarmed +=
			function->values.disarmed;
	const bool ok = profile_each_coverage(profile, load_row, &loader, err);
	for (size_t i = 0; i < modules; i++) {
		struct analysis_module_coverage *row = &analysis->module_coverage.data[i];
		const char *functions = refusals_text(&analysis->arena, &loader.modules[i]);
		row->refusals = row->refusals ? row->refusals : functions;
	}
	analysis->refusals = refusals_text(&analysis->arena, &loader.modules[modules]);
	free(loader.modules);
	drop_empty(analysis);
	return ok;
}
