/*
 * merge: profiles of many runs, hosts or ranks → one profile. Takes one input after the other; what
 * memory should not hold waits in a file. Associative and commutative in
 * the values; rows are written in a canonical order. See docs/reference/merge.md for what becomes
 * one.
 */
#ifndef TARE_MERGE_MERGE_H
#define TARE_MERGE_MERGE_H

#include "profile/profile.h"

struct merge;

/* What has been taken, and what of it a merged profile does not have. */
struct merge_summary {
	uint64_t recordings;
	/* left out, as in struct profile_merged */
	uint64_t event_logs, sample_times, addresses, waits;
};

struct merge_options {
	/* No two processes, and no two threads, become one, and their times are on one clock. */
	bool keep_processes;
	/* The merged profile. What need not be in memory waits in a file beside it, without a name.
	 */
	const char *output;
	/* What call paths may take of memory, besides those of one input. */
	uint64_t memory_bytes;
};
#define MERGE_MEMORY_DEFAULT (512LL << 20)

struct merge *merge_new(const struct merge_options *options);
/* Adds the profile at `path`. After a failure nothing but merge_free makes sense. */
bool merge_take(struct merge *merge, const char *path, struct error *err);
/* Writes the result; an existing file there becomes `output`.old. */
bool merge_write(struct merge *merge, struct error *err);
struct merge_summary merge_summary(const struct merge *merge);
void merge_free(struct merge *merge);

#endif
