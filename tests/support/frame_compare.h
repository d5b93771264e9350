/* Our unwind rows against those of elfutils' libdw. */
#ifndef TARE_TESTS_FRAME_COMPARE_H
#define TARE_TESTS_FRAME_COMPARE_H

#include "object/cfi.h"

#include <elfutils/libdw.h>

/*
 * NULL if libdw's rules at `addr` are those of `state`, else what differs. Unmentioned registers
 * may be anything that stands for "no rule" in libdw (undefined, same value, its defaults).
 */
const char *frame_difference(Dwarf_CFI *cfi, uint64_t addr, const struct cfi_state *state);

#endif
