/*
 * Writing the event log. A record is complete before trace_next passes it, and a chunk's header
 * before trace_chunk names it: what a killed thread leaves can be read up to its last whole record.
 *
 * Refuses to grow for ever: what to do without room is the host's decision, and every record that
 * is no longer there was counted in trace_events.
 */
#include "runtime/tree/trace.h"

#include "runtime/tree/context.h"
#include "runtime/tree/host.h"

/* Keeps the order of what a killed thread leaves. */
static void barrier(void)
{
	__asm__ volatile("" ::: "memory");
}

/* ---- chunks ---- */

static void chunk_begin(struct tare_thread_file *self, uint64_t run_addr, uint64_t sequence)
{
	struct tare_trace_chunk *chunk = (struct tare_trace_chunk *)run_addr;

	chunk->sequence = 0;
	barrier();
	chunk->ticks = self->trace_ticks;
	chunk->events = self->trace_events;
	chunk->used_bytes = 0;
	chunk->node = context_index(context_node(self->top));
	chunk->folded = 0;
	self->trace_chunk = run_addr;
	self->trace_next = run_addr + sizeof(*chunk);
	barrier();
	chunk->sequence = sequence;
}

static void chunk_change(struct tare_thread_file *self)
{
	struct tare_trace_chunk *chunk = (struct tare_trace_chunk *)self->trace_chunk;
	const uint64_t sequence = chunk->sequence;

	chunk->used_bytes = (uint32_t)(self->trace_next - self->trace_chunk);
	barrier();
	chunk_begin(self, accumulate_host->trace_next(self), sequence + 1);
}

void trace_begin(struct tare_thread_file *self, uint64_t ticks)
{
	self->trace_ticks = ticks;
	if (!self->trace_chunk_bytes)
		return;
	const uint64_t first = accumulate_host->trace_next(self);

	if (first) {
		chunk_begin(self, first, 1);
	} else { /* every record goes the general path, where it is counted */
		self->trace_next = 1;
		self->trace_end = 0;
	}
}

/* ---- records ---- */

/* Writes the bytes of `value` that are not zero, at least one. Returns their number less one. */
static uint64_t number_put(unsigned char *at, uint64_t value)
{
	uint64_t more = 0;

	for (; more < 8; more++, value >>= 8) {
		at[more] = (unsigned char)value;
		if (value <= 0xff)
			break;
	}
	return more;
}

/* `extra`: of the kind, little-endian. */
static void record_put(struct tare_thread_file *self, enum tare_trace_kind kind, uint64_t value,
		       const void *extra, uint64_t extra_bytes)
{
	const uint64_t ticks = ((struct accumulate_local *)self->local)->trace_ticks;

	if (self->trace_chunk && self->trace_next > self->trace_end &&
	    !accumulate_host->trace_grow(self))
		chunk_change(self);
	self->trace_events++;
	if (!self->trace_chunk)
		return;
	unsigned char *at = (unsigned char *)self->trace_next;
	unsigned char *next = at + 1;
	const uint64_t time_more = number_put(next, ticks - self->trace_ticks);
	uint64_t value_more = 0;

	next += time_more + 1;
	if (TARE_TRACE_VALUED >> kind & 1) {
		value_more = number_put(next, value);
		next += value_more + 1;
	}
	for (uint64_t i = 0; i < extra_bytes; i++)
		*next++ = ((const unsigned char *)extra)[i];
	*at = (unsigned char)(kind | time_more << 3 | value_more << 6);
	self->trace_ticks = ticks;
	barrier();
	self->trace_next = (uint64_t)next;
}

static bool is_off(const struct tare_thread_file *self)
{
	return !self->trace_next || ((const struct accumulate_local *)self->local)->trace_silent;
}

void trace_call_begin(struct tare_thread_file *self, struct tare_node *node)
{
	if (is_off(self))
		return;
	record_put(self, TARE_TRACE_ENTER, context_index(node), NULL, 0);
}

void trace_call_end(struct tare_thread_file *self, bool unwound)
{
	if (!is_off(self))
		record_put(self, unwound ? TARE_TRACE_UNWOUND : TARE_TRACE_LEAVE, 0, NULL, 0);
}

void trace_call_join(struct tare_thread_file *self, struct tare_node *node)
{
	if (!is_off(self))
		record_put(self, TARE_TRACE_JOIN, context_index(node), NULL, 0);
}

void trace_stack(struct tare_thread_file *self)
{
	struct __attribute__((packed)) {
		uint32_t folded;
		uint64_t ticks;
	} extra = {.ticks = ((struct accumulate_local *)self->local)->trace_ticks};

	if (!is_off(self))
		record_put(self, TARE_TRACE_STACK, context_index(context_node(self->top)), &extra,
			   sizeof(extra));
}

/* ---- notes ---- */

static void note_put(struct tare_thread_file *self, enum tare_trace_note note, uint64_t argument)
{
	if (!is_off(self))
		record_put(self, TARE_TRACE_NOTE, note | argument << TARE_TRACE_NOTE_BITS, NULL, 0);
}

/* The log has one cause for an interval: where the thread waited, the longer wait. */
static enum tare_os_cause main_cause(const struct accumulate_event *event)
{
	if (!event->blocked_ticks && !event->preempted_ticks)
		return event->os_cause;
	return event->blocked_ticks >= event->preempted_ticks ? TARE_OS_BLOCKED : TARE_OS_PREEMPTED;
}

void trace_os(struct tare_thread_file *self, const struct accumulate_event *event)
{
	const uint64_t number = (uint16_t)(event->syscall_number + 1); /* 0xffff: none */

	note_put(self, TARE_TRACE_NOTE_OS,
		 (uint64_t)main_cause(event) | number << TARE_TRACE_CAUSE_BITS);
}

void trace_state(struct tare_thread_file *self, bool on)
{
	note_put(self, on ? TARE_TRACE_NOTE_ON : TARE_TRACE_NOTE_OFF, 0);
	if (on)
		trace_stack(self);
}
