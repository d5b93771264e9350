/*
 * Flow graphs with any contents, and counters with any values: the first byte is the number of
 * counters, then come their values, then the graphs.
 */
#include "assemble/flow_graph.h"
#include "fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

static void check(const struct flow *flow, const uint64_t *values)
{
	struct flow_counts counts = {0};

	if (!flow_solve(flow, values, &counts))
		return;
	for (uint32_t i = 0; i < flow->block_count; i++) {
		assert(counts.blocks[i] <= INT64_MAX);
		/* What has a counter is what that says. */
		const uint32_t counter = flow->blocks[i].counter;
		assert(!counter || values[counter - 1] > INT64_MAX ||
		       counts.blocks[i] == values[counter - 1]);
	}
	for (uint32_t i = 0; i < flow->edge_count; i++)
		assert(counts.edges[i] <= INT64_MAX);
	flow_counts_fini(&counts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t values[256] = {0};
	struct flow flow = {0};

	if (size < 1)
		return 0;
	const uint32_t count = data[0];
	const size_t value_bytes = count * sizeof(*values);
	if (size - 1 < value_bytes)
		return 0;
	memcpy(values, data + 1, value_bytes);
	if (flow_read(&flow, data + 1 + value_bytes, size - 1 - value_bytes, count)) {
		check(&flow, values);
		flow_fini(&flow);
	}
	return 0;
}
