#include "runtime/base/arming_lock.h"

#include "runtime/base/spin.h"

static uint64_t lock; /* thread pointer of the holder, 0: free */

bool arming_lock(void)
{
	const uint64_t self = (uint64_t)__builtin_thread_pointer();
	uint64_t holder = 0;

	return __atomic_compare_exchange_n(&lock, &holder, self, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED) ||
	       holder == self;
}

void arming_unlock(void)
{
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

/* After long waiting the holder is taken for dead. */
void arming_lock_wait(void)
{
	for (uint32_t rounds = 0; !arming_lock();)
		if (!spin_again(&rounds))
			return;
}
