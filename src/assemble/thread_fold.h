/*
 * Folding of one thread's tree: of the call paths for which the profile has no room, each function
 * keeps one row, as where the runtime has folded (abi/session_files.h).
 */
#ifndef TARE_ASSEMBLE_THREAD_FOLD_H
#define TARE_ASSEMBLE_THREAD_FOLD_H

#include "assemble/thread_tree.h"
#include "resolve/resolve.h"

struct thread_fold {
	uint64_t **lengths; /* per node: TARE_CALL_BUCKETS sums, NULL: its own. NULL: none folded */
	size_t node_count;
	uint64_t paths, cpu_ticks; /* that have folded */
};

/*
 * Folds all but `room` paths, those of the longest inclusive time, and all below a path that folds.
 * `targets` are those of the nodes. Sums of calls and times by function and of the thread stay; so
 * do inclusive times. The thread's nodes and the tree's become those of the profile.
 */
void thread_fold_make(struct thread_fold *fold, struct tree *tree, struct thread_file *thread,
		      const struct resolve_target *targets, uint64_t room);
void thread_fold_fini(struct thread_fold *fold);

/* Node `index`'s ended calls by bucket. */
void thread_fold_lengths(const struct thread_fold *fold, const struct thread_file *thread,
			 size_t index, uint64_t lengths[TARE_CALL_BUCKETS]);

/* Of all threads. */
struct thread_fold_sums {
	uint64_t paths, folded_cpu_ticks, cpu_ticks;
};

void thread_fold_sum(struct thread_fold_sums *sums, const struct thread_fold *fold,
		     const struct tree *tree);
/* Appends to the session's settings what folded, if anything did. */
void thread_fold_describe(const struct thread_fold_sums *sums, struct str *settings);

#endif
