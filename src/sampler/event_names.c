/* perf's names, and the shorter ones that it also takes. */
#include "sampler/event_names.h"

#include <stdio.h>

#define SOFTWARE(name, config, meaning)                                                            \
	{                                                                                          \
		name, meaning, EVENT_COUNTED, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config           \
	}
#define HARDWARE(name, config, meaning)                                                            \
	{                                                                                          \
		name, meaning, EVENT_COUNTED, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config           \
	}

static const struct event_name names[] = {
	SOFTWARE("cpu-clock", CPU_CLOCK, "time on a processor"),
	SOFTWARE("task-clock", TASK_CLOCK, "time on a processor, by the task's clock"),
	SOFTWARE("page-faults", PAGE_FAULTS, "pages that had to be mapped"),
	SOFTWARE("faults", PAGE_FAULTS, NULL),
	SOFTWARE("minor-faults", PAGE_FAULTS_MIN, "page faults without reading from a disk"),
	SOFTWARE("major-faults", PAGE_FAULTS_MAJ, "page faults that read from a disk"),
	SOFTWARE("context-switches", CONTEXT_SWITCHES, "the processor went to another thread"),
	SOFTWARE("cs", CONTEXT_SWITCHES, NULL),
	SOFTWARE("cpu-migrations", CPU_MIGRATIONS, "the thread went to another processor"),
	SOFTWARE("migrations", CPU_MIGRATIONS, NULL),
	SOFTWARE("alignment-faults", ALIGNMENT_FAULTS, "the kernel mended an unaligned access"),
	SOFTWARE("emulation-faults", EMULATION_FAULTS, "the kernel emulated an instruction"),
	SOFTWARE("bpf-output", BPF_OUTPUT, "a BPF program wrote a sample"),
	SOFTWARE("cgroup-switches", CGROUP_SWITCHES, "the processor went to another cgroup"),
	{"off-cpu", "waits of threads, with their time", EVENT_OFF_CPU, PERF_TYPE_SOFTWARE, 0},
	{"preempted", "threads that could run but did not, with the time", EVENT_PREEMPTED,
	 PERF_TYPE_SOFTWARE, 0},
	HARDWARE("cycles", CPU_CYCLES, "cycles of the processor"),
	HARDWARE("cpu-cycles", CPU_CYCLES, NULL),
	HARDWARE("instructions", INSTRUCTIONS, "instructions executed"),
	HARDWARE("cache-references", CACHE_REFERENCES, "accesses to the last cache"),
	HARDWARE("cache-misses", CACHE_MISSES, "accesses that the last cache did not have"),
	HARDWARE("branches", BRANCH_INSTRUCTIONS, "branches executed"),
	HARDWARE("branch-instructions", BRANCH_INSTRUCTIONS, NULL),
	HARDWARE("branch-misses", BRANCH_MISSES, "branches predicted wrongly"),
	HARDWARE("bus-cycles", BUS_CYCLES, "cycles of the bus"),
	HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND,
		 "cycles that waited for instructions"),
	HARDWARE("idle-cycles-frontend", STALLED_CYCLES_FRONTEND, NULL),
	HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND,
		 "cycles that waited for data or units"),
	HARDWARE("idle-cycles-backend", STALLED_CYCLES_BACKEND, NULL),
	HARDWARE("ref-cycles", REF_CPU_CYCLES, "cycles at a constant frequency"),
};

static const char *const caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = "L1-dcache", [PERF_COUNT_HW_CACHE_L1I] = "L1-icache",
	[PERF_COUNT_HW_CACHE_LL] = "LLC",	 [PERF_COUNT_HW_CACHE_DTLB] = "dTLB",
	[PERF_COUNT_HW_CACHE_ITLB] = "iTLB",	 [PERF_COUNT_HW_CACHE_BPU] = "branch",
	[PERF_COUNT_HW_CACHE_NODE] = "node",
};
table_covers(caches, PERF_COUNT_HW_CACHE_MAX);
/* Operation and result; accesses are in the plural. */
static const char *const accesses[][2] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = {"loads", "load-misses"},
	[PERF_COUNT_HW_CACHE_OP_WRITE] = {"stores", "store-misses"},
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {"prefetches", "prefetch-misses"},
};
table_covers(accesses, PERF_COUNT_HW_CACHE_OP_MAX);

const struct event_name *event_names(size_t *count)
{
	*count = sizeof(names) / sizeof(names[0]);
	return names;
}

uint64_t event_cache_name(size_t index, char name[EVENT_CACHE_BYTES])
{
	const uint64_t cache = index / 6, operation = index / 2 % 3, result = index % 2;

	snprintf(name, EVENT_CACHE_BYTES, "%s-%s", caches[cache], accesses[operation][result]);
	return cache | operation << 8 | result << 16;
}
