/*
 *   rows of nodes ─▶ sums by function ─▶ less those that a process has judged ─▶ shortest first:
 *   which go ─▶ their numbers, as records
 *
 * Refuses functions without a counter of their own.
 */
#include "assemble/learning.h"

#include "abi/learned.h"

#include <stdlib.h>
#include <string.h>

#define BUDGET	     64 /* probes may take one in so many of the work: half of a process's budget */
#define LONG_PAIRS   128 /* a function that takes as many times its probes stays timed */
#define RAISED_MOST  8
#define SAMPLED_MOST 32 /* the same by samples */

/* What the node has waited is a reason for the functions that it was called by, too. */
static void wait_add(struct learning *learning, size_t place)
{
	const struct learning_node *nodes = learning->nodes.data, *node = &nodes[place];
	const int64_t id = learning->first_node + (int64_t)place;
	size_t at = node->parent;

	for (int i = 0; i < TARE_JUDGED_CALLERS && nodes[at].function; i++) {
		struct learning_function *caller =
			&learning->functions.data[nodes[at].function - 1];

		if (nodes[at].function != node->function && caller->below_node != id)
			caller->below_ticks += node->blocked_ticks;
		caller->below_node = id;
		at = nodes[at].parent;
	}
}

void learning_end_nodes(struct learning *learning)
{
	for (size_t i = 0; i < learning->nodes.len; i++)
		if (learning->nodes.data[i].blocked_ticks)
			wait_add(learning, i);
	learning->nodes.len = 0;
}

void learning_add_thread(struct learning *learning, const struct profile_thread *thread,
			 uint64_t pair_ticks)
{
	const uint64_t waited_ticks = thread->blocked_ticks + thread->preempted_ticks;

	learning_end_nodes(learning);
	if (thread->now_ticks > waited_ticks)
		learning->worked_ticks += thread->now_ticks - waited_ticks;
	learning->own_ticks += thread->own_ticks;
	if (pair_ticks > learning->pair_ticks)
		learning->pair_ticks = pair_ticks;
}

void learning_add_samples(struct learning *learning, uint64_t samples, uint64_t own_samples)
{
	learning->samples += samples;
	learning->own_samples += own_samples;
}

static void node_keep(struct learning *learning, const struct profile_node *node)
{
	const size_t count = learning->nodes.len;

	if (!count)
		learning->first_node = node->id;
	const uint64_t parent = (uint64_t)(node->parent - learning->first_node);
	const struct learning_node kept = {.function = node->function,
					   .parent = parent < count ? parent : count,
					   .blocked_ticks = node->os_ticks[TARE_OS_BLOCKED]};

	vec_push(&learning->nodes, kept);
}

void learning_add_node(struct learning *learning, const struct profile_node *node)
{
	const uint64_t waited_ticks =
		node->os_ticks[TARE_OS_BLOCKED] + node->os_ticks[TARE_OS_PREEMPTED];

	node_keep(learning, node);
	if (!node->function)
		return;
	while ((uint64_t)node->function > learning->functions.len)
		vec_push(&learning->functions, (struct learning_function){0});
	struct learning_function *function = &learning->functions.data[node->function - 1];
	function->calls += node->calls;
	function->blocked_ticks += node->os_ticks[TARE_OS_BLOCKED];
	if (node->elapsed_ticks > waited_ticks)
		function->ticks += node->elapsed_ticks - waited_ticks;
}

static bool may_go(const struct learning *learning, const struct learning_function *function)
{
	return function->calls >= TARE_JUDGED_CALLS_MIN &&
	       !tare_judged_leads(function->below_ticks, function->calls * learning->pair_ticks,
				  learning->worked_ticks) &&
	       function->ticks / function->calls < LONG_PAIRS * learning->pair_ticks &&
	       function->blocked_ticks <=
		       (function->ticks + function->blocked_ticks) / TARE_JUDGED_WAITS;
}

/* Shorter calls first; then the one of the lower id. */
static int compare_lengths(const void *a, const void *b)
{
	const struct learning_function *x = *(const struct learning_function *const *)a;
	const struct learning_function *y = *(const struct learning_function *const *)b;
	const uint64_t left = x->ticks / x->calls, right = y->ticks / y->calls;

	return left != right ? (left < right ? -1 : 1) : (x > y) - (x < y);
}

/*
 * What a call's probes cost: new contexts, and memory that is missed, come to what was calibrated.
 * The runtime measures its general path alone; samples tell of the short one, too, and of all
 * calls, those of functions that are gone by now among them.
 */
static uint64_t call_ticks(const struct learning *learning, uint64_t calls, uint64_t calls_all)
{
	const double least = (double)learning->pair_ticks, most = SAMPLED_MOST * least;
	const double raised = least + (double)learning->own_ticks / (double)calls;
	const double sampled = (double)learning->worked_ticks * (double)learning->own_samples /
			       ((double)learning->samples * (double)calls_all);
	double each = raised < RAISED_MOST * least ? raised : RAISED_MOST * least;

	if (learning->samples && sampled > each)
		each = sampled < most ? sampled : most;
	return each < (double)INT64_MAX ? (uint64_t)each : INT64_MAX;
}

void learning_choose(const struct learning *learning, bool *goes)
{
	struct vec_of(const struct learning_function *) candidates = {0};
	uint64_t calls = 0, calls_all = 0;

	vec_foreach (function, &learning->functions) {
		calls_all += function->calls;
		if (function->gone)
			continue;
		calls += function->calls;
		if (may_go(learning, function))
			vec_push(&candidates, function);
	}
	const uint64_t each_ticks = calls ? call_ticks(learning, calls, calls_all) : 0;
	vec_sort(&candidates, compare_lengths);
	for (size_t i = 0;
	     i < candidates.len && calls * each_ticks > learning->worked_ticks / BUDGET; i++) {
		const struct learning_function *function = candidates.data[i];
		goes[function - learning->functions.data] = true;
		calls -= function->calls;
	}
	vec_fini(&candidates);
}

/* By the numbers of functions: what the last record about each says, TARE_DISARMS without one. */
static uint8_t *last_records(const struct disarm_records *records,
			     const struct resolve_counted *counted, uint64_t module_id)
{
	uint8_t *last = mem_alloc(counted->function_count + 1);

	memset(last, TARE_DISARMS, counted->function_count + 1);
	vec_foreach (record, records)
		if (record->module_id == module_id && record->number < counted->function_count)
			last[record->number] = (uint8_t)record->what;
	return last;
}

static uint64_t module_id_of(const struct resolve_counted *counted)
{
	uint64_t id;

	memcpy(&id, counted->source_id, sizeof(id));
	return id;
}

void learning_leave_out(struct learning *learning, const int64_t *ids,
			const struct resolve_counted *counted, const struct disarm_records *records)
{
	uint8_t *last = last_records(records, counted, module_id_of(counted));

	for (uint32_t number = 0; number < counted->function_count; number++) {
		const uint64_t id = (uint64_t)ids[number];
		if (id - 1 < learning->functions.len && last[number] < TARE_DISARM_TAKEN_BACK)
			learning->functions.data[id - 1].gone = true;
	}
	free(last);
}

void learning_take_module(const int64_t *ids, const struct resolve_counted *counted,
			  const struct learning_choice *choice, struct disarm_records *records)
{
	struct tare_disarm_record record = {.count = counted->site_end,
					    .what = TARE_DISARM_FUNCTION};

	record.module_id = module_id_of(counted);
	uint8_t *last = last_records(records, counted, record.module_id);
	for (record.number = 0; record.number < counted->function_count; record.number++) {
		const uint64_t id = (uint64_t)ids[record.number];
		if (id - 1 < choice->count && choice->goes[id - 1] &&
		    last[record.number] != TARE_DISARM_TAKEN_BACK)
			vec_push(records, record);
	}
	free(last);
}

void learning_judge(struct learning *learning, const struct resolver *resolver,
		    struct disarm_records *records)
{
	const struct learning_choice choice = {.goes = mem_zalloc(learning->functions.len + 1),
					       .count = learning->functions.len};
	struct resolve_counted counted;

	learning_end_nodes(learning);
	vec_foreach (module, &resolver->modules)
		if ((*module)->counted_functions && resolver_counted(*module, &counted))
			learning_leave_out(learning, (*module)->counted_functions, &counted,
					   records);
	learning_choose(learning, choice.goes);
	vec_foreach (module, &resolver->modules)
		if ((*module)->counted_functions && resolver_counted(*module, &counted))
			learning_take_module((*module)->counted_functions, &counted, &choice,
					     records);
	free(choice.goes);
}

void learning_fini(struct learning *learning)
{
	vec_fini(&learning->functions);
	vec_fini(&learning->nodes);
}
