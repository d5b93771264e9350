/*
 * Exchanges the pages by mremap: the probes of other threads find the old ones or the new ones.
 * What is written to the old ones meanwhile is lost; that is at most a call site's byte, which its
 * next call clears again.
 *
 * Refuses nothing of its own; where there is no room the bytes stay private.
 */
#include "runtime/control/arming_shared.h"

#include "abi/control.h"
#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
#include "runtime/base/kernel.h"
#include "runtime/base/own_place.h"

#include <sys/mman.h>

#define PAGE_BYTES 4096ULL

static uint64_t first_page(const struct arming_range *range)
{
	return (uint64_t)range->bytes & ~(PAGE_BYTES - 1);
}

static uint64_t pages_bytes(const struct arming_range *range)
{
	const uint64_t end = (uint64_t)range->bytes + range->size_bytes;

	return ((end + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1)) - first_page(range);
}

static bool failed(long result)
{
	return result < 0 && result > -4096;
}

static bool move_into_place(uint64_t from, const struct arming_range *range)
{
	return !failed(kernel_call(SYS_mremap, from, pages_bytes(range), pages_bytes(range),
				   MREMAP_MAYMOVE | MREMAP_FIXED, first_page(range)));
}

bool arming_share(const struct arming_range *range)
{
	const uint64_t size_bytes = pages_bytes(range);
	char name[64];
	struct bytes_text text = {.start = name, .size_bytes = sizeof(name)};
	const struct files_size size = {.file_bytes = TARE_ARMING_OFFSET + size_bytes,
					.mapped_bytes = TARE_ARMING_OFFSET + size_bytes,
					.backed_bytes = TARE_ARMING_OFFSET + size_bytes,
					.heirs = FILES_INHERITED};
	uint32_t limits;

	bytes_put(&text, TARE_ARMING_NAME);
	bytes_put_number(&text, (uint64_t)kernel_pid());
	const uint64_t map = files_create(name, &size, &limits);

	if (!map)
		return false;
	const uint64_t pages = map + TARE_ARMING_OFFSET;
	struct tare_arming_file *file = (struct tare_arming_file *)map;

	memcpy((void *)pages, (const void *)first_page(range), size_bytes);
	file->offset = TARE_ARMING_OFFSET + (uint64_t)range->bytes - first_page(range);
	file->size_bytes = range->size_bytes;
	const bool good = move_into_place(pages, range);

	if (good)
		file->magic = TARE_ARMING_MAGIC;
	kernel_call(SYS_munmap, map, good ? TARE_ARMING_OFFSET : TARE_ARMING_OFFSET + size_bytes);
	return good;
}

bool arming_unshare(const struct arming_range *range)
{
	const uint64_t size_bytes = pages_bytes(range);
	const long map =
		own_place_map(size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (failed(map))
		return false;
	memcpy((void *)map, (const void *)first_page(range), size_bytes);
	if (move_into_place((uint64_t)map, range))
		return true;
	kernel_call(SYS_munmap, map, size_bytes);
	return false;
}
