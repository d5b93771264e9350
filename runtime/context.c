/*
 * The look-up of nodes and OS records, and what happens when there is no room for them.
 *
 *   child of (parent, key) ── found ── made ── folded: a temporary node while the call lasts
 *
 * Refuses nothing for good: without room a context folds into its function's node, without room
 * for that into node 1, and only without room for a temporary node there is none.
 */
#include "runtime/context.h"

#define INDEX_SLOTS_MIN 512
#define FOLDED_RESERVE	64 /* one in so many of the nodes is kept for folded ones */

static uint64_t hash_mix(uint64_t a, uint64_t b)
{
	uint64_t h = (b ^ (a + 1) * 0x9e3779b97f4a7c15ULL) * 0xff51afd7ed558ccdULL;

	return h ^ h >> 29;
}

static struct tare_os_record *os_of(const struct tare_thread_file *self)
{
	return (struct tare_os_record *)(self->run_addr + TARE_THREAD_OS_OFFSET);
}

static struct accumulate_local *local_of(const struct tare_thread_file *self)
{
	return (struct accumulate_local *)self->local;
}

static uint64_t slot_at(const struct accumulate_index *index, uint64_t hash)
{
	return hash >> 20 & (index->slot_count - 1);
}

static void index_put(struct accumulate_index *index, uint64_t hash, uint32_t value)
{
	uint64_t slot = slot_at(index, hash);

	while (index->slots[slot])
		slot = (slot + 1) & (index->slot_count - 1);
	index->slots[slot] = hash << 32 | value;
	index->used++;
}

/* `hash_of` gives an entry's hash anew. False where there is no memory. */
static bool index_double(struct accumulate_index *index, const struct tare_thread_file *self,
			 uint64_t (*hash_of)(const struct tare_thread_file *, uint32_t))
{
	struct accumulate_index larger = {.slot_count = index->slot_count ? index->slot_count * 2
									  : INDEX_SLOTS_MIN};

	larger.slots = accumulate_host_map(larger.slot_count * sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (uint64_t i = 0; i < index->slot_count; i++) {
		const uint32_t value = (uint32_t)index->slots[i];

		if (value)
			index_put(&larger, hash_of(self, value), value);
	}
	if (index->slots)
		accumulate_host_unmap(index->slots, index->slot_count * sizeof(*index->slots));
	*index = larger;
	return true;
}

/*
 * Makes room for one more entry, doubling when half full. False when there is no memory and the
 * index is nearly full.
 */
static bool index_reserve(struct accumulate_index *index, const struct tare_thread_file *self,
			  uint64_t (*hash_of)(const struct tare_thread_file *, uint32_t))
{
	return index->used < index->slot_count / 2 || index_double(index, self, hash_of) ||
	       (index->slot_count && index->used < index->slot_count / 8 * 7);
}

static uint64_t node_hash(const struct tare_thread_file *self, uint32_t at)
{
	const struct tare_node *node = &context_nodes(self)[at];

	return hash_mix(node->parent_index, node->key);
}

static struct tare_node *node_find(const struct tare_thread_file *self, uint32_t parent,
				   uint64_t key)
{
	const struct accumulate_index *index = &local_of(self)->nodes;
	const uint64_t hash = hash_mix(parent, key);

	if (!index->slot_count)
		return NULL;
	for (uint64_t slot = slot_at(index, hash); index->slots[slot];
	     slot = (slot + 1) & (index->slot_count - 1)) {
		if ((uint32_t)hash != index->slots[slot] >> 32)
			continue;
		struct tare_node *node = &context_nodes(self)[(uint32_t)index->slots[slot]];
		if (node->key == key && node->parent_index == parent)
			return node;
	}
	return NULL;
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
				  uint64_t key)
{
	if (context_is_temporary(self, parent))
		return NULL;
	struct tare_node *node = node_find(self, context_index(self, parent), key);

	if (node)
		child_note(self, parent, node);
	return node;
}

/* `parent` may carry TARE_NODE_FOLDED. */
static struct tare_node *node_append(struct tare_thread_file *self, uint32_t parent, uint64_t key)
{
	struct tare_node *nodes = context_nodes(self);
	struct tare_node *node = &nodes[self->node_count];
	const struct tare_node *none = &nodes[CONTEXT_NODE_LAST];

	*node = (struct tare_node){.key = key,
				   .last_child = (uint64_t)none,
				   .alias = (uint64_t)none,
				   .next = (uint64_t)none,
				   .parent = (uint64_t)&nodes[parent & ~TARE_NODE_FOLDED],
				   .parent_index = parent,
				   .elapsed_inclusive_min = INT64_MAX,
				   .elapsed_exclusive_min = INT64_MAX,
				   .application_inclusive_min = INT64_MAX,
				   .application_exclusive_min = INT64_MAX};
	self->node_count++;
	return node;
}

void context_init(struct tare_thread_file *self)
{
	self->node_count = 0;
	self->temporary_count = 0;
	node_append(self, CONTEXT_NODE_ROOT, 0)->sp = ~0ULL;
	node_append(self, TARE_NODE_FOLDED | CONTEXT_NODE_ROOT, TARE_NODE_OTHER);
}

/* A new node while more than `keep` would remain; NULL otherwise. */
static struct tare_node *node_make(struct tare_thread_file *self, uint32_t parent, uint64_t key,
				   uint64_t keep)
{
	if (self->node_count + keep >= self->node_limit &&
	    !accumulate_host_grow(self, ACCUMULATE_NODES) &&
	    self->node_count + keep >= self->node_limit)
		return NULL;
	if (!index_reserve(&local_of(self)->nodes, self, node_hash))
		return NULL;
	const uint32_t at = (uint32_t)self->node_count;
	struct tare_node *node = node_append(self, parent, key);

	index_put(&local_of(self)->nodes, node_hash(self, at), at);
	return node;
}

/* The node of `key` when a context of its own cannot be had. */
static struct tare_node *node_fold(struct tare_thread_file *self, uint64_t key)
{
	const uint32_t folded = TARE_NODE_FOLDED | CONTEXT_NODE_ROOT;
	struct tare_node *node = node_find(self, folded, key);

	self->folded++;
	if (!node)
		node = node_make(self, folded, key, 0);
	return node ? node : &context_nodes(self)[CONTEXT_NODE_LAST];
}

/* A temporary node for a call of `key`, whose values go to the folded node. */
static struct tare_node *temporary_push(struct tare_thread_file *self, uint64_t parent,
					uint64_t key)
{
	if (self->temporary_count >= self->temporary_limit &&
	    !accumulate_host_grow(self, ACCUMULATE_TEMPORARY))
		return NULL;
	struct tare_node *node = &context_temporaries(self)[self->temporary_count];

	*node = (struct tare_node){.key = key,
				   .last_child = (uint64_t)&context_nodes(self)[CONTEXT_NODE_LAST],
				   .alias = (uint64_t)node_fold(self, key),
				   .parent = parent};
	self->temporary_count++;
	return node;
}

struct tare_node *context_child(struct tare_thread_file *self, struct tare_node *parent,
				uint64_t key)
{
	if (context_is_temporary(self, parent))
		return temporary_push(self, (uint64_t)parent, key);
	const uint32_t index = context_index(self, parent);
	struct tare_node *node = node_find(self, index, key);

	if (!node)
		node = node_make(self, index, key, 1 + self->node_limit / FOLDED_RESERVE);
	if (!node)
		return temporary_push(self, (uint64_t)parent, key);
	child_note(self, parent, node);
	return node;
}

void context_refold(struct tare_thread_file *self, struct tare_node *temporary, uint64_t key)
{
	temporary->key = key;
	temporary->alias = (uint64_t)node_fold(self, key);
}

static uint64_t os_hash_values(const struct tare_os_record *record)
{
	return hash_mix((uint64_t)record->node << 32 | (uint64_t)record->cause << 16 |
				record->syscall_number,
			record->object);
}

static uint64_t os_hash(const struct tare_thread_file *self, uint32_t at)
{
	return os_hash_values(&os_of(self)[at - 1]); /* an index entry must not be 0 */
}

static struct tare_os_record *os_find(const struct tare_thread_file *self,
				      const struct tare_os_record *wanted)
{
	const struct accumulate_index *index = &local_of(self)->os;
	const uint64_t hash = os_hash_values(wanted);

	if (!index->slot_count)
		return NULL;
	for (uint64_t slot = slot_at(index, hash); index->slots[slot];
	     slot = (slot + 1) & (index->slot_count - 1)) {
		struct tare_os_record *record = &os_of(self)[(uint32_t)index->slots[slot] - 1];

		if (record->node == wanted->node && record->cause == wanted->cause &&
		    record->syscall_number == wanted->syscall_number &&
		    record->object == wanted->object)
			return record;
	}
	return NULL;
}

struct tare_os_record *context_os(struct tare_thread_file *self,
				  const struct tare_os_record *wanted, uint64_t keep)
{
	struct tare_os_record *record = os_find(self, wanted);

	if (record)
		return record;
	if (self->os_count + keep >= self->os_limit && !accumulate_host_grow(self, ACCUMULATE_OS) &&
	    self->os_count + keep >= self->os_limit)
		return NULL;
	if (!index_reserve(&local_of(self)->os, self, os_hash))
		return NULL;
	record = &os_of(self)[self->os_count];
	*record = *wanted;
	self->os_count++;
	index_put(&local_of(self)->os, os_hash_values(record), (uint32_t)self->os_count);
	return record;
}

void accumulate_reserve(struct tare_thread_file *self, uint64_t count)
{
	struct accumulate_local *local = local_of(self);

	while (self->node_limit < self->node_count + count &&
	       accumulate_host_grow(self, ACCUMULATE_NODES))
		;
	while (self->os_limit < self->os_count + count && accumulate_host_grow(self, ACCUMULATE_OS))
		;
	if (self->temporary_limit < self->temporary_count + 1)
		accumulate_host_grow(self, ACCUMULATE_TEMPORARY);
	while (local->nodes.slot_count / 2 < self->node_limit &&
	       index_double(&local->nodes, self, node_hash))
		;
	while (local->os.slot_count / 2 < self->os_limit && index_double(&local->os, self, os_hash))
		;
}

static void index_free(struct accumulate_index *index)
{
	if (index->slots)
		accumulate_host_unmap(index->slots, index->slot_count * sizeof(*index->slots));
	*index = (struct accumulate_index){0};
}

void context_fini(struct accumulate_local *local)
{
	index_free(&local->nodes);
	index_free(&local->os);
}
