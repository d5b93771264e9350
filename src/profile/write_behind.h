/*
 * Rows that another thread writes while the caller makes the next ones. The database is that
 * thread's from the first batch on until write_behind_wait has returned.
 */
#ifndef TARE_PROFILE_WRITE_BEHIND_H
#define TARE_PROFILE_WRITE_BEHIND_H

#include "base/base.h"
#include "profile/schema.h"

#include <pthread.h>

/* Rows of one table, as its struct has them. Their ids follow each other. */
struct row_batch {
	enum profile_table_id table;
	struct byte_vec rows, copies; /* the second: of what the rows point to */
	size_t count;
	int64_t first_id;
};

enum { WRITE_BEHIND_BATCHES = 8 };

struct write_behind {
	/* Writes a batch; called by one thread at a time, in the order of the batches. */
	bool (*write)(void *context, struct row_batch *batch, struct error *err);
	void *context;
	pthread_t thread;
	bool runs, inline_only;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Under the lock: */
	struct row_batch batches[WRITE_BEHIND_BATCHES];
	size_t given, written; /* batches so far; one that is being written is not written yet */
	bool ends, failed;
	struct error err; /* the first failure's */
};

void write_behind_init(struct write_behind *behind,
		       bool (*write)(void *context, struct row_batch *batch, struct error *err),
		       void *context);
/* Ends the thread when all is written, and frees. */
void write_behind_fini(struct write_behind *behind);

/*
 * Takes the batch over and leaves an empty one in its place. Waits where too many are unwritten.
 * False with the reason when an earlier one could not be written.
 */
bool write_behind_hand(struct write_behind *behind, struct row_batch *batch, struct error *err);

/* Returns when all is written: the database is the caller's again. False as above. */
bool write_behind_wait(struct write_behind *behind, struct error *err);

#endif
