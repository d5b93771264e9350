/*
 * The table of index.h. Removing moves the slots behind up, so that no gap is ever in a run; one
 * left halfway (siglongjmp) leaves a number that its owner no longer has, which users of the
 * table check for, or one that is not found, whose context is then made once more.
 */
#include "runtime/base/index.h"

#include "runtime/base/memory.h"

#define SLOTS_MIN 512

static void slot_put(struct accumulate_index *index, uint64_t slot)
{
	uint64_t at = index_home(index, slot);

	while (index->slots[at])
		at = (at + 1) & (index->slot_count - 1);
	index->slots[at] = slot;
	index->used++;
}

bool index_double(struct accumulate_index *index)
{
	struct accumulate_index larger = {.slot_count = index->slot_count ? index->slot_count * 2
									  : SLOTS_MIN};

	larger.slots = memory_map(larger.slot_count * sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (uint64_t i = 0; i < index->slot_count; i++)
		if (index->slots[i])
			slot_put(&larger, index->slots[i]);
	index_free(index);
	*index = larger;
	return true;
}

bool index_reserve(struct accumulate_index *index)
{
	return index->used < index->slot_count / 2 || index_double(index) ||
	       (index->slot_count && index->used < index->slot_count / 8 * 7);
}

void index_put(struct accumulate_index *index, uint64_t hash, uint32_t number)
{
	slot_put(index, (hash & ~INDEX_NUMBER_MASK) | (number + 1));
}

/* May the slot at `at`, in the run behind `gap`, move into it? Not in front of its home. */
static bool slot_may_move(const struct accumulate_index *index, uint64_t gap, uint64_t at)
{
	const uint64_t mask = index->slot_count - 1;
	const uint64_t home = index_home(index, index->slots[at]);

	return ((at - home) & mask) >= ((at - gap) & mask);
}

void index_remove(struct accumulate_index *index, uint64_t hash, uint32_t number)
{
	const uint64_t mask = index->slot_count - 1;
	uint64_t gap = UINT64_MAX;
	uint32_t found;

	do {
		if (!index_next(index, hash, &gap, &found))
			return;
	} while (found != number);
	for (uint64_t at = (gap + 1) & mask; index->slots[at]; at = (at + 1) & mask) {
		if (!slot_may_move(index, gap, at))
			continue;
		index->slots[gap] = index->slots[at];
		gap = at;
	}
	index->slots[gap] = 0;
	index->used--;
}

void index_empty(struct accumulate_index *index)
{
	if (index->slot_count > SLOTS_MIN)
		index_free(index);
	for (uint64_t i = 0; i < index->slot_count; i++)
		index->slots[i] = 0;
	index->used = 0;
}

void index_free(struct accumulate_index *index)
{
	if (index->slots)
		memory_unmap(index->slots, index->slot_count * sizeof(*index->slots));
	*index = (struct accumulate_index){0};
}
