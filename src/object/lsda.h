/*
 * A language-specific data area (.gcc_except_table entry of one FDE), decoded. Format: the Itanium
 * C++ ABI's exception tables as written by gcc and LLVM.
 */
#ifndef TARE_OBJECT_LSDA_H
#define TARE_OBJECT_LSDA_H

#include "object/object.h"

struct lsda_call_site {
	uint64_t begin, end;  /* link addresses of the covered code */
	uint64_t landing_pad; /* link address, 0 if none */
	uint64_t action;      /* 0: none; else 1 + offset into the action table */
};

struct lsda {
	struct vec_of(struct lsda_call_site) call_sites;
	uint8_t type_encoding;	      /* DW_EH_PE_*, omit if no type table */
	uint64_t type_base;	      /* link address behind the type table, 0 if none */
	const unsigned char *actions; /* the action table's reachable bytes */
	size_t actions_size;
	uint64_t type_count;	      /* entries of the type table that actions or filters use */
	const unsigned char *filters; /* exception specifications behind type_base */
	size_t filters_size;
};

/* Decodes the table at fde->lsda. Free with lsda_fini. */
bool lsda_read(const struct object *object, const struct object_fde *fde, struct lsda *lsda,
	       struct error *err);
void lsda_fini(struct lsda *lsda);
/* The call site that has the address; NULL: none, what is thrown there terminates. */
const struct lsda_call_site *lsda_call_site_at(const struct lsda *lsda, uint64_t addr);

/* Entry i (counted from 1) of the type table: its own link address, and the decoded value without
   the indirection (0: catch all). */
bool lsda_type(const struct object *object, const struct lsda *lsda, uint64_t i,
	       uint64_t *entry_addr, uint64_t *value);

#endif
