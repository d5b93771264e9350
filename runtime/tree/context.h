/*
 * context: nodes and OS records of a thread's calling-context tree, found, made or folded.
 */
#ifndef TARE_RUNTIME_TREE_CONTEXT_H
#define TARE_RUNTIME_TREE_CONTEXT_H

#include "runtime/base/chunks.h"
#include "runtime/tree/accumulate.h"

#define CONTEXT_NODE_ROOT 0U
#define CONTEXT_NODE_LAST                                                                          \
	1U /* the folded node that is always there; where there is no other, too */

static inline struct tare_node *context_node(uint64_t run_addr)
{
	return (struct tare_node *)run_addr;
}

/* The root, and behind it node 1. */
static inline struct tare_node *context_nodes(const struct tare_thread_file *self)
{
	return context_node(self->run_addr + TARE_THREAD_HEADER_BYTES);
}

static inline struct accumulate_local *context_local(const struct tare_thread_file *self)
{
	return (struct accumulate_local *)self->local;
}

static inline uint32_t context_index(const struct tare_node *node)
{
	return node->index & ~TARE_NODE_FOLDED;
}

static inline struct tare_node *context_node_at(const struct tare_thread_file *self,
						uint32_t number)
{
	return chunks_element(self, TARE_CHUNK_NODES, number);
}

/* The root and node 1. */
void context_init(struct tare_thread_file *self);

/* Frees the indices. */
void context_fini(struct accumulate_local *local);

/*
 * The node for a call of `callee` from `parent`, which is in progress: found or made. NULL when
 * there is no room.
 */
struct tare_node *context_child(struct tare_thread_file *self, struct tare_node *parent,
				const struct accumulate_callee *callee);

/* The folded node of `key`, or NULL. */
struct tare_node *context_folded(const struct tare_thread_file *self, uint64_t key);

/* Takes a node out of the index, or puts it in; there is room where one was taken out. */
void context_node_forget(struct tare_thread_file *self, const struct tare_node *node);
void context_node_note(struct tare_thread_file *self, const struct tare_node *node);

/*
 * 1 + the number of the record of what `wanted` is of, a new one while more than `keep` would
 * remain; 0 otherwise.
 */
uint32_t context_os(struct tare_thread_file *self, const struct tare_os_record *wanted,
		    uint64_t keep);
/* The record of which context_os has told that. */
struct tare_os_record *context_os_at(const struct tare_thread_file *self, uint32_t number);

/* The records of `node` become those of `to`. Returns their ticks. */
uint64_t context_os_move(struct tare_thread_file *self, struct tare_node *node,
			 struct tare_node *to);

/* The calls in a bucket of `node` have become TARE_BUCKET_FULL: moves them to an OS record. */
void context_bucket_full(struct tare_thread_file *self, struct tare_node *node, uint32_t bucket);

/* The calls of `node` that ended, without those that full buckets have moved. */
uint64_t context_calls(const struct tare_node *node);

/* The ticks of a node's records. */
uint64_t context_os_ticks(const struct tare_thread_file *self, const struct tare_node *node);

/* Notes what the node has waited, TARE_OS_BLOCKED or TARE_OS_PREEMPTED, beside its records. */
void context_waits_add(struct tare_thread_file *self, const struct tare_node *node,
		       enum tare_os_cause cause, uint64_t ticks);

/* What it has waited: blocked, and preempted. The same time however many records it has. */
struct context_waits {
	uint64_t blocked_ticks, preempted_ticks;
};
struct context_waits context_waits(const struct tare_thread_file *self,
				   const struct tare_node *node);

/*
 * Folds a context that has no callees and of which no call is in progress, and gives its node,
 * which is then not in use; NULL where none is near. `parent` will be the caller of the new
 * context. See fold.c.
 */
struct tare_node *fold_one(struct tare_thread_file *self, const struct tare_node *parent);

#endif
