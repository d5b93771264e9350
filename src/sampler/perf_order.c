/* A binary heap by time, then by the order of coming. */
#include "sampler/perf_order.h"

#include <string.h>

void perf_order_init(struct perf_order *order, size_t limit_bytes, perf_order_take *take,
		     void *context)
{
	*order = (struct perf_order){.limit_bytes = limit_bytes, .take = take, .context = context};
}

void perf_order_fini(struct perf_order *order)
{
	vec_foreach (waiting, &order->heap)
		free(waiting->bytes);
	vec_fini(&order->heap);
}

static bool is_older(const struct perf_waiting *a, const struct perf_waiting *b)
{
	return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void swap(struct perf_waiting *a, struct perf_waiting *b)
{
	const struct perf_waiting held = *a;

	*a = *b;
	*b = held;
}

static void sink_first(struct perf_order *order)
{
	struct perf_waiting *heap = order->heap.data;
	size_t at = 0;

	for (;;) {
		size_t oldest = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < order->heap.len && is_older(&heap[child], &heap[oldest]))
				oldest = child;
		if (oldest == at)
			return;
		swap(&heap[at], &heap[oldest]);
		at = oldest;
	}
}

static void take_oldest(struct perf_order *order)
{
	const struct perf_waiting oldest = order->heap.data[0];

	order->heap.data[0] = vec_last(&order->heap);
	order->heap.len--;
	sink_first(order);
	order->held_bytes -= oldest.size + sizeof(oldest);
	if (oldest.time < order->taken_time)
		order->late++;
	else
		order->taken_time = oldest.time;
	order->take(order->context, oldest.attr, oldest.bytes, oldest.size);
	free(oldest.bytes);
}

static void take_until(struct perf_order *order, uint64_t time)
{
	while (order->heap.len && order->heap.data[0].time <= time)
		take_oldest(order);
}

void perf_order_add(struct perf_order *order, uint64_t time, const struct perf_attr *attr,
		    const void *bytes, size_t size)
{
	struct perf_waiting waiting = {.time = time,
				       .number = order->count++,
				       .attr = attr,
				       .bytes = mem_alloc(size),
				       .size = size};

	memcpy(waiting.bytes, bytes, size);
	vec_push(&order->heap, waiting);
	for (size_t at = order->heap.len - 1; at;) {
		const size_t parent = (at - 1) / 2;

		if (!is_older(&order->heap.data[at], &order->heap.data[parent]))
			break;
		swap(&order->heap.data[at], &order->heap.data[parent]);
		at = parent;
	}
	if (time > order->newest)
		order->newest = time;
	order->held_bytes += size + sizeof(waiting);
	while (order->held_bytes > order->limit_bytes)
		take_oldest(order);
}

void perf_order_end_round(struct perf_order *order)
{
	take_until(order, order->newest_before);
	order->newest_before = order->newest;
}

void perf_order_finish(struct perf_order *order)
{
	take_until(order, UINT64_MAX);
}
