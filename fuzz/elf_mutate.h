/*
 * Mutations that know what an ELF file is made of: headers, unwind records, exception tables, code,
 * jump tables, relocations, symbols and notes are each changed in their own way, so that the result
 * still gets past the first checks and reaches the code behind them.
 */
#ifndef TARE_FUZZ_ELF_MUTATE_H
#define TARE_FUZZ_ELF_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Changes `data` in place, in a way that `seed` decides; returns the new size, at most `size_max`.
 */
size_t elf_mutate(uint8_t *data, size_t size, size_t size_max, unsigned seed);

#endif
