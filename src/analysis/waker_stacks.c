/*
 * Waits by the stack of who waited and of who ended that. What was waited with a stack, and has no
 * row that says who ended it, is told at the end, as ended by nobody known; so all together are the
 * samples of the event. Rows whose waker the profile does not have count among these, too.
 */
#include "analysis/waker_stacks.h"

#include "analysis/private.h"
#include "analysis/sample_stacks.h"

#include <inttypes.h>
#include <string.h>

/* Of a thread with one stack: what is told by now, and the longest of the others. */
struct told {
	uint64_t waits, ns, others_longest_ns;
};

struct walk {
	const struct analysis *analysis;
	struct vec_of(struct profile_wake) wakes;
	struct str key;
	struct arena arena; /* of the keys that are kept */
	struct strmap rows; /* of analysis.wakers, by what they say */
	struct map told_at; /* thread << 32 | stack → index */
	struct vec_of(struct told) told;
	bool (*each)(const struct waker_stacks *row, void *context);
	void *context;
	bool stopped;
};

/* Nobody known is one, whatever row tells of it. */
static const char *key_of(struct walk *walk, uint32_t function, uint32_t caller, bool idle,
			  const struct analysis_wake *wake)
{
	const void *who = wake && wake->kind != WAKE_NOT_KNOWN ? wake : NULL;

	str_clear(&walk->key);
	str_printf(&walk->key, "%" PRIu32 " %" PRIu32 " %d %p", function, caller, idle, who);
	return walk->key.data;
}

static void index_rows(struct walk *walk)
{
	for (size_t i = 0; i < walk->analysis->wakers.len; i++) {
		const struct analysis_sampled_wait *wait = &walk->analysis->wakers.data[i];

		const char *key =
			key_of(walk, wait->os.function, wait->os.caller, wait->idle, wait->os.wake);

		strmap_put(&walk->rows, arena_strdup(&walk->arena, key), i);
	}
}

static void tell(struct walk *walk, struct waker_stacks row, const struct analysis_wake *wake)
{
	const struct wait_place place = analysis_wait_place(walk->analysis, row.stack);
	const uint64_t *index = strmap_get(
		&walk->rows, key_of(walk, place.function, place.caller, place.idle, wake));

	row.row = index ? (uint32_t)*index : ANALYSIS_NONE;
	walk->stopped = !walk->each(&row, walk->context);
}

static bool take_wake(int64_t id, const struct profile_wake *row, void *context)
{
	struct walk *walk = context;

	(void)id;
	vec_push(&walk->wakes, *row);
	return true;
}

static struct told *told_of(struct walk *walk, uint32_t thread, int64_t stack)
{
	const uint64_t key = (uint64_t)thread << 32 | (uint64_t)stack;
	const uint64_t index = *map_put(&walk->told_at, key, walk->told.len);

	if (index == walk->told.len)
		vec_push(&walk->told, ((struct told){0}));
	return &walk->told.data[index];
}

static bool take_waker(const struct profile_waker *row, void *context)
{
	struct walk *walk = context;
	const uint32_t thread = (uint32_t)(row->thread - 1);

	if (!walk->analysis->threads.data[thread].selected)
		return true;
	struct told *told = told_of(walk, thread, row->stack);

	if (!row->wake || row->wake > (int64_t)walk->wakes.len) {
		if (told->others_longest_ns < row->longest)
			told->others_longest_ns = row->longest;
		return true;
	}
	told->waits += row->waits;
	told->ns += row->weight;
	tell(walk,
	     (struct waker_stacks){.thread = thread,
				   .stack = row->stack,
				   .wake = &walk->wakes.data[row->wake - 1],
				   .waits = row->waits,
				   .ns = row->weight,
				   .longest_ns = row->longest},
	     walk->analysis->wakes.data[row->wake - 1]);
	return !walk->stopped;
}

static uint64_t less(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

static bool tell_rest(struct walk *walk, struct profile *profile, struct error *err)
{
	struct sample_values values = {0};
	uint64_t truncated = 0;
	const bool ok =
		sample_values_load(walk->analysis, profile, analysis_event_id(profile, "off-cpu"),
				   &values, &truncated, err);

	vec_foreach (value, &values) {
		const struct told told = *told_of(walk, value->thread, value->stack);
		const struct waker_stacks rest = {.thread = value->thread,
						  .stack = value->stack,
						  .waits = less(value->samples, told.waits),
						  .ns = less(value->weight, told.ns),
						  .longest_ns = told.others_longest_ns};

		if (walk->stopped)
			break;
		if (rest.waits || rest.ns)
			tell(walk, rest, NULL);
	}
	vec_fini(&values);
	return ok;
}

bool analysis_each_waker_stacks(const struct analysis *analysis,
				bool (*each)(const struct waker_stacks *row, void *context),
				void *context, struct error *err)
{
	struct profile *profile = (struct profile *)analysis->profile;
	struct walk walk = {.analysis = analysis, .each = each, .context = context};

	arena_init(&walk.arena);
	strmap_init(&walk.rows);
	map_init(&walk.told_at);
	index_rows(&walk);
	const bool ok = profile_each_wake(profile, take_wake, &walk, err) &&
			(profile_each_waker(profile, take_waker, &walk, err) || walk.stopped) &&
			(walk.stopped || tell_rest(&walk, profile, err));
	map_fini(&walk.told_at);
	strmap_fini(&walk.rows);
	arena_fini(&walk.arena);
	str_fini(&walk.key);
	vec_fini(&walk.told);
	vec_fini(&walk.wakes);
	return ok;
}

bool analysis_no_wakers(const struct analysis *analysis, struct error *err)
{
	const char *settings = profile_session(analysis->profile)->settings;

	if (settings && strstr(settings, "--wakers"))
		return error_set(err, ERROR_NOT_FOUND,
				 "--wakers was given, and nobody was seen to end a wait: there was "
				 "none, or the kernel told nothing; record again, for longer");
	return error_set(err, ERROR_NOT_FOUND,
			 "the profile does not say who ended waits; tare record --method=sample "
			 "--wakers records it, as root");
}
