/*
 * A module of a few functions, threads that call them, and what the runtime does around that, for
 * tests of what is disarmed.
 */
#ifndef TARE_TESTS_SUPPORT_ADAPTIVE_MODULE_H
#define TARE_TESTS_SUPPORT_ADAPTIVE_MODULE_H

#include "runtime/control/adapt.h"
#include "runtime/control/arming.h"
#include "runtime/control/disarmed.h"
#include "runtime/control/sums.h"
#include "runtime/files/counters.h"
#include "runtime/files/process.h"
#include "runtime/os/os_flag.h"
#include "runtime/tree/context.h"
#include "tests/support/heap_memory.h"
#include "tests/support/plain_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { PAIR = 40, DUE = 1 << 24, MANY = 20000, BYTES = 5 };
enum { SHORT, SHORTER, LONG, SHARED, SITE }; /* arming bytes */

#define SP_TOP 0x7fff0000ULL

/* A module, and stubs whose data name its bytes. */
static struct {
	struct tare_module module;
	uint8_t arm[BYTES + 1];
	_Alignas(8) uint8_t stubs[BYTES][32];
	struct tare_counted counted[BYTES];
} file;

/* Another one, whose functions nobody calls. */
static struct {
	struct tare_module module;
	uint8_t arm[BYTES + 1];
	struct tare_counted counted[BYTES];
} second;

struct thread {
	struct tare_thread_file *file;
	struct accumulate_local local;
	struct adapt_local adapt;
	uint64_t ticks;
};

struct state_session state_session;
static uint64_t renewals, noted, noted_what[64], noted_keys[64], noted_calls[64];

void os_flag_renew(void)
{
	renewals++;
}

bool os_flag_stubs_known(void)
{
	return true;
}

/* Of the module's counters. */
static uint32_t counted[BYTES];

static bool counted_nowhere;

bool counters_are_kept(void)
{
	return !counted_nowhere;
}

bool counters_totals(const struct tare_module *module, const uint32_t *numbers, uint64_t count,
		     uint32_t *totals)
{
	assert_true(module == &file.module || module == &second.module);
	for (uint64_t i = 0; i < count; i++)
		totals[i] = module == &file.module ? counted[numbers[i]] : 0;
	return true;
}

void process_disarm_note(const struct tare_disarm_record *what)
{
	noted_what[noted] = what->what;
	noted_keys[noted] = what->key;
	noted_calls[noted++] = what->calls;
}

static inline uint64_t stub(int byte)
{
	return (uint64_t)file.stubs[byte];
}

/* Keys differ from test to test: what is disarmed stays so. */
static uint64_t base;

static inline uint64_t key(int byte)
{
	return (uint64_t)&file.module + base + (uint64_t)byte * 16;
}

static inline int module_begin_again(void **state)
{
	(void)state;
	memset(&file, 0, sizeof(file));
	file.module =
		(struct tare_module){.abi = TARE_MODULE_ABI,
				     .function_count = BYTES - 1,
				     .call_site_count = 1,
				     .arm_offset = (char *)file.arm - (char *)&file.module,
				     .counter_count = BYTES,
				     .counted_offset = (char *)file.counted - (char *)&file.module};
	for (int i = 0; i < BYTES; i++) {
		uint8_t *at = file.stubs[i] + TARE_STUB_DATA + 4;
		const uint8_t *byte = i == SHARED ? &file.arm[BYTES] : &file.arm[i];
		const int32_t distance = (int32_t)(byte - (at + 4));

		memcpy(at, &distance, sizeof(distance));
	}
	arming_add(&file.module);
	state_session.settings.adaptive_percent = 100;
	state_session.cost_ticks[TARE_EVENT_ENTER] = PAIR / 2;
	state_session.cost_ticks[TARE_EVENT_LEAVE] = PAIR / 2;
	base += 0x10000;
	for (int i = 0; i < BYTES; i++)
		file.counted[i].target = (int32_t)(key(i) - (uint64_t)&file.module);
	memset(counted, 0, sizeof(counted));
	counted_nowhere = false;
	noted = renewals = 0;
	return 0;
}

static inline int module_end_again(void **state)
{
	(void)state;
	arming_remove(&file.module);
	adapt_forget((uint64_t)file.arm, (uint64_t)file.arm + BYTES);
	return 0;
}

#define NODES_MAX  4096
#define OS_MAX	   4
#define OS_OFFSET  (TARE_THREAD_HEADER_BYTES + NODES_MAX * sizeof(struct tare_node))
#define FILE_BYTES (OS_OFFSET + OS_MAX * sizeof(struct tare_os_record))

static const struct accumulate_host host = {.grow = host_grow,
					    .loses_ends = disarmed_ever,
					    .stack_sign = host_stack_sign,
					    .called_by = host_called_by,
					    .is_own_stack = host_is_own_stack,
					    .trace_grow = host_trace_grow,
					    .trace_next = host_trace_next};

static uint64_t now =
	1ULL << 60; /* clocks go on from test to test, and are ahead of the real one */

static inline void thread_begin(struct thread *thread)
{
	struct tare_thread_file *self = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(self, MAP_FAILED);
	accumulate_host = &host;
	*thread = (struct thread){.file = self, .ticks = now += 1ULL << 36};
	accumulate_place(self, NODES_MAX);
	self->wait_limit = 0;
	self->node_limit = self->chunks[0].count = NODES_MAX;
	self->chunks[1].run_addr = self->run_addr + OS_OFFSET;
	self->os_limit = self->chunks[1].count = OS_MAX;
	accumulate_init(self, &thread->local, thread->ticks);
}

static inline struct tare_node *nodes_of(const struct thread *thread)
{
	return (struct tare_node *)(thread->file->run_addr + TARE_THREAD_HEADER_BYTES);
}

static inline struct tare_node *top_of(const struct thread *thread)
{
	return (struct tare_node *)thread->file->top;
}

/* The times of ended calls are what the calls in progress know of them. */
static inline void thread_check(const struct thread *thread)
{
	int64_t ended = 0;

	for (uint64_t i = 0; i < thread->file->node_count; i++)
		ended += nodes_of(thread)[i].elapsed_ticks;
	for (const struct tare_node *node = top_of(thread);;
	     node = (const struct tare_node *)node->parent) {
		ended -= node->child;
		if (node == nodes_of(thread))
			break;
	}
	assert_int_equal(ended, 0);
	for (uint64_t i = 0; i < thread->file->node_count; i++)
		assert_int_equal(nodes_of(thread)[i].unwound, 0);
	assert_int_equal(thread->file->unmatched, 0);
}

static inline void thread_end(struct thread *thread)
{
	thread_check(thread);
	accumulate_fini(&thread->local);
	munmap(thread->file, FILE_BYTES);
}

/* As the short way of a probe does it, and as the general one. */
static inline void apply(struct thread *thread, struct accumulate_event event, uint64_t after,
			 bool general)
{
	thread->ticks += after;
	event.ticks = thread->ticks;
	if (general)
		adapt_before(thread->file, &thread->adapt, &event);
	accumulate_event(thread->file, &event);
	if (general)
		adapt_after(thread->file, &thread->adapt, &event);
}

static inline void enter(struct thread *thread, uint64_t after, int byte, uint64_t depth)
{
	apply(thread,
	      (struct accumulate_event){.kind = TARE_EVENT_ENTER,
					.key = key(byte),
					.stub = stub(byte),
					.sp = SP_TOP - depth * 64},
	      after, false);
}

static inline void leave(struct thread *thread, uint64_t after, uint64_t depth, bool general)
{
	apply(thread,
	      (struct accumulate_event){.kind = TARE_EVENT_LEAVE, .sp = SP_TOP - depth * 64}, after,
	      general);
}

static inline void calls(struct thread *thread, int byte, int count, uint64_t ticks)
{
	for (int i = 0; i < count; i++) {
		enter(thread, 1, byte, 2);
		leave(thread, ticks, 2, false);
	}
}

/* Two events in the general path, of which the second finds that it is time to judge. */
static inline void judge(struct thread *thread)
{
	for (int i = 0; i < 2; i++) {
		enter(thread, 0, LONG, 2);
		leave(thread, i ? DUE : 0, 2, true);
	}
}

static inline const struct tare_node *node_of(const struct thread *thread, uint64_t wanted)
{
	for (uint64_t i = 0; i < thread->file->node_count; i++)
		if (nodes_of(thread)[i].key == wanted)
			return &nodes_of(thread)[i];
	return NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, module_begin_again, module_end_again)

#endif
