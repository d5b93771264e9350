/*
 * arming_shared: arming bytes in a file of the session (struct tare_arming_file of abi/control.h),
 * so that those of a paused process can be set from outside: a program that computes and makes no
 * system call would not look by itself.
 */
#ifndef TARE_RUNTIME_CONTROL_ARMING_SHARED_H
#define TARE_RUNTIME_CONTROL_ARMING_SHARED_H

#include <stdbool.h>
#include <stdint.h>

/* A range of bytes, and the pages that it is part of; all of these are a module's own. */
struct arming_range {
	uint8_t *bytes;
	uint64_t size_bytes;
};

/* Puts a new file in the place of the range's pages, with the same contents. False: as it was. */
bool arming_share(const struct arming_range *range);

/* Puts private memory there. For a forked child, which shares its parent's file. */
bool arming_unshare(const struct arming_range *range);

#endif
