/* spin: waiting for locks that are held for short, in a bounded number of rounds. */
#ifndef TARE_RUNTIME_BASE_SPIN_H
#define TARE_RUNTIME_BASE_SPIN_H

#include "runtime/base/kernel.h"

#include <stdbool.h>
#include <stdint.h>

#define SPIN_ROUNDS_MAX	  (1U << 25)
#define SPIN_YIELD_ROUNDS 64U

/*
 * Waits for a moment; false once that has been so often that the holder is taken for dead. Where a
 * sandbox forbids to yield, the holder may wait for this processor: so many rounds are a second or
 * more.
 */
static inline bool spin_again(uint32_t *rounds)
{
	if (++*rounds >= SPIN_ROUNDS_MAX)
		return false;
	__builtin_ia32_pause();
	if (*rounds % SPIN_YIELD_ROUNDS == 0)
		kernel_call(SYS_sched_yield, 0);
	return true;
}

/* False where the holder does not come back. */
static inline bool spin_lock(uint32_t *lock)
{
	for (uint32_t rounds = 0; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE);)
		if (!spin_again(&rounds))
			return false;
	return true;
}

static inline void spin_unlock(uint32_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

#endif
