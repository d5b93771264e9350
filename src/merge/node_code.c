/*
 * A node with its OS rows and histogram as bytes: small numbers are what most of them have. What
 * is read was written here, but is checked like anything else that was in a file.
 */
#include "merge/private.h"

#include <assert.h>
#include <string.h>

static void put_ranges(struct byte_vec *out, const struct profile_node *row)
{
	for (size_t i = 0; i < TABLE_COUNT(row->ranges); i++) {
		const uint64_t *range = row->ranges[i];
		put_u8(out, range[0] <= range[1]);
		if (range[0] > range[1])
			continue;
		put_uleb(out, range[0]);
		put_uleb(out, range[1] - range[0]);
	}
}

void node_put(struct merge *merge, const struct node_sum *node, struct byte_vec *out)
{
	const struct profile_node *row = &node->row;
	bool fresh;

	for (size_t i = 0; i < TABLE_COUNT(row->counts); i++)
		put_uleb(out, row->counts[i]);
	put_uleb(out, row->elapsed_ticks);
	for (size_t i = 0; i < TABLE_COUNT(row->times); i++)
		put_uleb(out, row->times[i]);
	for (int i = 0; i < TARE_OS_CAUSES; i++)
		put_uleb(out, row->os_ticks[i]);
	put_ranges(out, row);
	for (size_t i = 0; i < TABLE_COUNT(row->signed_times); i++)
		put_sleb(out, row->signed_times[i]);
	put_uleb(out, node->os.len);
	vec_foreach (os, &node->os) {
		assert(os->cause < TARE_OS_CAUSES);
		put_u8(out, os->cause);
		put_sleb(out, os->syscall_number);
		put_uleb(out, os->object);
		put_uleb(out, os->path ? keys_find(&merge->path_keys, os->path, &fresh) + 1 : 0);
		put_uleb(out, os->count);
		put_uleb(out, os->ticks);
		put_uleb(out, os->longest_ticks);
	}
	put_uleb(out, node->histogram.len);
	vec_foreach (histogram, &node->histogram) {
		assert(histogram->bucket < TARE_CALL_BUCKETS);
		put_u8(out, histogram->bucket);
		put_uleb(out, histogram->calls);
	}
}

static void add_ranges(struct byte_reader *reader, struct profile_node *row)
{
	for (size_t i = 0; i < TABLE_COUNT(row->ranges); i++) {
		if (!read_u8(reader))
			continue;
		const uint64_t least = read_uleb(reader);
		keep_range(row->ranges[i], least, least + read_uleb(reader));
	}
}

static void add_os(const struct merge *merge, struct byte_reader *reader, struct node_sum *node)
{
	for (uint64_t left = read_uleb(reader); left && !reader->failed; left--) {
		struct profile_os os = {.cause = read_u8(reader)};
		os.syscall_number = (int)read_sleb(reader);
		os.object = read_uleb(reader);
		const uint64_t path = read_uleb(reader);
		if (path && path <= merge->path_keys.list.len)
			os.path = merge->path_keys.list.data[path - 1];
		os.count = read_uleb(reader);
		os.ticks = read_uleb(reader);
		os.longest_ticks = read_uleb(reader);
		vec_push(&node->os, os);
	}
}

bool node_add_coded(const struct merge *merge, struct byte_reader *reader, struct node_sum *node)
{
	struct profile_node *row = &node->row;

	for (size_t i = 0; i < TABLE_COUNT(row->counts); i++)
		add_count(&row->counts[i], read_uleb(reader));
	add_count(&row->elapsed_ticks, read_uleb(reader));
	for (size_t i = 0; i < TABLE_COUNT(row->times); i++)
		add_count(&row->times[i], read_uleb(reader));
	for (int i = 0; i < TARE_OS_CAUSES; i++)
		add_count(&row->os_ticks[i], read_uleb(reader));
	add_ranges(reader, row);
	for (size_t i = 0; i < TABLE_COUNT(row->signed_times); i++)
		add_signed(&row->signed_times[i], read_sleb(reader));
	add_os(merge, reader, node);
	for (uint64_t left = read_uleb(reader); left && !reader->failed; left--) {
		struct profile_histogram histogram = {.bucket = read_u8(reader)};
		histogram.calls = read_uleb(reader);
		reader->failed |= histogram.bucket >= TARE_CALL_BUCKETS;
		vec_push(&node->histogram, histogram);
	}
	return !reader->failed;
}

/* ---- rows that became the same ---- */

int compare_os(const void *a, const void *b)
{
	const struct profile_os *x = a, *y = b;

	if (x->node != y->node)
		return compare_numbers((uint64_t)x->node, (uint64_t)y->node);
	if (x->cause != y->cause)
		return x->cause < y->cause ? -1 : 1;
	if (x->syscall_number != y->syscall_number)
		return x->syscall_number < y->syscall_number ? -1 : 1;
	if (x->object != y->object)
		return compare_numbers(x->object, y->object);
	return strcmp(x->path ? x->path : "", y->path ? y->path : "");
}

int compare_histogram(const void *a, const void *b)
{
	const struct profile_histogram *x = a, *y = b;

	if (x->node != y->node)
		return compare_numbers((uint64_t)x->node, (uint64_t)y->node);
	return compare_numbers(x->bucket, y->bucket);
}

void node_unite(struct node_sum *node)
{
	size_t kept = 0;

	vec_sort(&node->os, compare_os);
	vec_foreach (os, &node->os) {
		struct profile_os *last = kept ? &node->os.data[kept - 1] : NULL;
		if (!last || compare_os(last, os) != 0 || !last->path != !os->path) {
			node->os.data[kept++] = *os;
			continue;
		}
		add_count(&last->count, os->count);
		add_count(&last->ticks, os->ticks);
		keep_most(&last->longest_ticks, os->longest_ticks);
	}
	node->os.len = kept;
	kept = 0;
	vec_sort(&node->histogram, compare_histogram);
	vec_foreach (row, &node->histogram) {
		struct profile_histogram *last = kept ? &node->histogram.data[kept - 1] : NULL;
		if (last && last->bucket == row->bucket)
			add_count(&last->calls, row->calls);
		else
			node->histogram.data[kept++] = *row;
	}
	node->histogram.len = kept;
}
