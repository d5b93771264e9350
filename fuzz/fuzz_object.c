/*
 * Opening a damaged ELF file and asking everything about it: symbols, relocations, unwind rows,
 * exception tables, and moving its unwind records into a new file. The seeds are the variants that
 * tests/support/small_elf.c writes.
 */
#include "fuzz/fuzz.h"
#include "tests/support/object_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err;

	object_walk_bytes(data, size, &err);
	return 0;
}
