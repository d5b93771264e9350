/*
 * A path may be of any depth, and each new context below it asks, so the answer must not cost a
 * walk to the root. Each node points to the nearest among itself and its callers that is the
 * outermost call of its function:
 *
 *   root ◀─ main ◀─ rec ◀─ rec ◀─ rec ◀─ leaf       outermost of each rec: the first one
 *              ▲     ▲      │      │      │
 *              │     └──────┴──────┘      │         the chain from leaf: leaf, rec, main, root
 *
 * This chain has each function of the path once. It is asked in three steps, each only where the
 * one before it leaves the matter open:
 *
 *   1  bits of `around`, one for each function of the path; two may share one
 *   2  the chain's first CHAIN_STEPS nodes: enough for any but paths of very many functions
 *   3  a table of the functions in the chain, which follows the thread from one path to the next
 *
 * The third costs a step for each node by which the chain differs from the one last asked about.
 * Both were in progress on this thread, so it has begun or ended a call for each of them since.
 *
 * Refuses nothing: where there is no memory for the table, the chain is followed to its end.
 */
#include "runtime/tree/recursion.h"

#include "runtime/base/index.h"
#include "runtime/tree/context.h"

#define CHAIN_STEPS 32

static const struct tare_node *next_in_chain(const struct tare_node *node)
{
	return context_node(context_node(node->parent)->outermost);
}

/* The same for a function that has got an ordinal since. */
static uint64_t function_hash(uint64_t key)
{
	return index_hash(0, key << 16);
}

static uint64_t around_bit(uint64_t key)
{
	return 1ULL << (function_hash(key) >> 32 & 63);
}

/* ---- the table ---- */

void recursion_reset(struct accumulate_local *local)
{
	index_free(&local->path);
	local->path_end = 0;
}

static void path_take_off(struct accumulate_local *local, const struct tare_node *node)
{
	index_remove(&local->path, function_hash(node->key), context_index(node));
	local->path_end = (uint64_t)next_in_chain(node);
}

/* Makes the table that of the chain which begins with `node`; false when there is no memory. */
static bool path_follow(struct accumulate_local *local, const struct tare_node *node)
{
	const struct tare_node *end = node;

	while (context_node(local->path_end) != node) {
		const struct tare_node *last = context_node(local->path_end);

		local->chain_steps++;
		if (last->depth >= node->depth) {
			path_take_off(local, last);
			continue;
		}
		if (!index_reserve(&local->path))
			return false;
		index_put(&local->path, function_hash(node->key), context_index(node));
		node = next_in_chain(node);
	}
	local->path_end = (uint64_t)end;
	return true;
}

static bool path_has(const struct tare_thread_file *self, uint64_t key)
{
	const struct accumulate_index *path = &context_local(self)->path;
	uint64_t at = UINT64_MAX;
	uint32_t number;

	while (index_next(path, function_hash(key), &at, &number))
		if (context_node_at(self, number)->key == key)
			return true;
	return false;
}

/* ---- the chain ---- */

/* The node of function `key` in the chain from `node`, or the root; NULL after `steps` nodes. */
static const struct tare_node *chain_find(const struct tare_thread_file *self,
					  const struct tare_node *node, uint64_t key,
					  uint64_t steps)
{
	const struct tare_node *root = context_nodes(self);
	uint64_t step = 0;

	while (step < steps && node != root && node->key != key) {
		node = next_in_chain(node);
		step++;
	}
	context_local(self)->chain_steps += step;
	return step < steps ? node : NULL;
}

static bool is_in_chain(const struct tare_thread_file *self, const struct tare_node *chain,
			uint64_t key)
{
	struct accumulate_local *local = context_local(self);
	const struct tare_node *root = context_nodes(self);
	const struct tare_node *found = chain_find(self, chain, key, CHAIN_STEPS);

	if (found)
		return found != root;
	if (!local->path_end)
		local->path_end = (uint64_t)root;
	if (!local->path_given_up && path_follow(local, chain))
		return path_has(self, key);
	local->path_given_up = true;
	recursion_reset(local);
	return chain_find(self, chain, key, UINT64_MAX) != root;
}

/* ---- nodes ---- */

void recursion_note_root(struct tare_node *root)
{
	root->outermost = (uint64_t)root;
}

void recursion_note(const struct tare_thread_file *self, struct tare_node *node,
		    const struct tare_node *parent)
{
	const struct tare_node *chain = context_node(parent->outermost);
	const uint64_t bit = around_bit(node->key);
	const bool recursive = parent->around & bit && is_in_chain(self, chain, node->key);

	node->depth = parent->depth + 1;
	node->around = parent->around | bit;
	node->outermost = recursive ? (uint64_t)chain : (uint64_t)node;
}

void recursion_forget(const struct tare_thread_file *self, const struct tare_node *node)
{
	struct accumulate_local *local = context_local(self);

	if (local->path_end == (uint64_t)node)
		path_take_off(local, node);
}
