/*
 * See heap.h. malloc (glibc's) moves the end of the heap by what it lacks and M_TOP_PAD bytes: with
 * the range as padding, its first call reserves that. Addresses cost nothing until they are
 * written.
 */
#include "base/heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	HEAP_BYTES = 256 << 20,
	PAD_BYTES = 1 << 20,
	FIRST_BYTES = 1 << 20,	      /* more than malloc may have left */
	MAPPED_BYTES_MIN = 128 << 10, /* larger blocks stay mappings of their own, as by default */
};

void heap_begin(void)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t begin = ((uintptr_t)sbrk(0) + page - 1) & ~(page - 1);

	mallopt(M_MMAP_THRESHOLD, 2 * FIRST_BYTES);
	mallopt(M_TOP_PAD, HEAP_BYTES);
	/* What is freed stays with the process. */
	mallopt(M_TRIM_THRESHOLD, 2 * HEAP_BYTES);
	void *volatile first = malloc(FIRST_BYTES);
	free(first);
	mallopt(M_TOP_PAD, PAD_BYTES);
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES_MIN);
	const uintptr_t end = (uintptr_t)sbrk(0);
	/* A hint: where it is refused, nothing is different. */
	if (end > begin)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}
