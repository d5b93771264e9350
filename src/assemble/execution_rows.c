#include "assemble/execution_rows.h"

#include <stdlib.h>

void executions_init(struct executions *executions, struct resolver *resolver)
{
	*executions = (struct executions){.resolver = resolver};
}

void executions_fini(struct executions *executions)
{
	vec_foreach (module, &executions->modules) {
		flow_fini(&module->flow);
		flow_lines_fini(&module->lines);
		free(module->blocks);
		free(module->line_counts);
		free(module->ran);
	}
	vec_fini(&executions->modules);
}

static void read_module(const struct executions *executions, struct executed_module *module)
{
	const struct object *original = module->module->object;

	module->blocks =
		mem_zalloc((module->flow.block_count + (size_t)1) * sizeof(*module->blocks));
	struct lines *debug = resolver_lines(executions->resolver, module->module);
	flow_lines_read(&module->lines, &module->flow, original, debug, module->note_addr);
	const size_t lines = module->lines.lines.len + 1;
	module->line_counts = mem_zalloc(lines * sizeof(*module->line_counts));
	module->ran = mem_zalloc(lines);
}

/* One whose graphs make no sense has none. */
static struct executed_module *module_of(struct executions *executions,
					 struct resolve_module *module,
					 const struct resolve_counted *counted)
{
	vec_foreach (known, &executions->modules)
		if (known->module == module)
			return known;
	struct executed_module fresh = {.module = module, .note_addr = counted->note_addr};

	if (flow_read(&fresh.flow, counted->flow, counted->flow_size, counted->count))
		read_module(executions, &fresh);
	else
		executions->damaged++;
	vec_push(&executions->modules, fresh);
	return &vec_last(&executions->modules);
}

static uint64_t block_addr(const struct executed_module *module, uint32_t block)
{
	return flow_block_addr(&module->flow, block, module->note_addr);
}

/* The unit that begins with the block. */
static struct flow_unit unit_at(const struct flow *flow, uint32_t block)
{
	struct flow_unit unit = {block, block};

	while (unit.end < flow->block_count &&
	       flow->blocks[unit.end].unit == flow->blocks[block].unit)
		unit.end++;
	return unit;
}

/* ---- what ran ---- */

/* The edge that the branch at the block's end takes; NULL: it has none, or no other way. */
static const struct tare_flow_edge *branch_of(const struct flow *flow, uint32_t block)
{
	const struct tare_flow_edge *edges = flow->edges;
	const uint32_t first = flow->first_out[block], end = flow->first_out[block + 1];
	const bool may_go_on = end - first > 1 || flow->blocks[block].flags & TARE_FLOW_LEFT;

	for (uint32_t i = first; i < end; i++)
		if (edges[i].kind == TARE_FLOW_TAKEN && may_go_on)
			return &edges[i];
	return NULL;
}

/* The line of the block's last instruction, or NULL. */
static const struct flow_line *last_line(const struct flow_lines *lines, uint32_t block)
{
	const uint32_t number = lines->last[block];

	return number ? &lines->lines.data[number - 1] : NULL;
}

static bool write_block(struct executions *executions, struct executed_module *module,
			uint32_t number, struct error *err)
{
	const struct tare_flow_block *block = &module->flow.blocks[number];
	struct profile_block row = {
		.module = module->module->id,
		.function = resolver_function_covering(executions->resolver, module->module,
						       block_addr(module, number), err),
		.link_addr = block_addr(module, number),
		.size = block->size,
		.instructions = block->insn_count,
		.branches = branch_of(&module->flow, number)};

	const struct flow_line *line = row.branches ? last_line(&module->lines, number) : NULL;
	if (!row.function ||
	    (line && !resolver_source(executions->resolver, line->source, &row.source, err)))
		return false;
	row.line = line ? line->line : 0;
	module->blocks[number] = profile_add_block(executions->resolver->writer, &row, err);
	return module->blocks[number] != 0;
}

/* What a thread has executed of a module. */
struct executed {
	struct executions *executions;
	struct executed_module *module;
	int64_t thread;
	struct flow_counts counts;
};

static bool has_run(const struct executed *executed, struct flow_unit unit)
{
	for (uint32_t i = unit.begin; i < unit.end; i++)
		if (executed->counts.blocks[i])
			return true;
	return false;
}

static bool write_execution(const struct executed *executed, uint32_t number, struct error *err)
{
	const struct flow *flow = &executed->module->flow;
	const struct tare_flow_edge *branch = branch_of(flow, number);
	const uint64_t count = executed->counts.blocks[number];
	const uint64_t taken = branch ? executed->counts.edges[branch - flow->edges] : 0;
	const struct profile_execution row = {.thread = executed->thread,
					      .block = executed->module->blocks[number],
					      .count = count,
					      .taken = taken < count ? taken : count};

	return !count || profile_add_execution(executed->executions->resolver->writer, &row, err);
}

static bool write_line(const struct executions *executions, struct executed_module *module,
		       uint32_t number, struct profile_line_execution row, struct error *err)
{
	const struct flow_line *line = &module->lines.lines.data[number];

	row.line = line->line;
	return resolver_source(executions->resolver, line->source, &row.source, err) &&
	       profile_add_line_execution(executions->resolver->writer, &row, err);
}

static bool write_lines(const struct executed *executed, struct flow_unit unit, struct error *err)
{
	struct executed_module *module = executed->module;
	const struct flow_lines *lines = &module->lines;
	struct profile_line_execution row = {.thread = executed->thread,
					     .function = resolver_function_covering(
						     executed->executions->resolver, module->module,
						     block_addr(module, unit.begin), err)};
	bool ok = row.function != 0;

	flow_lines_count(lines, &module->flow, &executed->counts, unit, module->line_counts);
	for (uint32_t i = lines->first[unit.begin]; i < lines->first[unit.end] && ok; i++) {
		const uint32_t line = lines->runs.data[i].line;
		row.count = module->line_counts[line];
		module->line_counts[line] = 0;
		module->ran[line] |= row.count > 0;
		ok = !row.count || write_line(executed->executions, module, line, row, err);
	}
	return ok;
}

static bool write_unit(const struct executed *executed, struct flow_unit unit, struct error *err)
{
	struct executed_module *module = executed->module;
	bool ok = true;

	for (uint32_t i = unit.begin; i < unit.end && ok; i++)
		ok = (module->blocks[i] || write_block(executed->executions, module, i, err)) &&
		     write_execution(executed, i, err);
	return ok && write_lines(executed, unit, err);
}

static bool write_all(const struct executed *executed, struct error *err)
{
	const struct flow *flow = &executed->module->flow;
	struct flow_unit unit;
	bool ok = true;

	for (uint32_t begin = 0; begin < flow->block_count && ok; begin = unit.end) {
		unit = unit_at(flow, begin);
		ok = !has_run(executed, unit) || write_unit(executed, unit, err);
	}
	return ok;
}

bool executions_add(struct executions *executions, struct resolve_module *module,
		    const struct resolve_counted *counted, int64_t thread, const uint64_t *values,
		    struct error *err)
{
	if (!counted->flow)
		return true;
	struct executed executed = {.executions = executions,
				    .module = module_of(executions, module, counted),
				    .thread = thread};
	if (!executed.module->blocks)
		return true;
	if (!flow_solve(&executed.module->flow, values, &executed.counts)) {
		executions->damaged++;
		return true;
	}
	executions->in_progress += executed.counts.in_progress;
	const bool ok = write_all(&executed, err);
	flow_counts_fini(&executed.counts);
	return ok;
}

/* ---- what never ran ---- */

/* Functions are named where lines are, for who reads of these. 0: it has no name; or an error. */
static bool name_idle(const struct executions *executions, const struct executed_module *module,
		      uint32_t block, int64_t *function, struct error *err)
{
	*function = 0;
	if (!module->lines.lines.len)
		return true;
	*function = resolver_function_covering(executions->resolver, module->module,
					       block_addr(module, block), err);
	return *function != 0;
}

/* One row for blocks of a function that follow each other. Returns the number behind them. */
static uint32_t write_idle(const struct executions *executions,
			   const struct executed_module *module, struct flow_unit unit, bool *ok,
			   struct error *err)
{
	const struct tare_flow_block *blocks = module->flow.blocks;
	struct profile_block row = {.module = module->module->id,
				    .link_addr = block_addr(module, unit.begin)};
	uint32_t block = unit.begin;

	do {
		row.size += blocks[block].size;
		row.instructions += blocks[block].insn_count;
		block++;
	} while (block < unit.end && !(blocks[block].flags & TARE_FLOW_BEGIN) &&
		 block_addr(module, block) == row.link_addr + row.size);
	*ok = name_idle(executions, module, unit.begin, &row.function, err) &&
	      profile_add_block(executions->resolver->writer, &row, err) != 0;
	return block;
}

/* Each line once, as one of the first function that has code of it. */
static bool write_idle_lines(const struct executions *executions, struct executed_module *module,
			     struct flow_unit unit, struct error *err)
{
	const struct flow_lines *lines = &module->lines;
	struct profile_line_execution never = {0};
	bool ok = true;

	for (uint32_t i = lines->first[unit.begin]; i < lines->first[unit.end] && ok; i++) {
		const uint32_t line = lines->runs.data[i].line;
		if (module->ran[line])
			continue;
		ok = (never.function ||
		      name_idle(executions, module, unit.begin, &never.function, err)) &&
		     write_line(executions, module, line, never, err);
		module->ran[line] = 1;
	}
	return ok;
}

static bool write_idle_units(const struct executions *executions, struct executed_module *module,
			     struct error *err)
{
	struct flow_unit unit;
	bool ok = true;

	for (uint32_t begin = 0; begin < module->flow.block_count && ok; begin = unit.end) {
		unit = unit_at(&module->flow, begin);
		ok = write_idle_lines(executions, module, unit, err);
		/* All or none of a unit's blocks have rows. */
		while (ok && unit.begin < unit.end && !module->blocks[begin])
			unit.begin = write_idle(executions, module, unit, &ok, err);
	}
	return ok;
}

bool executions_finish(struct executions *executions, struct error *err)
{
	vec_foreach (module, &executions->modules)
		if (module->blocks && !write_idle_units(executions, module, err))
			return false;
	return true;
}
