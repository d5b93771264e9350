/*
 * Files of the session. A file has its full size from the start, without storage; room is backed
 * piecewise by MADV_POPULATE_WRITE, which reports a full file system as an error where touching
 * the page would be a SIGBUS.
 *
 * Refuses to create a file larger than RLIMIT_FSIZE: the kernel would send SIGXFSZ.
 */
#include "runtime/files.h"

#include "runtime/bytes.h"
#include "runtime/kernel.h"

#include <asm/errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define NUMBERS_MAX 100000

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static bool failed(long result)
{
	return result < 0 && result > -4096;
}

static bool size_allowed(uint64_t size_bytes)
{
	struct rlimit limit;

	if (kernel_call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit))
		return false;
	return limit.rlim_cur >= size_bytes;
}

/* Opens the first free name and leaves its path in `path`. */
static long file_open(const char *name, char *path, size_t path_bytes)
{
	for (uint64_t number = 0; number < NUMBERS_MAX; number++) {
		struct bytes_text text = {.start = path, .size_bytes = path_bytes};

		bytes_put(&text, state_session.directory);
		bytes_put(&text, "/");
		bytes_put(&text, name);
		bytes_put(&text, ".");
		bytes_put_number(&text, number);
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

static uint64_t file_map(long fd, uint64_t size_bytes, const struct files_part *parts,
			 enum files_heirs heirs)
{
	if (kernel_call(SYS_ftruncate, fd, size_bytes))
		return 0;
	const long map =
		kernel_call(SYS_mmap, 0, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (failed(map))
		return 0;
	bool good = heirs == FILES_INHERITED ||
		    kernel_call(SYS_madvise, map, size_bytes, MADV_DONTFORK) == 0;

	for (; good && parts->size_bytes; parts++)
		good = files_back((uint64_t)map + parts->offset, parts->size_bytes);
	if (good)
		return (uint64_t)map;
	kernel_call(SYS_munmap, map, size_bytes);
	return 0;
}

uint64_t files_create(const char *name, uint64_t size_bytes, const struct files_part *parts,
		      enum files_heirs heirs)
{
	char path[TARE_PATH_MAX + 64];

	if (!size_allowed(size_bytes))
		return 0;
	const long fd = file_open(name, path, sizeof(path));
	if (failed(fd))
		return 0;
	const uint64_t map = file_map(fd, size_bytes, parts, heirs);

	kernel_call(SYS_close, fd);
	if (!map)
		kernel_call(SYS_unlinkat, AT_FDCWD, path, 0);
	return map;
}

bool files_back(uint64_t start, uint64_t size_bytes)
{
	const uint64_t page = start & ~4095ULL;

	return kernel_call(SYS_madvise, page, start + size_bytes - page, MADV_POPULATE_WRITE) == 0;
}
