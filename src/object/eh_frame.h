/*
 * The raw records of .eh_frame, for those that move them (LSB core specification, "The .eh_frame
 * section"). object.h has them decoded.
 */
#ifndef TARE_OBJECT_EH_FRAME_H
#define TARE_OBJECT_EH_FRAME_H

#include "object/object.h"

struct eh_record {
	uint64_t addr;		    /* link address of its length field */
	const unsigned char *bytes; /* the whole record, length field included; borrowed */
	size_t size;
	bool is_cie;
	uint64_t cie_addr; /* of the CIE that an FDE refers to */
};

/*
 * The record at or behind `*addr`, which moves behind it; zero terminators between records are
 * skipped. False at the end of .eh_frame; then `*addr` is the end, or the place of a malformed
 * record.
 */
bool eh_record_next(const struct object *object, uint64_t *addr, struct eh_record *record);

/*
 * Decodes an FDE record, also one that object_fdes leaves out because it overlaps another. False
 * where it is malformed, or covers no code that could run.
 */
bool eh_fde_read(const struct object *object, const struct eh_record *record,
		 struct object_fde *fde);

/* The decoded CIE at a link address, NULL if it is malformed or unknown. */
const struct object_cie *eh_cie_at(const struct object *object, uint64_t addr);

#endif
