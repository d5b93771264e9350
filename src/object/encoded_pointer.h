/*
 * Pointers as .eh_frame and exception tables encode them (DW_EH_PE_*; LSB core specification,
 * "DWARF Exception Header Encoding").
 */
#ifndef TARE_OBJECT_ENCODED_POINTER_H
#define TARE_OBJECT_ENCODED_POINTER_H

#include "base/byte_reader.h"

enum {
	POINTER_ABSOLUTE = 0x00,
	POINTER_ULEB = 0x01,
	POINTER_U16 = 0x02,
	POINTER_U32 = 0x03,
	POINTER_U64 = 0x04,
	POINTER_SIGNED = 0x08,
	POINTER_SLEB = 0x09,
	POINTER_S16 = 0x0a,
	POINTER_S32 = 0x0b,
	POINTER_S64 = 0x0c,
	POINTER_FORMAT = 0x0f,
	POINTER_PCREL = 0x10,
	POINTER_DATAREL = 0x30,
	POINTER_ALIGNED = 0x50,
	POINTER_BASE = 0x70,
	POINTER_INDIRECT = 0x80,
	POINTER_OMIT = 0xff,
};

/* Bytes of the number, 0 for variable-length and unknown formats. */
unsigned pointer_size(uint8_t encoding);

/* A number in the format of `encoding`; unknown formats fail the reader. */
uint64_t pointer_read_number(struct byte_reader *reader, uint8_t encoding);

/*
 * A pointer whose first byte has link address `addr`: absolute, aligned, or relative to itself;
 * DW_EH_PE_indirect is not followed. Zero stays zero. Other bases fail the reader.
 */
uint64_t pointer_read(struct byte_reader *reader, uint8_t encoding, uint64_t addr);

#endif
