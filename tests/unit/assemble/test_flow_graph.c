/* Executions that follow from counters, on graphs made by hand. */
#include "assemble/flow_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { OUTSIDE = TARE_FLOW_OUTSIDE, NEXT = TARE_FLOW_NEXT, TAKEN = TARE_FLOW_TAKEN };

/* A file of graphs, and what its counters have counted. */
static struct flow flow;
static struct flow_counts counts;

static bool read_graph(const struct tare_flow_block *blocks, uint32_t block_count,
		       const struct tare_flow_edge *edges, uint32_t edge_count,
		       uint32_t counter_count)
{
	const struct tare_flow header = {block_count, edge_count};
	struct byte_vec bytes = {0};

	put_bytes(&bytes, &header, sizeof(header));
	put_bytes(&bytes, blocks, block_count * sizeof(*blocks));
	put_bytes(&bytes, edges, edge_count * sizeof(*edges));
	const bool ok = flow_read(&flow, bytes.data, bytes.len, counter_count);
	/* Not a byte less. */
	struct flow cut;
	assert_false(flow_read(&cut, bytes.data, bytes.len - 1, counter_count));
	vec_fini(&bytes);
	return ok;
}

static void fini(void)
{
	flow_counts_fini(&counts);
	flow_fini(&flow);
}

/*
 * A function with a loop and a call in it that may not come back:
 *
 *   0 ─▶ 1 ─▶ 2 (calls) ─▶ 3 ─▶ 1, or on to 4, which returns
 */
static const struct tare_flow_block loop_blocks[] = {
	{.addr = 0, .size = 4, .insn_count = 2, .flags = TARE_FLOW_BEGIN, .entry = 1},
	{.addr = 4, .size = 4, .insn_count = 1},
	{.addr = 8, .size = 5, .insn_count = 1, .flags = TARE_FLOW_LEFT},
	{.addr = 13, .size = 5, .insn_count = 2},
	{.addr = 18, .size = 1, .insn_count = 1, .flags = TARE_FLOW_LEFT},
};
static const struct tare_flow_edge loop_edges[] = {
	{.from = 0, .to = 1, .kind = NEXT},
	{.from = 1, .to = 2, .kind = NEXT},
	{.from = 2, .to = 3, .kind = NEXT, .counter = 2},
	{.from = 3, .to = 1, .kind = TAKEN, .counter = 3},
	{.from = 3, .to = 4, .kind = NEXT},
};

static void assert_blocks(const uint64_t *expected, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(counts.blocks[i], expected[i]);
}

static void test_loop(void **state)
{
	/* Entered three times; the call came back 28 times, and once it did not. */
	const uint64_t values[] = {3, 28, 26};

	(void)state;
	assert_true(read_graph(loop_blocks, 5, loop_edges, 5, 3));
	assert_true(flow_solve(&flow, values, &counts));
	assert_blocks((const uint64_t[]){3, 29, 29, 28, 2}, 5);
	assert_int_equal(counts.edges[4], 2);
	assert_int_equal(counts.edges[3], 26);
	assert_int_equal(counts.in_progress, 0);
	fini();
}

/* A call that comes back twice, as setjmp does: what leaves by it is negative, what runs is not. */
static void test_comes_back_twice(void **state)
{
	const uint64_t values[] = {1, 2, 1};

	(void)state;
	assert_true(read_graph(loop_blocks, 5, loop_edges, 5, 3));
	assert_true(flow_solve(&flow, values, &counts));
	assert_blocks((const uint64_t[]){1, 2, 2, 2, 1}, 5);
	fini();
}

/* A thread that was stopped between two counters: the value that would be negative is cut. */
static void test_in_progress(void **state)
{
	const uint64_t values[] = {1, 0, 1};

	(void)state;
	assert_true(read_graph(loop_blocks, 5, loop_edges, 5, 3));
	assert_true(flow_solve(&flow, values, &counts));
	assert_blocks((const uint64_t[]){1, 2, 2, 0, 0}, 5);
	assert_true(counts.in_progress > 0);
	fini();
}

/* Handlers of an interpreter: each is reached from outside and leaves to outside. */
static void test_handlers(void **state)
{
	const struct tare_flow_block blocks[] = {
		{.size = 3, .insn_count = 1, .flags = TARE_FLOW_BEGIN | TARE_FLOW_LEFT, .entry = 1},
		{.size = 3,
		 .insn_count = 1,
		 .flags = TARE_FLOW_ENTERED | TARE_FLOW_LEFT,
		 .counter = 2},
		{.size = 3,
		 .insn_count = 1,
		 .flags = TARE_FLOW_ENTERED | TARE_FLOW_LEFT,
		 .counter = 3},
	};
	const uint64_t values[] = {1, 500, 70};

	(void)state;
	assert_true(read_graph(blocks, 3, NULL, 0, 3));
	assert_true(flow_solve(&flow, values, &counts));
	assert_blocks((const uint64_t[]){1, 500, 70}, 3);
	fini();
}

/* Counters that are too few say nothing, rather than something wrong. */
static void test_too_few_counters(void **state)
{
	const uint64_t values[] = {3, 28, 26};
	struct tare_flow_edge edges[5];

	(void)state;
	memcpy(edges, loop_edges, sizeof(edges));
	edges[3].counter = 0;
	assert_true(read_graph(loop_blocks, 5, edges, 5, 3));
	assert_false(flow_solve(&flow, values, &counts));
	fini();
}

static bool reads_with(struct tare_flow_block block, struct tare_flow_edge edge)
{
	const bool ok = read_graph(&block, 1, &edge, 1, 3);

	flow_fini(&flow);
	return ok;
}

static void test_damaged(void **state)
{
	const struct tare_flow_block block = loop_blocks[0];
	const struct tare_flow_edge edge = {.from = 0, .to = OUTSIDE, .kind = TAKEN};

	(void)state;
	assert_true(reads_with(block, edge));
	struct tare_flow_block odd = block;
	odd.counter = 4;
	assert_false(reads_with(odd, edge));
	odd = block;
	odd.entry = 0;
	assert_false(reads_with(odd, edge));
	assert_false(reads_with(block, (struct tare_flow_edge){.from = 1, .to = 0}));
	assert_false(reads_with(block, (struct tare_flow_edge){.from = 0, .to = 1}));
	assert_false(reads_with(block, (struct tare_flow_edge){.from = 0, .to = 0, .counter = 4}));
	assert_false(reads_with(block, (struct tare_flow_edge){.from = 0, .to = 0, .kind = 2}));
	assert_false(flow_read(&flow, (const unsigned char *)"\1\0\0\0", 4, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_comes_back_twice),
		cmocka_unit_test(test_in_progress),
		cmocka_unit_test(test_handlers),
		cmocka_unit_test(test_too_few_counters),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
