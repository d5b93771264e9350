/* See lock_holders.h. Threads of one number follow each other: the one that lived with the other
 * counts.
 */
#include "assemble/lock_holders.h"

#include "session/thread_part.h"

void holders_add_thread(struct holders *holders, int64_t process, int64_t thread,
			const struct thread_file *file, const int64_t *ids)
{
	struct holders_thread row = {.process = process,
				     .thread = thread,
				     .tid = (uint32_t)file->header.tid,
				     .begin_ticks = file->header.begin_ticks,
				     .end_ticks = file->header.end_ticks,
				     .node_count = file->number_count};

	row.nodes = mem_zalloc((file->number_count + 1) * sizeof(*row.nodes));
	for (size_t i = 0; i < file->number_count; i++)
		if (file->numbers[i] != THREAD_FILE_NODE_NONE)
			row.nodes[i] = ids[file->numbers[i]];
	vec_push(&holders->threads, row);
}

void holders_add_wait(struct holders *holders, int64_t process, const struct thread_file *waiting,
		      const struct tare_os_record *record, int64_t os)
{
	const struct holders_wait wait = {.os = os,
					  .process = process,
					  .begin_ticks = waiting->header.begin_ticks,
					  .end_ticks = waiting->header.end_ticks,
					  .holder = record->holder};

	if (record->holder.tid)
		vec_push(&holders->waits, wait);
}

static const struct holders_thread *thread_find(const struct holders *holders,
						const struct holders_wait *wait)
{
	vec_foreach (thread, &holders->threads) {
		if (thread->process == wait->process && thread->tid == wait->holder.tid &&
		    (!wait->end_ticks || thread->begin_ticks < wait->end_ticks) &&
		    (!thread->end_ticks || thread->end_ticks > wait->begin_ticks))
			return thread;
	}
	return NULL;
}

bool holders_write(const struct holders *holders, struct profile_writer *writer, struct error *err)
{
	vec_foreach (wait, &holders->waits) {
		const struct holders_thread *thread = thread_find(holders, wait);
		const uint32_t number = wait->holder.node;
		struct profile_holder row = {.os = wait->os};

		if (!thread)
			continue;
		row.thread = thread->thread;
		row.node = number && number <= thread->node_count ? thread->nodes[number - 1] : 0;
		if (!profile_add_holder(writer, &row, err))
			return false;
	}
	return true;
}

void holders_fini(struct holders *holders)
{
	vec_foreach (thread, &holders->threads)
		free(thread->nodes);
	vec_fini(&holders->threads);
	vec_fini(&holders->waits);
}
