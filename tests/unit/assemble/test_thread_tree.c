/* Adding up one thread's tree: what its probes took, by node, and full counters of calls. */
#include "assemble/thread_tree.h"
#include "tests/support/session_writer.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/tare-tree-XXXXXX";

static void read_thread(struct thread_file *thread, const struct session_writer_thread *writer)
{
	struct error err;

	session_writer_write_thread(writer, directory, "thread");
	const int fd = open(directory, O_RDONLY | O_DIRECTORY);
	if (!thread_file_read(thread, fd, "thread", &err))
		fail_msg("%s", err.message);
	close(fd);
}

static void test_overhead_by_kind_of_event(void **state)
{
	struct session_writer_thread thread_file;
	struct thread_file thread;
	struct tree tree;
	static const uint64_t cost[TARE_EVENT_KINDS] = {[TARE_EVENT_ENTER] = 1,
							[TARE_EVENT_LEAVE] = 10,
							[TARE_EVENT_CALL] = 100,
							[TARE_EVENT_RETURN] = 1000};

	(void)state;
	session_writer_thread_init(&thread_file, 10, 10);
	const size_t outer = session_writer_add_node(&thread_file, 0, 0x1000, 1, 10);
	const size_t entered = session_writer_add_node(&thread_file, outer, 0x2000, 7, 10);
	const size_t called = session_writer_add_node(&thread_file, outer, 0x3000, 3, 10);
	thread_file.nodes[entered].unwound = 2;
	thread_file.nodes[called].calls_by_call = 3;
	thread_file.nodes[called].clamped_ticks = 40;
	session_writer_open_call(&thread_file, outer, 5, OPEN_ENTERED);
	read_thread(&thread, &thread_file);
	tree_init(&tree, &thread);
	tree.nodes[outer].reports_enter = tree.nodes[entered].reports_enter = true;
	tree_compute_overhead(&tree, cost);
	/* outer: 2 ENTER (one in progress), 5 LEAVE of `entered`, 3 RETURN of `called`. */
	assert_int_equal(tree.nodes[outer].overhead_ticks, 2 + 50 + 3000);
	assert_int_equal(tree.nodes[entered].overhead_ticks, 7);
	assert_int_equal(tree.nodes[called].overhead_ticks, 300 - 40);
	assert_int_equal(tree.nodes[0].overhead_ticks, 10);
	assert_int_equal(tree.overhead_ticks, 2 + 50 + 3000 + 7 + 260 + 10);
	tree_fini(&tree);
	thread_file_fini(&thread);
}

/* The costs followed the processor's pace: half as much again was taken off as calibrated. */
static void test_overhead_is_what_was_taken_off(void **state)
{
	struct session_writer_thread thread_file;
	struct thread_file thread;
	struct tree tree;
	static const uint64_t cost[TARE_EVENT_KINDS] = {
		[TARE_EVENT_CALL] = 60, [TARE_EVENT_RETURN] = 40};

	(void)state;
	session_writer_thread_init(&thread_file, 10, 10);
	const size_t called = session_writer_add_node(&thread_file, 0, 0x1000, 10, 10);
	thread_file.nodes[called].calls_by_call = 10;
	thread_file.nodes[called].clamped_ticks = 100;
	thread_file.header.own_ticks = 7;
	thread_file.header.idle_ticks = 70;
	thread_file.header.off_ticks = 700;
	thread_file.header.switches_ticks = 7000;
	thread_file.header.lost_ticks = thread_file.header.begin_ticks + 7777 + 1500 - 100;
	read_thread(&thread, &thread_file);
	tree_init(&tree, &thread);
	tree_compute_overhead(&tree, cost);
	assert_int_equal(tree.nodes[called].overhead_ticks, 900 - 100);
	assert_int_equal(tree.nodes[0].overhead_ticks, 600);
	tree_fini(&tree);
	/* no processor changes as much */
	thread.header.lost_ticks += 3000;
	tree_init(&tree, &thread);
	tree_compute_overhead(&tree, cost);
	assert_int_equal(tree.nodes[called].overhead_ticks, 600 - 100);
	assert_int_equal(tree.nodes[0].overhead_ticks, 400);
	tree_fini(&tree);
	thread_file_fini(&thread);
}

/* What full counters have moved to a record are calls of the node. */
static void test_full_buckets(void **state)
{
	uint64_t lengths[TARE_CALL_BUCKETS];
	struct session_writer_thread thread_file;
	struct thread_file thread;

	(void)state;
	session_writer_thread_init(&thread_file, 10, 10);
	const size_t node = session_writer_add_node(&thread_file, 0, 0x1000, 3, 30);
	const uint32_t bucket = tare_call_bucket(10);
	thread_file.nodes[node].buckets[TARE_CALL_BUCKETS - 1] = 2;
	thread_file.nodes[node].buckets[0] = 4;
	thread_file.nodes[node].calls_by_call = TARE_BUCKET_FULL + 9ULL;
	for (uint16_t at = 0; at < 2; at++)
		thread_file.os[thread_file.header.os_count++] = (struct tare_os_record){
			.node = (uint32_t)node,
			.cause = TARE_RECORD_CALLS,
			.syscall_number = at ? TARE_CALL_BUCKETS : (uint16_t)bucket,
			.count = TARE_BUCKET_FULL};
	read_thread(&thread, &thread_file);
	assert_int_equal(thread_file_calls(&thread, node), TARE_BUCKET_FULL + 9ULL);
	thread_file_lengths(&thread, node, lengths);
	assert_int_equal(lengths[bucket], TARE_BUCKET_FULL + 3ULL);
	assert_int_equal(lengths[0], 6);
	assert_int_equal(lengths[TARE_CALL_BUCKETS - 1], 0);
	assert_int_equal(thread.nodes[node].calls_by_call, TARE_BUCKET_FULL + 9ULL);
	assert_int_equal(thread.os_count, 0);
	assert_int_equal(thread.damaged, 1); /* the record of no bucket */
	thread_file_fini(&thread);
}

static int remove_directory(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/thread", directory);
	unlink(path);
	return rmdir(directory);
}

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overhead_by_kind_of_event),
		cmocka_unit_test(test_overhead_is_what_was_taken_off),
		cmocka_unit_test(test_full_buckets),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
