/*
 * What a node's row says of single calls, as the bytes of its last column: the smallest and largest
 * values, and how many calls took how long. docs/reference/profile-format.md describes them.
 * Private to the profile module.
 */
#ifndef TARE_PROFILE_PER_CALL_H
#define TARE_PROFILE_PER_CALL_H

#include "profile/profile.h"

/* The ranges and lengths of the row, in place of what `out` holds. */
void per_call_put(struct byte_vec *out, const struct profile_node *row);
/* Into a struct profile_node, whose `per_call` are then the lengths, of the same bytes. False where
   these make no sense. */
bool per_call_take_ranges(void *row, const void *bytes, size_t size);

/* The lengths: from behind the ranges on, bucket by bucket. */
struct byte_reader per_call_lengths(const void *bytes, size_t size);
/* 1: the next bucket with calls is in `row`, whose last one it follows; 0: there are no more, -1:
   the bytes make no sense. The first row's bucket is to be PER_CALL_FIRST before. */
#define PER_CALL_FIRST UINT32_MAX
int per_call_next(struct byte_reader *lengths, struct profile_histogram *row);

#endif
