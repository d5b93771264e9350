/*
 * See make_ranks.h. Each rank solves for 100 us times its number, and waits for the others in
 * MPI_Barrier, spinning at first and then asleep; the last rank alone writes. Beside them are
 * mpirun, which is no rank, and a shell that began one.
 */
#include "tests/golden/make_ranks.h"
#include "tests/support/small_profile.h"

#include <string.h>

enum { RANKS = 4, NODES = 8, STEP = 100000 };
enum { MAIN = 1, SOLVE, KERNEL, BARRIER, PROGRESS, INIT, WRITE };

static struct error err;

static void require(bool ok)
{
	small_require(ok, &err);
}

static int64_t add_process(struct profile_writer *writer, const char *name, int64_t pid,
			   const char *launcher)
{
	const int64_t rank = pid % 10;
	struct profile_process row = small_process_row(pid, name);

	row.parent_pid = 5000;
	row.host = rank < 2 ? "node1" : "node2";
	row.launcher = launcher;
	row.rank = launcher ? (uint64_t)rank : 0;
	row.ranks = launcher ? RANKS : 0;
	const int64_t id = profile_add_process(writer, &row, &err);

	require(id != 0);
	return id;
}

static void add_functions(struct profile_writer *writer)
{
	const int64_t program = small_module(writer, "/home/user/solver");
	const int64_t library = small_module(writer, "/usr/lib/x86_64-linux-gnu/libmpi.so.40");

	small_function(writer, program, "main", 0x1000);
	small_function(writer, program, "solve", 0x1100);
	small_function(writer, program, "kernel", 0x1200);
	small_function(writer, library, "PMPI_Barrier", 0x1000);
	small_function(writer, library, "opal_progress", 0x1100);
	small_function(writer, library, "PMPI_Init", 0x1200);
	small_function(writer, program, "write_result", 0x1300);
}

/* Of thread `thread`, from id `first` on. Returns how many. */
static size_t put_nodes(struct small_node *to, int64_t thread, int64_t first, uint64_t rank)
{
	const uint64_t work = (rank + 1) * STEP, wait = RANKS * STEP - work;
	const bool writes = rank == RANKS - 1;
	const struct small_node nodes[NODES] = {
		{thread, 0, 0, 0, 1000, 0, 0, 0},
		{thread, first, MAIN, 1, 3000, 0, 0, 0},
		{thread, first + 1, INIT, 1, 90000, TARE_OS_SYSCALL, 1000, 20000},
		{thread, first + 1, SOLVE, 10, 1000 * (rank + 1), 0, 0, 0},
		{thread, first + 3, KERNEL, 10 * (rank + 1), work, 0, 0, 0},
		{thread, first + 3, BARRIER, 10, 2000, 0, 0, 0},
		{thread, first + 5, PROGRESS, 500 * (RANKS - rank), 1000 + wait, TARE_OS_BLOCKED,
		 wait / 2, 0},
		{thread, first + 1, WRITE, 1, 7000, 0, 0, 0},
	};

	memcpy(to, nodes, sizeof(nodes));
	return writes ? NODES : NODES - 1;
}

static struct small_times times_of(uint64_t rank)
{
	const uint64_t work = (rank + 1) * STEP, wait = RANKS * STEP - work;

	return (struct small_times){.now = 97000 + 1000 * (rank + 1) + work + wait +
					   (rank == RANKS - 1 ? 7000 : 0),
				    .os = 21000 + wait / 2,
				    .blocked = 20000 + wait / 2};
}

void make_ranks(const char *directory)
{
	struct small_node nodes[RANKS * NODES];
	struct str path = {0};
	size_t count = 0;

	str_printf(&path, "%s/ranks.tare", directory);
	struct profile_writer *writer = small_profile_open(path.data);
	add_functions(writer);
	small_thread(writer, add_process(writer, "mpirun", 5000, NULL), 5000, 0, 0);
	small_thread(writer, add_process(writer, "sh", 5010, "Open MPI"), 5010, 0, 0);
	for (uint64_t rank = 0; rank < RANKS; rank++) {
		const struct small_times times = times_of(rank);
		const int64_t pid = 5100 + (int64_t)rank;
		small_thread_of(writer, add_process(writer, "solver", pid, "Open MPI"), pid,
				&times);
	}
	for (uint64_t rank = 0; rank < RANKS; rank++)
		count += put_nodes(nodes + count, 3 + (int64_t)rank, (int64_t)count + 1, rank);
	small_nodes(writer, nodes, count);
	small_profile_commit(writer);
	str_fini(&path);
}
