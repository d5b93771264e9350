/*
 * What the host of the accumulation gives: the heap's memory, pieces of at most heap_piece_bytes.
 * Its other answers are the test's.
 */
#ifndef TARE_TESTS_SUPPORT_HEAP_MEMORY_H
#define TARE_TESTS_SUPPORT_HEAP_MEMORY_H

#include "runtime/base/memory.h"

#include <stdlib.h>

size_t heap_piece_bytes = SIZE_MAX;

void *memory_map(size_t size_bytes)
{
	return size_bytes <= heap_piece_bytes ? calloc(1, size_bytes) : NULL;
}

void memory_unmap(void *memory, size_t size_bytes)
{
	(void)size_bytes;
	free(memory);
}

#endif
