/*
 * By digits, the least first (D. Knuth, The Art of Computer Programming, volume 3, section 5.2.5).
 * Digits that all values share, as the upper ones of addresses, are passed over. Few values are
 * sorted by comparing.
 */
#include "base/sort.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, FEW = 256 };

static int compare(const void *a_pointer, const void *b_pointer)
{
	const uint64_t a = *(const uint64_t *)a_pointer, b = *(const uint64_t *)b_pointer;

	return a < b ? -1 : a > b;
}

/* Bits in which not all values are the same. */
static uint64_t differing(const uint64_t *values, size_t count)
{
	uint64_t bits = 0;

	for (size_t i = 1; i < count; i++)
		bits |= values[i] ^ values[0];
	return bits;
}

static void sort_by_digit(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
	size_t begins[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < count; i++)
		begins[from[i] >> shift & (DIGITS - 1)]++;
	for (size_t digit = 0; digit < DIGITS; digit++) {
		const size_t of_digit = begins[digit];
		begins[digit] = sum;
		sum += of_digit;
	}
	for (size_t i = 0; i < count; i++)
		to[begins[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

void sort_u64(uint64_t *values, size_t count)
{
	if (count <= FEW) {
		if (count)
			qsort(values, count, sizeof(*values), compare);
		return;
	}
	const uint64_t bits = differing(values, count);
	uint64_t *other = mem_alloc(count * sizeof(*other)), *sorted = values, *room = other;

	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		if (!(bits >> shift & (DIGITS - 1)))
			continue;
		sort_by_digit(sorted, room, count, shift);
		uint64_t *const next = sorted;
		sorted = room;
		room = next;
	}
	if (sorted != values)
		memcpy(values, sorted, count * sizeof(*values));
	free(other);
}
