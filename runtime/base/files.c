/*
 * Files of the session. A file has its full size from the start, without storage, and is mapped as
 * far as it is used; room is backed piecewise by MADV_POPULATE_WRITE, which reports a full file
 * system as an error where touching the page would be a SIGBUS. Growing needs neither the file's
 * descriptor nor its path, which a program may have closed or left by chroot.
 *
 * Refuses to make a file larger than RLIMIT_FSIZE: the kernel would send SIGXFSZ.
 */
#include "runtime/base/files.h"

#include "runtime/base/budget.h"
#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/own_place.h"

#include <asm/errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define NUMBERS_MAX 100000
#define PAGE_BYTES  4096ULL

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static bool failed(long result)
{
	return result < 0 && result > -4096;
}

/* So large a file may be, in whole pages. */
static uint64_t size_allowed(void)
{
	struct rlimit limit;

	if (kernel_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit))
		return 0;
	return limit.rlim_cur & ~(PAGE_BYTES - 1);
}

long files_open(const char *name, int flags)
{
	char path[TARE_PATH_MAX + 16];
	struct bytes_text text = {.start = path, .size_bytes = sizeof(path)};

	bytes_put(&text, state_session.directory);
	bytes_put(&text, "/");
	bytes_put(&text, name);
	if (text.full)
		return -ENAMETOOLONG;
	return kernel_call(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW);
}

/* Opens the first free name; leaves its path in `path`. */
static long file_open(const char *name, uint64_t *number, char *path, size_t path_bytes)
{
	for (*number = 0; *number < NUMBERS_MAX; ++*number) {
		struct bytes_text text = {.start = path, .size_bytes = path_bytes};

		bytes_put(&text, state_session.directory);
		bytes_put(&text, "/");
		bytes_put(&text, name);
		bytes_put(&text, ".");
		bytes_put_number(&text, *number);
		if (text.full)
			return -ENAMETOOLONG;
		const long fd =
			kernel_call(SYS_openat, AT_FDCWD, path,
				    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd != -EEXIST)
			return fd;
	}
	return -EEXIST;
}

static uint64_t file_map(long fd, const struct files_size *size, uint64_t file_bytes,
			 uint32_t *limits)
{
	*limits = TARE_LIMIT_SYSTEM;
	if (kernel_call(SYS_ftruncate, fd, file_bytes))
		return 0;
	const long map = own_place_map(size->mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	if (failed(map))
		return 0;
	/* On a disk, a fault would read ahead: megabytes of what was never written. */
	if (!state_session.settings.in_memory)
		kernel_call(SYS_madvise, map, size->mapped_bytes, MADV_RANDOM);
	const bool good = size->heirs == FILES_INHERITED ||
			  kernel_call(SYS_madvise, map, size->mapped_bytes, MADV_DONTFORK) == 0;

	if (good)
		*limits = files_back((uint64_t)map, size->backed_bytes);
	if (!*limits)
		return (uint64_t)map;
	kernel_call(SYS_munmap, map, size->mapped_bytes);
	return 0;
}

uint64_t files_create(const char *name, const struct files_size *size, uint32_t *limits)
{
	char path[TARE_PATH_MAX + 64];

	*limits = TARE_LIMIT_SYSTEM;
	const uint64_t allowed = size_allowed();
	uint64_t number;

	if (allowed < size->backed_bytes)
		return 0;
	const long fd = file_open(name, size->number ? size->number : &number, path, sizeof(path));
	if (failed(fd))
		return 0;
	const uint64_t file_bytes = allowed < size->file_bytes ? allowed : size->file_bytes;
	const uint64_t map = file_map(fd, size, file_bytes, limits);

	kernel_call(SYS_close, fd);
	if (!map)
		kernel_call(SYS_unlinkat, AT_FDCWD, path, 0);
	return map;
}

uint64_t files_extend(uint64_t last, uint64_t size_bytes)
{
	const long map = own_place_map_again(last, size_bytes);

	if (failed(map))
		return 0;
	kernel_call(SYS_madvise, map, size_bytes, MADV_DONTFORK);
	kernel_call(SYS_munmap, last, PAGE_BYTES);
	return (uint64_t)map;
}

uint32_t files_back(uint64_t start, uint64_t size_bytes)
{
	const uint64_t page = start & ~(PAGE_BYTES - 1);
	const uint64_t all = start + size_bytes - page;
	const uint32_t limit = budget_take_file(all);

	if (limit)
		return limit;
	if (kernel_call(SYS_madvise, page, all, MADV_POPULATE_WRITE) == 0)
		return 0;
	budget_give_file(all, false);
	return TARE_LIMIT_SYSTEM;
}
