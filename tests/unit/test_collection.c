/*
 * Collection off and on, and depth: which calls of a thread go on, are cut, or are not kept apart.
 */
#include "runtime/accumulate.h"
#include "tests/support/plain_stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

#define SP_TOP	   0x7fff0000ULL
#define NODES_CAP  4096
#define OS_CAP	   8
#define OS_MAX	   4096
#define OS_OFFSET  (TARE_THREAD_HEADER_BYTES + 2 * NODES_CAP * sizeof(struct tare_node))
#define FILE_BYTES (OS_OFFSET + OS_MAX * sizeof(struct tare_os_record))

struct thread {
	struct tare_thread_file *file;
	struct accumulate_local local;
	uint64_t ticks, cost;
};

struct values {
	uint64_t calls, elapsed_inclusive, elapsed_exclusive;
	uint64_t application_inclusive, application_exclusive;
};

static uint64_t nodes_cap = NODES_CAP; /* of those kept */
static uint64_t nodes_room = 2 * NODES_CAP;
static uint64_t os_cap = OS_CAP;

bool accumulate_host_grow(struct tare_thread_file *self, enum accumulate_area area)
{
	switch (area) {
	case ACCUMULATE_NODES:
		if (self->node_limit >= nodes_room)
			return false;
		self->node_limit += 32;
		return true;
	case ACCUMULATE_OS:
		if (self->os_limit >= os_cap)
			return false;
		self->os_limit += 4;
		return true;
	case ACCUMULATE_AREAS:
		break;
	}
	return false;
}

void *accumulate_host_map(size_t size_bytes)
{
	return calloc(1, size_bytes);
}

void accumulate_host_unmap(void *memory, size_t size_bytes)
{
	(void)size_bytes;
	free(memory);
}

bool accumulate_host_loses_ends(uint64_t key)
{
	(void)key;
	return false;
}

static void thread_begin(struct thread *thread)
{
	struct tare_thread_file *file = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(file, MAP_FAILED);
	*thread = (struct thread){.file = file, .ticks = 1000};
	accumulate_place(file, nodes_cap);
	file->chunks[0].count = 2 * NODES_CAP;
	file->chunks[1].run_addr = file->run_addr + OS_OFFSET;
	file->chunks[1].count = OS_MAX;
	file->node_limit = 32;
	file->os_limit = 4;
	accumulate_init(file, &thread->local, thread->ticks);
}

static void thread_end(struct thread *thread)
{
	accumulate_fini(&thread->local);
	munmap(thread->file, FILE_BYTES);
}

static void event_apply(struct thread *thread, struct accumulate_event event, uint64_t after)
{
	thread->ticks += after;
	event.ticks = thread->ticks;
	event.cost_ticks = thread->cost;
	accumulate_event(thread->file, &event);
}

static void enter(struct thread *thread, uint64_t after, uint64_t key, uint64_t sp)
{
	event_apply(thread, (struct accumulate_event){TARE_EVENT_ENTER, .key = key, .sp = sp},
		    after);
}

static void leave(struct thread *thread, uint64_t after, uint64_t sp)
{
	event_apply(thread, (struct accumulate_event){TARE_EVENT_LEAVE, .sp = sp}, after);
}

static void call(struct thread *thread, uint64_t after, uint64_t key, uint64_t sp)
{
	event_apply(thread, (struct accumulate_event){TARE_EVENT_CALL, .key = key, .sp = sp},
		    after);
}

static void after_call(struct thread *thread, uint64_t after, uint64_t sp)
{
	event_apply(thread, (struct accumulate_event){TARE_EVENT_RETURN, .sp = sp}, after);
}

static struct tare_node *nodes(const struct thread *thread)
{
	return (struct tare_node *)((char *)thread->file + TARE_THREAD_HEADER_BYTES);
}

static struct tare_node *top(const struct thread *thread)
{
	return (struct tare_node *)thread->file->top;
}

static struct tare_node *caller(const struct tare_node *node)
{
	return (struct tare_node *)node->parent;
}

/* The exclusive time so far of the calls in progress whose values this node keeps. */
static uint64_t node_open(const struct thread *thread, uint32_t at)
{
	uint64_t end = thread->file->now_ticks, ticks = 0;

	for (const struct tare_node *node = top(thread);; node = caller(node)) {
		if (node == &nodes(thread)[at])
			ticks += end - node->start - node->child;
		if (node == nodes(thread))
			return ticks;
		end = node->start;
	}
}

static uint64_t node_elapsed(const struct thread *thread, uint32_t at)
{
	return nodes(thread)[at].elapsed_ticks + node_open(thread, at);
}

static uint64_t node_os(const struct thread *thread, uint32_t at)
{
	const struct tare_os_record *records =
		(struct tare_os_record *)((char *)thread->file + OS_OFFSET);
	uint64_t ticks = 0;

	for (uint64_t i = 0; i < thread->file->os_count; i++)
		if (records[i].node == at)
			ticks += records[i].ticks;
	return ticks;
}

static bool on_path(const struct thread *thread, uint32_t at, uint64_t key)
{
	const struct tare_node *node = &nodes(thread)[at];

	for (; node->key != key; node = caller(node))
		if (node == nodes(thread) || node->index & TARE_NODE_FOLDED)
			return false;
	return true;
}

/* The four values of a function: each interval once, however often the function is on the path. */
static struct values values_of(const struct thread *thread, uint64_t key)
{
	struct values values = {0};

	for (uint32_t at = 0; at < thread->file->node_count; at++) {
		const uint64_t elapsed = node_elapsed(thread, at);
		const uint64_t application = elapsed - node_os(thread, at);

		if (on_path(thread, at, key)) {
			const struct tare_node *node = &nodes(thread)[at];

			values.elapsed_inclusive += elapsed + node->folded_elapsed;
			values.application_inclusive +=
				application + node->folded_elapsed - node->folded_os;
		}
		if (nodes(thread)[at].key != key)
			continue;
		values.calls += accumulate_calls(&nodes(thread)[at]);
		values.elapsed_exclusive += elapsed;
		values.application_exclusive += application;
	}
	return values;
}

static void assert_values(const struct thread *thread, uint64_t key, struct values expected)
{
	const struct values values = values_of(thread, key);

	assert_int_equal(values.calls, expected.calls);
	assert_int_equal(values.elapsed_inclusive, expected.elapsed_inclusive);
	assert_int_equal(values.elapsed_exclusive, expected.elapsed_exclusive);
	assert_int_equal(values.application_inclusive, expected.application_inclusive);
	assert_int_equal(values.application_exclusive, expected.application_exclusive);
}

/* Whatever happened, nothing is lost or charged twice. */
static void assert_adds_up(const struct thread *thread)
{
	uint64_t ended = 0, sum = 0, known = nodes(thread)->child;

	for (uint32_t at = 0; at < thread->file->node_count; at++) {
		ended += nodes(thread)[at].elapsed_ticks;
		sum += node_elapsed(thread, at);
	}
	for (const struct tare_node *node = top(thread); node != nodes(thread); node = caller(node))
		known += node->child;
	assert_int_equal(ended, known);
	assert_int_equal(sum, thread->file->now_ticks);
}

enum {
	MAIN = 0x1000,
	FOO = 0x2000,
	BAR = 0x3000,
	WRITE = 0x4000,
	A = 0x5000,
	B = 0x6000,
	C = 0x7000,
	D = 0x8000,
};

static struct tare_node *node_of(const struct thread *thread, uint64_t key)
{
	for (uint32_t at = 1; at < thread->file->node_count; at++)
		if (nodes(thread)[at].key == key)
			return &nodes(thread)[at];
	fail_msg("no node has the key %#lx", (unsigned long)key);
	return NULL;
}

/* ---- collection off and on, and depth ---- */

static uint64_t fallen_slot; /* the frame that has another return address now; 0: none */

static bool stands(uint64_t slot_addr, uint64_t return_addr)
{
	(void)return_addr;
	return slot_addr != fallen_slot;
}

/* The first event after collection was off, the clock having stood still. */
static void resume(struct thread *thread, struct accumulate_event event)
{
	event.ticks = thread->ticks;
	accumulate_resume(thread->file, &event, stands);
	event_apply(thread, event, 0);
}

static void test_resume_keeps_what_stands(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	fallen_slot = 0;
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 1, A, SP_TOP - 32);
	resume(&thread, (struct accumulate_event){TARE_EVENT_LEAVE, .sp = SP_TOP - 32});
	leave(&thread, 2, SP_TOP);
	assert_int_equal(thread.file->cut, 0);
	assert_int_equal(thread.file->begun_while_off, 0);
	assert_int_equal(thread.file->unmatched, 0);
	assert_values(&thread, A, (struct values){1, 0, 0, 0, 0});
	assert_values(&thread, MAIN, (struct values){1, 3, 3, 3, 3});
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* What has ended unseen keeps its time and counts as a call, but neither as unwound nor in ranges.
 */
static void test_resume_cuts_what_has_ended(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	fallen_slot = 0;
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 1, A, SP_TOP - 32);
	call(&thread, 2, B, SP_TOP - 64);
	enter(&thread, 4, C, SP_TOP - 96);
	/* the stack is above them now */
	resume(&thread, (struct accumulate_event){TARE_EVENT_ENTER, .key = D, .sp = SP_TOP - 32});
	assert_int_equal(thread.file->cut, 3);
	assert_ptr_equal(caller(top(&thread)), node_of(&thread, MAIN));
	leave(&thread, 8, SP_TOP - 32);
	leave(&thread, 16, SP_TOP);
	assert_values(&thread, A, (struct values){1, 6, 2, 6, 2});
	assert_values(&thread, B, (struct values){1, 4, 4, 4, 4});
	assert_values(&thread, C, (struct values){1, 0, 0, 0, 0});
	assert_int_equal(node_of(&thread, A)->unwound, 0);
	assert_true(node_of(&thread, A)->elapsed_inclusive_min >
		    node_of(&thread, A)->elapsed_inclusive_max);
	assert_int_equal(thread.file->unmatched, 0);
	assert_adds_up(&thread);
	thread_end(&thread);
}

/* Another call at the same place of the stack is not the same call, nor is what it has called. */
static void test_resume_cuts_what_has_fallen(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	fallen_slot = SP_TOP - 32;
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 1, A, SP_TOP - 32);
	enter(&thread, 2, B, SP_TOP - 64);
	resume(&thread, (struct accumulate_event){TARE_EVENT_ENTER, .key = D, .sp = SP_TOP - 96});
	assert_int_equal(thread.file->cut, 2);
	assert_ptr_equal(caller(top(&thread)), node_of(&thread, MAIN));
	leave(&thread, 4, SP_TOP - 96);
	/* of calls that began meanwhile; below them an end without begin is an error */
	leave(&thread, 8, SP_TOP - 64);
	leave(&thread, 16, SP_TOP - 32);
	leave(&thread, 32, SP_TOP - 48);
	assert_int_equal(thread.file->begun_while_off, 2);
	assert_int_equal(thread.file->unmatched, 1);
	leave(&thread, 64, SP_TOP);
	assert_values(&thread, MAIN, (struct values){1, 127, 121, 127, 121});
	assert_adds_up(&thread);
	thread_end(&thread);
}

static void test_depth(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	thread.local.max_depth = 2;
	enter(&thread, 0, MAIN, SP_TOP);
	enter(&thread, 1, A, SP_TOP - 32);
	enter(&thread, 2, B, SP_TOP - 64);
	enter(&thread, 4, C, SP_TOP - 96);
	leave(&thread, 8, SP_TOP - 96);
	call(&thread, 16, D,
	     SP_TOP - 96); /* a call of a function that reports itself counts once */
	enter(&thread, 32, D, SP_TOP - 96);
	leave(&thread, 64, SP_TOP - 96);
	after_call(&thread, 128, SP_TOP - 96);
	leave(&thread, 256, SP_TOP - 64);
	leave(&thread, 512, SP_TOP - 32);
	enter(&thread, 1024, B, SP_TOP - 32);
	leave(&thread, 2048, SP_TOP - 32);
	leave(&thread, 4096, SP_TOP);
	assert_int_equal(thread.file->beyond_depth, 3);
	assert_int_equal(thread.file->unmatched, 0);
	assert_int_equal(thread.file->too_deep, 0);
	assert_values(&thread, A, (struct values){1, 1022, 1022, 1022, 1022});
	assert_values(&thread, B, (struct values){1, 2048, 2048, 2048, 2048});
	assert_adds_up(&thread);
	thread_end(&thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resume_keeps_what_stands),
		cmocka_unit_test(test_resume_cuts_what_has_ended),
		cmocka_unit_test(test_resume_cuts_what_has_fallen),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
