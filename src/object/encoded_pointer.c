/* See encoded_pointer.h. Refuses bases that need more than the pointer's own address. */
#include "object/encoded_pointer.h"

unsigned pointer_size(uint8_t encoding)
{
	switch (encoding & POINTER_FORMAT) {
	case POINTER_U16:
	case POINTER_S16:
		return 2;
	case POINTER_U32:
	case POINTER_S32:
		return 4;
	case POINTER_ABSOLUTE:
	case POINTER_SIGNED:
	case POINTER_U64:
	case POINTER_S64:
		return 8;
	default:
		return 0;
	}
}

uint64_t pointer_read_number(struct byte_reader *reader, uint8_t encoding)
{
	switch (encoding & POINTER_FORMAT) {
	case POINTER_ABSOLUTE:
	case POINTER_SIGNED:
	case POINTER_U64:
	case POINTER_S64:
		return read_u64(reader);
	case POINTER_ULEB:
		return read_uleb(reader);
	case POINTER_SLEB:
		return (uint64_t)read_sleb(reader);
	case POINTER_U16:
		return read_u16(reader);
	case POINTER_S16:
		return (uint64_t)(int64_t)(int16_t)read_u16(reader);
	case POINTER_U32:
		return read_u32(reader);
	case POINTER_S32:
		return (uint64_t)(int64_t)(int32_t)read_u32(reader);
	default:
		reader->failed = true;
		return 0;
	}
}

uint64_t pointer_read(struct byte_reader *reader, uint8_t encoding, uint64_t addr)
{
	const uint8_t base = encoding & POINTER_BASE;

	if (base == POINTER_ALIGNED)
		read_skip(reader, -addr & 7);
	else if (base != 0 && base != POINTER_PCREL)
		reader->failed = true;
	const uint64_t number = pointer_read_number(reader, encoding);
	return number && base == POINTER_PCREL ? number + addr : number;
}
