/*
 * Reads all samples of one event in the order in which they were stored; keeps none of them. A wait
 * has one sample, at its begin, whose weight is its length: it is divided among the bins that it
 * reaches into.
 */
#include "analysis/sample_timeline.h"

#include "analysis/sample_chunk.h"

struct timeline_loader {
	const struct analysis *analysis;
	int64_t event;
	struct vec_of(struct sample_chunk) chunks;
	bool waits; /* samples are, and reach as far as their weight in ns */
	uint32_t count;
	uint64_t begin, span; /* ticks */
	struct analysis_bin *bins;
	/* for analysis_times */
	struct analysis_times *times;
	struct map known; /* bin << 32 | node → index in times */
	size_t most;
};

static bool take_chunk(int64_t id, const struct profile_sample_chunk *row, void *context)
{
	struct timeline_loader *loader = context;
	const struct sample_chunk chunk = {.id = id, .row = *row};

	if (row->event == loader->event && loader->analysis->threads.data[row->thread - 1].selected)
		vec_push(&loader->chunks, chunk);
	return true;
}

/* Samples before the begin or behind the end are in the first and last bin. */
static uint32_t bin_of(const struct timeline_loader *loader, uint64_t ticks)
{
	const uint64_t since = ticks > loader->begin ? ticks - loader->begin : 0;
	const double place = (double)since / (double)loader->span * loader->count;

	return place < loader->count ? (uint32_t)place : loader->count - 1;
}

/* When the bin ends, of which the last one never does. */
static double end_of(const struct timeline_loader *loader, uint32_t bin)
{
	return (double)loader->begin + (double)loader->span / loader->count * (bin + 1);
}

/* How many ticks the sample reaches, within the session. */
static uint64_t reach_of(const struct timeline_loader *loader, const struct sample *sample)
{
	const double length = (double)sample->weight * loader->analysis->ticks_per_second / 1e9;
	const uint64_t left = UINT64_MAX - sample->ticks;
	const uint64_t most = loader->span < left ? loader->span : left;

	if (!loader->waits)
		return 0;
	return length < (double)most ? (uint64_t)length : most;
}

/* What of the weight is in the bins up to this one, which is not the last that it reaches. */
static uint64_t weight_until(const struct timeline_loader *loader, const struct sample *sample,
			     uint32_t bin)
{
	const double length = (double)sample->weight * loader->analysis->ticks_per_second / 1e9;
	const double share = (end_of(loader, bin) - (double)sample->ticks) / length;

	return share <= 0   ? 0
	       : share >= 1 ? sample->weight
			    : (uint64_t)((double)sample->weight * share);
}

/* Calls `add` with the weight in each bin that the sample reaches into. */
static void divide(struct timeline_loader *loader, const struct sample *sample,
		   void (*add)(struct timeline_loader *loader, const struct sample *sample,
			       uint32_t bin, uint64_t weight))
{
	const uint32_t last = bin_of(loader, sample->ticks + reach_of(loader, sample));
	uint64_t given = 0;

	for (uint32_t bin = bin_of(loader, sample->ticks); bin <= last; bin++) {
		const uint64_t until =
			bin == last ? sample->weight : weight_until(loader, sample, bin);

		add(loader, sample, bin, until - given);
		given = until;
	}
}

static void add_to_bin(struct timeline_loader *loader, const struct sample *sample, uint32_t bin,
		       uint64_t weight)
{
	loader->bins[bin].samples += bin == bin_of(loader, sample->ticks);
	loader->bins[bin].weight += weight;
}

static void count_sample(const struct sample *sample, void *context)
{
	divide(context, sample, add_to_bin);
}

/* Fails softly: what is not known of a stack leaves out its sample, which the page's sums show. */
static void add_to_path(struct timeline_loader *loader, const struct sample *sample, uint32_t bin,
			uint64_t weight)
{
	const uint64_t *node = map_get(&loader->analysis->stack_nodes,
				       (uint64_t)(sample->thread - 1) << 32 | sample->stack);

	if (!node || *node == ANALYSIS_NONE || loader->times->len > loader->most)
		return;
	const uint64_t index =
		*map_put(&loader->known, (uint64_t)bin << 32 | *node, loader->times->len);
	if (index == loader->times->len)
		vec_push(loader->times,
			 ((struct analysis_time){.bin = bin, .node = (uint32_t)*node}));
	loader->times->data[index].samples += bin == bin_of(loader, sample->ticks);
	loader->times->data[index].weight += weight;
}

static void place_sample(const struct sample *sample, void *context)
{
	divide(context, sample, add_to_path);
}

/* False with err where a chunk is damaged; without chunks nothing is read. */
static bool read_all(struct timeline_loader *loader, sample_callback *each, struct error *err)
{
	struct profile *profile = (struct profile *)loader->analysis->profile;
	const struct profile_session *session = profile_session(profile);
	size_t events;

	if (!loader->analysis->event || session->end_ticks <= session->begin_ticks)
		return true;
	loader->waits = analysis_event_is_of_waits(loader->analysis->event);
	loader->event = loader->analysis->event - profile_events(profile, &events) + 1;
	loader->begin = session->begin_ticks;
	loader->span = session->end_ticks - session->begin_ticks;
	bool ok = profile_each_sample_chunk(profile, take_chunk, loader, err);
	for (size_t i = 0; i < loader->chunks.len && ok; i++)
		ok = analysis_read_samples(profile, &loader->chunks.data[i], each, loader, err);
	return ok;
}

bool analysis_timeline(const struct analysis *analysis, struct analysis_bin *bins, uint32_t count,
		       bool *known, struct error *err)
{
	struct timeline_loader loader = {.analysis = analysis, .bins = bins, .count = count};
	const bool ok = read_all(&loader, count_sample, err);

	*known = ok && loader.chunks.len > 0;
	vec_fini(&loader.chunks);
	return ok;
}

static int compare_times(const void *a, const void *b)
{
	const struct analysis_time *x = a, *y = b;

	if (x->bin != y->bin)
		return x->bin < y->bin ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

bool analysis_times(const struct analysis *analysis, uint32_t count, size_t most,
		    struct analysis_times *times, struct error *err)
{
	struct timeline_loader loader = {
		.analysis = analysis, .count = count, .times = times, .most = most};

	if (analysis->method != ANALYSIS_SAMPLE || !analysis->totals.samples.truncated_known)
		return true;
	map_init(&loader.known);
	const bool ok = read_all(&loader, place_sample, err);
	if (times->len > most)
		times->len = 0;
	vec_sort(times, compare_times);
	map_fini(&loader.known);
	vec_fini(&loader.chunks);
	return ok;
}
