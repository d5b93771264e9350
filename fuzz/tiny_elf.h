/*
 * The smallest library around unwind data that a fuzz target makes up: one segment with
 * TINY_TEXT_BYTES of filler at TINY_TEXT, and .eh_frame at TINY_EH_FRAME up to the end of the file.
 */
#ifndef TARE_FUZZ_TINY_ELF_H
#define TARE_FUZZ_TINY_ELF_H

#include "base/byte_reader.h"

enum { TINY_TEXT = 0x100, TINY_TEXT_BYTES = 0x100, TINY_EH_FRAME = 0x200 };

/* Everything before .eh_frame, for a file of `size` bytes in all. */
void tiny_elf_begin(struct byte_vec *file, size_t size);

#endif
