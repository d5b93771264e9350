/*
 * Writes a small shared library, whole in one executable segment at address 0: two functions with
 * unwind and exception tables, symbols, a PLT stub, relocations, notes. Meant to be damaged.
 */
#ifndef TARE_TESTS_SMALL_ELF_H
#define TARE_TESTS_SMALL_ELF_H

#include "base/byte_reader.h"

#include <elf.h>

enum {
	SMALL_TEXT = 0x400, /* function "alpha", 0x40 bytes; behind it "beta", 0x20 bytes */
	SMALL_ALPHA_BYTES = 0x40,
	SMALL_BETA = SMALL_TEXT + SMALL_ALPHA_BYTES,
	SMALL_BETA_BYTES = 0x20,
	SMALL_PLT = SMALL_BETA + SMALL_BETA_BYTES, /* a stub for "imported" */
	SMALL_PLT_BYTES = 0x10,
	SMALL_GOT = 0x490,  /* its slot */
	SMALL_DATA = 0x498, /* a relocated pointer to beta; RELR's to alpha and into it */
};

struct small_elf_options {
	bool no_sections;
	bool gnu_hash;		   /* instead of DT_HASH */
	bool terminators;	   /* zero words between the records of .eh_frame */
	bool no_eh_header;	   /* neither PT_GNU_EH_FRAME nor .eh_frame_hdr */
	bool header_short;	   /* the table names one FDE only */
	bool absolute_personality; /* an address for the loader to adjust */
	bool absolute_types;	   /* of exceptions, likewise */
	bool set_loc;		   /* beta's program holds an address */
	bool no_build_id, no_symtab;
	/* What alpha is instead of a function: a jump to beta of `thunk_bytes`, 2, 5 or, with
	 * endbr64, 9. */
	uint32_t thunk_bytes;
	uint32_t debug_link_crc; /* of "small.debug"; 0: no .gnu_debuglink */
};

struct small_elf {
	struct byte_vec bytes;
	uint64_t eh_frame, eh_frame_hdr, lsda, dynamic;
};

void small_elf_build(struct small_elf *elf, const struct small_elf_options *options);
void small_elf_fini(struct small_elf *elf);

#endif
