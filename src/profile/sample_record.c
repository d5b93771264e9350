/* See sample_record.h; the format is that of struct profile_sample_chunk. */
#include "profile/sample_record.h"

static uint64_t read_change(struct byte_reader *reader)
{
	const uint64_t value = read_uleb(reader);

	return value >> 1 ^ (0 - (value & 1));
}

static void put_change(struct byte_vec *out, uint64_t change)
{
	put_uleb(out, change << 1 ^ (0 - (change >> 63)));
}

bool sample_record_read(struct byte_reader *reader, uint64_t end_ticks,
			struct sample_record *sample)
{
	const uint64_t later = read_uleb(reader);

	sample->stack += read_change(reader);
	sample->weight += read_change(reader);
	if (reader->failed || sample->ticks > end_ticks || later > end_ticks - sample->ticks)
		return false;
	sample->ticks += later;
	return true;
}

void sample_record_write(struct byte_vec *out, const struct sample_record *before,
			 const struct sample_record *sample)
{
	put_uleb(out, sample->ticks - before->ticks);
	put_change(out, sample->stack - before->stack);
	put_change(out, sample->weight - before->weight);
}
