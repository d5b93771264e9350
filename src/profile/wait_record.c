/* See wait_record.h. */
#include "profile/wait_record.h"

#define TICKS_MAX (1ULL << 61)

bool wait_record_read(struct byte_reader *reader, struct wait_record *wait)
{
	const uint64_t begin = wait->end + read_uleb(reader);
	const uint64_t length = read_uleb(reader);

	wait->lost_ticks += (uint64_t)read_sleb(reader);
	wait->blocked_ticks = read_uleb(reader);
	wait->preempted_ticks = read_uleb(reader);
	wait->count = read_uleb(reader);
	wait->os += (uint64_t)read_sleb(reader);
	if (reader->failed || begin < wait->end || begin > TICKS_MAX || length > TICKS_MAX ||
	    wait->lost_ticks > TICKS_MAX || wait->blocked_ticks > length ||
	    wait->preempted_ticks > length - wait->blocked_ticks || wait->os > TICKS_MAX)
		return false;
	wait->begin = begin;
	wait->end = begin + length;
	return true;
}

void wait_record_write(struct byte_vec *out, const struct wait_record *before,
		       const struct wait_record *wait)
{
	put_uleb(out, wait->begin - before->end);
	put_uleb(out, wait->end - wait->begin);
	put_sleb(out, (int64_t)(wait->lost_ticks - before->lost_ticks));
	put_uleb(out, wait->blocked_ticks);
	put_uleb(out, wait->preempted_ticks);
	put_uleb(out, wait->count);
	put_sleb(out, (int64_t)(wait->os - before->os));
}
