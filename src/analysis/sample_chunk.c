/* Refuses chunks whose numbers lead out of the chunk's time or to stacks that are not there. */
#include "analysis/sample_chunk.h"

static int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

/* The first sample that makes no sense, from 1; 0 where all do. */
static uint64_t decode(const struct profile_sample_chunk *row, struct byte_reader reader,
		       uint64_t stacks, sample_callback *each, void *context)
{
	struct sample sample = {.thread = row->thread, .ticks = row->begin_ticks};

	for (uint64_t i = 0; i < row->samples; i++) {
		const uint64_t later = read_uleb(&reader);
		sample.stack += (uint64_t)unzigzag(read_uleb(&reader));
		sample.weight += (uint64_t)unzigzag(read_uleb(&reader));
		if (reader.failed || later > row->end_ticks - sample.ticks || sample.stack > stacks)
			return i + 1;
		sample.ticks += later;
		each(&sample, context);
	}
	return 0;
}

bool analysis_read_samples(struct profile *profile, int64_t id,
			   const struct profile_sample_chunk *row, sample_callback *each,
			   void *context, struct error *err)
{
	size_t stacks, size;
	void *data;

	profile_stacks(profile, &stacks);
	if (!profile_read_sample_chunk(profile, id, &data, &size, err))
		return false;
	const uint64_t bad = decode(row, byte_reader(data, size), stacks, each, context);
	free(data);
	return !bad || error_set(err, ERROR_INPUT,
				 "the profile is damaged: sample %llu of chunk %lld makes no sense",
				 (unsigned long long)bad, (long long)id);
}
