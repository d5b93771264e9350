/*
 * Counters of executions: what the file's flow graphs (abi/flow.h) say of a counter must be where
 * it stands, and it stands there once.
 *
 *   incq %gs:counter(%rip)
 *   lea -128(%rsp),%rsp; pushf; incq %gs:counter(%rip); popf; lea 128(%rsp),%rsp
 *
 * Those of loops' rounds are in loop_stub.c.
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

void addition_begin(struct walk *walk, struct check_addition *addition)
{
	addition->begin = walk->at;
	addition->keeps_flags = walk_take_bytes(walk, 0x48, 0x8d, 0x64, 0x24, 0x80, 0x9c);
	addition->at = walk->at;
}

/* Rows behind each instruction that moves the stack pointer. */
static void check_rows(struct walk *walk, const struct check_addition *addition, uint32_t end,
		       uint64_t like)
{
	rows_check(walk, addition->begin, like, 0);
	if (!addition->keeps_flags)
		return;
	rows_check(walk, addition->at - 1, like, RED_ZONE_BYTES);
	rows_check(walk, addition->at, like, RED_ZONE_BYTES + WORD_BYTES);
	rows_check(walk, end, like, RED_ZONE_BYTES + WORD_BYTES);
	rows_check(walk, end + 1, like, RED_ZONE_BYTES);
}

bool addition_end(struct walk *walk, const struct check_addition *addition, uint64_t like)
{
	check_rows(walk, addition, walk->at, like);
	return !addition->keeps_flags ||
	       walk_take_bytes(walk, 0x9d, 0x48, 0x8d, 0xa4, 0x24, RED_ZONE_BYTES, 0, 0, 0) ||
	       walk_fails(walk, VERIFY_PROBE, "a counter loses the flags");
}

/* That of a word; NULL: it is no counter of executions. */
static struct check_counter *counter_at(const struct walk *walk, uint64_t addr, uint64_t *number)
{
	const struct check *check = walk->check;
	const uint64_t first =
		(uint64_t)check->module.function_count + check->module.call_site_count;

	addr -= check->counters_addr;
	*number = addr / WORD_BYTES;
	if (addr % WORD_BYTES || *number < first || *number >= check->module.counter_count)
		return NULL;
	return &check->executions[*number - first];
}

/* The instruction at `at` is the one that adds for it, and the file says so. */
static bool claim(struct walk *walk, struct check_counter *counter, uint64_t number,
		  const struct check_claim *claimed)
{
	const uint64_t copy_addr = walk->range->copy_begin + claimed->at;

	if (counter->copy_addr && counter->copy_addr != copy_addr)
		return walk_fails(walk, VERIFY_PROBE, "its counter counts something else, too");
	counter->copy_addr = copy_addr;
	return count_is_described(walk, number, claimed->target, claimed->at) ||
	       walk_fails(walk, VERIFY_PROBE, "the file says something else of its counter");
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
	struct check_addition addition;
	uint64_t word, number;

	if (!walk->check->executions)
		return true;
	addition_begin(walk, &addition);
	struct check_counter *counter =
		count_take_insn(walk, &word) ? counter_at(walk, word, &number) : NULL;
	if (!counter || !is_in_place(walk, counter, kind, addr)) {
		walk->at = addition.begin;
		return true;
	}
	const struct check_claim claimed = {addition.at, walk->range->begin};
	return addition_end(walk, &addition, walk->insn->addr) &&
	       claim(walk, counter, number, &claimed);
}

bool executions_claim_rounds(struct walk *walk, uint64_t word, uint32_t at)
{
	const struct check_claim claimed = {at, 0};
	uint64_t number;
	struct check_counter *counter = counter_at(walk, word, &number);

	return counter && is_in_place(walk, counter, CHECK_TAKEN, insn_end(walk->insn)) &&
	       claim(walk, counter, number, &claimed);
}

bool executions_claim_exit(struct walk *walk, uint64_t word, uint32_t behind, uint32_t at)
{
	const struct check_claim claimed = {at, 0};
	uint64_t number;
	struct check_counter *counter =
		counter_at(walk, word + behind * (uint64_t)WORD_BYTES, &number);

	return counter && counter->kind == CHECK_NO_EXECUTION && !counter->copy_addr &&
	       claim(walk, counter, number, &claimed);
}
