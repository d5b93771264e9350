/* A verdict per function of one file, as text in the cache and in memory. */
#ifndef TARE_CACHE_COVERAGE_H
#define TARE_CACHE_COVERAGE_H

#include "base/base.h"
#include "rewrite/rewrite.h"

struct coverage_row {
	uint64_t addr, size;
	const char *name; /* mangled, "" if none */
	enum rewrite_verdict verdict;
	/* as in struct rewrite_function */
	uint64_t copy_addr, copy_bytes, stub_bytes;
	bool called_unseen;
};

struct coverage {
	char *text;				 /* what the names point into */
	struct vec_of(struct coverage_row) rows; /* ascending by addr */
};

void coverage_format(const struct rewrite_result *result, struct str *out);
/* Takes over `text`; lines that are not understood are an error. */
bool coverage_parse(struct coverage *coverage, char *text, struct error *err);
void coverage_fini(struct coverage *coverage);
/* The row that begins at `addr`, or NULL. */
const struct coverage_row *coverage_find(const struct coverage *coverage, uint64_t addr);

#endif
