/*
 * From records to events.
 *
 *   part ─▶ record ─▶ time, calls in progress ─▶ events, where the range and the depth allow
 *
 * Refuses records that no recorder writes (an end without a call, nodes of other threads).
 */
#include "analysis/trace_thread.h"

#include "analysis/private.h"

#include <string.h>

enum { STEPS_MAX = 1 << 26 }; /* no program changes stacks so often in one part */

/* ---- events ---- */

static uint64_t since_begin(const struct trace_thread *thread, uint64_t ticks)
{
	const uint64_t begin = profile_session(thread->analysis->profile)->begin_ticks;

	return ticks > begin ? ticks - begin : 0;
}

static bool depth_is_shown(const struct trace_thread *thread, size_t depth)
{
	return !thread->options->depth_max || depth < thread->options->depth_max;
}

static struct analysis_trace_event *event_push(struct trace_thread *thread,
					       enum analysis_trace_kind kind)
{
	const struct analysis_trace_event event = {
		.kind = kind,
		.thread = thread->thread,
		.ticks = since_begin(thread, thread->ticks),
		.node = ANALYSIS_NONE,
		.function = ANALYSIS_NONE,
		.depth = (uint32_t)thread->calls.len,
		.syscall_number = -1,
	};

	vec_push(&thread->events, event);
	return &vec_last(&thread->events);
}

/* Begin or end of the call at `depth`. */
static void call_event(struct trace_thread *thread, enum analysis_trace_kind kind, size_t depth,
		       bool implied)
{
	const struct trace_call *call = &thread->calls.data[depth];

	if (!thread->started || !depth_is_shown(thread, depth))
		return;
	struct analysis_trace_event *event = event_push(thread, kind);

	event->depth = (uint32_t)depth;
	event->implied = implied;
	event->node = call->node;
	if (call->node != ANALYSIS_NONE)
		event->function = thread->analysis->nodes.data[call->node].function;
	if (kind == TRACE_ENTER || implied || !call->begin_known)
		return;
	event->has_duration = true;
	event->duration_ticks =
		thread->ticks > call->begin_ticks ? thread->ticks - call->begin_ticks : 0;
}

/* Something that is shown where the innermost call is. */
static struct analysis_trace_event *note_event(struct trace_thread *thread,
					       enum analysis_trace_kind kind)
{
	const size_t depth = thread->calls.len;

	if (!thread->started || (depth && !depth_is_shown(thread, depth - 1)))
		return NULL;
	struct analysis_trace_event *event = event_push(thread, kind);

	if (depth) {
		event->node = thread->calls.data[depth - 1].node;
		if (event->node != ANALYSIS_NONE)
			event->function = thread->analysis->nodes.data[event->node].function;
	}
	return event;
}

/* ---- calls in progress ---- */

static bool node_of(const struct trace_thread *thread, uint32_t number, uint32_t *node)
{
	*node = ANALYSIS_NONE;
	if (number == TARE_TRACE_UNKNOWN)
		return true;
	*node = analysis_node_find(thread->analysis, thread->root_id + number);
	return *node != ANALYSIS_NONE &&
	       thread->analysis->nodes.data[*node].thread == thread->thread;
}

static bool call_begin(struct trace_thread *thread, uint32_t number, bool folded)
{
	struct trace_call call = {.number = number,
				  .begin_ticks = thread->ticks,
				  .begin_known = true,
				  .folded = folded};

	if (!number || !node_of(thread, number, &call.node))
		return false;
	vec_push(&thread->calls, call);
	call_event(thread, TRACE_ENTER, thread->calls.len - 1, false);
	return true;
}

static void calls_drop(struct trace_thread *thread, size_t keep)
{
	while (thread->calls.len > keep) {
		if (thread->options->balanced)
			call_event(thread, TRACE_UNWOUND, thread->calls.len - 1, true);
		thread->calls.len--;
	}
}

static void call_resume(struct trace_thread *thread, uint32_t node, uint32_t number)
{
	const struct trace_call call = {.node = node,
					.number = number,
					.begin_ticks = thread->ticks,
					.folded = node == ANALYSIS_NONE};

	vec_push(&thread->calls, call);
	if (thread->options->balanced)
		call_event(thread, TRACE_ENTER, thread->calls.len - 1, true);
}

struct chain vec_of(struct trace_call);

/* The calls down to the node of that number, innermost first. */
static bool chain_find(struct trace_thread *thread, uint32_t number, struct chain *chain)
{
	const struct analysis *analysis = thread->analysis;
	uint32_t node;

	if (!number)
		return true;
	if (!node_of(thread, number, &node))
		return false;
	for (; node != ANALYSIS_NONE && analysis->nodes.data[node].function != ANALYSIS_NONE;
	     node = analysis->nodes.data[node].parent) {
		const struct trace_call call = {
			.node = node, .number = (uint32_t)(thread->id_of[node] - thread->root_id)};

		vec_push(chain, call);
	}
	return true;
}

/* Makes the calls in progress those down to `number` and `folded` unknown ones within. */
static bool calls_set(struct trace_thread *thread, uint64_t number, uint64_t folded)
{
	struct chain chain = {0};
	size_t keep = 0;

	if (number > UINT32_MAX || folded > TARE_TRACE_UNKNOWN ||
	    !chain_find(thread, (uint32_t)number, &chain)) {
		vec_fini(&chain);
		return false;
	}
	thread->steps += chain.len + folded;
	while (keep < chain.len && keep < thread->calls.len && !thread->calls.data[keep].folded &&
	       thread->calls.data[keep].node == chain.data[chain.len - 1 - keep].node)
		keep++;
	calls_drop(thread, keep);
	for (; keep < chain.len; keep++)
		call_resume(thread, chain.data[chain.len - 1 - keep].node,
			    chain.data[chain.len - 1 - keep].number);
	for (uint64_t i = 0; i < folded; i++)
		call_resume(thread, ANALYSIS_NONE, TARE_TRACE_UNKNOWN);
	vec_fini(&chain);
	return thread->steps <= STEPS_MAX;
}

/* Is that what they are already? */
static bool calls_match(const struct trace_thread *thread, uint64_t number, uint64_t folded)
{
	size_t known = thread->calls.len;

	while (known && thread->calls.data[known - 1].folded)
		known--;
	return thread->calls.len - known == folded &&
	       number == (known ? thread->calls.data[known - 1].number : 0);
}

/* ---- records ---- */

static bool take_end(struct trace_thread *thread, enum analysis_trace_kind kind)
{
	if (!thread->calls.len)
		return false;
	call_event(thread, kind, thread->calls.len - 1, false);
	thread->calls.len--;
	return true;
}

static bool take_join(struct trace_thread *thread, uint32_t number)
{
	struct trace_call *top = thread->calls.len ? &vec_last(&thread->calls) : NULL;

	if (!top || !node_of(thread, number, &top->node))
		return false;
	top->number = number;
	return true;
}

static void take_note(struct trace_thread *thread, const struct trace_record *record)
{
	static const enum analysis_trace_kind kinds[] = {
		[TARE_TRACE_NOTE_OS] = TRACE_OS,
		[TARE_TRACE_NOTE_MARK] = TRACE_MARK,
		[TARE_TRACE_NOTE_OFF] = TRACE_OFF,
		[TARE_TRACE_NOTE_ON] = TRACE_ON,
	};
	table_covers(kinds, TARE_TRACE_NOTES);
	const enum tare_trace_note note = trace_record_note(record);
	struct analysis_trace_event *event = note_event(thread, kinds[note]);

	if (!event)
		return;
	event->mark = record->mark;
	if (note == TARE_TRACE_NOTE_OS) {
		event->cause = trace_record_cause(record);
		event->syscall_number = trace_record_syscall(record);
	}
}

static bool take_stack(struct trace_thread *thread, const struct trace_record *record)
{
	if (!thread->options->balanced)
		note_event(thread, TRACE_SWITCHED);
	return calls_set(thread, record->value, record->folded);
}

static bool take(struct trace_thread *thread, const struct trace_record *record)
{
	const uint32_t top = thread->calls.len ? vec_last(&thread->calls).number : 0;

	switch (record->kind) {
	case TARE_TRACE_ENTER:
		return top != TARE_TRACE_UNKNOWN && record->value < TARE_TRACE_UNKNOWN - top &&
		       call_begin(thread, top + record->value, false);
	case TARE_TRACE_FOLDED:
		return call_begin(thread, record->value, true);
	case TARE_TRACE_LEAVE:
		return take_end(thread, TRACE_LEAVE);
	case TARE_TRACE_UNWOUND:
		return take_end(thread, TRACE_UNWOUND);
	case TARE_TRACE_JOIN:
		return take_join(thread, record->value);
	case TARE_TRACE_STACK:
		return take_stack(thread, record);
	case TARE_TRACE_NOTE:
		take_note(thread, record);
		return true;
	case TARE_TRACE_NONE:
		break;
	}
	return false;
}

/* ---- range ---- */

static void range_start(struct trace_thread *thread, uint64_t ticks)
{
	const uint64_t now = thread->ticks;

	thread->started = true;
	thread->ticks = ticks;
	for (size_t i = 0; i < thread->calls.len && thread->options->balanced; i++)
		call_event(thread, TRACE_ENTER, i, true);
	thread->ticks = now;
}

static void range_end(struct trace_thread *thread, uint64_t ticks)
{
	thread->ended = true;
	thread->ticks = ticks;
	while (thread->calls.len) {
		if (thread->options->balanced)
			call_event(thread, TRACE_LEAVE, thread->calls.len - 1, true);
		thread->calls.len--;
	}
}

/* As the clock has them. */
static uint64_t range_from(const struct trace_thread *thread)
{
	return profile_session(thread->analysis->profile)->begin_ticks +
	       thread->options->from_ticks;
}

static uint64_t range_to(const struct trace_thread *thread)
{
	if (!thread->options->to_ticks)
		return UINT64_MAX;
	return profile_session(thread->analysis->profile)->begin_ticks + thread->options->to_ticks;
}

/* The clock has reached `ticks`: false where that lies behind the range. */
static bool range_reach(struct trace_thread *thread, uint64_t ticks)
{
	const uint64_t from = range_from(thread), to = range_to(thread);

	if (ticks > to) {
		if (!thread->started && from <= to)
			range_start(thread, from);
		range_end(thread, to);
		return false;
	}
	if (!thread->started && ticks >= from)
		range_start(thread, thread->ticks > from ? thread->ticks : from);
	thread->ticks = ticks;
	return true;
}

/* The log ends: calls in progress go on to the thread's end. */
static void log_end(struct trace_thread *thread)
{
	const struct profile_thread *row = thread->analysis->threads.data[thread->thread].row;
	const uint64_t last = row->end_ticks > thread->ticks ? row->end_ticks : thread->ticks;

	if (!thread->started && thread->calls.len && last >= range_from(thread))
		range_start(thread, range_from(thread));
	if (thread->to_come && thread->started)
		event_push(thread, TRACE_LOST)->lost = thread->to_come;
	range_end(thread, last < range_to(thread) ? last : range_to(thread));
}

/* ---- parts ---- */

static bool damaged(const struct trace_thread *thread, struct error *err)
{
	return error_set(err, ERROR_INPUT, "the profile's event log of thread %lld is damaged",
			 (long long)thread->analysis->threads.data[thread->thread].row->tid);
}

static bool part_open(struct trace_thread *thread, struct error *err)
{
	const struct trace_part *part = &thread->parts.data[thread->next_part];
	size_t size = 0;

	free(thread->data);
	thread->data = NULL;
	if (!profile_read_trace_chunk(thread->profile, part->id, &thread->data, &size, err))
		return false;
	thread->cursor.at = thread->data;
	thread->cursor.end = thread->cursor.at + size;
	thread->steps = 0;
	const bool first = !thread->ticks;

	if (first)
		thread->ticks = part->row.begin_ticks;
	thread->next_part++;
	if (!range_reach(thread, part->row.begin_ticks))
		return true;
	if (part->row.lost_before) {
		thread->to_come -= part->row.lost_before < thread->to_come ? part->row.lost_before
									   : thread->to_come;
		if (thread->started)
			event_push(thread, TRACE_LOST)->lost = part->row.lost_before;
	}
	if ((part->row.lost_before || !calls_match(thread, part->row.node, part->row.folded)) &&
	    !calls_set(thread, part->row.node, part->row.folded))
		return damaged(thread, err);
	return true;
}

void trace_thread_begin(struct trace_thread *thread)
{
	const uint64_t from = range_from(thread);

	/* The last part that begins before the range. */
	while (thread->next_part + 1 < thread->parts.len &&
	       thread->parts.data[thread->next_part + 1].row.begin_ticks <= from) {
		const uint64_t lost = thread->parts.data[thread->next_part].row.lost_before;

		thread->to_come -= lost < thread->to_come ? lost : thread->to_come;
		thread->next_part++;
	}
}

/* Reads on until there is an event, or the log ends. */
static bool thread_read(struct trace_thread *thread, struct error *err)
{
	struct trace_record record;

	while (thread->next_event == thread->events.len && !thread->ended) {
		thread->next_event = thread->events.len = 0;
		const int more = trace_record_read(&thread->cursor, &record);

		if (more < 0)
			return damaged(thread, err);
		if (more) {
			if (range_reach(thread, trace_record_clock(&record, thread->ticks)) &&
			    !take(thread, &record))
				return damaged(thread, err);
		} else if (thread->next_part < thread->parts.len) {
			if (!part_open(thread, err))
				return false;
		} else {
			log_end(thread);
		}
	}
	return true;
}

int trace_thread_peek(struct trace_thread *thread, const struct analysis_trace_event **event,
		      struct error *err)
{
	if (!thread_read(thread, err))
		return -1;
	if (thread->next_event == thread->events.len)
		return 0;
	*event = &thread->events.data[thread->next_event];
	return 1;
}

void trace_thread_take(struct trace_thread *thread)
{
	thread->next_event++;
}

void trace_thread_fini(struct trace_thread *thread)
{
	vec_fini(&thread->parts);
	vec_fini(&thread->calls);
	vec_fini(&thread->events);
	free(thread->data);
}
