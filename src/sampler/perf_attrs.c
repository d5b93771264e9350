/*
 * An id stands at the first word of a sample (PERF_SAMPLE_IDENTIFIER), or behind the words that the
 * event's own sample_type puts before it. Where events disagree on that, the one is taken whose id
 * stands where it would.
 */
#include "sampler/perf_attrs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HEAD_BYTES = 8 };

void perf_attrs_init(struct perf_attrs *attrs)
{
	*attrs = (struct perf_attrs){0};
	map_init(&attrs->by_id);
}

void perf_attrs_fini(struct perf_attrs *attrs)
{
	vec_foreach (attr, &attrs->list)
		free(*attr);
	vec_fini(&attrs->list);
	map_fini(&attrs->by_id);
}

/* Words that stand before the id in samples. */
static int id_position(uint64_t type)
{
	const uint64_t before =
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;

	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	return type & PERF_SAMPLE_ID ? __builtin_popcountll(type & before) : -1;
}

/* Words from the id to the end of other records, itself included. */
static int id_position_from_end(const struct perf_layout *layout)
{
	const uint64_t behind = PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID;
	const uint64_t type = layout->sample_type;

	if (!layout->sample_id_all)
		return 0;
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 1;
	return type & PERF_SAMPLE_ID ? 1 + __builtin_popcountll(type & behind) : 0;
}

static bool is_dummy(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

bool perf_attrs_add(struct perf_attrs *attrs, const void *bytes, size_t size, struct error *err)
{
	struct perf_event_attr attr = {0};

	if (size < PERF_ATTR_SIZE_VER0)
		return error_set(err, ERROR_INPUT, "the attributes of an event are cut off");
	memcpy(&attr, bytes, size < sizeof(attr) ? size : sizeof(attr));
	if ((attr.size && (attr.size < PERF_ATTR_SIZE_VER0 || attr.size > size)) ||
	    attr.sample_period > INT64_MAX)
		return error_set(err, ERROR_INPUT, "the attributes of an event make no sense");
	struct perf_attr *added = mem_zalloc(sizeof(*added));

	*added = (struct perf_attr){
		.event = {.type = attr.type,
			  .config = attr.config,
			  .period = attr.freq ? 0 : attr.sample_period,
			  .frequency = attr.freq ? attr.sample_freq : 0},
		.layout = {.sample_type = attr.sample_type,
			   .read_format = attr.read_format,
			   .regs_user = attr.sample_regs_user,
			   .branch_type = attr.branch_sample_type,
			   .sample_id_all = attr.sample_id_all},
		.shown = is_dummy(&attr) ? (uint32_t)PERF_ATTR_HIDDEN : attrs->shown++,
		.max_stack = attr.sample_max_stack,
		.exclude_user_chain = attr.exclude_callchain_user,
		.inherit = attr.inherit,
		.id_at = id_position(attr.sample_type),
	};
	added->id_from_end = id_position_from_end(&added->layout);
	vec_push(&attrs->list, added);
	return true;
}

void perf_attrs_add_id(struct perf_attrs *attrs, uint64_t id)
{
	if (attrs->list.len)
		map_put(&attrs->by_id, id, attrs->list.len - 1);
}

void perf_attr_name(struct perf_attr *attr, const char *name)
{
	if (*name)
		snprintf(attr->event.name, sizeof(attr->event.name), "%s", name);
}

void perf_attrs_name(struct perf_attrs *attrs, uint64_t id, const char *name)
{
	const uint64_t *index = map_get(&attrs->by_id, id);

	if (index)
		perf_attr_name(attrs->list.data[*index], name);
}

void perf_attrs_finish(struct perf_attrs *attrs)
{
	vec_foreach (attr, &attrs->list)
		if (!(*attr)->event.name[0])
			snprintf((*attr)->event.name, sizeof((*attr)->event.name),
				 "%" PRIu32 ":%#" PRIx64, (*attr)->event.type,
				 (*attr)->event.config);
}

static bool word_at(const unsigned char *record, size_t size_bytes, int words, uint64_t *word)
{
	const size_t offset = HEAD_BYTES + (size_t)words * sizeof(*word);

	if (words < 0 || offset + sizeof(*word) > size_bytes)
		return false;
	memcpy(word, record + offset, sizeof(*word));
	return true;
}

/* The id of a record, where it would stand if it were of `attr`. */
static bool id_of(const struct perf_attr *attr, const unsigned char *record, size_t size_bytes,
		  uint64_t *id)
{
	uint32_t type;

	memcpy(&type, record, sizeof(type));
	if (type == PERF_RECORD_SAMPLE)
		return word_at(record, size_bytes, attr->id_at, id);
	if (!attr->id_from_end || size_bytes % sizeof(*id))
		return false;
	return word_at(record, size_bytes,
		       (int)((size_bytes - HEAD_BYTES) / sizeof(*id)) - attr->id_from_end, id);
}

static bool has_ids_where(const struct perf_attr *a, const struct perf_attr *b)
{
	return a->id_at == b->id_at && a->id_from_end == b->id_from_end;
}

const struct perf_attr *perf_attrs_of(const struct perf_attrs *attrs, const void *bytes,
				      size_t size_bytes)
{
	const struct perf_attr *first = attrs->list.len ? attrs->list.data[0] : NULL;
	bool foreign = false;
	uint32_t type;

	if (attrs->list.len < 2 || size_bytes < HEAD_BYTES)
		return first;
	memcpy(&type, bytes, sizeof(type));
	for (size_t i = 0; i < attrs->list.len; i++) {
		const struct perf_attr *attr = attrs->list.data[i];
		uint64_t id;

		/* Mostly all agree, and the first look finds it. */
		if (i && has_ids_where(attr, attrs->list.data[i - 1]))
			continue;
		if (!id_of(attr, bytes, size_bytes, &id))
			continue;
		const uint64_t *index = map_get(&attrs->by_id, id);
		if (!index) {
			foreign |= id != 0; /* 0: a record that perf made itself */
			continue;
		}
		const struct perf_attr *owner = attrs->list.data[*index];
		if (has_ids_where(owner, attr))
			return owner;
	}
	return foreign && type == PERF_RECORD_SAMPLE ? NULL : first;
}
