/*
 *   every some ten milliseconds ── what has each disarmed byte's counter got since the last look?
 *        nothing ─▶ as it is      much ─▶ from the start      a little ─▶ once more quiet
 *                                     quiet for 2, 4, 8 … looks ─▶ timed again
 *
 * A function that is not called at all stays as it is: there is nothing to time. In a program of
 * thousands of functions that each are rare for a while, as a compiler, what all those take that
 * are timed again until they are judged is bounded, too: the time that passes pays for it.
 *
 * Refuses to look at more than STEPS_MAX bytes at a time; the others are next. Who is quiet when
 * nothing is left to pay with waits for the next look.
 */
#include "runtime/control/phases.h"

#include "runtime/control/disarmed.h"
#include "runtime/files/counters.h"

#define PAUSE_TICKS (1ULL << 26)
#define STEPS_MAX   (1ULL << 17) /* bytes passed by */
#define SOME	    64		 /* counters that are read at once */
#define PAUSES_PAID 16		 /* longer ones pay no more than so many */
#define PRICE_PAIRS 1024	 /* what one more is timed costs: some hundred calls on new paths */

static uint64_t due_ticks, looked_ticks;
static uint64_t paid_ticks; /* what may be taken by those that are timed again */
static struct arming_cursor cursor;

/* Disarmed bytes of one module. */
struct some {
	struct arming_place places[SOME];
	uint32_t numbers[SOME];
	uint32_t count;
};

/* Is the function rare, by `calls` in `looks` of ARMING_LOOK_TICKS? */
static bool is_rare(uint64_t calls, uint64_t looks, uint64_t pair_ticks)
{
	return calls * pair_ticks < looks * ARMING_LOOK_TICKS / PHASES_RARE;
}

/* Has it been rare for long enough? Threads that end take their counts with them: less is no sign.
 */
static bool is_quiet(struct arming_state *state, uint32_t total, uint32_t look, uint64_t pair_ticks)
{
	const uint32_t calls = total - state->count, looks = look - state->look;
	const bool is_first = !state->look;

	state->count = total;
	state->look = look;
	if (is_first || !calls || !looks)
		return false;
	if (calls > UINT32_MAX / 2 || !is_rare(calls, looks, pair_ticks)) {
		state->quiet = 0;
		return false;
	}
	const uint32_t wanted = (uint32_t)PHASES_LOOKS << (state->times ? state->times - 1 : 0);

	if (state->quiet < wanted)
		state->quiet++;
	return state->quiet >= wanted;
}

/* Part of the time since the last look. */
static void pay(uint64_t now_ticks)
{
	const uint64_t most_ticks = PAUSES_PAID * PAUSE_TICKS;
	const uint64_t past_ticks = looked_ticks ? now_ticks - looked_ticks : PAUSE_TICKS;

	paid_ticks += (past_ticks < most_ticks ? past_ticks : most_ticks) / PHASES_PART;
	if (paid_ticks > most_ticks / PHASES_PART)
		paid_ticks = most_ticks / PHASES_PART;
	looked_ticks = now_ticks;
}

static bool is_paid(uint64_t pair_ticks)
{
	const uint64_t price_ticks = PRICE_PAIRS * pair_ticks;

	if (paid_ticks < price_ticks)
		return false;
	paid_ticks -= price_ticks;
	return true;
}

static bool some_look(struct some *some, uint64_t now_ticks, uint64_t pair_ticks)
{
	const uint32_t look = (uint32_t)(now_ticks / ARMING_LOOK_TICKS) | 1;
	uint32_t totals[SOME];
	bool any = false;

	const uint32_t count = some->count;

	some->count = 0;
	if (!count || !counters_totals(some->places[0].module, some->numbers, count, totals))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct arming_place *place = &some->places[i];

		if (place->number >= place->module->counter_count ||
		    !is_quiet(place->state, totals[i], look, pair_ticks) || !is_paid(pair_ticks))
			continue;
		disarmed_take_back(place);
		any = true;
	}
	return any;
}

bool phases_look(uint64_t now_ticks, uint64_t pair_ticks)
{
	uint64_t steps = STEPS_MAX;
	struct some some = {0};
	struct arming_place place;
	bool any = false;

	if (!due_ticks)
		due_ticks = now_ticks + PAUSE_TICKS;
	if ((int64_t)(now_ticks - due_ticks) < 0)
		return false;
	due_ticks = now_ticks + PAUSE_TICKS;
	pay(now_ticks);
	while (arming_next_off(&cursor, &place, &steps)) {
		if (some.count && some.places[0].module != place.module)
			any |= some_look(&some, now_ticks, pair_ticks);
		some.places[some.count] = place;
		some.numbers[some.count++] = place.number;
		if (some.count == SOME)
			any |= some_look(&some, now_ticks, pair_ticks);
	}
	return some_look(&some, now_ticks, pair_ticks) || any;
}
