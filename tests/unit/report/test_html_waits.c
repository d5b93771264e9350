/* Work and waits in the page: whatever there is room for, all of the time is in it. */
#include "report/html/html_waits.h"

#include "tests/support/analysed.h"
#include "tests/support/html_columns.h"
#include "tests/support/small_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MAIN, READ, POLL, WAITS, IDLE };
enum { CLOCK = 1, OFF_CPU };

/* main and read work and wait, poll is idle. */
static void write_profile(bool with_waits)
{
	struct profile_writer *writer = small_profile_open(path);
	const int64_t process = small_process(writer, 5, "p");
	const int64_t thread = small_thread(writer, process, 5, 0, 0);
	const int64_t own = small_module(writer, "/bin/p");
	const struct profile_module system = {.path = "/lib/libc.so.6", .system = true};
	struct error err;
	const int64_t libc = profile_add_module(writer, &system, &err);
	const int64_t main_id = small_function(writer, own, "main", 0x10);
	const int64_t read_id = small_function(writer, libc, "read", 0x20);
	const int64_t poll_id = small_function(writer, libc, "poll", 0x30);
	const struct profile_sampling sampling = {.collector = "perf", .unwinding = "rules"};

	assert_true(profile_add_sampling(writer, &sampling, &err));
	small_event(writer, "cpu-clock", "ns");
	if (with_waits)
		small_event(writer, "off-cpu", "ns");
	const int64_t in_main = small_stack(writer, 0, main_id, 0x11);
	const int64_t in_read = small_stack(writer, in_main, read_id, 0x21);
	const int64_t in_poll = small_stack(writer, in_main, poll_id, 0x31);
	const struct profile_stack_value values[] = {
		SMALL_VALUE(thread, CLOCK, in_main, 3, 300, 0),
		SMALL_VALUE(thread, CLOCK, in_read, 1, 100, 0),
		SMALL_VALUE(thread, OFF_CPU, in_read, 2, 7000, 0),
		SMALL_VALUE(thread, OFF_CPU, in_poll, 1, 50000, 0),
		SMALL_VALUE(thread, OFF_CPU, 0, 1, 11, 0),
	};
	for (size_t i = 0; i < (with_waits ? 5 : 2); i++)
		small_samples(writer, &values[i]);
	small_profile_commit_as(writer, "sample");
	analysed_open(NULL);
}

struct tree {
	uint64_t count, parent[16], subject[16], ns[16], cut;
};

static struct tree pack_within(size_t most)
{
	struct html_pack pack = {0};
	struct tree tree = {0};
	struct error err;

	html_pack_init(&pack);
	assert_true(html_pack_waits_within(&pack, analysis, most, &err));
	const char *cut = pack.json.data ? strstr(pack.json.data, "\"waits_cut_ns\":") : NULL;
	if (cut) {
		sscanf(strchr(cut, ':') + 1, "%ju", &tree.cut);
		tree.count = html_column_read(&pack, "waits.parent", tree.parent, 16);
		tree.count = html_column_read(&pack, "waits.subject", tree.subject, 16);
		tree.count = html_column_read(&pack, "waits.ns", tree.ns, 16);
	}
	html_pack_fini(&pack);
	return tree;
}

/* The ns at the path of these subjects below the thread's root, the last one -1. */
static uint64_t ns_at(const struct tree *tree, const int *subjects)
{
	size_t at = 0;

	for (; *subjects >= 0; subjects++) {
		size_t next = at + 1;

		while (next < tree->count && (tree->subject[next] != (uint64_t)*subjects ||
					      next - tree->parent[next] != at))
			next++;
		assert_true(next < tree->count);
		at = next;
	}
	return tree->ns[at];
}

static void test_paths(void **state)
{
	(void)state;
	write_profile(true);
	const struct tree tree = pack_within(100);

	assert_int_equal(tree.cut, 0);
	assert_int_equal(tree.count, 8);
	assert_int_equal(tree.parent[0], 0);
	assert_int_equal(ns_at(&tree, (int[]){MAIN, -1}), 300);
	assert_int_equal(ns_at(&tree, (int[]){MAIN, READ, -1}), 100);
	assert_int_equal(ns_at(&tree, (int[]){MAIN, READ, WAITS, -1}), 7000);
	assert_int_equal(ns_at(&tree, (int[]){IDLE, MAIN, POLL, -1}), 50000);
	assert_int_equal(ns_at(&tree, (int[]){WAITS, -1}), 11);
}

static void test_no_room(void **state)
{
	(void)state;
	write_profile(true);
	for (size_t most = 0; most < 9; most++) {
		const struct tree tree = pack_within(most);
		uint64_t sum = 0;

		for (size_t i = 0; i < tree.count; i++)
			sum += tree.ns[i];
		assert_int_equal(sum, 300 + 100 + 7000 + 50000 + 11);
		assert_true(tree.count <= (most ? most : 1));
		assert_int_equal(tree.cut == 0, most >= 8);
	}
}

static void test_only_work(void **state)
{
	(void)state;
	write_profile(false);
	assert_int_equal(pack_within(100).count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_paths, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_no_room, analysed_begin, analysed_end),
		cmocka_unit_test_setup_teardown(test_only_work, analysed_begin, analysed_end)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
