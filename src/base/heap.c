/*
 * See heap.h. malloc (glibc's) moves the end of the heap by what it lacks and M_TOP_PAD bytes, and
 * takes blocks of all sizes from what it has so: with the range as padding, its next call reserves
 * that. Addresses cost nothing until they are written, but where one was written in a small page,
 * there is no large one around it.
 */
#include "base/heap.h"

#include "base/rlimits.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	HEAP_BYTES = 256 << 20,
	PAD_BYTES = 1 << 20,
	LARGE_PAGE_BYTES = 2 << 20,
	ARENA_THREADS = 4,
	NOTE_BYTES = 64,	      /* of malloc's own, and what it rounds up */
	MAPPED_BYTES_MIN = 128 << 10, /* larger ones are mappings where the range is full */
};

static bool has_range; /* not where it is limited, nor with another malloc, as a sanitizer's */

/* Where the part of the heap begins that was never given out. */
static uintptr_t unused_begin(void)
{
	return (uintptr_t)sbrk(0) - mallinfo2().keepcost;
}

/*
 * A block that nobody uses reaches so far that what is given out next, and malloc's note of where
 * the rest begins, lies just before the next large page. Returns where that begins.
 */
static uintptr_t leap(void)
{
	static void *volatile unused;
	const uintptr_t first = unused_begin() + 2 * (uintptr_t)NOTE_BYTES;
	const uintptr_t next = (first + LARGE_PAGE_BYTES - 1) & ~(uintptr_t)(LARGE_PAGE_BYTES - 1);

	unused = malloc(next - first + 1);
	return unused ? next : 0;
}

void heap_begin(void)
{
	static void *volatile first;
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);

	/* Where addresses are limited, none are reserved. */
	if (rlimits_has(RLIMIT_AS) || rlimits_has(RLIMIT_DATA))
		return;
	/* Threads take memory from this range, too; more of them would wait for each other. */
	mallopt(M_ARENA_MAX, processors > ARENA_THREADS ? (int)(processors / ARENA_THREADS) : 1);
	/* What is freed stays with the process. */
	mallopt(M_TRIM_THRESHOLD, 2 * HEAP_BYTES);
	mallopt(M_MMAP_THRESHOLD, 2 * LARGE_PAGE_BYTES);
	mallopt(M_TOP_PAD, HEAP_BYTES);
	first = malloc(1);
	const uintptr_t begin = first ? leap() : 0, end = (uintptr_t)sbrk(0);
	mallopt(M_TOP_PAD, PAD_BYTES);
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES_MIN);
	has_range = begin && end > begin;
	/* A hint: where it is refused, nothing is different. */
	if (has_range)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

void heap_leave_shared(void)
{
	if (has_range)
		leap();
}
