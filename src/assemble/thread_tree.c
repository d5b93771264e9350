/*
 * Adding up one thread's tree. Works in one pass over the nodes from the last to the first,
 * because a parent's index is smaller than its children's; no recursion.
 */
#include "assemble/thread_tree.h"

#include <inttypes.h>

/* `elapsed_ticks` per node, signed. */
static void add_open_calls(struct tree *tree, int64_t *elapsed_ticks)
{
	const struct thread_file *thread = tree->thread;

	elapsed_ticks[0] += thread->root_exclusive;
	for (size_t i = 0; i < thread->open_call_count; i++) {
		const struct thread_file_open_call *call = &thread->open_calls[i];
		struct tree_node *node = &tree->nodes[call->node];
		elapsed_ticks[call->node] += call->exclusive_ticks;
		/* What stood open at a fork was begun, and is counted, in the parent. */
		if (call->inherited)
			continue;
		node->calls++;
		node->calls_by_call += call->by_call;
	}
}

static void add_os_records(struct tree *tree)
{
	const struct thread_file *thread = tree->thread;

	for (size_t i = 0; i < thread->os_count; i++) {
		const struct tare_os_record *record = &thread->os[i];
		tree->nodes[record->node].os_ticks[record->cause] += record->ticks;
		tree->os_ticks += record->ticks;
		if (record->cause == TARE_OS_BLOCKED)
			tree->blocked_ticks += record->ticks;
		if (record->cause == TARE_OS_PREEMPTED)
			tree->preempted_ticks += record->ticks;
	}
}

static uint64_t os_ticks_of(const struct tree_node *node)
{
	uint64_t ticks = 0;

	for (size_t cause = 0; cause < TARE_OS_CAUSES; cause++)
		ticks += node->os_ticks[cause];
	return ticks;
}

/*
 * Where more probe cost was subtracted from a node's calls than they took, it gets back what is
 * missing to its OS time, or to none. More than all probes can have cost is damage instead.
 */
static void give_back(struct tree *tree, struct tree_node *node, int64_t elapsed_ticks)
{
	const int64_t missing = (int64_t)os_ticks_of(node) - elapsed_ticks;

	node->elapsed_ticks = elapsed_ticks > 0 ? (uint64_t)elapsed_ticks : 0;
	if (missing <= 0 || (uint64_t)missing / TARE_PROBE_TICKS_MAX > tree->calls)
		return;
	node->elapsed_ticks = os_ticks_of(node);
	node->given_back_ticks = (uint64_t)missing;
	tree->given_back_ticks += (uint64_t)missing;
}

/* OS time is part of the elapsed time; a killed thread may have noted the one without the other. */
static void fit_os_time(struct tree *tree, struct tree_node *node)
{
	uint64_t room = node->elapsed_ticks;

	for (size_t cause = 0; cause < TARE_OS_CAUSES; cause++) {
		if (node->os_ticks[cause] > room) {
			tree->os_cut_ticks += node->os_ticks[cause] - room;
			node->os_ticks[cause] = room;
		}
		room -= node->os_ticks[cause];
	}
}

static bool has_values(const struct tree_node *node, const struct tare_node *from)
{
	return node->calls || node->elapsed_ticks || os_ticks_of(node) || from->folded_elapsed ||
	       from->folded_os;
}

void tree_init(struct tree *tree, const struct thread_file *thread)
{
	*tree = (struct tree){.thread = thread};
	tree->nodes = mem_zalloc(thread->node_count * sizeof(*tree->nodes));
	int64_t *elapsed_ticks = mem_zalloc(thread->node_count * sizeof(*elapsed_ticks));

	for (size_t i = 0; i < thread->node_count; i++) {
		const struct tare_node *from = &thread->nodes[i];
		const uint64_t calls = thread_file_calls(thread, i);
		tree->nodes[i] = (struct tree_node){
			.calls = calls,
			.ended = calls,
			.calls_by_call = from->calls_by_call,
			.ended_by_call = from->calls_by_call,
		};
		elapsed_ticks[i] = from->elapsed_ticks;
		tree->calls += calls;
	}
	add_open_calls(tree, elapsed_ticks);
	add_os_records(tree);
	for (size_t i = thread->node_count; i-- > 0;) {
		struct tree_node *node = &tree->nodes[i];
		give_back(tree, node, elapsed_ticks[i]);
		fit_os_time(tree, node);
		tree->elapsed_ticks += node->elapsed_ticks;
		node->keep |= !i || has_values(node, &thread->nodes[i]);
		if (node->keep)
			tree->nodes[thread->parents[i]].keep = true;
	}
	free(elapsed_ticks);
}

void tree_fini(struct tree *tree)
{
	free(tree->nodes);
	tree->nodes = NULL;
}

static uint64_t without(uint64_t all, uint64_t some)
{
	return all > some ? all - some : 0;
}

/* Each event at its kind's cost by calibration. */
static uint64_t overhead_nominal(struct tree *tree, const uint64_t cost_ticks[TARE_EVENT_KINDS])
{
	const struct thread_file *thread = tree->thread;
	uint64_t ticks = 0;

	for (size_t i = 0; i < thread->node_count; i++) {
		struct tree_node *node = &tree->nodes[i];
		struct tree_node *parent = &tree->nodes[thread->parents[i]];
		if (node->reports_enter) {
			node->overhead_ticks += node->calls * cost_ticks[TARE_EVENT_ENTER];
			parent->overhead_ticks += without(node->ended, thread->nodes[i].unwound) *
						  cost_ticks[TARE_EVENT_LEAVE];
		}
		node->overhead_ticks += node->calls_by_call * cost_ticks[TARE_EVENT_CALL];
		parent->overhead_ticks += node->ended_by_call * cost_ticks[TARE_EVENT_RETURN];
	}
	for (size_t i = 0; i < thread->node_count; i++)
		ticks += tree->nodes[i].overhead_ticks;
	return ticks;
}

/*
 * What was taken off for probes by the thread's own account, which followed the processor's pace
 * (runtime/control/pace.h), before some was given back: that is taken off node by node.
 */
static uint64_t overhead_taken(const struct tree *tree)
{
	const struct tare_thread_file *header = &tree->thread->header;
	uint64_t ticks = header->lost_ticks - header->begin_ticks - header->own_ticks -
			 header->idle_ticks - header->off_ticks - header->switches_ticks;

	for (size_t i = 0; i < tree->thread->node_count; i++)
		ticks += tree->thread->nodes[i].clamped_ticks;
	return ticks;
}

/* The share that fits what was taken; of no thread that was cut off, or is damaged. */
static uint64_t overhead_share(uint64_t ticks, uint64_t nominal, uint64_t taken)
{
	if (!nominal || taken / TARE_PACE_CHANGE_MAX > nominal ||
	    taken < nominal / TARE_PACE_CHANGE_MAX)
		return ticks;
	return (uint64_t)((unsigned __int128)ticks * taken / nominal);
}

void tree_compute_overhead(struct tree *tree, const uint64_t cost_ticks[TARE_EVENT_KINDS])
{
	const struct thread_file *thread = tree->thread;
	const uint64_t nominal = overhead_nominal(tree, cost_ticks);
	const uint64_t taken = overhead_taken(tree);

	tree->overhead_ticks = 0;
	for (size_t i = 0; i < thread->node_count; i++) {
		struct tree_node *node = &tree->nodes[i];
		node->overhead_ticks =
			without(overhead_share(node->overhead_ticks, nominal, taken),
				thread->nodes[i].clamped_ticks + node->given_back_ticks);
		if (node->overhead_ticks > SESSION_FILE_VALUE_MAX)
			node->overhead_ticks = 0;
		tree->overhead_ticks += node->overhead_ticks;
	}
}

uint64_t tree_clock(const struct tree *tree)
{
	const int64_t ticks = (int64_t)(tree->thread->header.now_ticks + tree->given_back_ticks);

	return ticks > 0 ? (uint64_t)ticks : 0;
}

void tree_settle(struct tree *tree, struct thread_file *thread)
{
	thread->header.now_ticks += tree->elapsed_ticks - tree_clock(tree);
	thread->header.os_ticks = tree->os_ticks;
	thread->header.blocked_ticks = tree->blocked_ticks;
	thread->header.preempted_ticks = tree->preempted_ticks;
	tree->os_cut_ticks = 0;
}

bool tree_check_sums(const struct tree *tree, struct error *err)
{
	const struct tare_thread_file *header = &tree->thread->header;

	if (tree->elapsed_ticks != tree_clock(tree))
		return error_set(err, ERROR_INPUT,
				 "its functions add up to %" PRIu64 " ticks, its clock to %" PRIu64,
				 tree->elapsed_ticks, tree_clock(tree));
	if (tree->os_cut_ticks)
		return error_set(err, ERROR_INPUT,
				 "%" PRIu64 " ticks of OS time exceed the time of their functions",
				 tree->os_cut_ticks);
	if (!header->os_lost && tree->os_ticks != header->os_ticks)
		return error_set(err, ERROR_INPUT,
				 "its OS times add up to %" PRIu64 " ticks instead of %" PRIu64,
				 tree->os_ticks, header->os_ticks);
	if (!header->os_lost && (tree->blocked_ticks != header->blocked_ticks ||
				 tree->preempted_ticks != header->preempted_ticks))
		return error_set(err, ERROR_INPUT,
				 "its waits add up to %" PRIu64 " and %" PRIu64
				 " ticks instead of %" PRIu64 " and %" PRIu64,
				 tree->blocked_ticks, tree->preempted_ticks, header->blocked_ticks,
				 header->preempted_ticks);
	return true;
}
