/*
 * See wait_times.h. Joining all waits takes a few nanoseconds for each, and leaves at most half of
 * them: so a switch costs as much again, whatever their number.
 *
 * Refuses nothing: without any room at all the last wait takes what comes.
 */
#include "runtime/tree/wait_times.h"

#include "runtime/base/chunks.h"
#include "runtime/base/state.h"
#include "runtime/tree/context.h"
#include "runtime/tree/host.h"

#define FIRST_SHIFT 12U /* some microseconds */
#define LAST_SHIFT  62U

static struct tare_wait *wait_at(const struct tare_thread_file *self, uint64_t number)
{
	return chunks_element(self, TARE_CHUNK_WAITS, (uint32_t)number);
}

static uint64_t waited(const struct tare_wait *wait)
{
	return wait->blocked_ticks + wait->preempted_ticks;
}

/* The OS record of the longer one stays. Sums of several make that one look longer, which is right:
   it is what the thread mostly waited for. */
static void wait_join(struct tare_wait *to, const struct tare_wait *next)
{
	if (waited(next) > waited(to)) {
		to->os = next->os;
		to->uses = next->uses;
	}
	to->end = next->end;
	to->lost_ticks = next->lost_ticks;
	to->blocked_ticks += next->blocked_ticks;
	to->preempted_ticks += next->preempted_ticks;
	to->count += to->count + next->count < to->count ? 0 : next->count;
}

static bool is_one_slot(const struct tare_wait *first, const struct tare_wait *last, uint32_t shift)
{
	return shift && first->begin >> shift == last->end >> shift;
}

/* How many would remain. */
static uint64_t count_joined(const struct tare_thread_file *self, uint32_t shift)
{
	const struct tare_wait *first = wait_at(self, 0);
	uint64_t count = 1;

	for (uint64_t i = 1; i < self->wait_count; i++) {
		const struct tare_wait *wait = wait_at(self, i);

		if (is_one_slot(first, wait, shift))
			continue;
		first = wait;
		count++;
	}
	return count;
}

/* While the list is changed it is empty: one that is cut off then tells nothing wrong. */
static void join_all(struct tare_thread_file *self, uint32_t shift)
{
	const uint64_t count = self->wait_count;
	uint64_t last = 0;

	self->wait_count = 0;
	state_barrier();
	for (uint64_t i = 1; i < count; i++) {
		const struct tare_wait *wait = wait_at(self, i);

		if (is_one_slot(wait_at(self, last), wait, shift))
			wait_join(wait_at(self, last), wait);
		else
			*wait_at(self, ++last) = *wait;
	}
	state_barrier();
	self->wait_shift = shift;
	self->wait_count = last + 1;
}

/* Slots of the least power of two that leaves half of the room. */
static void make_room(struct tare_thread_file *self)
{
	uint32_t shift = self->wait_shift ? self->wait_shift + 1 : FIRST_SHIFT;

	while (shift < LAST_SHIFT && count_joined(self, shift) > self->wait_limit / 2)
		shift++;
	join_all(self, shift);
}

static bool has_room(struct tare_thread_file *self)
{
	return self->wait_count < self->wait_limit || accumulate_host->grow(self, ACCUMULATE_WAITS);
}

/* The clock goes back by a probe's cost at times, before the thread's begin, too. */
static void wait_follow(struct tare_wait *next, uint64_t after)
{
	if ((int64_t)(next->begin - after) < 0)
		next->begin = after;
	if ((int64_t)(next->end - next->begin - waited(next)) < 0)
		next->end = next->begin + waited(next);
}

void wait_times_note(struct tare_thread_file *self, const struct tare_wait *wait)
{
	struct tare_wait next = *wait;

	next.count = 1;
	next.uses = next.os ? context_os_at(self, next.os)->uses : 0;
	if (!self->wait_limit)
		return;
	struct tare_wait *last = self->wait_count ? wait_at(self, self->wait_count - 1) : NULL;

	wait_follow(&next, last ? last->end : 0);
	if (last && is_one_slot(last, &next, self->wait_shift)) {
		wait_join(last, &next);
		return;
	}
	if (!has_room(self))
		make_room(self);
	*wait_at(self, self->wait_count) = next;
	state_barrier();
	self->wait_count++;
}
