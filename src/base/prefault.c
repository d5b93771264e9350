/* See prefault.h. */
#include "base/prefault.h"

#include "base/parallel.h"

#include <sys/mman.h>
#include <unistd.h>

enum { STEP_BYTES = 4 << 20, AHEAD_BYTES = 128 << 20, WAIT_US = 500, BLOCK_BYTES_MIN = 16 << 20 };

static bool is_far_ahead(const struct prefault *prefault, uintptr_t at)
{
	return at - prefault->begin >
	       atomic_load_explicit(&prefault->used, memory_order_relaxed) + AHEAD_BYTES;
}

static void *run(void *context)
{
	struct prefault *prefault = context;

	for (uintptr_t at = prefault->begin; at < prefault->end; at += STEP_BYTES) {
		const size_t left = prefault->end - at;
		while (is_far_ahead(prefault, at) && !atomic_load(&prefault->stop))
			usleep(WAIT_US);
		if (atomic_load(&prefault->stop) ||
		    madvise((void *)at, left < STEP_BYTES ? left : STEP_BYTES,
			    MADV_POPULATE_WRITE) < 0)
			break;
	}
	return NULL;
}

void prefault_begin(struct prefault *prefault, void *block, size_t size_bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)block;

	*prefault = (struct prefault){.begin = (first + page - 1) & ~(page - 1),
				      .end = (first + size_bytes) & ~(page - 1)};
	if (size_bytes < BLOCK_BYTES_MIN)
		return;
	/* A hint: where it is refused, nothing is different. */
	madvise((void *)prefault->begin, prefault->end - prefault->begin, MADV_HUGEPAGE);
	prefault->runs = parallel_start_thread(&prefault->thread, run, prefault);
}

void prefault_end(struct prefault *prefault)
{
	atomic_store(&prefault->stop, true);
	if (prefault->runs)
		pthread_join(prefault->thread, NULL);
	prefault->runs = false;
}
