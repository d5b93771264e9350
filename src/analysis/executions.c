/*
 * See executions.h. What was executed by threads that are not selected does not count; the code is
 * there nevertheless, so lines may have 0 executions for this reason, too.
 */
#include "analysis/executions.h"

#include "analysis/code.h"
#include "analysis/private.h"

#include <string.h>

struct loader {
	struct analysis *analysis;
	struct analysis_executions *to;
};

static uint32_t function_of(const struct analysis *analysis, int64_t id)
{
	return id ? analysis->function_of[id - 1] : ANALYSIS_NONE;
}

/* What was counted without a thread belongs to all of them together. */
static bool is_selected(const struct analysis *analysis, int64_t thread)
{
	if (thread)
		return analysis->threads.data[thread - 1].selected;
	vec_foreach (other, &analysis->threads)
		if (!other->selected)
			return false;
	return true;
}

static bool load_block(const struct profile_block *row, void *context)
{
	struct loader *loader = context;
	const struct executed_block block = {
		.module = loader->analysis->module_of[row->module - 1],
		.function = function_of(loader->analysis, row->function),
		.link_addr = row->link_addr,
		.size = row->size,
		.instructions = row->instructions,
		.branches = row->branches,
		.source = row->source,
		.line = row->line,
	};

	vec_push(&loader->to->blocks, block);
	return true;
}

static bool load_execution(const struct profile_execution *row, void *context)
{
	const struct loader *loader = context;

	if (row->block < 1 || (uint64_t)row->block > loader->to->blocks.len)
		return true;
	struct executed_block *block = &loader->to->blocks.data[row->block - 1];
	if (is_selected(loader->analysis, row->thread)) {
		block->count += row->count;
		block->taken += row->taken;
	}
	return true;
}

static bool load_line(const struct profile_line_execution *row, void *context)
{
	const struct loader *loader = context;
	const struct executed_line line = {
		.source = row->source,
		.line = row->line,
		.function = function_of(loader->analysis, row->function),
		.count = is_selected(loader->analysis, row->thread) ? row->count : 0,
	};

	if (row->source)
		vec_push(&loader->to->lines, line);
	return true;
}

static int compare_lines(const void *a, const void *b)
{
	const struct executed_line *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static int compare_blocks(const void *a, const void *b)
{
	const struct executed_block *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->link_addr != y->link_addr)
		return x->link_addr < y->link_addr ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

/* Threads' rows of a line become one. */
static void sum_lines(struct analysis_executions *executions)
{
	size_t kept = 0;

	vec_sort(&executions->lines, compare_lines);
	vec_foreach (line, &executions->lines) {
		struct executed_line *last = kept ? &executions->lines.data[kept - 1] : NULL;
		if (last && compare_lines(last, line) == 0)
			last->count += line->count;
		else
			executions->lines.data[kept++] = *line;
	}
	executions->lines.len = kept;
}

/* Blocks are in their order. */
static void find_reaches(struct analysis_executions *executions)
{
	const struct executed_block *before = NULL;

	vec_foreach (block, &executions->blocks) {
		block->reach = block->link_addr + block->size;
		if (before && before->module == block->module && before->reach > block->reach)
			block->reach = before->reach;
		before = block;
	}
}

/* ---- what is not known ---- */

struct counted_functions {
	const struct analysis *analysis;
	unsigned char *flags; /* per function */
};

enum { IS_COUNTED = 1, IS_KNOWN = 2 };

static bool mark_counted(const struct profile_counted *row, void *context)
{
	const struct counted_functions *functions = context;
	const uint32_t function = function_of(functions->analysis, row->function);

	if (row->entered && function != ANALYSIS_NONE)
		functions->flags[function] |= IS_COUNTED;
	return true;
}

static void sum_add(struct executed_sum *sum, const struct executed_block *block)
{
	sum->is_known = true;
	sum->instructions += block->count * block->instructions;
}

static void sum_instructions(const struct analysis *analysis)
{
	struct analysis_executions *executions = analysis->executions;

	executions->function_count = analysis->functions.len;
	executions->functions =
		mem_zalloc((analysis->functions.len + 1) * sizeof(*executions->functions));
	executions->modules =
		mem_zalloc((analysis->modules.len + 1) * sizeof(*executions->modules));
	vec_foreach (block, &executions->blocks) {
		sum_add(&executions->modules[block->module], block);
		if (block->function != ANALYSIS_NONE)
			sum_add(&executions->functions[block->function], block);
	}
	vec_foreach (function, &executions->unknown)
		executions->modules[analysis->functions.data[*function].module].is_known = false;
}

/* A module with executions has those of all its functions but these. */
static bool find_unknown(struct analysis *analysis, struct profile *profile, struct error *err)
{
	struct analysis_executions *executions = analysis->executions;
	const size_t count = analysis->functions.len;
	struct counted_functions functions = {analysis, mem_zalloc(count + 1)};
	unsigned char *modules = mem_zalloc(analysis->modules.len + 1);
	const bool ok = profile_each_counted(profile, mark_counted, &functions, err);

	vec_foreach (block, &executions->blocks) {
		modules[block->module] = 1;
		if (block->function != ANALYSIS_NONE)
			functions.flags[block->function] |= IS_KNOWN;
	}
	for (uint32_t i = 0; i < count && ok; i++)
		if (functions.flags[i] == IS_COUNTED && modules[analysis->functions.data[i].module])
			vec_push(&executions->unknown, i);
	free(functions.flags);
	free(modules);
	return ok;
}

bool analysis_load_executions(struct analysis *analysis, struct profile *profile, struct error *err)
{
	struct analysis_executions *executions = mem_zalloc(sizeof(*executions));
	struct loader loader = {.analysis = analysis, .to = executions};

	analysis->executions = executions;
	if (!profile_each_block(profile, load_block, &loader, err) ||
	    !profile_each_execution(profile, load_execution, &loader, err) ||
	    !profile_each_line_execution(profile, load_line, &loader, err))
		return false;
	sum_lines(executions);
	vec_sort(&executions->blocks, compare_blocks);
	find_reaches(executions);
	if (!executions->blocks.len && !executions->lines.len) {
		analysis_free_executions(analysis);
		return true;
	}
	if (!find_unknown(analysis, profile, err))
		return false;
	sum_instructions(analysis);
	return true;
}

void analysis_free_executions(struct analysis *analysis)
{
	if (!analysis->executions)
		return;
	vec_fini(&analysis->executions->lines);
	vec_fini(&analysis->executions->blocks);
	vec_fini(&analysis->executions->unknown);
	free(analysis->executions->functions);
	free(analysis->executions->modules);
	free(analysis->executions);
	analysis->executions = NULL;
}

/* ---- look-ups ---- */

bool analysis_line_executions(const struct analysis *analysis, int64_t source, uint32_t line,
			      uint32_t function, uint64_t *count)
{
	const struct analysis_executions *executions = analysis->executions;
	const struct executed_line wanted = {.source = source, .line = line};
	bool known = false;

	*count = 0;
	if (!executions)
		return false;
	const size_t first = partition_point(
		executions->lines.len, i, compare_lines(&executions->lines.data[i], &wanted) < 0);
	for (size_t i = first; i < executions->lines.len; i++) {
		const struct executed_line *at = &executions->lines.data[i];
		if (at->source != source || at->line != line)
			break;
		if (function != ANALYSIS_NONE && at->function != function &&
		    at->function != ANALYSIS_NONE)
			continue;
		known = true;
		*count += at->count;
	}
	return known;
}

/* How many blocks begin before the address, or there; of its module and of those before it. */
static size_t blocks_until(const struct analysis_executions *executions, uint32_t module,
			   uint64_t link_addr)
{
	const struct executed_block *blocks = executions ? executions->blocks.data : NULL;

	return partition_point(executions ? executions->blocks.len : 0, i,
			       blocks[i].module < module || (blocks[i].module == module &&
							     blocks[i].link_addr <= link_addr));
}

/* From the last one of those on, *at, the next block that covers the address; NULL: no more. */
static const struct executed_block *next_covering(const struct analysis_executions *executions,
						  uint32_t module, uint64_t link_addr, size_t *at)
{
	while (*at > 0) {
		const struct executed_block *block = &executions->blocks.data[--*at];
		if (block->module != module || block->reach <= link_addr)
			return NULL;
		if (link_addr - block->link_addr < block->size)
			return block;
	}
	return NULL;
}

bool analysis_jump_executions(const struct analysis *analysis, uint32_t module, uint64_t link_addr,
			      uint64_t end, struct executed_jump *jump)
{
	const struct analysis_executions *executions = analysis->executions;
	size_t at = blocks_until(executions, module, link_addr);
	const struct executed_block *block;
	bool known = false;

	*jump = (struct executed_jump){0};
	while ((block = next_covering(executions, module, link_addr, &at))) {
		if (!block->branches || block->link_addr + block->size != end)
			continue;
		known = true;
		jump->count += block->count;
		jump->taken += block->taken;
	}
	return known;
}

bool analysis_code_executions(const struct analysis *analysis, uint32_t module, uint64_t link_addr,
			      uint64_t *count)
{
	const struct analysis_executions *executions = analysis->executions;
	size_t at = blocks_until(executions, module, link_addr);
	const struct executed_block *block;
	bool known = false;

	*count = 0;
	while ((block = next_covering(executions, module, link_addr, &at))) {
		known = true;
		*count += block->count;
	}
	return known;
}

/* ---- lines and instructions ---- */

static uint64_t place_key(int64_t source, uint32_t line)
{
	return (uint64_t)source << 32 | line;
}

/* The rows that there are, by where they stand; sources are compared by their paths. */
static void find_lines(const struct analysis *analysis, const struct strmap *sources,
		       struct map *known)
{
	for (size_t i = 0; i < analysis->lines.len; i++) {
		const struct analysis_line *line = &analysis->lines.data[i];
		const uint64_t *source = line->source ? strmap_get(sources, line->source) : NULL;
		if (source)
			map_put(known, place_key((int64_t)*source, line->line), i);
	}
}

static struct analysis_line *line_at(struct analysis *analysis, struct map *known,
				     const struct executed_line *from, const char *path)
{
	const uint64_t fresh = analysis->lines.len;
	const uint64_t at = *map_put(known, place_key(from->source, from->line), fresh);

	if (at == fresh) {
		const struct analysis_line line = {
			.source = path,
			.line = from->line,
			.name = from->function == ANALYSIS_NONE
					? NULL
					: analysis->functions.data[from->function].name,
			.function = from->function};
		vec_push(&analysis->lines, line);
	}
	return &analysis->lines.data[at];
}

static uint64_t code_key(uint32_t module, uint64_t link_addr)
{
	return hash_u64(link_addr) ^ module;
}

/* Rows for the instructions of a block that have none yet. */
static void list_block(struct analysis *analysis, const struct object *object,
		       const struct executed_block *block, struct map *known)
{
	const uint64_t end = block->link_addr + block->size;
	char text[512];

	for (uint64_t at = block->link_addr; at < end;) {
		const size_t length = code_text(object, at, end, text, sizeof(text));
		const size_t before = known->len;
		if (!length)
			return;
		map_put(known, code_key(block->module, at), 0);
		if (known->len > before)
			vec_push(&analysis->instructions,
				 ((struct analysis_instruction){
					 .function = block->function,
					 .link_addr = at,
					 .text = arena_strdup(&analysis->arena, text)}));
		at += length;
	}
}

/* What was executed without a sample or a call. */
static void list_code(struct analysis *analysis)
{
	struct code_reader reader = {0};
	struct map known = {0};
	const char *reason;

	map_init(&known);
	code_reader_init(&reader, analysis);
	vec_foreach (instruction, &analysis->instructions)
		map_put(&known,
			code_key(analysis->functions.data[instruction->function].module,
				 instruction->link_addr),
			0);
	vec_foreach (block, &analysis->executions->blocks) {
		const struct object *object =
			block->count && block->function != ANALYSIS_NONE
				? code_of_module(&reader, block->module, &reason)
				: NULL;
		if (object)
			list_block(analysis, object, block, &known);
	}
	code_reader_fini(&reader);
	map_fini(&known);
}

void analysis_execute_places(struct analysis *analysis, bool code)
{
	struct strmap sources = {0};
	struct map known = {0};
	size_t count;
	const struct profile_source *rows = profile_sources(analysis->profile, &count);

	if (!analysis->executions)
		return;
	strmap_init(&sources);
	map_init(&known);
	for (size_t i = 0; i < count; i++)
		strmap_put(&sources, rows[i].path, i + 1);
	find_lines(analysis, &sources, &known);
	vec_foreach (line, &analysis->executions->lines) {
		struct analysis_line *row =
			line_at(analysis, &known, line, rows[line->source - 1].path);
		row->values.has_executions = true;
		row->values.executions += line->count;
	}
	if (code)
		list_code(analysis);
	vec_foreach (instruction, &analysis->instructions)
		instruction->values.has_executions = analysis_code_executions(
			analysis, analysis->functions.data[instruction->function].module,
			instruction->link_addr, &instruction->values.executions);
	strmap_fini(&sources);
	map_fini(&known);
}
