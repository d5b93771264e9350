/* Spans of threads, cut into slices of one state. Those in which it ran become one with the next.
 */
#include "report/export/states.h"

#include "report/export/timeline.h"
#include "report/table/os_object.h"
#include "report/table/syscalls.h"
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
	if (!thread_states_any(analysis))
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

static uint64_t time_at(const struct states *states, const struct thread_state_span *span,
			uint64_t part, uint64_t all)
{
	const uint64_t length = span->end - span->begin;
	const uint64_t at = span->begin + (uint64_t)((unsigned __int128)length * part / all);

	return at > states->origin ? analysis_ns(states->analysis, at - states->origin) : 0;
}

/* What the thread was blocked in; NULL where it mostly could have run. */
static const struct analysis_os *blocked_in(const struct states *states, uint64_t os)
{
	const struct analysis_os *row = thread_states_os(states->analysis, os);

	return row && row->cause == TARE_OS_BLOCKED ? row : NULL;
}

/* Of the one lock that was waited for; where several waits were joined it may be another's. */
static uint32_t holder_of(const struct cutting *cutting, const struct state_slice *slice)
{
	const struct analysis *analysis = cutting->states->analysis;
	const bool one = slice->kind == STATE_BLOCKED + WAITING_LOCK && slice->intervals == 1;
	const uint32_t holder = one && slice->os ? slice->os->holder_thread : ANALYSIS_NONE;

	return holder < analysis->threads.len && analysis->threads.data[holder].selected
		       ? holder
		       : ANALYSIS_NONE;
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
			slice.os = blocked_in(states, span.os);
		slice.holder = holder_of(cutting, &slice);
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

static void say_holder(struct saying *saying, const struct analysis_os *os)
{
	const struct profile_thread *thread =
		saying->states->analysis->threads.data[os->holder_thread].row;
	struct str text = {0};

	str_printf(&text, "%s (%lld)", thread->name ? thread->name : "", (long long)thread->tid);
	say_text(saying, "held by", text.data);
	str_fini(&text);
	say_function(saying, "held in", os->holder);
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
	if (slice->holder != ANALYSIS_NONE)
		say_holder(&saying, slice->os);
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
