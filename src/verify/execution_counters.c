/*
 * Counters of executions: what the file's flow graphs (abi/flow.h) say of a counter must be where
 * it stands, and it stands there once.
 *
 *   incq %gs:counter(%rip)
 *   lea -128(%rsp),%rsp; pushf; incq %gs:counter(%rip); popf; lea 128(%rsp),%rsp
 */
#include "verify/private.h"

#include "abi/flow.h"

#include <string.h>

enum { RED_ZONE_BYTES = 128, WORD_BYTES = 8 };

/* ---- the graphs ---- */

static bool note_counter(struct check *check, uint32_t counter, enum check_execution kind,
			 const struct tare_flow_block *block)
{
	const struct check_counter what = {.kind = kind,
					   .begin = check->module.link_addr +
						    (uint64_t)(int64_t)block->addr,
					   .size = block->size};
	const uint32_t first = check->module.function_count + check->module.call_site_count;

	if (!counter || counter <= first)
		return true;
	if (counter > check->module.counter_count ||
	    check->executions[counter - 1 - first].kind != CHECK_NO_EXECUTION)
		return false;
	check->executions[counter - 1 - first] = what;
	return true;
}

static bool note_all(struct check *check, const struct tare_flow *flow, const unsigned char *bytes)
{
	const unsigned char *edges = bytes + flow->block_count * sizeof(struct tare_flow_block);
	struct tare_flow_block block;
	struct tare_flow_edge edge;
	bool ok = true;

	for (uint32_t i = 0; i < flow->block_count && ok; i++) {
		memcpy(&block, bytes + i * sizeof(block), sizeof(block));
		ok = note_counter(check, block.counter, CHECK_BEFORE, &block);
	}
	for (uint32_t i = 0; i < flow->edge_count && ok; i++) {
		memcpy(&edge, edges + i * sizeof(edge), sizeof(edge));
		ok = edge.from < flow->block_count;
		if (!ok)
			break;
		memcpy(&block, bytes + edge.from * sizeof(block), sizeof(block));
		ok = note_counter(check, edge.counter,
				  edge.kind == TARE_FLOW_TAKEN ? CHECK_TAKEN : CHECK_NEXT, &block);
	}
	return ok;
}

bool executions_begin(struct check *check)
{
	const struct tare_module *module = &check->module;
	const uint64_t addr = module->link_addr + (uint64_t)module->flow_offset;
	const uint64_t known = (uint64_t)module->function_count + module->call_site_count;
	struct tare_flow flow;

	/* A poisoned file shows the runtime no functions and call sites, but has their counters. */
	if (!module->flow_offset)
		return !module->counter_count || module->counter_count >= known;
	/* Before memory is taken for as many. */
	if (module->counter_count < known ||
	    !object_at(check->copy, check->counted_addr,
		       module->counter_count * sizeof(struct tare_counted)))
		return false;
	check->executions =
		mem_zalloc((module->counter_count - known + 1) * sizeof(*check->executions));
	const unsigned char *bytes = object_at(check->copy, addr, sizeof(flow));
	if (!bytes)
		return false;
	memcpy(&flow, bytes, sizeof(flow));
	const uint64_t size = (uint64_t)flow.block_count * sizeof(struct tare_flow_block) +
			      (uint64_t)flow.edge_count * sizeof(struct tare_flow_edge);
	bytes = object_at(check->copy, addr + sizeof(flow), size);
	return bytes && note_all(check, &flow, bytes);
}

/* ---- the counters ---- */

/* One that was read, and whether it keeps the flags. */
struct execution {
	struct check_counter *counter;
	uint64_t number;
	uint32_t at;
	bool keeps_flags;
};

static bool take_counter(struct walk *walk, struct execution *execution)
{
	const struct check *check = walk->check;
	const uint64_t first =
		(uint64_t)check->module.function_count + check->module.call_site_count;
	uint64_t addr;

	execution->at = walk->at;
	if (!count_take_insn(walk, &addr))
		return false;
	addr -= check->counters_addr;
	execution->number = addr / WORD_BYTES;
	if (addr % WORD_BYTES || execution->number < first ||
	    execution->number >= check->module.counter_count)
		return false;
	execution->counter = &check->executions[execution->number - first];
	return true;
}

static bool take_end(struct walk *walk, const struct execution *execution)
{
	return !execution->keeps_flags ||
	       walk_take_bytes(walk, 0x9d, 0x48, 0x8d, 0xa4, 0x24, RED_ZONE_BYTES, 0, 0, 0);
}

/* Rows behind each instruction that moves the stack pointer. */
static void check_rows(struct walk *walk, uint32_t begin, const struct execution *execution)
{
	const uint64_t like = walk->insn->addr;

	rows_check(walk, begin, like, 0);
	if (!execution->keeps_flags)
		return;
	rows_check(walk, execution->at - 1, like, RED_ZONE_BYTES);
	rows_check(walk, execution->at, like, RED_ZONE_BYTES + WORD_BYTES);
	rows_check(walk, execution->at + TARE_COUNT_BYTES, like, RED_ZONE_BYTES + WORD_BYTES);
	rows_check(walk, execution->at + TARE_COUNT_BYTES + 1, like, RED_ZONE_BYTES);
}

/* It counts the block that the instruction at `addr` belongs to, or that ends there, or in the nops
   before it. */
static bool is_in_place(const struct walk *walk, const struct check_counter *counter,
			enum check_execution kind, uint64_t addr)
{
	const uint64_t end = counter->begin + counter->size;

	if (counter->kind != kind)
		return false;
	if (kind == CHECK_BEFORE)
		return addr >= counter->begin && addr < end;
	return end == addr || (walk->filler && end >= walk->filler && end < addr);
}

bool executions_take(struct walk *walk, enum check_execution kind, uint64_t addr)
{
	const uint32_t begin = walk->at;
	struct execution execution = {0};

	if (!walk->check->executions)
		return true;
	execution.keeps_flags = walk_take_bytes(walk, 0x48, 0x8d, 0x64, 0x24, 0x80, 0x9c);
	if (!take_counter(walk, &execution) || !is_in_place(walk, execution.counter, kind, addr)) {
		walk->at = begin;
		return true;
	}
	check_rows(walk, begin, &execution);
	if (!take_end(walk, &execution))
		return walk_fails(walk, VERIFY_PROBE, "a counter loses the flags");
	const uint64_t copy_addr = walk->range->copy_begin + execution.at;
	if (execution.counter->copy_addr && execution.counter->copy_addr != copy_addr)
		return walk_fails(walk, VERIFY_PROBE, "its counter counts something else, too");
	execution.counter->copy_addr = copy_addr;
	return count_is_described(walk, execution.number, walk->range->begin, execution.at) ||
	       walk_fails(walk, VERIFY_PROBE, "the file says something else of its counter");
}
