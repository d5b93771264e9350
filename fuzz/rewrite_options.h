/*
 * A damaged file is rewritten with options that its unused bytes of e_ident choose, so that
 * mutations of an input try all of them. An error of reading or rewriting is fine.
 */
#ifndef TARE_FUZZ_REWRITE_OPTIONS_H
#define TARE_FUZZ_REWRITE_OPTIONS_H

#include "rewrite/rewrite.h"

/* What came of the file of these bytes. */
struct rewritten {
	const unsigned char *data;
	size_t size;
	const struct object *object;
	const struct rewrite_result *result;
	const struct byte_vec *out; /* empty where there was nothing to do */
};

/* Calls `check` if the file could be rewritten. */
void rewrite_with_own_options(const unsigned char *data, size_t size,
			      void check(const struct rewritten *rewritten));

#endif
