/*
 * Records in the order of their time. The records of several processors come mixed, but only within
 * rounds: behind the end of a round no record comes that is older than the newest of the round
 * before.
 */
#ifndef TARE_SAMPLER_PERF_ORDER_H
#define TARE_SAMPLER_PERF_ORDER_H

#include "base/base.h"

struct perf_attr;

/* What is done with a record when its turn has come. */
typedef void perf_order_take(void *context, const struct perf_attr *attr, const void *bytes,
			     size_t size);

struct perf_order {
	struct vec_of(struct perf_waiting) heap; /* the oldest is the first */
	uint64_t count;				 /* records that came; equal times go by it */
	uint64_t newest, newest_before;		 /* times: of this round, of the ones before */
	size_t held_bytes, limit_bytes;
	uint64_t late; /* records that came behind one that is younger and was taken */
	uint64_t taken_time;
	perf_order_take *take;
	void *context;
};

struct perf_waiting {
	uint64_t time, number;
	const struct perf_attr *attr;
	void *bytes;
	size_t size;
};

/* Holds at most about limit_bytes: beyond, the oldest are taken before their round ends. */
void perf_order_init(struct perf_order *order, size_t limit_bytes, perf_order_take *take,
		     void *context);
void perf_order_fini(struct perf_order *order);

/* Copies the record. */
void perf_order_add(struct perf_order *order, uint64_t time, const struct perf_attr *attr,
		    const void *bytes, size_t size);
/* The round is at its end: takes what is as old as the round before. */
void perf_order_end_round(struct perf_order *order);
/* Takes all. */
void perf_order_finish(struct perf_order *order);

#endif
