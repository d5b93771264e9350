/*
 *   original: [endbr64] jmp copy
 *
 * A jump that leads elsewhere is the function's own, or of somebody who has written it there since:
 * it stays what is called.
 */
#include "runtime/start/bound.h"

#include "runtime/base/bytes.h"

enum { JUMP = 0xe9, JUMP_BYTES = 5, LANDING_BYTES = 4 };

/* File 0: free. It is written last, and first when it goes. */
static struct bound_file {
	uint64_t file, code_begin, code_size;
} bound_files[BOUND_FILES_MAX];

static struct bound_file *bound_find(uint64_t file)
{
	for (int i = 0; i < BOUND_FILES_MAX; i++)
		if (__atomic_load_n(&bound_files[i].file, __ATOMIC_ACQUIRE) == file)
			return &bound_files[i];
	return NULL;
}

void bound_open(uint64_t file, const struct tare_module *module)
{
	struct bound_file *fresh = bound_find(0);

	if (!fresh)
		return;
	fresh->code_begin = (uint64_t)module + (uint64_t)module->code_offset;
	fresh->code_size = module->code_size;
	__atomic_store_n(&fresh->file, file, __ATOMIC_RELEASE);
}

void bound_close(uint64_t file)
{
	struct bound_file *gone = bound_find(file);

	if (gone)
		__atomic_store_n(&gone->file, 0, __ATOMIC_RELEASE);
}

/* Where the jump at a function's entry leads; 0: it begins with none. */
static uint64_t jump_target(uint64_t addr)
{
	static const unsigned char landing[LANDING_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	const unsigned char *at = (const unsigned char *)addr;
	int32_t distance;
	int landed = 0;

	/* Byte by byte: what is no such instruction may be the last that is mapped. */
	while (landed < LANDING_BYTES && at[landed] == landing[landed])
		landed++;
	if (landed == LANDING_BYTES)
		at += LANDING_BYTES;
	if (*at != JUMP)
		return 0;
	memcpy(&distance, at + 1, sizeof(distance));
	return (uint64_t)(at + JUMP_BYTES) + (uint64_t)(int64_t)distance;
}

uint64_t bound_entry(uint64_t file, uint64_t entry_addr)
{
	const struct bound_file *bound = file ? bound_find(file) : NULL;
	const uint64_t copy_addr = bound && entry_addr ? jump_target(entry_addr) : 0;

	return copy_addr && copy_addr - bound->code_begin < bound->code_size ? copy_addr
									     : entry_addr;
}
