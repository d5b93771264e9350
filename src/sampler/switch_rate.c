/*
 * Judged soon when switches become many, as each costs until then; and later when they become few,
 * as going to and fro costs system calls for each thread.
 */
#include "sampler/switch_rate.h"

#define SPAN_MANY_NS 20000000ULL
#define SPAN_FEW_NS  200000000ULL

bool switch_rate_look(struct switch_rate *rate, const struct switch_limits *limits, uint64_t time)
{
	const uint64_t span = rate->many ? SPAN_FEW_NS : SPAN_MANY_NS;
	const uint64_t limit = rate->many ? limits->few : limits->many;
	const uint64_t passed = time - rate->begin;

	if (!rate->begin || time < rate->begin) {
		*rate = (struct switch_rate){.begin = time, .many = rate->many};
	} else if (passed >= span) {
		rate->many = (double)rate->count * 1e9 > (double)limit * (double)passed;
		rate->begin = time;
		rate->count = 0;
	}
	return rate->many;
}
