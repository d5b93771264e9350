/* Which call paths fold for want of room, and what becomes of their values. */
#include "assemble/path_room.h"
#include "assemble/thread_fold.h"
#include "tests/support/session_writer.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Functions, which are their own ids. */
enum { FIRST = 1, SECOND, THIRD, FOURTH };

static char directory[] = "/tmp/tare-fold-XXXXXX";
static struct thread_file thread;
static struct tree tree;
static struct resolve_target targets[SESSION_WRITER_NODES];
static struct thread_fold fold;

static void read_tree(const struct session_writer_thread *writer)
{
	struct error err;

	session_writer_write_thread(writer, directory, "thread");
	const int fd = open(directory, O_RDONLY | O_DIRECTORY);
	if (!thread_file_read(&thread, fd, "thread", &err))
		fail_msg("%s", err.message);
	close(fd);
	tree_init(&tree, &thread);
	for (size_t i = 0; i < thread.node_count; i++)
		targets[i].function = (int64_t)thread.nodes[i].key;
}

/*
 *   root ─▶ FIRST (1000) ─▶ SECOND (500)
 *                       ├─▶ THIRD (30) ─▶ SECOND (20) ─▶ THIRD (5)
 *                       └─▶ FOURTH (10, 4 of them a system call)
 */
static void make_tree(void)
{
	struct session_writer_thread writer;

	session_writer_thread_init(&writer, 10, 10);
	const size_t first = session_writer_add_node(&writer, 0, FIRST, 1, 1000);
	session_writer_add_node(&writer, first, SECOND, 50, 500);
	const size_t third = session_writer_add_node(&writer, first, THIRD, 3, 30);
	const size_t below = session_writer_add_node(&writer, third, SECOND, 2, 20);
	session_writer_add_node(&writer, below, THIRD, 7, 5);
	const size_t last = session_writer_add_node(&writer, first, FOURTH, 1, 10);
	session_writer_add_os(&writer, last, TARE_OS_SYSCALL, 4);
	read_tree(&writer);
}

static void free_tree(void)
{
	thread_fold_fini(&fold);
	tree_fini(&tree);
	thread_file_fini(&thread);
}

/* Sums of the rows of one function. */
struct sums {
	uint64_t calls, elapsed_ticks, os_ticks, lengths;
	int64_t beyond; /* what the folded row's inclusive time has beyond its own */
	size_t rows, folded;
};

static struct sums sums_of(int64_t function)
{
	struct sums sums = {0};

	for (uint32_t i = 1; i < thread.node_count; i++) {
		uint64_t lengths[TARE_CALL_BUCKETS];

		if (!tree.nodes[i].keep || targets[i].function != function)
			continue;
		sums.rows++;
		sums.calls += tree.nodes[i].calls;
		sums.elapsed_ticks += tree.nodes[i].elapsed_ticks;
		sums.os_ticks += tree.nodes[i].os_ticks[TARE_OS_SYSCALL];
		thread_fold_lengths(&fold, &thread, i, lengths);
		for (uint32_t bucket = 0; bucket < TARE_CALL_BUCKETS; bucket++)
			sums.lengths += lengths[bucket];
		if (!thread.folded[i])
			continue;
		sums.folded++;
		sums.beyond += thread.nodes[i].folded_elapsed;
		assert_int_equal(thread.parents[i], 0);
	}
	return sums;
}

static void assert_sums(int64_t function, struct sums expected)
{
	const struct sums found = sums_of(function);

	assert_int_equal(found.rows, expected.rows);
	assert_int_equal(found.folded, expected.folded);
	assert_int_equal(found.calls, expected.calls);
	assert_int_equal(found.lengths, expected.calls);
	assert_int_equal(found.elapsed_ticks, expected.elapsed_ticks);
	assert_int_equal(found.os_ticks, expected.os_ticks);
	assert_int_equal(found.beyond, expected.beyond);
}

/* Two have room: that of the first function, and the longest below it. */
static void test_paths_without_room_fold(void **state)
{
	struct thread_fold_sums all = {0};
	struct str settings = {0};
	uint64_t elapsed = 0;

	(void)state;
	make_tree();
	thread_fold_make(&fold, &tree, &thread, targets, 2);
	for (uint32_t i = 0; i < thread.node_count; i++)
		elapsed += tree.nodes[i].keep ? tree.nodes[i].elapsed_ticks : 0;
	assert_int_equal(elapsed, 1565);
	assert_sums(FIRST, (struct sums){.rows = 1, .calls = 1, .elapsed_ticks = 1000});
	assert_sums(
		SECOND,
		(struct sums){
			.rows = 2, .folded = 1, .calls = 52, .elapsed_ticks = 520, .beyond = 5});
	/* The inner call is within the outer one: 35 + 20 is what both took. */
	assert_sums(
		THIRD,
		(struct sums){
			.rows = 1, .folded = 1, .calls = 10, .elapsed_ticks = 35, .beyond = 20});
	assert_sums(
		FOURTH,
		(struct sums){
			.rows = 1, .folded = 1, .calls = 1, .elapsed_ticks = 10, .os_ticks = 4});
	assert_int_equal(thread.header.folded, 3 + 2 + 7 + 1);
	assert_int_equal(thread.header.limits, TARE_LIMIT_PATHS);
	/* The caller of what folded keeps its time. */
	for (uint32_t i = 1; i < thread.node_count; i++) {
		if (targets[i].function != FIRST)
			continue;
		assert_int_equal(thread.nodes[i].folded_elapsed, 30 + 20 + 5 + 10);
		assert_int_equal(thread.nodes[i].folded_os, 4);
	}
	/* The record of the system call is that of the row. */
	assert_int_equal(thread.os_count, 1);
	assert_int_equal(targets[thread.os[0].node].function, FOURTH);
	thread_fold_sum(&all, &fold, &tree);
	thread_fold_describe(&all, &settings);
	assert_string_equal(settings.data, " (folded: 4 call paths with 4.15 % of the CPU time)");
	str_fini(&settings);
	free_tree();
}

static void test_all_that_have_room_stay(void **state)
{
	struct thread_fold_sums all = {0};
	struct str settings = {0};

	(void)state;
	make_tree();
	thread_fold_make(&fold, &tree, &thread, targets, 6);
	assert_int_equal(fold.paths, 0);
	assert_sums(THIRD, (struct sums){.rows = 2, .calls = 10, .elapsed_ticks = 35});
	assert_int_equal(thread.header.limits, 0);
	thread_fold_sum(&all, &fold, &tree);
	thread_fold_describe(&all, &settings);
	assert_null(settings.data);
	free_tree();
}

/* Nothing has room: each function has one row, all below the root. */
static void test_no_path_has_room(void **state)
{
	(void)state;
	make_tree();
	thread_fold_make(&fold, &tree, &thread, targets, 0);
	assert_sums(
		FIRST,
		(struct sums){
			.rows = 1, .folded = 1, .calls = 1, .elapsed_ticks = 1000, .beyond = 565});
	assert_sums(
		SECOND,
		(struct sums){
			.rows = 1, .folded = 1, .calls = 52, .elapsed_ticks = 520, .beyond = 5});
	assert_int_equal(thread.nodes[0].folded_elapsed, 1565);
	free_tree();
}

static void put_os(struct session_writer_thread *writer, size_t node, enum tare_os_cause cause,
		   uint16_t number, uint64_t ticks)
{
	session_writer_add_os(writer, node, cause, ticks);
	writer->os[writer->header.os_count - 1].syscall_number = number;
}

static void put_range(int64_t *range, int64_t least, int64_t most)
{
	range[0] = least;
	range[1] = most;
}

/*
 *   root ─▶ FIRST (1000) ─▶ SECOND (500) ─▶ THIRD (30)
 *       │               ├─▶ THIRD (20)
 *       │               └─▶ FOURTH (10)
 *       └─▶ FOURTH, folded while it ran (300)
 */
static void make_values(void)
{
	struct session_writer_thread writer;

	session_writer_thread_init(&writer, 10, 10);
	const size_t first = session_writer_add_node(&writer, 0, FIRST, 1, 1000);
	const size_t second = session_writer_add_node(&writer, first, SECOND, 50, 500);
	const size_t third = session_writer_add_node(&writer, second, THIRD, 3, 30);
	const size_t other = session_writer_add_node(&writer, first, THIRD, 4, 20);
	const size_t last = session_writer_add_node(&writer, first, FOURTH, 2, 10);
	const size_t folded = session_writer_add_node(&writer, 0, FOURTH, 100, 300);

	writer.nodes[folded].index |= TARE_NODE_FOLDED;
	put_range(&writer.nodes[third].elapsed_inclusive_min, 5, 9);
	put_range(&writer.nodes[other].elapsed_inclusive_min, 2, 7);
	put_range(&writer.nodes[third].elapsed_exclusive_min, 3, 4);
	put_range(&writer.nodes[other].application_inclusive_min, 1, 6);
	put_range(&writer.nodes[third].application_exclusive_min, 4, 4);
	put_range(&writer.nodes[other].application_exclusive_min, 1, 5);
	put_os(&writer, third, TARE_OS_SYSCALL, 1, 4);
	put_os(&writer, other, TARE_OS_SYSCALL, 1, 3);
	put_os(&writer, other, TARE_OS_SYSCALL, 2, 2);
	put_os(&writer, third, TARE_OS_BLOCKED, 1, 5);
	put_os(&writer, other, TARE_OS_PREEMPTED, 1, 6);
	writer.nodes[third].unwound = 1;
	writer.nodes[other].unwound = 2;
	(void)last;
	read_tree(&writer);
}

/* The one row of a function whose paths have folded. */
static uint32_t folded_row(int64_t function)
{
	uint32_t row = 0;

	for (uint32_t i = 1; i < thread.node_count; i++) {
		if (!tree.nodes[i].keep || targets[i].function != function)
			continue;
		assert_int_equal(row, 0);
		assert_true(thread.folded[i]);
		row = i;
	}
	assert_int_not_equal(row, 0);
	return row;
}

static void assert_range(const int64_t *range, int64_t least, int64_t most)
{
	assert_int_equal(range[0], least);
	assert_int_equal(range[1], most);
}

static void assert_os(uint32_t row, enum tare_os_cause cause, uint16_t number, uint64_t count,
		      uint64_t ticks)
{
	size_t found = 0;

	for (size_t i = 0; i < thread.os_count; i++) {
		const struct tare_os_record *record = &thread.os[i];

		if (record->node != row || record->cause != cause ||
		    record->syscall_number != number)
			continue;
		assert_int_equal(record->count, count);
		assert_int_equal(record->ticks, ticks);
		found++;
	}
	assert_int_equal(found, 1);
}

static void test_values_of_rows(void **state)
{
	(void)state;
	make_values();
	thread_fold_make(&fold, &tree, &thread, targets, 2);
	const uint32_t row = folded_row(THIRD);
	const struct tare_node *node = &thread.nodes[row];

	assert_range(&node->elapsed_inclusive_min, 2, 9);
	assert_range(&node->elapsed_exclusive_min, 3, 4);
	assert_range(&node->application_inclusive_min, 1, 6);
	assert_range(&node->application_exclusive_min, 1, 5);
	assert_int_equal(node->unwound, 3);
	assert_int_equal(thread.os_count, 4);
	assert_os(row, TARE_OS_SYSCALL, 1, 2, 7);
	assert_os(row, TARE_OS_SYSCALL, 2, 1, 2);
	assert_os(row, TARE_OS_BLOCKED, 1, 1, 5);
	assert_os(row, TARE_OS_PREEMPTED, 1, 1, 6);
	/* What has folded was on a processor for all but its waits. */
	assert_int_equal(fold.cpu_ticks, 30 + 20 + 10 - 5 - 6);
	free_tree();
}

/* Waits of calls by two who had a lock: they follow their records, which stay two. */
static void test_waits_of_rows(void **state)
{
	static const struct tare_wait waits[] = {{.os = 1}, {.os = 4}, {.os = 2}, {0}, {.os = 3}};
	static const uint64_t ticks[] = {40, 30, 5, 7};
	bool used[SESSION_WRITER_NODES] = {false};

	(void)state;
	make_values();
	for (size_t i = 0; i < thread.number_count && i < TABLE_COUNT(used); i++)
		used[i] = tree.nodes[thread.numbers[i]].keep;
	for (size_t i = 0; i < TABLE_COUNT(ticks); i++) {
		thread.os[i].cause = TARE_OS_BLOCKED;
		thread.os[i].syscall_number = 202;
		thread.os[i].ticks = thread.os[i].longest_ticks = ticks[i];
		thread.os[i].holder.tid = i == 2 ? 77 : 66;
	}
	thread.waits = mem_zalloc(sizeof(waits));
	memcpy(thread.waits, waits, sizeof(waits));
	thread.wait_count = TABLE_COUNT(waits);
	thread_fold_make(&fold, &tree, &thread, targets, 2);
	assert_int_equal(thread.os_count, 3);
	for (size_t i = 0; i < TABLE_COUNT(waits); i++) {
		const uint32_t os = thread.waits[i].os;
		if (!waits[i].os) {
			assert_int_equal(os, 0);
			continue;
		}
		assert_in_range(os, 1, thread.os_count);
		assert_int_equal(thread.os[os - 1].cause, TARE_OS_BLOCKED);
		assert_int_equal(thread.os[os - 1].holder.tid, waits[i].os == 3 ? 77 : 66);
		assert_int_equal(thread.os[os - 1].ticks, waits[i].os == 3 ? 5 : 77);
		assert_int_equal(thread.os[os - 1].longest_ticks, waits[i].os == 3 ? 5 : 40);
	}
	/* Nodes by the file's numbers are those that are left. */
	for (size_t i = 0; i < thread.number_count; i++)
		assert_true(!used[i] || tree.nodes[thread.numbers[i]].keep);
	free_tree();
}

/* What folds for want of room joins what has folded while the program ran. */
static void test_rows_that_were_there(void **state)
{
	(void)state;
	make_values();
	thread_fold_make(&fold, &tree, &thread, targets, 2);
	const uint32_t row = folded_row(FOURTH);

	assert_int_equal(tree.nodes[row].calls, 102);
	assert_int_equal(tree.nodes[row].elapsed_ticks, 310);
	assert_int_equal(fold.paths, 3);
	free_tree();
}

/* Room goes by work, and what one thread does not need is the others'. */
static void test_room_of_threads(void **state)
{
	struct path_claim few = {.paths = 10, .ticks = 800}, busy = {.paths = 500, .ticks = 150},
			  idle = {.paths = 400, .ticks = 0}, calm = {.paths = 500, .ticks = 50};
	struct path_claim *claims[] = {&busy, &idle, &few, &calm};

	(void)state;
	path_room_share(claims, TABLE_COUNT(claims), 211);
	assert_int_equal(few.room, 10);
	assert_int_equal(busy.room, 150);
	assert_int_equal(calm.room, 50);
	assert_in_range(idle.room, 0, 1);
	path_room_share(NULL, 0, 211); /* of samples alone there are none */
	path_room_share(claims, TABLE_COUNT(claims), 10000);
	assert_int_equal(idle.room, 400);
	assert_int_equal(busy.room, 500);
	/* The usual number, for few threads. */
	path_room_share(claims, TABLE_COUNT(claims), 0);
	assert_int_equal(idle.room, 400);
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
		cmocka_unit_test(test_paths_without_room_fold),
		cmocka_unit_test(test_all_that_have_room_stay),
		cmocka_unit_test(test_no_path_has_room),
		cmocka_unit_test(test_values_of_rows),
		cmocka_unit_test(test_waits_of_rows),
		cmocka_unit_test(test_rows_that_were_there),
		cmocka_unit_test(test_room_of_threads),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
