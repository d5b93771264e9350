/* What threads did over time, from the samples of their waits: exact sums, and what is not known.
 */
#include "analysis/thread_states.h"
#include "tests/support/analysed.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define KERNEL UINT64_C(0xffffffff81000000)

enum { BEGIN = 1000, END = 9000, SESSION = 10000 };
enum { MAIN = 1, LOCK, READ, POLL, ENTRY, FUTEX, EPOLL, FAULT, FSYNC };
/* Stacks: of main, and below it those of the C library and the kernel. */
enum { IN_MAIN = 1, IN_LOCK, IN_FUTEX, IN_READ, IN_RAW, IN_EPOLL, IN_FAULT, IN_FSYNC };
enum { CLOCK = 1, BLOCKED, PREEMPTED };

struct seen {
	struct thread_state_slice sum;
	uint64_t spans, begin, end, unknown, os_of_system_call[512];
	const struct analysis_os *last;
};

static void add_stacks(struct profile_writer *writer)
{
	static const char *const kernel[] = {"do_syscall_64", "__x64_sys_futex",
					     "__x64_sys_epoll_wait", "asm_exc_page_fault",
					     "__x64_sys_fsync"};
	struct error err;
	const int64_t program = small_module(writer, "/bin/p");
	const int64_t libc = profile_add_module(writer,
						&(struct profile_module){.name = "libc.so.6",
									 .path = "/lib/libc.so.6",
									 .build_id = "",
									 .system = true},
						&err);
	const int64_t image = small_module(writer, "[kernel.kallsyms]");

	small_function(writer, program, "main", 0x100);
	small_function(writer, libc, "pthread_mutex_lock", 0x1000);
	small_function(writer, libc, "__GI___libc_read", 0x2000);
	small_function(writer, libc, "poll", 0x3000);
	for (size_t i = 0; i < TABLE_COUNT(kernel); i++)
		small_function(writer, image, kernel[i], KERNEL + 0x100 * i);
	small_stack(writer, 0, MAIN, 0x110);
	small_stack(writer, IN_MAIN, LOCK, 0x1010);
	small_stack(writer, IN_LOCK, FUTEX, KERNEL + 0x110);
	small_stack(writer, IN_MAIN, READ, 0x2010);
	/* System calls of the program itself. */
	small_stack(writer, IN_MAIN, ENTRY, KERNEL + 0x10);
	small_stack(writer, IN_RAW, EPOLL, KERNEL + 0x210);
	small_stack(writer, IN_READ, FAULT, KERNEL + 0x310);
	small_stack(writer, IN_RAW, FSYNC, KERNEL + 0x410);
}

static void add_thread(struct profile_writer *writer, int64_t process, uint64_t end_ticks)
{
	const struct profile_thread thread = {.process = process,
					      .tid = 6,
					      .name = "p",
					      .begin_ticks = BEGIN,
					      .end_ticks = end_ticks};
	struct error err;

	assert_int_not_equal(profile_add_thread(writer, &thread, &err), 0);
}

static void add_waits(struct profile_writer *writer, int64_t event, uint64_t begin,
		      const struct small_sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		small_samples(writer, &(struct profile_stack_value)SMALL_VALUE(
					      1, event, (int64_t)samples[i].stack, 1,
					      samples[i].weight, 0));
	small_chunk(writer, (struct profile_sample_chunk){1, event, begin, 0, count, {0}}, samples);
}

/* A thread of a recording without any sample. */
static void write_nothing(const char *settings)
{
	struct profile_writer *writer = small_profile_open(path);
	struct profile_session session = small_profile_session();
	struct error err;

	session.settings = settings;
	session.method = "sample";
	add_thread(writer, small_process(writer, 5, "p"), END);
	small_event(writer, "off-cpu", "ns");
	small_event(writer, "preempted", "ns");
	small_require(profile_write_session(writer, &session, &err), &err);
	small_require(profile_writer_commit(writer, &err), &err);
	analysed_open(NULL);
}

/* Thread 1 has a life of 8,000 ticks, thread 2 neither waits nor is sampled. */
static void write_waits(bool preempted, const char *settings, uint64_t end_ticks, bool complete)
{
	static const struct small_sample waited[] = {{0, IN_FUTEX, 300},    {400, IN_READ, 50},
						     {200, IN_EPOLL, 1000}, {1500, 0, 70},
						     {100, IN_FAULT, 30},   {100, IN_FSYNC, 40}};
	static const struct small_sample could_run[] = {{0, IN_MAIN, 40}, {2000, IN_LOCK, 500}};
	struct profile_session session = small_profile_session();
	struct profile_writer *writer = small_profile_open(path);
	struct error err;

	session.begin_ticks = 0;
	session.end_ticks = SESSION;
	session.settings = settings;
	session.method = "sample";
	session.complete = complete;
	const int64_t process = small_process(writer, 5, "p");
	add_thread(writer, process, end_ticks);
	add_thread(writer, process, end_ticks);
	add_stacks(writer);
	small_event(writer, "cpu-clock", "ns");
	small_event(writer, "off-cpu", "ns");
	small_event(writer, preempted ? "preempted" : "page-faults", "ns");
	add_waits(writer, CLOCK, 1900, (const struct small_sample[]){{0, IN_MAIN, 100}}, 1);
	add_waits(writer, BLOCKED, 2000, waited, TABLE_COUNT(waited));
	add_waits(writer, PREEMPTED, 2350, could_run, TABLE_COUNT(could_run));
	small_require(profile_write_session(writer, &session, &err), &err);
	small_require(profile_writer_commit(writer, &err), &err);
	analysed_open(NULL);
}

static void take(const struct thread_state_span *span, void *context)
{
	struct seen *seen = context;

	if (seen->spans)
		assert_int_equal(span->begin, seen->end);
	else
		seen->begin = span->begin;
	if (span->unknown)
		seen->unknown += span->end - span->begin;
	assert_true(span->end >= span->begin);
	seen->spans++;
	seen->end = span->end;
	seen->sum.cpu += span->states.cpu;
	seen->sum.preempted += span->states.preempted;
	for (int i = 0; i < WAITINGS; i++)
		seen->sum.blocked[i] += span->states.blocked[i];
	/* Samples know of no objects. */
	assert_true(!span->os || span->os->object_kind == TARE_OBJECT_NONE);
	seen->last = span->os ? span->os : seen->last;
	if (span->os && span->os->syscall_number >= 0)
		seen->os_of_system_call[span->os->syscall_number] += span->end - span->begin;
}

static struct seen look(uint32_t thread, bool expected)
{
	struct seen seen = {0};
	struct error err;
	bool known;

	assert_true(thread_states_each(analysis, thread, take, &seen, &known, &err));
	assert_int_equal(known, expected);
	return seen;
}

static uint64_t blocked(const struct thread_state_slice *slice)
{
	uint64_t ticks = 0;

	for (int i = 0; i < WAITINGS; i++)
		ticks += slice->blocked[i];
	return ticks;
}

static void test_sums(void **state)
{
	(void)state;
	write_waits(true, "--event=cpu-clock", END, true);
	assert_true(thread_states_any(analysis));
	const struct seen seen = look(0, true);

	assert_int_equal(seen.sum.preempted, 540);
	assert_int_equal(blocked(&seen.sum), 300 + 50 + 1000 + 70 + 30 + 40);
	assert_int_equal(seen.sum.cpu, END - BEGIN - 540 - blocked(&seen.sum));
	assert_int_equal(seen.end, END);
	assert_int_equal(seen.unknown, 0);
	/* Eight waits, and it ran before and behind each. */
	assert_int_equal(seen.spans, 8 + 9);
	assert_int_equal(look(1, true).sum.cpu, END - BEGIN);
}

/* By the entry that the kernel's frames have, else by the C library's function. */
static void test_causes(void **state)
{
	(void)state;
	write_waits(true, "--event=cpu-clock", END, true);
	const struct seen seen = look(0, true);

	assert_int_equal(seen.sum.blocked[WAITING_LOCK], 300);
	assert_int_equal(seen.sum.blocked[WAITING_IO], 50 + 40);
	assert_int_equal(seen.sum.blocked[WAITING_IDLE], 1000);
	/* Nothing of its stack was read, or it waited for a page. */
	assert_int_equal(seen.sum.blocked[WAITING_OTHER], 70 + 30);
	assert_int_equal(seen.os_of_system_call[202], 300);
	assert_int_equal(seen.os_of_system_call[0], 50);
	assert_int_equal(seen.os_of_system_call[232], 1000);
	assert_int_equal(seen.os_of_system_call[74], 40);
	/* The last one could run, in a function that the program had called. */
	assert_int_equal(seen.last->cause, TARE_OS_PREEMPTED);
	assert_string_equal(analysis->functions.data[seen.last->caller].name, "main");
	/* As the waits of the whole recording have it. */
	uint64_t idle = 0;
	vec_foreach (wait, &analysis->sampled_waits)
		idle += wait->idle ? wait->os.ticks : 0;
	assert_int_equal(idle, 1000);
}

static void test_parts(void **state)
{
	(void)state;
	write_waits(true, "--event=cpu-clock", END, true);
	const struct thread_state_range range = {2000, 2800, 2};
	struct thread_state_slice slices[2] = {{0}};
	struct error err;
	bool known;

	assert_true(thread_states_fill(analysis, 0, &range, slices, &known, &err) && known);
	assert_int_equal(slices[0].blocked[WAITING_LOCK], 300);
	assert_int_equal(slices[0].preempted, 40);
	assert_int_equal(slices[0].cpu, 60);
	assert_int_equal(slices[1].blocked[WAITING_IO], 50);
	assert_int_equal(slices[1].blocked[WAITING_IDLE], 200);
	assert_int_equal(slices[1].cpu, 150);
}

/* What a recording found running has states from its first sample on. */
static void test_found_running(void **state)
{
	(void)state;
	write_waits(true, "--event=cpu-clock --pid=5", END, true);
	const struct seen seen = look(0, true);

	assert_int_equal(seen.sum.cpu, END - 1900 - 540 - blocked(&seen.sum));
	assert_int_equal(seen.begin, BEGIN);
	assert_int_equal(seen.unknown, 1900 - BEGIN);
	look(1, false);
}

/* What was cut off has states up to its last sample. */
static void test_cut_off(void **state)
{
	(void)state;
	write_waits(true, "--event=cpu-clock", 0, false);
	assert_int_equal(look(0, true).end, 4350 + 500);
	write_waits(true, "--event=cpu-clock", 0, true);
	assert_int_equal(look(0, true).end, SESSION);
}

/* Who did not see when threads could run does not know when they ran. */
static void test_waits_alone(void **state)
{
	(void)state;
	write_waits(false, "--event=cpu-clock", END, true);
	assert_false(thread_states_any(analysis));
	look(0, false);
}

/* Who was not seen to wait did not, but where times were left out. */
static void test_no_samples(void **state)
{
	(void)state;
	write_nothing("--event=off-cpu");
	assert_true(thread_states_any(analysis));
	assert_int_equal(look(0, true).sum.cpu, END - BEGIN);
	write_nothing("--event=off-cpu --pid=5");
	assert_true(thread_states_any(analysis));
	look(0, false);
	struct str settings = {0};
	profile_merged_append(&(struct profile_merged){.recordings = 2, .settings = ""}, &settings);
	write_nothing(settings.data);
	assert_false(thread_states_any(analysis));
	str_fini(&settings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sums, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_causes, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_parts, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_found_running, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_cut_off, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_no_samples, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_waits_alone, analysed_begin, analysed_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
