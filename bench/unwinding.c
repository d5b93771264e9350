/*
 * What unwinding costs.
 *
 *   bench_unwinding stacks [-n STOPS] [-f FRAMES] COMMAND…   stacks of the command, stopped at
 * random moments; each walked again and again bench_unwinding tables FILE… the rules of files
 */
#include "tests/unwind/traced.h"
#include "unwind/build.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COPY_BYTES = 1 << 20, WALKS = 200, ROUNDS = 21 };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_value);
	return count ? values[count / 2] : 0;
}

/* ---- stacks ---- */

struct times {
	struct vec_of(double) frames, first_ns, warm_ns, per_frame_ns;
	size_t complete;
};

/* One page after the other, until there is no more. */
static size_t copy_stack(pid_t pid, uint64_t begin, unsigned char *copy)
{
	size_t size = 0;

	while (size < COPY_BYTES) {
		const size_t piece = 4096 - (begin + size) % 4096;
		const struct iovec here = {.iov_base = copy + size, .iov_len = piece};
		const struct iovec there = {.iov_base = (void *)(begin + size), .iov_len = piece};

		if (size + piece > COPY_BYTES ||
		    process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)piece)
			break;
		size += piece;
	}
	return size;
}

static void time_stack(struct traced *traced, size_t least, struct times *times)
{
	static unsigned char copy[COPY_BYTES];
	static struct unwind_frame frames[STACK_MAX];
	struct unwind_map *map =
		processes_get(traced->processes, (uint32_t)traced->pid)->memory->map;
	struct unwind_stack stack = {.frames = frames, .room = STACK_MAX};
	struct unwind_registers registers;
	double rounds[ROUNDS];

	if (!traced_unwind_registers(traced->pid, &registers))
		return;
	const uint64_t sp = registers.value[UNWIND_RSP];
	const struct unwind_memory memory = {
		.begin = sp, .size_bytes = copy_stack(traced->pid, sp, copy), .bytes = copy};
	const uint64_t begin = now_ns();

	unwind_walk(map, &registers, &memory, &stack);
	const double first = (double)(now_ns() - begin);
	if (stack.count < least)
		return;
	for (int round = 0; round < ROUNDS; round++) {
		const uint64_t start = now_ns();

		for (int i = 0; i < WALKS; i++)
			unwind_walk(map, &registers, &memory, &stack);
		rounds[round] = (double)(now_ns() - start) / WALKS;
	}
	const double warm = median(rounds, ROUNDS);

	vec_push(&times->frames, (double)stack.count);
	vec_push(&times->first_ns, first);
	vec_push(&times->warm_ns, warm);
	vec_push(&times->per_frame_ns, warm / (double)stack.count);
	times->complete += stack.end == UNWIND_ROOT;
}

static int time_stacks(char **command, size_t stops, size_t least)
{
	struct times times = {0};
	struct traced traced;
	unsigned seed = 1;
	int status;

	if (!traced_start(&traced, command))
		return 1;
	while (times.frames.len < stops) {
		ptrace(PTRACE_CONT, traced.pid, NULL, 0);
		seed = seed * 1103515245 + 12345;
		usleep(500 + seed % 2000);
		kill(traced.pid, SIGSTOP);
		if (waitpid(traced.pid, &status, __WALL) != traced.pid || !WIFSTOPPED(status))
			break;
		traced_look_again(&traced);
		time_stack(&traced, least, &times);
	}
	printf("%zu stacks, %zu complete; medians: %.0f frames, first walk %.0f ns, again %.0f ns, "
	       "%.1f ns a frame\n",
	       times.frames.len, times.complete, median(times.frames.data, times.frames.len),
	       median(times.first_ns.data, times.first_ns.len),
	       median(times.warm_ns.data, times.warm_ns.len),
	       median(times.per_frame_ns.data, times.per_frame_ns.len));
	traced_end(&traced);
	return 0;
}

/* ---- tables ---- */

static bool time_table(const char *path)
{
	struct unwind_build_statistics statistics;
	struct error err;
	const uint64_t begin = now_ns();
	struct object *object = object_open(path, OBJECT_UNWIND, &err);
	const uint64_t opened = now_ns();

	if (!object) {
		fprintf(stderr, "%s\n", err.message);
		return false;
	}
	struct unwind_table *table = unwind_table_build(object, UNWIND_GAPS_NONE, &statistics);

	printf("%s: opened in %.2f ms, table in %.2f ms: %zu functions (%zu refused), %u rows, %u "
	       "rules, %" PRIu64 " KiB\n",
	       path, (double)(opened - begin) / 1e6, (double)(now_ns() - opened) / 1e6,
	       statistics.functions, statistics.refused, table->row_count, table->rule_count,
	       table->size_bytes / 1024);
	free(table);
	object_close(object);
	return true;
}

int main(int argc, char **argv)
{
	size_t stops = 100, least = 1;
	int option, failed = 0;

	if (argc > 2 && strcmp(argv[1], "tables") == 0) {
		for (int i = 2; i < argc; i++)
			failed |= !time_table(argv[i]);
		return failed;
	}
	if (argc < 3 || strcmp(argv[1], "stacks") != 0)
		return 2;
	optind = 2;
	while ((option = getopt(argc, argv, "+n:f:")) > 0) {
		if (option == '?')
			return 2;
		*(option == 'n' ? &stops : &least) = strtoul(optarg, NULL, 10);
	}
	return time_stacks(argv + optind, stops, least);
}
