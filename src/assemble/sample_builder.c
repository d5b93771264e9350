/*
 * A track is a thread's samples of one event: its open chunk. Values are found by track and stack,
 * both below 2^32.
 *
 *   (parent, location) ─▶ stack id       (track, stack) ─▶ value: samples, weight, truncated
 *
 * Refuses events and threads that were not added, by way of the profile's writer.
 */
#include "assemble/sample_builder.h"

#include "profile/sample_record.h"

#include <assert.h>
#include <string.h>

enum { CHUNK_BYTES = 16 << 10 };

/* When it is read; end 0: to the end. */
struct sample_clock {
	uint64_t begin_ticks, end_ticks;
};

static const struct sample_clock NEVER = {UINT64_MAX, UINT64_MAX};

struct track {
	int64_t thread, event;
	struct sample_clock clock; /* NEVER: it has none */
	struct byte_vec data;
	uint64_t begin_ticks, samples; /* of the open chunk */
	struct sample_record last;     /* in it */
};

/* A thread's samples in tare's own code. */
struct own {
	int64_t thread, event;
	uint64_t samples, weight;
};

struct sample_builder {
	struct resolver *resolver;
	struct profile_writer *writer;
	struct map stacks;		   /* parent << 32 | location → id */
	struct vec_of(uint32_t) locations; /* of the stack with the id i + 1 */
	struct map clocks_by_thread;
	struct vec_of(struct sample_clock) clocks;
	struct map tracks_by_id;
	struct vec_of(struct track) tracks;
	struct map values_by_id;
	struct vec_of(struct profile_stack_value) values; /* by track and stack */
	struct map owns_by_thread;
	struct vec_of(struct own) owns;
	struct sample_builder_counts counts;
};

struct sample_builder *sample_builder_new(struct resolver *resolver, struct profile_writer *writer)
{
	struct sample_builder *builder = mem_zalloc(sizeof(*builder));

	builder->resolver = resolver;
	builder->writer = writer;
	map_init(&builder->stacks);
	map_init(&builder->clocks_by_thread);
	map_init(&builder->tracks_by_id);
	map_init(&builder->values_by_id);
	map_init(&builder->owns_by_thread);
	return builder;
}

void sample_builder_free(struct sample_builder *builder)
{
	if (!builder)
		return;
	vec_foreach (track, &builder->tracks)
		vec_fini(&track->data);
	vec_fini(&builder->tracks);
	vec_fini(&builder->values);
	map_fini(&builder->stacks);
	vec_fini(&builder->locations);
	map_fini(&builder->clocks_by_thread);
	vec_fini(&builder->clocks);
	map_fini(&builder->tracks_by_id);
	map_fini(&builder->values_by_id);
	map_fini(&builder->owns_by_thread);
	vec_fini(&builder->owns);
	free(builder);
}

const struct sample_builder_counts *sample_builder_counts(const struct sample_builder *builder)
{
	return &builder->counts;
}

/* ---- stacks ---- */

static int64_t stack_add(struct sample_builder *builder, int64_t parent, int64_t location,
			 struct error *err)
{
	const struct profile_stack row = {.parent = parent, .location = location};

	if (builder->locations.len >= SAMPLE_STACKS_MAX || location >> 32)
		return SAMPLE_STACK_NONE;
	const int64_t id = profile_add_stack(builder->writer, &row, err);
	assert(!id || (size_t)id == builder->locations.len + 1);
	if (id)
		vec_push(&builder->locations, (uint32_t)location);
	return id;
}

/* That of the function which the caller has called, where that is not the one that runs. */
static int64_t named_callee(struct sample_builder *builder, int64_t parent, int64_t location,
			    struct error *err)
{
	int64_t named;

	if (!parent)
		return parent;
	if (!resolver_named_callee(builder->resolver, builder->locations.data[parent - 1], location,
				   &named, err))
		return 0;
	return named ? sample_builder_stack(builder, parent, named, err) : parent;
}

int64_t sample_builder_stack(struct sample_builder *builder, int64_t parent, int64_t location,
			     struct error *err)
{
	const uint64_t key = (uint64_t)parent << 32 | (uint64_t)location;

	if (parent == SAMPLE_STACK_NONE)
		return parent;
	const uint64_t *known = map_get(&builder->stacks, key);
	if (known)
		return (int64_t)*known;
	const int64_t caller = named_callee(builder, parent, location, err);
	if ((parent && !caller) || caller == SAMPLE_STACK_NONE)
		return caller;
	const int64_t id = stack_add(builder, caller, location, err);
	if (id && id != SAMPLE_STACK_NONE)
		map_put(&builder->stacks, key, (uint64_t)id);
	return id;
}

int64_t sample_builder_called(struct sample_builder *builder, int64_t stack,
			      struct resolve_module *module, uint64_t callee, struct error *err)
{
	if (!callee)
		return stack;
	const int64_t location = resolver_location(builder->resolver, module, callee, err);
	return location ? sample_builder_stack(builder, stack, location, err) : 0;
}

/* ---- samples ---- */

void sample_builder_clock(struct sample_builder *builder, const struct sample_known_thread *thread)
{
	const struct sample_clock clock = {thread->begin_ticks,
					   thread->shared ? 0 : thread->end_ticks};

	*map_put(&builder->clocks_by_thread, (uint64_t)thread->id, 0) = builder->clocks.len;
	vec_push(&builder->clocks, clock);
}

static bool is_read(const struct sample_clock *clock, uint64_t ticks)
{
	return ticks >= clock->begin_ticks && (!clock->end_ticks || ticks < clock->end_ticks);
}

static bool track_flush(struct sample_builder *builder, struct track *track, struct error *err)
{
	const struct profile_sample_chunk row = {
		.thread = track->thread,
		.event = track->event,
		.begin_ticks = track->begin_ticks,
		.end_ticks = track->last.ticks,
		.samples = track->samples,
		.data = {track->data.data, track->data.len},
	};

	if (!track->samples)
		return true;
	track->data.len = 0;
	track->samples = 0;
	return profile_add_sample_chunk(builder->writer, &row, err);
}

static size_t track_of(struct sample_builder *builder, int64_t thread, int64_t event)
{
	const uint64_t key = (uint64_t)thread << 16 | ((uint64_t)event & 0xffff);
	const uint64_t index = *map_put(&builder->tracks_by_id, key, builder->tracks.len);

	if (index == builder->tracks.len) {
		const uint64_t *clock = map_get(&builder->clocks_by_thread, (uint64_t)thread);
		vec_push(&builder->tracks,
			 ((struct track){.thread = thread,
					 .event = event,
					 .clock = clock ? builder->clocks.data[*clock] : NEVER}));
	}
	return (size_t)index;
}

static void track_put(struct track *track, const struct sample_builder_sample *sample,
		      int64_t stack)
{
	const struct sample_record record = {
		.ticks = sample->ticks > track->last.ticks ? sample->ticks : track->last.ticks,
		.stack = (uint64_t)stack,
		.weight = sample->weight};

	if (!track->samples) {
		track->begin_ticks = record.ticks;
		track->last = (struct sample_record){.ticks = record.ticks};
	}
	sample_record_write(&track->data, &track->last, &record);
	track->last = record;
	track->samples++;
}

static void add_count(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum) || *sum > INT64_MAX)
		*sum = INT64_MAX;
}

static void value_count(struct sample_builder *builder, size_t track,
			const struct sample_builder_sample *sample, int64_t stack, bool truncated)
{
	const uint64_t key = (uint64_t)track << 32 | (uint64_t)stack;
	const uint64_t index = *map_put(&builder->values_by_id, key, builder->values.len);

	if (index == builder->values.len) {
		const struct profile_stack_value fresh = {
			.thread = sample->thread, .event = sample->event, .stack = stack};
		vec_push(&builder->values, fresh);
	}
	struct profile_stack_value *value = &builder->values.data[index];
	/* n samples of n each are n squared */
	const uint64_t squares = sample->at_once ? sample->at_once : 1;
	value->samples++;
	add_count(&value->weight, sample->weight);
	add_count(&value->squares, squares);
	value->truncated += truncated;
	if (is_read(&builder->tracks.data[track].clock, sample->ticks))
		return;
	value->unclocked_samples++;
	add_count(&value->unclocked_weight, sample->weight);
	add_count(&value->unclocked_squares, squares);
}

bool sample_builder_add(struct sample_builder *builder, const struct sample_builder_sample *sample,
			struct error *err)
{
	const bool no_room = sample->stack == SAMPLE_STACK_NONE;
	const bool truncated = sample->truncated || no_room;
	const int64_t stack = no_room ? 0 : sample->stack;
	const size_t at = track_of(builder, sample->thread, sample->event);
	struct track *track = &builder->tracks.data[at];

	track_put(track, sample, stack);
	value_count(builder, at, sample, stack, truncated);
	builder->counts.samples++;
	builder->counts.truncated += truncated;
	builder->counts.without_room += no_room;
	return track->data.len < CHUNK_BYTES || track_flush(builder, track, err);
}

void sample_builder_add_own(struct sample_builder *builder,
			    const struct sample_builder_sample *sample, uint64_t samples)
{
	const uint64_t *clock = map_get(&builder->clocks_by_thread, (uint64_t)sample->thread);

	builder->counts.in_runtime += samples;
	if (clock && !is_read(&builder->clocks.data[*clock], sample->ticks))
		return;
	const uint64_t at =
		*map_put(&builder->owns_by_thread, (uint64_t)sample->thread, builder->owns.len);

	if (at == builder->owns.len) {
		const struct own fresh = {.thread = sample->thread, .event = sample->event};
		vec_push(&builder->owns, fresh);
	}
	struct own *own = &builder->owns.data[at];

	if (sample->event > own->event)
		return;
	if (sample->event < own->event)
		*own = (struct own){.thread = sample->thread, .event = sample->event};
	own->samples += samples;
	own->weight += sample->weight;
}

bool sample_builder_add_periods(struct sample_builder *builder,
				const struct sample_builder_sample *sample, bool is_own,
				struct error *err)
{
	for (uint64_t i = 0; i < sample->at_once; i++) {
		if (is_own)
			sample_builder_add_own(builder, sample, 1);
		else if (!sample_builder_add(builder, sample, err))
			return false;
	}
	return true;
}

/* ---- the end ---- */

static bool write_owns(struct sample_builder *builder, struct error *err)
{
	vec_foreach (own, &builder->owns) {
		if (!profile_set_thread_in_runtime(builder->writer, own->thread, own->samples,
						   own->weight, err))
			return false;
	}
	return true;
}

static bool write_values(struct sample_builder *builder, struct error *err)
{
	vec_foreach (value, &builder->values) {
		if (!profile_add_stack_value(builder->writer, value, err))
			return false;
	}
	return true;
}

bool sample_builder_write(struct sample_builder *builder, struct profile_sampling row,
			  struct error *err)
{
	vec_foreach (track, &builder->tracks) {
		if (!track_flush(builder, track, err))
			return false;
	}
	row.samples = builder->counts.samples;
	row.truncated = builder->counts.truncated;
	row.in_runtime = builder->counts.in_runtime;
	return write_values(builder, err) && write_owns(builder, err) &&
	       profile_add_sampling(builder->writer, &row, err);
}
