/*
 * instrument_file: one file instrumented by itself, outside of any recording and cache, for a look
 * at what would be done, or for a copy to keep.
 */
#ifndef TARE_CACHE_INSTRUMENT_FILE_H
#define TARE_CACHE_INSTRUMENT_FILE_H

#include "cache/instrument_request.h"
#include "verify/verify.h"

#include <stdint.h>

struct instrument_file_options {
	const char *path;
	const char *output;		     /* NULL: list only */
	struct instrument_request selection; /* without modules and units */
	const char *only_units;		     /* "A-B": see instrument_function.unit; NULL: all */
	bool verify;			     /* compare the copy with the original */
	bool may_be_none;		     /* that nothing can be instrumented is no error */
	void (*progress)(const struct instrument_progress *now, void *context);
	void *context;
};

struct instrument_function {
	uint64_t addr, size;
	const char *name, *verdict, *reason; /* reason: a sentence; borrowed until the fini */
	size_t unit; /* functions and parts with the same number share code */
	bool instrumented, refused;
};

/* What was done to a file, for people who want to know how. */
struct instrument_file_counts {
	uint64_t units, instructions, probes, probes_with_live_flags;
	uint64_t jumps_indirect, jumps_table_static, jumps_translated, jumps_saved, jumps_by_labels,
		jumps_tail;
	uint64_t label_pointers;
	uint64_t code_bytes, map_bytes;
};

struct instrument_file {
	struct vec_of(struct instrument_function) functions;
	size_t instrumented, refused;
	uint64_t input_bytes, output_bytes;
	struct instrument_file_counts counts;
	bool verified; /* the following was filled */
	struct verify_result verification;
	void *owner;
};

/* Instruments one file without any cache. The output appears only when it is complete. */
bool instrument_file_write(const struct instrument_file_options *options,
			   struct instrument_file *file, struct error *err);
/* Compares a copy that was made before with its original: fills in the verification only. */
bool instrument_file_verify(const char *original, const char *copy, struct instrument_file *file,
			    struct error *err);
void instrument_file_fini(struct instrument_file *file);

#endif
