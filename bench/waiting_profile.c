/*
 * Writes a profile of threads that run and wait by turns, always the same one for the same
 * arguments: for locks that the thread before has, for a socket, for work, and for a processor. The
 * first thread of a process is alone of its name.
 *
 * Usage: waiting_profile FILE [THREADS [WAITS [PROCESSES [CALLS]]]]. WAITS, CALLS: of each thread.
 * With CALLS there are event logs: run_jobs from the first to the last second, and in it calls by
 * turns of pthread_mutex_lock and recv, a half of the time; and a mark in each thread but the last,
 * after as many seconds as its number is.
 */
#include "base/base.h"
#include "profile/trace_record.h"
#include "profile/wait_record.h"
#include "tests/support/small_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { LOCK, SOCKET, WORK, PROCESSOR, KINDS };
enum { MAIN = 1, RUN, FIRST_WAIT, NODES_PER_THREAD = 2 + KINDS, SECONDS = 10 };
#define TICKS_PER_SECOND 3000000000U
#define BEGIN		 1000U

struct size {
	size_t threads, waits, processes, calls;
};

/* Of one thread: what its nodes and rows have. */
struct sums {
	uint64_t ran, waited[KINDS], longest[KINDS], count[KINDS];
};

static struct error err;
static uint64_t state = 88172645463325252U;

static void require(bool ok)
{
	if (ok)
		return;
	fprintf(stderr, "waiting_profile: %s\n", err.message);
	exit(1);
}

/* xorshift64 (Marsaglia, 2003) */
static uint64_t random_below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

static void add_functions(struct profile_writer *writer)
{
	static const char *const names[] = {"main", "run_jobs",	  "pthread_mutex_lock",
					    "recv", "epoll_wait", "compute"};
	const int64_t own = small_module(writer, "/usr/bin/server");
	const int64_t libc = small_module(writer, "/usr/lib/x86_64-linux-gnu/libc.so.6");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		small_function(writer, i < 2 || i == 5 ? own : libc, names[i], 0x100 * (i + 1));
}

/* The id of a row of OS time: there are KINDS of each thread. */
static int64_t os_of(int64_t thread, enum kind kind)
{
	return (thread - 1) * KINDS + kind + 1;
}

static enum kind next_kind(void)
{
	static const enum kind kinds[] = {LOCK, LOCK, LOCK, SOCKET, SOCKET,
					  WORK, WORK, WORK, WORK,   PROCESSOR};

	return kinds[random_below(sizeof(kinds) / sizeof(kinds[0]))];
}

/* Each takes the `turn` of the time, more or less. Returns how many there are: those that would end
   too late are left out. */
static size_t make_waits(struct byte_vec *data, int64_t thread, size_t waits, uint64_t turn,
			 struct sums *sums)
{
	struct wait_record before = {.lost_ticks = BEGIN};
	size_t count = 0;

	for (; count < waits && before.end + 3 * turn < (uint64_t)SECONDS * TICKS_PER_SECOND;
	     count++) {
		const enum kind kind = next_kind();
		const uint64_t ran = 1 + random_below(turn), waited = 1 + random_below(turn / 2);
		const uint64_t begin = before.end + ran;
		const struct wait_record wait = {.begin = begin,
						 .end = begin + waited + ran / 8,
						 .lost_ticks =
							 before.lost_ticks + random_below(200),
						 .blocked_ticks = kind == PROCESSOR ? 0 : waited,
						 .preempted_ticks = kind == PROCESSOR ? waited : 0,
						 .count = 1,
						 .os = (uint64_t)os_of(thread, kind)};

		wait_record_write(data, &before, &wait);
		sums->ran += ran + ran / 8;
		sums->waited[kind] += waited;
		sums->count[kind]++;
		if (sums->longest[kind] < waited)
			sums->longest[kind] = waited;
		before = wait;
	}
	sums->ran += turn;
	return count;
}

static void add_nodes(struct profile_writer *writer, int64_t thread, const struct sums *sums)
{
	const int64_t first = (thread - 1) * NODES_PER_THREAD + 1;

	for (int i = 0; i < NODES_PER_THREAD; i++) {
		const int kind = i - 2;
		struct profile_node row = {.id = first + i,
					   .parent = i == 0   ? 0
						     : i == 1 ? first
							      : first + 1,
					   .thread = thread,
					   .function = i == 0	? 0
						       : i == 1 ? RUN
								: FIRST_WAIT + kind,
					   .elapsed_ticks = i == 1     ? sums->ran
							    : kind < 0 ? 0
								       : sums->waited[kind]};
		uint64_t lengths[TARE_CALL_BUCKETS] = {0};

		if (i)
			row.calls = lengths[tare_call_bucket(row.elapsed_ticks)] = 1;
		if (kind >= 0)
			row.os_ticks[kind == PROCESSOR ? TARE_OS_PREEMPTED : TARE_OS_BLOCKED] =
				row.elapsed_ticks;
		row.lengths = lengths;
		require(profile_add_node(writer, &row, &err));
	}
}

/* Who had the lock is the thread before, in run_jobs. */
static void add_os(struct profile_writer *writer, int64_t thread, const struct sums *sums)
{
	static const int calls[KINDS] = {202, 45, 232, -1};

	for (int kind = 0; kind < KINDS; kind++) {
		const struct profile_os row = {.node = (thread - 1) * NODES_PER_THREAD + 3 + kind,
					       .cause = kind == PROCESSOR ? TARE_OS_PREEMPTED
									  : TARE_OS_BLOCKED,
					       .syscall_number = calls[kind],
					       .object = kind == LOCK ? 0x1000 : 3,
					       .path = kind == LOCK ? "queue_lock (server)" : NULL,
					       .count = sums->count[kind],
					       .ticks = sums->waited[kind],
					       .longest_ticks = sums->longest[kind]};

		require(profile_add_os(writer, &row, &err) == os_of(thread, (enum kind)kind));
	}
}

static void put(struct byte_vec *data, enum tare_trace_kind kind, uint64_t delta, uint32_t value)
{
	const struct trace_record record = {.kind = kind, .delta = delta, .value = value};

	trace_record_write(data, &record);
}

/* Calls of half a turn each, a half apart. */
static void add_calls(struct profile_writer *writer, const struct size *size, int64_t thread)
{
	const uint64_t second = TICKS_PER_SECOND, half = (SECONDS - 2) * second / size->calls / 2;
	struct byte_vec data = {0};

	put(&data, TARE_TRACE_ENTER, second, 1);
	for (size_t i = 0; i < size->calls; i++) {
		put(&data, TARE_TRACE_ENTER, i ? half : 0, 1 + i % 2);
		put(&data, TARE_TRACE_LEAVE, half, 0);
	}
	put(&data, TARE_TRACE_LEAVE, half, 0);
	const uint64_t events = 2 * size->calls + 2;
	const struct profile_trace log = {.thread = thread, .events = events};
	const struct profile_trace_chunk chunk = {.thread = thread,
						  .begin_ticks = BEGIN,
						  .end_ticks =
							  BEGIN + second + 2 * half * size->calls,
						  .events = events,
						  .data = {data.data, data.len}};
	const struct profile_mark mark = {
		.thread = thread, .mark = thread, .ticks = BEGIN + (uint64_t)thread * second};

	require(profile_add_trace(writer, &log, &err));
	require(profile_add_trace_chunk(writer, &chunk, &err));
	if (thread < (int64_t)size->threads && thread < SECONDS)
		require(profile_add_mark(writer, &mark, &err));
	vec_fini(&data);
}

static void add_thread(struct profile_writer *writer, const struct size *size, size_t index)
{
	const uint64_t turn = TICKS_PER_SECOND / (size->waits + 1) * SECONDS * 11 / 10;
	const bool leads = index % (size->threads / size->processes) == 0;
	const int64_t thread = (int64_t)index + 1;
	struct byte_vec data = {0};
	struct sums sums = {0};

	const size_t waits = make_waits(&data, thread, size->waits, turn, &sums);
	const uint64_t blocked = sums.waited[LOCK] + sums.waited[SOCKET] + sums.waited[WORK];
	const uint64_t preempted = sums.waited[PROCESSOR];
	const struct profile_thread row = {
		.process = 1 + (int64_t)(index / (size->threads / size->processes)),
		.tid = 5000 + thread,
		.name = leads ? "main" : "worker",
		.begin_ticks = BEGIN,
		.end_ticks = BEGIN + (uint64_t)SECONDS * TICKS_PER_SECOND,
		.now_ticks = sums.ran + blocked + preempted,
		.os_ticks = blocked + preempted,
		.blocked_ticks = blocked,
		.preempted_ticks = preempted};
	require(profile_add_thread(writer, &row, &err) == thread);
	add_nodes(writer, thread, &sums);
	add_os(writer, thread, &sums);
	const struct profile_wait list = {.thread = thread,
					  .waits = waits,
					  .blocked_ticks = blocked,
					  .preempted_ticks = preempted,
					  .data = {data.data, data.len}};
	require(profile_add_wait(writer, &list, &err));
	if (size->calls)
		add_calls(writer, size, thread);
	vec_fini(&data);
}

static void add_holders(struct profile_writer *writer, const struct size *size)
{
	for (int64_t thread = 2; thread <= (int64_t)size->threads; thread++) {
		const struct profile_holder row = {.os = os_of(thread, LOCK),
						   .thread = thread - 1,
						   .node = (thread - 2) * NODES_PER_THREAD + 2};

		require(profile_add_holder(writer, &row, &err));
	}
}

static size_t argument(int count, char **words, int index, size_t fallback)
{
	return index < count ? strtoul(words[index], NULL, 10) : fallback;
}

int main(int argc, char **argv)
{
	const struct size size = {argument(argc, argv, 2, 1000), argument(argc, argv, 3, 1000),
				  argument(argc, argv, 4, 1), argument(argc, argv, 5, 0)};
	struct profile_session session = small_profile_session();
	struct str name = {0};

	if (argc < 2 || !size.processes || size.threads < size.processes ||
	    size.threads % size.processes) {
		fputs("usage: waiting_profile FILE [THREADS [WAITS [PROCESSES [CALLS]]]]\n",
		      stderr);
		return 2;
	}
	struct profile_writer *writer = small_profile_open(argv[1]);
	session.ticks_per_second = TICKS_PER_SECOND;
	session.begin_ticks = BEGIN;
	session.end_ticks = BEGIN + (uint64_t)SECONDS * TICKS_PER_SECOND;
	for (size_t i = 0; i < size.processes; i++) {
		str_clear(&name);
		str_printf(&name, "server%zu", i);
		small_process(writer, 5000 + (int64_t)i * 100, name.data);
	}
	str_fini(&name);
	add_functions(writer);
	for (size_t i = 0; i < size.threads; i++)
		add_thread(writer, &size, i);
	add_holders(writer, &size);
	require(profile_write_session(writer, &session, &err));
	require(profile_writer_commit(writer, &err));
	return 0;
}
