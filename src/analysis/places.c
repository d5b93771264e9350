/*
 * Source lines and instructions: which of them stand at each location, then one count over all
 * stacks. At a location stand the line of its function and those of what was inlined there; it is
 * the innermost that executes. Code without line information is one row per function.
 */
#include "analysis/code.h"
#include "analysis/stack_counts.h"

#include <assert.h>
#include <string.h>

struct line_finder {
	struct analysis *analysis;
	struct map by_line;	/* (source, line) → index */
	struct map by_function; /* of what has no line */
	struct map names_seen;	/* (index, name) */
	struct strmap names;	/* symbol → number of its name */
	struct vec_of(const char *) shown;
	bool keep_mangled;
};

static uint64_t name_number(struct line_finder *finder, const char *symbol)
{
	struct analysis *analysis = finder->analysis;
	const uint64_t fresh = finder->shown.len;
	const uint64_t number = *strmap_put(&finder->names, symbol, fresh);

	if (number == fresh)
		vec_push(&finder->shown, finder->keep_mangled
						 ? symbol
						 : analysis_demangle(&analysis->arena, symbol));
	return number;
}

/* A line that several functions have is named after the first of them. */
static void name_line(struct line_finder *finder, uint32_t index, const char *symbol)
{
	struct analysis_line *line = &finder->analysis->lines.data[index];
	const uint64_t number = name_number(finder, symbol);
	const size_t before = finder->names_seen.len;

	map_put(&finder->names_seen, (uint64_t)index << 32 | number, 0);
	if (finder->names_seen.len == before)
		return;
	if (line->name)
		line->others++;
	else
		line->name = finder->shown.data[number];
}

static uint32_t line_of(struct line_finder *finder, const struct profile_location_line *row,
			uint32_t function)
{
	struct analysis *analysis = finder->analysis;
	const uint64_t fresh = analysis->lines.len;
	const bool known = row && row->source;
	const uint64_t key = known ? (uint64_t)row->source << 32 | row->line : function;
	const uint64_t index =
		*map_put(known ? &finder->by_line : &finder->by_function, key, fresh);
	size_t sources;

	if (index < fresh)
		return (uint32_t)index;
	struct analysis_line line = {.function = function};
	if (known) {
		line.source = profile_sources(analysis->profile, &sources)[row->source - 1].path;
		line.line = row->line;
	} else {
		line.name = analysis->functions.data[function].name;
	}
	vec_push(&analysis->lines, line);
	return (uint32_t)index;
}

static void add_lines(struct line_finder *finder, const struct profile_location_line *rows,
		      uint32_t count, uint32_t function, struct location_places *places)
{
	const char *symbol = finder->analysis->functions.data[function].symbol;

	if (!count)
		vec_push(&places->at, line_of(finder, NULL, function));
	for (uint32_t i = count; i-- > 0;) {
		const uint32_t index = line_of(finder, &rows[i], function);
		vec_push(&places->at, index);
		if (!rows[i].source)
			continue;
		if (rows[i].function && rows[i].function[0])
			symbol = rows[i].function;
		name_line(finder, index,
			  symbol[0] ? symbol : finder->analysis->functions.data[function].name);
	}
}

static void load_lines(struct analysis *analysis, const uint32_t *first, bool keep_mangled)
{
	struct line_finder finder = {.analysis = analysis, .keep_mangled = keep_mangled};
	struct location_places places = {0};
	size_t count;
	const struct profile_location *locations = profile_locations(analysis->profile, &count);
	size_t line_count;
	const struct profile_location_line *lines =
		profile_location_lines(analysis->profile, &line_count);

	map_init(&finder.by_line);
	map_init(&finder.by_function);
	map_init(&finder.names_seen);
	strmap_init(&finder.names);
	location_places_init(&places, analysis);
	for (size_t i = 0; i < count; i++) {
		assert(first[i] <= first[i + 1]);
		add_lines(&finder, lines ? lines + first[i] : NULL, first[i + 1] - first[i],
			  analysis->function_of[locations[i].function - 1], &places);
		location_places_end(&places, i);
	}
	places.count = (uint32_t)analysis->lines.len;
	struct analysis_place *values = mem_zalloc((places.count + 1) * sizeof(*values));
	analysis_places_count(analysis, &places, values);
	for (size_t i = 0; i < analysis->lines.len; i++)
		analysis->lines.data[i].values = values[i];
	free(values);
	location_places_fini(&places);
	map_fini(&finder.by_line);
	map_fini(&finder.by_function);
	map_fini(&finder.names_seen);
	strmap_fini(&finder.names);
	vec_fini(&finder.shown);
}

/* ---- instructions ---- */

/* Addresses of one module, of which several locations may be the same. */
struct address {
	uint32_t module, location;
	uint64_t link_addr;
	const char *text; /* of the instruction; NULL: not known */
	bool calls_indirectly;
};

struct addresses vec_of(struct address);

static int compare_addresses(const void *a, const void *b)
{
	const struct address *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->link_addr != y->link_addr)
		return x->link_addr < y->link_addr ? -1 : 1;
	return x->location < y->location ? -1 : x->location > y->location;
}

static void instruction_add(struct analysis *analysis, const struct address *address,
			    const uint32_t *first)
{
	size_t count;
	const struct profile_location *locations = profile_locations(analysis->profile, &count);
	const struct profile_location_line *lines =
		profile_location_lines(analysis->profile, &count);
	const struct profile_source *sources = profile_sources(analysis->profile, &count);
	const uint32_t at = first[address->location];
	struct analysis_instruction row = {
		.function = analysis->function_of[locations[address->location].function - 1],
		.link_addr = address->link_addr,
		.text = address->text,
		.calls_indirectly = address->calls_indirectly};

	if (at < first[address->location + 1] && lines[at].source) {
		row.source = sources[lines[at].source - 1].path;
		row.line = lines[at].line;
	}
	vec_push(&analysis->instructions, row);
}

/*
 * From where in an instruction a sample has its address to where that begins, so that a call is one
 * row whether it was about to be made or is in progress. All of one function, ascending.
 */
static void decode(struct analysis *analysis, const struct object *object, struct addresses run,
		   uint64_t *budget)
{
	size_t count;
	const struct profile_location *locations = profile_locations(analysis->profile, &count);
	assert(run.len && run.data[0].location < count);
	const struct analysis_function *function =
		&analysis->functions
			 .data[analysis->function_of[locations[run.data->location].function - 1]];
	const uint64_t limit = code_end(object, function);
	struct address *at = run.data, *end = run.data + run.len;
	uint64_t addr = function->link_addr;
	char text[512];

	while (at < end && addr < limit && *budget) {
		const size_t length = code_text(object, addr, limit, NULL, 0);
		if (!length)
			return;
		if (at->link_addr >= addr && at->link_addr - addr < length)
			code_text(object, addr, limit, text, sizeof(text));
		const char *kept = NULL;
		for (; at < end && at->link_addr < addr + length; at++) {
			if (at->link_addr < addr)
				continue;
			kept = kept ? kept : arena_strdup(&analysis->arena, text);
			at->link_addr = addr;
			at->text = kept;
			at->calls_indirectly = code_calls_indirectly(object, addr, length);
		}
		addr += length;
		--*budget;
	}
}

static int64_t function_at(const struct analysis *analysis, const struct address *address)
{
	size_t count;

	return analysis->function_of
		[profile_locations(analysis->profile, &count)[address->location].function - 1];
}

static void decode_all(struct analysis *analysis, const struct addresses *addresses)
{
	/* Instructions: more than any program has in functions with samples, less than a minute. */
	uint64_t budget = 1 << 25;
	struct code_reader reader = {0};
	const char *reason;

	code_reader_init(&reader, analysis);
	for (size_t begin = 0, end = 0; begin < addresses->len; begin = end) {
		struct address *first = &addresses->data[begin];
		const int64_t function = function_at(analysis, first);
		while (end < addresses->len && addresses->data[end].module == first->module &&
		       function_at(analysis, &addresses->data[end]) == function)
			end++;
		const struct object *object = code_of_module(&reader, first->module, &reason);
		if (object)
			decode(analysis, object,
			       (struct addresses){.data = first, .len = end - begin}, &budget);
	}
	code_reader_fini(&reader);
}

static void load_instructions(struct analysis *analysis, const uint32_t *first, bool code)
{
	size_t count;
	const struct profile_location *locations = profile_locations(analysis->profile, &count);
	struct addresses addresses = {0};
	uint32_t *index_of = mem_alloc((count + 1) * sizeof(*index_of));
	struct location_places places = {0};

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t function = analysis->function_of[locations[i].function - 1];
		vec_push(&addresses, ((struct address){analysis->functions.data[function].module, i,
						       locations[i].link_addr, NULL, false}));
	}
	vec_sort(&addresses, compare_addresses);
	if (code)
		decode_all(analysis, &addresses);
	for (size_t i = 0; i < addresses.len; i++) {
		const struct address *at = &addresses.data[i];
		if (!i || at->module != at[-1].module || at->link_addr != at[-1].link_addr)
			instruction_add(analysis, at, first);
		assert(analysis->instructions.len && at->location < count);
		index_of[at->location] = (uint32_t)analysis->instructions.len - 1;
	}
	location_places_init(&places, analysis);
	for (size_t i = 0; i < count; i++) {
		vec_push(&places.at, index_of[i]);
		location_places_end(&places, i);
	}
	places.count = (uint32_t)analysis->instructions.len;
	struct analysis_place *values = mem_zalloc((places.count + 1) * sizeof(*values));
	analysis_places_count(analysis, &places, values);
	for (size_t i = 0; i < places.count; i++)
		analysis->instructions.data[i].values = values[i];
	free(values);
	analysis->instruction_of = index_of;
	vec_fini(&addresses);
	location_places_fini(&places);
}

void analysis_load_places(struct analysis *analysis, const struct analysis_options *options)
{
	uint32_t *first = analysis_lines_of_locations(analysis);

	load_lines(analysis, first, options->keep_mangled);
	load_instructions(analysis, first, options->code);
	free(first);
}

bool analysis_load_call_places(struct analysis *analysis, struct profile *profile,
			       const struct analysis_options *options, struct error *err)
{
	if (!analysis->by_call_site && !analysis->places_call)
		return true;
	struct analysis_stacks *stacks = mem_zalloc(sizeof(*stacks));
	*(analysis->by_call_site ? &analysis->stacks : &analysis->call_stacks) = stacks;
	if (!analysis_call_sites_init(stacks, analysis, profile, err))
		return false;
	if (analysis->by_call_site)
		analysis_load_places(analysis, options);
	if (options->call_targets)
		analysis_load_call_targets(analysis, stacks);
	return true;
}
