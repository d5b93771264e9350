/*
 * filter: the system call filters (seccomp) that the program has put on itself, and what they say
 * of a system call. The runtime asks before each of its own: what is not plainly allowed it does
 * without, so that no filter ever kills, stops or tells of the program because of a probe.
 */
#ifndef TARE_RUNTIME_BASE_FILTER_H
#define TARE_RUNTIME_BASE_FILTER_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>

struct filter {
	const struct filter *earlier;
	uint32_t length; /* instructions */
	struct sock_filter code[];
};

/*
 * NULL where there is none. One thread's filters count for all: threads inherit them, and whose
 * child a thread is nobody knows here.
 */
extern const struct filter *filter_newest __attribute__((visibility("hidden")));

/* Takes up a filter that is about to be installed; it stays. */
void filter_add(struct filter *filter);

/* Does it return SECCOMP_RET_ALLOW? Arguments: NULL for zeros. */
bool filter_allows(const struct filter *filter, long number, const long arguments[6]);
/* Do all filters? */
bool filter_permits(long number, const long arguments[6]);

/* What a program returns; SECCOMP_RET_KILL_PROCESS where the kernel would refuse the program. */
uint32_t filter_run(const struct sock_filter *code, uint32_t length,
		    const struct seccomp_data *data);

#endif
