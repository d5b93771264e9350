/*
 * Calls on several stacks: what a thread leaves is set aside, what it or another comes back to goes
 * on, handlers' stacks are nested, and everything adds up at every moment.
 */
#include "runtime/tree/accumulate.h"
#include "runtime/tree/calls.h"
#include "runtime/tree/extent.h"
#include "tests/support/heap_memory.h"
#include "tests/support/plain_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

#define OWN	      0x7fff00000000ULL /* the thread's own stack */
#define FIBER	      0x7f0000000000ULL
#define STACK_BYTES   0x10000ULL
#define SIGNALS	      0x600000000000ULL /* one below the other, for handlers */
#define SIGNAL_STACKS 8
#define NODES	      4096
#define OS_MAX	      64
#define OS_OFFSET     (TARE_THREAD_HEADER_BYTES + 2 * NODES * sizeof(struct tare_node))
#define FILE_BYTES    (OS_OFFSET + OS_MAX * sizeof(struct tare_os_record))

enum { MAIN = 0x1000, SWITCH = 0x2000, BODY = 0x3000, LEAF = 0x4000, HANDLER = 0x5000 };

struct thread {
	struct tare_thread_file *file;
	struct accumulate_local local;
	uint64_t ticks;
};

static bool nested_sign, called_sign;
static uint64_t inner_base; /* of a handlers' stack anywhere; 0: there is none */

static enum stacks_sign stack_sign(const struct tare_thread_file *self,
				   const struct accumulate_event *event, struct stacks_signs *signs)
{
	const uint64_t place = calls_place_at(event->sp);

	(void)self;
	for (uint64_t base = SIGNALS; base > SIGNALS - SIGNAL_STACKS * STACK_BYTES;
	     base -= STACK_BYTES) {
		*signs = (struct stacks_signs){.extent = {.low = base - STACK_BYTES, .base = base}};
		if (nested_sign && place <= base && place > base - STACK_BYTES)
			return STACKS_NESTED;
	}
	*signs = (struct stacks_signs){
		.extent = {.low = inner_base - STACK_BYTES, .base = inner_base}};
	return inner_base && extent_has(&signs->extent, place) ? STACKS_NESTED : STACKS_UNKNOWN;
}

static bool called_by(const struct accumulate_event *event, uint64_t stub)
{
	(void)event, (void)stub;
	return called_sign;
}

static bool is_own_stack(const struct tare_thread_file *self, uint64_t sp)
{
	(void)self;
	return sp > OWN - STACKS_OWN_BYTES && sp <= OWN;
}

static const struct accumulate_host host = {.grow = host_grow,
					    .loses_ends = host_loses_ends,
					    .stack_sign = stack_sign,
					    .called_by = called_by,
					    .is_own_stack = is_own_stack,
					    .trace_grow = host_trace_grow,
					    .trace_next = host_trace_next};

static void thread_begin(struct thread *thread, int32_t tid)
{
	struct tare_thread_file *file = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(file, MAP_FAILED);
	accumulate_host = &host;
	*thread = (struct thread){.file = file, .ticks = 1000};
	file->pid = 1;
	file->tid = tid;
	accumulate_place(file, NODES);
	file->wait_limit = 0;
	file->chunks[0].count = 2 * NODES;
	file->chunks[1].run_addr = file->run_addr + OS_OFFSET;
	file->chunks[1].count = OS_MAX;
	file->node_limit = NODES;
	file->os_limit = OS_MAX;
	accumulate_init(file, &thread->local, thread->ticks);
	nested_sign = called_sign = false;
	inner_base = 0;
}

static struct tare_node *nodes(const struct thread *thread)
{
	return context_nodes(thread->file);
}

/* The sum of all exclusive times, calls in progress included, is the clock. */
static void assert_adds_up(const struct thread *thread)
{
	uint64_t end = thread->file->now_ticks, ended = 0, known = 0, sum = 0;

	for (uint64_t i = 0; i < thread->file->node_count; i++)
		ended += (uint64_t)nodes(thread)[i].elapsed_ticks;
	for (const struct tare_node *node = context_node(thread->file->top);;
	     node = context_node(node->parent)) {
		known += (uint64_t)node->child;
		sum += end - node->start - (uint64_t)node->child;
		end = node->start;
		if (node == nodes(thread))
			break;
	}
	assert_int_equal(ended, known);
	assert_int_equal(ended + sum, thread->file->now_ticks);
}

static void event(struct thread *thread, enum tare_event_kind kind, uint64_t key, uint64_t sp)
{
	const struct accumulate_event event = {
		.kind = kind, .ticks = thread->ticks += 10, .key = key, .sp = sp};

	accumulate_event(thread->file, &event);
	assert_adds_up(thread);
}

static void enter(struct thread *thread, uint64_t key, uint64_t sp)
{
	event(thread, TARE_EVENT_ENTER, key, sp);
}

static void leave(struct thread *thread, uint64_t sp)
{
	event(thread, TARE_EVENT_LEAVE, 0, sp);
}

static void thread_end(struct thread *thread)
{
	stacks_process_end(thread->file);
	assert_adds_up(thread);
	stacks_thread_end(thread->file);
	accumulate_fini(&thread->local);
	munmap(thread->file, FILE_BYTES);
}

/* Calls, of `key`, on all paths. */
static uint64_t calls_of(const struct thread *thread, uint64_t key)
{
	uint64_t calls = 0;

	for (uint64_t i = 0; i < thread->file->node_count; i++)
		if (nodes(thread)[i].key == key)
			calls += context_calls(&nodes(thread)[i]);
	return calls;
}

static const struct tare_node *node_of(const struct thread *thread, uint64_t key)
{
	for (uint64_t i = 1; i < thread->file->node_count; i++)
		if (nodes(thread)[i].key == key && context_calls(&nodes(thread)[i]))
			return &nodes(thread)[i];
	fail_msg("no call of %#lx has ended", (unsigned long)key);
	return NULL;
}

static uint64_t unwound_of(const struct thread *thread, uint64_t key)
{
	uint64_t unwound = 0;

	for (uint64_t i = 0; i < thread->file->node_count; i++)
		if (nodes(thread)[i].key == key)
			unwound += nodes(thread)[i].unwound;
	return unwound;
}

/* MAIN starts BODY on another stack, which comes back twice; times away are nobody's there. */
static void test_there_and_back(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread, 2);
	enter(&thread, MAIN, OWN);	    /* 10 the root's */
	enter(&thread, SWITCH, OWN - 64);   /* 10 MAIN's */
	enter(&thread, BODY, FIBER);	    /* 10 SWITCH's */
	enter(&thread, SWITCH, FIBER - 64); /* 10 BODY's */
	leave(&thread, OWN - 64);	    /* 10 the fiber's SWITCH's */
	enter(&thread, SWITCH, OWN - 64);   /* 10 MAIN's */
	leave(&thread, FIBER - 64);	    /* 10 SWITCH's */
	leave(&thread, FIBER);		    /* 10 BODY's */
	leave(&thread, OWN - 64);	    /* 10 the root's: BODY has left */
	leave(&thread, OWN);		    /* 10 MAIN's */
	assert_int_equal(node_of(&thread, MAIN)->elapsed_inclusive_max, 10 + 10 + 10 + 10 + 10);
	assert_int_equal(node_of(&thread, MAIN)->elapsed_exclusive_max, 10 + 10 + 10);
	assert_int_equal(node_of(&thread, BODY)->elapsed_inclusive_max, 10 + 10 + 10);
	assert_int_equal(node_of(&thread, BODY)->elapsed_exclusive_max, 20);
	assert_ptr_equal(node_of(&thread, BODY)->parent, nodes(&thread));
	assert_int_equal(calls_of(&thread, SWITCH), 3);
	assert_int_equal(unwound_of(&thread, SWITCH) + thread.file->unmatched, 0);
	assert_int_equal(thread.file->stack_switches, 4);
	assert_int_equal(thread.file->calls_set_aside, 2 + 2 + 2);
	assert_int_equal(thread.file->calls_taken_back, 2 + 2 + 2);
	thread_end(&thread);
}

/* Two stacks in the same function, side by side; each keeps its own calls. */
static void test_same_path_twice(void **state)
{
	const uint64_t other = FIBER - STACK_BYTES;
	struct thread thread;

	(void)state;
	thread_begin(&thread, 2);
	enter(&thread, BODY, FIBER);
	enter(&thread, LEAF, FIBER - 32);
	enter(&thread, BODY, other);
	enter(&thread, LEAF, other - 32);
	leave(&thread, FIBER - 32);
	enter(&thread, LEAF, FIBER - 48);
	leave(&thread, other - 32);
	leave(&thread, other);
	leave(&thread, FIBER - 48);
	leave(&thread, FIBER);
	assert_int_equal(calls_of(&thread, BODY), 2);
	assert_int_equal(calls_of(&thread, LEAF), 3);
	assert_int_equal(unwound_of(&thread, LEAF) + unwound_of(&thread, BODY), 0);
	assert_int_equal(thread.file->unmatched, 0);
	thread_end(&thread);
}

/* Begun in one thread, ended in another: one call, its time where it was spent. */
static void test_other_thread(void **state)
{
	struct thread first, second;

	(void)state;
	thread_begin(&first, 2);
	thread_begin(&second, 3);
	enter(&first, BODY, FIBER);
	enter(&first, SWITCH, FIBER - 64);
	enter(&first, MAIN, OWN);
	leave(&second, FIBER - 64);
	leave(&second, FIBER);
	assert_int_equal(calls_of(&first, BODY) + calls_of(&first, SWITCH), 0);
	assert_int_equal(calls_of(&second, BODY), 1);
	assert_int_equal(node_of(&second, BODY)->elapsed_inclusive_max, 20 + 10);
	assert_int_equal(node_of(&second, BODY)->elapsed_ticks, 10);
	assert_int_equal(second.file->unmatched, 0);
	assert_int_equal(first.file->calls_set_aside, second.file->calls_taken_back);
	leave(&first, OWN);
	thread_end(&first);
	thread_end(&second);
}

/* The handler runs inside what it interrupted, wherever its stack lies. */
static void test_nested(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread, 2);
	nested_sign = true;
	enter(&thread, MAIN, OWN);
	enter(&thread, LEAF, OWN - 64);
	enter(&thread, HANDLER, SIGNALS - 256);
	enter(&thread, LEAF, SIGNALS - 512);
	assert_in_range(thread.file->stack_low, SIGNALS - STACK_BYTES, SIGNALS - 512);
	leave(&thread, SIGNALS - 512);
	leave(&thread, SIGNALS - 256);
	assert_in_range(thread.file->stack_low, OWN - STACK_BYTES, OWN - 64);
	leave(&thread, OWN - 64);
	enter(&thread, HANDLER, SIGNALS - 256); /* left by siglongjmp */
	enter(&thread, LEAF, OWN - 96);
	leave(&thread, OWN - 96);
	leave(&thread, OWN);
	assert_int_equal(node_of(&thread, MAIN)->elapsed_inclusive_max, 100);
	assert_int_equal(calls_of(&thread, HANDLER), 2);
	assert_int_equal(unwound_of(&thread, HANDLER), 1);
	assert_int_equal(thread.file->unmatched, 0);
	assert_int_equal(thread.file->stack_switches, 0);
	thread_end(&thread);
}

/*
 * A handler on a stack that lies within the thread's own is left by siglongjmp again and again, and
 * nothing on the other stack tells so: each of its calls ends the one before, at the same place.
 */
static void test_left_again(enum tare_event_kind kind)
{
	struct thread thread;

	thread_begin(&thread, 2);
	enter(&thread, MAIN, OWN);
	enter(&thread, BODY, OWN - STACK_BYTES - 256);
	inner_base = OWN - 64;
	for (int i = 0; i < 3; i++) {
		event(&thread, kind, HANDLER, OWN - 512);
		assert_int_equal(thread.local.stacks.nested, 1);
	}
	leave(&thread, OWN - STACK_BYTES - 256);
	assert_int_equal(thread.local.stacks.nested, 0);
	leave(&thread, OWN);
	assert_int_equal(thread.file->unmatched, 0);
	assert_int_equal(thread.file->begun_while_off, 0);
	assert_int_equal(calls_of(&thread, HANDLER), 3);
	assert_int_equal(unwound_of(&thread, HANDLER), 3);
	assert_int_equal(calls_of(&thread, BODY), 1);
	assert_int_equal(node_of(&thread, MAIN)->elapsed_inclusive_max, 60);
	thread_end(&thread);
}

static void test_handler_left_again(void **state)
{
	(void)state;
	test_left_again(TARE_EVENT_ENTER);
}

static void test_call_of_handler_left_again(void **state)
{
	(void)state;
	test_left_again(TARE_EVENT_CALL);
}

/* The same where there is no node for the call: the handler's stack is left with the one before. */
static void test_left_without_room(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread, 2);
	enter(&thread, MAIN, OWN);
	enter(&thread, BODY, OWN - STACK_BYTES - 256);
	inner_base = OWN - 64;
	enter(&thread, HANDLER, OWN - 512);
	thread.local.max_depth = 2;
	enter(&thread, HANDLER, OWN - 512);
	assert_int_equal(thread.local.stacks.nested, 0);
	leave(&thread, OWN - STACK_BYTES - 256);
	leave(&thread, OWN);
	assert_int_equal(calls_of(&thread, HANDLER), 1);
	assert_int_equal(calls_of(&thread, BODY), 1);
	thread_end(&thread);
}

/* A frame far below is a larger frame if the code on top has called it, and else another stack. */
static void test_large_frame(void **state)
{
	struct thread thread;

	(void)state;
	for (int called = 0; called < 2; called++) {
		thread_begin(&thread, 2);
		called_sign = called;
		enter(&thread, BODY, FIBER);
		enter(&thread, LEAF, FIBER - 200000);
		leave(&thread, FIBER - 200000);
		leave(&thread, FIBER);
		assert_int_equal(node_of(&thread, LEAF)->parent != (uint64_t)nodes(&thread),
				 called);
		assert_int_equal(thread.file->stack_switches, called ? 0 : 2);
		assert_int_equal(thread.file->unmatched, 0);
		thread_end(&thread);
	}
	/* on the thread's own stack there is nothing else */
	thread_begin(&thread, 2);
	enter(&thread, MAIN, OWN - 100);
	enter(&thread, LEAF, OWN - 1000000);
	assert_int_equal(thread.file->stack_switches, 0);
	thread_end(&thread);
}

/* A stack that nobody came back to is used again: what was on it has ended. */
static void test_used_again(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread, 2);
	enter(&thread, MAIN, OWN);
	for (int i = 0; i < 5; i++) {
		enter(&thread, BODY, FIBER);
		enter(&thread, LEAF, FIBER - 64);
		enter(&thread, SWITCH, OWN - 64);
		leave(&thread, OWN - 64);
	}
	assert_int_equal(calls_of(&thread, BODY), 4);
	assert_int_equal(unwound_of(&thread, LEAF), 4);
	assert_int_equal(stack_table_count(), 2);
	stacks_process_end(thread.file);
	assert_int_equal(calls_of(&thread, BODY), 5);
	assert_int_equal(unwound_of(&thread, LEAF), 5);
	assert_int_equal(thread.file->calls_set_aside, thread.file->calls_taken_back);
	leave(&thread, OWN);
	assert_int_equal(calls_of(&thread, MAIN), 1);
	thread_end(&thread);
}

/* longjmp on a stack that was left and found again, over calls begun before and since. */
static void test_unwinding(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread, 2);
	enter(&thread, BODY, FIBER);
	enter(&thread, LEAF, FIBER - 64);
	enter(&thread, LEAF, FIBER - 128);
	enter(&thread, MAIN, OWN);
	leave(&thread, OWN);
	enter(&thread, SWITCH, FIBER - 192);
	enter(&thread, HANDLER, FIBER - 64);
	leave(&thread, FIBER - 64);
	leave(&thread, FIBER);
	assert_int_equal(unwound_of(&thread, LEAF), 2);
	assert_int_equal(unwound_of(&thread, SWITCH), 1);
	assert_int_equal(unwound_of(&thread, BODY) + unwound_of(&thread, HANDLER), 0);
	assert_int_equal(thread.file->unmatched, 0);
	thread_end(&thread);
}

/* More stacks than are kept: the surplus is given up and counted, and no call is lost or doubled.
 */
static void test_limit(void **state)
{
	const uint64_t count = STACK_TABLE_MAX + 100;
	struct thread thread;

	(void)state;
	thread_begin(&thread, 2);
	for (uint64_t i = 0; i < count; i++)
		event(&thread, TARE_EVENT_ENTER, BODY, FIBER + i * STACK_BYTES);
	assert_int_equal(thread.file->stacks_lost, count - 1 - STACK_TABLE_MAX);
	assert_int_equal(calls_of(&thread, BODY), thread.file->stacks_lost);
	assert_int_equal(stack_table_count(), STACK_TABLE_MAX);
	stacks_process_end(thread.file);
	assert_int_equal(calls_of(&thread, BODY), count - 1);
	leave(&thread, FIBER + (count - 1) * STACK_BYTES);
	assert_int_equal(calls_of(&thread, BODY), count);
	thread_end(&thread);
}

/*
 * A thread is on a stack before the one that was on it has told that it left: calls below those of
 * the other are a stack of their own; where both have calls, the later word counts.
 */
static void test_race(void **state)
{
	struct thread first, second;

	(void)state;
	for (uint64_t depth = 96; depth >= 48; depth -= 48) {
		thread_begin(&first, 2);
		thread_begin(&second, 3);
		enter(&first, BODY, FIBER);
		enter(&first, LEAF, FIBER - 64);
		enter(&second, SWITCH, FIBER - depth);
		enter(&second, MAIN, OWN);
		enter(&first, MAIN, OWN - STACK_BYTES);
		assert_int_equal(first.file->stacks_lost, depth < 64);
		assert_int_equal(unwound_of(&first, SWITCH), depth < 64);
		leave(&second, FIBER - depth);
		leave(&second, FIBER);
		assert_int_equal(calls_of(&first, SWITCH) + calls_of(&second, SWITCH), 1);
		assert_int_equal(calls_of(&second, BODY), 1);
		leave(&first, OWN - STACK_BYTES);
		leave(&second, OWN);
		thread_end(&first);
		thread_end(&second);
	}
}

/*
 * Where some functions are only counted, a thread may leave a stack without an event: what begins
 * and ends elsewhere is then neither lost nor without a begin.
 */
static void test_race_of_counted(void **state)
{
	struct thread first, second;

	(void)state;
	for (uint64_t depth = 96; depth >= 48; depth -= 48) {
		thread_begin(&first, 2);
		thread_begin(&second, 3);
		first.local.some_are_counted = second.local.some_are_counted = true;
		enter(&first, BODY, FIBER);
		enter(&first, LEAF, FIBER - 64);
		enter(&second, MAIN, OWN);
		enter(&second, SWITCH, FIBER - depth);
		leave(&second, FIBER - depth);
		leave(&second, FIBER);
		assert_int_equal(second.file->unmatched, 0);
		enter(&second, SWITCH, FIBER - depth);
		leave(&second, OWN);
		enter(&first, MAIN, OWN - STACK_BYTES);
		assert_int_equal(first.file->stacks_lost, 0);
		assert_int_equal(unwound_of(&first, SWITCH), 0);
		assert_int_equal(calls_of(&first, SWITCH) + calls_of(&second, SWITCH), 2);
		leave(&first, OWN - STACK_BYTES);
		assert_adds_up(&first);
		assert_adds_up(&second);
		thread_end(&first);
		thread_end(&second);
	}
}

/* A probe that a handler interrupts goes on; one that a handler has jumped out of does not. */
static void test_abandoned(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread, 2);
	nested_sign = true;
	enter(&thread, MAIN, OWN);
	enter(&thread, LEAF, OWN - 512);
	assert_false(stacks_abandoned(thread.file, OWN - 600, SIGNALS - 256));
	assert_false(stacks_abandoned(thread.file, OWN - 600, OWN - 2000));
	assert_true(stacks_abandoned(thread.file, OWN - 600, OWN - 64));
	enter(&thread, HANDLER, SIGNALS - 256);
	assert_true(stacks_abandoned(thread.file, SIGNALS - 400, OWN - 64));
	assert_false(stacks_abandoned(thread.file, SIGNALS - 400, SIGNALS - 1000));
	thread_end(&thread);
}

/* The interval that a switch ends is the left stack's, and its OS time is counted once. */
static void test_interval_at_a_switch(void **state)
{
	struct accumulate_event switching = {.kind = TARE_EVENT_ENTER,
					     .key = BODY,
					     .sp = FIBER,
					     .os = true,
					     .os_cause = TARE_OS_BLOCKED};
	struct thread thread;

	(void)state;
	thread_begin(&thread, 2);
	enter(&thread, MAIN, OWN);
	switching.ticks = thread.ticks += 1000;
	accumulate_event(thread.file, &switching);
	assert_adds_up(&thread);
	leave(&thread, OWN);
	assert_int_equal(node_of(&thread, MAIN)->elapsed_exclusive_max, 1000);
	assert_int_equal(node_of(&thread, MAIN)->application_exclusive_max, 0);
	assert_int_equal(thread.file->os_ticks, 1000);
	assert_int_equal(thread.file->flagged, 1);
	assert_int_equal(thread.file->os_count, 1);
	leave(&thread, FIBER);
	assert_int_equal(node_of(&thread, BODY)->elapsed_exclusive_max, 10);
	thread_end(&thread);
}

/* More handlers' stacks inside each other than are told apart. */
static void test_nested_limit(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread, 2);
	nested_sign = true;
	enter(&thread, MAIN, OWN);
	for (uint64_t i = 0; i < SIGNAL_STACKS; i++) {
		enter(&thread, HANDLER, SIGNALS - i * STACK_BYTES - 256);
		assert_true(thread.local.stacks.nested <= STACKS_NESTED_MAX);
	}
	leave(&thread, OWN);
	stacks_process_end(thread.file);
	assert_int_equal(calls_of(&thread, HANDLER), SIGNAL_STACKS);
	assert_int_equal(calls_of(&thread, MAIN), 1);
	thread_end(&thread);
}

/* Calls that a forked child has of its parent are nobody's to set aside. */
static void test_inherited(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread, 2);
	accumulate_inherit(thread.file, &(struct accumulate_callee){.key = MAIN},
			   OWN - TARE_CALL_BELOW);
	accumulate_inherit(thread.file, &(struct accumulate_callee){.key = SWITCH},
			   OWN - 64 - TARE_CALL_BELOW);
	enter(&thread, LEAF, OWN - 128);
	enter(&thread, BODY, FIBER);
	assert_int_equal(thread.file->calls_set_aside, 1);
	leave(&thread, OWN - 128);
	assert_int_equal(thread.file->calls_taken_back, 1);
	leave(&thread, OWN - 64);
	leave(&thread, OWN);
	assert_int_equal(calls_of(&thread, MAIN) + calls_of(&thread, SWITCH), 0);
	assert_int_equal(calls_of(&thread, LEAF), 1);
	assert_int_equal(thread.file->unmatched, 0);
	thread_end(&thread);
}

/* What another thread is on is not to be had, wherever events come. */
static void test_other_threads_stack(void **state)
{
	struct thread first, second;

	(void)state;
	thread_begin(&first, 2);
	thread_begin(&second, 3);
	enter(&first, BODY, FIBER);
	enter(&first, MAIN, OWN);
	enter(&first, LEAF, FIBER - 64); /* back again */
	enter(&second, HANDLER, FIBER - 256);
	assert_int_equal(second.file->calls_taken_back, 0);
	leave(&second, FIBER - 256);
	leave(&first, FIBER - 64);
	leave(&first, FIBER);
	assert_int_equal(calls_of(&first, BODY), 1);
	assert_int_equal(calls_of(&second, HANDLER), 1);
	leave(&first, OWN);
	thread_end(&first);
	thread_end(&second);
}

/* A frame below the present stack is one of that, not of one farther up that reaches as far. */
static void test_nearer_stack(void **state)
{
	const uint64_t inside = OWN - 100000;
	struct thread first, second;

	(void)state;
	thread_begin(&first, 2);
	thread_begin(&second, 3);
	enter(&second, BODY, inside);
	enter(&first, MAIN, OWN);
	enter(&first, SWITCH, FIBER);
	enter(&second, LEAF, inside - 10000);
	assert_int_equal(second.file->calls_taken_back, 0);
	assert_int_equal(second.file->stack_switches, 0);
	leave(&second, inside - 10000);
	leave(&second, inside);
	assert_int_equal(calls_of(&second, BODY), 1);
	leave(&first, FIBER);
	leave(&first, OWN);
	assert_int_equal(calls_of(&first, MAIN), 1);
	thread_end(&first);
	thread_end(&second);
}

static int table_is_empty(void **state)
{
	(void)state;
	return stack_table_count() != 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_there_and_back, table_is_empty),
		cmocka_unit_test_teardown(test_same_path_twice, table_is_empty),
		cmocka_unit_test_teardown(test_other_thread, table_is_empty),
		cmocka_unit_test_teardown(test_nested, table_is_empty),
		cmocka_unit_test_teardown(test_handler_left_again, table_is_empty),
		cmocka_unit_test_teardown(test_call_of_handler_left_again, table_is_empty),
		cmocka_unit_test_teardown(test_left_without_room, table_is_empty),
		cmocka_unit_test_teardown(test_large_frame, table_is_empty),
		cmocka_unit_test_teardown(test_used_again, table_is_empty),
		cmocka_unit_test_teardown(test_unwinding, table_is_empty),
		cmocka_unit_test_teardown(test_limit, table_is_empty),
		cmocka_unit_test_teardown(test_race, table_is_empty),
		cmocka_unit_test_teardown(test_race_of_counted, table_is_empty),
		cmocka_unit_test_teardown(test_abandoned, table_is_empty),
		cmocka_unit_test_teardown(test_interval_at_a_switch, table_is_empty),
		cmocka_unit_test_teardown(test_nested_limit, table_is_empty),
		cmocka_unit_test_teardown(test_inherited, table_is_empty),
		cmocka_unit_test_teardown(test_other_threads_stack, table_is_empty),
		cmocka_unit_test_teardown(test_nearer_stack, table_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
