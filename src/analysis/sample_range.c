/*
 * The samples of a part of the time, read from the chunks in which they are in its order. Refuses
 * damaged chunks, and profiles that have none.
 */
#include "analysis/sample_chunk.h"
#include "analysis/stack_counts.h"
#include "analysis/trace.h"

struct range_loader {
	struct analysis *analysis;
	uint64_t from, to; /* ticks */
	int64_t event;
	bool any; /* chunks of the event, whenever */
	struct vec_of(struct sample_chunk) chunks;
	struct map known; /* (thread, stack) → index of its value */
	bool at_once;	  /* equal times are one draw, not a coarse clock's */
	struct sample last;
	uint64_t equal; /* it and those before, of the same draw */
	struct sample_values *values;
};

static bool chunk_is_wanted(const struct range_loader *loader,
			    const struct profile_sample_chunk *row)
{
	const struct analysis_thread *thread = &loader->analysis->threads.data[row->thread - 1];

	return thread->selected && row->begin_ticks <= loader->to && row->end_ticks >= loader->from;
}

static bool take_chunk(int64_t id, const struct profile_sample_chunk *row, void *context)
{
	struct range_loader *loader = context;
	const struct sample_chunk chunk = {.id = id, .row = *row};

	if (row->event != loader->event)
		return true;
	loader->any = true;
	if (chunk_is_wanted(loader, row))
		vec_push(&loader->chunks, chunk);
	return true;
}

/* Those of one draw follow each other. */
static uint64_t square_grows(struct range_loader *loader, const struct sample *sample)
{
	const struct sample *last = &loader->last;
	const bool same = loader->at_once && loader->equal && sample->ticks == last->ticks &&
			  sample->thread == last->thread && sample->stack == last->stack;

	loader->last = *sample;
	loader->equal = same ? loader->equal + 1 : 1;
	return 2 * loader->equal - 1;
}

static void take_sample(const struct sample *sample, void *context)
{
	struct range_loader *loader = context;

	if (sample->ticks < loader->from || sample->ticks > loader->to)
		return;
	const uint64_t index =
		*map_put(&loader->known, (uint64_t)sample->thread << 32 | sample->stack,
			 loader->values->len);
	if (index == loader->values->len)
		vec_push(loader->values,
			 ((struct sample_value){.thread = (uint32_t)(sample->thread - 1),
						.stack = (uint32_t)sample->stack}));
	loader->values->data[index].samples++;
	loader->values->data[index].weight += sample->weight;
	loader->values->data[index].squares += square_grows(loader, sample);
}

static bool read_chunks(struct range_loader *loader, struct profile *profile, struct error *err)
{
	bool ok = true;

	for (size_t i = 0; i < loader->chunks.len && ok; i++) {
		const struct sample_chunk *chunk = &loader->chunks.data[i];
		ok = analysis_read_samples(profile, chunk, take_sample, loader, err);
	}
	return ok;
}

/* Ticks of the clock; what was not given is without bound. */
static bool parse_bounds(struct range_loader *loader, struct profile *profile,
			 const struct analysis_options *options, struct error *err)
{
	const uint64_t begin = profile_session(profile)->begin_ticks;
	uint64_t from = 0, to = UINT64_MAX;

	if ((options->from &&
	     !analysis_time_parse(loader->analysis, profile, options->from, false, &from, err)) ||
	    (options->to &&
	     !analysis_time_parse(loader->analysis, profile, options->to, true, &to, err)))
		return false;
	if (from > to)
		return error_set(err, ERROR_USAGE, "--from=%s is later than --to=%s", options->from,
				 options->to);
	loader->from = options->from ? begin + from : 0;
	loader->to = to > UINT64_MAX - begin ? UINT64_MAX : begin + to;
	return true;
}

bool analysis_load_range(struct analysis *analysis, struct profile *profile,
			 const struct analysis_options *options, struct sample_values *values,
			 struct error *err)
{
	size_t events;
	struct range_loader loader = {.analysis = analysis,
				      .values = values,
				      .at_once = analysis_has_collector(profile, "timer") ||
						 analysis_has_collector(profile, "perf"),
				      .event = analysis->event - profile_events(profile, &events) +
					       1};

	if (!parse_bounds(&loader, profile, options, err))
		return false;
	map_init(&loader.known);
	bool ok = profile_each_sample_chunk(profile, take_chunk, &loader, err);
	if (ok && !loader.any)
		ok = error_set(err, ERROR_NOT_FOUND,
			       "the profile does not say when its samples were taken: leave out "
			       "--from and --to");
	ok = ok && read_chunks(&loader, profile, err);
	map_fini(&loader.known);
	vec_fini(&loader.chunks);
	return ok;
}
