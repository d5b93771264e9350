/* What the host of the accumulation gives: the heap's memory. Its other answers are the test's. */
#ifndef TARE_TESTS_SUPPORT_HEAP_MEMORY_H
#define TARE_TESTS_SUPPORT_HEAP_MEMORY_H

#include "runtime/memory.h"

#include <stdlib.h>

void *memory_map(size_t size_bytes)
{
	return calloc(1, size_bytes);
}

void memory_unmap(void *memory, size_t size_bytes)
{
	(void)size_bytes;
	free(memory);
}

#endif
