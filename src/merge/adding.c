/* How numbers add up: what all files of merge do with them. */
#include "merge/private.h"

#include <assert.h>

void add_count(uint64_t *to, uint64_t value)
{
	if (__builtin_add_overflow(*to, value, to))
		*to = UINT64_MAX;
}

void keep_most(uint64_t *to, uint64_t value)
{
	if (*to < value)
		*to = value;
}

void keep_range(uint64_t *to, uint64_t least, uint64_t greatest)
{
	if (least > greatest)
		return;
	if (to[0] > to[1]) {
		to[0] = least;
		to[1] = greatest;
		return;
	}
	if (least < to[0])
		to[0] = least;
	if (greatest > to[1])
		to[1] = greatest;
	assert(to[0] <= to[1]);
}

void add_signed(int64_t *to, int64_t value)
{
	if (__builtin_add_overflow(*to, value, to))
		*to = value < 0 ? INT64_MIN : INT64_MAX;
}

int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

struct profile_node node_empty(void)
{
	struct profile_node row = {0};

	for (size_t i = 0; i < TABLE_COUNT(row.ranges); i++)
		row.ranges[i][0] = UINT64_MAX;
	return row;
}

const struct thread_total_info thread_totals[] = {
	[TOTAL_ELAPSED] = {offsetof(struct profile_thread, now_ticks), 0},
	[TOTAL_OS] = {offsetof(struct profile_thread, os_ticks), 0},
	[TOTAL_BLOCKED] = {offsetof(struct profile_thread, blocked_ticks), PROFILE_WAITS_SINCE},
	[TOTAL_PREEMPTED] = {offsetof(struct profile_thread, preempted_ticks), PROFILE_WAITS_SINCE},
	[TOTAL_OVERHEAD] = {offsetof(struct profile_thread, overhead_ticks), 0},
};
table_covers(thread_totals, THREAD_TOTALS);

uint64_t *thread_total_of(struct profile_thread *row, enum thread_total total)
{
	return (uint64_t *)(void *)((char *)row + thread_totals[total].member);
}
