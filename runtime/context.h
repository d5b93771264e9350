/*
 * context: nodes and OS records of a thread's calling-context tree, found or made.
 */
#ifndef TARE_RUNTIME_CONTEXT_H
#define TARE_RUNTIME_CONTEXT_H

#include "runtime/accumulate.h"

#define CONTEXT_NODE_ROOT 0U
#define CONTEXT_NODE_LAST                                                                          \
	1U /* the folded node that is always there; where there is no other, too */

static inline struct tare_node *context_node(uint64_t run_addr)
{
	return (struct tare_node *)run_addr;
}

static inline struct tare_node *context_nodes(const struct tare_thread_file *self)
{
	return context_node(self->run_addr + TARE_THREAD_NODES_OFFSET);
}

static inline struct tare_node *context_temporaries(const struct tare_thread_file *self)
{
	return context_node(self->run_addr + TARE_THREAD_TEMPORARY_OFFSET);
}

static inline bool context_is_temporary(const struct tare_thread_file *self,
					const struct tare_node *node)
{
	return node >= context_temporaries(self);
}

/* Of a node that is not temporary. */
static inline uint32_t context_index(const struct tare_thread_file *self,
				     const struct tare_node *node)
{
	return (uint32_t)(node - context_nodes(self));
}

/* The node that keeps the values of calls of `node`: itself, or the folded one. */
static inline struct tare_node *context_kept(const struct tare_thread_file *self,
					     struct tare_node *node)
{
	return context_is_temporary(self, node) ? context_node(node->alias) : node;
}

/* The root and node 1; no temporary nodes. */
void context_init(struct tare_thread_file *self);

/* Frees the indices. */
void context_fini(struct accumulate_local *local);

/*
 * The node for a call of `key` from `parent`, which is in progress: found, made, or a temporary
 * one on top of the stack of those. NULL when there is no room even for that.
 */
struct tare_node *context_child(struct tare_thread_file *self, struct tare_node *parent,
				uint64_t key);

/* Makes a temporary node that of another function. */
void context_refold(struct tare_thread_file *self, struct tare_node *temporary, uint64_t key);

/*
 * The record with the first four values of `wanted`, a new one while more than `keep` would
 * remain; NULL otherwise.
 */
struct tare_os_record *context_os(struct tare_thread_file *self,
				  const struct tare_os_record *wanted, uint64_t keep);

#endif
