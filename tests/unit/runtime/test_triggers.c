/*
 * Functions whose begin starts or stops recording: which module's, and for how long. The session's
 * file, the bytes that stay armed and the change of level are the test's.
 */
#include "runtime/control/triggers.h"

#include "abi/session.h"
#include "runtime/base/files.h"
#include "runtime/base/state.h"
#include "runtime/control/arming.h"
#include "runtime/control/control.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { FUNCTIONS = 8, LINK_ADDR = 0x1000, BEGIN = 0x40, END = 0x80 };

/* An instrumented file in memory. */
struct loaded {
	struct tare_module module;
	uint8_t arm[FUNCTIONS + 1];
};

static struct loaded program;
static struct tare_trigger file[2];
static unsigned kept;
static int changes[3];

long files_open(const char *name, int flags)
{
	const int fd = memfd_create(name, MFD_CLOEXEC);

	(void)flags;
	assert_string_equal(name, TARE_TRIGGERS_NAME);
	assert_int_equal(pwrite(fd, file, sizeof(file), 0), sizeof(file));
	return fd;
}

bool arming_keep(uint8_t *byte)
{
	assert_in_range((uint64_t)byte, (uint64_t)program.arm,
			(uint64_t)program.arm + FUNCTIONS - 1);
	kept |= 1U << (byte - program.arm);
	return true;
}

void control_change_process(enum tare_operation operation)
{
	assert_in_range(operation, TARE_START, TARE_STOP);
	changes[operation]++;
}

static int set_up(void **state)
{
	(void)state;
	program = (struct loaded){.module = {.function_count = FUNCTIONS,
					     .arm_offset = offsetof(struct loaded, arm),
					     .link_addr = LINK_ADDR,
					     .source_id = {1, 2, 3}}};
	memset(changes, 0, sizeof(changes));
	kept = 0;
	state_session.settings.triggers = TARE_TRIGGERS_ANY | TARE_TRIGGERS_STARTS;
	file[0] = (struct tare_trigger){
		.source_id = {1, 2, 3}, .link_addr = BEGIN, .function = 2, .operation = TARE_START};
	file[1] = (struct tare_trigger){
		.source_id = {1, 2, 3}, .link_addr = END, .function = 5, .operation = TARE_STOP};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	triggers_remove(&program.module);
	return 0;
}

static void meet(enum tare_event_kind kind, uint64_t link_addr)
{
	const struct accumulate_event event = {.kind = kind,
					       .key = (uint64_t)&program - LINK_ADDR + link_addr};

	triggers_meet(&event);
}

static void expect_changes(int starts, int stops)
{
	assert_int_equal(changes[TARE_START], starts);
	assert_int_equal(changes[TARE_STOP], stops);
}

static void test_begins_change_the_level(void **state)
{
	(void)state;
	triggers_add(&program.module);
	assert_int_equal(kept, 1U << 2); /* what stops is met by itself */
	meet(TARE_EVENT_ENTER, BEGIN);
	expect_changes(1, 0);
	meet(TARE_EVENT_CALL, END);
	expect_changes(1, 1);
	meet(TARE_EVENT_ENTER, BEGIN + 1);
	meet(TARE_EVENT_LEAVE, BEGIN);
	meet(TARE_EVENT_RETURN, END);
	expect_changes(1, 1);
}

/* Each byte of what identifies it counts. */
static void test_other_versions_have_none(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(file[0].source_id); i++) {
		set_up(NULL);
		file[0].source_id[i] ^= 1;
		triggers_add(&program.module);
		assert_int_equal(kept, 0);
		meet(TARE_EVENT_ENTER, BEGIN);
		meet(TARE_EVENT_ENTER, END);
		expect_changes(0, 1);
		triggers_remove(&program.module);
	}
}

static void test_functions_that_are_not_there(void **state)
{
	(void)state;
	file[0].function = FUNCTIONS;
	file[1].function = FUNCTIONS - 1;
	triggers_add(&program.module);
	meet(TARE_EVENT_ENTER, BEGIN);
	meet(TARE_EVENT_ENTER, END);
	expect_changes(0, 1);
}

/* Something else may be loaded there, and the module again. */
static void test_modules_that_go_take_theirs_along(void **state)
{
	(void)state;
	for (int i = 0; i < 2 * TARE_TRIGGERS_MAX; i++) {
		triggers_add(&program.module);
		triggers_remove(&program.module);
	}
	meet(TARE_EVENT_ENTER, BEGIN);
	meet(TARE_EVENT_ENTER, END);
	expect_changes(0, 0);
	triggers_add(&program.module);
	meet(TARE_EVENT_ENTER, BEGIN);
	expect_changes(1, 0);
}

static void test_without_the_setting_the_file_is_not_read(void **state)
{
	(void)state;
	state_session.settings.triggers = 0;
	triggers_add(&program.module);
	meet(TARE_EVENT_ENTER, BEGIN);
	expect_changes(0, 0);
}

int main(void)
{
#define TRIGGER_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TRIGGER_TEST(test_begins_change_the_level),
		TRIGGER_TEST(test_other_versions_have_none),
		TRIGGER_TEST(test_functions_that_are_not_there),
		TRIGGER_TEST(test_modules_that_go_take_theirs_along),
		TRIGGER_TEST(test_without_the_setting_the_file_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
