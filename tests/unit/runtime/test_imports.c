/*
 * Call sites that lead to a counted function by way of a linkage table are disarmed, once the
 * loader has bound the entry.
 */
#include "runtime/control/imports.h"

#include "abi/module.h"
#include "runtime/base/arming_lock.h"
#include "runtime/control/disarmed.h"
#include "runtime/os/os_flag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define STUBS (ADAPT_IMPORTS + 1)

/* Entries of a linkage table, their slots, what they lead to, and stubs of calls of them. */
static struct {
	uint8_t entries[STUBS][16];
	uint64_t slots[STUBS];
	uint8_t loader[16], counted[16], timed[16];
	uint8_t arm[STUBS];
	_Alignas(8) uint8_t stubs[STUBS][32];
} file;

static bool locked, unknown;
static uint64_t disarmed[STUBS], disarmed_keys[STUBS], disarmed_count;

bool arming_lock(void)
{
	return !locked;
}

void arming_unlock(void)
{
}

bool os_flag_stubs_known(void)
{
	return !unknown;
}

bool disarmed_now(uint64_t key)
{
	return key == (uint64_t)file.counted;
}

bool disarmed_add(uint64_t key, uint64_t arm, uint64_t calls)
{
	assert_int_not_equal(calls, 0); /* that would be learned */
	disarmed_keys[disarmed_count] = key;
	disarmed[disarmed_count++] = arm;
	return true;
}

static void put_distance(uint8_t *at, const void *to)
{
	const int32_t distance = (int32_t)((const uint8_t *)to - (at + 4));

	memcpy(at, &distance, sizeof(distance));
}

/* jmp *slot(%rip), behind so many bytes. */
static void put_entry(int number, const char *before, size_t size)
{
	uint8_t *code = file.entries[number];

	memcpy(code, before, size);
	memcpy(code + size, "\xff\x25", 2);
	put_distance(code + size + 2, &file.slots[number]);
}

static int begin(void **state)
{
	(void)state;
	memset(&file, 0, sizeof(file));
	memcpy(file.loader, "\x68\x01\x00\x00\x00", 5);
	for (int i = 0; i < STUBS; i++) {
		put_entry(i, "", 0);
		file.slots[i] = (uint64_t)file.counted;
		put_distance(file.stubs[i] + TARE_STUB_DATA, file.entries[i]);
		put_distance(file.stubs[i] + TARE_STUB_DATA + 4, &file.arm[i]);
	}
	locked = unknown = false;
	disarmed_count = 0;
	return 0;
}

static bool call(struct adapt_local *local, int number)
{
	const struct accumulate_event event = {.kind = TARE_EVENT_CALL,
					       .key = (uint64_t)file.entries[number],
					       .stub = (uint64_t)file.stubs[number],
					       .arm = (uint64_t)&file.arm[number]};

	return imports_look(local, &event);
}

static bool other_event(struct adapt_local *local)
{
	const struct accumulate_event event = {.kind = TARE_EVENT_LEAVE};

	return imports_look(local, &event);
}

static void test_a_counted_function(void **state)
{
	struct adapt_local local = {0};

	(void)state;
	assert_true(call(&local, 3));
	assert_int_equal(disarmed_count, 1);
	assert_int_equal(disarmed[0], &file.arm[3]);
	assert_int_equal(disarmed_keys[0], file.entries[3]);
	assert_int_equal(local.imports_met, 0);
}

static void test_forms_of_entries(void **state)
{
	struct adapt_local local = {0};

	(void)state;
	put_entry(0, "\xf3\x0f\x1e\xfa", 4); /* endbr64 */
	assert_true(call(&local, 0));
	put_entry(1, "\xf3\x0f\x1e\xfa\xf2", 5); /* and bnd */
	assert_true(call(&local, 1));
	put_entry(2, "\x90", 1); /* not an entry */
	assert_false(call(&local, 2));
	assert_int_equal(local.imports_met, 0);
}

static void test_a_timed_function(void **state)
{
	struct adapt_local local = {0};

	(void)state;
	file.slots[0] = (uint64_t)file.timed;
	assert_false(call(&local, 0));
	file.slots[1] = 0; /* a weak symbol that nobody has */
	assert_false(call(&local, 1));
	assert_int_equal(disarmed_count, 0);
	assert_int_equal(local.imports_met, 0);
}

static void test_bound_later(void **state)
{
	struct adapt_local local = {0};

	(void)state;
	file.slots[0] = (uint64_t)file.loader;
	assert_false(call(&local, 0));
	assert_false(other_event(&local));
	file.slots[0] = (uint64_t)file.counted;
	assert_true(other_event(&local));
	assert_int_equal(disarmed[0], &file.arm[0]);
	assert_false(other_event(&local));
	assert_int_equal(disarmed_count, 1);
}

static void test_more_than_are_kept(void **state)
{
	struct adapt_local local = {0};

	(void)state;
	for (int i = 0; i < STUBS; i++) {
		file.slots[i] = (uint64_t)file.loader;
		assert_false(call(&local, i));
	}
	for (int i = 0; i < STUBS; i++)
		file.slots[i] = (uint64_t)file.counted;
	assert_true(other_event(&local));
	assert_int_equal(disarmed_count, ADAPT_IMPORTS);
	assert_int_equal(disarmed[0], &file.arm[ADAPT_IMPORTS]);
}

/* A module has gone since, or another thread is at the bytes. */
static void test_stubs_that_may_not_be_read(void **state)
{
	struct adapt_local local = {0};

	(void)state;
	unknown = true;
	assert_false(call(&local, 0));
	unknown = false;
	local.imports_met = 0; /* as os_flag_noticed leaves it */
	file.slots[1] = (uint64_t)file.loader;
	assert_false(call(&local, 1));
	assert_int_equal(disarmed_count, 0);
	file.slots[1] = (uint64_t)file.counted;
	locked = true;
	assert_false(other_event(&local));
	locked = false;
	assert_true(other_event(&local));
	assert_int_equal(disarmed[0], &file.arm[1]);
	assert_int_equal(disarmed_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_counted_function, begin),
		cmocka_unit_test_setup(test_forms_of_entries, begin),
		cmocka_unit_test_setup(test_a_timed_function, begin),
		cmocka_unit_test_setup(test_bound_later, begin),
		cmocka_unit_test_setup(test_more_than_are_kept, begin),
		cmocka_unit_test_setup(test_stubs_that_may_not_be_read, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
