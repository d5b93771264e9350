/*
 * Writes the profiles of the golden tests into a directory: always the same ones.
 *   work     two processes, three threads, C and C++, recursion, OS time of every cause, coverage
 *   changed  work after a change of the program
 *   hostile  names that would do harm where they were not escaped
 *   cut      a recording that was cut off and lost events, with a function that was disarmed
 *   empty    a session in which nothing was recorded
 *   busy     a second in which two processes used CPU time
 * and those of make_ranks.h and make_samples.h.
 */
#include "tests/golden/make_ranks.h"
#include "tests/golden/make_samples.h"
#include "tests/support/small_profile.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct error err;

static void require(bool ok)
{
	small_require(ok, &err);
}

static struct profile_writer *open_in(const char *directory, const char *name)
{
	struct str path = {0};

	str_printf(&path, "%s/%s.tare", directory, name);
	struct profile_writer *writer = small_profile_open(path.data);
	str_fini(&path);
	return writer;
}

enum { MAIN = 1, PARSE, EVALUATE, FIND, PUSH_BACK, NAMELESS, TWIN_A, TWIN_B, READ, FUTEX, TINY };

static void add_work_functions(struct profile_writer *writer)
{
	const int64_t work = small_module(writer, "/usr/bin/work");
	const int64_t stripped = small_module(writer, "/usr/lib/x86_64-linux-gnu/libstripped.so.1");
	const int64_t libc = small_module(writer, "/usr/lib/x86_64-linux-gnu/libc.so.6");
	const struct profile_function parse = {.module = work,
					       .name = "parse",
					       .link_addr = 0x1200,
					       .size = 300,
					       .source = "/src/demo/parse.c",
					       .line = 42};

	small_function(writer, work, "main", 0x1100);
	require(profile_add_function(writer, &parse, &err) == PARSE);
	small_function(writer, work, "evaluate", 0x1400);
	small_function(writer, work,
		       "_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiSt4lessIS5_"
		       "ESaISt4pairIKS5_iEEE4findERS9_",
		       0x1600);
	small_function(writer, work, "_ZNSt6vectorIiSaIiEE9push_backERKi", 0x1700);
	small_function(writer, stripped, "", 0x5f40);
	small_function(writer, work, "init", 0x1800);
	small_function(writer, work, "init", 0x1900);
	small_function(writer, libc, "read", 0);
	small_function(writer, libc, "pthread_mutex_lock", 0);
	small_function(writer, work, "tiny", 0x1a00);
}

/* Nodes 1..10 are thread 1, 11..13 thread 2, 14..17 thread 3, of the second process. */
static const struct small_node work_nodes[] = {
	{1, 0, 0, 0, 12000, TARE_OS_MINOR_FAULT, 8000, 0},
	{1, 1, MAIN, 1, 50000, TARE_OS_PREEMPTED, 20000, 0},
	{1, 2, PARSE, 20, 400000, TARE_OS_MINOR_FAULT, 30000, 0},
	{1, 3, READ, 40, 250000, TARE_OS_SYSCALL, 240000, 0},
	{1, 3, FIND, 4000, 300000, 0, 0, 0},
	{1, 2, EVALUATE, 10, 80000, 0, 0, 0},
	{1, 6, EVALUATE, 100, 160000, TARE_OS_INTERRUPT, 5000, 0},
	{1, 7, PUSH_BACK, 9000, 110000, TARE_OS_MAJOR_FAULT, 40000, 0},
	{1, 7, TINY, 9000, 90000, 0, 0, 0},
	{1, 2, TWIN_A, 1, 1500, 0, 0, 0},
	{2, 0, 0, 0, 3000, 0, 0, 0},
	{2, 11, EVALUATE, 5, 60000, 0, 0, 0},
	{2, 12, FUTEX, 5, 700000, TARE_OS_BLOCKED, 699000, 0},
	{3, 0, 0, 0, 1000, 0, 0, 0},
	{3, 14, MAIN, 1, 7000, 0, 0, 0},
	{3, 15, NAMELESS, 3, 21000, 0, 0, 0},
	{3, 15, TWIN_B, 1, 900, 0, 0, 0},
};

static void add_threads_of(struct profile_writer *writer, const struct small_node *nodes)
{
	struct small_times times[4] = {0};

	for (size_t i = 0; i < COUNT(work_nodes); i++) {
		struct small_times *thread = &times[nodes[i].thread];
		thread->now += nodes[i].elapsed;
		thread->os += nodes[i].os + nodes[i].blocked;
		thread->blocked += nodes[i].blocked;
		if (nodes[i].cause == TARE_OS_BLOCKED)
			thread->blocked += nodes[i].os;
		if (nodes[i].cause == TARE_OS_PREEMPTED)
			thread->preempted += nodes[i].os;
	}
	const int64_t parent = small_process(writer, 4001, "work");
	const int64_t child = small_process(writer, 4003, "work");
	small_thread_of(writer, parent, 4001, &times[1]);
	small_thread_of(writer, parent, 4002, &times[2]);
	small_thread_of(writer, child, 4003, &times[3]);
}

static void add_os(struct profile_writer *writer)
{
	static const struct profile_os rows[] = {
		{4, TARE_OS_SYSCALL, 0, 3, 30, 180000, NULL, 90000, 0},
		{4, TARE_OS_SYSCALL, 0, 4, 10, 50000, NULL, 25000, 0},
		{13, TARE_OS_BLOCKED, 202, 0x7f0000001040, 5, 699000, NULL, 349500, 0},
		{2, TARE_OS_PREEMPTED, -1, 0, 2, 20000, NULL, 10000, 0},
		{8, TARE_OS_MAJOR_FAULT, -1, 0, 1, 40000, NULL, 20000, 0},
		{7, TARE_OS_INTERRUPT, 9999, 1, 1, 5000, NULL, 2500, 0},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		require(profile_add_os(writer, &rows[i], &err));
}

static void add_coverage(struct profile_writer *writer)
{
	static const struct profile_coverage rows[] = {
		{1, "main", 0x1100, 64, "instrumented", 1},
		{1, "parse", 0x1200, 300, "instrumented", 1},
		{1, "evaluate", 0x1400, 64, "instrumented", 1},
		{1, "evaluate.cold", 0x1500, 20, "part", 1},
		{1, "tiny_leaf", 0x1b00, 9, "small", 1},
		{1, "_start", 0x1000, 34, "startup", 1},
		{1, "_ZN3ns15jumperEv", 0x1c00, 90, "jump-unproven", 1},
		{2, "", 0x5f40, 128, "instrumented", 1},
		{2, "", 0x6000, 128, "jump-unproven", 1},
		{2, "", 0x6100, 16, "bad-target", 1},
		{3, "", 0, 0, "no-syscall", 3300},
		{3, "", 0, 0, "instrumented", 403},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		require(profile_add_coverage(writer, &rows[i], &err));
}

static void make_work(const char *directory)
{
	struct profile_writer *writer = open_in(directory, "work");

	add_work_functions(writer);
	add_threads_of(writer, work_nodes);
	small_nodes(writer, work_nodes, COUNT(work_nodes));
	add_os(writer);
	add_coverage(writer);
	require(profile_add_mark(writer, &(struct profile_mark){1, 7, "warm", 501000}, &err));
	require(profile_add_mark(writer, &(struct profile_mark){2, 8, NULL, 301000}, &err));
	small_profile_commit(writer);
}

/*
 * The same program after a change: std::map::find costs twice as much, the inner evaluate half,
 * parse is called otherwise, and tiny has one call more. Indexes are those of work_nodes.
 */
static void make_changed(const char *directory)
{
	enum { AT_FIND = 4, AT_EVALUATE = 6, AT_TINY = 8, OTHER_PARSE = 12 };
	struct profile_writer *writer = open_in(directory, "changed");
	struct small_node nodes[COUNT(work_nodes)];

	memcpy(nodes, work_nodes, sizeof(nodes));
	nodes[AT_FIND].elapsed *= 2;
	nodes[AT_EVALUATE].elapsed /= 2;
	nodes[AT_TINY].calls++;
	for (size_t i = 0; i < COUNT(nodes); i++)
		if (nodes[i].function == PARSE)
			nodes[i].function = OTHER_PARSE;
	add_work_functions(writer);
	small_function(writer, 1, "parse_fast", 0x1b00);
	add_threads_of(writer, nodes);
	small_nodes(writer, nodes, COUNT(nodes));
	add_coverage(writer);
	small_profile_commit(writer);
}

static void make_hostile(const char *directory)
{
	static const char *const names[] = {
		"main",
		"line\nbreak\tand\033[31mcolour",
		"quote\"comma,semicolon;back\\slash",
		"invalid\xff\xc3(utf8)\xed\xa0\x80",
		"<script>alert(1)</script>",
		"\xe2\x80\xaereversed\xe2\x80\x8b",
		"wide\xe6\xbc\xa2\xe5\xad\x97 caf\xc3\xa9 e\xcc\x81",
		" leading space",
		"=1+1",
	};
	struct profile_writer *writer = open_in(directory, "hostile");
	const int64_t process = small_process(writer, 7, "evil\nname\x7f");
	struct small_node nodes[COUNT(names) + 1] = {{.thread = 1}};

	small_thread(writer, process, 7, 1000 * COUNT(names), 0);
	const int64_t module = small_module(writer, "/tmp/dir\nwith newline/mod\"ule,\xfe");
	for (size_t i = 0; i < COUNT(names); i++) {
		small_function(writer, module, names[i], 0x100 * (i + 1));
		nodes[i + 1] = (struct small_node){.thread = 1,
						   .parent = (int64_t)i / 2 + 1,
						   .function = (int64_t)i + 1,
						   .calls = 1,
						   .elapsed = 1000};
	}
	small_nodes(writer, nodes, COUNT(nodes));
	require(profile_add_mark(writer, &(struct profile_mark){1, -1, "a\r\nb", 5000}, &err));
	small_profile_commit(writer);
}

static void make_cut(const char *directory)
{
	static const struct small_node nodes[] = {
		{.thread = 1}, {1, 1, 1, 3, 5000, 0, 0, 0}, {1, 2, 2, 20000, 500, 0, 0, 0}};
	struct profile_writer *writer = open_in(directory, "cut");
	struct profile_session session = small_profile_session();
	const struct profile_thread thread = {.process = 1,
					      .tid = 9,
					      .name = "cut",
					      .begin_ticks = 1500,
					      .now_ticks = 6200,
					      .dropped = 1234567,
					      .folded = 3,
					      .limits = TARE_LIMIT_NODES | TARE_LIMIT_DISK |
							TARE_LIMIT_SYSTEM,
					      .open_frames = 1};

	session.complete = false;
	session.incomplete_reason = "process 9 was killed by signal 9";
	session.exit_status = 137;
	const struct profile_process process = {.pid = 9,
						.parent_pid = 1,
						.name = "cut",
						.executable = "cut",
						.begin_ticks = 1000,
						.end_ticks = 2001000,
						.ended = true,
						.cost_ticks = {4, 4, 3, 3},
						.os_means = 7,
						.images_unfollowed = 14};
	require(profile_add_process(writer, &process, &err) == 1);
	static const struct profile_unfollowed unfollowed[] = {
		{1, "/opt/old/tool32", "foreign", 2},
		{1, "/bin/a\033[31mb\nc", "traced", 1},
		{1, "", "unreachable", 3},
		{1, "/opt/old/tool32", "foreign", 1},
		{1, "/bin/later", "unheard-of", 1},
		{1, "/bin/d", "no-copy", 1},
		{1, "/bin/e", "no-copy", 1},
		{0, NULL, "guest", 2}};
	for (size_t i = 0; i < COUNT(unfollowed); i++)
		require(profile_add_unfollowed(writer, &unfollowed[i], &err));
	require(profile_add_thread(writer, &thread, &err) == 1);
	const int64_t module = small_module(writer, "/bin/cut");
	small_function(writer, module, "main", 0x10);
	const struct profile_disarm disarm = {.process = 1,
					      .function =
						      small_function(writer, module, "tiny", 0x50),
					      .ticks = 2000,
					      .calls = 19000};
	require(profile_add_disarm(writer, &disarm, &err));
	small_nodes(writer, nodes, COUNT(nodes));
	/* main called itself, and tiny from there, on a path that has folded. */
	const struct profile_node folded[] = {{.id = 4,
					       .thread = 1,
					       .parent = 2,
					       .function = 1,
					       .calls = 1,
					       .elapsed_ticks = 40,
					       .elapsed_exclusive_min = 40,
					       .elapsed_exclusive_max = 40,
					       .folded_elapsed_ticks = 60},
					      {.id = 5,
					       .thread = 1,
					       .parent = 1,
					       .function = 2,
					       .calls = 3,
					       .elapsed_ticks = 60,
					       .elapsed_exclusive_min = 19,
					       .elapsed_exclusive_max = 21,
					       .folded = true}};
	for (size_t i = 0; i < COUNT(folded); i++)
		require(profile_add_node(writer, &folded[i], &err));
	require(profile_write_session(writer, &session, &err));
	require(profile_writer_commit(writer, &err));
}

/* Works, in one interval of which it was preempted; writes to who reads slowly; sleeps. */
static void make_waits(const char *directory)
{
	static const struct small_node nodes[] = {
		{1, 0, 0, 0, 1000, 0, 0, 0},
		{1, 1, 1, 1, 2000, 0, 0, 0},
		{1, 2, 2, 1, 1500000, TARE_OS_SWITCH, 600000, 0},
		{1, 2, 3, 40, 400000, TARE_OS_SYSCALL, 90000, 300000},
		{1, 2, 4, 10, 500000, TARE_OS_SYSCALL, 4000, 495000},
		{1, 2, 5, 1, 800000, TARE_OS_PREEMPTED, 780000, 0},
	};
	static const struct profile_os rows[] = {
		{3, TARE_OS_SWITCH, -1, 0, 1, 600000, NULL, 300000, 0},
		{4, TARE_OS_SYSCALL, 1, 1, 40, 90000, "pipe", 45000, 0},
		{4, TARE_OS_BLOCKED, 1, 1, 30, 300000, "pipe", 150000, 0},
		{5, TARE_OS_SYSCALL, 230, 10000000, 10, 4000, NULL, 2000, 0},
		{5, TARE_OS_BLOCKED, 230, 10000000, 10, 495000, NULL, 247500, 0},
		{6, TARE_OS_PREEMPTED, -1, 0, 1, 780000, NULL, 390000, 0},
	};
	static const char *const names[] = {"main", "compute", "write", "usleep", "shares"};
	struct profile_writer *writer = open_in(directory, "waits");
	const int64_t process = small_process(writer, 21, "waits");

	small_thread_of(writer, process, 21,
			&(struct small_times){3203000, 2269000, 795000, 780000});
	const int64_t module = small_module(writer, "/usr/bin/waits");
	for (size_t i = 0; i < COUNT(names); i++)
		small_function(writer, module, names[i], 0x100 * (i + 1));
	small_nodes(writer, nodes, COUNT(nodes));
	for (size_t i = 0; i < COUNT(rows); i++)
		require(profile_add_os(writer, &rows[i], &err));
	small_profile_commit(writer);
}

/* One is at work, more and more in two threads, then waits; the other one works at its end. */
static void make_busy(const char *directory)
{
	static const struct small_node nodes[] = {{.thread = 1, .elapsed = 1000000000},
						  {.thread = 2, .elapsed = 300000000}};
	struct profile_session session = small_profile_session();
	struct profile_writer *writer = open_in(directory, "busy");

	session.end_ticks = session.begin_ticks + 1000000000;
	small_thread(writer, small_process(writer, 12, "busy"), 12, 1000000000, 0);
	small_thread(writer, small_process(writer, 13, "helper"), 13, 300000000, 0);
	small_nodes(writer, nodes, COUNT(nodes));
	for (uint64_t i = 0; i < 60; i++) {
		const struct profile_cpu_use row = {
			.process = 1,
			.begin_ticks = session.begin_ticks + i * 10000000,
			.end_ticks = session.begin_ticks + (i + 1) * 10000000,
			.cpu_ticks = i * 333333};
		require(profile_add_cpu_use(writer, &row, &err));
	}
	const struct profile_cpu_use late = {
		.process = 2,
		.begin_ticks = session.begin_ticks + 733333333,
		.end_ticks = session.end_ticks,
		.cpu_ticks = 200000001,
	};
	const struct profile_cpu_use rest = {.begin_ticks = session.begin_ticks,
					     .end_ticks = session.end_ticks,
					     .cpu_ticks = 1234567};
	require(profile_add_cpu_use(writer, &late, &err));
	require(profile_add_cpu_use(writer, &rest, &err));
	require(profile_write_session(writer, &session, &err));
	require(profile_writer_commit(writer, &err));
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make_profile DIRECTORY\n");
		return 2;
	}
	make_work(argv[1]);
	make_changed(argv[1]);
	make_hostile(argv[1]);
	make_cut(argv[1]);
	make_busy(argv[1]);
	make_waits(argv[1]);
	make_ranks(argv[1]);
	small_profile_commit(open_in(argv[1], "empty"));
	make_vector(open_in(argv[1], "vector"));
	make_sampled(open_in(argv[1], "sampled"));
	make_switched(open_in(argv[1], "switched"));
	make_both(open_in(argv[1], "both"));
	return 0;
}
