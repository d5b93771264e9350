/*
 * Chunks of samples to spans. Each event's samples of a thread are in the order of time, so the two
 * are merged; a wait ends where its weight says.
 *
 *   off-cpu    ------|=== waited ===|-----------------|== waited ==|---
 *   preempted  -----------------------|== could run ==|----------------
 *   spans      |-ran-|=== waited ===|r|== could run ==|== waited ==|ran|
 *
 * Where the recording ended before its threads, nothing is told behind the last sample: what the
 * thread waited in then was not told either. Refuses damaged chunks.
 */
#include "analysis/sampled_states.h"

#include "analysis/private.h"
#include "analysis/sample_chunk.h"
#include "analysis/sample_stacks.h"
#include "base/partition.h"

#include <math.h>
#include <string.h>

#define NS_PER_SECOND 1e9
#define TICKS_MAX     (1ULL << 62)

enum { BLOCKED, PREEMPTED, KINDS };

/* Of a thread: when its first and its last sample of any event were taken. */
struct seen {
	uint64_t from, until; /* 0: it has none */
};

/* What is waited for at a stack. */
struct switch_place {
	struct analysis_os os;
	enum analysis_waiting waiting;
};

struct analysis_switches {
	int64_t events[KINDS];
	bool any_times;	    /* of samples are known, not in profiles that were merged, if any */
	bool found_running; /* the recording was of processes that had begun before it */
	struct vec_of(struct sample_chunk) chunks[KINDS]; /* by thread, then by time */
	struct vec_of(struct seen) seen;		  /* by thread */
	struct map places[KINDS];			  /* stack → number, from 1 */
	struct vec_of(struct switch_place) list;	  /* by these numbers less one */
};

/* ---- loading ---- */

static bool take_chunk(int64_t id, const struct profile_sample_chunk *row, void *context)
{
	struct analysis_switches *switches = context;
	const struct sample_chunk chunk = {.id = id, .row = *row};
	struct seen *seen = &switches->seen.data[row->thread - 1];

	switches->any_times = true;
	if (!seen->until || row->begin_ticks < seen->from)
		seen->from = row->begin_ticks;
	if (row->end_ticks > seen->until)
		seen->until = row->end_ticks;
	for (int kind = 0; kind < KINDS; kind++)
		if (row->event == switches->events[kind])
			vec_push(&switches->chunks[kind], chunk);
	return true;
}

static struct switch_place place_of(const struct analysis *analysis, int kind, int64_t stack)
{
	const struct wait_place at = analysis_wait_place(analysis, stack);
	struct switch_place place = {.os = analysis_waits_at(&at).os};

	if (kind == PREEMPTED) {
		place.os.cause = TARE_OS_PREEMPTED;
		return place;
	}
	place.os.syscall_number = at.syscall_number;
	place.os.object_kind = tare_object_of(at.syscall_number);
	place.waiting = analysis_waiting_of(&place.os, at.idle);
	/* Which one it is samples do not tell. */
	place.os.object_kind = TARE_OBJECT_NONE;
	return place;
}

/* Once for each stack that a thread waited in. */
static bool load_places(struct analysis *analysis, struct profile *profile, int kind,
			struct error *err)
{
	struct analysis_switches *switches = analysis->switches;
	struct sample_values values = {0};
	uint64_t truncated = 0;
	const bool ok = sample_values_load(analysis, profile, switches->events[kind], &values,
					   &truncated, err);

	vec_foreach (value, &values) {
		const uint64_t fresh = switches->list.len + 1;

		if (value->stack && *map_put(&switches->places[kind], value->stack, fresh) == fresh)
			vec_push(&switches->list, place_of(analysis, kind, value->stack));
	}
	vec_fini(&values);
	return ok;
}

static bool found_running(const struct profile *profile)
{
	const char *settings = profile_session(profile)->settings;

	return settings && (strstr(settings, "--pid=") || strstr(settings, "--all"));
}

bool analysis_load_switches(struct analysis *analysis, struct profile *profile, struct error *err)
{
	const int64_t blocked = analysis_event_id(profile, "off-cpu");
	const int64_t preempted = analysis_event_id(profile, "preempted");

	if (!blocked || !preempted)
		return true;
	struct analysis_switches *switches = mem_zalloc(sizeof(*switches));
	analysis->switches = switches;
	switches->events[BLOCKED] = blocked;
	switches->events[PREEMPTED] = preempted;
	switches->found_running = found_running(profile);
	for (size_t i = 0; i < analysis->threads.len; i++)
		vec_push(&switches->seen, ((struct seen){0}));
	bool ok = profile_each_sample_chunk(profile, take_chunk, switches, err);
	for (int kind = 0; kind < KINDS && ok; kind++) {
		map_init(&switches->places[kind]);
		vec_sort(&switches->chunks[kind], sample_chunk_compare);
		ok = load_places(analysis, profile, kind, err);
	}
	switches->any_times |=
		!switches->list.len && !profile_merged(profile_session(profile)).recordings;
	return ok;
}

void analysis_free_switches(struct analysis *analysis)
{
	struct analysis_switches *switches = analysis->switches;

	if (!switches)
		return;
	for (int kind = 0; kind < KINDS; kind++) {
		vec_fini(&switches->chunks[kind]);
		map_fini(&switches->places[kind]);
	}
	vec_fini(&switches->seen);
	vec_fini(&switches->list);
	free(switches);
}

bool sampled_states_any(const struct analysis *analysis)
{
	return analysis->switches && analysis->switches->any_times;
}

/* ---- a thread's samples of both events ---- */

struct stream {
	const struct sample_chunk *next, *end; /* chunks */
	struct vec_of(struct sample) samples;  /* of the chunk before next */
	size_t at;
};

static void stream_open(struct stream *stream, const struct analysis_switches *switches, int kind,
			int64_t thread)
{
	const struct sample_chunk *chunks = switches->chunks[kind].data;
	const size_t count = switches->chunks[kind].len;

	*stream = (struct stream){
		.next = chunks + partition_point(count, i, chunks[i].row.thread < thread),
		.end = chunks + partition_point(count, i, chunks[i].row.thread <= thread)};
}

static void keep_sample(const struct sample *sample, void *context)
{
	struct stream *stream = context;

	vec_push(&stream->samples, *sample);
}

/* The next sample, which stays the next one until stream->at is counted up; NULL: the last one was
   the last. False with err. */
static bool stream_peek(struct stream *stream, const struct analysis *analysis,
			const struct sample **sample, struct error *err)
{
	while (stream->at == stream->samples.len && stream->next != stream->end) {
		const struct sample_chunk *chunk = stream->next++;

		stream->samples.len = stream->at = 0;
		if (!analysis_read_samples((struct profile *)analysis->profile, chunk, keep_sample,
					   stream, err))
			return false;
	}
	*sample = stream->at < stream->samples.len ? &stream->samples.data[stream->at] : NULL;
	return true;
}

/* ---- spans ---- */

struct walk {
	const struct analysis *analysis;
	void (*each)(const struct thread_state_span *span, void *context);
	void *context;
	uint64_t at; /* the end of the last span */
	struct {
		uint64_t ns, ticks; /* so far, so that their sums stay the same */
	} waited[KINDS];
};

/* As ticks, and the sum of all as one. */
static uint64_t waited_ticks(struct walk *walk, int kind, uint64_t ns)
{
	const uint64_t before = walk->waited[kind].ns;
	const uint64_t sum = ns < UINT64_MAX - before ? before + ns : UINT64_MAX;
	const double due = (double)sum * (walk->analysis->ticks_per_second / NS_PER_SECOND);
	const uint64_t ticks = due < (double)TICKS_MAX ? (uint64_t)llround(due) : TICKS_MAX;
	const uint64_t more = ticks - walk->waited[kind].ticks;

	walk->waited[kind].ns = sum;
	walk->waited[kind].ticks = ticks;
	return more;
}

/* Nothing is known up to then. */
static void tell_unknown(struct walk *walk, uint64_t end)
{
	const struct thread_state_span span = {.begin = walk->at, .end = end, .unknown = true};

	if (end <= walk->at || end > TICKS_MAX)
		return;
	walk->at = end;
	walk->each(&span, walk->context);
}

static void tell_run(struct walk *walk, uint64_t end)
{
	const struct thread_state_span span = {
		.begin = walk->at, .end = end, .states.cpu = end - walk->at};

	if (end <= walk->at)
		return;
	walk->at = end;
	walk->each(&span, walk->context);
}

static void tell_wait(struct walk *walk, int kind, const struct sample *sample)
{
	const struct analysis_switches *switches = walk->analysis->switches;
	const uint64_t *number = map_get(&switches->places[kind], sample->stack);
	const struct switch_place *place = number ? &switches->list.data[*number - 1] : NULL;
	const uint64_t ticks = waited_ticks(walk, kind, sample->weight);
	struct thread_state_span span = {.waits = 1, .os = place ? &place->os : NULL};

	tell_run(walk, sample->ticks < TICKS_MAX ? sample->ticks : TICKS_MAX);
	span.begin = walk->at;
	span.end = walk->at + ticks;
	if (kind == PREEMPTED)
		span.states.preempted = ticks;
	else
		span.states.blocked[place ? place->waiting : WAITING_OTHER] = ticks;
	walk->at = span.end;
	walk->each(&span, walk->context);
}

static bool tell_waits(struct walk *walk, int64_t thread, struct error *err)
{
	const struct analysis *analysis = walk->analysis;
	struct stream streams[KINDS] = {{0}};
	const struct sample *next[KINDS];
	bool ok = true;

	for (int kind = 0; kind < KINDS; kind++)
		stream_open(&streams[kind], analysis->switches, kind, thread);
	while ((ok = stream_peek(&streams[BLOCKED], analysis, &next[BLOCKED], err) &&
		     stream_peek(&streams[PREEMPTED], analysis, &next[PREEMPTED], err)) &&
	       (next[BLOCKED] || next[PREEMPTED])) {
		const bool preempted =
			!next[BLOCKED] ||
			(next[PREEMPTED] && next[PREEMPTED]->ticks < next[BLOCKED]->ticks);
		const int kind = preempted ? PREEMPTED : BLOCKED;

		tell_wait(walk, kind, next[kind]);
		streams[kind].at++;
	}
	for (int kind = 0; kind < KINDS; kind++)
		vec_fini(&streams[kind].samples);
	return ok;
}

/* When the thread is known to have lived last. */
static uint64_t end_of(const struct analysis *analysis, const struct profile_thread *thread,
		       const struct seen *seen)
{
	const struct profile_session *session = profile_session(analysis->profile);

	if (thread->end_ticks)
		return thread->end_ticks;
	return session->complete ? session->end_ticks : seen->until;
}

bool sampled_states_each(const struct analysis *analysis, uint32_t thread,
			 void (*each)(const struct thread_state_span *span, void *context),
			 void *context, bool *known, struct error *err)
{
	const struct analysis_switches *switches = analysis->switches;
	const struct profile_thread *row = analysis->threads.data[thread].row;
	const struct seen *seen = &switches->seen.data[thread];
	struct walk walk = {.analysis = analysis,
			    .each = each,
			    .context = context,
			    .at = row->begin_ticks < TICKS_MAX ? row->begin_ticks : TICKS_MAX};

	*known = analysis->threads.data[thread].selected &&
		 (seen->until || !switches->found_running);
	if (!*known)
		return true;
	if (switches->found_running)
		tell_unknown(&walk, seen->from);
	if (!tell_waits(&walk, (int64_t)thread + 1, err))
		return false;
	tell_run(&walk, end_of(analysis, row, seen));
	return true;
}
