/*
 * recursion: is the function of a new context in progress already, in one of its callers? The time
 * of such a context must not count twice when it folds (fold.c).
 */
#ifndef TARE_RUNTIME_TREE_RECURSION_H
#define TARE_RUNTIME_TREE_RECURSION_H

#include "runtime/tree/accumulate.h"

/* Is one of the node's callers of the same function? */
static inline bool recursion_is(const struct tare_node *node)
{
	return node->outermost != (uint64_t)node;
}

/* The root. */
void recursion_note_root(struct tare_node *root);

/* A new node, which has its key, below `parent`, which is in progress. */
void recursion_note(const struct tare_thread_file *self, struct tare_node *node,
		    const struct tare_node *parent);

/* The node, which has no callees, leaves the tree. */
void recursion_forget(const struct tare_thread_file *self, const struct tare_node *node);

/* What is known beside the nodes may be half done: it is found out anew. */
void recursion_reset(struct accumulate_local *local);

#endif
