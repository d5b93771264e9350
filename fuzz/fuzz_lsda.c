/*
 * Exception tables alone: the input is the table of a function that covers all of the file's code.
 * Read, and written again for a copy whose every instruction (each byte is one) lies twice as far
 * from the function's start.
 */
#include "fuzz/fuzz.h"
#include "fuzz/tiny_elf.h"
#include "object/lsda.h"
#include "rewrite/lsda_out.h"

#include <assert.h>

enum { COPY = 0x100000, TABLE = 0x200000 };

static void put_records(struct byte_vec *file)
{
	static const unsigned char cie[] = {
		0x1c, 0,    0,	  0,	0,    0,    0,	  0, 1, 'z', 'P', 'L', 'R',
		0,    1,    0x78, 16,	7,    0x1b, /* personality: the filler will do */
		0xed, 0xfe, 0xff, 0xff, 0x1b, 0x1b, 0x0c, 7, 8, 0,   0,	  0,   0};
	const size_t fde = file->len + sizeof(cie);
	const size_t lsda = fde + 24 + 4;

	put_bytes(file, cie, sizeof(cie));
	put_u32(file, 20);
	put_u32(file, (uint32_t)(fde + 4 - TINY_EH_FRAME));
	put_u32(file, (uint32_t)(TINY_TEXT - (fde + 8)));
	put_u32(file, TINY_TEXT_BYTES);
	put_u8(file, 4);
	put_u32(file, (uint32_t)(lsda - (fde + 17)));
	put_u8(file, 0);
	put_u8(file, 0);
	put_u8(file, 0);
	put_u32(file, 0);
}

static uint64_t move(void *context, uint64_t addr)
{
	(void)context;
	return addr - TINY_TEXT < TINY_TEXT_BYTES ? COPY + 2 * (addr - TINY_TEXT) : 0;
}

static void write_again(const struct object *object, const struct object_fde *fde)
{
	static struct insn insns[TINY_TEXT_BYTES];
	static uint32_t copy_offset[TINY_TEXT_BYTES];
	struct copy_range copy = {.fde = fde,
				  .insns = insns,
				  .copy_offset = copy_offset,
				  .insn_count = TINY_TEXT_BYTES,
				  .copy_begin = COPY,
				  .copy_end = COPY + 2 * TINY_TEXT_BYTES,
				  .stubs_begin = COPY + 2 * TINY_TEXT_BYTES,
				  .unit_begin = COPY};
	struct byte_vec bytes = {0};
	struct lsda_out out = {
		.object = object, .bytes = &bytes, .bytes_addr = TABLE, .landing_pad = move};
	struct error err;
	uint64_t addr = 0;

	for (uint32_t i = 0; i < TINY_TEXT_BYTES; i++) {
		insns[i].addr = TINY_TEXT + i;
		copy_offset[i] = 2 * i;
	}
	if (lsda_out_append(&out, &copy, &addr, &err))
		assert(addr >= TABLE && addr < TABLE + bytes.len);
	vec_fini(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct byte_vec file = {0};
	struct error err;
	struct lsda lsda = {0};
	uint64_t entry, value;
	size_t count;

	tiny_elf_begin(&file, TINY_EH_FRAME + 60 + size);
	put_records(&file);
	assert(file.len == TINY_EH_FRAME + 60);
	put_bytes(&file, data, size);
	struct object *object = object_open_bytes(file.data, file.len, "input", OBJECT_ALL, &err);
	assert(object);
	const struct object_fde *fdes = object_fdes(object, &count);
	assert(count == 1);
	if (size)
		assert(fdes->lsda == TINY_EH_FRAME + 60);
	if (lsda_read(object, fdes, &lsda, &err)) {
		for (uint64_t i = 0; i <= lsda.type_count && i < 1000; i++)
			lsda_type(object, &lsda, i, &entry, &value);
		lsda_fini(&lsda);
		write_again(object, fdes);
	}
	object_close(object);
	vec_fini(&file);
	return 0;
}
