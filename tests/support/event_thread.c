/* See event_thread.h. The host's memory is the heap; areas grow as far as the test lets them. */
#include "tests/support/event_thread.h"
#include "runtime/tree/context.h"

#include "tests/support/heap_memory.h"
#include "tests/support/plain_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

uint64_t nodes_cap = NODES_CAP;
uint64_t nodes_room = 2 * NODES_CAP;
uint64_t os_cap = OS_CAP;
uint64_t waits_cap = WAITS_MAX;

static bool grow(struct tare_thread_file *self, enum accumulate_area area)
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
	case ACCUMULATE_WAITS:
		if (self->wait_limit >= waits_cap)
			return false;
		self->wait_limit += 4;
		return true;
	case ACCUMULATE_AREAS:
		break;
	}
	return false;
}

void thread_begin(struct thread *thread)
{
	struct tare_thread_file *file = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	static struct accumulate_host host;

	assert_ptr_not_equal(file, MAP_FAILED);
	host = plain_host;
	host.grow = grow;
	accumulate_host = &host;
	*thread = (struct thread){.file = file, .ticks = 1000};
	accumulate_place(file, nodes_cap);
	file->chunks[0].count = 2 * NODES_CAP;
	file->chunks[1].run_addr = file->run_addr + OS_OFFSET;
	file->chunks[1].count = OS_MAX;
	file->chunks[2].run_addr = file->run_addr + WAITS_OFFSET;
	file->chunks[2].count = WAITS_MAX;
	file->node_limit = 32;
	file->os_limit = 4;
	file->wait_limit = 4;
	accumulate_init(file, &thread->local, thread->ticks);
}

void thread_end(struct thread *thread)
{
	accumulate_fini(&thread->local);
	munmap(thread->file, FILE_BYTES);
}

void event_apply(struct thread *thread, struct accumulate_event event, uint64_t after)
{
	thread->ticks += after;
	event.ticks = thread->ticks;
	event.cost_ticks = thread->cost;
	accumulate_event(thread->file, &event);
}

void enter(struct thread *thread, uint64_t after, uint64_t key, uint64_t sp)
{
	event_apply(thread, (struct accumulate_event){TARE_EVENT_ENTER, .key = key, .sp = sp},
		    after);
}

void leave(struct thread *thread, uint64_t after, uint64_t sp)
{
	event_apply(thread, (struct accumulate_event){TARE_EVENT_LEAVE, .sp = sp}, after);
}

void call(struct thread *thread, uint64_t after, uint64_t key, uint64_t sp)
{
	event_apply(thread, (struct accumulate_event){TARE_EVENT_CALL, .key = key, .sp = sp},
		    after);
}

void after_call(struct thread *thread, uint64_t after, uint64_t sp)
{
	event_apply(thread, (struct accumulate_event){TARE_EVENT_RETURN, .sp = sp}, after);
}

void with_os(struct thread *thread, struct accumulate_event event, uint64_t after,
	     enum tare_os_cause cause)
{
	event.os = true;
	event.os_cause = cause;
	if (cause == TARE_OS_BLOCKED || cause == TARE_OS_PREEMPTED) {
		event.os_cause = TARE_OS_SWITCH;
		*(cause == TARE_OS_BLOCKED ? &event.blocked_ticks : &event.preempted_ticks) =
			UINT64_MAX;
	}
	event.syscall_number = 1;
	event_apply(thread, event, after);
}

struct tare_node *nodes(const struct thread *thread)
{
	return (struct tare_node *)((char *)thread->file + TARE_THREAD_HEADER_BYTES);
}

struct tare_node *top(const struct thread *thread)
{
	return (struct tare_node *)thread->file->top;
}

struct tare_node *caller(const struct tare_node *node)
{
	return (struct tare_node *)node->parent;
}

/* The exclusive time so far of the calls in progress whose values this node keeps. */
uint64_t node_open(const struct thread *thread, uint32_t at)
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

uint64_t node_elapsed(const struct thread *thread, uint32_t at)
{
	return nodes(thread)[at].elapsed_ticks + node_open(thread, at);
}

uint64_t node_os(const struct thread *thread, uint32_t at)
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
struct values values_of(const struct thread *thread, uint64_t key)
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
		values.calls += context_calls(&nodes(thread)[at]);
		values.elapsed_exclusive += elapsed;
		values.application_exclusive += application;
	}
	return values;
}

void assert_values(const struct thread *thread, uint64_t key, struct values expected)
{
	const struct values values = values_of(thread, key);

	assert_int_equal(values.calls, expected.calls);
	assert_int_equal(values.elapsed_inclusive, expected.elapsed_inclusive);
	assert_int_equal(values.elapsed_exclusive, expected.elapsed_exclusive);
	assert_int_equal(values.application_inclusive, expected.application_inclusive);
	assert_int_equal(values.application_exclusive, expected.application_exclusive);
}

/* Whatever happened, nothing is lost or charged twice. */
static uint64_t os_of_cause(const struct thread *thread, enum tare_os_cause cause)
{
	uint64_t ticks = 0;

	for (uint32_t i = 0; i < thread->file->os_count; i++) {
		const struct tare_os_record *record =
			chunks_element(thread->file, TARE_CHUNK_OS, i);
		ticks += record->cause == (uint16_t)cause ? record->ticks : 0;
	}
	return ticks;
}

void assert_adds_up(const struct thread *thread)
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
	if (thread->file->os_lost)
		return;
	assert_int_equal(os_of_cause(thread, TARE_OS_BLOCKED), thread->file->blocked_ticks);
	assert_int_equal(os_of_cause(thread, TARE_OS_PREEMPTED), thread->file->preempted_ticks);
}

struct tare_node *node_of(const struct thread *thread, uint64_t key)
{
	for (uint32_t at = 1; at < thread->file->node_count; at++)
		if (nodes(thread)[at].key == key)
			return &nodes(thread)[at];
	fail_msg("no node has the key %#lx", (unsigned long)key);
	return NULL;
}
