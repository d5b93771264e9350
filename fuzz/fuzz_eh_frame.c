/*
 * .eh_frame alone: the input is the section. Records, their programs and rows, and moving them into
 * a new file.
 */
#include "fuzz/fuzz.h"
#include "fuzz/tiny_elf.h"
#include "tests/support/object_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct byte_vec file = {0};
	struct error err;

	tiny_elf_begin(&file, TINY_EH_FRAME + size);
	put_bytes(&file, data, size);
	object_walk_bytes(file.data, file.len, &err);
	vec_fini(&file);
	return 0;
}
