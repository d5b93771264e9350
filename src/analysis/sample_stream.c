/* Reads chunk by chunk. Refuses damaged chunks, and stacks that no call path is known of. */
#include "analysis/sample_stream.h"

#include "analysis/sample_chunk.h"

#include <assert.h>

struct sample_stream {
	const struct analysis *analysis;
	const struct profile_stack *stacks;
	int64_t event;
	uint64_t begin, from, to; /* ticks of the clock */
	struct vec_of(struct sample_chunk) chunks;
	analysis_sample_callback *each;
	void *context;
	bool stopped, unknown;
};

static bool take_chunk(int64_t id, const struct profile_sample_chunk *row, void *context)
{
	struct sample_stream *stream = context;
	const struct sample_chunk chunk = {.id = id, .row = *row};

	if (row->event == stream->event && stream->analysis->threads.data[row->thread - 1].selected)
		vec_push(&stream->chunks, chunk);
	return true;
}

/* Frames that were to be left out have no node: their sample is that of the nearest that has. */
static const uint64_t *node_of(const struct sample_stream *stream, uint64_t thread, uint64_t stack)
{
	const uint64_t *node;

	while (!(node = map_get(&stream->analysis->stack_nodes, thread << 32 | stack)) && stack)
		stack = (uint64_t)stream->stacks[stack - 1].parent;
	return node;
}

static void take_sample(const struct sample *sample, void *context)
{
	struct sample_stream *stream = context;

	if (stream->stopped || sample->ticks < stream->from || sample->ticks > stream->to)
		return;
	const uint64_t *node = node_of(stream, (uint64_t)(sample->thread - 1), sample->stack);
	if (!node) {
		stream->unknown = stream->stopped = true;
		return;
	}
	const struct analysis_sample row = {
		.thread = (uint32_t)(sample->thread - 1),
		.node = (uint32_t)*node,
		.ticks = sample->ticks > stream->begin ? sample->ticks - stream->begin : 0,
		.weight = sample->weight};
	stream->stopped = !stream->each(&row, stream->context);
}

static bool read_chunks(struct sample_stream *stream, struct profile *profile, struct error *err)
{
	bool ok = true;

	vec_sort(&stream->chunks, sample_chunk_compare);
	for (size_t i = 0; i < stream->chunks.len && ok && !stream->stopped; i++) {
		const struct sample_chunk *chunk = &stream->chunks.data[i];
		if (chunk->row.begin_ticks <= stream->to && chunk->row.end_ticks >= stream->from)
			ok = analysis_read_samples(profile, chunk, take_sample, stream, err);
	}
	if (ok && stream->unknown)
		return error_set(err, ERROR_INPUT,
				 "the profile is damaged: it has samples with a stack that is not "
				 "counted");
	return ok;
}

bool analysis_each_sample(const struct analysis *analysis, uint64_t from_ticks, uint64_t to_ticks,
			  analysis_sample_callback *each, void *context, struct error *err)
{
	/* Streaming moves the profile's cursor only: its contents stay as they are. */
	struct profile *profile = (struct profile *)analysis->profile;
	const uint64_t begin = profile_session(profile)->begin_ticks;
	struct sample_stream stream = {.analysis = analysis,
				       .begin = begin,
				       .from = from_ticks ? begin + from_ticks : 0,
				       .to = to_ticks ? begin + to_ticks : UINT64_MAX,
				       .each = each,
				       .context = context};
	size_t count;

	assert(analysis->method == ANALYSIS_SAMPLE);
	stream.stacks = profile_stacks(profile, &count);
	stream.event = analysis->event - profile_events(profile, &count) + 1;
	bool ok = profile_each_sample_chunk(profile, take_chunk, &stream, err);
	if (ok && !stream.chunks.len && analysis->totals.samples.kept)
		ok = error_set(err, ERROR_NOT_FOUND,
			       "the profile does not say when its samples were taken; formats of "
			       "call paths, such as speedscope, do not need that");
	ok = ok && read_chunks(&stream, profile, err);
	vec_fini(&stream.chunks);
	return ok;
}
