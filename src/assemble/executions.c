#include "assemble/executions.h"

#include <stdlib.h>

void executions_init(struct executions *executions, struct resolver *resolver)
{
	*executions = (struct executions){.resolver = resolver};
}

void executions_fini(struct executions *executions)
{
	vec_foreach (module, &executions->modules) {
		flow_fini(&module->flow);
		free(module->blocks);
	}
	vec_fini(&executions->modules);
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
		fresh.blocks =
			mem_zalloc((fresh.flow.block_count + (size_t)1) * sizeof(*fresh.blocks));
	else
		executions->damaged++;
	vec_push(&executions->modules, fresh);
	return &vec_last(&executions->modules);
}

static uint64_t block_addr(const struct executed_module *module, uint32_t block)
{
	return module->note_addr + (uint64_t)(int64_t)module->flow.blocks[block].addr;
}

/* Behind the last block of the unit that the block belongs to. */
static uint32_t unit_end(const struct flow *flow, uint32_t block)
{
	const uint32_t unit = flow->blocks[block].unit;

	while (block < flow->block_count && flow->blocks[block].unit == unit)
		block++;
	return block;
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

static bool write_block(struct executions *executions, struct executed_module *module,
			uint32_t number, struct error *err)
{
	const struct tare_flow_block *block = &module->flow.blocks[number];
	const struct profile_block row = {
		.module = module->module->id,
		.function = resolver_function_covering(executions->resolver, module->module,
						       block_addr(module, number), err),
		.link_addr = block_addr(module, number),
		.size = block->size,
		.instructions = block->insn_count,
		.branches = branch_of(&module->flow, number)};

	if (!row.function)
		return false;
	module->blocks[number] = profile_add_block(executions->resolver->writer, &row, err);
	return module->blocks[number] != 0;
}

static bool any(const uint64_t *values, uint32_t begin, uint32_t end)
{
	for (uint32_t i = begin; i < end; i++)
		if (values[i])
			return true;
	return false;
}

static bool write_executions(const struct executions *executions,
			     const struct executed_module *module, uint32_t number, int64_t thread,
			     const struct flow_counts *counts, struct error *err)
{
	const struct tare_flow_edge *branch = branch_of(&module->flow, number);
	const uint64_t count = counts->blocks[number];
	const uint64_t taken = branch ? counts->edges[branch - module->flow.edges] : 0;
	const struct profile_execution row = {.thread = thread,
					      .block = module->blocks[number],
					      .count = count,
					      .taken = taken < count ? taken : count};

	return !count || profile_add_execution(executions->resolver->writer, &row, err);
}

static bool write_unit(struct executions *executions, struct executed_module *module,
		       uint32_t begin, uint32_t end, struct error *err)
{
	for (uint32_t i = begin; i < end; i++)
		if (!module->blocks[i] && !write_block(executions, module, i, err))
			return false;
	return true;
}

static bool write_counts(struct executions *executions, struct executed_module *module,
			 int64_t thread, const struct flow_counts *counts, struct error *err)
{
	const struct flow *flow = &module->flow;
	bool ok = true;

	for (uint32_t begin = 0, end; begin < flow->block_count && ok; begin = end) {
		end = unit_end(flow, begin);
		if (!any(counts->blocks, begin, end))
			continue;
		ok = write_unit(executions, module, begin, end, err);
		for (uint32_t i = begin; i < end && ok; i++)
			ok = write_executions(executions, module, i, thread, counts, err);
	}
	return ok;
}

bool executions_add(struct executions *executions, struct resolve_module *module,
		    const struct resolve_counted *counted, int64_t thread, const uint64_t *values,
		    struct error *err)
{
	struct flow_counts counts;

	if (!counted->flow)
		return true;
	struct executed_module *executed = module_of(executions, module, counted);
	if (!executed->blocks)
		return true;
	if (!flow_solve(&executed->flow, values, &counts)) {
		executions->damaged++;
		return true;
	}
	executions->in_progress += counts.in_progress;
	const bool ok = write_counts(executions, executed, thread, &counts, err);
	flow_counts_fini(&counts);
	return ok;
}

/* ---- what never ran ---- */

/* One row for blocks that follow each other. Returns the number behind them. */
static uint32_t write_idle(const struct executions *executions,
			   const struct executed_module *module, uint32_t block, uint32_t end,
			   bool *ok, struct error *err)
{
	const struct tare_flow_block *blocks = module->flow.blocks;
	struct profile_block row = {.module = module->module->id,
				    .link_addr = block_addr(module, block)};

	do {
		row.size += blocks[block].size;
		row.instructions += blocks[block].insn_count;
		block++;
	} while (block < end && block_addr(module, block) == row.link_addr + row.size);
	*ok = profile_add_block(executions->resolver->writer, &row, err) != 0;
	return block;
}

bool executions_finish(struct executions *executions, struct error *err)
{
	bool ok = true;

	vec_foreach (module, &executions->modules) {
		const uint32_t count = module->blocks ? module->flow.block_count : 0;
		for (uint32_t begin = 0, end; begin < count && ok; begin = end) {
			end = unit_end(&module->flow, begin);
			for (uint32_t i = begin; i < end && ok && !module->blocks[begin];)
				i = write_idle(executions, module, i, end, &ok, err);
		}
	}
	return ok;
}
