/*
 * Waits by who ended them, whatever that one had waited for before. Of that the rows say as much as
 * is the same for more than half of their time: each step of a chain is the heaviest of those that
 * go on from the one before.
 *
 * Threads of different processes are one waker where these, and they, have the same name: a build
 * has as many compilers as files. Threads of one process stay apart.
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

struct finding {
	struct analysis *analysis;
	uint32_t *kin; /* by thread: the first one of those that are one waker */
};

static uint32_t kin_of(const struct finding *finding, uint32_t thread)
{
	return thread < finding->analysis->threads.len ? finding->kin[thread] : thread;
}

static int compare_waker(const struct finding *finding, const struct analysis_wake *x,
			 const struct analysis_wake *y)
{
	const uint32_t a = kin_of(finding, x->thread), b = kin_of(finding, y->thread);

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (a != b)
		return a < b ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static bool is_same(const struct finding *finding, const struct step *x, const struct step *y)
{
	return x->wake && y->wake ? !compare_waker(finding, x->wake, y->wake) : x->wake == y->wake;
}

/* Threads of one waker behind each other. */
static int compare_steps(const void *a, const void *b, void *context)
{
	const struct analysis_wake *x = ((const struct step *)a)->wake;
	const struct analysis_wake *y = ((const struct step *)b)->wake;

	if (!x || !y)
		return (x != NULL) - (y != NULL);
	const int order = compare_waker(context, x, y);

	return order ? order : x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void sort_steps(const struct finding *finding, struct steps *steps)
{
	qsort_r(steps->data, steps->len, sizeof(*steps->data), compare_steps, (void *)finding);
}

/* Keeps the steps of the waker with the most ticks, if it has more than `half`; else none. */
static void keep_heaviest(const struct finding *finding, struct steps *steps, uint64_t half)
{
	size_t best = 0, best_end = 0, end;
	uint64_t most = half;

	sort_steps(finding, steps);
	for (size_t begin = 0; begin < steps->len; begin = end) {
		uint64_t ticks = 0;

		for (end = begin;
		     end < steps->len && is_same(finding, &steps->data[begin], &steps->data[end]);
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

/* What the steps, of one waker and in the order of its threads, have in common. */
static struct analysis_wake *add_wake(struct arena *arena, const struct steps *steps)
{
	struct analysis_wake *wake = arena_new(arena, struct analysis_wake);
	uint32_t threads = 1;

	for (size_t i = 1; i < steps->len; i++)
		threads += steps->data[i].wake->thread != steps->data[i - 1].wake->thread;
	*wake = *steps->data[0].wake;
	wake->before = NULL;
	wake->threads = threads > 1 ? threads : 0;
	return wake;
}

/* The waker that all steps of the group begin with, and who was before it most of the time. */
static const struct analysis_wake *common_chain(const struct finding *finding, struct group *group)
{
	struct arena *arena = &finding->analysis->arena;
	struct steps *steps = &group->steps;

	sort_steps(finding, steps);
	struct analysis_wake *first = add_wake(arena, steps), *last = first;

	for (go_on(steps); keep_heaviest(finding, steps, group->waits.os.ticks / 2), steps->len;
	     go_on(steps)) {
		struct analysis_wake *wake = add_wake(arena, steps);

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

/* ---- threads of one waker ---- */

static const char *name_of(const char *name)
{
	return name ? name : "";
}

static uint32_t *threads_kin(const struct analysis *analysis)
{
	const size_t count = analysis->threads.len;
	uint32_t *kin = mem_alloc((count + 1) * sizeof(*kin));
	uint32_t *of_name = mem_zalloc((count + 1) * sizeof(*of_name)); /* in its process */
	struct strmap names = {0}, own_names = {0};
	struct arena keys = {0};

	strmap_init(&names);
	strmap_init(&own_names);
	for (size_t i = 0; i < count; i++) {
		const struct analysis_thread *thread = &analysis->threads.data[i];
		const char *key = arena_printf(&keys, "%" PRIu32 " %s", thread->process,
					       name_of(thread->row->name));
		const uint64_t first = *strmap_put(&own_names, key, i);

		of_name[first]++;
		kin[i] = (uint32_t)first;
	}
	for (size_t i = 0; i < count; i++) {
		const struct analysis_thread *thread = &analysis->threads.data[i];
		const char *process = analysis->processes.data[thread->process].row->name;
		const char *key =
			arena_printf(&keys, "%s\n%s", name_of(process), name_of(thread->row->name));

		kin[i] = of_name[kin[i]] == 1 ? (uint32_t)*strmap_put(&names, key, i) : (uint32_t)i;
	}
	strmap_fini(&names);
	strmap_fini(&own_names);
	arena_fini(&keys);
	free(of_name);
	return kin;
}

/* ---- all ---- */

void analysis_find_direct_wakers(struct analysis *analysis)
{
	const struct finding finding = {.analysis = analysis, .kin = threads_kin(analysis)};
	struct groups groups = {0};
	struct strmap places = {0};
	struct arena keys = {0};

	strmap_init(&places);
	vec_foreach (waits, &analysis->wakers) {
		const struct analysis_os *os = &waits->os;
		const char *key = arena_printf(
			&keys, "%" PRIu32 " %" PRIu32 " %d %d %" PRIu32 " %" PRIu32, os->function,
			os->caller, (int)waits->idle, (int)os->wake->kind,
			kin_of(&finding, os->wake->thread), os->wake->function);
		group_add(&groups, *strmap_put(&places, key, groups.len), waits);
	}
	vec_foreach (group, &groups) {
		group->waits.os.wake = common_chain(&finding, group);
		vec_push(&analysis->direct_wakers, group->waits);
		vec_fini(&group->steps);
	}
	vec_sort(&analysis->direct_wakers, analysis_compare_waits);
	vec_fini(&groups);
	strmap_fini(&places);
	arena_fini(&keys);
	free(finding.kin);
}
