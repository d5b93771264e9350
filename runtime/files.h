/*
 * files: the session's files, created, mapped and grown so that the target sees neither faults,
 * nor signals, nor file descriptors that stay.
 */
#ifndef TARE_RUNTIME_FILES_H
#define TARE_RUNTIME_FILES_H

#include "runtime/state.h"

/* A part of a file that is to be backed from the start. */
struct files_part {
	uint64_t offset, size_bytes;
};

enum files_heirs { FILES_NOT_INHERITED, FILES_INHERITED };

/*
 * Creates the first free `<session directory>/<name>.<n>`, sparse but for `parts` (up to one of
 * size 0), and maps it shared; into forked children if they are to inherit it. 0, and no file,
 * when that is not possible (no descriptors, no space, limits).
 */
uint64_t files_create(const char *name, uint64_t size_bytes, const struct files_part *parts,
		      enum files_heirs heirs);

/*
 * Backs [start, start + size_bytes) of a mapped file by storage and page table entries, so that
 * touching it can neither fault nor fail. False when there is no space.
 */
bool files_back(uint64_t start, uint64_t size_bytes);

#endif
