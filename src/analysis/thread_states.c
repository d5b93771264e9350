/*
 * From the records of a thread to spans of its life, and to equal parts of time.
 *
 *   clock    0 ---- begin ===== end ------- begin === end -------- now     the thread's, exact
 *   session  |-ran-|-ran-|waited|---ran----|-r-|wait|----ran------|        the clock + what was
 * lost
 *
 * What is lost between the ends of two records is spread evenly over the time between them.
 */
#include "analysis/thread_states.h"

#include "analysis/private.h"
#include "analysis/sampled_states.h"
#include "analysis/trace.h"
#include "profile/wait_record.h"

struct walk {
	const struct analysis *analysis;
	const struct profile_thread *thread;
	void (*each)(const struct thread_state_span *span, void *context);
	void *context;
	uint64_t cpu, cpu_shown; /* ticks: of the records, and as reports have it */
	uint64_t run, given;	 /* so far */
	uint64_t at;		 /* of the session: the end of the last span */
	uint64_t blocked, preempted;
};

/* What reports show of so much CPU time, so that all of it adds up. */
static uint64_t shown_cpu(struct walk *walk, uint64_t cpu)
{
	walk->run += cpu;
	const uint64_t due =
		walk->run >= walk->cpu
			? walk->cpu_shown
			: (uint64_t)((unsigned __int128)walk->cpu_shown * walk->run / walk->cpu);
	const uint64_t shown = due > walk->given ? due - walk->given : 0;

	walk->given += shown;
	return shown;
}

static void tell(struct walk *walk, uint64_t end, struct thread_state_span *span)
{
	span->begin = walk->at;
	span->end = end > walk->at ? end : walk->at;
	span->states.cpu = shown_cpu(walk, span->states.cpu);
	walk->at = span->end;
	if (span->end > span->begin || span->states.cpu || span->waits)
		walk->each(span, walk->context);
}

static void tell_run(struct walk *walk, uint64_t end, uint64_t cpu)
{
	struct thread_state_span span = {.states.cpu = cpu};

	tell(walk, end, &span);
}

static const struct analysis_os *os_of(const struct analysis *analysis, uint64_t os)
{
	const uint32_t index = os < analysis->os_wait.len ? analysis->os_wait.data[os] : 0;

	return index ? &analysis->waits.data[index - 1] : NULL;
}

static enum analysis_waiting waiting_in(const struct analysis *analysis, uint64_t os)
{
	return os < analysis->os_waiting.len ? (enum analysis_waiting)analysis->os_waiting.data[os]
					     : WAITING_OTHER;
}

/* When the thread's clock was at `clock`, between the ends of two records. */
static uint64_t session_time(const struct wait_record *before, const struct wait_record *wait,
			     uint64_t clock)
{
	const double part = wait->end > before->end ? (double)(clock - before->end) /
							      (double)(wait->end - before->end)
						    : 1;
	const double lost = (double)wait->lost_ticks - (double)before->lost_ticks;

	return before->lost_ticks + (uint64_t)(int64_t)(lost * part) + clock;
}

static void tell_wait(struct walk *walk, const struct wait_record *before,
		      const struct wait_record *wait)
{
	const uint64_t waited = wait->blocked_ticks + wait->preempted_ticks;
	const uint64_t ran = wait->end - wait->begin - waited;
	const uint64_t end = wait->end + wait->lost_ticks;
	struct thread_state_span span = {.waits = wait->count ? wait->count : 1,
					 .os = os_of(walk->analysis, wait->os)};

	tell_run(walk, session_time(before, wait, wait->begin), wait->begin - before->end);
	if (wait->count > 1)
		span.states.cpu = ran;
	else
		tell_run(walk, end > waited ? end - waited : 0, ran);
	span.states.preempted = wait->preempted_ticks;
	span.states.blocked[waiting_in(walk->analysis, wait->os)] = wait->blocked_ticks;
	tell(walk, end, &span);
}

static uint64_t end_of(const struct walk *walk)
{
	return walk->thread->end_ticks ? walk->thread->end_ticks
				       : profile_session(walk->analysis->profile)->end_ticks;
}

static uint64_t beyond(uint64_t all, uint64_t known)
{
	return all > known ? all - known : 0;
}

/* Behind the last record, and what records of a killed thread do not tell. */
static void tell_rest(struct walk *walk)
{
	const uint64_t blocked = beyond(walk->thread->blocked_ticks, walk->blocked);
	const uint64_t preempted = beyond(walk->thread->preempted_ticks, walk->preempted);
	const uint64_t ran = beyond(walk->cpu, walk->run);
	struct thread_state_span span = {.states = {.cpu = ran, .preempted = preempted},
					 .waits = blocked || preempted};

	span.states.blocked[WAITING_OTHER] = blocked;
	tell(walk, end_of(walk), &span);
}

static bool walk_data(struct walk *walk, const void *data, size_t size, struct error *err)
{
	struct byte_reader reader = byte_reader(data, size);
	struct wait_record wait = {.lost_ticks = walk->thread->begin_ticks}, before = wait;

	while (bytes_left(&reader)) {
		if (!wait_record_read(&reader, &wait))
			return error_set(err, ERROR_INPUT,
					 "the profile is damaged: the waits of thread %lld make no "
					 "sense",
					 (long long)walk->thread->tid);
		walk->blocked += wait.blocked_ticks;
		walk->preempted += wait.preempted_ticks;
		tell_wait(walk, &before, &wait);
		before = wait;
	}
	tell_rest(walk);
	return true;
}

static bool take_list(int64_t id, const struct profile_wait *row, void *context)
{
	struct analysis *analysis = context;

	analysis->wait_lists.data[row->thread - 1] = id;
	return true;
}

bool analysis_load_waits(struct analysis *analysis, struct profile *profile, struct error *err)
{
	for (size_t i = 0; i < analysis->threads.len; i++)
		vec_push(&analysis->wait_lists, 0);
	return profile_each_wait(profile, take_list, analysis, err);
}

static bool any_list(const struct analysis *analysis)
{
	vec_foreach (list, &analysis->wait_lists) {
		if (*list)
			return true;
	}
	return false;
}

bool thread_states_any(const struct analysis *analysis)
{
	return any_list(analysis) || sampled_states_any(analysis);
}

bool thread_states_each(const struct analysis *analysis, uint32_t thread,
			void (*each)(const struct thread_state_span *span, void *context),
			void *context, bool *known, struct error *err)
{
	const struct analysis_thread *of = &analysis->threads.data[thread];
	const struct profile_thread *row = of->row;
	const int64_t list = analysis->wait_lists.data[thread];
	struct walk walk = {
		.analysis = analysis,
		.thread = row,
		.each = each,
		.context = context,
		.cpu = beyond(row->now_ticks, row->blocked_ticks + row->preempted_ticks),
		.cpu_shown = of->values.amount[CPU_INCLUSIVE],
		.at = row->begin_ticks};
	void *data = NULL;
	size_t size = 0;

	if (!row->now_ticks && sampled_states_any(analysis))
		return sampled_states_each(analysis, thread, each, context, known, err);
	*known = any_list(analysis) && row->now_ticks &&
		 (list || !(row->blocked_ticks || row->preempted_ticks));
	if (!*known)
		return true;
	if (list &&
	    !profile_read_wait((struct profile *)analysis->profile, list, &data, &size, err))
		return false;
	const bool ok = walk_data(&walk, data, size, err);

	free(data);
	return ok;
}

/* ---- equal parts ---- */

struct filling {
	const struct thread_state_range *range;
	struct thread_state_slice *slices;
};

uint64_t thread_state_part_begin(const struct thread_state_range *range, uint64_t part)
{
	return range->begin +
	       (uint64_t)((unsigned __int128)(range->end - range->begin) * part / range->count);
}

static uint32_t part_at(const struct thread_state_range *range, uint64_t ticks)
{
	const uint64_t span = range->end - range->begin;
	uint64_t part = (uint64_t)((unsigned __int128)(ticks - range->begin) * range->count / span);

	while (part + 1 < range->count && thread_state_part_begin(range, part + 1) <= ticks)
		part++;
	return part < range->count ? (uint32_t)part : range->count - 1;
}

static uint64_t part_of(uint64_t value, uint64_t part, uint64_t all)
{
	return part >= all ? value : (uint64_t)((unsigned __int128)value * part / all);
}

/* What there is of a span up to a time of it. */
static struct thread_state_slice states_until(const struct thread_state_span *span, uint64_t ticks)
{
	const uint64_t all = span->end - span->begin;
	const uint64_t part = ticks <= span->begin ? 0 : ticks - span->begin;
	const bool whole = ticks >= span->end;
	struct thread_state_slice states = span->states;

	if (whole)
		return states;
	states.cpu = part_of(states.cpu, part, all);
	states.preempted = part_of(states.preempted, part, all);
	for (int i = 0; i < WAITINGS; i++)
		states.blocked[i] = part_of(states.blocked[i], part, all);
	return states;
}

static void slice_add(struct thread_state_slice *to, const struct thread_state_slice *until,
		      const struct thread_state_slice *before)
{
	to->cpu += until->cpu - before->cpu;
	to->preempted += until->preempted - before->preempted;
	for (int i = 0; i < WAITINGS; i++)
		to->blocked[i] += until->blocked[i] - before->blocked[i];
}

static bool lies_in(const struct thread_state_span *span, const struct thread_state_range *range)
{
	if (span->begin == span->end)
		return span->begin >= range->begin && span->begin <= range->end;
	return span->end > range->begin && span->begin < range->end;
}

bool thread_state_clip(struct thread_state_span *span, const struct thread_state_range *range)
{
	const uint64_t begin = span->begin > range->begin ? span->begin : range->begin;
	const uint64_t end = span->end < range->end ? span->end : range->end;
	struct thread_state_slice kept = {0};

	if (!lies_in(span, range))
		return false;
	const struct thread_state_slice until = states_until(span, end);
	const struct thread_state_slice before =
		begin > span->begin ? states_until(span, begin) : (struct thread_state_slice){0};
	slice_add(&kept, &until, &before);
	span->begin = begin;
	span->end = end;
	span->states = kept;
	return true;
}

/* A span without a length is in the part where it begins. */
static void fill_span(const struct thread_state_span *span, void *context)
{
	const struct filling *filling = context;
	const struct thread_state_range *range = filling->range;

	if (!lies_in(span, range))
		return;
	struct thread_state_slice before = {0};
	if (span->begin < range->begin)
		before = states_until(span, range->begin);
	const uint64_t begin = span->begin > range->begin ? span->begin : range->begin;
	const uint64_t end = span->end < range->end ? span->end : range->end;
	const uint32_t last = part_at(range, end > begin ? end - 1 : begin);

	for (uint32_t part = part_at(range, begin); part <= last; part++) {
		const uint64_t until = part < last ? thread_state_part_begin(range, part + 1) : end;
		const struct thread_state_slice now = states_until(span, until);

		slice_add(&filling->slices[part], &now, &before);
		before = now;
	}
}

bool thread_states_fill(const struct analysis *analysis, uint32_t thread,
			const struct thread_state_range *range, struct thread_state_slice *slices,
			bool *known, struct error *err)
{
	struct filling filling = {.range = range, .slices = slices};

	*known = false;
	if (range->end <= range->begin || !range->count)
		return true;
	return thread_states_each(analysis, thread, fill_span, &filling, known, err);
}

bool thread_states_range(const struct analysis *analysis, const char *from, const char *to,
			 struct thread_state_range *range, struct error *err)
{
	struct profile *profile = (struct profile *)analysis->profile;
	const uint64_t origin = profile_session(profile)->begin_ticks;
	uint64_t begin = 0, end = range->end - origin;

	if ((from && !analysis_time_parse(analysis, profile, from, false, &begin, err)) ||
	    (to && !analysis_time_parse(analysis, profile, to, true, &end, err)))
		return false;
	range->begin = origin + begin > range->begin ? origin + begin : range->begin;
	range->end = origin + end < range->end ? origin + end : range->end;
	if (range->end < range->begin)
		range->end = range->begin;
	return true;
}
