/*
 * The entry of a fuzz target, as libFuzzer calls it: one untrusted input, always returns 0, never
 * exits, frees what it allocated.
 */
#ifndef TARE_FUZZ_FUZZ_H
#define TARE_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
