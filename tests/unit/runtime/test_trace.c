/*
 * The event log: records written and read back, hostile bytes, and the runtime's writer with
 * chunks in ordinary memory: what it leaves, replayed, gives the calls of the tree.
 */
#include "profile/trace_record.h"
#include "runtime/tree/trace.h"
#include "tests/support/heap_memory.h"
#include "tests/support/plain_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#define SP_TOP	    0x7fff0000ULL
#define CHUNK_BYTES 4096ULL
#define FILE_BYTES  (1ULL << 20)

/* ---- records ---- */

static uint64_t number_any(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 32 >> (*seed >> 20 & 31);
}

static struct trace_record record_any(uint64_t *seed)
{
	struct trace_record record = {
		.kind = (enum tare_trace_kind)(1 + number_any(seed) % 7),
		.delta = number_any(seed) << (number_any(seed) & 31),
	};

	if (TARE_TRACE_VALUED >> record.kind & 1)
		record.value = (uint32_t)number_any(seed);
	if (record.kind == TARE_TRACE_NOTE)
		record.value = (uint32_t)(number_any(seed) % TARE_TRACE_NOTES |
					  number_any(seed) % TARE_OS_CAUSES << 3 |
					  (number_any(seed) & 0xffff) << 6);
	if (record.kind == TARE_TRACE_STACK) {
		record.folded = (uint32_t)number_any(seed);
		record.ticks = number_any(seed) << 20;
	}
	if (record.kind == TARE_TRACE_NOTE && trace_record_note(&record) == TARE_TRACE_NOTE_MARK)
		record.mark = -(int64_t)number_any(seed);
	return record;
}

static void assert_same(const struct trace_record *a, const struct trace_record *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->delta, b->delta);
	assert_int_equal(a->value, b->value);
	assert_int_equal(a->folded, b->folded);
	assert_int_equal(a->ticks, b->ticks);
	assert_int_equal(a->mark, b->mark);
}

static void test_round_trip(void **state)
{
	enum { COUNT = 20000 };
	uint64_t seed = 1;
	struct byte_vec bytes = {0};

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		const struct trace_record record = record_any(&seed);
		const size_t before = bytes.len;

		trace_record_write(&bytes, &record);
		assert_in_range(bytes.len - before, 2, TARE_TRACE_RECORD_MAX);
	}
	struct trace_cursor cursor = {.at = bytes.data, .end = bytes.data + bytes.len};
	struct trace_record record;

	seed = 1;
	for (int i = 0; i < COUNT; i++) {
		const struct trace_record expected = record_any(&seed);

		assert_int_equal(trace_record_read(&cursor, &record), 1);
		assert_same(&record, &expected);
	}
	assert_int_equal(trace_record_read(&cursor, &record), 0);
	vec_fini(&bytes);
}

static void test_cut_off(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		const struct trace_record record = record_any(&seed);
		struct trace_record got;
		struct byte_vec bytes = {0};

		trace_record_write(&bytes, &record);
		for (size_t size = 1; size < bytes.len; size++) {
			struct trace_cursor cursor = {.at = bytes.data, .end = bytes.data + size};

			assert_int_equal(trace_record_read(&cursor, &got), -1);
			assert_ptr_equal(cursor.at, bytes.data);
		}
		vec_fini(&bytes);
	}
}

static void assert_refused(const unsigned char *bytes, size_t size)
{
	struct trace_cursor cursor = {.at = bytes, .end = bytes + size};
	struct trace_record record;

	assert_int_equal(trace_record_read(&cursor, &record), -1);
}

static void test_hostile(void **state)
{
	const unsigned char none[] = {0, 0, 0, 0};
	const unsigned char valued_end[] = {TARE_TRACE_LEAVE | 1 << 6, 1, 1, 1};
	const unsigned char note[] = {TARE_TRACE_NOTE, 1, TARE_TRACE_NOTES};
	const unsigned char cause[] = {TARE_TRACE_NOTE, 1, TARE_OS_CAUSES << 3};

	(void)state;
	assert_refused(none, sizeof(none));
	assert_refused(valued_end, sizeof(valued_end));
	assert_refused(note, sizeof(note));
	/* Where causes do not take up all of their bits. */
	if (TARE_OS_CAUSES < 1 << TARE_TRACE_CAUSE_BITS)
		assert_refused(cause, sizeof(cause));
}

/* ---- the writer ---- */

static uint64_t chunk_limit; /* that the host gives */

static uint64_t trace_next(struct tare_thread_file *self)
{
	const struct accumulate_local *local = (const struct accumulate_local *)self->local;
	uint64_t next = self->trace_chunk ? self->trace_chunk + CHUNK_BYTES : local->trace_window;

	if (!chunk_limit)
		return 0;
	if (next == local->trace_window + chunk_limit * CHUNK_BYTES)
		next = local->trace_window;
	else if (next == local->trace_window + self->trace_slots * CHUNK_BYTES)
		self->trace_slots++;
	self->trace_end = next + CHUNK_BYTES - TRACE_ROOM_BYTES;
	return next;
}

struct thread {
	struct tare_thread_file *file;
	struct accumulate_local local;
	unsigned char *log;
	uint64_t ticks, sp, begun, ended;
};

static const struct accumulate_host host = {.grow = host_grow,
					    .loses_ends = host_loses_ends,
					    .stack_sign = host_stack_sign,
					    .called_by = host_called_by,
					    .is_own_stack = host_is_own_stack,
					    .trace_grow = host_trace_grow,
					    .trace_next = trace_next};

static void thread_begin(struct thread *thread, uint64_t chunks)
{
	struct tare_thread_file *file = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(file, MAP_FAILED);
	accumulate_host = &host;
	*thread = (struct thread){.file = file, .ticks = 1000, .sp = SP_TOP};
	chunk_limit = chunks;
	thread->log = calloc(chunks + 1, CHUNK_BYTES);
	thread->local.trace_window = (uint64_t)thread->log;
	accumulate_place(file, TARE_THREAD_FIRST_NODES);
	file->trace_chunk_bytes = CHUNK_BYTES;
	accumulate_init(file, &thread->local, thread->ticks);
	trace_begin(file, thread->ticks);
}

static void thread_end(struct thread *thread)
{
	accumulate_fini(&thread->local);
	munmap(thread->file, FILE_BYTES);
	free(thread->log);
}

static void event(struct thread *thread, struct accumulate_event event)
{
	thread->ticks += 10 + thread->ticks % 1000;
	event.ticks = thread->ticks;
	accumulate_event(thread->file, &event);
}

static void enter(struct thread *thread, uint64_t key)
{
	thread->sp -= 64;
	thread->begun++;
	event(thread, (struct accumulate_event){TARE_EVENT_ENTER, .key = key, .sp = thread->sp});
}

static void leave(struct thread *thread)
{
	event(thread, (struct accumulate_event){TARE_EVENT_LEAVE, .sp = thread->sp});
	thread->sp += 64;
	thread->ended++;
}

struct replay {
	uint64_t begun, ended, unwound, joined, notes, switched, depth, records, ticks;
	uint32_t nodes[256]; /* in progress */
};

static void replay_record(struct replay *replay, const struct trace_record *record)
{
	replay->records++;
	replay->ticks = trace_record_clock(record, replay->ticks);
	switch (record->kind) {
	case TARE_TRACE_ENTER:
	case TARE_TRACE_FOLDED:
		assert_true(replay->depth < 256);
		replay->nodes[replay->depth++] = record->value;
		replay->begun++;
		break;
	case TARE_TRACE_LEAVE:
	case TARE_TRACE_UNWOUND:
		assert_true(replay->depth > 0);
		replay->depth--;
		replay->ended++;
		replay->unwound += record->kind == TARE_TRACE_UNWOUND;
		break;
	case TARE_TRACE_JOIN:
		assert_true(replay->depth > 0);
		replay->nodes[replay->depth - 1] = record->value;
		replay->joined++;
		break;
	case TARE_TRACE_STACK:
		replay->switched++;
		break;
	default:
		replay->notes++;
	}
}

static const struct tare_trace_chunk *chunk_of(const struct thread *thread, uint64_t sequence)
{
	for (uint64_t i = 0; i < thread->file->trace_slots; i++) {
		const struct tare_trace_chunk *chunk =
			(const void *)(thread->log + i * CHUNK_BYTES);
		if (chunk->sequence == sequence)
			return chunk;
	}
	return NULL;
}

/* Replays the chunks from `sequence` on; returns how many there were. */
static uint64_t replay(const struct thread *thread, uint64_t sequence, struct replay *replay)
{
	const struct tare_trace_chunk *chunk;
	uint64_t count = 0;

	for (; (chunk = chunk_of(thread, sequence)); sequence++, count++) {
		const unsigned char *start = (const unsigned char *)chunk;
		const bool current = (uint64_t)chunk == thread->file->trace_chunk;
		struct trace_cursor cursor = {.at = start + sizeof(*chunk)};
		struct trace_record record;
		int more;

		assert_int_equal(chunk->used_bytes == 0, current);
		cursor.end = current ? (const unsigned char *)thread->file->trace_next
				     : start + chunk->used_bytes;
		replay->ticks = chunk->ticks;
		while ((more = trace_record_read(&cursor, &record)) > 0)
			replay_record(replay, &record);
		assert_int_equal(more, 0);
	}
	return count;
}

static void calls_many(struct thread *thread, int count)
{
	for (int i = 0; i < count; i++) {
		enter(thread, 1);
		enter(thread, 2 + (uint64_t)i % 7);
		leave(thread);
		leave(thread);
	}
}

static void test_all_kept(void **state)
{
	struct thread thread;
	struct replay seen = {0};

	(void)state;
	thread_begin(&thread, 100);
	calls_many(&thread, 10000);
	assert_true(replay(&thread, 1, &seen) > 20);
	assert_int_equal(seen.begun, thread.begun);
	assert_int_equal(seen.ended, thread.ended);
	assert_int_equal(seen.records, thread.file->trace_events);
	assert_int_equal(seen.ticks, thread.ticks);
	assert_int_equal(seen.depth, 0);
	/* what is promised: at most 6 bytes per event */
	assert_true(thread.file->trace_slots * CHUNK_BYTES <= 6 * seen.records + CHUNK_BYTES);
	thread_end(&thread);
}

static void test_ring(void **state)
{
	struct thread thread;
	struct replay seen = {0};

	(void)state;
	thread_begin(&thread, 4);
	calls_many(&thread, 10000);
	const struct tare_node *nodes =
		(const void *)((const char *)thread.file + TARE_THREAD_HEADER_BYTES);
	const uint64_t last = ((const struct tare_trace_chunk *)thread.file->trace_chunk)->sequence;
	const struct tare_trace_chunk *oldest = chunk_of(&thread, last - 3);

	assert_non_null(oldest);
	assert_null(chunk_of(&thread, last - 4));
	for (const struct tare_node *node = &nodes[oldest->node]; node != nodes;
	     node = (const struct tare_node *)node->parent)
		seen.depth++;
	assert_int_equal(replay(&thread, last - 3, &seen), 4);
	assert_int_equal(oldest->events + seen.records, thread.file->trace_events);
	assert_int_equal(seen.ticks, thread.ticks);
	assert_int_equal(seen.depth, 0);
	thread_end(&thread);
}

static void test_unwound_and_noted(void **state)
{
	struct thread thread;
	struct replay seen = {0};

	(void)state;
	thread_begin(&thread, 4);
	for (uint64_t i = 1; i <= 10; i++)
		enter(&thread, i);
	thread.sp += 64 * 9; /* back in the first one */
	event(&thread,
	      (struct accumulate_event){TARE_EVENT_LEAVE, .sp = thread.sp, .os = true,
					.os_cause = TARE_OS_SYSCALL, .syscall_number = 35});
	accumulate_repair(thread.file);
	assert_int_equal(replay(&thread, 1, &seen), 1);
	assert_int_equal(seen.begun, 10);
	assert_int_equal(seen.unwound, 9);
	assert_int_equal(seen.ended, 10);
	assert_int_equal(seen.notes, 1);
	assert_int_equal(seen.switched, 1);
	assert_int_equal(seen.depth, 0);
	thread_end(&thread);
}

static void test_joined(void **state)
{
	struct thread thread;
	struct replay seen = {0};

	(void)state;
	thread_begin(&thread, 4);
	event(&thread, (struct accumulate_event){TARE_EVENT_CALL, .key = 99, .sp = SP_TOP});
	event(&thread, (struct accumulate_event){TARE_EVENT_ENTER, .key = 5, .sp = SP_TOP});
	replay(&thread, 1, &seen);
	assert_int_equal(seen.begun, 1);
	assert_int_equal(seen.joined, 1);
	assert_int_equal(seen.nodes[0], ((const struct tare_node *)thread.file->top)->index);
	thread_end(&thread);
}

/* A thread that rested for an hour: its next record says so. */
static void test_long_rest(void **state)
{
	struct thread thread;
	struct replay seen = {0};

	(void)state;
	thread_begin(&thread, 4);
	enter(&thread, 1);
	thread.ticks += 3600 * 3000000000ULL;
	leave(&thread);
	enter(&thread, 2);
	assert_int_equal(replay(&thread, 1, &seen), 1);
	assert_int_equal(seen.ticks, thread.ticks);
	thread_end(&thread);
}

/* Calls are begun and ended once in the log, however often their stacks are left and found. */
static void test_switches(void **state)
{
	const uint64_t other = SP_TOP / 2;
	struct thread thread;
	struct replay seen = {0};

	(void)state;
	thread_begin(&thread, 4);
	enter(&thread, 1);
	enter(&thread, 2);
	for (int i = 0; i < 3; i++) {
		event(&thread, (struct accumulate_event){TARE_EVENT_ENTER, .key = 3,
							 .sp = other - 64 * (uint64_t)i});
		enter(&thread, 4);
		leave(&thread);
	}
	assert_int_equal(thread.file->stack_switches, 6);
	assert_int_equal(replay(&thread, 1, &seen), 1);
	assert_int_equal(seen.begun, 2 + 3 + 3);
	assert_int_equal(seen.ended, 3);
	assert_int_equal(seen.switched, 6);
	stacks_process_end(thread.file);
	thread_end(&thread);
}

/* More contexts than nodes: their calls are in the log all the same. */
static void test_folded(void **state)
{
	struct thread thread;
	struct replay seen = {0};

	(void)state;
	thread_begin(&thread, 8);
	for (uint64_t i = 1; i <= 600; i++) {
		enter(&thread, i);
		leave(&thread);
	}
	assert_true(thread.file->folded > 0);
	replay(&thread, 1, &seen);
	assert_int_equal(seen.begun, 600);
	assert_int_equal(seen.ended, 600);
	assert_int_equal(seen.records, thread.file->trace_events);
	thread_end(&thread);
}

static void test_no_room(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread, 0);
	calls_many(&thread, 100);
	assert_int_equal(thread.file->trace_events, 400);
	assert_int_equal(thread.file->trace_chunk, 0);
	thread_end(&thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_hostile),	   cmocka_unit_test(test_all_kept),
		cmocka_unit_test(test_ring),	   cmocka_unit_test(test_unwound_and_noted),
		cmocka_unit_test(test_joined),	   cmocka_unit_test(test_long_rest),
		cmocka_unit_test(test_switches),   cmocka_unit_test(test_folded),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
