/*
 * Names of events. Software and hardware events are a fixed table; events of the caches are put
 * together of three words; tracepoints are looked up in tracefs.
 */
#include "sampler/event.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct named_event {
	const char *name;
	uint32_t type;
	uint64_t config;
};

#define SOFTWARE(name, config)                                                                     \
	{                                                                                          \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config                                   \
	}
#define HARDWARE(name, config)                                                                     \
	{                                                                                          \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config                                   \
	}

static const struct named_event named_events[] = {
	SOFTWARE("cpu-clock", CPU_CLOCK),
	SOFTWARE("task-clock", TASK_CLOCK),
	SOFTWARE("page-faults", PAGE_FAULTS),
	SOFTWARE("faults", PAGE_FAULTS),
	SOFTWARE("minor-faults", PAGE_FAULTS_MIN),
	SOFTWARE("major-faults", PAGE_FAULTS_MAJ),
	SOFTWARE("context-switches", CONTEXT_SWITCHES),
	SOFTWARE("cs", CONTEXT_SWITCHES),
	SOFTWARE("cpu-migrations", CPU_MIGRATIONS),
	SOFTWARE("migrations", CPU_MIGRATIONS),
	SOFTWARE("alignment-faults", ALIGNMENT_FAULTS),
	SOFTWARE("emulation-faults", EMULATION_FAULTS),
	HARDWARE("cycles", CPU_CYCLES),
	HARDWARE("cpu-cycles", CPU_CYCLES),
	HARDWARE("instructions", INSTRUCTIONS),
	HARDWARE("cache-references", CACHE_REFERENCES),
	HARDWARE("cache-misses", CACHE_MISSES),
	HARDWARE("branches", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-instructions", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-misses", BRANCH_MISSES),
	HARDWARE("bus-cycles", BUS_CYCLES),
	HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	HARDWARE("ref-cycles", REF_CPU_CYCLES),
};

enum { NAMED_EVENTS = sizeof(named_events) / sizeof(named_events[0]) };

static const char *const caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = "L1-dcache", [PERF_COUNT_HW_CACHE_L1I] = "L1-icache",
	[PERF_COUNT_HW_CACHE_LL] = "LLC",	 [PERF_COUNT_HW_CACHE_DTLB] = "dTLB",
	[PERF_COUNT_HW_CACHE_ITLB] = "iTLB",	 [PERF_COUNT_HW_CACHE_BPU] = "branch",
	[PERF_COUNT_HW_CACHE_NODE] = "node",
};
static const char *const operations[] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = "load",
	[PERF_COUNT_HW_CACHE_OP_WRITE] = "store",
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = "prefetch",
};
static const char *const results[] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = "s",
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = "-misses",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool find_named(struct event *event)
{
	for (size_t i = 0; i < NAMED_EVENTS; i++) {
		if (strcmp(named_events[i].name, event->name) != 0)
			continue;
		event->type = named_events[i].type;
		event->config = named_events[i].config;
		return true;
	}
	return false;
}

/* L1-dcache-loads, LLC-load-misses and so on. */
static bool find_cache(struct event *event)
{
	char name[64];

	for (size_t c = 0; c < COUNT(caches); c++)
		for (size_t o = 0; o < COUNT(operations); o++)
			for (size_t r = 0; r < COUNT(results); r++) {
				const char *plural =
					o == PERF_COUNT_HW_CACHE_OP_PREFETCH && results[r][0] == 's'
						? "es"
						: results[r];
				snprintf(name, sizeof(name), "%s-%s%s", caches[c], operations[o],
					 plural);
				if (strcmp(name, event->name) != 0)
					continue;
				event->type = PERF_TYPE_HW_CACHE;
				event->config = c | o << 8 | r << 16;
				return true;
			}
	return false;
}

static bool find_raw(struct event *event)
{
	char *end;

	if (event->name[0] != 'r' || !isxdigit((unsigned char)event->name[1]))
		return false;
	event->type = PERF_TYPE_RAW;
	event->config = strtoull(event->name + 1, &end, 16);
	return !*end;
}

static bool find_tracepoint(struct event *event, struct error *err)
{
	static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	const char *colon = strchr(event->name, ':');
	char path[256];

	if (strstr(event->name, "..") || strchr(event->name, '/'))
		return error_set(err, ERROR_USAGE, "%s is not the name of a tracepoint",
				 event->name);
	for (size_t i = 0; i < COUNT(mounts); i++) {
		snprintf(path, sizeof(path), "%s/events/%.*s/%s/id", mounts[i],
			 (int)(colon - event->name), event->name, colon + 1);
		FILE *file = fopen(path, "re");
		unsigned long id;

		if (!file)
			continue;
		const bool read = fscanf(file, "%lu", &id) == 1;
		fclose(file);
		if (!read)
			continue;
		event->type = PERF_TYPE_TRACEPOINT;
		event->config = id;
		return true;
	}
	return error_set(err, ERROR_NOT_FOUND,
			 "there is no tracepoint %s, or tracefs is not mounted or not readable "
			 "(/sys/kernel/tracing)",
			 event->name);
}

static bool fail_unknown(const char *name, struct error *err)
{
	const char *names[NAMED_EVENTS];

	for (size_t i = 0; i < NAMED_EVENTS; i++)
		names[i] = named_events[i].name;
	const char *nearest = str_nearest(name, names, NAMED_EVENTS);

	return error_set(err, ERROR_USAGE, "there is no event %s%s%s", name,
			 nearest ? "; did you mean "
				 : "; cpu-clock, page-faults and cycles are some",
			 nearest ? nearest : "");
}

/* Cuts :PERIOD off; false if what stands there is no number above 0. */
static bool take_period(struct event *event)
{
	char *colon = strrchr(event->name, ':'), *end;

	if (!colon || !isdigit((unsigned char)colon[1]))
		return true;
	event->period = strtoull(colon + 1, &end, 10);
	*colon = 0;
	return !*end && event->period;
}

bool event_parse(const char *text, uint64_t frequency, struct event *event, struct error *err)
{
	*event = (struct event){0};
	if (strlen(text) >= sizeof(event->name))
		return error_set(err, ERROR_USAGE, "the name of the event %.40s… is too long",
				 text);
	memcpy(event->name, text, strlen(text) + 1);
	if (!take_period(event))
		return error_set(err, ERROR_USAGE,
				 "the period in %s is not a number above 0: write NAME:PERIOD",
				 text);
	if (!event->period)
		event->frequency = frequency;
	if (strcmp(event->name, "off-cpu") == 0 || strcmp(event->name, "preempted") == 0) {
		event->kind = event->name[0] == 'o' ? EVENT_OFF_CPU : EVENT_PREEMPTED;
		return true;
	}
	if (strchr(event->name, ':'))
		return find_tracepoint(event, err);
	return find_named(event) || find_cache(event) || find_raw(event) ||
	       fail_unknown(event->name, err);
}

void event_default(uint64_t frequency, struct event *event)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_HW_CPU_CYCLES,
				       .sample_period = 1000000,
				       .exclude_kernel = 1,
				       .exclude_hv = 1,
				       .disabled = 1};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	struct error err;

	event_parse(fd >= 0 ? "cycles" : "cpu-clock", frequency, event, &err);
	if (fd >= 0)
		close(fd);
}

bool event_is_in_kernel(const struct event *event)
{
	if (event->kind != EVENT_COUNTED || event->type == PERF_TYPE_TRACEPOINT)
		return true;
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		event->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static bool is_time(const struct event *event)
{
	return event->kind != EVENT_COUNTED ||
	       (event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_COUNT_SW_CPU_CLOCK ||
						      event->config == PERF_COUNT_SW_TASK_CLOCK));
}

const char *event_unit(const struct event *event)
{
	return is_time(event) ? "ns" : "";
}
