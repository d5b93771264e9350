/*
 * Histograms of the lengths of calls, in powers of two of ticks, and percentiles from them. Kept
 * from the first bucket with calls to the last one, as nodes are many and their calls alike.
 */
#include "analysis/private.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The rows of one node follow each other. */
struct node_rows {
	struct analysis *analysis;
	uint32_t node; /* ANALYSIS_NONE: none */
	uint64_t calls[TARE_CALL_BUCKETS];
};

static struct analysis_histogram *histogram_new(struct arena *arena, uint32_t first, uint32_t end)
{
	struct analysis_histogram *histogram = arena_alloc(
		arena, sizeof(*histogram) + (end - first) * sizeof(histogram->calls[0]));

	assert(first < end && end <= TARE_CALL_BUCKETS);
	histogram->first = first;
	histogram->count = end - first;
	return histogram;
}

static uint32_t end_of(const struct analysis_histogram *histogram)
{
	return histogram->first + histogram->count;
}

static void calls_add(struct analysis_histogram *to, const struct analysis_histogram *from)
{
	assert(from->first >= to->first && end_of(from) <= end_of(to));
	for (uint32_t i = 0; i < from->count; i++)
		to->calls[from->first - to->first + i] += from->calls[i];
}

void analysis_histogram_add(struct arena *arena, struct analysis_histogram **to,
			    const struct analysis_histogram *from)
{
	struct analysis_histogram *before = *to;

	if (!from)
		return;
	if (!before || from->first < before->first || end_of(from) > end_of(before)) {
		uint32_t first = from->first, end = end_of(from);

		if (before && before->first < first)
			first = before->first;
		if (before && end_of(before) > end)
			end = end_of(before);
		*to = histogram_new(arena, first, end);
		if (before)
			calls_add(*to, before);
	}
	calls_add(*to, from);
}

/* The calls of the buckets, of which the first and the last one have some, into the node's. */
static void node_take(struct analysis *analysis, uint32_t node, const uint64_t *calls,
		      uint32_t first, uint32_t end)
{
	struct analysis_values *values = &analysis->nodes.data[node].values;
	struct analysis_histogram *histogram = histogram_new(&analysis->arena, first, end);

	memcpy(histogram->calls, &calls[first], histogram->count * sizeof(histogram->calls[0]));
	if (values->histogram)
		analysis_histogram_add(&analysis->arena, &values->histogram, histogram);
	else
		values->histogram = histogram;
}

void analysis_node_lengths(struct analysis *analysis, uint32_t node,
			   const struct profile_lengths *lengths)
{
	if (lengths->first < lengths->end)
		node_take(analysis, node, lengths->calls, lengths->first, lengths->end);
}

static void rows_take(struct node_rows *rows)
{
	uint32_t first = 0, end = TARE_CALL_BUCKETS;

	while (first < end && !rows->calls[first])
		first++;
	while (end > first && !rows->calls[end - 1])
		end--;
	if (rows->node != ANALYSIS_NONE && first < end)
		node_take(rows->analysis, rows->node, rows->calls, first, end);
}

static bool load_row(const struct profile_histogram *row, void *context)
{
	struct node_rows *rows = context;
	const uint32_t node = analysis_node_find(rows->analysis, row->node);

	if (node != rows->node) {
		rows_take(rows);
		memset(rows->calls, 0, sizeof(rows->calls));
		rows->node = node;
	}
	assert(row->bucket < TARE_CALL_BUCKETS);
	rows->calls[row->bucket] += row->calls;
	return true;
}

bool analysis_load_histograms(struct analysis *analysis, struct profile *profile, struct error *err)
{
	struct node_rows rows = {.analysis = analysis, .node = ANALYSIS_NONE};

	if (profile_nodes_have_lengths(profile))
		return true;
	if (!profile_each_histogram(profile, load_row, &rows, err))
		return false;
	rows_take(&rows);
	return true;
}

uint64_t analysis_bucket_ticks(uint32_t bucket)
{
	assert(bucket < TARE_CALL_BUCKETS);
	return bucket ? 1ULL << (bucket - 1) : 0;
}

/* The value of the call number `rank` (from 1) of the bucket's `calls`. */
static double within_bucket(uint32_t bucket, double rank, double calls)
{
	const double least = (double)analysis_bucket_ticks(bucket);

	return bucket ? least + least * (rank - 0.5) / calls : 0;
}

static uint64_t cut_to_range(double ticks, const struct analysis_range *range)
{
	const uint64_t rounded = (uint64_t)llround(ticks);

	if (range->min > range->max)
		return rounded;
	if (rounded < range->min)
		return range->min;
	return rounded > range->max ? range->max : rounded;
}

bool analysis_percentile_ticks(const struct analysis_values *values, double percent,
			       uint64_t *ticks)
{
	const struct analysis_histogram *histogram = values->histogram;
	double all = 0, before = 0;

	for (uint32_t i = 0; histogram && i < histogram->count; i++)
		all += (double)histogram->calls[i];
	const double rank = fmax(1, ceil(all * percent / 100));

	for (uint32_t i = 0; histogram && i < histogram->count; i++) {
		const double calls = (double)histogram->calls[i];

		if (calls > 0 && rank <= before + calls) {
			*ticks = cut_to_range(
				within_bucket(histogram->first + i, rank - before, calls),
				&values->range[ELAPSED_INCLUSIVE]);
			return true;
		}
		before += calls;
	}
	return false;
}
