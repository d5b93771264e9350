/*
 * Call paths on their way to the output. What memory does not hold waits in the spill as runs, each
 * in the order of the output: depth first, children by function. In the end all runs are merged.
 *
 *   nodes in memory ─▶ run ─┐
 *   nodes in memory ─▶ run ─┼─▶ children of the open node, least key first ─▶ output
 *   nodes in memory ─▶ run ─┘    (of the runs that have that node)
 *
 * Where processes are kept apart, a run is a thread, and nothing is merged.
 *
 * An item of a run: its length in 4 bytes; depth, key, location; what node_code.c writes. Of a
 * thread that is kept, the number instead of the depth, and the number of the parent + 1 behind the
 * location.
 */
#include "merge/private.h"

#include <assert.h>
#include <string.h>

enum { STREAM_BYTES = 256 << 10, LENGTH_BYTES = 4 };

/* A function as index + 1, 0 none, and whether it is folded; of a root: its thread. */
static uint64_t key_of(const struct merge *merge, const struct merged_node *node)
{
	if (!merge->keep_processes && !node->parent)
		return (uint64_t)node->row.thread;
	return (uint64_t)node->row.function << 1 | node->row.folded;
}

/*
 * The order of the nodes below one parent: by function, whether it is folded, and call site, of
 * which one may not be known. Ranks by index; location: index + 1.
 */
static uint64_t callee_order(const uint32_t *functions, const uint32_t *locations, uint64_t key,
			     uint64_t location)
{
	const uint64_t function = key >> 1 ? (uint64_t)functions[(key >> 1) - 1] + 1 : 0;

	return (function << 1 | (key & 1)) << 32 | (location ? locations[location - 1] + 1 : 0);
}

/* ---- making a run ---- */

/* The rows of nodes, in the order of these, and how far they are taken. */
struct of_nodes {
	struct merge *merge;
	size_t os, histogram;
};

static void take_of_node(struct of_nodes *from, int64_t place, struct node_sum *sum)
{
	struct merge *merge = from->merge;

	sum->os.len = sum->histogram.len = 0;
	while (from->os < merge->os.len && merge->os.data[from->os].node == place)
		vec_push(&sum->os, merge->os.data[from->os++]);
	while (from->histogram < merge->histogram.len &&
	       merge->histogram.data[from->histogram].node == place)
		vec_push(&sum->histogram, merge->histogram.data[from->histogram++]);
}

static bool flush(struct merge *merge, struct byte_vec *out, struct error *err)
{
	uint64_t offset;
	const bool ok = spill_put(&merge->spill, out->data, out->len, &offset, err);

	out->len = 0;
	return ok;
}

/* Nodes in the order of `order`, whose place there is place[node]. */
static bool put_nodes(struct merge *merge, const uint32_t *place, const uint32_t *order,
		      struct error *err)
{
	uint32_t *depth = mem_zalloc((merge->nodes.len + 1) * sizeof(*depth));
	struct of_nodes of_nodes = {.merge = merge};
	struct node_sum sum = {0};
	struct byte_vec out = {0};
	bool ok = true;

	vec_foreach (row, &merge->os)
		row->node = place[row->node];
	vec_sort(&merge->os, compare_os);
	vec_foreach (row, &merge->histogram)
		row->node = place[row->node];
	vec_sort(&merge->histogram, compare_histogram);
	for (size_t i = 1; i < merge->nodes.len && ok; i++) {
		const struct merged_node *node = &merge->nodes.data[order[i]];
		const struct merged_node *parent = &merge->nodes.data[node->parent];
		struct merged_thread *thread = &merge->threads.data[node->row.thread];
		assert(order[i] && place[order[i]] == i && place[node->parent] < i);
		const size_t begin = out.len;
		depth[order[i]] = node->parent ? depth[node->parent] + 1 : 0;
		if (!thread->run.size)
			thread->run.offset = merge->spill.size + begin;
		put_u32(&out, 0);
		put_uleb(&out, merge->keep_processes ? (uint64_t)node->row.id : depth[order[i]]);
		put_uleb(&out, key_of(merge, node));
		put_uleb(&out, (uint64_t)node->row.location);
		if (merge->keep_processes)
			put_uleb(&out, node->parent ? (uint64_t)parent->row.id + 1 : 0);
		sum.row = node->row;
		take_of_node(&of_nodes, (int64_t)i, &sum);
		node_put(merge, &sum, &out);
		set_u32(&out, begin, (uint32_t)(out.len - begin - LENGTH_BYTES));
		thread->run.size += out.len - begin;
		if (out.len >= STREAM_BYTES)
			ok = flush(merge, &out, err);
	}
	ok = ok && flush(merge, &out, err);
	assert(!ok || (of_nodes.os == merge->os.len && of_nodes.histogram == merge->histogram.len));
	node_sum_fini(&sum);
	vec_fini(&out);
	free(depth);
	return ok;
}

static void clear_nodes(struct merge *merge)
{
	struct map *maps[] = {&merge->node_map, &merge->os_map, &merge->histogram_map};

	vec_fini(&merge->nodes);
	vec_fini(&merge->os);
	vec_fini(&merge->histogram);
	vec_push(&merge->nodes, (struct merged_node){0});
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		map_fini(maps[i]);
		map_init(maps[i]);
	}
}

static void number_nodes(const struct merge *merge, uint32_t **place, uint32_t **order)
{
	struct tree_item *items = mem_zalloc(merge->nodes.len * sizeof(*items));
	const struct keys *keys[] = {&merge->function_keys, &merge->location_keys,
				     &merge->thread_keys};
	uint32_t *ranks[3], *ignored;

	for (size_t i = 0; i < 3; i++) {
		keys_rank(keys[i], &ranks[i], &ignored);
		free(ignored);
	}
	for (size_t i = 1; i < merge->nodes.len; i++) {
		const struct merged_node *node = &merge->nodes.data[i];
		items[i].index = (uint32_t)i;
		items[i].parent = node->parent;
		items[i].key = node->parent ? callee_order(ranks[0], ranks[1], key_of(merge, node),
							   (uint64_t)node->row.location)
					    : ranks[2][node->row.thread];
	}
	tree_number(items, merge->nodes.len, place, order);
	for (size_t i = 0; i < 3; i++)
		free(ranks[i]);
	free(items);
}

/* By thread, and in a thread in the order of the input. */
static void number_kept(const struct merge *merge, uint32_t **place, uint32_t **order)
{
	uint32_t *next = mem_zalloc((merge->threads.len + 1) * sizeof(*next)), end = 1;

	*place = mem_zalloc((merge->nodes.len + 1) * sizeof(**place));
	*order = mem_zalloc((merge->nodes.len + 1) * sizeof(**order));
	for (size_t i = 1; i < merge->nodes.len; i++)
		next[merge->nodes.data[i].row.thread]++;
	for (size_t i = 0; i < merge->threads.len; i++) {
		const uint32_t nodes = next[i];
		next[i] = end;
		end += nodes;
	}
	assert(end == merge->nodes.len);
	for (size_t i = 1; i < merge->nodes.len; i++) {
		const uint32_t at = next[merge->nodes.data[i].row.thread]++;
		(*place)[i] = at;
		(*order)[at] = (uint32_t)i;
	}
	free(next);
}

static uint64_t bytes_held(const struct merge *merge)
{
	return merge->nodes.cap * sizeof(*merge->nodes.data) +
	       merge->os.cap * sizeof(*merge->os.data) +
	       merge->histogram.cap * sizeof(*merge->histogram.data) +
	       (merge->node_map.cap + merge->os_map.cap + merge->histogram_map.cap) *
		       sizeof(struct map_slot);
}

static bool put_run(struct merge *merge, struct error *err)
{
	const uint64_t begin = merge->spill.size;
	uint32_t *place, *order;

	if (merge->keep_processes)
		number_kept(merge, &place, &order);
	else
		number_nodes(merge, &place, &order);
	const bool ok = put_nodes(merge, place, order, err);
	free(place);
	free(order);
	clear_nodes(merge);
	vec_push(&merge->runs, ((struct spilled){begin, merge->spill.size - begin}));
	return ok;
}

bool runs_put_if_large(struct merge *merge, struct error *err)
{
	const bool large = merge->keep_processes || bytes_held(merge) > merge->memory_bytes;

	return !large || put_run(merge, err);
}

/* ---- reading runs ---- */

/* A run, and its item that is next. */
struct stream {
	const struct spill *spill;
	uint64_t at, end; /* what of it is not in the buffer */
	struct byte_vec buffer;
	size_t next; /* in the buffer */
	bool has;
	uint64_t depth, key, location; /* of the next item */
	uint64_t order;		       /* it has by these among the children of a node */
	struct byte_reader item;       /* behind them */
};

static bool stream_fill(struct stream *stream, size_t want, struct error *err)
{
	struct byte_vec *buffer = &stream->buffer;
	const size_t left = buffer->len - stream->next;

	assert(stream->next <= buffer->len && stream->at <= stream->end);
	if (left >= want)
		return true;
	if (left)
		memmove(buffer->data, buffer->data + stream->next, left);
	buffer->len = left;
	stream->next = 0;
	const size_t wish = want > STREAM_BYTES ? want : STREAM_BYTES;
	const uint64_t there = stream->end - stream->at;
	const size_t more = there < wish - left ? (size_t)there : wish - left;
	vec_reserve(buffer, more);
	if (!spill_get(stream->spill, stream->at, buffer->data + left, more, err))
		return false;
	stream->at += more;
	buffer->len += more;
	return buffer->len >= want || spill_fail(stream->spill, err);
}

/* Moves to the next item; `has` tells whether there is one. */
static bool stream_next(struct stream *stream, struct error *err)
{
	stream->has = stream->next < stream->buffer.len || stream->at < stream->end;
	if (!stream->has)
		return true;
	if (!stream_fill(stream, LENGTH_BYTES, err))
		return false;
	struct byte_reader length = byte_reader(stream->buffer.data + stream->next, LENGTH_BYTES);
	const uint32_t bytes = read_u32(&length);
	if (!stream_fill(stream, LENGTH_BYTES + (size_t)bytes, err))
		return false;
	stream->item = byte_reader(stream->buffer.data + stream->next + LENGTH_BYTES, bytes);
	stream->next += LENGTH_BYTES + (size_t)bytes;
	stream->depth = read_uleb(&stream->item);
	stream->key = read_uleb(&stream->item);
	stream->location = read_uleb(&stream->item);
	return true;
}

static void stream_fini(struct stream *stream)
{
	vec_fini(&stream->buffer);
}

/* ---- writing ---- */

static void sum_clear(struct node_sum *sum)
{
	sum->row = node_empty();
	sum->os.len = sum->histogram.len = 0;
}

void node_sum_fini(struct node_sum *sum)
{
	vec_fini(&sum->os);
	vec_fini(&sum->histogram);
}

static bool write_sum(const struct output *output, struct node_sum *sum)
{
	uint64_t lengths[TARE_CALL_BUCKETS] = {0};

	vec_foreach (histogram, &sum->histogram)
		lengths[histogram->bucket] += histogram->calls;
	sum->row.lengths = lengths;
	const bool added = profile_add_node(output->writer, &sum->row, output->err);
	sum->row.lengths = NULL;
	if (!added)
		return false;
	vec_foreach (os, &sum->os) {
		os->node = sum->row.id;
		if (!profile_add_os(output->writer, os, output->err))
			return false;
	}
	return true;
}

static int64_t function_id(const struct output *output, uint64_t key)
{
	return key >> 1 ? id_of(&output->functions, (int64_t)(key >> 1) - 1) : 0;
}

static int64_t location_id(const struct output *output, uint64_t location)
{
	return location ? id_of(&output->locations, (int64_t)location - 1) : 0;
}

static bool add_item(const struct output *output, struct stream *stream, struct node_sum *sum)
{
	return node_add_coded(output->merge, &stream->item, sum) ||
	       spill_fail(&output->merge->spill, output->err);
}

/* ---- writing: threads that are kept ---- */

static bool write_thread(const struct output *output, uint32_t thread, int64_t first)
{
	const struct spilled *run = &output->merge->threads.data[thread].run;
	struct stream stream = {
		.spill = &output->merge->spill, .at = run->offset, .end = run->offset + run->size};
	struct node_sum sum = {0};
	bool ok = stream_next(&stream, output->err);

	while (ok && stream.has) {
		const int64_t parent = (int64_t)read_uleb(&stream.item);
		sum_clear(&sum);
		sum.row.id = first + (int64_t)stream.depth;
		sum.row.parent = parent ? first + parent - 1 : 0;
		sum.row.thread = id_of(&output->threads, thread);
		sum.row.function = function_id(output, stream.key);
		sum.row.location = location_id(output, stream.location);
		sum.row.folded = stream.key & 1;
		ok = add_item(output, &stream, &sum) && write_sum(output, &sum) &&
		     stream_next(&stream, output->err);
	}
	node_sum_fini(&sum);
	stream_fini(&stream);
	return ok;
}

/* The numbers of each thread, behind those of the threads before it. */
static bool write_kept(const struct output *output)
{
	const struct merge *merge = output->merge;
	int64_t first = 1;

	for (size_t i = 0; i < merge->threads.len; i++) {
		const uint32_t thread = output->threads.order[i];
		if (!write_thread(output, thread, first))
			return false;
		first += (int64_t)merge->threads.data[thread].node_numbers;
	}
	return true;
}

/* ---- writing: runs as one ---- */

/* Streams that are within the same node; the next items of theirs that are deeper are its. */
struct level {
	struct vec_of(uint32_t) members;
	int64_t id, thread; /* of the node, in the output */
};

struct union_of_runs {
	const struct output *output;
	struct vec_of(struct stream) streams;
	struct vec_of(struct level) levels; /* the one at i is within a node of depth i - 1 */
	size_t depth;			    /* of the level that is open */
	struct node_sum sum;
	int64_t last_id;
};

static bool advance(struct union_of_runs *runs, struct stream *stream)
{
	const struct output *output = runs->output;

	if (!stream_next(stream, output->err))
		return false;
	if (!stream->has)
		return true;
	stream->order = stream->depth ? callee_order(output->functions.rank, output->locations.rank,
						     stream->key, stream->location)
				      : output->threads.rank[stream->key];
	return true;
}

static bool is_child(const struct union_of_runs *runs, uint32_t member)
{
	const struct stream *stream = &runs->streams.data[member];

	return stream->has && stream->depth == runs->depth;
}

/* A stream with the least of the next children; NULL: there are none. */
static const struct stream *least_child(const struct union_of_runs *runs)
{
	const struct stream *least = NULL;

	assert(runs->depth < runs->levels.len);
	vec_foreach (member, &runs->levels.data[runs->depth].members) {
		const struct stream *stream = &runs->streams.data[*member];
		if (is_child(runs, *member) && (!least || stream->order < least->order))
			least = stream;
	}
	return least;
}

static struct level *level_below(struct union_of_runs *runs)
{
	if (runs->levels.len == runs->depth + 1)
		vec_push(&runs->levels, (struct level){0});
	assert(runs->levels.len > runs->depth + 1);
	struct level *below = &runs->levels.data[runs->depth + 1];
	below->members.len = 0;
	return below;
}

/* Writes the child that some streams have, and goes down to it. */
static bool take_child(struct union_of_runs *runs, const struct stream *least)
{
	struct level *below = level_below(runs);
	const struct level *level = &runs->levels.data[runs->depth];
	const uint64_t order = least->order, key = least->key, location = least->location;
	struct node_sum *sum = &runs->sum;

	below->id = ++runs->last_id;
	below->thread = runs->depth ? level->thread : id_of(&runs->output->threads, (int64_t)key);
	sum_clear(sum);
	sum->row.id = below->id;
	sum->row.thread = below->thread;
	if (runs->depth) {
		sum->row.parent = level->id;
		sum->row.function = function_id(runs->output, key);
		sum->row.folded = key & 1;
		sum->row.location = location_id(runs->output, location);
	}
	vec_foreach (member, &level->members) {
		struct stream *stream = &runs->streams.data[*member];
		if (!is_child(runs, *member) || stream->order != order)
			continue;
		vec_push(&below->members, *member);
		if (!add_item(runs->output, stream, sum) || !advance(runs, stream))
			return false;
	}
	assert(below->members.len); /* the one with the least child, at least */
	if (below->members.len > 1)
		node_unite(sum);
	runs->depth++;
	return write_sum(runs->output, sum);
}

static bool unite(struct union_of_runs *runs)
{
	for (;;) {
		const struct stream *least = least_child(runs);
		if (!least && !runs->depth)
			return true;
		if (!least)
			runs->depth--;
		else if (!take_child(runs, least))
			return false;
	}
}

static bool write_union(const struct output *output)
{
	struct union_of_runs runs = {.output = output};
	bool ok = true;

	vec_push(&runs.levels, (struct level){0});
	vec_foreach (run, &output->merge->runs) {
		vec_push(&runs.levels.data[0].members, (uint32_t)runs.streams.len);
		vec_push(&runs.streams, ((struct stream){.spill = &output->merge->spill,
							 .at = run->offset,
							 .end = run->offset + run->size}));
		ok = ok && advance(&runs, &vec_last(&runs.streams));
	}
	ok = ok && unite(&runs);
	vec_foreach (stream, &runs.streams)
		stream_fini(stream);
	vec_foreach (level, &runs.levels)
		vec_fini(&level->members);
	vec_fini(&runs.streams);
	vec_fini(&runs.levels);
	node_sum_fini(&runs.sum);
	return ok;
}

bool write_nodes(const struct output *output)
{
	struct merge *merge = output->merge;

	if (merge->keep_processes)
		return write_kept(output);
	return (merge->nodes.len == 1 || put_run(merge, output->err)) && write_union(output);
}
