/*
 * places: of addresses in copies, what they are in the originals, for symbolizers within the
 * program that know those alone (TARE_REQUEST_PLACE).
 */
#ifndef TARE_RECORD_PLACE_REQUESTS_H
#define TARE_RECORD_PLACE_REQUESTS_H

#include "session/recording_file.h"

#include <sys/types.h>

struct place_file;

/* Zero-initialised before; keeps open what was looked up in. */
struct places {
	struct vec_of(struct place_file *) files;
	struct str answer;
};

void places_fini(struct places *places);

/* The reply to a request of the process, valid until the next one; NULL: the address is no
   instruction's of a copy. */
const char *places_find(struct places *places, const struct recording *recording, pid_t pid,
			const char *request);

#endif
