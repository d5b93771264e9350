/*
 * sums: what the calls of one thread have cost and taken, by function, and who is worth its probes.
 *
 * Each time all nodes are added up; what they had the time before tells what was since then.
 */
#ifndef TARE_RUNTIME_CONTROL_SUMS_H
#define TARE_RUNTIME_CONTROL_SUMS_H

#include "abi/learned.h"
#include "runtime/files/self.h"

#define SUMS_CALLS_MIN TARE_JUDGED_CALLS_MIN
/* The probes of a function that lasts little cost too much at one in so many of the work … */
#define SUMS_SHARE 1024
/* … those of all functions together at one in so many, */
#define SUMS_BUDGET 32
/* of which those that cost less than one in so many are left alone. */
#define SUMS_TRIFLE 16384
#define SUMS_WAITS  TARE_JUDGED_WAITS

/* The calls of one function. */
struct adapt_sum {
	uint64_t key;	/* 0: free */
	uint64_t calls; /* of all nodes */
	int64_t ticks;	/* exclusive, of a processor */
	uint64_t blocked_ticks;
	uint64_t below_ticks, below_before; /* blocked in what it has called */
	uint32_t below_node;		    /* whose wait was added last */
	uint64_t calls_before;
	int64_t ticks_before;
	bool leads; /* is timed for the waits below */
	bool dear;  /* its probes have cost one in SUMS_SHARE of late */
	bool goes;  /* is not worth them */
	bool gone;  /* a byte was cleared */
};

/* Since the time before, and in all. */
struct sums_work {
	uint64_t pair_ticks; /* what the probes of a call cost */
	uint64_t ratio_percent;
	uint64_t worked_ticks, worked_ticks_all;
	uint64_t taken_ticks; /* by the runtime, */
	uint64_t own_ticks;   /* and of these beside the probes' short way */
};

/* Begins to add up once more. False where there is no memory. */
bool sums_begin(struct adapt_sums *sums);

void sums_add(struct adapt_sums *sums, const struct adapt_sum *part);

struct adapt_sum *sums_find(const struct adapt_sums *sums, uint64_t key);

/* Does it wait so much that it is timed for that? */
bool sums_waits(const struct adapt_sum *sum);

/* Is it timed for `below_ticks` of waits in what it calls? */
bool sums_leads(const struct adapt_sum *sum, uint64_t below_ticks, const struct sums_work *work);

/* Is it timed for either, as it was judged? */
bool sums_stays(const struct adapt_sum *sum);

/* Are there so many calls, and are they short beside their probes? */
bool sums_is_short(const struct adapt_sum *sum, uint64_t calls_min, const struct sums_work *work);

/* Says of each sum whether it leads to waits, and whether it goes. */
void sums_judge(const struct adapt_sums *sums, const struct sums_work *work);

#endif
