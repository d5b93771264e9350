/* Refuses chunks whose numbers lead out of the chunk's time or to stacks that are not there. */
#include "analysis/sample_chunk.h"

#include "profile/sample_record.h"

/* The first sample that makes no sense, from 1; 0 where all do. */
static uint64_t decode(const struct profile_sample_chunk *row, struct byte_reader reader,
		       uint64_t stacks, sample_callback *each, void *context)
{
	struct sample_record record = {.ticks = row->begin_ticks};

	for (uint64_t i = 0; i < row->samples; i++) {
		if (!sample_record_read(&reader, row->end_ticks, &record) || record.stack > stacks)
			return i + 1;
		const struct sample sample = {row->thread, record.ticks, record.stack,
					      record.weight};
		each(&sample, context);
	}
	return 0;
}

int sample_chunk_compare(const void *a, const void *b)
{
	const struct sample_chunk *x = a, *y = b;

	if (x->row.thread != y->row.thread)
		return x->row.thread < y->row.thread ? -1 : 1;
	if (x->row.begin_ticks != y->row.begin_ticks)
		return x->row.begin_ticks < y->row.begin_ticks ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

bool analysis_read_samples(struct profile *profile, const struct sample_chunk *chunk,
			   sample_callback *each, void *context, struct error *err)
{
	size_t stacks, size;
	void *data;

	profile_stacks(profile, &stacks);
	if (!profile_read_sample_chunk(profile, chunk->id, &data, &size, err))
		return false;
	const uint64_t bad = decode(&chunk->row, byte_reader(data, size), stacks, each, context);
	free(data);
	return !bad || error_set(err, ERROR_INPUT,
				 "the profile is damaged: sample %llu of chunk %lld makes no sense",
				 (unsigned long long)bad, (long long)chunk->id);
}
