/* import: the samples of a perf.data file, as a profile. */
#ifndef TARE_RECORD_IMPORT_H
#define TARE_RECORD_IMPORT_H

#include "base/base.h"

#include <stdint.h>

struct import_options {
	const char *input;  /* path, or "-": the standard input */
	const char *output; /* NULL: the input's base name + ".tare" in the working directory */
};

struct import_result {
	char *output; /* absolute path of the profile */
	uint64_t samples;
	char *partial; /* why the profile is not of the whole recording; NULL: it is */
	char *unused;  /* what could not be made use of, as a list; NULL: nothing */
};

/*
 * Writes the profile, which appears when it is complete. Fails, and leaves nothing, where the input
 * is no recording of perf, has no samples, or the profile cannot be written.
 */
bool import_perf_data(const struct import_options *options, struct import_result *result,
		      struct error *err);
void import_result_fini(struct import_result *result);

#endif
