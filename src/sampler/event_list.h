/* The events that this machine has, for people to choose from. */
#ifndef TARE_SAMPLER_EVENT_LIST_H
#define TARE_SAMPLER_EVENT_LIST_H

#include "sampler/event.h"

struct event_listed {
	const char *name;    /* as event_parse takes it */
	const char *meaning; /* a few words, "" if the name says all */
	const char *group;   /* "software", "hardware", "cache", "PMU", "tracepoint", "waits" */
	bool available;	     /* could be opened for a process of one's own */
	const char *why_not; /* a sentence if not available */
};

struct event_list vec_of(struct event_listed);

/* Whether the event can be sampled for processes of this user; if not, why. */
bool event_try(const struct event *event, struct error *err);

/* Appends all; texts live in `arena`. Opens, and closes again, one of each but tracepoints. */
void event_list_all(struct event_list *list, struct arena *arena);

#endif
