/*
 * The look-up of nodes and OS records, and what happens when there is no room for them.
 *
 *   child of (parent, callee) ── found ── made ── made in the place of one that folds (fold.c)
 *
 * Refuses a node only without memory for it: more of them than node_max are in use while so many
 * calls are in progress.
 */
#include "runtime/tree/context.h"

#include "runtime/base/index.h"
#include "runtime/tree/host.h"
#include "runtime/tree/recursion.h"

/* ---- nodes ---- */

/* Of (parent's index, callee); folded nodes have a parent that no other node has. */
static uint64_t hash_of(uint32_t parent, const struct accumulate_callee *callee)
{
	return index_hash(parent, callee->key ^ index_hash(0, callee->call_site));
}

static struct accumulate_callee callee_of(const struct tare_node *node)
{
	return (struct accumulate_callee){node->key, node->call_site};
}

static uint64_t node_hash(const struct tare_node *node)
{
	const struct accumulate_callee callee = callee_of(node);

	return node->index & TARE_NODE_FOLDED
		       ? hash_of(TARE_NODE_FOLDED, &callee)
		       : hash_of(context_index(context_node(node->parent)), &callee);
}

static struct tare_node *node_find(const struct tare_thread_file *self,
				   const struct tare_node *parent, uint32_t folded,
				   const struct accumulate_callee *callee)
{
	const struct accumulate_index *nodes = &context_local(self)->nodes;
	const uint64_t hash = hash_of(folded ? folded : context_index(parent), callee);
	uint64_t at = UINT64_MAX;
	uint32_t number;

	while (index_next(nodes, hash, &at, &number)) {
		struct tare_node *node = context_node_at(self, number);

		if (node->key == callee->key && node->call_site == callee->call_site &&
		    node->parent == (uint64_t)parent && (node->index & TARE_NODE_FOLDED) == folded)
			return node;
	}
	return NULL;
}

struct tare_node *context_folded(const struct tare_thread_file *self, uint64_t key)
{
	const struct accumulate_callee callee = {.key = key};

	return node_find(self, context_nodes(self), TARE_NODE_FOLDED, &callee);
}

void context_node_forget(struct tare_thread_file *self, const struct tare_node *node)
{
	index_remove(&context_local(self)->nodes, node_hash(node), context_index(node));
}

void context_node_note(struct tare_thread_file *self, const struct tare_node *node)
{
	index_put(&context_local(self)->nodes, node_hash(node), context_index(node));
}

/* Makes `node` the parent's last child, and the successor of the one that was. */
static void child_note(const struct tare_thread_file *self, struct tare_node *parent,
		       const struct tare_node *node)
{
	struct tare_node *before = context_node(parent->last_child);

	if (before != &context_nodes(self)[CONTEXT_NODE_LAST])
		before->next = (uint64_t)node;
	parent->last_child = (uint64_t)node;
}

struct tare_node *accumulate_find(const struct tare_thread_file *self, struct tare_node *parent,
				  uint64_t key, uint64_t call_site)
{
	const struct accumulate_callee callee = {key, call_site};
	struct tare_node *node = node_find(self, parent, 0, &callee);

	if (node)
		child_note(self, parent, node);
	return node;
}

static void node_fill(const struct tare_thread_file *self, struct tare_node *node, uint32_t index,
		      const struct tare_node *parent)
{
	const uint64_t none = (uint64_t)&context_nodes(self)[CONTEXT_NODE_LAST];

	*node = (struct tare_node){.index = index,
				   .last_child = none,
				   .alias = none,
				   .next = none,
				   .parent = (uint64_t)parent,
				   .trace_from = self->trace_events,
				   .elapsed_inclusive_min = INT64_MAX,
				   .elapsed_exclusive_min = INT64_MAX,
				   .application_inclusive_min = INT64_MAX,
				   .application_exclusive_min = INT64_MAX};
}

void context_init(struct tare_thread_file *self)
{
	struct tare_node *nodes = context_nodes(self);

	node_fill(self, &nodes[CONTEXT_NODE_ROOT], CONTEXT_NODE_ROOT, nodes);
	node_fill(self, &nodes[CONTEXT_NODE_LAST], TARE_NODE_FOLDED | CONTEXT_NODE_LAST, nodes);
	recursion_note_root(&nodes[CONTEXT_NODE_ROOT]);
	nodes[CONTEXT_NODE_ROOT].sp = ~0ULL;
	nodes[CONTEXT_NODE_LAST].key = TARE_NODE_OTHER;
	self->node_count = CONTEXT_NODE_LAST + 1;
}

/* A node that was never in use, or NULL. */
static struct tare_node *node_append(struct tare_thread_file *self)
{
	if (self->node_count >= self->node_limit && !accumulate_host->grow(self, ACCUMULATE_NODES))
		return NULL;
	const uint32_t index = (uint32_t)self->node_count;
	struct tare_node *node = context_node_at(self, index);

	node_fill(self, node, index, context_nodes(self));
	self->node_count++;
	return node;
}

static struct tare_node *node_take(struct tare_thread_file *self, const struct tare_node *parent)
{
	struct tare_node *node = NULL;

	if (self->node_count < self->node_max)
		node = node_append(self);
	else
		self->limits |= TARE_LIMIT_NODES;
	if (!node)
		node = fold_one(self, parent);
	if (!node && self->node_count >= self->node_max)
		node = node_append(self);
	return node;
}

static struct tare_node *node_make(struct tare_thread_file *self, struct tare_node *parent,
				   const struct accumulate_callee *callee)
{
	/* One that folds makes room in the index too. */
	struct tare_node *node = index_reserve(&context_local(self)->nodes)
					 ? node_take(self, parent)
					 : fold_one(self, parent);

	if (!node)
		return NULL;
	node_fill(self, node, context_index(node), parent);
	node->key = callee->key;
	node->call_site = callee->call_site;
	recursion_note(self, node, parent);
	parent->children++;
	context_node_note(self, node);
	return node;
}

struct tare_node *context_child(struct tare_thread_file *self, struct tare_node *parent,
				const struct accumulate_callee *callee)
{
	struct tare_node *node = node_find(self, parent, 0, callee);

	if (!node)
		node = node_make(self, parent, callee);
	if (node)
		child_note(self, parent, node);
	return node;
}

/* ---- OS records ---- */

/* Of numbers here the first is 1, as in `next`: 0 is none. */
struct tare_os_record *context_os_at(const struct tare_thread_file *self, uint32_t number)
{
	return chunks_element(self, TARE_CHUNK_OS, number - 1);
}

static uint64_t os_hash(const struct tare_os_record *record)
{
	return index_hash((uint64_t)record->node << 32 | (uint64_t)record->cause << 16 |
				  record->syscall_number,
			  record->object ^ (uint64_t)record->name << 32 ^ record->holder.tid ^
				  (uint64_t)record->holder.node << 24);
}

static uint32_t os_find(const struct tare_thread_file *self, const struct tare_os_record *wanted)
{
	const struct accumulate_index *index = &context_local(self)->os;
	const uint64_t hash = os_hash(wanted);
	uint64_t at = UINT64_MAX;
	uint32_t number;

	while (index_next(index, hash, &at, &number)) {
		const struct tare_os_record *record = context_os_at(self, number);

		if (record->node == wanted->node && record->cause == wanted->cause &&
		    record->syscall_number == wanted->syscall_number &&
		    record->object == wanted->object && record->name == wanted->name &&
		    record->holder.tid == wanted->holder.tid &&
		    record->holder.node == wanted->holder.node)
			return number;
	}
	return 0;
}

static void os_note(struct tare_thread_file *self, struct tare_node *node, uint32_t number)
{
	struct tare_os_record *record = context_os_at(self, number);

	record->node = context_index(node);
	record->next = node->os_first;
	node->os_first = number;
	index_put(&context_local(self)->os, os_hash(record), number);
}

/* The number of a record not in use, while more than `keep` would remain. */
static bool os_take(struct tare_thread_file *self, uint64_t keep, uint32_t *number)
{
	struct accumulate_local *local = context_local(self);
	const uint64_t used = self->os_count - local->os_free_count;

	if (used + keep >= self->os_limit && !accumulate_host->grow(self, ACCUMULATE_OS) &&
	    used + keep >= self->os_limit)
		return false;
	if (!index_reserve(&local->os))
		return false;
	if (local->os_free) {
		*number = local->os_free;
		local->os_free = context_os_at(self, *number)->next;
		local->os_free_count--;
	} else {
		*number = (uint32_t)++self->os_count;
	}
	return true;
}

uint32_t context_os(struct tare_thread_file *self, const struct tare_os_record *wanted,
		    uint64_t keep)
{
	uint32_t number = os_find(self, wanted);

	if (number || !os_take(self, keep, &number))
		return number;
	struct tare_os_record *record = context_os_at(self, number);
	const uint32_t uses = record->uses;

	*record = *wanted;
	record->uses = uses;
	os_note(self, context_node_at(self, wanted->node), number);
	return number;
}

void accumulate_reserve(struct tare_thread_file *self, uint64_t count)
{
	struct accumulate_local *local = context_local(self);

	while (self->node_limit < self->node_count + count &&
	       accumulate_host->grow(self, ACCUMULATE_NODES))
		;
	while (self->os_limit < self->os_count + count &&
	       accumulate_host->grow(self, ACCUMULATE_OS))
		;
	while (local->nodes.slot_count / 2 < self->node_limit && index_double(&local->nodes))
		;
	while (local->os.slot_count / 2 < self->os_limit && index_double(&local->os))
		;
}

uint64_t context_os_ticks(const struct tare_thread_file *self, const struct tare_node *node)
{
	uint64_t ticks = 0;

	for (uint32_t at = node->os_first; at; at = context_os_at(self, at)->next)
		ticks += context_os_at(self, at)->ticks;
	return ticks;
}

static struct tare_os_record waits_record(const struct tare_node *node, enum tare_os_cause cause)
{
	return (struct tare_os_record){.node = context_index(node),
				       .cause = TARE_RECORD_WAITS,
				       .syscall_number = (uint16_t)cause};
}

void context_waits_add(struct tare_thread_file *self, const struct tare_node *node,
		       enum tare_os_cause cause, uint64_t ticks)
{
	const struct tare_os_record wanted = waits_record(node, cause);
	const uint32_t number = ticks ? context_os(self, &wanted, 0) : 0;

	if (number)
		context_os_at(self, number)->count += ticks;
}

static uint64_t waited(const struct tare_thread_file *self, const struct tare_node *node,
		       enum tare_os_cause cause)
{
	const struct tare_os_record wanted = waits_record(node, cause);
	const uint32_t number = node->os_first ? os_find(self, &wanted) : 0;

	return number ? context_os_at(self, number)->count : 0;
}

struct context_waits context_waits(const struct tare_thread_file *self,
				   const struct tare_node *node)
{
	return (struct context_waits){.blocked_ticks = waited(self, node, TARE_OS_BLOCKED),
				      .preempted_ticks = waited(self, node, TARE_OS_PREEMPTED)};
}

static void os_move(struct tare_thread_file *self, uint32_t number, struct tare_node *to)
{
	struct accumulate_local *local = context_local(self);
	struct tare_os_record *from = context_os_at(self, number);
	struct tare_os_record wanted = *from;

	wanted.node = context_index(to);
	const uint32_t found = os_find(self, &wanted);

	index_remove(&local->os, os_hash(from), number);
	if (!found) {
		os_note(self, to, number);
		return;
	}
	struct tare_os_record *record = context_os_at(self, found);

	from->ticks = 0;
	from->count = 0;
	record->ticks += wanted.ticks;
	record->count += wanted.count;
	if (record->longest_ticks < wanted.longest_ticks)
		record->longest_ticks = wanted.longest_ticks;
	from->uses++;
	from->next = local->os_free;
	local->os_free = number;
	local->os_free_count++;
}

uint64_t context_os_move(struct tare_thread_file *self, struct tare_node *node,
			 struct tare_node *to)
{
	const uint64_t ticks = context_os_ticks(self, node);

	while (node->os_first) {
		const uint32_t number = node->os_first;

		node->os_first = context_os_at(self, number)->next;
		os_move(self, number, to);
	}
	return ticks;
}

void context_fini(struct accumulate_local *local)
{
	index_free(&local->nodes);
	index_free(&local->os);
	index_free(&local->names);
	index_free(&local->path);
}

/* ---- counts of calls ---- */

void context_bucket_full(struct tare_thread_file *self, struct tare_node *node, uint32_t bucket)
{
	const struct tare_os_record wanted = {.node = context_index(node),
					      .cause = TARE_RECORD_CALLS,
					      .syscall_number = (uint16_t)bucket};
	const uint32_t number = context_os(self, &wanted, 0);

	if (!number)
		return; /* tried again at each further call: the counter has room for as many */
	context_os_at(self, number)->count += node->buckets[bucket];
	node->buckets[bucket] = 0;
}

uint64_t context_calls(const struct tare_node *node)
{
	uint64_t calls = 0;

	for (int i = 0; i < TARE_CALL_BUCKETS; i++)
		calls += node->buckets[i];
	return calls;
}
