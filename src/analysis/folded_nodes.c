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
#include "analysis/private.h"
#include "analysis/share.h"

#include <assert.h>

/*
 * One thread's, by what is shared out: in the places of CPU and elapsed time, which are sums, there
 * are their last parts, the disturbed and the waited time.
 */
static const enum analysis_value disturbed_share = VALUE_CPU;
static const enum analysis_value waited_share = VALUE_ELAPSED;

struct thread_shares {
	struct share of[ANALYSIS_VALUES]; /* what folded nodes have, by what callers say */
	bool any;
};

#define TICKS_MAX (1LL << 60)

static int64_t bounded(wide ticks)
{
	if (ticks > TICKS_MAX)
		return TICKS_MAX;
	return ticks < -TICKS_MAX ? -TICKS_MAX : (int64_t)ticks;
}

/* The file does not tell waiting from other OS time: both are shared out as that. */
void analysis_folded_load(struct analysis_node *node, const struct profile_node *row)
{
	struct analysis_folded_time *time = &node->folded_time;

	time->application =
		bounded((wide)time->application + row->folded_elapsed_ticks - row->folded_os_ticks);
	time->disturbed = bounded((wide)time->disturbed + row->folded_os_ticks);
	time->waited = bounded((wide)time->waited + row->folded_os_ticks);
}

void analysis_folded_sum(struct analysis_folded_time *to, const struct analysis_folded_time *from)
{
	to->application = bounded((wide)to->application + from->application);
	to->disturbed = bounded((wide)to->disturbed + from->disturbed);
	to->waited = bounded((wide)to->waited + from->waited);
}

static wide above_zero(wide ticks)
{
	return ticks > 0 ? ticks : 0;
}

/* The exclusive times of a folded node, in parts. Sums of a file's numbers may have overflown. */
static struct analysis_folded_time parts_of(const struct analysis_values *values)
{
	const wide application = values->amount[APPLICATION_EXCLUSIVE];
	const wide cpu = values->amount[CPU_EXCLUSIVE];
	const wide elapsed = values->amount[ELAPSED_EXCLUSIVE];

	return (struct analysis_folded_time){
		.application = bounded(application),
		.disturbed = bounded(above_zero(cpu - application)),
		.waited = bounded(above_zero(elapsed - cpu)),
	};
}

/* What a caller says; of other values of its callees nothing, they go by time. */
static void said_by(const struct analysis_node *node, wide said[ANALYSIS_VALUES])
{
	const wide application = above_zero(node->folded_time.application);
	const wide disturbed = above_zero(node->folded_time.disturbed);
	const wide waited = above_zero(node->folded_time.waited);

	for (int i = 0; i < ANALYSIS_VALUES; i++)
		said[i] = application + waited;
	said[VALUE_APPLICATION] = application;
	said[disturbed_share] = disturbed;
	said[waited_share] = waited;
}

static void sum_up(const struct analysis *analysis, struct thread_shares *threads)
{
	vec_foreach (node, &analysis->nodes) {
		struct thread_shares *thread = &threads[node->thread];
		const uint64_t *amount = node->values.amount;
		const struct analysis_folded_time parts = parts_of(&node->values);
		wide said[ANALYSIS_VALUES];
		if (!node->folded) {
			said_by(node, said);
			for (int i = 0; i < ANALYSIS_VALUES; i++)
				thread->of[i].weight += said[i];
			continue;
		}
		thread->any = true;
		for (int i = 0; i < ANALYSIS_VALUES; i++)
			thread->of[i].whole +=
				amount[analysis_measure_of((enum analysis_value)i, EXCLUSIVE)];
		thread->of[disturbed_share].whole += parts.disturbed - (wide)amount[CPU_EXCLUSIVE];
		thread->of[waited_share].whole += parts.waited - (wide)amount[ELAPSED_EXCLUSIVE];
	}
}

static void caller_take(struct thread_shares *thread, struct analysis_node *node)
{
	uint64_t *amount = node->values.amount;
	wide said[ANALYSIS_VALUES];

	said_by(node, said);
	for (int i = 0; i < ANALYSIS_VALUES; i++) {
		struct share *share = &thread->of[i];
		uint64_t taken = 0;
		/* What no caller has said was outside of all that are known. */
		if (share->weight || node->parent == ANALYSIS_NONE)
			taken = share_next(share, said[i]);
		amount[analysis_measure_of((enum analysis_value)i, INCLUSIVE)] = taken;
	}
	node->folded_time = (struct analysis_folded_time){
		.application = bounded(amount[APPLICATION_INCLUSIVE]),
		.disturbed = bounded(amount[analysis_measure_of(disturbed_share, INCLUSIVE)]),
		.waited = bounded(amount[analysis_measure_of(waited_share, INCLUSIVE)])};
	amount[CPU_INCLUSIVE] += amount[APPLICATION_INCLUSIVE];
	amount[ELAPSED_INCLUSIVE] += amount[CPU_INCLUSIVE];
}

/* By what the inclusive time exceeds `exclusive`; below 0 by no more than that. */
static int64_t excess(const struct share *share, int64_t ticks, uint64_t exclusive)
{
	const wide most = ticks < 0 ? (wide)exclusive : share->whole;
	const wide size =
		share_in_proportion(ticks < 0 ? -ticks : ticks, share->weight, share->whole);
	const int64_t part = bounded(size < most ? size : most);

	return ticks < 0 ? -part : part;
}

/* The inclusive times are the sums of their parts. */
static void inclusive_set(uint64_t *amount, const struct analysis_folded_time *time)
{
	amount[APPLICATION_INCLUSIVE] = (uint64_t)above_zero(time->application);
	amount[CPU_INCLUSIVE] =
		amount[APPLICATION_INCLUSIVE] + (uint64_t)above_zero(time->disturbed);
	amount[ELAPSED_INCLUSIVE] = amount[CPU_INCLUSIVE] + (uint64_t)above_zero(time->waited);
}

static int64_t below_zero(int64_t ticks)
{
	return -(int64_t)above_zero(-(wide)ticks);
}

static void folded_take(const struct thread_shares *thread, struct analysis_node *node)
{
	struct analysis_folded_time *time = &node->folded_time;
	const struct analysis_folded_time own = parts_of(&node->values);

	time->application = excess(&thread->of[VALUE_APPLICATION], time->application,
				   (uint64_t)own.application);
	time->disturbed =
		excess(&thread->of[disturbed_share], time->disturbed, (uint64_t)own.disturbed);
	time->waited = excess(&thread->of[waited_share], time->waited, (uint64_t)own.waited);
	inclusive_set(node->values.amount, time);
	/* What remains to be said: how much of it its function has elsewhere. */
	time->application = below_zero(time->application);
	time->disturbed = below_zero(time->disturbed);
	time->waited = below_zero(time->waited);
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

int64_t analysis_folded_amount(const struct analysis_folded_time *time, enum analysis_value value)
{
	switch (value) {
	case VALUE_ELAPSED:
		return time->application + time->disturbed + time->waited;
	case VALUE_CPU:
		return time->application + time->disturbed;
	case VALUE_APPLICATION:
		return time->application;
	default:
		return 0;
	}
}

void analysis_values_add_folded(struct analysis_values *to, const struct analysis_folded_time *time)
{
	for (int i = 0; i < ANALYSIS_TIME_MEASURES; i += ANALYSIS_SIDES)
		to->amount[i + INCLUSIVE] += (uint64_t)analysis_folded_amount(
			time, analysis_value_of((enum analysis_measure)i));
}

void analysis_values_add_outermost(struct analysis_values *values, const struct analysis_node *node)
{
	analysis_values_add_inclusive(values, &node->values);
	if (node->folded)
		analysis_values_add_folded(values, &node->folded_time);
}

void analysis_folded_note(struct analysis_folded_time *module, const struct analysis_node *node,
			  bool outermost)
{
	struct analysis_folded_time part = {0};

	if (node->folded) {
		part = parts_of(&node->values);
	} else if (outermost) {
		part.application = -node->folded_time.application;
		part.disturbed = -node->folded_time.disturbed;
		part.waited = -node->folded_time.waited;
	}
	analysis_folded_sum(module, &part);
}

void analysis_folded_add(struct analysis_values *values, struct analysis_folded_time *module)
{
	const struct analysis_folded_time left = {
		.application = (int64_t)above_zero(module->application),
		.disturbed = (int64_t)above_zero(module->disturbed),
		.waited = (int64_t)above_zero(module->waited)};

	analysis_values_add_folded(values, &left);
	*module = (struct analysis_folded_time){0};
}

static void raise(uint64_t *inclusive, uint64_t exclusive, uint64_t most)
{
	if (*inclusive > most)
		*inclusive = most;
	if (*inclusive < exclusive)
		*inclusive = exclusive;
	assert(*inclusive >= exclusive);
}

void analysis_folded_fit(struct analysis_values *values, const struct analysis_values *all)
{
	for (int i = 0; i < ANALYSIS_MEASURES; i += ANALYSIS_SIDES)
		raise(&values->amount[i + INCLUSIVE], values->amount[i + EXCLUSIVE],
		      all->amount[i + INCLUSIVE]);
}
