/*
 * instrument_ahead: copies that recordings will need are made in the cache now, so that no
 * recording waits for them.
 */
#ifndef TARE_CACHE_INSTRUMENT_AHEAD_H
#define TARE_CACHE_INSTRUMENT_AHEAD_H

#include "cache/instrument_request.h"

struct instrument_ahead_options {
	char *const *paths; /* programs and libraries */
	size_t path_count;
	struct instrument_request selection; /* as that of the recordings */
	bool bare;			     /* also those of what was learned: abi/learned.h */
	void (*progress)(const struct instrument_progress *now, void *context);
	/* Called with a sentence about each file. May be NULL, as the one above. */
	void (*note)(const char *sentence, void *context);
	void *context;
};

/* In files, those that are left alone on purpose not counted. */
struct instrument_ahead_result {
	size_t made, present, refused;
};

/*
 * Makes the copies of the files, and of the libraries that the loader would map for them, unless
 * they are there. False with err for a file that cannot be read, and where the cache cannot be
 * used; what was made by then stays.
 */
bool instrument_ahead(const struct instrument_ahead_options *options,
		      struct instrument_ahead_result *result, struct error *err);

#endif
