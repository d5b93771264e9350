/* Reads all samples of one event in the order in which they were stored; keeps none of them. */
#include "analysis/sample_timeline.h"

#include "analysis/sample_chunk.h"

struct chunk {
	int64_t id;
	struct profile_sample_chunk row;
};

struct timeline_loader {
	const struct analysis *analysis;
	int64_t event;
	struct vec_of(struct chunk) chunks;
	struct analysis_bin *bins;
	uint32_t count;
	uint64_t begin, span; /* ticks */
};

static bool take_chunk(int64_t id, const struct profile_sample_chunk *row, void *context)
{
	struct timeline_loader *loader = context;
	const struct chunk chunk = {.id = id, .row = *row};

	if (row->event == loader->event && loader->analysis->threads.data[row->thread - 1].selected)
		vec_push(&loader->chunks, chunk);
	return true;
}

/* Samples before the begin or behind the end are in the first and last bin. */
static void take_sample(const struct sample *sample, void *context)
{
	const struct timeline_loader *loader = context;
	const uint64_t since = sample->ticks > loader->begin ? sample->ticks - loader->begin : 0;
	const double place = (double)since / (double)loader->span * loader->count;
	const uint32_t bin = place < loader->count ? (uint32_t)place : loader->count - 1;

	loader->bins[bin].samples++;
	loader->bins[bin].weight += sample->weight;
}

bool analysis_timeline(const struct analysis *analysis, struct analysis_bin *bins, uint32_t count,
		       bool *known, struct error *err)
{
	struct profile *profile = (struct profile *)analysis->profile;
	const struct profile_session *session = profile_session(profile);
	size_t events;
	struct timeline_loader loader = {
		.analysis = analysis, .bins = bins, .count = count, .begin = session->begin_ticks};

	*known = false;
	if (!analysis->event || session->end_ticks <= session->begin_ticks)
		return true;
	loader.event = analysis->event - profile_events(profile, &events) + 1;
	loader.span = session->end_ticks - session->begin_ticks;
	bool ok = profile_each_sample_chunk(profile, take_chunk, &loader, err);
	for (size_t i = 0; i < loader.chunks.len && ok; i++)
		ok = analysis_read_samples(profile, loader.chunks.data[i].id,
					   &loader.chunks.data[i].row, take_sample, &loader, err);
	*known = ok && loader.chunks.len > 0;
	vec_fini(&loader.chunks);
	return ok;
}
