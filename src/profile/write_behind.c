/*
 * A ring of batches, under one lock that is never held while rows are written. After a failure what
 * comes is dropped. Where there can be no other thread, or no processor for it, the caller writes.
 */
#include "profile/write_behind.h"

#include "base/parallel.h"

static void batch_empty(struct row_batch *batch)
{
	batch->count = batch->rows.len = batch->copies.len = 0;
}

static struct row_batch *batch_at(struct write_behind *behind, size_t number)
{
	return &behind->batches[number % WRITE_BEHIND_BATCHES];
}

static void *write_all(void *context)
{
	struct write_behind *behind = context;

	pthread_mutex_lock(&behind->lock);
	for (;;) {
		while (behind->written == behind->given && !behind->ends)
			pthread_cond_wait(&behind->changed, &behind->lock);
		if (behind->written == behind->given)
			break;
		struct row_batch *batch = batch_at(behind, behind->written);
		const bool dropped = behind->failed;
		struct error err;

		pthread_mutex_unlock(&behind->lock);
		const bool ok = dropped || behind->write(behind->context, batch, &err);

		pthread_mutex_lock(&behind->lock);
		batch_empty(batch);
		if (!ok) {
			behind->failed = true;
			behind->err = err;
		}
		behind->written++;
		pthread_cond_broadcast(&behind->changed);
	}
	pthread_mutex_unlock(&behind->lock);
	return NULL;
}

void write_behind_init(struct write_behind *behind,
		       bool (*write)(void *context, struct row_batch *batch, struct error *err),
		       void *context)
{
	*behind = (struct write_behind){.write = write, .context = context};
	pthread_mutex_init(&behind->lock, NULL);
	pthread_cond_init(&behind->changed, NULL);
}

void write_behind_fini(struct write_behind *behind)
{
	if (behind->runs) {
		pthread_mutex_lock(&behind->lock);
		behind->ends = true;
		pthread_cond_broadcast(&behind->changed);
		pthread_mutex_unlock(&behind->lock);
		pthread_join(behind->thread, NULL);
	}
	for (size_t i = 0; i < WRITE_BEHIND_BATCHES; i++) {
		vec_fini(&behind->batches[i].rows);
		vec_fini(&behind->batches[i].copies);
	}
	pthread_cond_destroy(&behind->changed);
	pthread_mutex_destroy(&behind->lock);
	*behind = (struct write_behind){0};
}

static bool may_run(struct write_behind *behind)
{
	if (!behind->runs && !behind->inline_only) {
		behind->runs = parallel_threads(0) > 1 &&
			       parallel_start_thread(&behind->thread, write_all, behind);
		behind->inline_only = !behind->runs;
	}
	return behind->runs;
}

static bool succeeded(const struct write_behind *behind, struct error *err)
{
	if (behind->failed)
		*err = behind->err;
	return !behind->failed;
}

bool write_behind_hand(struct write_behind *behind, struct row_batch *batch, struct error *err)
{
	if (!may_run(behind)) {
		const bool ok = behind->write(behind->context, batch, err);
		batch_empty(batch);
		return ok;
	}
	pthread_mutex_lock(&behind->lock);
	while (behind->given - behind->written == WRITE_BEHIND_BATCHES)
		pthread_cond_wait(&behind->changed, &behind->lock);
	struct row_batch *place = batch_at(behind, behind->given++);
	const struct row_batch empty = *place;

	*place = *batch;
	*batch = empty;
	batch->table = place->table;
	pthread_cond_broadcast(&behind->changed);
	const bool ok = succeeded(behind, err);

	pthread_mutex_unlock(&behind->lock);
	return ok;
}

bool write_behind_wait(struct write_behind *behind, struct error *err)
{
	pthread_mutex_lock(&behind->lock);
	while (behind->written != behind->given)
		pthread_cond_wait(&behind->changed, &behind->lock);
	const bool ok = succeeded(behind, err);

	pthread_mutex_unlock(&behind->lock);
	return ok;
}
