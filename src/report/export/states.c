/* Spans of threads, cut into slices of one state. Those in which it ran become one with the next.
 */
#include "report/export/states.h"

#include "analysis/syscalls.h"
#include "base/partition.h"
#include "report/export/timeline.h"
#include "report/table/os_object.h"
#include "report/words/json_string.h"

#include <inttypes.h>

struct cutting {
	struct states *states;
	uint32_t thread;
	state_each *each;
	void *context;
	struct state_slice last; /* not told yet; its ticks 0: there is none */
};

const char *state_name(enum state_kind kind)
{
	static const char *const names[STATE_KINDS] = {
		[STATE_RUNNING] = "running",
		[STATE_PREEMPTED] = "preempted",
		[STATE_BLOCKED + WAITING_OTHER] = "blocked: other",
		[STATE_BLOCKED + WAITING_LOCK] = "blocked: lock",
		[STATE_BLOCKED + WAITING_IO] = "blocked: file or socket",
		[STATE_BLOCKED + WAITING_IDLE] = "blocked: idle"};

	return names[kind];
}

bool states_open(struct states *states, const struct analysis *analysis,
		 const struct export_options *options, struct error *err)
{
	*states = (struct states){.analysis = analysis,
				  .range = {0, UINT64_MAX, 1},
				  .origin = profile_session(analysis->profile)->begin_ticks};
	if (!thread_states_any(analysis) && !analysis->ended_waits.len)
		return true;
	return thread_states_range(analysis, options->from, options->to, &states->range, err);
}

void states_close(struct states *states)
{
	for (int i = 0; i < STATE_TEXTS; i++)
		str_fini(&states->texts[i]);
}

static uint64_t ticks_of(const struct thread_state_slice *states, enum state_kind kind)
{
	if (kind == STATE_RUNNING)
		return states->cpu;
	return kind == STATE_PREEMPTED ? states->preempted : states->blocked[kind - STATE_BLOCKED];
}

static uint64_t ns_at(const struct states *states, uint64_t ticks)
{
	return ticks > states->origin ? analysis_ns(states->analysis, ticks - states->origin) : 0;
}

static uint64_t time_at(const struct states *states, const struct thread_state_span *span,
			uint64_t part, uint64_t all)
{
	const uint64_t length = span->end - span->begin;
	return ns_at(states, span->begin + (uint64_t)((unsigned __int128)length * part / all));
}

/* What the thread was blocked in; NULL where it mostly could have run. */
static const struct analysis_os *blocked_in(const struct analysis_os *os)
{
	return os && os->cause == TARE_OS_BLOCKED ? os : NULL;
}

static bool is_selected(const struct states *states, uint32_t thread)
{
	return thread < states->analysis->threads.len &&
	       states->analysis->threads.data[thread].selected;
}

/* Of the one lock that was waited for; where several waits were joined it may be another's. */
static uint32_t holder_of(const struct cutting *cutting, const struct state_slice *slice)
{
	const bool one = slice->kind == STATE_BLOCKED + WAITING_LOCK && slice->intervals == 1;
	const uint32_t holder = one && slice->os ? slice->os->holder_thread : ANALYSIS_NONE;

	return is_selected(cutting->states, holder) ? holder : ANALYSIS_NONE;
}

/* The first wait of a thread that is not over at a time of the session; `*end`: behind its last. */
static const struct analysis_ended_wait *waits_from(const struct states *states, uint32_t thread,
						    uint64_t ticks,
						    const struct analysis_ended_wait **end)
{
	const struct analysis_ended_wait *waits = states->analysis->ended_waits.data;
	const size_t count = states->analysis->ended_waits.len;
	const size_t first =
		partition_point(count, i,
				waits[i].thread < thread ||
					(waits[i].thread == thread && waits[i].end_ticks <= ticks));

	*end = waits + partition_point(count, i, waits[i].thread <= thread);
	return waits + first;
}

/* A wait that fills more than half of the stretch of time in which the thread waited once. */
static const struct analysis_ended_wait *wait_in(const struct states *states, uint32_t thread,
						 uint64_t begin, uint64_t end)
{
	const struct analysis_ended_wait *behind;
	const struct analysis_ended_wait *wait = waits_from(states, thread, begin, &behind);

	for (; wait < behind && wait->begin_ticks < end; wait++) {
		const uint64_t from = wait->begin_ticks > begin ? wait->begin_ticks : begin;
		const uint64_t to = wait->end_ticks < end ? wait->end_ticks : end;

		if (to > from && to - from > (end - begin) / 2)
			return wait;
	}
	return NULL;
}

static void tell_last(struct cutting *cutting)
{
	if (!cutting->last.ticks)
		return;
	cutting->last.number = ++cutting->states->slices;
	cutting->each(&cutting->last, cutting->context);
	cutting->last.ticks = 0;
}

static void tell(struct cutting *cutting, const struct state_slice *slice)
{
	struct state_slice *last = &cutting->last;

	if (last->ticks && last->kind == STATE_RUNNING && slice->kind == STATE_RUNNING &&
	    last->end_ns == slice->begin_ns && !last->intervals && !slice->intervals) {
		last->ticks += slice->ticks;
		last->end_ns = slice->end_ns;
		return;
	}
	tell_last(cutting);
	*last = *slice;
}

/* What lies in the range, each as a slice. */
static void tell_waits(struct cutting *cutting)
{
	struct states *states = cutting->states;
	const struct thread_state_range *range = &states->range;
	const struct analysis_ended_wait *end;

	for (const struct analysis_ended_wait *wait =
		     waits_from(states, cutting->thread, range->begin, &end);
	     wait < end && wait->begin_ticks < range->end; wait++) {
		const struct state_slice slice = {
			.thread = cutting->thread,
			.kind = STATE_BLOCKED + (wait->wait.idle ? WAITING_IDLE : WAITING_OTHER),
			.begin_ns = ns_at(states, wait->begin_ticks),
			.end_ns = ns_at(states, wait->end_ticks),
			.ticks = wait->end_ticks - wait->begin_ticks,
			.intervals = 1,
			.os = &wait->wait.os,
			.holder = ANALYSIS_NONE,
			.ended = wait};

		tell(cutting, &slice);
	}
}

static void cut(const struct thread_state_span *whole, void *context)
{
	struct cutting *cutting = context;
	struct states *states = cutting->states;
	struct thread_state_span span = *whole;
	uint64_t all = 0, before = 0;

	if (!thread_state_clip(&span, &states->range))
		return;
	for (int kind = 0; kind < STATE_KINDS; kind++)
		all += ticks_of(&span.states, (enum state_kind)kind);
	for (int kind = 0; kind < STATE_KINDS; kind++) {
		struct state_slice slice = {.thread = cutting->thread,
					    .kind = (enum state_kind)kind,
					    .ticks = ticks_of(&span.states, (enum state_kind)kind),
					    .intervals = span.waits};

		if (!slice.ticks)
			continue;
		if (kind >= STATE_BLOCKED)
			slice.os = blocked_in(span.os);
		slice.holder = holder_of(cutting, &slice);
		if (kind >= STATE_BLOCKED && span.waits == 1)
			slice.ended = wait_in(states, cutting->thread, span.begin, span.end);
		slice.begin_ns = time_at(states, &span, before, all);
		before += slice.ticks;
		slice.end_ns = time_at(states, &span, before, all);
		tell(cutting, &slice);
	}
}

bool states_of_thread(struct states *states, uint32_t thread, state_each *each, void *context,
		      struct error *err)
{
	struct cutting cutting = {
		.states = states, .thread = thread, .each = each, .context = context};
	bool known;

	if (!thread_states_each(states->analysis, thread, cut, &cutting, &known, err))
		return false;
	if (!known)
		tell_waits(&cutting);
	tell_last(&cutting);
	return true;
}

bool states_of_all(struct states *states, state_each *each, void *context, struct error *err)
{
	for (uint32_t i = 0; i < states->analysis->threads.len; i++)
		if (states->analysis->threads.data[i].selected &&
		    !states_of_thread(states, i, each, context, err))
			return false;
	return true;
}

/* ---- arguments ---- */

struct saying {
	struct states *states;
	struct state_argument *arguments;
	size_t count, texts;
};

static void say_number(struct saying *saying, const char *name, uint64_t number)
{
	saying->arguments[saying->count++] = (struct state_argument){name, NULL, number};
}

static void say_text(struct saying *saying, const char *name, const char *text)
{
	struct str *own = &saying->states->texts[saying->texts++];

	timeline_put_name(own, text);
	saying->arguments[saying->count++] = (struct state_argument){name, own->data, 0};
}

static void say_function(struct saying *saying, const char *name, uint32_t function)
{
	if (function != ANALYSIS_NONE)
		say_text(saying, name, saying->states->analysis->functions.data[function].name);
}

static void say_os(struct saying *saying, const struct analysis_os *os)
{
	const char *call = syscall_name(os->syscall_number);
	struct str text = {0};

	if (call)
		say_text(saying, "system call", call);
	if (os->syscall_number >= 0)
		os_object_put(&text, os, false);
	if (text.len)
		say_text(saying, "object", text.data);
	str_fini(&text);
	say_function(saying, "function", os->function);
	say_function(saying, "caller", os->caller);
}

static void say_thread(struct saying *saying, const char *name, uint32_t index)
{
	const struct profile_thread *thread = saying->states->analysis->threads.data[index].row;
	struct str text = {0};

	str_printf(&text, "%s (%lld)", thread->name ? thread->name : "", (long long)thread->tid);
	say_text(saying, name, text.data);
	str_fini(&text);
}

static void say_holder(struct saying *saying, const struct analysis_os *os)
{
	say_thread(saying, "held by", os->holder_thread);
	say_function(saying, "held in", os->holder);
}

static const struct analysis_wake *wake_of(const struct state_slice *slice)
{
	const struct analysis_wake *wake = slice->ended ? slice->ended->wait.os.wake : NULL;

	return wake && wake->kind == WAKE_BY_THREAD ? wake : NULL;
}

size_t state_flows(const struct states *states, const struct state_slice *slice,
		   struct state_flow flows[STATE_FLOWS])
{
	const struct analysis_wake *wake = wake_of(slice);
	size_t count = 0;

	if (slice->holder != ANALYSIS_NONE)
		flows[count++] = (struct state_flow){.category = "lock",
						     .name = "has the lock",
						     .from = slice->holder,
						     .from_ns = slice->begin_ns,
						     .to_ns = slice->begin_ns,
						     .number = 2 * slice->number};
	if (wake && is_selected(states, wake->thread))
		flows[count++] =
			(struct state_flow){.category = "wake",
					    .name = "ends the wait",
					    .from = wake->thread,
					    .from_ns = ns_at(states, slice->ended->woken_ticks),
					    .to_ns = slice->end_ns,
					    .number = 2 * slice->number + 1};
	return count;
}

static void say_waker(struct saying *saying, const struct analysis_ended_wait *ended)
{
	const struct analysis_wake *wake = ended->wait.os.wake;

	if (wake->kind == WAKE_BY_INTERRUPT)
		say_text(saying, "ended by", "an interrupt");
	if (wake->kind != WAKE_BY_THREAD)
		return;
	say_thread(saying, "ended by", wake->thread);
	say_function(saying, "ended in", wake->function);
}

size_t state_arguments(struct states *states, const struct state_slice *slice,
		       struct state_argument arguments[STATE_ARGUMENTS])
{
	struct saying saying = {.states = states, .arguments = arguments};

	say_number(&saying, "ticks", slice->ticks);
	if (slice->intervals > 1)
		say_number(&saying, "intervals", slice->intervals);
	if (slice->os)
		say_os(&saying, slice->os);
	if (slice->os && slice->holder != ANALYSIS_NONE)
		say_holder(&saying, slice->os);
	if (slice->ended)
		say_waker(&saying, slice->ended);
	return saying.count;
}

void state_write_json(struct states *states, const struct state_slice *slice, FILE *stream)
{
	struct state_argument arguments[STATE_ARGUMENTS];
	const size_t count = state_arguments(states, slice, arguments);

	for (size_t i = 0; i < count; i++) {
		fprintf(stream, "%s\"%s\":", i ? "," : "", arguments[i].name);
		if (arguments[i].text)
			json_write_string(stream, arguments[i].text);
		else
			fprintf(stream, "%" PRIu64, arguments[i].number);
	}
}
