/*
 * From process and thread files to a profile, read back through the profile's reader: open calls,
 * sums, overhead, pruning, folded nodes, exec chains, damage of every kind, keys of unloaded
 * modules.
 */
#include "assemble/assemble.h"

#include "abi/timer.h"
#include "object/object.h"
#include "session/thread_files.h"
#include "tests/support/own_directory.h"
#include "tests/support/session_writer.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/tare-test-assemble-XXXXXX";
static struct session session;
static struct recording recording;
static struct assembled assembled;
static struct profile *profile;
static struct profile_node nodes[64];
static size_t node_count;

static int set_up(void **state)
{
	struct error err;

	(void)state;
	if (!own_directory_make(directory) || !session_open(&session, directory, &err) ||
	    !recording_create(&recording, session.fd, &err))
		return -1;
	recording_put_number(&recording, "begin_ticks", 800);
	recording_put_number(&recording, "end_ticks", 10000);
	recording_put_number(&recording, "exit_status", 0);
	const struct clock_point points[] = {{0, 0, 10}, {4000000, 2000000, 10}};
	vec_append(&recording.clock, points, 2);
	return 0;
}

static void close_assembled(void)
{
	profile_close(profile);
	profile = NULL;
	assembled_fini(&assembled);
	assembled = (struct assembled){0};
}

static int tear_down(void **state)
{
	(void)state;
	close_assembled();
	recording_fini(&recording);
	session_close(&session, true);
	return 0;
}

static bool take_node(const struct profile_node *row, void *context)
{
	(void)context;
	nodes[node_count++] = *row;
	return node_count < sizeof(nodes) / sizeof(nodes[0]);
}

static void assemble(void)
{
	struct error err = {0};
	struct str path = {0};

	close_assembled();
	str_printf(&path, "%s/out.tare", directory);
	struct profile_writer *writer = profile_writer_open(path.data, false, &err);
	assert_non_null(writer);
	if (!assemble_profile(&session, &recording, writer, &assembled, &err))
		fail_msg("%s", err.message);
	if (!profile_writer_commit(writer, &err))
		fail_msg("%s", err.message);
	profile = profile_open(path.data, &err);
	if (!profile)
		fail_msg("%s", err.message);
	node_count = 0;
	if (!profile_each_node(profile, take_node, NULL, &err))
		fail_msg("%s", err.message);
	str_fini(&path);
}

static void write_plain_process(int pid)
{
	struct session_writer_process process;
	char name[64];

	session_writer_process_init(&process, pid);
	snprintf(name, sizeof(name), "process.%d.0", pid);
	session_writer_write_process(&process, directory, name);
}

static const char *function_name(int64_t id)
{
	size_t count;
	const struct profile_function *functions = profile_functions(profile, &count);

	return functions[id - 1].name;
}

static void test_open_calls_count_and_keep_their_time(void **state)
{
	struct session_writer_thread thread;

	(void)state;
	write_plain_process(10);
	session_writer_thread_init(&thread, 10, 10);
	const size_t main_node = session_writer_add_node(&thread, 0, 0x1000, 0, 0);
	const size_t callee = session_writer_add_node(&thread, main_node, 0x2000, 5, 500);
	session_writer_open_call(&thread, main_node, 70, OPEN_ENTERED);
	session_writer_open_call(&thread, callee, 30, OPEN_ENTERED);
	session_writer_add_os(&thread, callee, TARE_OS_BLOCKED, 120);
	session_writer_write_thread(&thread, directory, "thread.10.10.0");
	assemble();
	assert_true(assembled.complete);
	/* The root, main, the callee; node 1 is empty and dropped. */
	assert_int_equal(node_count, 3);
	assert_int_equal(nodes[0].parent, 0);
	assert_int_equal(nodes[1].parent, nodes[0].id);
	assert_int_equal(nodes[1].calls, 1);
	assert_int_equal(nodes[1].elapsed_ticks, 70);
	assert_int_equal(nodes[2].parent, nodes[1].id);
	assert_int_equal(nodes[2].calls, 6);
	assert_int_equal(nodes[2].elapsed_ticks, 530);
	assert_int_equal(nodes[2].os_ticks[TARE_OS_BLOCKED], 120);
	size_t count;
	const struct profile_thread *rows = profile_threads(profile, &count);
	assert_int_equal(count, 1);
	assert_int_equal(rows[0].now_ticks, 600);
	assert_int_equal(rows[0].open_frames, 2);
}

static void test_inherited_calls_count_in_the_parent(void **state)
{
	struct session_writer_thread thread;

	(void)state;
	write_plain_process(10);
	session_writer_thread_init(&thread, 10, 10);
	const size_t outer = session_writer_add_node(&thread, 0, 0x1000, 0, 0);
	const size_t inner = session_writer_add_node(&thread, outer, 0x2000, 0, 0);
	const size_t called = session_writer_add_node(&thread, inner, 0x3000, 0, 0);
	session_writer_open_call(&thread, outer, 10, OPEN_INHERITED);
	session_writer_open_call(&thread, inner, 20, OPEN_ENTERED);
	session_writer_open_call(&thread, called, 30, OPEN_BY_CALL);
	/* A second inherited frame has ended since: the number says nothing about those open. */
	thread.header.inherited_frames = 2;
	session_writer_write_thread(&thread, directory, "thread.10.10.0");
	assemble();
	assert_int_equal(node_count, 4);
	assert_int_equal(nodes[1].calls, 0);
	assert_int_equal(nodes[1].elapsed_ticks, 10);
	assert_int_equal(nodes[2].calls, 1);
	assert_int_equal(nodes[2].calls_by_call, 0);
	assert_int_equal(nodes[3].calls, 1);
	assert_int_equal(nodes[3].calls_by_call, 1);
}

static void test_sums_that_disagree_make_it_partial(void **state)
{
	struct session_writer_thread thread;

	(void)state;
	write_plain_process(10);
	session_writer_thread_init(&thread, 10, 10);
	session_writer_add_node(&thread, 0, 0x1000, 1, 100);
	thread.nodes[0].child = 99;
	session_writer_write_thread(&thread, directory, "thread.10.10.0");
	assemble();
	assert_false(assembled.complete);
	assert_non_null(strstr(assembled.reason.data, "101 ticks, its clock to 100"));
	assert_false(profile_session(profile)->complete);
}

/* Time that no function has is as wrong as time that the clock does not have. */
static void test_sums_below_the_clock_make_it_partial(void **state)
{
	struct session_writer_thread thread;

	(void)state;
	write_plain_process(10);
	session_writer_thread_init(&thread, 10, 10);
	session_writer_add_node(&thread, 0, 0x1000, 1, 100);
	thread.header.now_ticks += 50;
	thread.nodes[0].child += 50;
	session_writer_write_thread(&thread, directory, "thread.10.10.0");
	assemble();
	assert_false(assembled.complete);
	assert_non_null(strstr(assembled.reason.data, "its clock to 150"));
}

struct histogram_rows {
	uint64_t calls[TARE_CALL_BUCKETS];
};

static bool take_histogram(const struct profile_histogram *row, void *context)
{
	struct histogram_rows *rows = context;

	if (row->node == nodes[1].id)
		rows->calls[row->bucket] += row->calls;
	return true;
}

static bool take_os(const struct profile_os *row, void *context)
{
	*(int *)context = row->syscall_number;
	return true;
}

/* Each value of a node goes to its own column: extremes, the longest calls, what no call is. */
static void test_values_of_a_node(void **state)
{
	struct histogram_rows rows = {0};
	struct session_writer_thread thread;
	struct error err;
	int number = 0;

	(void)state;
	write_plain_process(10);
	session_writer_thread_init(&thread, 10, 10);
	const size_t node = session_writer_add_node(&thread, 0, 0x1000, 0, 100);
	struct tare_node *values = &thread.nodes[node];
	values->buckets[0] = 2;
	values->buckets[TARE_CALL_BUCKETS - 2] = 5;
	values->buckets[TARE_CALL_BUCKETS - 1] = 3; /* shorter than their probes' cost */
	values->elapsed_inclusive_min = 1;
	values->elapsed_inclusive_max = 8;
	values->elapsed_exclusive_min = 2;
	values->elapsed_exclusive_max = 7;
	values->application_inclusive_min = 3;
	values->application_inclusive_max = 6;
	values->application_exclusive_min = 4;
	values->application_exclusive_max = 5;
	session_writer_add_os(&thread, node, TARE_OS_INTERRUPT, 10);
	thread.os[0].syscall_number = 0xffff;
	session_writer_write_thread(&thread, directory, "thread.10.10.0");
	assemble();
	assert_int_equal(nodes[1].elapsed_inclusive_min, 1);
	assert_int_equal(nodes[1].elapsed_inclusive_max, 8);
	assert_int_equal(nodes[1].elapsed_exclusive_min, 2);
	assert_int_equal(nodes[1].elapsed_exclusive_max, 7);
	assert_int_equal(nodes[1].application_inclusive_min, 3);
	assert_int_equal(nodes[1].application_inclusive_max, 6);
	assert_int_equal(nodes[1].application_exclusive_min, 4);
	assert_int_equal(nodes[1].application_exclusive_max, 5);
	assert_true(profile_each_histogram(profile, take_histogram, &rows, &err));
	assert_int_equal(rows.calls[0], 2 + 3);
	assert_int_equal(rows.calls[TARE_CALL_BUCKETS - 2], 5);
	assert_int_equal(rows.calls[TARE_CALL_BUCKETS - 1], 0);
	assert_true(profile_each_os(profile, take_os, &number, &err));
	assert_int_equal(number, -1);
}

/* What a process could not keep is said, however little it is. */
static void test_losses_of_a_process_are_told(void **state)
{
	struct session_writer_process process;

	(void)state;
	session_writer_process_init(&process, 10);
	process.header.flags |= TARE_PROCESS_ENDED;
	process.header.threads_lost = 1;
	process.header.records_lost = 2;
	process.header.children_lost = 3;
	process.header.images_unfollowed = 7;
	process.header.images_unreached = 4;
	session_writer_write_process(&process, directory, "process.10.0");
	assemble();
	assert_false(assembled.complete);
	assert_non_null(strstr(assembled.reason.data, "1 threads of process 10"));
	assert_non_null(strstr(assembled.reason.data, "2 modules of process 10"));
	assert_non_null(strstr(assembled.reason.data, "3 children that process 10"));
	assert_non_null(strstr(assembled.reason.data, "4 programs that process 10"));
}

static void test_os_time_never_exceeds_elapsed(void **state)
{
	struct session_writer_thread thread;

	(void)state;
	write_plain_process(10);
	session_writer_thread_init(&thread, 10, 10);
	const size_t node = session_writer_add_node(&thread, 0, 0x1000, 1, 100);
	session_writer_add_os(&thread, node, TARE_OS_BLOCKED, 90);
	session_writer_add_os(&thread, node, TARE_OS_SYSCALL, 11 + TARE_PROBE_TICKS_MAX * 2);
	session_writer_write_thread(&thread, directory, "thread.10.10.0");
	assemble();
	assert_int_equal(nodes[1].os_ticks[TARE_OS_BLOCKED], 90);
	assert_int_equal(nodes[1].os_ticks[TARE_OS_SYSCALL], 10);
	assert_false(assembled.complete);
}

/* Where more probe cost was subtracted than calls took, the thread's clock gets it back. */
static void test_cost_is_given_back(void **state)
{
	struct session_writer_thread thread;
	size_t count;

	(void)state;
	write_plain_process(10);
	session_writer_thread_init(&thread, 10, 10);
	const size_t outer = session_writer_add_node(&thread, 0, 0x1000, 1, 100);
	const size_t inner = session_writer_add_node(&thread, outer, 0x2000, 3, (uint64_t)-7);
	session_writer_add_os(&thread, outer, TARE_OS_BLOCKED, 105);
	thread.nodes[inner].elapsed_inclusive_min = thread.nodes[inner].elapsed_exclusive_min = -9;
	thread.nodes[inner].elapsed_inclusive_max = thread.nodes[inner].elapsed_exclusive_max = 4;
	session_writer_write_thread(&thread, directory, "thread.10.10.0");
	assemble();
	assert_true(assembled.complete);
	assert_int_equal(nodes[1].elapsed_ticks, 105);
	assert_int_equal(nodes[2].elapsed_ticks, 0);
	assert_int_equal(nodes[2].elapsed_inclusive_min, 0);
	assert_int_equal(nodes[2].elapsed_inclusive_max, 4);
	assert_int_equal(profile_threads(profile, &count)->now_ticks, 105);
	/* a sum that no cost explains is damage */
	thread.nodes[inner].elapsed_ticks -= 5 * TARE_PROBE_TICKS_MAX;
	thread.header.now_ticks -= 5 * TARE_PROBE_TICKS_MAX;
	session_writer_write_thread(&thread, directory, "thread.10.10.0");
	assemble();
	assert_false(assembled.complete);
}

/* More was taken off for probes than the thread ran: its clock lies below 0. */
static void test_a_clock_below_zero_is_no_damage(void **state)
{
	struct session_writer_thread thread;
	size_t count;

	(void)state;
	write_plain_process(10);
	session_writer_thread_init(&thread, 10, 10);
	session_writer_add_node(&thread, 0, 0x1000, 9, (uint64_t)-300);
	const size_t open = session_writer_add_node(&thread, 0, 0x2000, 0, 0);
	session_writer_open_call(&thread, open, 40, OPEN_ENTERED);
	session_writer_write_thread(&thread, directory, "thread.10.10.0");
	assemble();
	assert_true(assembled.complete);
	assert_int_equal(nodes[1].elapsed_ticks, 0);
	assert_int_equal(nodes[2].elapsed_ticks, 40);
	assert_int_equal(profile_threads(profile, &count)->now_ticks, 40);
}

static void test_folded_nodes_are_marked(void **state)
{
	struct session_writer_thread thread;

	(void)state;
	write_plain_process(10);
	session_writer_thread_init(&thread, 10, 10);
	const size_t folded = session_writer_add_node(&thread, 0, 0x1000, 3, 30);
	thread.nodes[folded].index |= TARE_NODE_FOLDED;
	thread.nodes[folded].folded_elapsed = -7;
	thread.nodes[folded].folded_os = -2;
	thread.nodes[0].folded_elapsed = 37;
	thread.nodes[1].buckets[0] = 2;
	session_writer_write_thread(&thread, directory, "thread.10.10.0");
	assemble();
	assert_int_equal(node_count, 3);
	assert_true(nodes[1].folded);
	assert_string_equal(function_name(nodes[1].function), "[other]");
	assert_true(nodes[2].folded);
	assert_int_equal(nodes[2].folded_elapsed_ticks, -7);
	assert_int_equal(nodes[2].folded_os_ticks, -2);
	assert_false(nodes[0].folded);
	assert_int_equal(nodes[0].folded_elapsed_ticks, 37);
}

static void test_limits_are_kept(void **state)
{
	struct session_writer_process process;
	struct session_writer_thread thread;
	size_t count;

	(void)state;
	session_writer_process_init(&process, 10);
	process.header.limits = TARE_LIMIT_MEMORY;
	session_writer_write_process(&process, directory, "process.10.0");
	session_writer_thread_init(&thread, 10, 10);
	thread.header.limits = TARE_LIMIT_NODES | TARE_LIMIT_THREADS;
	session_writer_write_thread(&thread, directory, "thread.10.10.0");
	assemble();
	assert_int_equal(profile_processes(profile, &count)->limits, TARE_LIMIT_MEMORY);
	assert_int_equal(profile_threads(profile, &count)->limits,
			 TARE_LIMIT_NODES | TARE_LIMIT_THREADS);
}

static void test_threads_go_to_their_process_file(void **state)
{
	struct session_writer_process process;
	struct session_writer_thread thread;

	(void)state;
	/* two processes of one id at the same time, in namespaces of their own */
	for (int image = 0; image < 2; image++) {
		char name[32];
		session_writer_process_init(&process, 10);
		process.header.begin_ticks = 900 + (uint64_t)image * 50;
		snprintf(name, sizeof(name), "process.10.%d", image);
		session_writer_write_process(&process, directory, name);
		session_writer_thread_init(&thread, 10, 10);
		thread.header.begin_ticks = 1000 + (uint64_t)image * 2000;
		thread.header.process_begin_ticks = process.header.begin_ticks;
		snprintf(name, sizeof(name), "thread.10.10.%d", image);
		session_writer_write_thread(&thread, directory, name);
	}
	assemble();
	size_t count;
	const struct profile_thread *rows = profile_threads(profile, &count);
	assert_int_equal(count, 2);
	assert_int_equal(rows[0].process, 1);
	assert_int_equal(rows[0].begin_ticks, 1000);
	assert_int_equal(rows[1].process, 2);
}

static void test_children_are_left_out_where_not_followed(void **state)
{
	(void)state;
	write_plain_process(10);
	write_plain_process(11);
	recording_put_number(&recording, "follow", 0);
	recording_put_number(&recording, "command_pid", 11);
	assemble();
	size_t count;
	const struct profile_process *rows = profile_processes(profile, &count);
	assert_int_equal(count, 1);
	assert_int_equal(rows[0].pid, 11);
}

static void test_programs_not_followed_have_rows(void **state)
{
	struct session_writer_process writer;

	(void)state;
	session_writer_process_init(&writer, 10);
	session_writer_open_module(&writer, "/usr/bin/sh", 0x10000, 100);
	session_writer_add_unfollowed(&writer, "/opt/a32", TARE_UNFOLLOWED_FOREIGN, 3);
	session_writer_add_unfollowed(&writer, "/opt/failed", TARE_UNFOLLOWED_TRACED, 0);
	session_writer_add_unfollowed(&writer, "", TARE_UNFOLLOWED_REACH, 1);
	writer.header.images_unreached = 1;
	session_writer_write_process(&writer, directory, "process.10.0");
	recording_put_number(&recording, "guests", 2);
	assemble();
	size_t count;
	const struct profile_unfollowed *rows = profile_unfollowed(profile, &count);
	assert_int_equal(count, 3);
	assert_int_equal(rows[0].process, 1);
	assert_string_equal(rows[0].path, "/opt/a32");
	assert_string_equal(rows[0].reason, "foreign");
	assert_int_equal(rows[0].count, 3);
	assert_string_equal(rows[1].reason, "unreachable");
	assert_int_equal(rows[2].process, 0);
	assert_string_equal(rows[2].reason, "guest");
	assert_int_equal(rows[2].count, 2);
	assert_int_equal(profile_processes(profile, &count)->images_unfollowed, 4);
	/* What is left alone on purpose makes no profile partial. */
	assert_non_null(strstr(assembled.reason.data, "1 programs that process 10"));
	assert_null(strstr(assembled.reason.data, "3 programs"));
}

static void test_damaged_unfollowed_records(void **state)
{
	static const struct {
		uint32_t reason, count;
	} damaged[] = {{TARE_UNFOLLOWED_NOT, 1},
		       {TARE_UNFOLLOWED_REASONS, 1},
		       {UINT32_MAX, 1},
		       {TARE_UNFOLLOWED_TRACED, UINT32_MAX}};
	struct session_writer_process writer;
	struct process_file process;
	struct error err;

	(void)state;
	session_writer_process_init(&writer, 10);
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		session_writer_add_unfollowed(&writer, "/opt/a", damaged[i].reason,
					      damaged[i].count);
	const size_t end = writer.size;
	session_writer_add_unfollowed(&writer, "/opt/endless", TARE_UNFOLLOWED_TRACED, 1);
	memset(writer.records + end + sizeof(struct tare_unfollowed_record), 'x',
	       writer.size - end - sizeof(struct tare_unfollowed_record));
	session_writer_add_unfollowed(&writer, "/opt/good", TARE_UNFOLLOWED_TRACED, 1);
	session_writer_write_process(&writer, directory, "process.10.0");
	assert_true(process_file_read(&process, session.fd, "process.10.0", &err));
	assert_int_equal(process.damaged, 5);
	assert_int_equal(process.unfollowed.len, 1);
	assert_string_equal(process.unfollowed.data[0].path, "/opt/good");
	process_file_fini(&process);
}

static void write_halfway_thread(uint64_t gate)
{
	struct session_writer_thread thread;

	write_plain_process(10);
	session_writer_thread_init(&thread, 10, 10);
	const size_t node = session_writer_add_node(&thread, 0, 0x1000, 5, 1000);
	session_writer_add_os(&thread, node, TARE_OS_SYSCALL, 100);
	thread.header.os_ticks += 10;
	thread.nodes[node].calls_by_call = 6;
	thread.header.gate = gate;
	session_writer_write_thread(&thread, directory, "thread.10.10.0");
}

static void test_a_kill_within_a_probe_is_no_damage(void **state)
{
	(void)state;
	write_halfway_thread(0x7fff0000);
	assemble();
	size_t count;
	const struct profile_thread *rows = profile_threads(profile, &count);
	assert_true(assembled.complete);
	assert_int_equal(rows[0].os_ticks, 100);
}

static void test_the_same_outside_of_probes_is(void **state)
{
	(void)state;
	write_halfway_thread(0);
	assemble();
	assert_false(assembled.complete);
	assert_non_null(strstr(assembled.reason.data, "damaged in 1 places"));
	assert_non_null(strstr(assembled.reason.data, "OS times add up to"));
}

static void test_killed_processes_and_recorders_are_told(void **state)
{
	struct session_writer_process process;

	(void)state;
	/* A pid that cannot exist. */
	session_writer_process_init(&process, 0x7ffffff0);
	process.header.flags = 0;
	session_writer_write_process(&process, directory, "process.2147483632.0");
	recording.exited = false;
	assemble();
	assert_false(assembled.complete);
	assert_non_null(strstr(assembled.reason.data, "was killed"));
	assert_non_null(strstr(assembled.reason.data, "the recorder was killed"));
	assert_int_equal(assembled.running, 0);
}

/* Each damages a thread of two nodes, a frame and an OS record in its own way. */
static void damage_parent(struct session_writer_thread *thread)
{
	thread->nodes[2].parent = session_writer_node_addr(3);
}
static void damage_self_parent(struct session_writer_thread *thread)
{
	thread->nodes[3].parent = session_writer_node_addr(3);
}
static void damage_parent_range(struct session_writer_thread *thread)
{
	thread->nodes[3].parent = session_writer_node_addr(1000000);
}
static void damage_root(struct session_writer_thread *thread)
{
	thread->nodes[0].parent = session_writer_node_addr(2);
}
static void damage_top(struct session_writer_thread *thread)
{
	thread->open_count = 0;
	thread->header.top = 12345;
}
static void damage_caller(struct session_writer_thread *thread)
{
	thread->nodes[3].parent = UINT64_MAX;
}
static void damage_caller_alignment(struct session_writer_thread *thread)
{
	thread->nodes[3].parent += 8;
}
static void damage_caller_cycle(struct session_writer_thread *thread)
{
	thread->nodes[3].parent += sizeof(struct tare_node);
}
static void damage_caller_folded(struct session_writer_thread *thread)
{
	thread->nodes[3].parent = session_writer_node_addr(1);
}
static void damage_chunk_first(struct session_writer_thread *thread)
{
	thread->header.chunks[0].first = 7;
}
static void damage_chunk_offset(struct session_writer_thread *thread)
{
	thread->header.chunks[0].file_offset = UINT64_MAX - 100;
}
static void damage_chunk_count(struct session_writer_thread *thread)
{
	thread->header.chunks[1].count = 0;
}
static void damage_chunks(struct session_writer_thread *thread)
{
	thread->header.chunk_count = UINT64_MAX;
	thread->header.chunks[0].kind = TARE_CHUNK_KINDS;
}
static void damage_start(struct session_writer_thread *thread)
{
	thread->nodes[3].child = UINT64_MAX;
}
static void damage_root_child(struct session_writer_thread *thread)
{
	thread->nodes[0].child = INT64_MAX / 2;
}
static void damage_run_addr(struct session_writer_thread *thread)
{
	thread->header.chunks[0].run_addr = UINT64_MAX - 100;
}
static void damage_os_node(struct session_writer_thread *thread)
{
	thread->os[0].node = 77;
}
static void damage_os_cause(struct session_writer_thread *thread)
{
	thread->os[0].cause = 6;
}
static void damage_node_count(struct session_writer_thread *thread)
{
	thread->header.node_count = UINT64_MAX;
}
static void damage_os_count(struct session_writer_thread *thread)
{
	thread->header.os_count = UINT64_MAX / 2;
}
static void damage_times(struct session_writer_thread *thread)
{
	thread->nodes[2].elapsed_ticks = UINT64_MAX;
	thread->header.begin_ticks = UINT64_MAX;
}
static void damage_calls(struct session_writer_thread *thread)
{
	thread->nodes[3].unwound = 0xffffffff;
	thread->nodes[3].calls_by_call = UINT64_MAX;
}
static void damage_zero_nodes(struct session_writer_thread *thread)
{
	thread->header.node_count = 0;
}

static void (*const damages[])(struct session_writer_thread *) = {
	damage_parent,	      damage_self_parent, damage_parent_range,	   damage_root,
	damage_top,	      damage_caller,	  damage_caller_alignment, damage_caller_cycle,
	damage_caller_folded, damage_chunk_first, damage_chunk_offset,	   damage_chunk_count,
	damage_chunks,	      damage_start,	  damage_root_child,	   damage_run_addr,
	damage_os_node,	      damage_os_cause,	  damage_node_count,	   damage_os_count,
	damage_times,	      damage_calls,	  damage_zero_nodes,
};

static void test_damage_is_survived_and_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct session_writer_thread thread;
		write_plain_process(10);
		session_writer_thread_init(&thread, 10, 10);
		const size_t outer = session_writer_add_node(&thread, 0, 0x1000, 1, 100);
		const size_t inner = session_writer_add_node(&thread, outer, 0x2000, 1, 100);
		session_writer_open_call(&thread, outer, 0, OPEN_ENTERED);
		session_writer_open_call(&thread, inner, 30, OPEN_ENTERED);
		session_writer_add_os(&thread, inner, TARE_OS_BLOCKED, 10);
		damages[i](&thread);
		session_writer_write_thread(&thread, directory, "thread.10.10.0");
		assemble();
		if (assembled.complete)
			fail_msg("damage %zu went unnoticed", i);
		assert_true(node_count >= 1);
	}
}

static void test_files_of_another_kind_are_left_out(void **state)
{
	struct session_writer_thread thread;
	char path[96];

	(void)state;
	write_plain_process(10);
	session_writer_thread_init(&thread, 10, 10);
	thread.header.abi = 99;
	session_writer_write_thread(&thread, directory, "thread.10.10.0");
	session_writer_thread_init(&thread, 12, 12);
	session_writer_write_thread(&thread, directory, "thread.12.12.0");
	snprintf(path, sizeof(path), "%s/thread.10.11.0", directory);
	const int fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, &thread.header.magic, 8), 8);
	assert_int_equal(close(fd), 0);
	/* made, and its process killed; and laid aside, and never needed */
	snprintf(path, sizeof(path), "%s/thread.10.12.0", directory);
	assert_int_equal(close(open(path, O_WRONLY | O_CREAT, 0600)), 0);
	snprintf(path, sizeof(path), "%s/spare.10.0", directory);
	assert_int_equal(close(open(path, O_WRONLY | O_CREAT, 0600)), 0);
	snprintf(path, sizeof(path), "%s/process.77.0", directory);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assemble();
	assert_false(assembled.complete);
	assert_int_equal(assembled.threads, 0);
	assert_int_equal(assembled.processes, 1);
	assert_non_null(strstr(assembled.reason.data, "version 99"));
	assert_non_null(strstr(assembled.reason.data, "thread.10.11.0 is cut off"));
	assert_non_null(strstr(assembled.reason.data, "thread.12.12.0 belongs to no process"));
	assert_non_null(strstr(assembled.reason.data, "process.77.0"));
	assert_null(strstr(assembled.reason.data, "thread.10.12.0"));
	assert_null(strstr(assembled.reason.data, "spare"));
}

/* The test's own executable stands for a module; its functions are found by address. */
static void test_keys_become_functions_of_their_modules(void **state)
{
	struct session_writer_process process;
	struct session_writer_thread thread;
	struct error err = {0};
	size_t count;
	char self[512];

	(void)state;
	const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	assert_true(length > 0);
	self[length] = 0;
	struct object *object = object_open(self, OBJECT_SYMBOLS, &err);
	assert_non_null(object);
	uint64_t link_addr = 0;
	const struct object_symbol *symbols = object_symbols(object, &count);
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(symbols[i].name, "main"))
			link_addr = symbols[i].addr;
	}
	assert_int_not_equal(link_addr, 0);
	object_close(object);

	enum { BIAS = 0x40000000, GONE = 0x100 };
	session_writer_process_init(&process, 10);
	session_writer_open_module(&process, self, BIAS, 100);
	session_writer_write_process(&process, directory, "process.10.0");
	session_writer_thread_init(&thread, 10, 10);
	session_writer_add_node(&thread, 0, BIAS + link_addr, 1, 10);
	session_writer_add_node(&thread, 0, GONE, 1, 10);
	session_writer_write_thread(&thread, directory, "thread.10.10.0");
	assemble();
	assert_int_equal(node_count, 3);
	assert_string_equal(function_name(nodes[1].function), "main");
	const struct profile_function *functions = profile_functions(profile, &count);
	const struct profile_module *modules = profile_modules(profile, &count);
	const struct profile_function *found = &functions[nodes[1].function - 1];
	assert_int_equal(found->link_addr, link_addr);
	assert_string_equal(modules[found->module - 1].path, self);
	found = &functions[nodes[2].function - 1];
	assert_string_equal(found->name, "");
	assert_int_equal(found->link_addr, GONE);
	assert_string_equal(modules[found->module - 1].name, "[unknown]");
	assert_string_equal(profile_processes(profile, &count)->executable, self);
}

/* ---- the runtime's own samples ---- */

/* One sample of a thread that ran from begin to end. */
static void write_timer(int tid, int image, uint64_t begin_ticks, uint64_t end_ticks)
{
	struct {
		struct tare_timer_file header;
		struct {
			struct tare_timer_record record;
			uint64_t frame;
		} sample;
	} timer = {
		.header = {.magic = TARE_TIMER_MAGIC,
			   .abi = TARE_TIMER_ABI,
			   .pid = 10,
			   .tid = tid,
			   .process_begin_ticks = 900,
			   .begin_ticks = begin_ticks,
			   .end_ticks = end_ticks,
			   .period_ns = 1000000,
			   .used_bytes = TARE_TIMER_RECORDS + sizeof(timer.sample),
			   .samples = 1,
			   .periods = 3,
			   .in_runtime = (uint64_t)image + 1,
			   .in_runtime_periods = 4 * ((uint64_t)image + 1),
			   .early_in_runtime_periods = image ? 3 : 0,
			   .signals = 2,
			   .tick_signals = 1,
			   .handler_ticks = 6000},
		.sample = {.record = {.size_bytes = sizeof(timer.sample),
				      .kind = TARE_TIMER_SAMPLE,
				      .complete = 1,
				      .own = 1,
				      .periods = 3,
				      .ticks = begin_ticks + 5},
			   .frame = 0x123456},
	};
	struct str path = {0};

	str_printf(&path, "%s/timer.10.%d.%d", directory, tid, image);
	const int fd = open(path.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_int_equal(pwrite(fd, &timer.header, sizeof(timer.header), 0), sizeof(timer.header));
	assert_int_equal(pwrite(fd, &timer.sample, sizeof(timer.sample), TARE_TIMER_RECORDS),
			 sizeof(timer.sample));
	close(fd);
	str_fini(&path);
}

static void write_thread_of(int tid, int image, uint64_t begin_ticks, uint64_t end_ticks)
{
	struct session_writer_thread thread;
	char name[64];

	session_writer_thread_init(&thread, 10, tid);
	thread.header.process_begin_ticks = 900;
	thread.header.begin_ticks = begin_ticks;
	thread.header.end_ticks = end_ticks;
	snprintf(name, sizeof(name), "thread.10.%d.%d", tid, image);
	session_writer_write_thread(&thread, directory, name);
}

/* Begin of the thread that the samples of a time are said to be of. */
static uint64_t sampled_thread_begins[2];

static bool take_chunk(int64_t id, const struct profile_sample_chunk *row, void *context)
{
	size_t count;
	const struct profile_thread *threads = profile_threads(profile, &count);

	(void)id;
	(void)context;
	assert_in_range(row->thread, 1, count);
	assert_int_equal(row->samples, 3); /* one for each period */
	sampled_thread_begins[row->begin_ticks > 2500] = threads[row->thread - 1].begin_ticks;
	return true;
}

/* Of two files: a handler of 3 us each, four signals with an interrupt of their own, two without.
 */
static void test_what_samples_by_timers_take(void **state)
{
	size_t count;

	(void)state;
	write_plain_process(10);
	write_timer(11, 0, 1000, 2000);
	write_timer(12, 1, 3000, 4000);
	recording_put_number(&recording, "timer_ns", 9000);
	recording_put_number(&recording, "signal_ns", 600);
	assemble();
	const struct profile_sampling *row = profile_samplings(profile, &count);
	assert_int_equal(count, 1);
	assert_int_equal(row->interrupt_ns, (2 * 3000 + 4 * 9000 + 2 * 600) / 6);
}

/* The kernel has given the number of a thread that ended to another one. */
static void test_samples_go_to_the_thread_of_their_time(void **state)
{
	struct session_writer_process process;
	struct error err;
	size_t count;

	(void)state;
	session_writer_process_init(&process, 10);
	process.header.begin_ticks = 900;
	session_writer_write_process(&process, directory, "process.10.0");
	write_thread_of(11, 0, 1000, 2000);
	write_thread_of(11, 1, 3000, 4000);
	write_timer(11, 0, 1000, 2000);
	write_timer(11, 1, 3000, 4000);
	assemble();
	const struct profile_thread *threads = profile_threads(profile, &count);
	assert_int_equal(count, 2);
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t own = threads[i].begin_ticks == 1000 ? 1 : 2;
		/* Of the second thread's, three were taken before it had a clock. */
		const uint64_t kept = own == 1 ? 4 : 8 - 3;
		assert_int_equal(threads[i].samples_in_runtime, kept);
		assert_int_equal(threads[i].weight_in_runtime, kept * 1000000);
	}
	assert_true(profile_each_sample_chunk(profile, take_chunk, NULL, &err));
	assert_int_equal(sampled_thread_begins[0], 1000);
	assert_int_equal(sampled_thread_begins[1], 3000);
}

int main(void)
{
#define ASSEMBLE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		ASSEMBLE_TEST(test_open_calls_count_and_keep_their_time),
		ASSEMBLE_TEST(test_inherited_calls_count_in_the_parent),
		ASSEMBLE_TEST(test_sums_that_disagree_make_it_partial),
		ASSEMBLE_TEST(test_sums_below_the_clock_make_it_partial),
		ASSEMBLE_TEST(test_values_of_a_node),
		ASSEMBLE_TEST(test_losses_of_a_process_are_told),
		ASSEMBLE_TEST(test_os_time_never_exceeds_elapsed),
		ASSEMBLE_TEST(test_cost_is_given_back),
		ASSEMBLE_TEST(test_a_clock_below_zero_is_no_damage),
		ASSEMBLE_TEST(test_folded_nodes_are_marked),
		ASSEMBLE_TEST(test_limits_are_kept),
		ASSEMBLE_TEST(test_threads_go_to_their_process_file),
		ASSEMBLE_TEST(test_children_are_left_out_where_not_followed),
		ASSEMBLE_TEST(test_programs_not_followed_have_rows),
		ASSEMBLE_TEST(test_damaged_unfollowed_records),
		ASSEMBLE_TEST(test_a_kill_within_a_probe_is_no_damage),
		ASSEMBLE_TEST(test_the_same_outside_of_probes_is),
		ASSEMBLE_TEST(test_killed_processes_and_recorders_are_told),
		ASSEMBLE_TEST(test_damage_is_survived_and_told),
		ASSEMBLE_TEST(test_files_of_another_kind_are_left_out),
		ASSEMBLE_TEST(test_keys_become_functions_of_their_modules),
		ASSEMBLE_TEST(test_samples_go_to_the_thread_of_their_time),
		ASSEMBLE_TEST(test_what_samples_by_timers_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
