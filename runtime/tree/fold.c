/*
 * Folding: a context gives way to a new one. Its values go to its function's folded node, its time
 * to what its caller says of callees that have folded (abi/session_files.h).
 *
 *   hand ─▶ CANDIDATES nodes without callees, not in progress ─▶ the one of least worth folds
 *
 * Worth is time per time since the last call: what the program has left for good goes first, and
 * contexts in which it spends its time stay. A folded node costs none: it is the node of the first
 * context of its function that folds.
 *
 * Every value is taken from its node before it is added elsewhere, so that a death in between
 * leaves time missing, which accumulate_repair and the reader charge to the top call.
 */
#include "runtime/tree/context.h"

#include "runtime/tree/recursion.h"

#define CANDIDATES  8
#define STEPS_MAX   256	 /* of the hand for one node */
#define STEPS_FEW   8	 /* the same where it has gone round without meeting one to fold */
#define STEPS_AHEAD 16	 /* that the hand fetches */
#define WORTH_TICKS 4096 /* a context without any time is worth so much */

static bool may_fold(const struct tare_thread_file *self, const struct tare_node *node,
		     const struct tare_node *parent)
{
	return !node->children && !(node->index & TARE_NODE_FOLDED) && node != parent &&
	       node != context_node(self->top) && node != context_nodes(self);
}

static bool worth_less(const struct tare_thread_file *self, const struct tare_node *a,
		       const struct tare_node *b)
{
	const uint64_t a_age = self->now_ticks - a->start, b_age = self->now_ticks - b->start;

	return (__int128)(a->elapsed_ticks + WORTH_TICKS) * b_age <
	       (__int128)(b->elapsed_ticks + WORTH_TICKS) * a_age;
}

/* What is left of the run of nodes in memory from the hand on. */
struct run {
	struct tare_node *node;
	uint32_t left;
};

static struct run run_at(const struct tare_thread_file *self, uint32_t number)
{
	const struct tare_chunk *chunk = chunks_find(self, TARE_CHUNK_NODES, number);
	const uint64_t end = chunk->first + chunk->count;

	return (struct run){.node = context_node_at(self, number),
			    .left = (uint32_t)(end < self->node_count ? end : self->node_count) -
				    number};
}

/*
 * The next node in the round of the hand. Those further on are cold: what choose looks at of them
 * is fetched meanwhile.
 */
static struct tare_node *hand_move(const struct tare_thread_file *self, struct run *run)
{
	struct accumulate_local *local = context_local(self);

	if (run->left > 1) {
		local->hand++;
		run->node++;
		run->left--;
	} else {
		const uint32_t next = local->hand + 1;

		local->hand = next < self->node_count ? next : CONTEXT_NODE_LAST;
		*run = run_at(self, local->hand);
	}
	__builtin_prefetch(run->node + STEPS_AHEAD);
	return run->node;
}

/* While nearly all nodes are in progress, as in deep recursion, there is nothing to look for. */
static unsigned steps_of(const struct tare_thread_file *self, const struct tare_node *chosen)
{
	if (chosen)
		return STEPS_MAX / 8;
	return context_local(self)->barren < self->node_count ? STEPS_MAX : STEPS_FEW;
}

/*
 * The node that gives way, or NULL. One that is not in use gives way at once. The caller of the
 * last one is looked at too, so that a long path goes as fast as it came. Most nodes are cold, so
 * what lies beyond their first cache line is looked at last.
 */
static struct tare_node *choose(const struct tare_thread_file *self, const struct tare_node *parent)
{
	struct accumulate_local *local = context_local(self);
	const uint64_t none = (uint64_t)&context_nodes(self)[CONTEXT_NODE_LAST];
	struct tare_node *node = context_node_at(self, local->bereft);
	struct tare_node *chosen = node->parent && may_fold(self, node, parent) ? node : NULL;
	const unsigned steps_max = steps_of(self, chosen);
	struct run run = run_at(self, local->hand);

	for (unsigned steps = 0, seen = 0; steps < steps_max && seen < CANDIDATES; steps++) {
		node = hand_move(self, &run);
		if (!node->parent) {
			chosen = node;
			break;
		}
		if (node->last_child != none)
			continue; /* it has callees */
		if ((!chosen || worth_less(self, node, chosen)) && may_fold(self, node, parent))
			chosen = node;
		seen += chosen != NULL;
	}
	local->barren = chosen ? 0 : local->barren + steps_max;
	return chosen;
}

static int64_t take_time(int64_t *value)
{
	const int64_t taken = *value;

	*(volatile int64_t *)value = 0;
	return taken;
}

static uint64_t take(uint64_t *value)
{
	const uint64_t taken = *value;

	*(volatile uint64_t *)value = 0;
	return taken;
}

static void widen(int64_t *min, int64_t *max, int64_t other_min, int64_t other_max)
{
	if (other_min < *min)
		*min = other_min;
	if (other_max > *max)
		*max = other_max;
}

/* Returns the calls. A counter that would go beyond its end gives to a record what both have. */
static uint64_t buckets_move(struct tare_thread_file *self, struct tare_node *to,
			     struct tare_node *from)
{
	uint64_t moved = 0;

	for (uint32_t i = 0; i < TARE_CALL_BUCKETS; i++) {
		const uint32_t calls = from->buckets[i];

		if (!calls)
			continue;
		from->buckets[i] = 0;
		moved += calls;
		to->buckets[i] += calls;
		if (to->buckets[i] >= TARE_BUCKET_FULL)
			context_bucket_full(self, to, i);
	}
	return moved;
}

static void values_move(struct tare_node *to, struct tare_node *from)
{
	to->elapsed_ticks += take_time(&from->elapsed_ticks);
	to->calls_by_call += take(&from->calls_by_call);
	to->unwound += take(&from->unwound);
	to->clamped_ticks += take(&from->clamped_ticks);
	widen(&to->elapsed_inclusive_min, &to->elapsed_inclusive_max, from->elapsed_inclusive_min,
	      from->elapsed_inclusive_max);
	widen(&to->elapsed_exclusive_min, &to->elapsed_exclusive_max, from->elapsed_exclusive_min,
	      from->elapsed_exclusive_max);
	widen(&to->application_inclusive_min, &to->application_inclusive_max,
	      from->application_inclusive_min, from->application_inclusive_max);
	widen(&to->application_exclusive_min, &to->application_exclusive_max,
	      from->application_exclusive_min, from->application_exclusive_max);
}

/* Tells caller and folded node of the time that is no longer in the tree below the caller. */
static void times_move(struct tare_thread_file *self, const struct tare_node *node,
		       struct tare_node *to)
{
	struct tare_node *caller = context_node(node->parent);
	const int64_t os_ticks = (int64_t)context_os_ticks(self, node);
	const int64_t elapsed_within = node->folded_elapsed, os_within = node->folded_os;

	caller->folded_elapsed += node->elapsed_ticks + elapsed_within;
	caller->folded_os += os_ticks + os_within;
	if (to->key == TARE_NODE_OTHER)
		return;
	if (recursion_is(node)) {
		to->folded_elapsed -= node->elapsed_ticks;
		to->folded_os -= os_ticks;
	} else {
		to->folded_elapsed += elapsed_within;
		to->folded_os += os_within;
	}
}

/* Takes the node out of the tree; what else knows it checks its parent. */
static void detach(struct tare_thread_file *self, struct tare_node *node)
{
	struct tare_node *caller = context_node(node->parent);

	context_node_forget(self, node);
	recursion_forget(self, node);
	if (caller->last_child == (uint64_t)node)
		caller->last_child = (uint64_t)&context_nodes(self)[CONTEXT_NODE_LAST];
	caller->children--;
	context_local(self)->bereft = context_index(caller);
	node->stub = 0;
}

/* The node becomes its function's folded one. */
static void become_folded(struct tare_thread_file *self, struct tare_node *node)
{
	struct tare_node before = *node;

	self->folded += context_calls(node);
	before.folded_elapsed = before.folded_os = 0;
	times_move(self, node, &before);
	detach(self, node);
	node->parent = (uint64_t)context_nodes(self);
	node->index |= TARE_NODE_FOLDED;
	node->call_site = 0;
	node->folded_elapsed = before.folded_elapsed;
	node->folded_os = before.folded_os;
	context_node_note(self, node);
	context_local(self)->folded_count++;
}

static void fold_into(struct tare_thread_file *self, struct tare_node *node, struct tare_node *to)
{
	times_move(self, node, to);
	detach(self, node);
	context_os_move(self, node, to);
	values_move(to, node);
	self->folded += buckets_move(self, to, node);
	*(volatile uint64_t *)&node->parent = 0;
}

struct tare_node *fold_one(struct tare_thread_file *self, const struct tare_node *parent)
{
	for (;;) {
		struct tare_node *node = choose(self, parent);

		if (!node || !node->parent)
			return node;
		struct tare_node *to = context_folded(self, node->key);

		self->folded_contexts++;
		if (!to && context_local(self)->folded_count < self->node_max / 2) {
			become_folded(self, node);
			continue;
		}
		fold_into(self, node, to ? to : &context_nodes(self)[CONTEXT_NODE_LAST]);
		return node;
	}
}
