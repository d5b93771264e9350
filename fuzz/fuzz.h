/*
 * The entry of a fuzz target, as libFuzzer calls it: one untrusted input, always returns 0, never
 * exits, frees what it allocated.
 */
#ifndef TARE_FUZZ_FUZZ_H
#define TARE_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A target may have its own way to change an input; elf_mutate.c is one. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed);
/* libFuzzer's (or replay.c's) plain mutation of bytes. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t size_max);

#endif
