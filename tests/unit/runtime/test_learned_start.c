/*
 * What starts disarmed: just the bits that are set, of a file of this very module; nothing of any
 * other, and nothing behind the module's last arming byte.
 */
#include "abi/learned.h"
#include "runtime/base/arming_lock.h"
#include "runtime/base/files.h"
#include "runtime/control/disarmed.h"
#include "runtime/control/learned.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* More than are read at once, and no multiple of eight. */
enum { FUNCTIONS = 9001, SITES = 4, COUNT = FUNCTIONS + SITES, BYTES = (COUNT + 7) / 8 };

struct state_session state_session;

static struct {
	struct tare_learned head;
	uint8_t bits[BYTES], bare[BYTES], more[64];
} contents;

static struct tare_module module;
static size_t size_bytes;
static bool is_missing;
static int opened, locks, unlocks;
static char asked[64];
static uint8_t started[COUNT];
static uint32_t start_count, bare_count;
static uint8_t bare[COUNT];

long files_open(const char *name, int flags)
{
	assert_int_equal(flags, O_RDONLY);
	strncpy(asked, name, sizeof(asked) - 1);
	if (is_missing)
		return -2;
	opened = memfd_create("learned", MFD_CLOEXEC);
	assert_true(opened >= 0);
	assert_int_equal(write(opened, &contents, size_bytes), size_bytes);
	assert_int_equal(lseek(opened, 0, SEEK_SET), 0);
	return opened;
}

void arming_lock_wait(void)
{
	locks++;
}

void arming_unlock(void)
{
	unlocks++;
}

bool disarmed_start(const struct tare_module *of, uint32_t number)
{
	assert_ptr_equal(of, &module);
	assert_true(number < COUNT);
	assert_int_equal(locks, unlocks + 1);
	started[number]++;
	start_count++;
	return true;
}

void arming_set_bare(const struct tare_module *of, uint32_t number)
{
	assert_ptr_equal(of, &module);
	assert_true(number < COUNT);
	assert_int_equal(locks, unlocks + 1);
	bare[number]++;
	bare_count++;
}

static int set_up(void **state)
{
	(void)state;
	memset(&contents, 0, sizeof(contents));
	module = (struct tare_module){.function_count = FUNCTIONS, .call_site_count = SITES};
	for (uint8_t i = 0; i < sizeof(module.source_id); i++)
		contents.head.source_id[i] = module.source_id[i] = (uint8_t)(i + 1);
	contents.head.magic = TARE_LEARNED_MAGIC;
	contents.head.abi = TARE_LEARNED_ABI;
	contents.head.count = COUNT;
	size_bytes = sizeof(contents.head) + 2 * BYTES;
	state_session.settings.adaptive_percent = 100;
	is_missing = false;
	opened = -1;
	locks = unlocks = 0;
	memset(started, 0, sizeof(started));
	memset(bare, 0, sizeof(bare));
	start_count = bare_count = 0;
	*asked = 0;
	return 0;
}

static void bit_set(uint32_t number)
{
	contents.bits[number / 8] |= (uint8_t)(1U << (number % 8));
}

/* How many start; nothing stays open or locked. */
static uint32_t add(void)
{
	learned_add(&module);
	assert_int_equal(locks, unlocks);
	if (opened >= 0)
		assert_int_equal(fcntl(opened, F_GETFD), -1);
	return start_count;
}

static void test_those_that_are_set(void **state)
{
	static const uint32_t numbers[] = {0, 7, 8, 4095, 4096, 8191, 8192, COUNT - 1};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		bit_set(numbers[i]);
	assert_int_equal(add(), sizeof(numbers) / sizeof(numbers[0]));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_int_equal(started[numbers[i]], 1);
	assert_string_equal(asked, TARE_LEARNED_NAME "578437695752307201");
}

/* They are disarmed by the first row, and before the second is looked at. */
static void test_those_without_probes(void **state)
{
	static const uint32_t numbers[] = {1, 8, 4095, 8192, COUNT - 1};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		bit_set(numbers[i]);
		contents.bare[numbers[i] / 8] |= (uint8_t)(1U << (numbers[i] % 8));
	}
	bit_set(2);
	assert_int_equal(add(), sizeof(numbers) / sizeof(numbers[0]) + 1);
	assert_int_equal(bare_count, sizeof(numbers) / sizeof(numbers[0]));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_int_equal(bare[numbers[i]], 1);
	memset(contents.bare, 0xff, sizeof(contents.bare));
	memset(contents.more, 0xff, sizeof(contents.more));
	size_bytes = sizeof(contents);
	add();
	assert_int_equal(bare_count, sizeof(numbers) / sizeof(numbers[0]) + COUNT);
}

/* Also where the file is longer than it should be. */
static void test_nothing_behind_the_last(void **state)
{
	(void)state;
	memset(contents.bits, 0xff, sizeof(contents.bits));
	size_bytes = sizeof(contents);
	assert_int_equal(add(), COUNT);
	for (uint32_t i = 0; i < COUNT; i++)
		assert_int_equal(started[i], 1);
}

static void test_cut_off(void **state)
{
	(void)state;
	memset(contents.bits, 0xff, sizeof(contents.bits));
	size_bytes = sizeof(contents.head) + 600;
	assert_int_equal(add(), 4800);
	size_bytes = sizeof(contents.head);
	assert_int_equal(add(), 4800);
	size_bytes = sizeof(contents.head) - 1;
	assert_int_equal(add(), 4800);
	size_bytes = 0;
	assert_int_equal(add(), 4800);
}

static void test_another_file(void **state)
{
	(void)state;
	memset(contents.bits, 0xff, sizeof(contents.bits));
	contents.head.magic++;
	assert_int_equal(add(), 0);
	contents.head.magic--;
	contents.head.abi++;
	assert_int_equal(add(), 0);
	contents.head.abi--;
	contents.head.source_id[31]++;
	assert_int_equal(add(), 0);
	contents.head.source_id[31]--;
	contents.head.source_id[0]++;
	assert_int_equal(add(), 0);
	contents.head.source_id[0]--;
	contents.head.count--;
	assert_int_equal(add(), 0);
	contents.head.count = FUNCTIONS;
	assert_int_equal(add(), 0);
	contents.head.count = UINT32_MAX;
	assert_int_equal(add(), 0);
	assert_int_equal(locks, 0);
	contents.head.count = COUNT;
	assert_int_equal(add(), COUNT);
}

static void test_without(void **state)
{
	(void)state;
	memset(contents.bits, 0xff, sizeof(contents.bits));
	is_missing = true;
	assert_int_equal(add(), 0);
	assert_int_equal(locks, 0);
	*asked = 0;
	is_missing = false;
	state_session.settings.adaptive_percent = 0;
	assert_int_equal(add(), 0);
	assert_string_equal(asked, "");
}

int main(void)
{
#define START_TEST(name) cmocka_unit_test_setup(name, set_up)
	const struct CMUnitTest tests[] = {
		START_TEST(test_those_that_are_set),
		START_TEST(test_those_without_probes),
		START_TEST(test_nothing_behind_the_last),
		START_TEST(test_cut_off),
		START_TEST(test_another_file),
		START_TEST(test_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
