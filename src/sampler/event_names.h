/* The events that have names of their own; those of caches are put together of three words. */
#ifndef TARE_SAMPLER_EVENT_NAMES_H
#define TARE_SAMPLER_EVENT_NAMES_H

#include "sampler/event.h"

struct event_name {
	const char *name;
	const char *meaning; /* NULL: another name of the one before */
	enum event_kind kind;
	uint32_t type;
	uint64_t config;
};

const struct event_name *event_names(size_t *count);

enum { EVENT_CACHE_NAMES = 7 * 3 * 2, EVENT_CACHE_BYTES = 32 };

/* The cache event of an index below EVENT_CACHE_NAMES: its name, and its config. */
uint64_t event_cache_name(size_t index, char name[EVENT_CACHE_BYTES]);

#endif
