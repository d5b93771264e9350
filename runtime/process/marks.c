/*
 * Appending to the marks of the calling thread. A signal handler may do so while its thread is at
 * it: a place is taken by one exchange, and what lies there counts once it is complete.
 *
 * Refuses marks while the thread is off, and those beyond the room of the file; these are counted.
 */
#include "runtime/process/marks.h"

#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
#include "runtime/base/kernel.h"
#include "runtime/files/process.h"
#include "runtime/files/thread_file.h"
#include "runtime/process/birth.h"
#include "runtime/process/control_calls.h"
#include "runtime/process/thread.h"
#include "runtime/tree/gate.h"

#include <tare/tare.h>

#define GROWTH_BYTES 8192ULL

/*
 * Where the marks begin, 0 where there is no place for them. Only making that place needs the gate:
 * a handler of a signal that has interrupted a probe cannot do it.
 */
static uint64_t area_of(struct tare_thread_file *self, uint64_t sp)
{
	for (uint64_t i = self->chunk_count; i-- > 0;)
		if (self->chunks[i].kind == TARE_CHUNK_MARKS)
			return self->chunks[i].run_addr;
	const uint64_t gate = self->gate;

	if (!gate_enter(self, sp))
		return 0;
	const uint64_t area = thread_area(self, TARE_CHUNK_MARKS, TARE_THREAD_MARKS_BYTES);

	gate_exit(self, gate == GATE_OFF ? gate : 0);
	return area;
}

static bool room_make(struct tare_thread_file *self, uint64_t area, uint64_t end)
{
	const uint64_t limit = self->marks_limit;

	if (end <= limit)
		return true;
	if (end > TARE_THREAD_MARKS_BYTES || files_back(area + limit, GROWTH_BYTES))
		return false;
	self->marks_limit = limit + GROWTH_BYTES;
	return true;
}

/* The place of a new record, or NULL. */
static struct tare_mark_record *place_take(struct tare_thread_file *self, uint32_t size_bytes)
{
	const uint64_t area = area_of(self, (uint64_t)__builtin_frame_address(0));
	uint64_t at = self->marks_bytes;

	if (!area)
		return NULL;
	do
		if (!room_make(self, area, at + size_bytes))
			return NULL;
	while (!__atomic_compare_exchange_n(&self->marks_bytes, &at, at + size_bytes, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return (struct tare_mark_record *)(area + at);
}

static int record_put(enum tare_mark_kind kind, int64_t id, const char *text, uint64_t text_bytes)
{
	const uint64_t ticks = kernel_ticks();
	struct tare_thread_file *self = thread_own((uint64_t)__builtin_frame_address(0));
	const uint64_t size = (sizeof(struct tare_mark_record) + text_bytes + 1 + 7) & ~7ULL;

	if (!self)
		return TARE_NO_ROOM;
	struct tare_mark_record *record = place_take(self, (uint32_t)size);

	if (!record) {
		self->marks_lost++;
		return TARE_NO_ROOM;
	}
	record->size_bytes = (uint32_t)size;
	record->ticks = ticks;
	record->id = id;
	memcpy(record + 1, text, text_bytes);
	state_barrier();
	record->kind = kind;
	return TARE_OK;
}

static uint64_t length_up_to(const char *text, uint64_t most)
{
	uint64_t length = 0;

	while (length < most && text[length])
		length++;
	return length;
}

int marks_put(int64_t id, const char *text)
{
	const int state = control_state();

	if (state != TARE_OK)
		return state;
	if (!text)
		text = "";
	return record_put(TARE_MARK_PLAIN, id, text, length_up_to(text, TARE_MARK_TEXT_BYTES - 1));
}

int marks_name_thread(const char *name)
{
	if (!process_begin())
		return TARE_NOT_RECORDED;
	if (!name)
		name = "";
	return record_put(TARE_MARK_THREAD_NAME, 0, name, length_up_to(name, 255));
}
