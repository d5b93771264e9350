/*
 * When a thread waited, as its file tells (struct tare_wait).
 *
 * Refuses a list that cannot be: one that goes back in time, or adds up to more than the thread has
 * waited. Then nothing is known of when it waited.
 */
#include "session/thread_part.h"

static void waits_drop(struct thread_file *thread)
{
	free(thread->waits);
	thread->waits = NULL;
	thread->wait_count = 0;
	thread->damaged++;
}

static bool wait_follows(const struct tare_wait *wait, uint64_t after)
{
	return wait->begin >= after && wait->end >= wait->begin &&
	       wait->end <= SESSION_FILE_VALUE_MAX &&
	       wait->blocked_ticks <= wait->end - wait->begin &&
	       wait->preempted_ticks <= wait->end - wait->begin - wait->blocked_ticks;
}

/* A record that has been used anew since is another one. */
static void wait_find_os(const struct thread_file *thread, struct tare_wait *wait,
			 const uint32_t *os_numbers, size_t os_number_count)
{
	const uint32_t number =
		wait->os && wait->os <= os_number_count ? os_numbers[wait->os - 1] : 0;

	wait->os = number && thread->os[number - 1].uses == wait->uses ? number : 0;
}

void waits_read(struct thread_file *thread, const struct thread_file_source *source,
		const uint32_t *os_numbers, size_t os_number_count)
{
	const struct tare_thread_file *header = &thread->header;
	const uint64_t wanted = header->wait_count < TARE_THREAD_WAITS_MAX ? header->wait_count
									   : TARE_THREAD_WAITS_MAX;
	const size_t count = thread_file_read_kind(thread, source, TARE_CHUNK_WAITS, wanted, NULL);
	uint64_t end = 0, blocked_ticks = 0, preempted_ticks = 0;

	if (!count)
		return;
	thread->waits = mem_zalloc(count * sizeof(*thread->waits));
	thread->wait_count = count;
	thread_file_read_kind(thread, source, TARE_CHUNK_WAITS, count, thread->waits);
	for (size_t i = 0; i < count; i++) {
		struct tare_wait *wait = &thread->waits[i];

		if (!wait_follows(wait, end)) {
			waits_drop(thread);
			return;
		}
		end = wait->end;
		blocked_ticks += wait->blocked_ticks;
		preempted_ticks += wait->preempted_ticks;
		wait_find_os(thread, wait, os_numbers, os_number_count);
	}
	if (blocked_ticks > header->blocked_ticks || preempted_ticks > header->preempted_ticks)
		waits_drop(thread);
}
