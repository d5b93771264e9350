/*
 * Waits by who ended them, whatever that one had waited for before. Of that the rows say as much as
 * is the same for more than half of their time: each step of a chain is the heaviest of those that
 * go on from the one before.
 */
#include "analysis/private.h"

#include <inttypes.h>

/* Waits of one row, at a step of the chain that ends them. */
struct step {
	const struct analysis_wake *wake; /* NULL: the chain ends before */
	uint64_t ticks;
};

struct steps vec_of(struct step);

struct group {
	struct analysis_sampled_wait waits;
	struct steps steps;
};

struct groups vec_of(struct group);

static int compare_waker(const struct analysis_wake *x, const struct analysis_wake *y)
{
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static int compare_steps(const void *a, const void *b)
{
	const struct analysis_wake *x = ((const struct step *)a)->wake;
	const struct analysis_wake *y = ((const struct step *)b)->wake;

	if (!x || !y)
		return (x != NULL) - (y != NULL);
	return compare_waker(x, y);
}

/* Keeps the steps of the waker with the most ticks, if it has more than `half`; else none. */
static void keep_heaviest(struct steps *steps, uint64_t half)
{
	size_t best = 0, best_end = 0, end;
	uint64_t most = half;

	vec_sort(steps, compare_steps);
	for (size_t begin = 0; begin < steps->len; begin = end) {
		uint64_t ticks = 0;

		for (end = begin;
		     end < steps->len && !compare_steps(&steps->data[begin], &steps->data[end]);
		     end++)
			ticks += steps->data[end].ticks;
		if (ticks > most && steps->data[begin].wake) {
			most = ticks;
			best = begin;
			best_end = end;
		}
	}
	for (size_t i = best; i < best_end; i++)
		steps->data[i - best] = steps->data[i];
	steps->len = best_end - best;
}

static void go_on(struct steps *steps)
{
	vec_foreach (step, steps)
		step->wake = step->wake->before;
}

static struct analysis_wake *add_wake(struct arena *arena, const struct analysis_wake *waker)
{
	struct analysis_wake *wake = arena_new(arena, struct analysis_wake);

	*wake = *waker;
	wake->before = NULL;
	return wake;
}

/* The waker that all steps of the group begin with, and who was before it most of the time. */
static const struct analysis_wake *common_chain(struct arena *arena, struct group *group)
{
	struct steps *steps = &group->steps;
	struct analysis_wake *first = add_wake(arena, steps->data[0].wake), *last = first;

	for (go_on(steps); keep_heaviest(steps, group->waits.os.ticks / 2), steps->len;
	     go_on(steps)) {
		struct analysis_wake *wake = add_wake(arena, steps->data[0].wake);

		last->before = wake;
		last = wake;
	}
	return first;
}

static void group_add(struct groups *groups, uint64_t index,
		      const struct analysis_sampled_wait *waits)
{
	const struct step step = {waits->os.wake, waits->os.ticks};

	if (index == groups->len)
		vec_push(groups, ((struct group){.waits = *waits}));
	else
		analysis_waits_add(&groups->data[index].waits.os, &waits->os);
	vec_push(&groups->data[index].steps, step);
}

void analysis_find_direct_wakers(struct analysis *analysis)
{
	struct groups groups = {0};
	struct strmap places = {0};
	struct arena keys = {0};

	strmap_init(&places);
	vec_foreach (waits, &analysis->wakers) {
		const struct analysis_os *os = &waits->os;
		const char *key =
			arena_printf(&keys, "%" PRIu32 " %" PRIu32 " %d %d %" PRIu32 " %" PRIu32,
				     os->function, os->caller, (int)waits->idle,
				     (int)os->wake->kind, os->wake->thread, os->wake->function);
		group_add(&groups, *strmap_put(&places, key, groups.len), waits);
	}
	vec_foreach (group, &groups) {
		group->waits.os.wake = common_chain(&analysis->arena, group);
		vec_push(&analysis->direct_wakers, group->waits);
		vec_fini(&group->steps);
	}
	vec_sort(&analysis->direct_wakers, analysis_compare_waits);
	vec_fini(&groups);
	strmap_fini(&places);
	arena_fini(&keys);
}
