/*
 * Each event is opened for this process, and closed again. The many of caches are shown only where
 * there are some.
 */
#include "sampler/event_list.h"

#include "sampler/event_names.h"
#include "sampler/event_sysfs.h"
#include "sampler/perf_errors.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool event_try(const struct event *event, struct error *err)
{
	const bool waits = event->kind != EVENT_COUNTED;
	struct perf_event_attr attr = {.type = event->type,
				       .size = sizeof(attr),
				       .config = waits ? PERF_COUNT_SW_CONTEXT_SWITCHES
						       : event->config,
				       .config1 = event->config1,
				       .config2 = event->config2,
				       .sample_type = PERF_SAMPLE_IP,
				       .sample_period = 1000000,
				       .exclude_kernel = !event_is_in_kernel(event),
				       .exclude_hv = event->type != PERF_TYPE_TRACEPOINT,
				       .disabled = 1};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return perf_errors_open(event, getpid(), errno, err);
	close(fd);
	return true;
}

struct listing {
	struct event_list *list;
	struct arena *arena;
};

static void add(const struct listing *listing, const struct event *event, const char *group,
		const char *meaning)
{
	struct error err = {.message = ""};
	struct event_listed listed = {.name = arena_strdup(listing->arena, event->name),
				      .meaning = meaning,
				      .group = group};

	listed.available = event_try(event, &err);
	listed.why_not = listed.available ? NULL : arena_strdup(listing->arena, err.message);
	vec_push(listing->list, listed);
}

static void list_named(const struct listing *listing)
{
	size_t count;
	const struct event_name *names = event_names(&count);

	for (size_t i = 0; i < count; i++) {
		struct event event = {
			.kind = names[i].kind, .type = names[i].type, .config = names[i].config};
		if (!names[i].meaning)
			continue;
		snprintf(event.name, sizeof(event.name), "%s", names[i].name);
		add(listing, &event,
		    names[i].kind != EVENT_COUNTED	  ? "waits"
		    : names[i].type == PERF_TYPE_SOFTWARE ? "software"
							  : "hardware",
		    names[i].meaning);
	}
}

static void list_caches(const struct listing *listing)
{
	const size_t before = listing->list->len;
	char name[EVENT_CACHE_BYTES];
	size_t kept = before;

	for (size_t i = 0; i < EVENT_CACHE_NAMES; i++) {
		struct event event = {.type = PERF_TYPE_HW_CACHE,
				      .config = event_cache_name(i, name)};

		snprintf(event.name, sizeof(event.name), "%s", name);
		add(listing, &event, "cache", "");
		if (vec_last(listing->list).available)
			listing->list->data[kept++] = vec_last(listing->list);
	}
	if (kept == before) {
		struct event_listed *first = &listing->list->data[kept++];

		first->meaning =
			"and others of L1-dcache, L1-icache, LLC, dTLB, iTLB, branch, node";
	}
	listing->list->len = kept;
}

static void list_pmus(const struct listing *listing)
{
	struct name_list pmus = {0};

	directory_names(PMU_ROOT, listing->arena, &pmus);
	vec_foreach (pmu, &pmus) {
		struct name_list events = {0};

		directory_names(arena_printf(listing->arena, PMU_ROOT "/%s/events", *pmu),
				listing->arena, &events);
		vec_foreach (name, &events) {
			struct event event;
			struct error err;

			if (!strchr(*name, '.') && /* else it is the unit or scale of another */
			    event_parse(arena_printf(listing->arena, "%s/%s/", *pmu, *name), 1000,
					&event, &err))
				add(listing, &event, "PMU", "");
		}
		vec_fini(&events);
	}
	vec_fini(&pmus);
}

static void list_tracepoints(const struct listing *listing)
{
	struct name_list subsystems = {0};
	struct error err;
	const char *root = tracepoints_root(&err);
	struct event_listed listed = {.name = "SUBSYSTEM:NAME",
				      .meaning = "tracepoints of the kernel",
				      .group = "tracepoint"};

	if (!root) {
		listed.why_not = arena_strdup(listing->arena, err.message);
		vec_push(listing->list, listed);
		return;
	}
	directory_names(root, listing->arena, &subsystems);
	vec_foreach (subsystem, &subsystems) {
		struct name_list names = {0};

		directory_names(arena_printf(listing->arena, "%s/%s", root, *subsystem),
				listing->arena, &names);
		vec_foreach (name, &names) {
			const char *id = arena_printf(listing->arena, "%s/%s/%s/id", root,
						      *subsystem, *name);
			if (access(id, R_OK) != 0)
				continue;
			listed.name = arena_printf(listing->arena, "%s:%s", *subsystem, *name);
			listed.meaning = "";
			listed.available = true;
			vec_push(listing->list, listed);
		}
		vec_fini(&names);
	}
	vec_fini(&subsystems);
}

void event_list_all(struct event_list *list, struct arena *arena)
{
	const struct listing listing = {.list = list, .arena = arena};

	list_named(&listing);
	list_caches(&listing);
	list_pmus(&listing);
	list_tracepoints(&listing);
}
