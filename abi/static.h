/*
 * What an instrumented static executable offers to the runtime that it carries. No loader brings
 * the runtime there, so the file contains it: its segments as they are, its relocations not
 * applied, and the file's entry point is its symbol TARE_STATIC_ENTRY. That code relocates the
 * runtime if there is a session, and then goes to the original entry point.
 *
 * The runtime exports TARE_STATIC_DATA, one struct tare_static in its writable segment, which the
 * rewriter fills. PT_TLS of the file begins earlier than in the original: the runtime's own
 * thread-local block lies before the program's, whose distances from the thread pointer stay.
 */
#ifndef TARE_ABI_STATIC_H
#define TARE_ABI_STATIC_H

#include <stdint.h>

#define TARE_STATIC_ENTRY     "tare_static_entry"
#define TARE_STATIC_DATA      "tare_static"

#define TARE_STATIC_TLS_BYTES 128 /* of the runtime's thread-local block, at most */

struct tare_static {
	uint64_t link_addr;    /* of this struct: run address - link_addr is the load bias */
	uint64_t entry;	       /* link address of the original entry point */
	uint64_t tls_image;    /* link address of the runtime's block in the initial image */
	int64_t tls_offset;    /* from the thread pointer to the runtime's block; negative */
	uint64_t dynamic_addr; /* link address of the file's dynamic section, 0 if none */
	uint64_t start;	       /* link address of the file's entry point: TARE_STATIC_ENTRY */
	uint64_t reserved[2];
};

_Static_assert(sizeof(struct tare_static) == 64, "layout shared with instrumented files");

#endif
