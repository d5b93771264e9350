/*
 * The calls in progress in a thread file: the nodes from header.top along their callers to the
 * root, and the exclusive time that each has had so far (abi/session_files.h).
 *
 * Refuses a chain that leaves the nodes or does not come closer to the root with every step: it is
 * cut there, and what is outside of it counts as the root's.
 */
#include "session/thread_part.h"

struct chain {
	struct thread_file *thread;
	size_t *links; /* nodes, innermost first, without the root */
	size_t count;
};

static bool is_sane(const struct tare_node *node)
{
	return session_sum_is_sound((int64_t)node->start) && session_sum_is_sound(node->child) &&
	       node->os_exclusive <= SESSION_FILE_VALUE_MAX;
}

/* Callers have smaller indexes. */
static void chain_follow(struct chain *chain)
{
	struct thread_file *thread = chain->thread;
	size_t at, before = thread->node_count;

	chain->links = mem_zalloc(thread->node_count * sizeof(*chain->links));
	if (!thread_file_node_at(thread, thread->header.top, &at)) {
		thread->damaged++;
		return;
	}
	while (at) {
		if (at >= before || !is_sane(&thread->nodes[at])) {
			thread->damaged++;
			return;
		}
		chain->links[chain->count++] = at;
		before = at;
		at = thread->parents[at];
	}
}

static void root_check(struct thread_file *thread)
{
	struct tare_node *root = &thread->nodes[0];

	if (is_sane(root))
		return;
	root->start = 0;
	root->child = 0;
	thread->damaged++;
}

/*
 * A probe that was at work when the thread was killed may have ended a call and not yet told its
 * caller, which is then at the top: the time that is missing there. See accumulate_repair.
 */
static int64_t missing_child_ticks(const struct chain *chain)
{
	const struct thread_file *thread = chain->thread;
	int64_t missing = 0;

	if (!thread->header.gate)
		return 0;
	for (size_t i = 0; i < thread->node_count; i++)
		missing += thread->nodes[i].elapsed_ticks;
	for (size_t i = 0; i < chain->count; i++)
		missing -= thread->nodes[chain->links[i]].child;
	missing -= thread->nodes[0].child;
	const uint64_t most = thread->header.now_ticks + thread->header.lost_ticks -
			      thread->header.begin_ticks; /* all that has passed */

	return most <= SESSION_FILE_VALUE_MAX && missing <= (int64_t)most &&
			       missing >= -(int64_t)most
		       ? missing
		       : 0;
}

/* The exclusive time so far. */
static int64_t exclusive_ticks(const struct tare_node *node, uint64_t end_ticks, int64_t more_child)
{
	return (int64_t)(end_ticks - node->start) - node->child - more_child;
}

static void chain_take(const struct chain *chain)
{
	struct thread_file *thread = chain->thread;
	uint64_t end_ticks = thread->header.now_ticks;
	int64_t missing = missing_child_ticks(chain);
	bool inherited = false;

	thread->open_calls = mem_zalloc((chain->count + 1) * sizeof(*thread->open_calls));
	for (size_t i = 0; i < chain->count; i++) {
		const size_t at = chain->links[i];
		const struct tare_node *node = &thread->nodes[at];
		size_t first;

		inherited |= thread_file_node_at(thread, thread->header.inherited, &first) &&
			     first == at;
		thread->open_calls[i] = (struct thread_file_open_call){
			.node = (uint32_t)at,
			.by_call = (0 - node->sp) & TARE_CALL_BY_CALL,
			.inherited = inherited,
			.exclusive_ticks = exclusive_ticks(node, end_ticks, missing),
		};
		end_ticks = node->start;
		missing = 0;
	}
	thread->open_call_count = chain->count;
	thread->root_exclusive = exclusive_ticks(&thread->nodes[0], end_ticks, missing);
}

void open_calls_read(struct thread_file *thread)
{
	struct chain chain = {.thread = thread};

	root_check(thread);
	chain_follow(&chain);
	chain_take(&chain);
	free(chain.links);
}
