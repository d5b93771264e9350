/*
 * Pages of a large block that another thread asks the kernel for before they are written: to clear
 * them takes about as long as to fill them.
 */
#ifndef TARE_BASE_PREFAULT_H
#define TARE_BASE_PREFAULT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prefault {
	uintptr_t begin, end;
	atomic_size_t used; /* bytes from the block's begin on */
	atomic_bool stop;
	pthread_t thread;
	bool runs;
};

/*
 * In pages as large as the system has. Where it cannot do that, or no thread can be made, pages are
 * made as they are written. The block has to stay until prefault_end.
 */
void prefault_begin(struct prefault *prefault, void *block, size_t size_bytes);
/* How far it is filled; the other thread is never far ahead, as the rest may not be needed. */
static inline void prefault_used(struct prefault *prefault, size_t used_bytes)
{
	atomic_store_explicit(&prefault->used, used_bytes, memory_order_relaxed);
}
void prefault_end(struct prefault *prefault);

#endif
