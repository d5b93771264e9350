/*
 * Calling-context trees: nodes of the same function path of the same thread become one, with their
 * OS rows and histograms. What is part of a sum is converted, and the sum is made of it again: a
 * node's elapsed time of its application time and its OS times, a thread's of its nodes'.
 */
#include "abi/objects.h"
#include "merge/private.h"

#include <assert.h>
#include <string.h>

/* What a node adds to its thread's totals. */
static void node_totals(const struct profile_node *row, uint64_t *out)
{
	out[TOTAL_ELAPSED] = row->elapsed_ticks;
	out[TOTAL_OS] = 0;
	for (int i = 0; i < TARE_OS_CAUSES; i++)
		add_count(&out[TOTAL_OS], row->os_ticks[i]);
	out[TOTAL_BLOCKED] = row->os_ticks[TARE_OS_BLOCKED];
	out[TOTAL_PREEMPTED] = row->os_ticks[TARE_OS_PREEMPTED];
	out[TOTAL_OVERHEAD] = row->overhead_ticks;
}

/* All but what tells it from other nodes. */
static struct profile_node node_rescaled(const struct input *input, const struct profile_node *from)
{
	struct profile_node row = *from;
	uint64_t os = 0, os_ns = 0;

	for (int i = 0; i < TARE_OS_CAUSES; i++) {
		row.os_ticks[i] = rescale(input, from->os_ticks[i]);
		add_count(&os, from->os_ticks[i]);
		add_count(&os_ns, row.os_ticks[i]);
	}
	row.elapsed_ticks = os_ns;
	add_count(&row.elapsed_ticks,
		  from->elapsed_ticks > os ? rescale(input, from->elapsed_ticks - os) : 0);
	for (size_t i = 0; i < TABLE_COUNT(row.times); i++)
		row.times[i] = rescale(input, from->times[i]);
	for (size_t i = 0; i < TABLE_COUNT(row.signed_times); i++)
		row.signed_times[i] = rescale_signed(input, from->signed_times[i]);
	for (size_t i = 0; i < TABLE_COUNT(row.ranges); i++)
		if (from->ranges[i][0] <= from->ranges[i][1])
			for (int end = 0; end < 2; end++)
				row.ranges[i][end] = rescale(input, from->ranges[i][end]);
	return row;
}

static void node_add(struct input *input, struct profile_node *to, const struct profile_node *from)
{
	const struct profile_node row = node_rescaled(input, from);
	struct profile_thread *thread = &input->merge->threads.data[to->thread].row;
	struct thread_sums *sums = &input->sums[from->thread - 1];
	uint64_t ticks[THREAD_TOTALS], ns[THREAD_TOTALS];

	node_totals(from, ticks);
	node_totals(&row, ns);
	for (int i = 0; i < THREAD_TOTALS; i++) {
		sums->of_nodes[i] += ticks[i];
		add_count(thread_total_of(thread, (enum thread_total)i), ns[i]);
	}
	add_count(&to->elapsed_ticks, row.elapsed_ticks);
	for (int i = 0; i < TARE_OS_CAUSES; i++)
		add_count(&to->os_ticks[i], row.os_ticks[i]);
	for (size_t i = 0; i < TABLE_COUNT(row.counts); i++)
		add_count(&to->counts[i], row.counts[i]);
	for (size_t i = 0; i < TABLE_COUNT(row.times); i++)
		add_count(&to->times[i], row.times[i]);
	for (size_t i = 0; i < TABLE_COUNT(row.signed_times); i++)
		add_signed(&to->signed_times[i], row.signed_times[i]);
	for (size_t i = 0; i < TABLE_COUNT(row.ranges); i++)
		keep_range(to->ranges[i], row.ranges[i][0], row.ranges[i][1]);
}

static struct merged_node node_new(uint32_t parent, const struct profile_node *identity)
{
	struct merged_node node = {.parent = parent, .row = node_empty()};

	node.row.thread = identity->thread;
	node.row.function = identity->function;
	node.row.folded = identity->folded;
	node.row.location = identity->location;
	return node;
}

/* For a row that cannot be taken; the pass over the table ends. */
static bool input_fail(struct input *input, const char *why)
{
	input->failed = true;
	return error_set(input->err, ERROR_UNSUPPORTED, "the profile %s cannot be merged: %s",
			 input->path, why);
}

/* Event logs name a thread's nodes by their distance from its first, so that is kept. */
static bool node_keep_number(struct input *input, const struct profile_node *row,
			     struct merged_node *node)
{
	struct merged_thread *thread = &input->merge->threads.data[node->row.thread];
	int64_t *first = &input->sums[row->thread - 1].first_node;

	if (!*first)
		*first = row->id;
	node->row.id = row->id - *first;
	thread->node_numbers = (uint64_t)node->row.id + 1;
	if (node->row.id < UINT32_MAX)
		return true;
	return input_fail(input, "a node is too far from its thread's first");
}

/* What tells nodes below one parent apart: function, and call site where that is known. */
static uint64_t callee_number(struct merge *merge, const struct profile_node *identity)
{
	const uint64_t function = (uint64_t)identity->function << 1 | identity->folded;

	if (!identity->location)
		return function;
	/* behind all functions, as they come */
	return UINT32_MAX - *map_put(&merge->callee_map,
				     (uint64_t)identity->location << 32 | function,
				     merge->callee_map.len);
}

/* Functions and locations are kept as index + 1, so that 0 stays none. */
static bool take_node(const struct profile_node *row, void *context)
{
	struct input *input = context;
	struct merge *merge = input->merge;
	const struct profile_node identity = {
		.thread = input->threads[row->thread - 1],
		.function = row->function ? (int64_t)input->functions[row->function - 1] + 1 : 0,
		.location = row->location ? (int64_t)input->locations[row->location - 1] + 1 : 0,
		.folded = row->folded};
	const uint32_t parent =
		row->parent ? (uint32_t)*map_get(&input->nodes, (uint64_t)row->parent) : 0;
	assert(parent < merge->nodes.len);
	const uint64_t key = parent ? (uint64_t)parent << 32 | callee_number(merge, &identity)
				    : (uint64_t)identity.thread;
	const uint64_t index = merge->keep_processes
				       ? merge->nodes.len
				       : *map_put(&merge->node_map, key, merge->nodes.len);

	if (index >= UINT32_MAX)
		return input_fail(input, "more than 2^32 call paths");
	if (index == merge->nodes.len)
		vec_push(&merge->nodes, node_new(parent, &identity));
	if (merge->keep_processes && !node_keep_number(input, row, &merge->nodes.data[index]))
		return false;
	assert(index < merge->nodes.len);
	map_put(&input->nodes, (uint64_t)row->id, index);
	node_add(input, &merge->nodes.data[index].row, row);
	return true;
}

/* What the sum of all rows of the node and cause grows by, so that no rounding adds up. */
static uint64_t os_rescale(struct input *input, const struct profile_os *row)
{
	if (input->ticks_per_second == 1e9)
		return row->ticks;
	uint64_t *sum = map_put(&input->os_ticks,
				(uint64_t)row->node * TARE_OS_CAUSES + (uint64_t)row->cause, 0);
	const uint64_t before = rescale(input, *sum);
	add_count(sum, row->ticks);
	return rescale(input, *sum) - before;
}

/* 0: none. Rows of different paths stay apart. */
static uint64_t path_number(struct merge *merge, const char *path)
{
	bool fresh;

	return path ? keys_find(&merge->path_keys, path, &fresh) + 1 : 0;
}

static const char *path_text(const struct merge *merge, uint64_t number)
{
	assert(number <= merge->path_keys.list.len);
	return number ? merge->path_keys.list.data[number - 1] : NULL;
}

/* Addresses and processes of one run mean nothing in another. */
static uint64_t object_common(const struct profile_os *row)
{
	switch (tare_object_of(row->syscall_number)) {
	case TARE_OBJECT_FUTEX:
		return 0;
	case TARE_OBJECT_PROCESS:
	case TARE_OBJECT_WAIT:
		return row->object == UINT32_MAX ? row->object : 0;
	default:
		return row->object;
	}
}

/* Before PROFILE_WAITS_SINCE, no CPU clock was read at switches: that is a loss of the merged. */
static void note_unread(struct input *input, const struct profile_os *row, uint64_t node)
{
	struct merge *merge = input->merge;

	if (profile_version(input->profile) < PROFILE_WAITS_SINCE &&
	    (row->cause == TARE_OS_BLOCKED || row->cause == TARE_OS_PREEMPTED))
		add_count(&merge->threads.data[merge->nodes.data[node].row.thread].row.cpu_unread,
			  row->count);
}

static bool take_os(const struct profile_os *row, void *context)
{
	struct input *input = context;
	struct merge *merge = input->merge;
	const uint64_t node = *map_get(&input->nodes, (uint64_t)row->node);
	const uint64_t object = merge->keep_processes ? row->object : object_common(row);
	const uint64_t call =
		*map_put(&merge->syscall_map,
			 (uint64_t)(uint32_t)row->syscall_number << 3 | (uint64_t)row->cause,
			 merge->syscall_map.len);
	const uint64_t which = *map_put(&merge->object_map, object, merge->object_map.len);
	const uint64_t kind = *map_put(&merge->kind_map, call << 32 | which, merge->kind_map.len);
	const uint64_t path = path_number(merge, row->path);
	const uint64_t exact = *map_put(&merge->path_map, kind << 32 | path, merge->path_map.len);
	const uint64_t index = *map_put(&merge->os_map, node << 32 | exact, merge->os.len);

	if (index == merge->os.len)
		vec_push(&merge->os, ((struct profile_os){.node = (int64_t)node,
							  .cause = row->cause,
							  .syscall_number = row->syscall_number,
							  .object = object,
							  .path = path_text(merge, path)}));
	assert(node >= 1 && node < merge->nodes.len && index < merge->os.len);
	note_unread(input, row, node);
	merge->summary.addresses += object != row->object;
	add_count(&merge->os.data[index].count, row->count);
	add_count(&merge->os.data[index].ticks, os_rescale(input, row));
	keep_most(&merge->os.data[index].longest_ticks, rescale(input, row->longest_ticks));
	return true;
}

static bool take_histogram(const struct profile_histogram *row, void *context)
{
	struct input *input = context;
	struct merge *merge = input->merge;
	const uint64_t node = *map_get(&input->nodes, (uint64_t)row->node);
	const uint32_t bucket = rescale_bucket(input, row->bucket);
	const uint64_t index =
		*map_put(&merge->histogram_map, node << 32 | bucket, merge->histogram.len);

	if (index == merge->histogram.len)
		vec_push(&merge->histogram,
			 ((struct profile_histogram){.node = (int64_t)node, .bucket = bucket}));
	assert(node >= 1 && node < merge->nodes.len && bucket < TARE_CALL_BUCKETS);
	add_count(&merge->histogram.data[index].calls, row->calls);
	return true;
}

/* A thread's total that is more, or less, than that of its nodes stays so. */
static void add_rest(const struct input *input, uint64_t *to, uint64_t total, uint64_t of_nodes)
{
	const uint64_t rest = total > of_nodes ? rescale(input, total - of_nodes)
					       : rescale(input, of_nodes - total);

	if (total > of_nodes)
		add_count(to, rest);
	else
		*to -= rest < *to ? rest : *to;
}

bool combine_nodes(struct input *input, struct error *err)
{
	struct merge *merge = input->merge;
	size_t count;
	const struct profile_thread *threads = profile_threads(input->profile, &count);

	input->sums = mem_zalloc((count + 1) * sizeof(*input->sums));
	map_reserve(&input->nodes, profile_nodes_at_most(input->profile));
	if (!profile_each_node(input->profile, take_node, input, err) || input->failed)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct profile_thread *to = &merge->threads.data[input->threads[i]].row;
		struct profile_thread from = threads[i];
		for (int k = 0; k < THREAD_TOTALS; k++) {
			const enum thread_total total = (enum thread_total)k;
			if (profile_version(input->profile) >= thread_totals[k].since)
				add_rest(input, thread_total_of(to, total),
					 *thread_total_of(&from, total),
					 input->sums[i].of_nodes[k]);
		}
	}
	return profile_each_os(input->profile, take_os, input, err) &&
	       profile_each_histogram(input->profile, take_histogram, input, err);
}

static int compare_items(const void *a, const void *b)
{
	const struct tree_item *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

void tree_number(struct tree_item *items, size_t count, uint32_t **number, uint32_t **order)
{
	uint32_t *first = mem_zalloc((count + 2) * sizeof(*first)); /* child's place in items */
	struct vec_of(uint32_t) waiting = {0};
	uint32_t next = 0;

	*number = mem_zalloc((count + 1) * sizeof(**number));
	*order = mem_zalloc((count + 1) * sizeof(**order));
	if (count > 1)
		qsort(items + 1, count - 1, sizeof(*items), compare_items);
	for (size_t i = 1; i < count; i++) {
		assert(items[i].parent < count);
		first[items[i].parent + 1]++;
	}
	first[0] = 1;
	for (size_t i = 1; i <= count; i++)
		first[i] += first[i - 1];
	assert(count >= 1 && first[count] == count); /* each item is a child of one */
	vec_push(&waiting, 0);
	while (waiting.len) {
		const uint32_t index = waiting.data[--waiting.len];
		assert(next < count && index < count);
		(*number)[index] = next;
		(*order)[next++] = index;
		for (uint32_t at = first[index + 1]; at > first[index]; at--)
			vec_push(&waiting, items[at - 1].index);
	}
	vec_fini(&waiting);
	free(first);
	assert(next == count); /* all are below the first */
}
