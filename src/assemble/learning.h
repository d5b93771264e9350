/*
 * learning: functions that the next recording had better only count, beside those that a process
 * has come to count itself (runtime/control/sums.h). A process learns while it runs, and stops at
 * its budget, which the next one would spend again. Those of a build live for a tenth of a second
 * each, and each makes the same call paths anew, but all together have called often enough.
 */
#ifndef TARE_ASSEMBLE_LEARNING_H
#define TARE_ASSEMBLE_LEARNING_H

#include "assemble/assemble.h"
#include "profile/profile.h"
#include "resolve/resolve.h"

/* The calls of one function that were timed. */
struct learning_function {
	uint64_t calls;
	uint64_t ticks, blocked_ticks; /* exclusive: of a processor, and waits */
	uint64_t below_ticks;	       /* waits of what it has called */
	int64_t below_node;	       /* the id of the node whose wait was added last */
	bool gone;		       /* a process has judged that it goes */
};

/* A node of the thread whose nodes are being added. */
struct learning_node {
	int64_t function;
	size_t parent; /* its place among them; its own: none */
	uint64_t blocked_ticks;
};

struct learning {
	struct vec_of(struct learning_function) functions; /* by the id of the row, less one */
	struct vec_of(struct learning_node) nodes;	   /* of the thread added last */
	int64_t first_node;				   /* the id of the first of them */
	uint64_t worked_ticks;				   /* of all threads, of a processor */
	uint64_t own_ticks;	       /* the runtime's, beside the probes' short way */
	uint64_t pair_ticks;	       /* what the probes of a call cost at least */
	uint64_t samples, own_samples; /* all, and those of them in tare's own code */
};

struct learning_choice {
	bool *goes; /* by the id of the function's row, less one */
	size_t count;
};

void learning_add_thread(struct learning *learning, const struct profile_thread *thread,
			 uint64_t pair_ticks);
/* Of the thread that was added last: all its nodes, by ascending ids without gaps. */
void learning_add_node(struct learning *learning, const struct profile_node *node);
/* So many samples were taken, so many of them in tare's own code. Those of other events than time
   are among them: with waits sampled, too, calls seem to cost less than they do. */
void learning_add_samples(struct learning *learning, uint64_t samples, uint64_t own_samples);
/* No more threads come. */
void learning_end_nodes(struct learning *learning);

/* Those of the module's functions go without being judged of which the last record says so. `ids`:
   as of learning_take_module. */
void learning_leave_out(struct learning *learning, const int64_t *ids,
			const struct resolve_counted *counted,
			const struct disarm_records *records);

/* Says of each other function, by the id of its row less one, whether it goes: the shortest first,
   until the probes of the rest take no more than a 64th of the work. */
void learning_choose(const struct learning *learning, bool *goes);

/*
 * Appends a record, as a process writes it, for each of the module's functions that goes. Those of
 * which a record before says that they are timed again stay timed. `ids`: of the functions' rows,
 * by the numbers of their counters; 0: not known.
 */
void learning_take_module(const int64_t *ids, const struct resolve_counted *counted,
			  const struct learning_choice *choice, struct disarm_records *records);

/* All three, for all modules. */
void learning_judge(struct learning *learning, const struct resolver *resolver,
		    struct disarm_records *records);

void learning_fini(struct learning *learning);

#endif
