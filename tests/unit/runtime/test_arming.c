/* Arming bytes: what is disarmed stays so, whatever is switched, loaded and unloaded. */
#include "runtime/base/arming_lock.h"
#include "runtime/base/filter.h"
#include "runtime/control/arming.h"
#include "runtime/tree/accumulate.h"
#include "tests/support/heap_memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include <cmocka.h>

enum { FUNCTIONS = 5, SITES = 3, BYTES = FUNCTIONS + SITES + 1 };

struct file {
	struct tare_module module;
	uint8_t arm[BYTES];
};

static void load(struct file *file)
{
	*file = (struct file){.module = {.abi = TARE_MODULE_ABI,
					 .function_count = FUNCTIONS,
					 .call_site_count = SITES,
					 .arm_offset = offsetof(struct file, arm)}};
	assert_true(arming_add(&file->module));
}

static bool disarm(uint8_t *byte)
{
	assert_true(arming_lock());
	struct arming_place place;
	const bool disarmed = arming_disarm(byte, &place);
	arming_unlock();
	return disarmed;
}

static void assert_bytes(const struct file *file, const char *expected)
{
	for (int i = 0; i < BYTES; i++)
		assert_int_equal(file->arm[i], expected[i] == '1' ? TARE_ARMED : 0);
}

static void test_disarmed_stays_off(void **state)
{
	struct file first, second;

	(void)state;
	load(&first);
	load(&second);
	assert_true(disarm(&first.arm[1]));
	assert_true(disarm(&first.arm[FUNCTIONS + 2]));
	assert_bytes(&first, "101111101");
	assert_bytes(&second, "111111111");
	assert_true(arming_switch(false));
	assert_bytes(&first, "000000000");
	assert_bytes(&second, "000000000");
	assert_true(disarm(&second.arm[0]));
	assert_true(arming_switch(true));
	assert_bytes(&first, "101111101");
	assert_bytes(&second, "011111111");
	arming_remove(&first.module);
	arming_remove(&second.module);
}

static void test_only_functions_and_sites(void **state)
{
	struct file file;
	uint8_t foreign = 1;

	(void)state;
	load(&file);
	assert_false(disarm(&file.arm[BYTES - 1])); /* all SYSCALL probes */
	assert_false(disarm(&foreign));
	assert_int_equal(foreign, 1);
	assert_bytes(&file, "111111111");
	arming_remove(&file.module);
	assert_false(disarm(&file.arm[0]));
	assert_true(arming_switch(false));
	assert_bytes(&file, "111111111"); /* unloaded: not touched any more */
	assert_true(arming_switch(true));
}

static void test_loaded_while_off(void **state)
{
	struct file file;

	(void)state;
	assert_true(arming_switch(false));
	load(&file);
	assert_bytes(&file, "000000000");
	assert_true(arming_switch(true));
	assert_bytes(&file, "111111111");
	arming_remove(&file.module);
	load(&file); /* again, at the same place */
	assert_bytes(&file, "111111111");
	arming_remove(&file.module);
}

static void test_kept_while_paused(void **state)
{
	struct file file;

	(void)state;
	assert_true(arming_pause(true));
	assert_true(arming_keep(&file.arm[3]));
	load(&file);
	assert_bytes(&file, "000100001");
	assert_false(disarm(&file.arm[3]));
	assert_true(disarm(&file.arm[1]));
	assert_true(arming_pause(false));
	assert_bytes(&file, "101111111");
	assert_true(arming_pause(true));
	assert_bytes(&file, "000100001");
	arming_remove(&file.module);
	load(&file); /* another one, at the same place */
	assert_bytes(&file, "000000001");
	arming_remove(&file.module);
	for (int i = 0; i < ARMING_KEPT_MAX; i++)
		assert_true(arming_keep(&file.arm[0]));
	assert_false(arming_keep(&file.arm[0]));
	assert_true(arming_pause(false));
}

static void test_many_modules(void **state)
{
	enum { MANY = 200 };
	struct file *files = calloc(MANY, sizeof(*files));

	(void)state;
	for (int i = 0; i < MANY; i++)
		load(&files[i]);
	for (int i = 0; i < MANY; i++)
		assert_true(disarm(&files[i].arm[i % FUNCTIONS]));
	assert_true(arming_switch(true));
	for (int i = 0; i < MANY; i++) {
		int armed = 0;

		for (int k = 0; k < BYTES; k++)
			armed += files[i].arm[k] == TARE_ARMED;
		assert_int_equal(armed, BYTES - 1);
		assert_int_equal(files[i].arm[i % FUNCTIONS], 0);
		arming_remove(&files[i].module);
	}
	free(files);
}

/* Those that are off are found in order, in several modules, however few steps are taken at once.
 */
static void test_next_off(void **state)
{
	enum { MANY = 200, STEP = 64 };
	static const uint32_t off[] = {0, 63, 64, 65, MANY - 1};
	static struct {
		struct tare_module module;
		uint8_t arm[MANY + 1];
	} files[2];
	const size_t wanted = sizeof(off) / sizeof(*off);
	uint64_t most;

	(void)state;
	for (int i = 0; i < 2; i++) {
		files[i].module = (struct tare_module){
			.abi = TARE_MODULE_ABI,
			.function_count = MANY,
			.arm_offset = (int64_t)((uint64_t)files[i].arm - (uint64_t)&files[i])};
		assert_true(arming_add(&files[i].module));
		for (size_t k = 0; k < wanted; k++)
			assert_true(disarm(&files[i].arm[off[k]]));
	}
	for (most = 1; most <= 2 * (MANY / STEP + 1) + 2 * wanted; most++) {
		struct arming_cursor cursor = {0};
		struct arming_place place;
		size_t found = 0;

		for (int rounds = 0; rounds < 100; rounds++) {
			const size_t before = found;
			uint64_t steps = most;

			while (arming_next_off(&cursor, &place, &steps)) {
				assert_true(found < 2 * wanted);
				assert_ptr_equal(place.module, &files[found / wanted].module);
				assert_int_equal(place.number, off[found % wanted]);
				found++;
			}
			assert_true(found - before <= most);
			if (!cursor.module && !cursor.number && found)
				break;
		}
		assert_int_equal(found, 2 * wanted);
	}
	struct arming_cursor cursor = {0};
	struct arming_place place;
	uint64_t steps = UINT64_MAX;

	assert_true(arming_next_off(&cursor, &place, &steps));
	arming_rearm(&place);
	assert_int_equal(files[0].arm[0], TARE_ARMED);
	cursor = (struct arming_cursor){0};
	assert_true(arming_next_off(&cursor, &place, &steps));
	assert_int_equal(place.number, 63);
	/* What has no probes is passed by, and stays off; what is armed is not touched. */
	arming_set_bare(&files[0].module, 63);
	arming_set_bare(&files[0].module, 65);
	arming_set_bare(&files[0].module, 0);
	cursor = (struct arming_cursor){0};
	assert_true(arming_next_off(&cursor, &place, &steps));
	assert_int_equal(place.number, 64);
	assert_true(arming_next_off(&cursor, &place, &steps));
	assert_int_equal(place.number, MANY - 1);
	assert_true(disarm(&files[0].arm[0]));
	cursor = (struct arming_cursor){0};
	assert_true(arming_next_off(&cursor, &place, &steps));
	assert_int_equal(place.number, 0);
	assert_true(arming_switch(false) && arming_switch(true));
	assert_int_equal(files[0].arm[63], 0);
	assert_int_equal(files[0].arm[1], TARE_ARMED);
	for (int i = 0; i < 2; i++)
		arming_remove(&files[i].module);
}

/* A program's filter that forbids to yield. */
static void forbid_yield(void)
{
	const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_yield, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct filter *filter = malloc(sizeof(*filter) + sizeof(code));

	assert_non_null(filter);
	*filter = (struct filter){.length = sizeof(code) / sizeof(code[0])};
	memcpy(filter->code, code, sizeof(code));
	filter_add(filter);
}

static atomic_bool held, given;

static void *hold_a_while(void *unused)
{
	const struct timespec moment = {.tv_nsec = 20000000};

	(void)unused;
	if (!arming_lock())
		abort();
	held = true;
	nanosleep(&moment, NULL);
	given = true;
	arming_unlock();
	return NULL;
}

/* A holder that sleeps is not dead, whether or not the waiting thread may yield. */
static void test_waits_without_yielding(void **state)
{
	pthread_t holder;

	(void)state;
	forbid_yield();
	assert_int_equal(pthread_create(&holder, NULL, hold_a_while, NULL), 0);
	while (!held)
		;
	arming_lock_wait();
	assert_true(given);
	arming_unlock();
	assert_int_equal(pthread_join(holder, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_disarmed_stays_off),
		cmocka_unit_test(test_only_functions_and_sites),
		cmocka_unit_test(test_loaded_while_off),
		cmocka_unit_test(test_many_modules),
		cmocka_unit_test(test_kept_while_paused),
		cmocka_unit_test(test_next_off),
		/* the last one: the filter stays */
		cmocka_unit_test(test_waits_without_yielding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
