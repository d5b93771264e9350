/* Each is tried on this process; the sentence about a failure is that of a recording. */
#include "doctor/abilities.h"

#include "sampler/event_list.h"
#include "sampler/event_sysfs.h"
#include "sampler/perf_errors.h"
#include "sampler/perf_events.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((format(printf, 3, 4))) static void say(struct perf_ability *ability, bool works,
						      const char *format, ...)
{
	va_list args;

	ability->works = works;
	va_start(args, format);
	vsnprintf(ability->reason, sizeof(ability->reason), format, args);
	va_end(args);
}

/* The event of this name, tried. */
static bool try_name(const char *name, struct error *err)
{
	struct event event;

	return event_parse(name, 1000, &event, err) && event_try(&event, err);
}

static void try_everything(struct perf_ability *ability)
{
	const struct event clock = {.name = "cpu-clock", .type = PERF_TYPE_SOFTWARE};
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .exclude_kernel = 1,
				       .exclude_hv = 1,
				       .disabled = 1};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, PERF_EVERYTHING, 0, -1,
				    PERF_FLAG_FD_CLOEXEC);
	struct error err;

	if (fd >= 0) {
		close(fd);
		say(ability, true, "all processes can be sampled (-a)");
	} else {
		perf_errors_open(&clock, PERF_EVERYTHING, errno, &err);
		say(ability, false, "%s", err.message);
	}
}

static void try_tracepoints(struct perf_ability *ability)
{
	struct error err;

	if (tracepoints_root(&err) && try_name("sched:sched_switch", &err))
		say(ability, true,
		    "the kernel's tracepoints can be sampled (--event SUBSYSTEM:NAME), and who "
		    "ends "
		    "waits (--wakers)");
	else
		say(ability, false, "%s", err.message);
}

enum tracefs_state perf_abilities_tracefs(void)
{
	struct error err;

	if (tracepoints_root(&err))
		return TRACEFS_READABLE;
	return err.code == ERROR_PERMISSION ? TRACEFS_CLOSED : TRACEFS_MISSING;
}

static void try_kernel(struct perf_ability *ability)
{
	struct error err;

	if (try_name("off-cpu", &err))
		say(ability, true, "frames of the kernel, and waits of threads (--off-cpu)");
	else
		perf_errors_kernel(ability->reason, sizeof(ability->reason));
}

void perf_abilities_find(struct perf_ability *abilities)
{
	static const char *const names[] = {
		[PERF_OWN_PROCESSES] = "sampling",	 [PERF_CYCLES] = "hardware events",
		[PERF_KERNEL_FRAMES] = "kernel samples", [PERF_SYSTEM] = "system samples",
		[PERF_TRACEPOINTS] = "tracepoints",
	};
	table_covers(names, PERF_ABILITIES);
	struct error err;

	for (size_t i = 0; i < PERF_ABILITIES; i++)
		abilities[i] = (struct perf_ability){.name = names[i]};
	if (try_name("cpu-clock", &err))
		say(&abilities[PERF_OWN_PROCESSES], true,
		    "software events of processes of this user (cpu-clock, page-faults); "
		    "kernel.perf_event_paranoid is %d",
		    perf_paranoid_level());
	else
		say(&abilities[PERF_OWN_PROCESSES], false, "%s", err.message);
	if (try_name("cycles", &err))
		say(&abilities[PERF_CYCLES], true, "cycles, instructions and caches are counted");
	else
		say(&abilities[PERF_CYCLES], false, "%s", err.message);
	try_kernel(&abilities[PERF_KERNEL_FRAMES]);
	try_everything(&abilities[PERF_SYSTEM]);
	try_tracepoints(&abilities[PERF_TRACEPOINTS]);
}
