/*
 * One piece of work per module: the addresses of its functions and of its locations, looked up
 * together. Rows are written afterwards, in the order of ids, so that a profile does not depend on
 * which module was done first.
 *
 *   functions, locations ─▶ addresses by module ─▶ object/lines (all processors) ─▶ rows
 */
#include "resolve/symbolize.h"

#include "base/parallel.h"
#include "cache/derived.h"
#include "object/lines.h"

#include <assert.h>
#include <string.h>

struct module_work {
	struct resolve_module *module;
	enum lines_reason state;
	struct lines *lines; /* holds what answers refer to; so does the arena */
	struct arena arena;
	struct vec_of(uint64_t) addrs; /* of functions first, then of locations */
	struct vec_of(int64_t) ids;    /* of the functions */
	struct vec_of(struct lines_answer) answers;
};

struct symbolizing {
	struct resolver *resolver;
	struct profile_writer *writer;
	struct module_work *work; /* as the resolver's modules */
	size_t count;
	struct map work_by_id; /* id of the module → index in work */
};

/* ---- what is asked ---- */

static int by_value(const void *a, const void *b)
{
	const struct map_slot *left = a, *right = b;

	return (left->value > right->value) - (left->value < right->value);
}

/* Those with an address, by id. */
static void ask_functions(struct module_work *work)
{
	const struct map *known = &work->module->functions;
	struct vec_of(struct map_slot) functions = {0};

	for (size_t i = 0; i < known->cap; i++) {
		if (known->slots[i].used && known->slots[i].key)
			vec_push(&functions, known->slots[i]);
	}
	vec_sort(&functions, by_value);
	vec_foreach (function, &functions) {
		vec_push(&work->addrs, function->key);
		vec_push(&work->ids, (int64_t)function->value);
	}
	vec_fini(&functions);
	assert(work->addrs.len == work->ids.len);
}

static struct module_work *work_of(struct symbolizing *all, const struct resolve_module *module)
{
	const uint64_t *at = map_get(&all->work_by_id, (uint64_t)module->id);

	assert(at && *at < all->count);
	return &all->work[*at];
}

static bool none_is(const struct module_work *work, enum lines_reason reason)
{
	vec_foreach (answer, &work->answers) {
		if (answer->reason == reason)
			return false;
	}
	return true;
}

struct lines *resolver_lines(const struct resolver *resolver, const struct resolve_module *module)
{
	static const struct lines_store store = {.open = derived_open, .keep = derived_keep};

	return module->object ? lines_open(module->object, resolver->keeps_derived ? &store : NULL)
			      : NULL;
}

static void look_up_lines(const struct resolver *resolver, struct module_work *work)
{
	assert(work->answers.len == work->addrs.len);
	work->lines = resolver_lines(resolver, work->module);
	lines_find(work->lines, work->addrs.data, work->addrs.len, work->answers.data);
	lines_finish(work->lines);
	work->state = lines_state(work->lines);
	if (work->state == LINES_KNOWN && none_is(work, LINES_KNOWN) &&
	    !none_is(work, LINES_NO_SPLIT_FILE))
		work->state = LINES_NO_SPLIT_FILE;
}

/* What compilers that work at run time tell: one function and line for each address. */
static void look_up_jit(struct module_work *work)
{
	assert(work->answers.len == work->addrs.len);
	work->state = LINES_NO_DEBUG_INFO;
	for (size_t i = 0; i < work->addrs.len; i++) {
		const uint64_t addr = work->addrs.data[i];
		const struct jit_function *function = jit_code_find(work->module->jit, addr);
		const struct jit_line *line = function ? jit_function_line(function, addr) : NULL;
		struct lines_answer *answer = &work->answers.data[i];
		struct jit_line declared;

		if (function && jit_function_declared(function, &work->arena, &declared)) {
			answer->declared_source = declared.source;
			answer->declared_line = declared.line;
		}
		if (!line)
			continue;
		struct lines_frame *frame = arena_new(&work->arena, struct lines_frame);
		*frame = (struct lines_frame){
			.function = function->name, .source = line->source, .line = line->line};
		answer->frames = frame;
		answer->count = 1;
		work->state = LINES_KNOWN;
	}
}

static void look_up(void *context, unsigned worker, size_t begin, size_t end)
{
	struct symbolizing *all = context;
	const struct lines_answer nothing = {0};

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		struct module_work *work = &all->work[i];
		if (!work->addrs.len || (!work->module->object && !work->module->jit))
			continue;
		for (size_t j = 0; j < work->addrs.len; j++)
			vec_push(&work->answers, nothing);
		if (work->module->object)
			look_up_lines(all->resolver, work);
		else
			look_up_jit(work);
	}
}

/* ---- what is written ---- */

static bool write_functions(struct symbolizing *all, struct module_work *work, struct error *err)
{
	assert(work->answers.len >= work->ids.len);
	for (size_t i = 0; i < work->ids.len; i++) {
		const struct lines_answer *answer = &work->answers.data[i];
		const char *source = answer->declared_source;
		uint32_t line = answer->declared_line;
		/* The assembler's have no declaration: they are where their code is. */
		if (!source && answer->count) {
			source = answer->frames[answer->count - 1].source;
			line = answer->frames[answer->count - 1].line;
		}
		if (source && line &&
		    !profile_set_function_source(all->writer, work->ids.data[i], source, line, err))
			return false;
	}
	return true;
}

static bool write_module(struct symbolizing *all, struct module_work *work, struct error *err)
{
	return !work->answers.len ||
	       (write_functions(all, work, err) &&
		profile_set_module_lines(all->writer, work->module->id,
					 lines_reason_text(work->state), err));
}

/* The name of the outermost frame is the symbol's, as that of the location's function is. */
static const char *frame_name(const struct resolve_location *location,
			      const struct lines_answer *answer, size_t depth)
{
	assert(depth < answer->count);
	const struct object_symbol *symbol =
		depth + 1 == answer->count && location->module->object
			? object_symbol_covering(location->module->object, location->link_addr)
			: NULL;

	return symbol ? symbol->name : answer->frames[depth].function;
}

static bool write_location(struct symbolizing *all, int64_t id,
			   const struct resolve_location *location,
			   const struct lines_answer *answer, struct error *err)
{
	for (size_t i = 0; i < answer->count; i++) {
		struct profile_location_line row = {
			.location = id,
			.depth = (uint32_t)i,
			.function = frame_name(location, answer, i),
			.line = answer->frames[i].line,
			.column = answer->frames[i].column,
		};
		if (!resolver_source(all->resolver, answer->frames[i].source, &row.source, err) ||
		    !profile_add_location_line(all->writer, &row, err))
			return false;
	}
	return true;
}

static bool write_all(struct symbolizing *all, const struct resolve_location *locations,
		      size_t count, struct error *err)
{
	for (size_t i = 0; i < all->count; i++) {
		if (!write_module(all, &all->work[i], err))
			return false;
	}
	size_t *taken = mem_zalloc(all->count * sizeof(*taken));
	bool ok = true;
	for (size_t i = 0; i < count && ok; i++) {
		struct module_work *work = work_of(all, locations[i].module);
		const size_t at = work->ids.len + taken[work - all->work]++;
		assert(!work->answers.len || at < work->answers.len);
		if (work->answers.len)
			ok = write_location(all, (int64_t)i + 1, &locations[i],
					    &work->answers.data[at], err);
	}
	free(taken);
	return ok;
}

bool symbolize_profile(struct resolver *resolver, struct error *err)
{
	struct symbolizing all = {
		.resolver = resolver, .writer = resolver->writer, .count = resolver->modules.len};

	if (!all.count)
		return true;
	all.work = mem_zalloc(all.count * sizeof(*all.work));
	map_init(&all.work_by_id);
	for (size_t i = 0; i < all.count; i++) {
		all.work[i].module = resolver->modules.data[i];
		arena_init(&all.work[i].arena);
		map_put(&all.work_by_id, (uint64_t)resolver->modules.data[i]->id, i);
		ask_functions(&all.work[i]);
	}
	vec_foreach (location, &resolver->locations)
		vec_push(&work_of(&all, location->module)->addrs, location->link_addr);
	const struct parallel_loop loop = {
		.run = look_up,
		.context = &all,
		.count = all.count,
		.piece = 1,
		.threads = parallel_threads(0),
	};
	parallel_run(&loop);
	const bool ok = write_all(&all, resolver->locations.data, resolver->locations.len, err);
	for (size_t i = 0; i < all.count; i++) {
		struct module_work *work = &all.work[i];
		lines_close(work->lines);
		arena_fini(&work->arena);
		vec_fini(&work->addrs);
		vec_fini(&work->ids);
		vec_fini(&work->answers);
	}
	map_fini(&all.work_by_id);
	free(all.work);
	return ok;
}
