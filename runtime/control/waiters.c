/*
 * A small table; threads write to it when they wait, without a lock.
 *
 * Refuses more than half of WAITERS_MAX functions, and to judge by fewer than CALLS_MIN calls.
 */
#include "runtime/control/waiters.h"

#include "runtime/control/costs.h"
#include "runtime/control/sums.h"
#include "runtime/tree/context.h"

#define WAITERS_MAX 1024 /* a power of two */
#define THREADS	    2	 /* that say so of a function: what one takes back the other may know */
#define CALLS_MIN   8
#define CALLERS_MAX (WAITERS_MAX / 4) /* who only calls them leaves them room */

/* A key, once there, stays; without threads (0) nobody waits in it. */
static struct waiter {
	uint64_t key, threads[THREADS];
	uint64_t below_ticks; /* of waits in what it calls */
} waiters[WAITERS_MAX];
static uint64_t waiter_count;

static uint64_t slot_of(uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15ULL >> 32) & (WAITERS_MAX - 1);
}

/* NULL: it is not there. */
static struct waiter *waiter_find(uint64_t key)
{
	if (!__atomic_load_n(&waiter_count, __ATOMIC_RELAXED))
		return NULL;
	for (uint64_t slot = slot_of(key);; slot = (slot + 1) & (WAITERS_MAX - 1)) {
		const uint64_t found = __atomic_load_n(&waiters[slot].key, __ATOMIC_ACQUIRE);

		if (!found)
			return NULL;
		if (found == key)
			return &waiters[slot];
	}
}

/* NULL: there is no room. Another thread may put the same key there first. */
static struct waiter *waiter_make(uint64_t key)
{
	if (__atomic_add_fetch(&waiter_count, 1, __ATOMIC_RELAXED) > WAITERS_MAX / 2) {
		__atomic_sub_fetch(&waiter_count, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	for (uint64_t slot = slot_of(key);; slot = (slot + 1) & (WAITERS_MAX - 1)) {
		uint64_t none = 0;

		if (__atomic_compare_exchange_n(&waiters[slot].key, &none, key, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
		    none == key)
			return &waiters[slot];
	}
}

/* By all paths, where the last sum has enough of it; else by the node's. */
static bool waits_in(const struct tare_thread_file *self, const struct adapt_local *local,
		     const struct tare_node *node)
{
	const struct adapt_sum *all = sums_find(&local->sums, node->key);

	if (all && all->calls >= SUMS_CALLS_MIN)
		return sums_waits(all);
	const struct adapt_sum sum = costs_of_node(self, node);

	return sum.calls >= CALLS_MIN && sums_waits(&sum);
}

/* In how many places `thread` stands; 0: that are free. */
static size_t places_of(const struct waiter *waiter, uint64_t thread)
{
	size_t places = 0;

	for (size_t i = 0; i < THREADS; i++)
		places += __atomic_load_n(&waiter->threads[i], __ATOMIC_RELAXED) == thread;
	return places;
}

/* Puts `now` into the first place where `before` stands. */
static void thread_replace(struct waiter *waiter, uint64_t before, uint64_t now)
{
	for (size_t i = 0; i < THREADS; i++) {
		uint64_t found = before;

		if (__atomic_compare_exchange_n(&waiter->threads[i], &found, now, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
	}
}

/* The thread has said so before, or enough others have. */
static bool is_said(const struct waiter *waiter, uint64_t thread)
{
	return places_of(waiter, thread) || !places_of(waiter, 0);
}

void waiters_note(const struct tare_thread_file *self, const struct adapt_local *local)
{
	const struct tare_node *node = context_node(self->top);
	struct waiter *waiter = waiter_find(node->key);

	if ((waiter && is_said(waiter, (uint64_t)self)) || !waits_in(self, local, node))
		return;
	if (!waiter)
		waiter = waiter_make(node->key);
	if (waiter)
		thread_replace(waiter, 0, (uint64_t)self);
}

bool waiters_know(uint64_t key)
{
	const struct waiter *waiter = waiter_find(key);

	return waiter && places_of(waiter, 0) < THREADS;
}

void waiters_note_below(uint64_t key, uint64_t ticks)
{
	struct waiter *waiter = waiter_find(key);

	if (!waiter && __atomic_load_n(&waiter_count, __ATOMIC_RELAXED) < CALLERS_MAX)
		waiter = waiter_make(key);
	if (waiter)
		__atomic_add_fetch(&waiter->below_ticks, ticks, __ATOMIC_RELAXED);
}

uint64_t waiters_below(uint64_t key)
{
	const struct waiter *waiter = waiter_find(key);

	return waiter ? __atomic_load_n(&waiter->below_ticks, __ATOMIC_RELAXED) : 0;
}

void waiters_take_back(const struct tare_thread_file *self, uint64_t key)
{
	struct waiter *waiter = waiter_find(key);

	if (waiter)
		thread_replace(waiter, (uint64_t)self, 0);
}

void waiters_forget(uint64_t begin, uint64_t end)
{
	/* Most programs end with none, and would touch the whole table for it. */
	if (!__atomic_load_n(&waiter_count, __ATOMIC_RELAXED))
		return;
	for (uint64_t i = 0; i < WAITERS_MAX; i++) {
		if (__atomic_load_n(&waiters[i].key, __ATOMIC_RELAXED) - begin >= end - begin)
			continue;
		for (size_t k = 0; k < THREADS; k++)
			__atomic_store_n(&waiters[i].threads[k], 0, __ATOMIC_RELAXED);
		__atomic_store_n(&waiters[i].below_ticks, 0, __ATOMIC_RELAXED);
	}
}
