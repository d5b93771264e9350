/* What would mend a missing ability: by level, by what is mounted, for root and others. */
#include "doctor/hints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *hint(struct perf_obstacle obstacle)
{
	static char text[HINT_BYTES];

	memset(text, 'x', sizeof(text));
	hint_for_perf(&obstacle, text);
	return text;
}

static void test_levels(void **state)
{
	static const struct {
		enum perf_ability_index ability;
		int paranoid;
		const char *command;
	} cases[] = {
		{PERF_OWN_PROCESSES, 3, "sudo sysctl -w kernel.perf_event_paranoid=2"},
		{PERF_CYCLES, 4, "sudo sysctl -w kernel.perf_event_paranoid=2"},
		{PERF_KERNEL_FRAMES, 2, "sudo sysctl -w kernel.perf_event_paranoid=1"},
		{PERF_SYSTEM, 1, "sudo sysctl -w kernel.perf_event_paranoid=0"},
		{PERF_TRACEPOINTS, 0, "sudo sysctl -w kernel.perf_event_paranoid=-1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(hint((struct perf_obstacle){.ability = cases[i].ability,
								.paranoid = cases[i].paranoid}),
				    cases[i].command);
}

/* At a level that permits it, something else refuses it, as it does where root is refused. */
static void test_containers(void **state)
{
	(void)state;
	assert_non_null(
		strstr(hint((struct perf_obstacle){
			       .ability = PERF_OWN_PROCESSES, .paranoid = 2, .all_refused = true}),
		       "--cap-add=PERFMON"));
	assert_non_null(
		strstr(hint((struct perf_obstacle){
			       .ability = PERF_KERNEL_FRAMES, .paranoid = 2, .is_root = true}),
		       "--cap-add=PERFMON"));
	assert_non_null(strstr(hint((struct perf_obstacle){
				       .ability = PERF_CYCLES, .paranoid = 2, .all_refused = true}),
			       "--cap-add=PERFMON"));
}

static void test_hardware(void **state)
{
	(void)state;
	assert_string_equal(hint((struct perf_obstacle){.ability = PERF_CYCLES, .paranoid = 2}),
			    "");
}

static void test_tracefs(void **state)
{
	const char *missing = hint((struct perf_obstacle){.ability = PERF_TRACEPOINTS,
							  .paranoid = 4,
							  .is_root = true,
							  .tracefs = TRACEFS_MISSING});

	(void)state;
	assert_string_equal(missing + (geteuid() ? strlen("sudo ") : 0),
			    "mount -t tracefs nodev /sys/kernel/tracing");
	/* The level, too, for who is not root. */
	const char *both = hint((struct perf_obstacle){
		.ability = PERF_TRACEPOINTS, .paranoid = 2, .tracefs = TRACEFS_CLOSED});
	assert_string_equal(both + (geteuid() ? strlen("sudo ") : 0),
			    "mount -o remount,mode=755 /sys/kernel/tracing && sudo sysctl -w "
			    "kernel.perf_event_paranoid=-1");
	const char *closed = hint((struct perf_obstacle){
		.ability = PERF_TRACEPOINTS, .paranoid = -1, .tracefs = TRACEFS_CLOSED});
	assert_string_equal(closed + (geteuid() ? strlen("sudo ") : 0),
			    "mount -o remount,mode=755 /sys/kernel/tracing");
	/* Elsewhere it does not matter. */
	assert_string_equal(hint((struct perf_obstacle){.ability = PERF_SYSTEM,
							.paranoid = 1,
							.tracefs = TRACEFS_MISSING}),
			    "sudo sysctl -w kernel.perf_event_paranoid=0");
}

static void test_runtime(void **state)
{
	char text[HINT_BYTES];

	(void)state;
	hint_for_runtime(text);
	assert_int_equal(strncmp(text, "make install", strlen("make install")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),	 cmocka_unit_test(test_containers),
		cmocka_unit_test(test_hardware), cmocka_unit_test(test_tracefs),
		cmocka_unit_test(test_runtime),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
