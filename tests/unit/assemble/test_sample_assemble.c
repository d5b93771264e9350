/*
 * Which processes of a log of samples get rows, where the instrumentation has rows of its own: a
 * program that has executed its own instrumented copy is one process, whether a sample met it
 * before or not; another program that was executed first is a process by itself.
 */
#include "assemble/sample_assemble.h"

#include "base/file.h"
#include "base/file_view.h"
#include "tests/support/own_directory.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PID = 50, BEGIN = 100, EXECUTED = 200, RECORDED = 210 };

#define ORIGINAL "/opt/program"
#define COPY	 "/cache/copy/program"

static char directory[] = "/tmp/tare-test-samples-XXXXXX";
static struct recording recording;
static struct profile_writer *writer;
static struct resolver resolver;
static struct sample_output output;
static struct str path;
static const struct tare_control *known_control;
static const char *event_name;
static uint64_t weights[2];

static int set_up(void **state)
{
	const struct clock_point points[] = {{0, 0, 10}, {1000000, 1000000, 10}};
	const struct recording_module module = {
		.path = ORIGINAL, .copy = COPY, .entry = "", .refusal = "", .stat = ""};
	struct error err;

	(void)state;
	known_control = NULL;
	event_name = "cycles";
	weights[0] = weights[1] = 1;
	if (!own_directory_make(directory))
		return -1;
	recording = (struct recording){.fd = -1,
				       .runtime = "",
				       .private_copies = "",
				       .collector = "",
				       .sampling_reason = "",
				       .unwinding = ""};
	vec_append(&recording.clock, points, 2);
	vec_push(&recording.modules, module);
	str_printf(&path, "%s/out.tare", directory);
	writer = profile_writer_open(path.data, false, &err);
	if (!writer)
		return -1;
	resolver_init(&resolver, &recording, writer);
	return 0;
}

static int tear_down(void **state)
{
	struct error err;

	(void)state;
	resolver_fini(&resolver);
	profile_writer_discard(writer);
	vec_fini(&recording.clock);
	vec_fini(&recording.modules);
	vec_fini(&output.rows);
	str_fini(&path);
	path = (struct str){0};
	return directory_remove(directory, &err) ? 0 : -1;
}

/* One process that executes `first` and then the copy, with a sample in each. */
static void write_log(const char *first)
{
	const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sample_log log = {0};
	struct error err;

	assert_true(fd >= 0);
	assert_true(sample_log_create(&log, fd, 0, &err));
	const struct sample_log_event event = {.frequency = 997, .name = event_name, .unit = ""};
	sample_log_put_event(&log, &event);
	const char *executables[] = {first, COPY};
	for (uint32_t i = 0; i < 2; i++) {
		const uint64_t time = i ? EXECUTED : BEGIN;
		const struct sample_log_process process = {
			.pid = PID, .parent_pid = 1, .time = time, .name = "program"};
		const struct sample_log_thread thread = {i, PID, time, "program"};
		const struct sample_log_note note = {.of = i, .time = time, .text = executables[i]};
		const struct sample_log_sample sample = {
			.thread = i, .time = time + 50, .weight = weights[i]};

		sample_log_put_process(&log, &process);
		sample_log_put_note(&log, SAMPLE_LOG_EXECUTABLE, &note);
		sample_log_put_thread(&log, &thread);
		sample_log_put_sample(&log, &sample);
	}
	sample_log_close(&log);
	close(fd);
}

static void assemble(const char *first)
{
	struct error err = {0};
	struct str name = {0};
	struct file_view view;
	const struct profile_process row = {.pid = PID,
					    .name = "program",
					    .executable = ORIGINAL,
					    .begin_ticks = RECORDED,
					    .end_ticks = 900};

	write_log(first);
	str_printf(&name, "%s/" SAMPLE_LOG_NAME, directory);
	assert_true(file_view_open(&view, name.data, &err));
	const int64_t id = profile_add_process(writer, &row, &err);
	const struct profile_thread thread_row = {
		.process = id, .tid = PID, .name = "program", .begin_ticks = RECORDED};
	const int64_t thread = profile_add_thread(writer, &thread_row, &err);
	assert_true(id && thread);
	const struct sample_known_process process = {id, PID, RECORDED, known_control};
	const struct sample_known_thread known = {
		.id = thread, .process = id, .tid = PID, .begin_ticks = RECORDED};
	const struct sample_input input = {.log = view.data,
					   .log_bytes = view.size,
					   .recording = &recording,
					   .resolver = &resolver,
					   .writer = writer,
					   .processes = &process,
					   .process_count = 1,
					   .threads = &known,
					   .thread_count = 1};
	if (!sample_assemble(&input, &output, &err))
		fail_msg("%s", err.message);
	assert_false(output.damaged);
	str_fini(&name);
	file_view_close(&view);
}

static void test_own_copy_is_no_process_more(void **state)
{
	(void)state;
	assemble(ORIGINAL);
	assert_int_equal(output.processes, 0);
	assert_int_equal(output.threads, 0);
	assert_int_equal(output.counts.discarded, 1);
	assert_int_equal(output.built.samples, 1);
	assert_int_equal(output.built.in_runtime, 0);
}

static void test_other_program_is_a_process(void **state)
{
	(void)state;
	assemble("/opt/launcher");
	assert_int_equal(output.processes, 1);
	assert_int_equal(output.threads, 1);
	assert_int_equal(output.counts.discarded, 0);
	assert_int_equal(output.built.samples, 2);
}

/* That it had to wait for its first turn makes no row of what then executed something else. */
static void test_first_waits_make_no_process(void **state)
{
	(void)state;
	event_name = "preempted";
	assemble("/opt/launcher");
	assert_int_equal(output.processes, 0);
	assert_int_equal(output.threads, 0);
	assert_int_equal(output.counts.discarded, 0);
}

/* Collection goes off just before the sample in the copy is taken. */
static void assemble_off_until(uint64_t end)
{
	const struct tare_control off = {.off_periods = 1, .periods = {{EXECUTED + 40, end}}};

	known_control = &off;
	assemble(ORIGINAL);
}

static void test_samples_while_off(void **state)
{
	(void)state;
	assemble_off_until(EXECUTED + 51);
	assert_int_equal(output.counts.discarded, 2);
}

static void test_samples_behind_off(void **state)
{
	(void)state;
	assemble_off_until(EXECUTED + 50);
	assert_int_equal(output.counts.discarded, 1);
}

/* Samples of both processes, and what they stand for. */
struct sums {
	uint64_t samples, weight, squares;
};

static bool sum(const struct profile_stack_value *row, void *context)
{
	struct sums *sums = context;

	sums->samples += row->samples;
	sums->weight += row->weight;
	sums->squares += row->squares;
	return true;
}

/* The profile is written, and has what the interrupt of a sample took on average. */
static struct sums sums_of(uint64_t *interrupt_ns)
{
	struct error err = {0};
	struct sums sums = {0};
	const struct profile_session session = {.ticks_per_second = 1e9};
	size_t count;

	assemble("/opt/launcher");
	assert_true(profile_write_session(writer, &session, &err));
	assert_true(profile_writer_commit(writer, &err));
	writer = NULL;
	struct profile *profile = profile_open(path.data, &err);
	assert_non_null(profile);
	assert_true(profile_each_stack_value(profile, sum, &sums, &err));
	*interrupt_ns = profile_samplings(profile, &count)->interrupt_ns;
	profile_close(profile);
	return sums;
}

/* One of them was taken while threads switched often: it is ten, of one draw and one interrupt. */
static void test_thinned_timers(void **state)
{
	uint64_t interrupt_ns;

	(void)state;
	event_name = "cpu-clock:u";
	weights[0] = 1003009;
	weights[1] = 10000000;
	recording.interrupt_ns = 1100;
	const struct sums sums = sums_of(&interrupt_ns);
	assert_int_equal(sums.samples, 11);
	assert_int_equal(sums.weight, 11003009);
	assert_int_equal(sums.squares, 101);
	assert_int_equal(interrupt_ns, 200);
}

static void assert_alone(void)
{
	uint64_t interrupt_ns;

	recording.interrupt_ns = 1100;
	const struct sums sums = sums_of(&interrupt_ns);
	assert_int_equal(sums.samples, 2);
	assert_int_equal(sums.weight, weights[0] + weights[1]);
	assert_int_equal(sums.squares, 2);
	assert_int_equal(interrupt_ns, 1100);
}

/* Nothing is lost by a rest. */
static void test_no_whole_periods(void **state)
{
	(void)state;
	event_name = "task-clock";
	weights[0] = 1003009;
	weights[1] = 2006019;
	assert_alone();
}

static void test_waits_are_no_timers(void **state)
{
	(void)state;
	event_name = "off-cpu";
	weights[1] = 10000000;
	assert_alone();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_own_copy_is_no_process_more, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_other_program_is_a_process, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_first_waits_make_no_process, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_samples_while_off, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_samples_behind_off, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_thinned_timers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_whole_periods, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_waits_are_no_timers, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
