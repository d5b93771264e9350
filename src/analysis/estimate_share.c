/*
 * Clock or samples: of a function whose calls were all timed, and that has called no counted
 * function, the clock knows the time; its error is what the probes cost beyond their calibration.
 * The samples' error is that of counting. The smaller decides, unless the two contradict each other
 * by more than both errors: then a call was left unseen. Samples whose callers are not known may be
 * of what it has called, so they are part of the clock's error. All other functions have what is
 * left of the thread's CPU time, in proportion to their samples. Of that is taken off what counters
 * and dormant probes took in them; and before, what tare's own code took, by the samples there,
 * beyond the cost of the probes by calibration, which is that of a loop; and the samples'
 * interrupts.
 */
#include "analysis/estimate.h"

#include <assert.h>
#include <math.h>

#define TICKS_MAX 0x1p62 /* which no thread lives for */
#define COST_PART 4	 /* counters take a fourth of a function at most */

static wide territory_of(const struct estimate_tally *tally)
{
	return tally->territory - tally->own;
}

/* Its samples may have been taken in functions that it has called unseen. */
static bool clock_knows(const struct estimate *estimate, const struct estimate_thread *thread,
			uint32_t function, const struct estimate_tally *tally)
{
	if (function == ANALYSIS_NONE)
		return territory_of(tally) <= 0;
	const uint32_t traits = estimate_traits_of(estimate, thread->process, function);

	return (traits & ESTIMATE_TIMED) && !(traits & ESTIMATE_COUNTED) &&
	       territory_of(tally) <= 0;
}

/*
 * What the kernel had at most that samples may lack. An interrupt or a switch is in each interval
 * of a long call, and little of it. System calls are not sampled by chance where a timer has ended
 * the wait.
 */
static uint64_t kernel_ticks(const struct estimate *estimate, const struct analysis_values *values)
{
	const uint64_t *ticks = values->os_ticks;

	return ticks[TARE_OS_SYSCALL] +
	       (estimate->has_kernel ? 0 : ticks[TARE_OS_MAJOR_FAULT] + ticks[TARE_OS_MINOR_FAULT]);
}

static void tally_old(struct estimate *estimate, struct estimate_thread *thread)
{
	const uint32_t *begin = &estimate->order_begin[thread->index];

	assert(begin[0] <= begin[1]);
	for (uint32_t i = begin[0]; i < begin[1]; i++) {
		const struct analysis_node *node =
			&estimate->analysis->nodes.data[estimate->order[i]];
		struct estimate_tally *tally = estimate_tally(thread, node->function);
		tally->cpu_ticks += node->values.amount[CPU_EXCLUSIVE];
		tally->error_ticks += node->values.amount[ERROR_EXCLUSIVE];
		tally->kernel_ticks += kernel_ticks(estimate, &node->values);
	}
}

/* Of all samples of a thread, and of its CPU time in the functions of the program. */
struct sums {
	uint64_t samples, squares;
	wide weight;
	uint64_t cpu_ticks;
};

static void tally_paths(struct estimate *estimate, struct estimate_thread *thread,
			struct sums *sums)
{
	for (size_t i = thread->first; i < estimate->nodes.len; i++) {
		const struct estimate_path *path = &estimate->paths.data[i];
		const struct estimate_samples *samples = &path->clocked;
		if (!samples->samples)
			continue;
		estimate_tally(thread, estimate->nodes.data[i].function)->own += samples->weight;
		estimate_tally(thread, path->territory)->territory += samples->weight;
		sums->weight += samples->weight;
		sums->samples += samples->samples;
		sums->squares += samples->squares;
	}
}

/*
 * Where a call is left by longjmp, and its callers are only counted, no event says so: the clock
 * goes on in it until the next one. And a function of a library may be jumped to by another one of
 * it, which is what was called. By four standard deviations of the draws that the clock lets
 * expect, as many functions are asked; where it lets expect hardly any, four draws are as unlikely.
 * Beyond what the kernel had, which may not be sampled, and the probes.
 */
static bool is_contradicted(const struct estimate_tally *tally, const struct sums *sums,
			    double draw_ticks)
{
	const double clock = (double)tally->cpu_ticks;
	const double sampled = (double)tally->own / (double)sums->weight * (double)sums->cpu_ticks;
	const double known = (double)tally->error_ticks + (double)tally->kernel_ticks;

	const double few = (sampled > clock ? 3 : 1) * draw_ticks;

	return fabs(clock - sampled) - known > 4 * sqrt(clock * draw_ticks) + few;
}

static void decide(const struct estimate *estimate, struct estimate_thread *thread,
		   const struct sums *sums)
{
	const double draw_ticks = (double)sums->cpu_ticks * (double)sums->squares /
				  ((double)sums->samples * (double)sums->samples);

	const double unseen_ticks =
		(double)thread->truncated / (double)sums->weight * (double)sums->cpu_ticks;

	for (size_t i = 0; i < thread->tallies.cap; i++) {
		const struct map_slot *slot = &thread->tallies.slots[i];
		if (!slot->used)
			continue;
		const uint32_t function = (uint32_t)slot->key;
		struct estimate_tally *tally = &thread->list.data[slot->value];
		/* Two standard deviations of the count that its time would have, and one more. */
		const double by_samples =
			2 * sqrt((double)tally->cpu_ticks * draw_ticks) + draw_ticks;
		tally->by_clock = clock_knows(estimate, thread, function, tally) &&
				  (double)tally->error_ticks + unseen_ticks <= by_samples &&
				  !is_contradicted(tally, sums, draw_ticks);
	}
}

static void tally_costs(struct estimate *estimate, struct estimate_thread *thread)
{
	size_t end;

	for (size_t i = estimate_counted_rows(estimate, thread->index, &end); i < end; i++) {
		const struct estimate_counted *row = &estimate->counted.data[i];
		struct estimate_tally *tally = estimate_tally(thread, row->function);
		tally->cost.whole += (wide)row->cost_ticks;
		tally->cost.weight = tally->own;
	}
}

/*
 * CPU time of samples; what of it the kernel had is OS time, the rest application. Returns what of
 * the cost was taken off: at most a part of the application's time. Counters and dormant probes are
 * few among a function's instructions, and where those wait for memory or for each other, they take
 * less than calibration says, down to nothing.
 */
static uint64_t path_add(struct analysis_values *values, const struct estimate_samples *samples,
			 uint64_t ticks, uint64_t cost)
{
	uint64_t left = ticks;

	for (int cause = 0; cause < TARE_OS_CAUSES; cause++) {
		uint64_t kernel = (uint64_t)share_in_proportion(samples->kernel[cause],
								samples->weight, ticks);
		if (kernel > left)
			kernel = left;
		values->os_ticks[cause] += kernel;
		left -= kernel;
	}
	if (cost > left / COST_PART)
		cost = left / COST_PART;
	left -= cost;
	values->amount[OVERHEAD_EXCLUSIVE] += cost;
	values->amount[COUNTING_EXCLUSIVE] += cost;
	values->amount[ELAPSED_EXCLUSIVE] += ticks - cost;
	values->amount[CPU_EXCLUSIVE] += ticks - cost;
	values->amount[APPLICATION_EXCLUSIVE] += left;
	values->amount[ESTIMATED_EXCLUSIVE] += ticks - cost;
	values->amount[BASIS_EXCLUSIVE] += samples->samples;
	values->amount[SQUARES_EXCLUSIVE] += samples->squares;
	assert(left <= ticks);
	return cost;
}

/*
 * What tare's own code took beyond what is known of it. 0 where the difference may be one of
 * counting: within two standard deviations.
 */
static uint64_t own_beyond(const struct estimate *estimate, const struct estimate_thread *thread,
			   const struct sums *sums)
{
	const struct analysis_thread *row = &estimate->analysis->threads.data[thread->index];
	const double own = (double)row->row->weight_in_runtime;
	const double known = (double)row->row->overhead_ticks + (double)row->row->own_ticks +
			     (double)row->residual_ticks;
	const double clock = (double)sums->cpu_ticks + known;
	const double draws = (double)sums->samples * (double)sums->samples / (double)sums->squares +
			     (double)row->row->samples_in_runtime;

	if (estimate->event != 1 || own <= 0 || sums->weight <= 0)
		return 0;
	const double share = own / (own + (double)sums->weight);
	const double beyond = clock * share - known;
	return beyond > 2 * clock * sqrt(share * (1 - share) / draws) ? (uint64_t)beyond : 0;
}

/* Of a function that is decided by samples. */
static bool is_sampled(struct estimate_thread *thread, const struct analysis_node *node)
{
	return !estimate_tally(thread, node->function)->by_clock;
}

/* A thread's time that samples share out, and what tare's code and their interrupts took of it. */
struct sharing {
	struct estimate *estimate;
	struct analysis_thread *thread;
	struct share time, tares;
};

static struct sharing sharing_of(struct estimate *estimate, const struct estimate_thread *thread,
				 struct share time)
{
	return (struct sharing){.estimate = estimate,
				.thread = &estimate->analysis->threads.data[thread->index],
				.time = time,
				.tares = {.weight = time.weight}};
}

static void take_off(struct sharing *sharing, wide ticks)
{
	sharing->tares.whole += ticks;
	sharing->time.whole -= ticks;
}

/* What the interrupts of so many samples took: at most a part of what is left. */
static void take_off_interrupts(struct sharing *sharing, uint64_t samples)
{
	const double took = (double)samples * sharing->estimate->interrupt_ticks;
	const wide most = sharing->time.whole / COST_PART;
	const wide ticks = took < (double)most ? (wide)took : most;

	take_off(sharing, ticks);
	if (sharing->thread->selected)
		sharing->estimate->analysis->totals.interrupts += (uint64_t)ticks;
}

/* The next path's part, and of that what counters took. */
static void share_with(struct sharing *sharing, struct analysis_values *values,
		       const struct estimate_samples *samples, uint64_t counters)
{
	uint64_t off = share_next(&sharing->tares, samples->weight);

	values->amount[OVERHEAD_EXCLUSIVE] += off;
	off += path_add(values, samples, share_next(&sharing->time, samples->weight), counters);
	sharing->thread->residual_ticks += off;
	if (sharing->thread->selected)
		sharing->estimate->analysis->totals.overhead += off;
}

static uint64_t samples_to_decide(const struct estimate *estimate, struct estimate_thread *thread)
{
	uint64_t samples = 0;

	for (size_t i = thread->first; i < estimate->nodes.len; i++)
		if (is_sampled(thread, &estimate->nodes.data[i]))
			samples += estimate->paths.data[i].clocked.samples;
	return samples;
}

/* CPU time of the paths that samples decide. */
static void share_out(struct estimate *estimate, struct estimate_thread *thread,
		      const struct sums *sums, struct share time)
{
	struct sharing sharing = sharing_of(estimate, thread, time);
	const wide own = own_beyond(estimate, thread, sums);

	take_off(&sharing, own < time.whole ? own : time.whole);
	take_off_interrupts(&sharing, samples_to_decide(estimate, thread));
	for (size_t i = thread->first; i < estimate->nodes.len; i++) {
		const struct estimate_samples *samples = &estimate->paths.data[i].clocked;
		struct analysis_node *node = &estimate->nodes.data[i];
		if (!is_sampled(thread, node))
			continue;
		node->values.sampled = true;
		if (samples->samples)
			share_with(&sharing, &node->values, samples,
				   share_next(&estimate_tally(thread, node->function)->cost,
					      samples->weight));
	}
}

bool estimate_share(struct estimate *estimate, struct estimate_thread *thread)
{
	struct share shares = {0};
	struct sums sums = {0};

	tally_old(estimate, thread);
	tally_paths(estimate, thread, &sums);
	tally_costs(estimate, thread);
	vec_foreach (tally, &thread->list)
		sums.cpu_ticks += tally->cpu_ticks;
	if (!sums.samples || !sums.cpu_ticks)
		return false;
	decide(estimate, thread, &sums);
	vec_foreach (tally, &thread->list) {
		shares.whole += tally->by_clock ? 0 : tally->cpu_ticks;
		shares.weight += tally->by_clock ? 0 : tally->own;
	}
	if (shares.weight <= 0)
		return false;
	share_out(estimate, thread, &sums, shares);
	return true;
}

void estimate_unclocked(struct estimate *estimate, struct estimate_thread *thread)
{
	struct analysis_thread *row = &estimate->analysis->threads.data[thread->index];
	struct share time = {0};
	uint64_t count = 0;

	for (size_t i = thread->first; i < estimate->nodes.len; i++) {
		time.weight += estimate->paths.data[i].unclocked.weight;
		count += estimate->paths.data[i].unclocked.samples;
	}
	const double ticks = (double)time.weight * estimate->ticks_of_weight;
	if (!(ticks > 0 && ticks < TICKS_MAX))
		return;
	row->unclocked_ticks = (uint64_t)ticks;
	time.whole = (wide)row->unclocked_ticks;
	struct sharing sharing = sharing_of(estimate, thread, time);

	take_off_interrupts(&sharing, count);
	for (size_t i = thread->first; i < estimate->nodes.len; i++) {
		const struct estimate_samples *samples = &estimate->paths.data[i].unclocked;
		if (!samples->samples)
			continue;
		estimate->nodes.data[i].values.sampled = true;
		share_with(&sharing, &estimate->nodes.data[i].values, samples, 0);
	}
}
