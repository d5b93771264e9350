/*
 * Calls that counters have seen and the clock has not, per thread and function: they are shared out
 * among the function's paths in proportion to the samples there, or to the timed calls. So call
 * paths have as many calls as functions have; where there are several paths, each is an estimate.
 * A call that begins on one thread and ends on another is counted by the first and timed by the
 * second: threads have no more untimed calls than their process has.
 * What one thread has called somewhere, and another where samples or the clock have met it, is
 * exact as a sum only: who has called it how often is not known.
 */
#include "analysis/estimate.h"

/* Of estimate.met: whether a function's calls have had a place in some thread, and in some none. */
enum { MET = 1, UNMET = 2 };

/* A function of the thread at hand. */
struct counted {
	uint64_t calls; /* counted; then what the nodes have is taken off */
	wide timed, weight;
	uint32_t nodes, last; /* number of its nodes, and one of them */
	bool met;	      /* by samples or by the clock */
	struct share shares;
};

struct counting {
	struct estimate *estimate;
	struct map places; /* function → index */
	struct vec_of(struct counted) list;
};

static struct counted *counted_of(const struct counting *counting, uint32_t function)
{
	const uint64_t *place = map_get(&counting->places, function);

	return place ? &counting->list.data[*place] : NULL;
}

static void take_counted(struct counting *counting, uint32_t thread)
{
	const struct estimate *estimate = counting->estimate;
	size_t end;

	for (size_t i = estimate_counted_rows(estimate, thread, &end); i < end; i++) {
		const struct estimate_counted *row = &estimate->counted.data[i];
		const uint64_t place =
			*map_put(&counting->places, row->function, counting->list.len);
		if (place == counting->list.len)
			vec_push(&counting->list, (struct counted){0});
		counting->list.data[place].calls += row->calls;
	}
}

static void sum_nodes(struct counting *counting, uint32_t first)
{
	const struct estimate *estimate = counting->estimate;

	for (uint32_t i = first; i < estimate->nodes.len; i++) {
		const struct analysis_node *node = &estimate->nodes.data[i];
		struct counted *counted = counted_of(counting, node->function);
		if (!counted)
			continue;
		counted->nodes++;
		counted->met = true;
		counted->last = i;
		counted->timed += node->values.calls;
		counted->weight += estimate->paths.data[i].inclusive;
	}
}

/* What was neither timed nor met by a sample stands below the thread's root. */
static void make_missing(struct counting *counting, uint32_t first)
{
	for (size_t i = 0; i < counting->places.cap; i++) {
		const struct map_slot *slot = &counting->places.slots[i];
		if (!slot->used || counting->list.data[slot->value].nodes)
			continue;
		struct counted *counted = &counting->list.data[slot->value];
		counted->last =
			estimate_child(counting->estimate, first, (uint32_t)slot->key, false);
		counted->nodes = 1;
	}
}

static wide weight_of(const struct estimate *estimate, const struct counted *counted, uint32_t node)
{
	if (counted->weight > 0)
		return estimate->paths.data[node].inclusive;
	return counted->nodes == 1 ? 1 : (wide)estimate->nodes.data[node].values.calls;
}

static void add_calls(struct counting *counting, uint32_t first)
{
	struct estimate *estimate = counting->estimate;

	for (uint32_t i = first; i < estimate->nodes.len; i++) {
		struct analysis_node *node = &estimate->nodes.data[i];
		struct counted *counted = counted_of(counting, node->function);
		if (!counted)
			continue;
		const uint64_t share =
			share_next(&counted->shares, weight_of(estimate, counted, i));
		node->values.counted = true;
		node->values.approximate |= share && counted->nodes > 1;
		node->values.calls += share;
		node->values.untimed += share;
	}
}

/* Takes the thread's untimed calls of a function from those that its process has. */
static uint64_t take_untimed(struct estimate *estimate, uint32_t process, uint32_t function,
			     const struct counted *counted)
{
	const uint64_t more =
		counted->calls > counted->timed ? counted->calls - (uint64_t)counted->timed : 0;
	uint64_t *left = map_put(&estimate->untimed, estimate_key(process, function), 0);
	const uint64_t taken = more < *left ? more : *left;

	*left -= taken;
	return taken;
}

void estimate_count_calls(struct estimate *estimate, const struct estimate_thread *thread)
{
	struct counting counting = {.estimate = estimate};

	map_init(&counting.places);
	take_counted(&counting, thread->index);
	sum_nodes(&counting, thread->first);
	make_missing(&counting, thread->first);
	for (size_t i = 0; i < counting.places.cap; i++) {
		const struct map_slot *slot = &counting.places.slots[i];
		if (!slot->used)
			continue;
		struct counted *counted = &counting.list.data[slot->value];
		counted->shares.whole =
			take_untimed(estimate, thread->process, (uint32_t)slot->key, counted);
		if (counted->shares.whole || counted->timed)
			*map_put(&estimate->met, slot->key, 0) |= counted->met ? MET : UNMET;
		counted->shares.weight = counted->weight > 0   ? counted->weight
					 : counted->nodes == 1 ? 1
							       : counted->timed;
	}
	add_calls(&counting, thread->first);
	map_fini(&counting.places);
	vec_fini(&counting.list);
}

void estimate_mark_unmet(struct estimate *estimate)
{
	vec_foreach (node, &estimate->nodes) {
		const uint64_t *met = map_get(&estimate->met, node->function);

		node->values.approximate |= met && *met == (MET | UNMET) && node->values.untimed;
	}
}
