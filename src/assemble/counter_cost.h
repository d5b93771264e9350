/*
 * What counters and dormant probes take of a thread's time, at least: the program passes them at
 * each call that is only counted. By the calibration, which has them one behind the other.
 */
#ifndef TARE_ASSEMBLE_COUNTER_COST_H
#define TARE_ASSEMBLE_COUNTER_COST_H

#include "abi/session_files.h"
#include "resolve/resolve.h"

/* In 256ths of a tick. What is summed up comes from files of others. */
typedef unsigned __int128 counter_cost;

/* Of `calls` that passed a counter, and with_probes: the two dormant probes beside it. */
counter_cost counter_cost_of(const struct tare_calibration *calibration, uint64_t calls,
			     bool with_probes);
/* At most INT64_MAX. */
uint64_t counter_cost_ticks(counter_cost cost);

/* A module's functions in the order of their copied code. */
struct counter_owners {
	struct counter_owner {
		uint32_t prefix, number;
	} * list;
	size_t count;
};

void counter_owners_init(struct counter_owners *owners, const struct resolve_counted *counted);
void counter_owners_fini(struct counter_owners *owners);
/* The number of the function whose copied code has the counter of a call; UINT32_MAX: none. */
uint32_t counter_owner_of(const struct counter_owners *owners,
			  const struct resolve_counted *counted, uint32_t number);

#endif
