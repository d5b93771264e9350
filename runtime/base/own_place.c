/*
 *   first mapping, where the kernel puts it
 *       └─ 40 GiB below: the second one ends here, the others lie below it
 *
 * The distance is less than that of other threads' counters (files/counters_place.c), and within
 * what ThreadSanitizer lets a program use. Addresses are not used again until all were.
 *
 * Refuses nothing: where the wish cannot be met the kernel chooses.
 */
#include "runtime/base/own_place.h"

#include "runtime/base/kernel.h"

#include <sys/mman.h>

#define PAGE_BYTES     4096ULL
#define DISTANCE_BYTES (40ULL << 30)
#define ROOM_BYTES     (20ULL << 30)
#define ADDR_MIN       (1ULL << 40) /* below that there may be a program that cannot be moved */

static uint64_t top;   /* 0: not known yet */
static uint64_t taken; /* so much below it */

static bool failed(long result)
{
	return result < 0 && result > -4096;
}

/* An address for the mapping; 0: none is wished for. */
static uint64_t wish(uint64_t size_bytes)
{
	const uint64_t size = (size_bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	const uint64_t end = __atomic_load_n(&top, __ATOMIC_RELAXED);

	if (!end || size > ROOM_BYTES)
		return 0;
	const uint64_t below = __atomic_add_fetch(&taken, size, __ATOMIC_RELAXED) % ROOM_BYTES;

	return below < size ? end - size : end - below;
}

static void learn(long map)
{
	uint64_t unknown = 0;

	if (!failed(map) && (uint64_t)map > ADDR_MIN + DISTANCE_BYTES + ROOM_BYTES)
		__atomic_compare_exchange_n(&top, &unknown, (uint64_t)map - DISTANCE_BYTES, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

long own_place_map(uint64_t size_bytes, int protection, int flags, long fd)
{
	const long map =
		kernel_call(SYS_mmap, wish(size_bytes), size_bytes, protection, flags, fd, 0);

	if (!__atomic_load_n(&top, __ATOMIC_RELAXED))
		learn(map);
	return map;
}

/* mremap takes no wish, only an order: what is there would be gone. So the room is taken before. */
long own_place_map_again(uint64_t page, uint64_t size_bytes)
{
	const long room = own_place_map(size_bytes, PROT_NONE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	/* An old size of 0: a further mapping of the same file. */
	if (!failed(room)) {
		const long map = kernel_call(SYS_mremap, page, 0, size_bytes,
					     MREMAP_MAYMOVE | MREMAP_FIXED, room);

		if (!failed(map))
			return map;
		kernel_call(SYS_munmap, room, size_bytes);
	}
	return kernel_call(SYS_mremap, page, 0, size_bytes, MREMAP_MAYMOVE);
}
