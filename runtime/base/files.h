/*
 * files: the session's files, created, mapped and grown so that the target sees neither faults,
 * nor signals, nor file descriptors that stay.
 */
#ifndef TARE_RUNTIME_BASE_FILES_H
#define TARE_RUNTIME_BASE_FILES_H

#include "runtime/base/kernel.h"
#include "runtime/base/state.h"

#include <fcntl.h>

enum files_heirs { FILES_NOT_INHERITED, FILES_INHERITED };

struct files_size {
	uint64_t file_bytes;   /* sparse; less where RLIMIT_FSIZE wants it */
	uint64_t mapped_bytes; /* address space from the start */
	uint64_t backed_bytes; /* of these */
	enum files_heirs heirs;
	uint64_t *number; /* out: the <n> of its name; NULL: not wanted */
};

/*
 * Is there a file that the process may read? It may lie where this process cannot see it: in a
 * container with another home, say.
 */
static inline bool files_can_read(const char *path)
{
	return kernel_call(SYS_faccessat, AT_FDCWD, path, 4 /* R_OK */) == 0;
}

/* Opens a file that the recorder has put into the session: its descriptor, or below 0. */
long files_open(const char *name, int flags);

/*
 * Creates the first free `<session directory>/<name>.<n>` and maps its beginning shared; into
 * forked children if they are to inherit it. 0, and no file, when that is not possible (no
 * descriptors, no space, limits); *limits then has the reason.
 */
uint64_t files_create(const char *name, const struct files_size *size, uint32_t *limits);

/*
 * Maps what follows in a file: its page `last`, which is mapped already but not used, and
 * size_bytes - 4096 behind it, at another place; `last` is given up. The address, or 0.
 */
uint64_t files_extend(uint64_t last, uint64_t size_bytes);

/*
 * Backs [start, start + size_bytes) of a mapped file by storage and page table entries, so that
 * touching it can neither fault nor fail. 0, or what kept it from that.
 */
uint32_t files_back(uint64_t start, uint64_t size_bytes);

#endif
