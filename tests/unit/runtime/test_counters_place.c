/*
 * Where the counters of threads lie when some modules lie low, as programs that cannot be moved,
 * and others high: wherever the kernel has put libraries and stack, there is a place for each
 * thread.
 */
#include "runtime/files/counters_place.h"

#include "runtime/base/memory.h"
#include "runtime/base/state.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#define GIB	   (1ULL << 30)
#define MEMORY_END (1ULL << 47)
#define STACK_ROOM (2 * GIB)
#define ARGUMENTS  (64ULL << 20)
#define LOW_ADDR   0x10400000ULL
#define ODD	   1111 /* the kernel's bytes there are at no page's begin */
#define THREADS	   255
#define LIBRARY_GAP                                                                                \
	((16 * GIB) + (128ULL << 20)) /* of libraries to the end of memory, at least               \
				       */

struct state_session state_session;

/* What the kernel says of the place of a closed module: so many bytes of `there`, or an error. */
static struct tare_module there;
static long asked = -EFAULT;

long memory_ask(void *bytes, uint64_t addr, uint64_t size_bytes)
{
	(void)addr;
	if (asked == (long)size_bytes)
		memcpy(bytes, &there, size_bytes);
	return asked;
}

static struct counted_module items[3];
static struct counted_modules modules = {.items = items, .count = 3, .room = 3};

static void put_modules(uint64_t high)
{
	items[0] = (struct counted_module){.addr = LOW_ADDR, .size_bytes = 4096};
	items[1] = (struct counted_module){.addr = high - 8192, .size_bytes = 8192};
	items[2] = (struct counted_module){.addr = high - 3 * GIB / 2, .size_bytes = 8192};
}

static void assert_apart_from_stack(const struct counted_module *module, int64_t delta)
{
	const uint64_t addr = module->addr + (uint64_t)delta;
	const uint64_t stack = state_session.stack_addr;

	assert_true(addr + module->size_bytes <= MEMORY_END);
	assert_true(addr + module->size_bytes <= stack - STACK_ROOM || addr >= stack + ARGUMENTS);
}

static void release(int64_t delta)
{
	for (uint64_t i = 0; i < modules.count; i++)
		counters_release(&items[i], delta);
}

/* Places for that many threads at once, all apart: they are taken from memory. */
static void reserve_all(uint64_t threads)
{
	int64_t deltas[THREADS];

	for (uint64_t i = 0; i < threads; i++) {
		assert_true(counters_reserve(&modules, i + 1, &deltas[i]));
		for (uint64_t k = 0; k < modules.count; k++)
			assert_apart_from_stack(&items[k], deltas[i]);
	}
	for (uint64_t i = 0; i < threads; i++)
		release(deltas[i]);
}

/* Each of the two is anywhere in its range, of which the kernel chooses by chance. */
static void test_wherever_the_stack_is(void **state)
{
	(void)state;
	for (uint64_t stack = 0; stack <= 16; stack++)
		for (uint64_t libraries = 0; libraries <= 1024; libraries += 1 + libraries / 4) {
			state_session.stack_addr = MEMORY_END - stack * GIB - 4096 - ODD;
			put_modules(MEMORY_END - LIBRARY_GAP - libraries * GIB);
			reserve_all(3);
		}
}

static void test_many_threads(void **state)
{
	(void)state;
	state_session.stack_addr = MEMORY_END - 8 * GIB + ODD;
	put_modules(MEMORY_END - LIBRARY_GAP);
	reserve_all(THREADS);
}

/* The runtime's own code may be the highest, of which no page begins there. */
static void test_own_code_is_highest(void **state)
{
	(void)state;
	state_session.stack_addr = (uint64_t)&counters_reserve + 9 * GIB + ODD;
	put_modules(LOW_ADDR + 4 * GIB);
	reserve_all(3);
}

/* What is taken is not taken again: something else is there, by chance. */
static void test_taken_places(void **state)
{
	enum { TIMES = 8 };
	int64_t deltas[TIMES + 1];

	(void)state;
	state_session.stack_addr = MEMORY_END - 8 * GIB;
	put_modules(MEMORY_END - 64 * GIB);
	for (int i = 0; i < TIMES; i++)
		assert_true(counters_reserve(&modules, 1, &deltas[i]));
	assert_false(counters_reserve(&modules, 1, &deltas[TIMES]));
	for (int i = 0; i < TIMES; i++)
		release(deltas[i]);
}

/* Where it is not known, it may be anywhere. */
static void test_unknown_stack(void **state)
{
	int64_t delta;

	(void)state;
	state_session.stack_addr = 0;
	put_modules(MEMORY_END - LIBRARY_GAP);
	assert_false(counters_reserve(&modules, 1, &delta));
	put_modules(MEMORY_END - 64 * GIB);
	assert_true(counters_reserve(&modules, 1, &delta));
	assert_true(items[1].addr + (uint64_t)delta < MEMORY_END - 18 * GIB);
	release(delta);
}

/* Without chance the libraries are next to the stack, which is at the end: there is no place. */
static void test_no_room(void **state)
{
	int64_t delta;

	(void)state;
	state_session.stack_addr = MEMORY_END - 8192;
	put_modules(MEMORY_END - (128ULL << 20));
	assert_false(counters_reserve(&modules, 1, &delta));
}

/* A library that comes later gets no place next to the stack. */
static void test_none_beside_the_stack(void **state)
{
	const struct counted_module module = {.addr = 64 * GIB, .size_bytes = 8192};
	const int64_t to_stack = (int64_t)(MEMORY_END - 40 * GIB - module.addr);
	const int64_t room = (int64_t)STACK_ROOM;

	(void)state;
	state_session.stack_addr = MEMORY_END - 40 * GIB;
	assert_false(counters_reserve_at(&module, to_stack - room));
	assert_false(counters_reserve_at(&module, to_stack + (int64_t)ARGUMENTS - 4096));
	for (int64_t side = -1; side <= 1; side += 2) {
		const int64_t delta = to_stack + (side < 0 ? -room - 8192 : (int64_t)ARGUMENTS);

		assert_true(counters_reserve_at(&module, delta));
		counters_release(&module, delta);
	}
}

/* A module that was closed is there until its place is another's, or nobody's. */
static void test_closed_modules(void **state)
{
	void *const page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct counted_module module = {
		.module = &there, .id = 4711, .addr = (uint64_t)page, .size_bytes = 4096};
	const uint64_t ids[] = {4711, 4712};

	(void)state;
	asked = sizeof(there);
	for (int i = 0; i < 2; i++) {
		memcpy(there.source_id, &ids[i], sizeof(ids[i]));
		assert_int_equal(counters_is_there(&module), i == 0);
	}
	asked = -EFAULT;
	assert_false(counters_is_there(&module));
	/* Where the kernel does not say, its counters' pages tell. */
	asked = -EPERM;
	assert_true(counters_is_there(&module));
	munmap(page, 4096);
	assert_false(counters_is_there(&module));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wherever_the_stack_is), cmocka_unit_test(test_many_threads),
		cmocka_unit_test(test_own_code_is_highest),   cmocka_unit_test(test_taken_places),
		cmocka_unit_test(test_unknown_stack),	      cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_none_beside_the_stack), cmocka_unit_test(test_closed_modules),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
