/*
 *   add up ─▶ short and dear: goes at once
 *          ─▶ of the others, by the time that a call takes: the shortest go until the probes of the
 *             rest are within the budget
 *
 * What a probe costs is more than what was calibrated: new contexts are made, memory is missed. So
 * the costs of all functions are raised in proportion to what the runtime has taken indeed.
 *
 * Refuses functions for which there is no room; there will be more the next time.
 */
#include "runtime/control/sums.h"

#include "runtime/base/bytes.h"
#include "runtime/base/memory.h"

#define FIRST_ROOM 128 /* a power of two */
#define RECENT_MIN 64  /* calls that tell how long they are now */
#define CLASSES	   64  /* of average times, four per power of two */
#define CLASS_LONG 28  /* 128 times the probes: they are less than one in a hundred of the time */
#define SCALE_ONE  16ULL
#define SCALE_MOST (4 * SCALE_ONE)

static uint64_t slot_of(uint64_t key, uint64_t room)
{
	return (key * 0x9e3779b97f4a7c15ULL >> 20) & (room - 1);
}

/* The place of the key, or where it would be. */
static struct adapt_sum *place_of(const struct adapt_sums *sums, uint64_t key)
{
	uint64_t slot = slot_of(key, sums->room);

	while (sums->items[slot].key && sums->items[slot].key != key)
		slot = (slot + 1) & (sums->room - 1);
	return &sums->items[slot];
}

static bool grow(struct adapt_sums *sums)
{
	struct adapt_sums larger = {.room = sums->room ? sums->room * 4 : FIRST_ROOM,
				    .used = sums->used};

	larger.items = memory_map(larger.room * sizeof(*larger.items));
	if (!larger.items)
		return false;
	for (uint64_t i = 0; i < sums->room; i++)
		if (sums->items[i].key)
			*place_of(&larger, sums->items[i].key) = sums->items[i];
	if (sums->items)
		memory_unmap(sums->items, sums->room * sizeof(*sums->items));
	*sums = larger;
	return true;
}

bool sums_begin(struct adapt_sums *sums)
{
	if (sums->used >= sums->room / 2 && !grow(sums) && !sums->items)
		return false;
	for (uint64_t i = 0; i < sums->room; i++) {
		struct adapt_sum *sum = &sums->items[i];

		*sum = (struct adapt_sum){.key = sum->key,
					  .calls_before = sum->calls,
					  .ticks_before = sum->ticks,
					  .below_before = sum->below_ticks};
	}
	return true;
}

/* Half of the slots stay free. */
void sums_add(struct adapt_sums *sums, const struct adapt_sum *part)
{
	struct adapt_sum *sum = place_of(sums, part->key);

	if (!sum->key && sums->used >= sums->room / 2)
		return;
	if (!sum->key)
		*sum = (struct adapt_sum){.key = part->key};
	sums->used += !sum->calls && !sum->calls_before;
	sum->calls += part->calls;
	sum->ticks += part->ticks;
	sum->blocked_ticks += part->blocked_ticks;
}

struct adapt_sum *sums_find(const struct adapt_sums *sums, uint64_t key)
{
	struct adapt_sum *sum = sums->items ? place_of(sums, key) : NULL;

	return sum && sum->key ? sum : NULL;
}

static uint64_t recent_calls(const struct adapt_sum *sum)
{
	return sum->calls > sum->calls_before ? sum->calls - sum->calls_before : 0;
}

/* How long a call takes now. */
static uint64_t average_ticks(const struct adapt_sum *sum)
{
	const uint64_t recent = recent_calls(sum);
	const int64_t ticks = recent >= RECENT_MIN ? sum->ticks - sum->ticks_before : sum->ticks;
	const uint64_t calls = recent >= RECENT_MIN ? recent : sum->calls;

	return ticks > 0 && calls ? (uint64_t)ticks / calls : 0;
}

bool sums_waits(const struct adapt_sum *sum)
{
	const uint64_t own_ticks = sum->ticks > 0 ? (uint64_t)sum->ticks : 0;

	return sum->blocked_ticks &&
	       sum->blocked_ticks >= (own_ticks + sum->blocked_ticks) / SUMS_WAITS;
}

bool sums_leads(const struct adapt_sum *sum, uint64_t below_ticks, const struct sums_work *work)
{
	return tare_judged_leads(below_ticks, sum->calls * work->pair_ticks,
				 work->worked_ticks_all);
}

bool sums_stays(const struct adapt_sum *sum)
{
	return sum->leads || sums_waits(sum);
}

static bool is_for_judgement(const struct adapt_sum *sum)
{
	return sum->calls >= SUMS_CALLS_MIN && !sums_stays(sum);
}

bool sums_is_short(const struct adapt_sum *sum, uint64_t calls_min, const struct sums_work *work)
{
	return sum->calls >= calls_min && !sums_stays(sum) &&
	       average_ticks(sum) * 100 < work->pair_ticks * work->ratio_percent;
}

static bool is_short_and_dear(const struct adapt_sum *sum, const struct sums_work *work)
{
	return sums_is_short(sum, SUMS_CALLS_MIN, work) &&
	       (sum->dear || (recent_calls(sum) && sum->calls * work->pair_ticks >=
							   work->worked_ticks_all / SUMS_SHARE));
}

/* Four classes per power of two of what a call's probes cost. */
static uint32_t class_of(const struct adapt_sum *sum, const struct sums_work *work)
{
	const uint64_t pair = work->pair_ticks ? work->pair_ticks : 1;
	const uint64_t quarters = average_ticks(sum) * 4 / pair + 4;
	const uint32_t power = 63 - (uint32_t)__builtin_clzll(quarters);
	const uint64_t class = (uint64_t)(power - 2) * 4 + (quarters >> (power - 2) & 3);

	return class < CLASSES ? (uint32_t) class : CLASSES - 1;
}

/* Costs of what is timed, by class; what cannot be judged yet counts as well, in `rest`. */
struct costs {
	uint64_t classes[CLASSES];
	uint64_t all, rest;
};

static void costs_add(struct costs *costs, const struct adapt_sum *sum,
		      const struct sums_work *work)
{
	const uint64_t cost = recent_calls(sum) * work->pair_ticks;

	costs->all += cost;
	if (sum->goes)
		return;
	if (is_for_judgement(sum) && cost >= work->worked_ticks / SUMS_TRIFLE)
		costs->classes[class_of(sum, work)] += cost;
	else if (!sums_stays(sum))
		costs->rest += cost;
}

/* Classes below the result go. */
static uint32_t class_least(const struct costs *costs, const struct sums_work *work)
{
	const uint64_t taken = costs->all + work->own_ticks;
	const uint64_t scale = !costs->all ? SCALE_ONE : taken * SCALE_ONE / costs->all;
	const uint64_t raised = scale > SCALE_MOST ? SCALE_MOST : scale;
	const uint64_t budget = work->worked_ticks / SUMS_BUDGET * SCALE_ONE / raised;
	uint64_t sum = costs->rest;
	uint32_t class = CLASSES;

	while (class && sum + costs->classes[class - 1] <= budget)
		sum += costs->classes[--class];
	return class < CLASS_LONG ? class : CLASS_LONG;
}

void sums_judge(const struct adapt_sums *sums, const struct sums_work *work)
{
	struct costs costs = {0};

	for (uint64_t i = 0; i < sums->room; i++) {
		struct adapt_sum *sum = &sums->items[i];

		if (!sum->key)
			continue;
		sum->leads = sums_leads(sum, sum->below_ticks, work);
		sum->dear = recent_calls(sum) * work->pair_ticks >= work->worked_ticks / SUMS_SHARE;
		sum->goes = is_short_and_dear(sum, work);
		costs_add(&costs, sum, work);
	}
	const uint32_t least = class_least(&costs, work);

	for (uint64_t i = 0; i < sums->room; i++) {
		struct adapt_sum *sum = &sums->items[i];

		if (sum->key && !sum->goes && is_for_judgement(sum) &&
		    recent_calls(sum) * work->pair_ticks >= work->worked_ticks / SUMS_TRIFLE &&
		    class_of(sum, work) < least)
			sum->goes = true;
	}
}
