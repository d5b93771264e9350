/*
 * --start-at, --stop-at: finds the functions among those that are instrumented, and tells the
 * runtime (struct tare_trigger). A function that both kinds of patterns match starts.
 */
#ifndef TARE_CACHE_TRIGGERS_H
#define TARE_CACHE_TRIGGERS_H

#include "cache/instrument.h"
#include "session/session_dir.h"

struct triggers {
	struct selection start, stop;
	size_t count; /* written */
	bool beyond;  /* there were more than TARE_TRIGGERS_MAX */
};

/* Fails on patterns that are malformed, and where there would be no probes. Zeroed before. */
bool triggers_init(struct triggers *triggers, const struct instrument_request *from,
		   struct error *err);
void triggers_fini(struct triggers *triggers);

/* For struct tare_settings. */
uint32_t triggers_flags(const struct triggers *triggers);

/*
 * Fails if a pattern has matched no function that is instrumented, in any file so far; and if there
 * are more of these than TARE_TRIGGERS_MAX.
 */
bool triggers_check(struct triggers *triggers, struct instrumenter *instrumenter,
		    struct error *err);

/*
 * Writes those of one file into the session; before a process loads the file's copy. Leaves out
 * those beyond TARE_TRIGGERS_MAX.
 */
bool triggers_write(struct triggers *triggers, const struct session *session,
		    const struct instrumented *file, struct error *err);

#endif
