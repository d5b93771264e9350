/*
 * The merge of all threads' events: a heap of threads by the time of their next event.
 *
 * Refuses profiles without a log of a selected thread.
 */
#include "analysis/trace_thread.h"

struct analysis_trace {
	struct analysis_trace_options options;
	struct analysis_trace_totals totals;
	struct vec_of(struct trace_thread) threads;
	struct vec_of(uint32_t) of_thread; /* thread of the profile - 1 → index + 1; 0: no log */
	struct vec_of(uint32_t) heap;
	int64_t *id_of; /* in the profile, by node of the analysis */
	struct arena arena;
	struct vec_of(struct analysis_trace_event) marks; /* by time */
	size_t next_mark;
	bool running;
};

const char *analysis_trace_kind_name(enum analysis_trace_kind kind)
{
	static const char *const names[] = {
		[TRACE_ENTER] = "enter", [TRACE_LEAVE] = "leave", [TRACE_UNWOUND] = "unwound",
		[TRACE_OS] = "os",	 [TRACE_MARK] = "mark",	  [TRACE_OFF] = "off",
		[TRACE_ON] = "on",	 [TRACE_LOST] = "lost",	  [TRACE_SWITCHED] = "switched",
	};
	table_covers(names, TRACE_KINDS);

	return names[kind];
}

/* ---- opening ---- */

struct loader {
	struct analysis_trace *trace;
	const struct analysis *analysis;
	struct profile *profile;
};

static struct trace_thread *thread_of(struct analysis_trace *trace, int64_t thread)
{
	const uint32_t index = trace->of_thread.data[thread - 1];

	return index ? &trace->threads.data[index - 1] : NULL;
}

static bool take_trace(const struct profile_trace *row, void *context)
{
	struct loader *loader = context;
	struct analysis_trace *trace = loader->trace;
	const uint32_t thread = (uint32_t)(row->thread - 1);

	if (!loader->analysis->threads.data[thread].selected || thread_of(trace, row->thread))
		return true;
	vec_push(&trace->threads, ((struct trace_thread){.analysis = loader->analysis,
							 .profile = loader->profile,
							 .options = &trace->options,
							 .thread = thread,
							 .to_come = row->lost}));
	trace->of_thread.data[thread] = (uint32_t)trace->threads.len;
	trace->totals.threads++;
	trace->totals.events += row->events;
	trace->totals.lost += row->lost;
	if (row->limit_bytes > trace->totals.limit_bytes)
		trace->totals.limit_bytes = row->limit_bytes;
	return true;
}

static bool take_part(int64_t id, const struct profile_trace_chunk *row, void *context)
{
	struct loader *loader = context;
	struct trace_thread *thread = thread_of(loader->trace, row->thread);
	const struct trace_part part = {.id = id, .row = *row};

	if (thread)
		vec_push(&thread->parts, part);
	return true;
}

static int compare_parts(const void *a, const void *b)
{
	const struct trace_part *x = a, *y = b;

	return x->row.sequence < y->row.sequence ? -1 : x->row.sequence > y->row.sequence;
}

/* Roots are the nodes without parent. */
static void find_roots(struct analysis_trace *trace, const struct analysis *analysis)
{
	trace->id_of = mem_zalloc((analysis->nodes.len + 1) * sizeof(*trace->id_of));
	for (size_t i = 0; i < analysis->node_ids.len; i++) {
		const uint32_t node = analysis->node_of.data[i];

		if (node == ANALYSIS_NONE)
			continue;
		trace->id_of[node] = analysis->node_ids.data[i];
		if (analysis->nodes.data[node].parent != ANALYSIS_NONE)
			continue;
		struct trace_thread *thread =
			thread_of(trace, (int64_t)analysis->nodes.data[node].thread + 1);
		if (thread)
			thread->root_id = analysis->node_ids.data[i];
	}
}

/* Marks are in a table of their own, with their names. Those of tare ctl belong to no thread. */
static bool take_mark(const struct profile_mark *row, void *context)
{
	struct loader *loader = context;
	struct analysis_trace *trace = loader->trace;
	const uint64_t begin = profile_session(loader->analysis->profile)->begin_ticks;
	const uint64_t ticks = row->ticks > begin ? row->ticks - begin : 0;
	const uint64_t to = trace->options.to_ticks;

	if (!row->thread || !thread_of(trace, row->thread) || ticks < trace->options.from_ticks ||
	    (to && ticks > to))
		return true;
	const struct analysis_trace_event event = {
		.kind = TRACE_MARK,
		.thread = (uint32_t)(row->thread - 1),
		.ticks = ticks,
		.node = ANALYSIS_NONE,
		.function = ANALYSIS_NONE,
		.syscall_number = -1,
		.mark = row->mark,
		.mark_name =
			row->name && row->name[0] ? arena_strdup(&trace->arena, row->name) : NULL,
	};

	vec_push(&trace->marks, event);
	return true;
}

static int compare_marks(const void *a, const void *b)
{
	const struct analysis_trace_event *x = a, *y = b;

	return x->ticks < y->ticks ? -1 : x->ticks > y->ticks;
}

static bool load(struct analysis_trace *trace, const struct analysis *analysis,
		 struct profile *profile, struct error *err)
{
	struct loader loader = {.trace = trace, .analysis = analysis, .profile = profile};

	for (size_t i = 0; i < analysis->threads.len; i++)
		vec_push(&trace->of_thread, 0);
	if (!profile_each_trace(profile, take_trace, &loader, err) ||
	    !profile_each_trace_chunk(profile, take_part, &loader, err))
		return false;
	if (!trace->threads.len)
		return error_set(err, ERROR_NOT_FOUND,
				 "the profile has no event log; record it with --trace");
	if (!profile_each_mark(profile, take_mark, &loader, err))
		return false;
	vec_sort(&trace->marks, compare_marks);
	find_roots(trace, analysis);
	vec_foreach (thread, &trace->threads) {
		thread->id_of = trace->id_of;
		vec_sort(&thread->parts, compare_parts);
		trace_thread_begin(thread);
	}
	return true;
}

struct analysis_trace *analysis_trace_open(const struct analysis *analysis, struct profile *profile,
					   const struct analysis_trace_options *options,
					   struct error *err)
{
	struct analysis_trace *trace = mem_zalloc(sizeof(*trace));

	trace->options = *options;
	arena_init(&trace->arena);
	if (load(trace, analysis, profile, err))
		return trace;
	analysis_trace_close(trace);
	return NULL;
}

const struct analysis_trace_totals *analysis_trace_totals(const struct analysis_trace *trace)
{
	return &trace->totals;
}

void analysis_trace_close(struct analysis_trace *trace)
{
	if (!trace)
		return;
	vec_foreach (thread, &trace->threads)
		trace_thread_fini(thread);
	vec_fini(&trace->threads);
	vec_fini(&trace->of_thread);
	vec_fini(&trace->heap);
	free(trace->id_of);
	vec_fini(&trace->marks);
	arena_fini(&trace->arena);
	free(trace);
}

/* ---- merging ---- */

/* Both have events that have been peeked at. */
static bool is_before(const struct analysis_trace *trace, uint32_t a, uint32_t b)
{
	const struct trace_thread *x = &trace->threads.data[a], *y = &trace->threads.data[b];
	const uint64_t left = x->events.data[x->next_event].ticks;
	const uint64_t right = y->events.data[y->next_event].ticks;

	return left < right || (left == right && a < b);
}

static void heap_sink(struct analysis_trace *trace, size_t at)
{
	uint32_t *heap = trace->heap.data;

	for (;;) {
		size_t least = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < trace->heap.len && is_before(trace, heap[child], heap[least]))
				least = child;
		if (least == at)
			return;
		const uint32_t swap = heap[at];

		heap[at] = heap[least];
		heap[least] = swap;
		at = least;
	}
}

static bool heap_fill(struct analysis_trace *trace, struct error *err)
{
	const struct analysis_trace_event *event;

	for (uint32_t i = 0; i < trace->threads.len; i++) {
		const int more = trace_thread_peek(&trace->threads.data[i], &event, err);

		if (more < 0)
			return false;
		if (more)
			vec_push(&trace->heap, i);
	}
	for (size_t i = trace->heap.len / 2; i-- > 0;)
		heap_sink(trace, i);
	trace->running = true;
	return true;
}

static bool mark_is_next(const struct analysis_trace *trace)
{
	if (trace->next_mark == trace->marks.len)
		return false;
	if (!trace->heap.len)
		return true;
	const struct trace_thread *first = &trace->threads.data[trace->heap.data[0]];

	return trace->marks.data[trace->next_mark].ticks <
	       first->events.data[first->next_event].ticks;
}

int analysis_trace_next(struct analysis_trace *trace, struct analysis_trace_event *event,
			struct error *err)
{
	const struct analysis_trace_event *next;

	if (!trace->running && !heap_fill(trace, err))
		return -1;
	if (mark_is_next(trace)) {
		*event = trace->marks.data[trace->next_mark++];
		return 1;
	}
	if (!trace->heap.len)
		return 0;
	struct trace_thread *thread = &trace->threads.data[trace->heap.data[0]];

	*event = thread->events.data[thread->next_event];
	trace_thread_take(thread);
	const int more = trace_thread_peek(thread, &next, err);

	if (more < 0)
		return -1;
	if (!more) {
		trace->heap.data[0] = vec_last(&trace->heap);
		trace->heap.len--;
	}
	heap_sink(trace, 0);
	return 1;
}
