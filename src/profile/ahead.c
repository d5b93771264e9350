/*
 * See ahead.h.
 *
 *   reader:  wait until a batch is free ── fill it ── publish ── …
 *   caller:  wait for the next batch ── take its rows ── free it ── …
 *
 * The last batch says how the pass ended.
 */
#include "profile/ahead.h"

#include "profile/private.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

enum { BATCHES = 4, BATCH_ROWS = 2048 };

struct batch {
	unsigned char *rows;
	struct arena blobs; /* of the rows */
	int64_t ids[BATCH_ROWS];
	size_t count;
	int end; /* what scan_next said behind the rows; 1: there are more */
};

struct ahead {
	struct scan scan;
	struct error err;
	size_t row_bytes;
	struct batch batches[BATCHES];
	size_t filled, taken; /* batches, of all times; under the lock */
	bool stop;
	size_t at; /* the caller's next row in its batch */
	pthread_t thread;
	bool runs;
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

/* ---- the reader ---- */

static void batch_fill(struct ahead *ahead, struct batch *batch)
{
	arena_fini(&batch->blobs);
	batch->count = 0;
	batch->end = 1;
	ahead->scan.blobs = &batch->blobs;
	while (batch->count < BATCH_ROWS) {
		ahead->scan.row = batch->rows + batch->count * ahead->row_bytes;
		batch->end = scan_next(&ahead->scan, &ahead->err);
		if (batch->end <= 0)
			return;
		batch->ids[batch->count++] = ahead->scan.id;
	}
}

static bool wait_for_place(struct ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	while (!ahead->stop && ahead->filled - ahead->taken == BATCHES)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	const bool go_on = !ahead->stop;
	pthread_mutex_unlock(&ahead->lock);
	return go_on;
}

static void *read_ahead(void *context)
{
	struct ahead *ahead = context;

	for (bool more = true; more && wait_for_place(ahead);) {
		struct batch *batch = &ahead->batches[ahead->filled % BATCHES];

		batch_fill(ahead, batch);
		more = batch->end > 0;
		pthread_mutex_lock(&ahead->lock);
		ahead->filled++;
		pthread_cond_signal(&ahead->changed);
		pthread_mutex_unlock(&ahead->lock);
	}
	return NULL;
}

struct ahead *ahead_open(struct profile *profile, enum profile_table_id table, struct error *err)
{
	struct ahead *ahead = mem_zalloc(sizeof(*ahead));

	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	ahead->row_bytes = profile_tables[table].row_bytes;
	for (size_t i = 0; i < BATCHES; i++)
		ahead->batches[i].rows = mem_zalloc(BATCH_ROWS * ahead->row_bytes);
	if (scan_open_here(&ahead->scan, profile, table, NULL, &ahead->err))
		ahead->runs = parallel_start_thread(&ahead->thread, read_ahead, ahead);
	if (ahead->runs)
		return ahead;
	if (ahead->err.message[0])
		*err = ahead->err;
	else
		error_set(err, ERROR_SYSTEM, "cannot start a thread to read the profile");
	ahead_close(ahead);
	return NULL;
}

void ahead_close(struct ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	ahead->stop = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	if (ahead->runs)
		pthread_join(ahead->thread, NULL);
	scan_close(&ahead->scan);
	for (size_t i = 0; i < BATCHES; i++) {
		free(ahead->batches[i].rows);
		arena_fini(&ahead->batches[i].blobs);
	}
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}

/* ---- the caller ---- */

static const struct batch *wait_for_batch(struct ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	while (ahead->filled == ahead->taken)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	pthread_mutex_unlock(&ahead->lock);
	return &ahead->batches[ahead->taken % BATCHES];
}

static void batch_release(struct ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	ahead->taken++;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	ahead->at = 0;
}

int ahead_next(struct ahead *ahead, void *row, int64_t *id, struct error *err)
{
	for (;;) {
		const struct batch *batch =
			ahead->at ? &ahead->batches[ahead->taken % BATCHES] : wait_for_batch(ahead);

		if (ahead->at < batch->count) {
			memcpy(row, batch->rows + ahead->at * ahead->row_bytes, ahead->row_bytes);
			*id = batch->ids[ahead->at++];
			return 1;
		}
		if (batch->end <= 0) {
			if (batch->end < 0)
				*err = ahead->err;
			return batch->end;
		}
		batch_release(ahead);
	}
}
