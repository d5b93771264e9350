/*
 * Inclusive values where call paths have folded, by a limit of the recording.
 *
 * What folds leaves the place below its caller for its function's folded node, beside the callers;
 * each caller keeps how much time that was. So a thread's folded time is there twice: as the
 * exclusive times of the folded nodes, and as what callers say. Exclusive times count, and have
 * been corrected since; they are shared out among the callers in proportion to what those say, to
 * the tick. So inclusive times of callers are complete, and a root's is all of its thread's time.
 *
 * A folded node's inclusive time counts for its function only where no other node of the function
 * stood above it. For modules nobody knows: of a module's folded time, what the nodes below its
 * functions have not taken up was below others, and counts. A module's value may lack some.
 */
#include "analysis/internal.h"

/* Sums may be large and of either sign: the file is anybody's. */
typedef __int128 wide;

/* One thread's, by the four things that are shared out. */
enum share { SHARE_APPLICATION, SHARE_OS, SHARE_OVERHEAD, SHARE_ERROR, SHARES };

struct thread_shares {
	wide said[SHARES];   /* by callers */
	wide passed[SHARES]; /* of it, by the nodes so far */
	wide folded[SHARES]; /* the folded nodes' */
	bool any;
};

#define TICKS_MAX (1LL << 60)

static int64_t bounded(wide ticks)
{
	if (ticks > TICKS_MAX)
		return TICKS_MAX;
	return ticks < -TICKS_MAX ? -TICKS_MAX : (int64_t)ticks;
}

void analysis_folded_load(struct analysis_node *node, const struct profile_node *row)
{
	struct analysis_folded_time *time = &node->folded_time;

	time->application =
		bounded((wide)time->application + row->folded_elapsed_ticks - row->folded_os_ticks);
	time->os = bounded((wide)time->os + row->folded_os_ticks);
}

void analysis_folded_sum(struct analysis_folded_time *to, const struct analysis_folded_time *from)
{
	to->application = bounded((wide)to->application + from->application);
	to->os = bounded((wide)to->os + from->os);
}

static wide above_zero(wide ticks)
{
	return ticks > 0 ? ticks : 0;
}

/* What a caller says; of its callees' overhead and error nothing, they go by time. */
static void said_by(const struct analysis_node *node, wide said[SHARES])
{
	said[SHARE_APPLICATION] = above_zero(node->folded_time.application);
	said[SHARE_OS] = above_zero(node->folded_time.os);
	said[SHARE_OVERHEAD] = said[SHARE_ERROR] = said[SHARE_APPLICATION] + said[SHARE_OS];
}

static void sum_up(const struct analysis *analysis, struct thread_shares *threads)
{
	vec_foreach (node, &analysis->nodes) {
		struct thread_shares *thread = &threads[node->thread];
		const struct analysis_values *values = &node->values;
		wide said[SHARES];
		if (!node->folded) {
			said_by(node, said);
			for (int i = 0; i < SHARES; i++)
				thread->said[i] += said[i];
			continue;
		}
		thread->any = true;
		thread->folded[SHARE_APPLICATION] += values->ticks[APPLICATION_EXCLUSIVE];
		thread->folded[SHARE_OS] += (wide)values->ticks[ELAPSED_EXCLUSIVE] -
					    values->ticks[APPLICATION_EXCLUSIVE];
		thread->folded[SHARE_OVERHEAD] += values->overhead_exclusive;
		thread->folded[SHARE_ERROR] += values->error_exclusive;
	}
}

/* `part` of `said`, as part of `folded`. */
static wide in_proportion(wide part, wide said, wide folded)
{
	/* Both below 2^62, so that the product fits. */
	while (part >> 62 || said >> 62) {
		part >>= 1;
		said >>= 1;
	}
	while (folded >> 62)
		folded >>= 1;
	return said ? part * folded / said : 0;
}

/* The shares of all nodes add up: each is what the sum of the shares grows by. */
static uint64_t next_share(struct thread_shares *thread, enum share share, wide said)
{
	const wide before =
		in_proportion(thread->passed[share], thread->said[share], thread->folded[share]);

	thread->passed[share] += said;
	return (uint64_t)(in_proportion(thread->passed[share], thread->said[share],
					thread->folded[share]) -
			  before);
}

static void caller_take(struct thread_shares *thread, struct analysis_node *node)
{
	struct analysis_values *values = &node->values;
	wide said[SHARES];
	uint64_t ticks[SHARES];

	said_by(node, said);
	for (int i = 0; i < SHARES; i++) {
		ticks[i] = next_share(thread, (enum share)i, said[i]);
		/* What no caller has said was outside of all that are known. */
		if (node->parent == ANALYSIS_NONE && !thread->said[i])
			ticks[i] += (uint64_t)thread->folded[i];
	}
	values->ticks[APPLICATION_INCLUSIVE] = ticks[SHARE_APPLICATION];
	values->ticks[ELAPSED_INCLUSIVE] = ticks[SHARE_APPLICATION] + ticks[SHARE_OS];
	values->overhead_inclusive = ticks[SHARE_OVERHEAD];
	values->error_inclusive = ticks[SHARE_ERROR];
	node->folded_time = (struct analysis_folded_time){
		.application = bounded(ticks[SHARE_APPLICATION]), .os = bounded(ticks[SHARE_OS])};
}

/* By what the inclusive time exceeds `exclusive`; below 0 by no more than that. */
static int64_t excess(const struct thread_shares *thread, enum share share, int64_t ticks,
		      uint64_t exclusive)
{
	const wide most = ticks < 0 ? (wide)exclusive : thread->folded[share];
	const wide size = in_proportion(ticks < 0 ? -ticks : ticks, thread->said[share],
					thread->folded[share]);
	const int64_t part = bounded(size < most ? size : most);

	return ticks < 0 ? -part : part;
}

static void folded_take(const struct thread_shares *thread, struct analysis_node *node)
{
	struct analysis_values *values = &node->values;
	struct analysis_folded_time *time = &node->folded_time;
	const uint64_t application = values->ticks[APPLICATION_EXCLUSIVE];

	time->application = excess(thread, SHARE_APPLICATION, time->application, application);
	time->os =
		excess(thread, SHARE_OS, time->os, values->ticks[ELAPSED_EXCLUSIVE] - application);
	values->ticks[APPLICATION_INCLUSIVE] = (uint64_t)above_zero(time->application);
	values->ticks[ELAPSED_INCLUSIVE] =
		values->ticks[APPLICATION_INCLUSIVE] + (uint64_t)above_zero(time->os);
	/* What remains to be said: how much of it its function has elsewhere. */
	time->application = -(int64_t)above_zero(-(wide)time->application);
	time->os = -(int64_t)above_zero(-(wide)time->os);
}

void analysis_share_folded(struct analysis *analysis)
{
	struct thread_shares *threads = mem_zalloc((analysis->threads.len + 1) * sizeof(*threads));

	sum_up(analysis, threads);
	vec_foreach (node, &analysis->nodes) {
		struct thread_shares *thread = &threads[node->thread];
		if (!thread->any)
			node->folded_time = (struct analysis_folded_time){0};
		else if (node->folded)
			folded_take(thread, node);
		else
			caller_take(thread, node);
		analysis->threads.data[node->thread].has_folded = thread->any;
	}
	free(threads);
}

void analysis_values_add_outermost(struct analysis_values *values, const struct analysis_node *node)
{
	const struct analysis_folded_time *elsewhere = &node->folded_time;

	analysis_values_add_inclusive(values, &node->values);
	if (!node->folded)
		return;
	values->ticks[ELAPSED_INCLUSIVE] += (uint64_t)(elsewhere->application + elsewhere->os);
	values->ticks[APPLICATION_INCLUSIVE] += (uint64_t)elsewhere->application;
}

void analysis_folded_note(struct analysis_folded_time *module, const struct analysis_node *node,
			  bool outermost)
{
	const struct analysis_values *values = &node->values;

	if (node->folded) {
		const uint64_t application = values->ticks[APPLICATION_EXCLUSIVE];
		module->application = bounded((wide)module->application + application);
		module->os =
			bounded((wide)module->os + values->ticks[ELAPSED_EXCLUSIVE] - application);
	} else if (outermost) {
		module->application =
			bounded((wide)module->application - node->folded_time.application);
		module->os = bounded((wide)module->os - node->folded_time.os);
	}
}

void analysis_folded_add(struct analysis_values *values, struct analysis_folded_time *module)
{
	const uint64_t application = (uint64_t)above_zero(module->application);

	values->ticks[APPLICATION_INCLUSIVE] += application;
	values->ticks[ELAPSED_INCLUSIVE] += application + (uint64_t)above_zero(module->os);
	*module = (struct analysis_folded_time){0};
}

static void raise(uint64_t *inclusive, uint64_t exclusive, uint64_t most)
{
	if (*inclusive > most)
		*inclusive = most;
	if (*inclusive < exclusive)
		*inclusive = exclusive;
}

void analysis_folded_fit(struct analysis_values *values, const struct analysis_values *all)
{
	raise(&values->ticks[ELAPSED_INCLUSIVE], values->ticks[ELAPSED_EXCLUSIVE],
	      all->ticks[ELAPSED_INCLUSIVE]);
	raise(&values->ticks[APPLICATION_INCLUSIVE], values->ticks[APPLICATION_EXCLUSIVE],
	      all->ticks[APPLICATION_INCLUSIVE]);
	raise(&values->overhead_inclusive, values->overhead_exclusive, all->overhead_inclusive);
	raise(&values->error_inclusive, values->error_exclusive, all->error_inclusive);
}
