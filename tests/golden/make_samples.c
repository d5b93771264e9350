/* See make_samples.h. */
#include "tests/golden/make_samples.h"

#include "tests/support/small_profile.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct error err;

static void require(bool ok)
{
	small_require(ok, &err);
}

/* ---- vector (d) of docs/explanation/data-values.md, 6 ---- */

void make_vector(struct profile_writer *writer)
{
	const int64_t process = small_process(writer, 70, "vector");
	const int64_t thread = small_thread(writer, process, 70, 0, 0);
	const int64_t module = small_module(writer, "/usr/bin/vector");
	const int64_t main_id = small_function(writer, module, "main", 0x100);
	const int64_t foo = small_function(writer, module, "foo", 0x200);
	const int64_t bar = small_function(writer, module, "bar", 0x300);
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	const int64_t in_main = small_stack(writer, 0, main_id, 0x110);
	const int64_t in_foo = small_stack(writer, in_main, foo, 0x210);
	const struct profile_stack_value values[] = {
		SMALL_VALUE(thread, event, small_stack(writer, in_foo, bar, 0x310), 3, 0, 0),
		SMALL_VALUE(thread, event, in_foo, 2, 0, 0),
		SMALL_VALUE(thread, event, in_main, 1, 0, 0),
		SMALL_VALUE(thread, event, small_stack(writer, in_foo, foo, 0x220), 1, 0, 0),
	};
	const struct profile_sampling sampling = {
		.collector = "perf", .unwinding = "rules", .samples = 7};

	require(profile_add_sampling(writer, &sampling, &err));
	for (size_t i = 0; i < COUNT(values); i++)
		small_samples(writer, &values[i]);
	small_profile_commit_as(writer, "sample");
}

/* ---- sampled ---- */

enum { MAIN = 1, PARSE, PUSH_BACK, HOSTILE, CLONE, READ, SYSCALL, FAULT, JIT, NAMELESS };
enum { CLOCK = 1, WAITS };

static void add_functions(struct profile_writer *writer)
{
	const int64_t work = small_module(writer, "/usr/bin/work");
	const int64_t libc = small_module(writer, "/usr/lib/x86_64-linux-gnu/libc.so.6");
	const int64_t kernel = small_module(writer, "[kernel.kallsyms]");
	const int64_t jit = small_module(writer, "/tmp/perf-4003.map");
	const struct profile_function parse = {.module = work,
					       .name = "parse",
					       .link_addr = 0x1200,
					       .size = 300,
					       .source = "/src/demo/parse.c",
					       .line = 42};

	small_function(writer, work, "main", 0x1100);
	require(profile_add_function(writer, &parse, &err) == PARSE);
	small_function(writer, work, "_ZNSt6vectorIiSaIiEE9push_backERKi", 0x1700);
	small_function(writer, work, "evil\n<script>\",;\xff", 0x1900);
	small_function(writer, libc, "__clone3", 0xf000);
	small_function(writer, libc, "read", 0xe000);
	small_function(writer, kernel, "do_syscall_64", 0xffffffff81a00000);
	small_function(writer, kernel, "asm_exc_page_fault", 0xffffffff81c00000);
	small_function(writer, jit, "LazyCompile:~add /app.js:3", 0x7f0000001000);
	small_function(writer, work, "", 0x1a00);
}

/* Locations 1 … in the order of the stacks below; 7 stands below two of them. */
static const struct {
	int64_t parent, function;
	uint64_t link_addr;
} stacks[] = {
	{0, MAIN, 0x1144},		  /* 1 */
	{1, PARSE, 0x1234},		  /* 2: push_back inlined into helper into parse */
	{1, PARSE, 0x1240},		  /* 3 */
	{3, PUSH_BACK, 0x1710},		  /* 4 */
	{3, READ, 0xe010},		  /* 5 */
	{5, SYSCALL, 0xffffffff81a00042}, /* 6 */
	{0, CLONE, 0xf010},		  /* 7 */
	{7, HOSTILE, 0x1912},		  /* 8 */
	{8, HOSTILE, 0x1920},		  /* 9: recursion */
	{9, FAULT, 0xffffffff81c00010},	  /* 10 */
	{7, NAMELESS, 0x1a08},		  /* 11 */
	{11, JIT, 0x7f0000001010},	  /* 12 */
	{0, PUSH_BACK, 0x1718},		  /* 13: cut off */
};

static const struct profile_location_line lines[] = {
	{1, 0, "main", 2, 12, 0},
	{2, 0, "_ZNSt6vectorIiSaIiEE9push_backERKi", 3, 1280, 9},
	{2, 1, "helper", 1, 30, 5},
	{2, 2, "parse", 1, 57, 3},
	{3, 0, "parse", 1, 61, 0},
	{4, 0, "_ZNSt6vectorIiSaIiEE9push_backERKi", 3, 1281, 0},
	{8, 0, "evil\n<script>\",;\xff", 4, 5, 0},
	{9, 0, "evil\n<script>\",;\xff", 4, 5, 0},
	{13, 0, "_ZNSt6vectorIiSaIiEE9push_backERKi", 3, 1281, 0},
};

static void add_stacks(struct profile_writer *writer)
{
	static const char *const sources[] = {"/src/demo/parse.c", "/src/demo/main.c",
					      "/usr/include/c++/12/bits/stl_vector.h",
					      "/tmp/dir\n<b>/e\"vil,.c"};

	for (size_t i = 0; i < COUNT(stacks); i++)
		small_stack(writer, stacks[i].parent, stacks[i].function, stacks[i].link_addr);
	for (size_t i = 0; i < COUNT(sources); i++) {
		const struct profile_source source = {.path = sources[i]};
		require(profile_add_source(writer, &source, &err));
	}
	for (size_t i = 0; i < COUNT(lines); i++)
		require(profile_add_location_line(writer, &lines[i], &err));
}

static void add_values(struct profile_writer *writer)
{
	/* Threads 1 and 2 are of the first process, 3 is of the second. */
	static const struct profile_stack_value values[] = {
		SMALL_VALUE(1, CLOCK, 1, 3, 0, 0),
		SMALL_VALUE(1, CLOCK, 2, 420, 0, 0),
		SMALL_VALUE(1, CLOCK, 3, 55, 0, 0),
		SMALL_VALUE(1, CLOCK, 4, 130, 0, 0),
		SMALL_VALUE(1, CLOCK, 6, 44, 0, 0),
		SMALL_VALUE(1, CLOCK, 13, 6, 0, 6),
		SMALL_VALUE(1, CLOCK, 0, 2, 0, 2),
		SMALL_VALUE(2, CLOCK, 8, 61, 0, 0),
		SMALL_VALUE(2, CLOCK, 9, 150, 0, 0),
		SMALL_VALUE(2, CLOCK, 10, 17, 0, 1),
		SMALL_VALUE(3, CLOCK, 11, 9, 0, 0),
		SMALL_VALUE(3, CLOCK, 12, 100, 0, 0),
		SMALL_VALUE(1, WAITS, 6, 12, 1500000000, 0),
		SMALL_VALUE(2, WAITS, 9, 900, 30000000, 0),
	};
	static const struct small_sample first[] = {
		{1000, 2, 1003009}, {1003009, 2, 1003009}, {1003009, 4, 1003009}, {500, 6, 7}};
	static const struct small_sample second[] = {{70000, 8, 1003009}, {1003009, 9, 1003009}};

	for (size_t i = 0; i < COUNT(values); i++) {
		struct profile_stack_value value = values[i];
		if (value.event == CLOCK)
			value.weight = value.samples * 1003009;
		small_samples(writer, &value);
	}
	small_chunk(writer, (struct profile_sample_chunk){1, CLOCK, 1000, 0, COUNT(first), {0}},
		    first);
	small_chunk(writer, (struct profile_sample_chunk){2, CLOCK, 1000, 0, COUNT(second), {0}},
		    second);
}

/* Who ended the waits of the first two threads; of some nobody knows. */
static void add_wakers(struct profile_writer *writer)
{
	static const struct profile_wake wakes[] = {{2, 9, 0}, {0, 0, 0}, {3, 12, 1}};
	static const struct profile_waker wakers[] = {
		{1, WAITS, 6, 3, 8, 1200000000, 500000000},
		{1, WAITS, 6, 2, 2, 100000000, 60000000},
		{2, WAITS, 9, 0, 10, 1000000, 200000},
	};
	/* Of the first thread's, one ended by the second and one by an interrupt. */
	static const struct profile_woken woken[] = {{1, 6, 3, 1000000, 1490000, 1500000},
						     {1, 6, 2, 1600000, 1659000, 1660000},
						     {2, 9, 0, 1700000, 1700000, 1700200}};

	for (size_t i = 0; i < COUNT(wakes); i++)
		require(profile_add_wake(writer, &wakes[i], &err));
	for (size_t i = 0; i < COUNT(wakers); i++)
		require(profile_add_waker(writer, &wakers[i], &err));
	for (size_t i = 0; i < COUNT(woken); i++)
		require(profile_add_woken(writer, &woken[i], &err));
}

void make_sampled(struct profile_writer *writer)
{
	static const struct profile_sampling collectors[] = {
		{"perf", "", "rules", true, 985, 7, 0, {{2345, 0, 13, 2, 1}}},
		{"timer",
		 "perf_event_open was refused in process 4003: Operation not permitted",
		 "rules",
		 false,
		 12,
		 2,
		 0,
		 {{0, 5, 1, 0, 0}}},
	};
	const int64_t parent = small_process(writer, 4001, "work");
	const int64_t child = small_process(writer, 4003, "node\t\x1b[31m");

	small_thread(writer, parent, 4001, 0, 0);
	small_thread(writer, parent, 4002, 0, 0);
	small_thread(writer, child, 4003, 0, 0);
	add_functions(writer);
	require(small_event(writer, "cpu-clock", "ns") == CLOCK);
	require(small_event(writer, "off-cpu", "ns") == WAITS);
	for (size_t i = 0; i < COUNT(collectors); i++)
		require(profile_add_sampling(writer, &collectors[i], &err));
	add_stacks(writer);
	add_values(writer);
	add_wakers(writer);
	require(profile_add_mark(writer, &(struct profile_mark){1, 7, "warm", 1004009}, &err));
	small_profile_commit_as(writer, "sample");
}

/* ---- switched ---- */

enum { SWITCHED_BEGIN = 101000, ROUNDS = 20, ROUND_NS = 90000 };

/* Stacks in the order in which they are written. */
enum { IN_MAIN = 1, IN_SERVE, IN_LOCK, IN_READ, IN_EPOLL };

static void add_switched_stacks(struct profile_writer *writer)
{
	const struct profile_module libc = {
		.name = "libc.so.6", .path = "/usr/lib/libc.so.6", .build_id = "", .system = true};
	const int64_t program = small_module(writer, "/usr/bin/serve");
	const int64_t library = profile_add_module(writer, &libc, &err);
	const int64_t kernel = small_module(writer, "[kernel.kallsyms]");
	const struct {
		int64_t module;
		const char *name;
		uint64_t addr;
	} functions[] = {{program, "main", 0x100},
			 {program, "serve", 0x200},
			 {library, "pthread_mutex_lock", 0x1000},
			 {library, "read", 0x2000},
			 {kernel, "__x64_sys_epoll_wait", 0xffffffff81000000}};

	for (size_t i = 0; i < COUNT(functions); i++)
		small_function(writer, functions[i].module, functions[i].name, functions[i].addr);
	const int64_t in_main = small_stack(writer, 0, 1, 0x110);
	const int64_t in_serve = small_stack(writer, in_main, 2, 0x210);
	small_stack(writer, in_serve, 3, 0x1010);
	small_stack(writer, in_serve, 4, 0x2010);
	small_stack(writer, in_serve, 5, 0xffffffff81000010);
}

/* A sample of a thread in each round, `at` behind its begin. */
struct each_round {
	int64_t thread, event;
	uint64_t at, stacks[2], weight; /* stacks: by turns */
};

static void add_each_round(struct profile_writer *writer, const struct each_round *each)
{
	struct small_sample samples[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		samples[i] =
			(struct small_sample){i ? ROUND_NS : 0, each->stacks[i % 2], each->weight};
	for (int i = 0; i < 2; i++) {
		const struct profile_stack_value value =
			SMALL_VALUE(each->thread, each->event, (int64_t)each->stacks[i], ROUNDS / 2,
				    ROUNDS / 2 * each->weight, 0);
		small_samples(writer, &value);
	}
	small_chunk(writer,
		    (struct profile_sample_chunk){
			    each->thread, each->event, SWITCHED_BEGIN + each->at, 0, ROUNDS, {0}},
		    samples);
}

void make_switched(struct profile_writer *writer)
{
	enum { CPU_CLOCK = 1, OFF_CPU, PREEMPTED };
	static const struct each_round rounds[] = {
		{1, CPU_CLOCK, 1000, {IN_SERVE, IN_MAIN}, 10000},
		{1, OFF_CPU, 20000, {IN_LOCK, IN_READ}, 30000},
		{1, PREEMPTED, 60000, {IN_SERVE, IN_MAIN}, 5000},
		{2, CPU_CLOCK, 500, {IN_SERVE, IN_LOCK}, 10000},
		{2, OFF_CPU, 10000, {IN_EPOLL, IN_LOCK}, 75000},
	};
	const struct profile_sampling sampling = {.collector = "perf",
						  .unwinding = "rules",
						  .kernel = true,
						  .samples = COUNT(rounds) * ROUNDS};
	const int64_t process = small_process(writer, 60, "serve");

	for (int i = 0; i < 2; i++) {
		const struct profile_thread thread = {.process = process,
						      .tid = 60 + i,
						      .name = i ? "worker" : "serve",
						      .begin_ticks = SWITCHED_BEGIN,
						      .end_ticks =
							      SWITCHED_BEGIN + ROUNDS * ROUND_NS};
		require(profile_add_thread(writer, &thread, &err) != 0);
	}
	add_switched_stacks(writer);
	small_event(writer, "cpu-clock", "ns");
	small_event(writer, "off-cpu", "ns");
	small_event(writer, "preempted", "ns");
	require(profile_add_sampling(writer, &sampling, &err));
	for (size_t i = 0; i < COUNT(rounds); i++)
		add_each_round(writer, &rounds[i]);
	small_profile_commit_as(writer, "sample");
}

/* ---- both ---- */

void make_both(struct profile_writer *writer)
{
	static const struct small_node nodes[] = {
		{1, 0, 0, 0, 4000, 0, 0, 0},
		{1, 1, 1, 1, 96000, TARE_OS_PREEMPTED, 6000, 0},
		{1, 2, 2, 10, 700000, 0, 0, 0},
		{1, 2, 3, 10, 200000, TARE_OS_SYSCALL, 1000, 0},
		{1, 2, 4, 3, 500000, TARE_OS_BLOCKED, 500000, 0},
	};
	const int64_t process = small_process(writer, 90, "both");
	const int64_t thread = small_thread_of(
		writer, process, 90, &(struct small_times){1500000, 507000, 500000, 6000});
	const int64_t module = small_module(writer, "/usr/bin/both");
	static const char *const names[] = {"main", "hot", "warm", "sleeps", "unseen"};
	const struct profile_sampling sampling = {
		.collector = "perf", .unwinding = "rules", .samples = 1000, .in_runtime = 55};

	for (size_t i = 0; i < COUNT(names); i++)
		small_function(writer, module, names[i], 0x100 * (i + 1));
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	const int64_t in_main = small_stack(writer, 0, 1, 0x110);
	const int64_t in_hot = small_stack(writer, in_main, 2, 0x210);
	const int64_t in_warm = small_stack(writer, in_main, 3, 0x310);
	const int64_t in_unseen = small_stack(writer, in_warm, 5, 0x510);
	const struct profile_stack_value values[] = {
		SMALL_VALUE(thread, event, in_main, 90, 0, 0),
		SMALL_VALUE(thread, event, in_hot, 620, 0, 0),
		SMALL_VALUE(thread, event, in_warm, 199, 0, 0),
		SMALL_VALUE(thread, event, in_unseen, 88, 0, 0),
		SMALL_VALUE(thread, event, 0, 3, 0, 3),
	};

	small_nodes(writer, nodes, COUNT(nodes));
	require(profile_add_sampling(writer, &sampling, &err));
	for (size_t i = 0; i < COUNT(values); i++)
		small_samples(writer, &values[i]);
	small_profile_commit_as(writer, "instrument,sample");
}
