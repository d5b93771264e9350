/* See thread_waits.h. */
#include "assemble/thread_waits.h"

#include "profile/wait_record.h"

bool thread_waits_write(const struct thread_file *file, int64_t thread, const int64_t *os_ids,
			struct profile_writer *writer, struct error *err)
{
	struct wait_record before = {.lost_ticks = file->header.begin_ticks};
	struct profile_wait row = {.thread = thread, .waits = file->wait_count};
	struct byte_vec data = {0};

	for (size_t i = 0; i < file->wait_count; i++) {
		const struct tare_wait *from = &file->waits[i];
		const struct wait_record wait = {
			.begin = from->begin,
			.end = from->end,
			.lost_ticks = from->lost_ticks,
			.blocked_ticks = from->blocked_ticks,
			.preempted_ticks = from->preempted_ticks,
			.count = from->count,
			.os = from->os ? (uint64_t)os_ids[from->os - 1] : 0,
		};

		row.blocked_ticks += wait.blocked_ticks;
		row.preempted_ticks += wait.preempted_ticks;
		wait_record_write(&data, &before, &wait);
		before = wait;
	}
	row.data = (struct profile_bytes){data.data, data.len};
	const bool ok = !row.waits || profile_add_wait(writer, &row, err);

	vec_fini(&data);
	return ok;
}
