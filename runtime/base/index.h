/*
 * index: a hash table of the numbers of nodes or OS records. Open addressing, linear probing. A
 * slot has the number plus one in its low bits and the hash in the others, so that growing and
 * removing look at nothing else.
 */
#ifndef TARE_RUNTIME_BASE_INDEX_H
#define TARE_RUNTIME_BASE_INDEX_H

#include "abi/session_files.h"

#include <stdbool.h>
#include <stdint.h>

#define INDEX_NUMBER_BITS 26
#define INDEX_NUMBER_MASK ((1ULL << INDEX_NUMBER_BITS) - 1)

_Static_assert(TARE_THREAD_NODES_MAX <= INDEX_NUMBER_MASK + 1, "numbers fit a slot");

struct accumulate_index {
	uint64_t *slots;
	uint64_t slot_count; /* a power of two, or 0 */
	uint64_t used;
};

static inline uint64_t index_hash(uint64_t a, uint64_t b)
{
	uint64_t h = (b ^ (a + 1) * 0x9e3779b97f4a7c15ULL) * 0xff51afd7ed558ccdULL;

	return h ^ h >> 29;
}

static inline uint64_t index_home(const struct accumulate_index *index, uint64_t slot)
{
	return slot >> INDEX_NUMBER_BITS & (index->slot_count - 1);
}

/*
 * The numbers under a hash, one after the other: `*at` is UINT64_MAX before the first; false when
 * there are no more.
 */
static inline bool index_next(const struct accumulate_index *index, uint64_t hash, uint64_t *at,
			      uint32_t *number)
{
	if (!index->slot_count)
		return false;
	*at = *at == UINT64_MAX ? index_home(index, hash) : (*at + 1) & (index->slot_count - 1);
	for (uint64_t slot; (slot = index->slots[*at]); *at = (*at + 1) & (index->slot_count - 1)) {
		if ((slot ^ hash) & ~INDEX_NUMBER_MASK)
			continue;
		*number = (uint32_t)(slot & INDEX_NUMBER_MASK) - 1;
		return true;
	}
	return false;
}

/* Makes room for one more number; false when there is no memory and the table is nearly full. */
bool index_reserve(struct accumulate_index *index);

/* False when there is no memory. */
bool index_double(struct accumulate_index *index);

/* There is room. */
void index_put(struct accumulate_index *index, uint64_t hash, uint32_t number);

/* Nothing happens where the number is not there. */
void index_remove(struct accumulate_index *index, uint64_t hash, uint32_t number);

void index_empty(struct accumulate_index *index); /* keeps a table of the first size */
void index_free(struct accumulate_index *index);

#endif
