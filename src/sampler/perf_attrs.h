/*
 * The events of a perf.data file: their attributes, as perf_event_open got them, and the ids by
 * which records name them. Bytes are untrusted.
 */
#ifndef TARE_SAMPLER_PERF_ATTRS_H
#define TARE_SAMPLER_PERF_ATTRS_H

#include "sampler/event.h"
#include "sampler/perf_record.h"

enum { PERF_ATTR_HIDDEN = UINT32_MAX };

struct perf_attr {
	struct event event; /* name "" until perf_attrs_name or perf_attrs_finish */
	struct perf_layout layout;
	uint32_t shown;	    /* number among the events that samples can be of, or HIDDEN */
	uint32_t max_stack; /* addresses in a callchain; 0: the kernel's default */
	bool exclude_user_chain;
	bool inherit; /* of a command or processes, and what they start; else of whole processors */
	int id_at;    /* where samples have their id, in words behind the head; -1: nowhere */
	int id_from_end; /* the same of other records, from their end; 0: nowhere */
};

struct perf_attrs {
	struct vec_of(struct perf_attr *) list;
	struct map by_id; /* → index in list */
	uint32_t shown;	  /* events that samples can be of */
};

void perf_attrs_init(struct perf_attrs *attrs);
void perf_attrs_fini(struct perf_attrs *attrs);

/* Adds the struct perf_event_attr at `bytes`. Fails where it is cut off or makes no sense. */
bool perf_attrs_add(struct perf_attrs *attrs, const void *bytes, size_t size, struct error *err);
/* Records with `id` are of the event that was added last. */
void perf_attrs_add_id(struct perf_attrs *attrs, uint64_t id);
/* Names an event, or that of `id`; `name` is cut where it is too long. */
void perf_attr_name(struct perf_attr *attr, const char *name);
void perf_attrs_name(struct perf_attrs *attrs, uint64_t id, const char *name);
/* Names events that have no name: TYPE:CONFIG. */
void perf_attrs_finish(struct perf_attrs *attrs);

/*
 * Whose the record of `size_bytes` at `bytes` is: decides how it is laid out. NULL where there are
 * no events, or where the record has an id that no event has.
 */
const struct perf_attr *perf_attrs_of(const struct perf_attrs *attrs, const void *bytes,
				      size_t size_bytes);

#endif
