/*
 * Reads names of events: what stands behind the name first (period, mode), then the name by its
 * form. Without a period, tracepoints are sampled each time, all others by frequency.
 */
#include "sampler/event.h"

#include "sampler/event_names.h"
#include "sampler/event_sysfs.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Of switching a counter on and off: the least of some trials; 2 µs without a
   hypervisor. */
#define COUNTER_TRIALS	    6
#define COUNTER_SECONDS_MAX 8e-6

/* ---- one name ---- */

static bool find_named(struct event *event)
{
	size_t count;
	const struct event_name *names = event_names(&count);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i].name, event->name) != 0)
			continue;
		event->kind = names[i].kind;
		event->type = names[i].type;
		event->config = names[i].config;
		return true;
	}
	return false;
}

static bool find_cache(struct event *event)
{
	char name[EVENT_CACHE_BYTES];

	for (size_t i = 0; i < EVENT_CACHE_NAMES; i++) {
		const uint64_t config = event_cache_name(i, name);

		if (strcmp(name, event->name) != 0)
			continue;
		event->type = PERF_TYPE_HW_CACHE;
		event->config = config;
		return true;
	}
	return false;
}

static bool find_raw(struct event *event)
{
	char *end;

	if (event->name[0] != 'r' || !isxdigit((unsigned char)event->name[1]) ||
	    strlen(event->name) > 17)
		return false;
	event->type = PERF_TYPE_RAW;
	event->config = strtoull(event->name + 1, &end, 16);
	return !*end;
}

static bool fail_unknown(const char *name, struct error *err)
{
	static char cache_names[EVENT_CACHE_NAMES][EVENT_CACHE_BYTES];
	struct name_list names = {0};
	size_t count;
	const struct event_name *own = event_names(&count);

	for (size_t i = 0; i < count; i++)
		vec_push(&names, own[i].name);
	for (size_t i = 0; i < EVENT_CACHE_NAMES; i++) {
		event_cache_name(i, cache_names[i]);
		vec_push(&names, cache_names[i]);
	}
	const char *nearest = str_nearest(name, names.data, names.len);

	error_set(err, ERROR_USAGE, "there is no event %s%s%s; --event list shows all", name,
		  nearest ? ": did you mean " : "", nearest ? nearest : "");
	vec_fini(&names);
	return false;
}

static bool find(struct event *event, struct error *err)
{
	const char *slash = strchr(event->name, '/'), *colon = strchr(event->name, ':');

	if (slash && (!colon || slash < colon))
		return event_pmu_find(PMU_ROOT, event, err);
	if (colon) {
		const char *root = tracepoints_root(err);
		return root ? event_tracepoint_find(root, event, err)
			    : error_prefix(err, "%s", event->name);
	}
	return find_named(event) || find_cache(event) || find_raw(event) ||
	       fail_unknown(event->name, err);
}

/* Cuts :PERIOD, :u or :k off the end; false if what stands there is no number above 0. */
static bool take_suffix(struct event *event, char *colon)
{
	char *end;

	*colon = 0;
	if (!isdigit((unsigned char)colon[1])) {
		event->user_only |= colon[1] == 'u';
		event->kernel_only |= colon[1] == 'k';
		return true;
	}
	event->period = strtoull(colon + 1, &end, 10);
	return !*end && event->period && event->period < 1ULL << 63;
}

static bool is_suffix(const char *text)
{
	return isdigit((unsigned char)text[0]) || ((text[0] == 'u' || text[0] == 'k') && !text[1]);
}

bool event_parse(const char *text, uint64_t frequency, struct event *event, struct error *err)
{
	*event = (struct event){0};
	if (strlen(text) >= sizeof(event->name))
		return error_set(err, ERROR_USAGE, "the name of the event %.40s… is too long",
				 text);
	memcpy(event->name, text, strlen(text) + 1);
	for (char *colon; (colon = strrchr(event->name, ':')) && is_suffix(colon + 1);)
		if (!take_suffix(event, colon))
			return error_set(
				err, ERROR_USAGE,
				"the period in %s is not a number above 0: write NAME:PERIOD",
				text);
	if (!find(event, err))
		return false;
	if (event->kind != EVENT_COUNTED && (event->period || event->user_only))
		return error_set(err, ERROR_USAGE,
				 "%s is told of each wait: it takes no period and no mode",
				 event->name);
	if (event->user_only && event_is_in_kernel(event))
		return error_set(err, ERROR_USAGE,
				 "the event %s happens in the kernel: it cannot be limited to user "
				 "code (:u)",
				 event->name);
	if (!event->period && event->type == PERF_TYPE_TRACEPOINT)
		event->period = 1;
	if (!event->period)
		event->frequency = frequency;
	return true;
}

/* ---- several ---- */

static bool append(const char *text, uint64_t frequency, struct events *events, struct error *err)
{
	struct event event;

	if (!event_parse(text, frequency, &event, err))
		return false;
	vec_push(events, event);
	return true;
}

/* SUBSYSTEM:PATTERN[:SUFFIX…]: all tracepoints that match. */
static bool append_matches(const char *text, uint64_t frequency, struct events *events,
			   struct error *err)
{
	const char *root = tracepoints_root(err);
	const char *colon = strchr(text, ':');
	const char *suffix = colon ? strchr(colon + 1, ':') : NULL;
	struct name_list names = {0};
	struct arena arena = {0};
	char path[256], pattern[96], name[192];
	size_t matches = 0;
	bool good = true;

	if (!root)
		return false;
	snprintf(pattern, sizeof(pattern), "%.*s", suffix ? (int)(suffix - colon - 1) : 95,
		 colon ? colon + 1 : "");
	snprintf(path, sizeof(path), "%s/%.*s", root, colon ? (int)(colon - text) : 0, text);
	arena_init(&arena);
	if (colon && !memchr(text, '/', (size_t)(colon - text)) && text[0] != '.')
		directory_names(path, &arena, &names);
	vec_foreach (entry, &names) {
		if (fnmatch(pattern, *entry, 0) != 0 || strcmp(*entry, "enable") == 0 ||
		    strcmp(*entry, "filter") == 0 || !good)
			continue;
		snprintf(name, sizeof(name), "%.*s:%s%s", (int)(colon - text), text, *entry,
			 suffix ? suffix : "");
		good = append(name, frequency, events, err);
		matches++;
	}
	vec_fini(&names);
	arena_fini(&arena);
	if (good && !matches)
		return error_set(err, ERROR_NOT_FOUND, "no tracepoint matches %s", text);
	return good;
}

/* The length of the first event of a list: to the comma that is not within slashes. */
static size_t first_length(const char *list)
{
	bool inside = false;
	size_t length = 0;

	for (; list[length] && (inside || list[length] != ','); length++)
		inside ^= list[length] == '/';
	return length;
}

bool events_parse(const char *list, uint64_t frequency, struct events *events, struct error *err)
{
	for (;;) {
		const size_t length = first_length(list);
		char text[256];

		snprintf(text, sizeof(text), "%.*s", (int)(length < 255 ? length : 255), list);
		if (!length)
			return error_set(err, ERROR_USAGE,
					 "the name of an event is empty; --event list shows all");
		if (strpbrk(text, "*?[") ? !append_matches(text, frequency, events, err)
					 : !append(text, frequency, events, err))
			return false;
		if (!list[length])
			return true;
		list += length + 1;
	}
}

/* ---- kinds ---- */

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/*
 * What it takes to switch the counter on and off, as each switch of threads does. Below a
 * hypervisor each access to it leaves the virtual machine: it is microseconds then, and so are the
 * interrupts.
 */
static bool is_cheap(int counter)
{
	double least = 1;

	for (int i = 0; i < COUNTER_TRIALS; i++) {
		const double begin = seconds_now();

		ioctl(counter, PERF_EVENT_IOC_ENABLE, 0);
		ioctl(counter, PERF_EVENT_IOC_DISABLE, 0);
		const double took = seconds_now() - begin;

		least = took < least ? took : least;
	}
	return least <= COUNTER_SECONDS_MAX;
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

	event_parse(fd >= 0 && is_cheap(fd) ? "cycles" : "cpu-clock", frequency, event, &err);
	if (fd >= 0)
		close(fd);
}

bool event_is_in_kernel(const struct event *event)
{
	if (event->kind != EVENT_COUNTED || event->type == PERF_TYPE_TRACEPOINT)
		return true;
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		event->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		event->config == PERF_COUNT_SW_CGROUP_SWITCHES ||
		event->config == PERF_COUNT_SW_BPF_OUTPUT);
}

bool event_is_by_timer(const struct event *event)
{
	return event->kind == EVENT_COUNTED && event->type == PERF_TYPE_SOFTWARE &&
	       (event->config == PERF_COUNT_SW_CPU_CLOCK ||
		event->config == PERF_COUNT_SW_TASK_CLOCK);
}

static bool is_time(const struct event *event)
{
	return event->kind != EVENT_COUNTED || event_is_by_timer(event);
}

const char *event_unit(const struct event *event)
{
	return is_time(event) ? "ns" : "";
}
