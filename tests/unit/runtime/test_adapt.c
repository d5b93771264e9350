/*
 * Functions that are disarmed while they run: who is, and that calls in progress then end cleanly:
 * not unwound, not counted, and with all times adding up.
 */
#include "runtime/control/adapt.h"
#include "runtime/tree/context.h"

#include "runtime/control/arming.h"
#include "runtime/files/process.h"
#include "runtime/os/os_flag.h"
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
} file;

struct thread {
	struct tare_thread_file *file;
	struct accumulate_local local;
	struct adapt_local adapt;
	uint64_t ticks;
};

struct state_session state_session;
static uint64_t renewals, noted, noted_keys[8], noted_calls[8];

void os_flag_renew(void)
{
	renewals++;
}

bool os_flag_stubs_known(void)
{
	return true;
}

void process_disarm_note(uint64_t key, uint64_t calls)
{
	noted_keys[noted] = key;
	noted_calls[noted++] = calls;
}

static uint64_t stub(int byte)
{
	return (uint64_t)file.stubs[byte];
}

/* Keys differ from test to test: what is disarmed stays so. */
static uint64_t base;

static uint64_t key(int byte)
{
	return base + (uint64_t)byte * 16;
}

static int module_begin_again(void **state)
{
	(void)state;
	memset(&file, 0, sizeof(file));
	file.module = (struct tare_module){.abi = TARE_MODULE_ABI,
					   .function_count = BYTES - 1,
					   .call_site_count = 1,
					   .arm_offset = (char *)file.arm - (char *)&file.module};
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
	noted = renewals = 0;
	return 0;
}

static int module_end_again(void **state)
{
	(void)state;
	arming_remove(&file.module);
	return 0;
}

#define NODES_MAX  64
#define OS_MAX	   4
#define OS_OFFSET  (TARE_THREAD_HEADER_BYTES + NODES_MAX * sizeof(struct tare_node))
#define FILE_BYTES (OS_OFFSET + OS_MAX * sizeof(struct tare_os_record))

static const struct accumulate_host host = {.grow = host_grow,
					    .loses_ends = adapt_loses_ends,
					    .stack_sign = host_stack_sign,
					    .called_by = host_called_by,
					    .is_own_stack = host_is_own_stack,
					    .trace_grow = host_trace_grow,
					    .trace_next = host_trace_next};

static void thread_begin(struct thread *thread)
{
	struct tare_thread_file *self = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(self, MAP_FAILED);
	accumulate_host = &host;
	*thread = (struct thread){.file = self, .ticks = 1000};
	accumulate_place(self, NODES_MAX);
	self->chunks[0].count = NODES_MAX;
	self->node_limit = NODES_MAX;
	self->chunks[1].run_addr = self->run_addr + OS_OFFSET;
	self->os_limit = self->chunks[1].count = OS_MAX;
	accumulate_init(self, &thread->local, thread->ticks);
}

static struct tare_node *nodes_of(const struct thread *thread)
{
	return (struct tare_node *)(thread->file->run_addr + TARE_THREAD_HEADER_BYTES);
}

static struct tare_node *top_of(const struct thread *thread)
{
	return (struct tare_node *)thread->file->top;
}

/* The times of ended calls are what the calls in progress know of them. */
static void thread_check(const struct thread *thread)
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

static void thread_end(struct thread *thread)
{
	thread_check(thread);
	accumulate_fini(&thread->local);
	munmap(thread->file, FILE_BYTES);
}

/* As the short way of a probe does it, and as the general one. */
static void apply(struct thread *thread, struct accumulate_event event, uint64_t after,
		  bool general)
{
	thread->ticks += after;
	event.ticks = thread->ticks;
	if (general)
		adapt_before(thread->file, &event);
	accumulate_event(thread->file, &event);
	if (general)
		adapt_after(thread->file, &thread->adapt, &event);
}

static void enter(struct thread *thread, uint64_t after, int byte, uint64_t depth)
{
	apply(thread,
	      (struct accumulate_event){.kind = TARE_EVENT_ENTER,
					.key = key(byte),
					.stub = stub(byte),
					.sp = SP_TOP - depth * 64},
	      after, false);
}

static void leave(struct thread *thread, uint64_t after, uint64_t depth, bool general)
{
	apply(thread,
	      (struct accumulate_event){.kind = TARE_EVENT_LEAVE, .sp = SP_TOP - depth * 64}, after,
	      general);
}

static void calls(struct thread *thread, int byte, int count, uint64_t ticks)
{
	for (int i = 0; i < count; i++) {
		enter(thread, 1, byte, 2);
		leave(thread, ticks, 2, false);
	}
}

/* Two events in the general path, of which the second finds that it is time to judge. */
static void judge(struct thread *thread)
{
	for (int i = 0; i < 2; i++) {
		enter(thread, 0, LONG, 2);
		leave(thread, i ? DUE : 0, 2, true);
	}
}

static const struct tare_node *node_of(const struct thread *thread, uint64_t wanted)
{
	for (uint64_t i = 0; i < thread->file->node_count; i++)
		if (nodes_of(thread)[i].key == wanted)
			return &nodes_of(thread)[i];
	return NULL;
}

static void test_short_and_dear(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, MANY, PAIR - 1);
	calls(&thread, SHORTER, ADAPT_CALLS_MIN - 1, 1);
	calls(&thread, SHARED, MANY, 1);
	calls(&thread, LONG, MANY, PAIR);
	thread.file->os_ticks += DUE; /* what judge lets pass is no work */
	judge(&thread);
	assert_int_equal(file.arm[SHORT], 0);
	assert_int_equal(file.arm[SHORTER], 1); /* not called often enough */
	assert_int_equal(file.arm[LONG], 1);
	assert_int_equal(file.arm[BYTES], 1); /* shares its code */
	assert_int_equal(noted, 1);
	assert_int_equal(noted_keys[0], key(SHORT));
	assert_int_equal(noted_calls[0], MANY);
	assert_int_equal(renewals, 1);
	thread_end(&thread);
}

/* A machine where others run makes no function longer. */
static void test_without_time_of_the_system(void **state)
{
	const struct accumulate_event late = {.kind = TARE_EVENT_LEAVE,
					      .sp = SP_TOP - 128,
					      .os = true,
					      .os_cause = TARE_OS_PREEMPTED,
					      .syscall_number = 0xffff};
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, MANY, 1);
	enter(&thread, 0, SHORT, 2);
	apply(&thread, late, (uint64_t)MANY * PAIR * 2, false);
	judge(&thread);
	assert_int_equal(file.arm[SHORT], 0);
	thread_end(&thread);
}

static void test_rare_ones_are_kept(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, MANY, 1);
	thread.ticks += (uint64_t)MANY * PAIR * ADAPT_SHARE;
	judge(&thread);
	assert_int_equal(file.arm[SHORT], 1);
	assert_int_equal(noted, 0);
	thread_end(&thread);
}

static void test_off_by_default(void **state)
{
	struct thread thread;

	(void)state;
	state_session.settings.adaptive_percent = 0;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	calls(&thread, SHORT, MANY, 1);
	judge(&thread);
	assert_int_equal(file.arm[SHORT], 1);
	thread_end(&thread);
}

/* Disarms SHORT from a thread of its own. */
static void short_disarm(void)
{
	struct thread other;

	thread_begin(&other);
	calls(&other, SHORT, MANY, 1);
	other.file->os_ticks += DUE;
	judge(&other);
	assert_int_equal(file.arm[SHORT], 0);
	thread_end(&other);
}

/* One that loops over a function which was in progress gets all time behind its last event. */
static void test_top_of_another_thread(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	enter(&thread, 100, SHORT, 2);
	short_disarm();
	leave(&thread, 1000000, 1, true); /* of LONG; that of SHORT did not come */
	const struct tare_node *node = node_of(&thread, key(SHORT));

	assert_int_equal(context_calls(node), 0);
	assert_int_equal(node->elapsed_ticks, 0);
	assert_int_equal(node_of(&thread, key(LONG))->elapsed_ticks, 1000100);
	assert_ptr_equal(top_of(&thread), nodes_of(&thread));
	thread_end(&thread);
}

/* Below another call it stays until that one ends, and keeps the time until then. */
static void test_below_another_call(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	enter(&thread, 10, SHORT, 2);
	enter(&thread, 20, LONG, 3);
	short_disarm();
	/* an event that the renewal sent to the general path; the call goes on */
	enter(&thread, 5, SHORTER, 4);
	leave(&thread, 5, 4, true);
	assert_int_equal(top_of(&thread)->key, key(LONG));
	/* the end of the call above must not take the short way */
	assert_true((0 - top_of(&thread)->sp) & TARE_CALL_SPECIAL);
	leave(&thread, 30, 3, true);
	assert_int_equal(node_of(&thread, key(SHORT))->elapsed_ticks, 20);
	assert_ptr_equal(top_of(&thread), node_of(&thread, key(LONG)));
	leave(&thread, 7, 1, false);
	assert_int_equal(node_of(&thread, key(LONG))->elapsed_ticks, 17);
	thread_end(&thread);
}

/* An end that was on its way when the byte was cleared is one. */
static void test_end_on_its_way(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	enter(&thread, 10, SHORT, 2);
	short_disarm();
	leave(&thread, 5, 2, true);
	assert_int_equal(context_calls(node_of(&thread, key(SHORT))), 1);
	assert_int_equal(node_of(&thread, key(SHORT))->elapsed_ticks, 5);
	thread_end(&thread);
}

static void test_recursion(void **state)
{
	enum { DEPTH = 20 };
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	for (uint64_t i = 0; i < DEPTH; i++)
		enter(&thread, 1, SHORT, 2 + i);
	short_disarm();
	leave(&thread, 50, 1, true);
	assert_ptr_equal(top_of(&thread), nodes_of(&thread));
	assert_int_equal(node_of(&thread, key(LONG))->elapsed_ticks, 51);
	thread_end(&thread);
}

/* A call through a pointer to what has no probes: its site is found at the event. */
static void test_call_through_pointer(void **state)
{
	const struct accumulate_event event = {.kind = TARE_EVENT_CALL,
					       .key = key(SITE),
					       .arm = (uint64_t)&file.arm[SITE],
					       .sp = SP_TOP - 128};
	const struct accumulate_event back = {.kind = TARE_EVENT_RETURN, .sp = SP_TOP - 128};
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	enter(&thread, 0, LONG, 1);
	for (int i = 0; i < MANY; i++) {
		apply(&thread, event, 1, false);
		apply(&thread, back, 1, false);
	}
	apply(&thread, event, 1, true);
	assert_int_equal(file.arm[SITE], 0);
	assert_int_equal(noted, 1);
	assert_int_equal(noted_calls[0], MANY);
	assert_ptr_equal(top_of(&thread), node_of(&thread, key(LONG)));
	leave(&thread, 100, 1, true);
	assert_int_equal(context_calls(node_of(&thread, key(SITE))), MANY);
	assert_int_equal(node_of(&thread, key(LONG))->elapsed_ticks, MANY + 1 + 100);
	thread_end(&thread);
}

/* Another module's functions at the same addresses are others. */
static void test_forgotten(void **state)
{
	struct thread thread;

	(void)state;
	thread_begin(&thread);
	short_disarm();
	adapt_forget(base, base + 0x1000);
	enter(&thread, 0, LONG, 1);
	enter(&thread, 0, SHORT, 2);
	leave(&thread, 3, 1, true);
	assert_int_equal(node_of(&thread, key(LONG))->unwound, 0);
	assert_int_equal(context_calls(node_of(&thread, key(SHORT))), 1);
	accumulate_fini(&thread.local);
	munmap(thread.file, FILE_BYTES);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, module_begin_again, module_end_again)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_without_time_of_the_system),
		TEST(test_short_and_dear),
		TEST(test_rare_ones_are_kept),
		TEST(test_off_by_default),
		TEST(test_top_of_another_thread),
		TEST(test_below_another_call),
		TEST(test_end_on_its_way),
		TEST(test_recursion),
		TEST(test_call_through_pointer),
		TEST(test_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
