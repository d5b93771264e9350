/*
 * What the probes cost in the program beyond what they cost in the calibration.
 *
 * The calibration's loop is the best case: in a program a probe meets colder caches and branch
 * predictors, and its instructions take the place of the program's own. How much that is, no clock
 * inside the process can tell apart from the program's work; but it shows in the small functions
 * that call nothing: their least call is one with a probe at its best, and what their average is
 * longer is work that varies or cost that varies. The lower quartile of it, by the cost that was
 * subtracted, is taken for the residual: three quarters of the evidence say it is more.
 *
 * It is a share of the calibrated cost, one per process, and is taken off each node's time in
 * proportion to what was subtracted there, but never more than half of what the node has left.
 */
#include "analysis/private.h"

#include <math.h>
#include <stdlib.h>

#define EVIDENCE_CALLS_MIN 1000
#define EVIDENCE_SMALL	   3	/* average time in units of what was subtracted: not more */
#define EVIDENCE_WEIGHT	   0.05 /* of the process's subtracted cost */
#define RESIDUAL_MAX	   0.5	/* of the calibrated cost */
#define UNCERTAINTY_MIN	   0.25 /* of the calibrated cost, see docs/explanation/accuracy.md */

/* A node's word on the residual. */
struct evidence {
	uint32_t process;
	double share;	 /* of the calibrated cost */
	uint64_t weight; /* ticks subtracted */
};

struct evidences vec_of(struct evidence);

static uint32_t process_of(const struct analysis *analysis, const struct analysis_node *node)
{
	return analysis->threads.data[node->thread].process;
}

/* Whether the node is a small function's that calls nothing, often enough. */
static bool is_evidence(const struct analysis_node *node, bool calls_others)
{
	const struct analysis_values *values = &node->values;
	const struct analysis_range *range = &values->range[ELAPSED_EXCLUSIVE];

	return !calls_others && !node->folded && !node->folded_time.application &&
	       !node->folded_time.waited && node->function != ANALYSIS_NONE &&
	       values->calls >= EVIDENCE_CALLS_MIN && values->amount[OVERHEAD_EXCLUSIVE] &&
	       range->min <= range->max &&
	       values->amount[APPLICATION_EXCLUSIVE] / EVIDENCE_SMALL <=
		       values->amount[OVERHEAD_EXCLUSIVE];
}

/* The least elapsed time: a call that was interrupted has no application time at all. */
static double share_of(const struct analysis_values *values)
{
	const double least = (double)values->range[ELAPSED_EXCLUSIVE].min * (double)values->calls;
	const double more = (double)values->amount[APPLICATION_EXCLUSIVE] - least;

	return more > 0 ? more / (double)values->amount[OVERHEAD_EXCLUSIVE] : 0;
}

/* From the last node on, so that the callees of each are known; and the overhead by process. */
static void collect(const struct analysis *analysis, struct evidences *evidences,
		    uint64_t *overhead)
{
	bool *calls_others = mem_zalloc(analysis->nodes.len + 1);

	for (size_t i = analysis->nodes.len; i-- > 0;) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		const uint64_t ticks = node->values.amount[OVERHEAD_EXCLUSIVE];
		if (node->parent != ANALYSIS_NONE)
			calls_others[node->parent] = true;
		overhead[process_of(analysis, node)] += ticks;
		if (is_evidence(node, calls_others[i]))
			vec_push(evidences,
				 ((struct evidence){.process = process_of(analysis, node),
						    .share = share_of(&node->values),
						    .weight = ticks}));
	}
	free(calls_others);
}

static int compare_evidence(const void *a, const void *b)
{
	const struct evidence *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->share < y->share ? -1 : x->share > y->share;
}

/* The lower quartile of the evidence from `first` on, all of one process; 0 where it is little. */
static double quartile_of(const struct evidence *first, size_t count, uint64_t overhead)
{
	uint64_t all = 0, below = 0;

	for (size_t i = 0; i < count; i++)
		all += first[i].weight;
	if ((double)all < EVIDENCE_WEIGHT * (double)overhead)
		return 0;
	for (size_t i = 0; i < count; i++) {
		below += first[i].weight;
		if (below >= all / 4)
			return fmin(first[i].share, RESIDUAL_MAX);
	}
	return 0;
}

bool analysis_cost_drift(const struct profile_process *process, double *drift)
{
	const struct tare_calibration *begin = &process->begin_calibration;
	const struct tare_calibration *end = &process->end_calibration;
	bool checked = false;

	*drift = 0;
	for (int i = 0; i <= TARE_PAIR_CALL; i++) {
		const double before = (double)(begin->inside_ticks[i] + begin->outside_ticks[i]);
		const double after = (double)(end->inside_ticks[i] + end->outside_ticks[i]);
		if (before <= 0 || after <= 0)
			continue;
		const double change = (after - before) / before;
		if (fabs(change) > fabs(*drift))
			*drift = change;
		checked = true;
	}
	return checked;
}

/* Of a whole number of ticks per probe, and of the call that stands in the calibration's loop. */
static double calibration_error(const struct profile_process *process)
{
	const struct tare_calibration *begin = &process->begin_calibration;
	const uint64_t pair =
		begin->inside_ticks[TARE_PAIR_ENTER] + begin->outside_ticks[TARE_PAIR_ENTER];

	return pair ? (1.0 + (double)begin->bare_ticks) / (double)pair : 0;
}

static void process_sum_up(struct analysis_totals *totals, struct analysis_process *process)
{
	double drift;
	const bool checked = analysis_cost_drift(process->row, &drift);

	process->uncertainty = fmax(process->residual, UNCERTAINTY_MIN) + fabs(drift) +
			       calibration_error(process->row);
	if (!process->selected)
		return;
	totals->processes_checked += checked;
	totals->residual_share = fmax(totals->residual_share, process->residual);
	if (fabs(drift) > fabs(totals->cost_drift))
		totals->cost_drift = drift;
}

static void processes_estimate(struct analysis *analysis, const struct evidences *evidences,
			       const uint64_t *overhead)
{
	const struct evidence *at = evidences->data;
	const struct evidence *const end = at ? at + evidences->len : NULL;

	while (at < end) {
		const struct evidence *first = at;
		while (at < end && at->process == first->process)
			at++;
		analysis->processes.data[first->process].residual =
			quartile_of(first, (size_t)(at - first), overhead[first->process]);
	}
	vec_foreach (process, &analysis->processes)
		process_sum_up(&analysis->totals, process);
}

static uint64_t share_ticks(uint64_t ticks, double share)
{
	return (uint64_t)((double)ticks * share);
}

static void node_correct(struct analysis *analysis, struct analysis_node *node)
{
	struct analysis_values *values = &node->values;
	struct analysis_thread *thread = &analysis->threads.data[node->thread];
	const struct analysis_process *process = &analysis->processes.data[thread->process];
	const uint64_t most = values->amount[APPLICATION_EXCLUSIVE] / 2;
	uint64_t residual = share_ticks(values->amount[OVERHEAD_EXCLUSIVE], process->residual);

	if (residual > most)
		residual = most;
	values->amount[ERROR_EXCLUSIVE] =
		share_ticks(values->amount[OVERHEAD_EXCLUSIVE], process->uncertainty);
	values->residual_exclusive = residual;
	values->amount[OVERHEAD_EXCLUSIVE] += residual;
	for (int i = EXCLUSIVE; i < ANALYSIS_TIME_MEASURES; i += ANALYSIS_SIDES)
		values->amount[i] -= residual < values->amount[i] ? residual : values->amount[i];
	thread->residual_ticks += residual;
	analysis->totals.residual += residual;
	analysis->totals.overhead += residual;
	analysis->totals.error += values->amount[ERROR_EXCLUSIVE];
}

void analysis_correct_residual(struct analysis *analysis)
{
	struct evidences evidences = {0};
	uint64_t *overhead = mem_zalloc((analysis->processes.len + 1) * sizeof(*overhead));

	collect(analysis, &evidences, overhead);
	vec_sort(&evidences, compare_evidence);
	processes_estimate(analysis, &evidences, overhead);
	free(overhead);
	vec_foreach (node, &analysis->nodes)
		node_correct(analysis, node);
	vec_fini(&evidences);
}

/* A call's least time is not above the average, nor its greatest above the sum. */
void analysis_fit_ranges(struct analysis_values *values)
{
	for (int i = 0; i < ANALYSIS_TIME_MEASURES; i++) {
		struct analysis_range *range = &values->range[i];
		if (!values->calls || range->min > range->max)
			continue;
		const uint64_t average = values->amount[i] / values->calls;
		if (range->min > average)
			range->min = average;
		if (range->max > values->amount[i])
			range->max = values->amount[i];
	}
}
