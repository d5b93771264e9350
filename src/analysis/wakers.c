/*
 * Who ended waits: waits of the event off-cpu by where they were, and by the thread and function
 * that ended each, with who had ended that one's wait before. What was waited without anybody being
 * seen to end it is a row of its own, so that all together are the samples of that event.
 */
#include "analysis/private.h"
#include "analysis/sample_stacks.h"

#include <inttypes.h>

/* Recordings keep eight; a damaged profile could have as many as it has rows. */
enum { CHAIN_MAX = 64 };

struct rest {
	struct wait_place place;
	uint64_t waits, ns;
};

struct wakers {
	struct analysis *analysis;
	struct vec_of(uint8_t) depths; /* by id of wakes: how many there are before each */
	struct strmap same;	       /* wakes, by what they say */
	struct strmap sums;	       /* of waits → index */
	struct map rest_at;
	struct vec_of(struct rest) rests;
};

static const struct analysis_wake *wake_keep(struct wakers *wakers,
					     const struct analysis_wake *wake)
{
	struct arena *arena = &wakers->analysis->arena;
	const char *key = arena_printf(arena, "%d %" PRIu32 " %" PRIu32 " %p", (int)wake->kind,
				       wake->thread, wake->function, (const void *)wake->before);
	uint64_t *known = strmap_put(&wakers->same, key, 0);

	if (!*known) {
		struct analysis_wake *kept = arena_new(arena, struct analysis_wake);

		*kept = *wake;
		*known = (uintptr_t)kept;
	}
	return (const struct analysis_wake *)(uintptr_t)*known;
}

/* Where the thread was: its program's function, else the innermost one; ANALYSIS_NONE: not known.
 */
static uint32_t waking_function(const struct analysis *analysis, int64_t stack)
{
	const struct wait_place place = analysis_wait_place(analysis, stack);
	size_t count;

	if (place.caller != ANALYSIS_NONE)
		return place.caller;
	if (place.function != ANALYSIS_NONE || !stack)
		return place.function;
	const struct profile_stack *stacks = profile_stacks(analysis->profile, &count);
	const struct profile_location *locations = profile_locations(analysis->profile, &count);

	return analysis->function_of[locations[stacks[stack - 1].location - 1].function - 1];
}

static bool take_wake(int64_t id, const struct profile_wake *row, void *context)
{
	struct wakers *wakers = context;
	const uint8_t before = row->before ? wakers->depths.data[row->before - 1] : CHAIN_MAX;
	const bool goes_on = before + 1 < CHAIN_MAX;
	const struct analysis_wake wake = {
		.kind = row->thread ? WAKE_BY_THREAD : WAKE_BY_INTERRUPT,
		.thread = row->thread ? (uint32_t)(row->thread - 1) : ANALYSIS_NONE,
		.function = waking_function(wakers->analysis, row->stack),
		.before = goes_on ? wakers->analysis->wakes.data[row->before - 1] : NULL};

	(void)id;
	vec_push(&wakers->analysis->wakes, wake_keep(wakers, &wake));
	vec_push(&wakers->depths, (uint8_t)(goes_on ? before + 1 : 0));
	return true;
}

void analysis_waits_add(struct analysis_os *sum, const struct analysis_os *os)
{
	sum->count += os->count;
	sum->ticks += os->ticks;
	if (sum->longest_ticks < os->longest_ticks)
		sum->longest_ticks = os->longest_ticks;
}

static void add(struct wakers *wakers, const struct analysis_sampled_wait *wait)
{
	struct analysis *analysis = wakers->analysis;
	const struct analysis_os *os = &wait->os;
	const char *key =
		arena_printf(&analysis->arena, "%" PRIu32 " %" PRIu32 " %d %p", os->function,
			     os->caller, (int)wait->idle, (const void *)os->wake);
	const uint64_t fresh = analysis->wakers.len;
	const uint64_t index = *strmap_put(&wakers->sums, key, fresh);

	if (index == fresh) {
		vec_push(&analysis->wakers, *wait);
		return;
	}
	analysis_waits_add(&analysis->wakers.data[index].os, os);
}

static const struct analysis_wake *not_known(struct wakers *wakers)
{
	return wake_keep(wakers, &(struct analysis_wake){.kind = WAKE_NOT_KNOWN,
							 .thread = ANALYSIS_NONE,
							 .function = ANALYSIS_NONE});
}

/* Waits of a stack that one and the same ended: the row of `wake`, 0: not known. */
static struct analysis_sampled_wait waits_of(struct wakers *wakers, int64_t stack, int64_t wake)
{
	const struct wait_place place = analysis_wait_place(wakers->analysis, stack);
	struct analysis_sampled_wait waits = analysis_waits_at(&place);

	waits.os.wake = wake ? wakers->analysis->wakes.data[wake - 1] : not_known(wakers);
	return waits;
}

static bool is_told(const struct wakers *wakers, int64_t thread, int64_t wake)
{
	return wakers->analysis->threads.data[thread - 1].selected &&
	       wake <= (int64_t)wakers->analysis->wakes.len;
}

static bool take_waker(const struct profile_waker *row, void *context)
{
	struct wakers *wakers = context;
	const struct analysis *analysis = wakers->analysis;

	if (!is_told(wakers, row->thread, row->wake))
		return true;
	struct analysis_sampled_wait wait = waits_of(wakers, row->stack, row->wake);

	wait.os.count = row->waits;
	wait.os.ticks = analysis_ticks_of_ns(analysis, row->weight);
	wait.os.longest_ticks = analysis_ticks_of_ns(analysis, row->longest);
	add(wakers, &wait);
	return true;
}

static bool take_woken(const struct profile_woken *row, void *context)
{
	struct wakers *wakers = context;

	if (!is_told(wakers, row->thread, row->wake))
		return true;
	struct analysis_ended_wait ended = {.thread = (uint32_t)(row->thread - 1),
					    .begin_ticks = row->begin_ticks,
					    .woken_ticks = row->woken_ticks,
					    .end_ticks = row->end_ticks,
					    .wait = waits_of(wakers, row->stack, row->wake)};

	ended.wait.os.count = 1;
	ended.wait.os.ticks = ended.wait.os.longest_ticks = row->end_ticks - row->begin_ticks;
	vec_push(&wakers->analysis->ended_waits, ended);
	return true;
}

static int compare_ended(const void *a, const void *b)
{
	const struct analysis_ended_wait *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->begin_ticks < y->begin_ticks ? -1 : x->begin_ticks > y->begin_ticks;
}

/* Waits of a place whose end nobody was seen at, by now. */
static struct rest *rest_of(struct wakers *wakers, int64_t stack)
{
	const struct wait_place place = analysis_wait_place(wakers->analysis, stack);
	const uint64_t key = ((uint64_t)place.caller << 32 | place.function) ^ (uint64_t)place.idle
										       << 63;
	const uint64_t index = *map_put(&wakers->rest_at, key, wakers->rests.len);

	if (index == wakers->rests.len)
		vec_push(&wakers->rests, ((struct rest){.place = place}));
	return &wakers->rests.data[index];
}

static bool take_known(const struct profile_waker *row, void *context)
{
	struct wakers *wakers = context;
	struct rest *rest = rest_of(wakers, row->stack);

	if (!wakers->analysis->threads.data[row->thread - 1].selected)
		return true;
	rest->waits -= row->waits < rest->waits ? row->waits : rest->waits;
	rest->ns -= row->weight < rest->ns ? row->weight : rest->ns;
	return true;
}

static void add_rest(struct wakers *wakers, const struct rest *rest)
{
	struct analysis_sampled_wait waits = analysis_waits_at(&rest->place);

	waits.os.wake = not_known(wakers);
	waits.os.count = rest->waits;
	waits.os.ticks = analysis_ticks_of_ns(wakers->analysis, rest->ns);
	if (rest->waits)
		add(wakers, &waits);
}

static bool add_rests(struct wakers *wakers, struct profile *profile, struct error *err)
{
	struct sample_values values = {0};
	uint64_t truncated = 0;
	const bool ok =
		sample_values_load(wakers->analysis, profile, analysis_event_id(profile, "off-cpu"),
				   &values, &truncated, err);

	vec_foreach (value, &values) {
		struct rest *rest = rest_of(wakers, value->stack);

		rest->waits += value->samples;
		rest->ns += value->weight;
	}
	vec_fini(&values);
	if (!ok || !profile_each_waker(profile, take_known, wakers, err))
		return false;
	vec_foreach (rest, &wakers->rests)
		add_rest(wakers, rest);
	return true;
}

int analysis_compare_waits(const void *a, const void *b)
{
	const struct analysis_os *x = &((const struct analysis_sampled_wait *)a)->os;
	const struct analysis_os *y = &((const struct analysis_sampled_wait *)b)->os;

	if (x->ticks != y->ticks)
		return x->ticks > y->ticks ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->count > y->count ? -1 : x->count < y->count;
}

/* What is known of a caller: in which function it waits, if in one only, and who ends that. */
struct of_caller {
	uint32_t function;
	bool several;
	const struct analysis_wake *wake; /* the first, as rows come by descending ticks */
};

struct callers {
	struct map at;
	struct vec_of(struct of_caller) list;
};

static void callers_note(struct callers *callers, const struct analysis_os *os)
{
	const uint64_t index = *map_put(&callers->at, os->caller, callers->list.len);

	if (index == callers->list.len)
		vec_push(&callers->list, ((struct of_caller){os->function, false, os->wake}));
	callers->list.data[index].several |= callers->list.data[index].function != os->function;
}

static const struct of_caller *callers_get(const struct callers *callers, uint32_t caller)
{
	const uint64_t *index = map_get(&callers->at, caller);

	return index && !callers->list.data[*index].several ? &callers->list.data[*index] : NULL;
}

static void callers_fini(struct callers *callers)
{
	map_fini(&callers->at);
	vec_fini(&callers->list);
}

/*
 * Calls and samples name the function that waits by what was called, and by what was at work: where
 * these differ, a caller that waits in one function only is as good.
 */
static void give_rows(struct analysis *analysis, const struct map *exact,
		      const struct callers *wakers)
{
	struct callers rows = {0};

	map_init(&rows.at);
	vec_foreach (os, &analysis->os)
		if (os->cause == TARE_OS_BLOCKED)
			callers_note(&rows, os);
	vec_foreach (os, &analysis->os) {
		const uint64_t *wake = map_get(exact, (uint64_t)os->caller << 32 | os->function);
		const struct of_caller *waker = callers_get(wakers, os->caller);

		if (os->cause != TARE_OS_BLOCKED)
			continue;
		if (wake)
			os->wake = (const struct analysis_wake *)(uintptr_t)*wake;
		else if (waker && os->caller != ANALYSIS_NONE && callers_get(&rows, os->caller))
			os->wake = waker->wake;
	}
	callers_fini(&rows);
}

static void give_wakes(struct analysis *analysis)
{
	struct callers callers = {0};
	struct map exact = {0};

	map_init(&exact);
	map_init(&callers.at);
	vec_foreach (waker, &analysis->direct_wakers) {
		const struct analysis_os *os = &waker->os;

		if (os->wake->kind == WAKE_NOT_KNOWN)
			continue;
		map_put(&exact, (uint64_t)os->caller << 32 | os->function, (uintptr_t)os->wake);
		callers_note(&callers, os);
	}
	vec_foreach (wait, &analysis->sampled_waits) {
		const struct analysis_os *os = &wait->os;
		const uint64_t *wake = map_get(&exact, (uint64_t)os->caller << 32 | os->function);

		wait->os.wake = wake ? (const struct analysis_wake *)(uintptr_t)*wake : NULL;
	}
	give_rows(analysis, &exact, &callers);
	callers_fini(&callers);
	map_fini(&exact);
}

bool analysis_load_wakers(struct analysis *analysis, struct profile *profile, struct error *err)
{
	struct wakers wakers = {.analysis = analysis};

	strmap_init(&wakers.same);
	strmap_init(&wakers.sums);
	map_init(&wakers.rest_at);
	const bool ok = profile_each_wake(profile, take_wake, &wakers, err) &&
			profile_each_waker(profile, take_waker, &wakers, err) &&
			profile_each_woken(profile, take_woken, &wakers, err) &&
			(!analysis->wakers.len || add_rests(&wakers, profile, err));
	if (ok) {
		vec_sort(&analysis->wakers, analysis_compare_waits);
		analysis_find_direct_wakers(analysis);
		give_wakes(analysis);
	}
	vec_sort(&analysis->ended_waits, compare_ended);
	strmap_fini(&wakers.same);
	strmap_fini(&wakers.sums);
	map_fini(&wakers.rest_at);
	vec_fini(&wakers.rests);
	vec_fini(&wakers.depths);
	return ok;
}
