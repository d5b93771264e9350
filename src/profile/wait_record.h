/*
 * Waits in the data of struct profile_wait, read as untrusted bytes, and written. Each record is
 * seven numbers in LEB128; `lost` and `os` are signed ones (SLEB128):
 *
 * - begin: of the interval, on the thread's clock, since the end of the record before (first: 0)
 * - length: of the interval, in ticks
 * - lost: ticks of the session less the thread's clock at the end, less that of the record before
 *   (first: less the thread's begin_ticks)
 * - blocked, preempted: ticks of these that it waited
 * - count: of intervals that were joined
 * - os: id of the row of OS time with the longest wait, less that of the record before (first: less
 *   0); the id 0: not known
 *
 * The thread's clock counts its elapsed time, without the cost of its probes.
 */
#ifndef TARE_PROFILE_WAIT_RECORD_H
#define TARE_PROFILE_WAIT_RECORD_H

#include "base/base.h"

struct wait_record {
	uint64_t begin, end; /* on the thread's clock */
	uint64_t lost_ticks; /* end + lost_ticks: when it ended, in ticks of the session */
	uint64_t blocked_ticks, preempted_ticks; /* together at most end - begin */
	uint64_t count;
	uint64_t os;
};

/*
 * The record behind `wait`, in its place; before the first one it is 0 but for lost_ticks, which is
 * the thread's begin_ticks. False where there is none, or none that can be.
 */
bool wait_record_read(struct byte_reader *reader, struct wait_record *wait);

/* Appends `wait`, which follows `before`. */
void wait_record_write(struct byte_vec *out, const struct wait_record *before,
		       const struct wait_record *wait);

#endif
