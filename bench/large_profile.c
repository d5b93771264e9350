/*
 * Writes a large profile, always the same one for the same arguments: call paths of several threads
 * over functions of several modules, deep and wide as those of real programs are, with OS time and
 * histograms. Of profiles with different seeds, the first SHARED per cent of the call paths are the
 * same, the others and all values are not. With RANKS, each seed is a rank of a job of so many, on
 * a host of four, and every second job is of another build.
 *
 * Usage: large_profile FILE [NODES [MODULES [FUNCTIONS [THREADS [SEED [SHARED [RANKS]]]]]]]
 */
#include "tests/support/small_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MAX_DEPTH = 60 };

struct size {
	size_t nodes, modules, functions, threads, seed, shared, ranks;
};

static struct error err;
#define SEED 88172645463325252U

/* What paths are made of, and values. */
static uint64_t path_state = SEED, value_state = SEED;

static void require(bool ok)
{
	if (ok)
		return;
	fprintf(stderr, "large_profile: %s\n", err.message);
	exit(1);
}

/* xorshift64 (Marsaglia, 2003) */
static uint64_t random_of(uint64_t *state, uint64_t limit)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state % limit;
}

static uint64_t random_below(uint64_t limit)
{
	return random_of(&value_state, limit);
}

static void add_functions(struct profile_writer *writer, const struct size *size)
{
	struct str text = {0};

	for (size_t i = 0; i < size->modules; i++) {
		str_clear(&text);
		str_printf(&text, "/usr/lib/x86_64-linux-gnu/libpart%zu.so.%zu", i, i % 7);
		small_module(writer, text.data);
	}
	for (size_t i = 0; i < size->functions; i++) {
		str_clear(&text);
		if (i % 2)
			str_printf(&text, "part_%zu_function_%zu", i % size->modules, i);
		else
			str_printf(&text, "_ZN4part7SectionILi%zuEE7performESt6vectorIiSaIiEE", i);
		small_function(writer, (int64_t)(1 + i % size->modules), text.data,
			       0x1000 + 64 * i);
	}
	str_fini(&text);
}

/* The program's own module is the last one, so that functions have the same ones in any case. */
static void add_program(struct profile_writer *writer, const struct size *size)
{
	struct str build = {0};
	const size_t job = size->seed / size->ranks;

	str_printf(&build, "%040zx", job % 2 + 1);
	const struct profile_module row = {
		.name = "large", .path = "large", .build_id = build.data, .instrumented = true};
	require(profile_add_module(writer, &row, &err) != 0);
	str_fini(&build);
}

static int64_t add_process(struct profile_writer *writer, const struct size *size)
{
	struct str host = {0};
	struct profile_process row = small_process_row(4001, "large");

	if (!size->ranks)
		return small_process(writer, 4001, "large");
	row.pid += (int64_t)size->seed;
	row.begin_ticks += size->seed;
	row.rank = size->seed % size->ranks;
	row.ranks = size->ranks;
	row.launcher = "slurm";
	str_printf(&host, "node%02zu", size->seed / 4 % 100);
	row.host = host.data;
	const int64_t id = profile_add_process(writer, &row, &err);
	require(id != 0);
	str_fini(&host);
	return id;
}

/* The path that the node before ended; the thread's root is at 0. */
static int64_t path[PATH_MAX_DEPTH];
static size_t depth;

/* A walk: some calls up, and one down. */
static int64_t choose_parent(int64_t id, int64_t first)
{
	if (id == first) {
		path[0] = id;
		depth = 1;
		return 0;
	}
	const size_t up = random_of(&path_state, depth < PATH_MAX_DEPTH ? 3 : 20);
	depth -= up < depth ? up : depth - 1;
	const int64_t parent = path[depth - 1];
	path[depth++] = id;
	return parent;
}

static void add_node(struct profile_writer *writer, const struct size *size, int64_t id,
		     int64_t first)
{
	const uint64_t calls = 1 + random_below(1000), ticks = calls * (20 + random_below(500));
	struct profile_node row = {
		.id = id,
		.parent = choose_parent(id, first),
		.thread = 1 + (int64_t)((size_t)(id - 1) * size->threads / size->nodes),
		.function = id == first ? 0 : 1 + (int64_t)random_of(&path_state, size->functions),
		.calls = id == first ? 0 : calls,
		.elapsed_ticks = ticks,
		.overhead_ticks = calls * 8,
		.elapsed_inclusive_min = ticks / calls,
		.elapsed_inclusive_max = ticks,
		.elapsed_exclusive_min = 10,
		.elapsed_exclusive_max = ticks,
		.application_inclusive_min = 10,
		.application_inclusive_max = ticks,
		.application_exclusive_min = 10,
		.application_exclusive_max = ticks,
	};

	if (random_below(4) == 0)
		row.os_ticks[random_below(TARE_OS_CAUSES)] = ticks / 3;
	uint64_t lengths[TARE_CALL_BUCKETS] = {0};

	if (id != first)
		lengths[tare_call_bucket(ticks / calls)] = calls;
	row.lengths = lengths;
	require(profile_add_node(writer, &row, &err));
}

static void add_nodes(struct profile_writer *writer, const struct size *size)
{
	int64_t first = 1, thread = 0;

	for (int64_t id = 1; id <= (int64_t)size->nodes; id++) {
		const int64_t its = (int64_t)((size_t)(id - 1) * size->threads / size->nodes);
		if (its != thread)
			first = id;
		thread = its;
		if ((size_t)id == 1 + size->nodes * size->shared / 100)
			path_state += hash_u64(size->seed);
		add_node(writer, size, id, first);
	}
}

static size_t argument(int count, char **words, int index, size_t fallback)
{
	return index < count ? strtoul(words[index], NULL, 10) : fallback;
}

int main(int argc, char **argv)
{
	const struct size size = {argument(argc, argv, 2, 1000000), argument(argc, argv, 3, 50),
				  argument(argc, argv, 4, 20000),   argument(argc, argv, 5, 8),
				  argument(argc, argv, 6, 0),	    argument(argc, argv, 7, 0),
				  argument(argc, argv, 8, 0)};

	if (argc < 2 || !size.nodes || !size.modules || !size.functions || !size.threads) {
		fputs("usage: large_profile FILE [NODES [MODULES [FUNCTIONS [THREADS [SEED "
		      "[SHARED [RANKS]]]]]]]\n",
		      stderr);
		return 2;
	}
	value_state += hash_u64(size.seed);
	struct profile_writer *writer = small_profile_open(argv[1]);
	const int64_t process = add_process(writer, &size);
	for (size_t i = 0; i < size.threads; i++)
		small_thread(writer, process, 4001 + (int64_t)i, 0, 0);
	add_functions(writer, &size);
	if (size.ranks)
		add_program(writer, &size);
	add_nodes(writer, &size);
	small_profile_commit(writer);
	return 0;
}
