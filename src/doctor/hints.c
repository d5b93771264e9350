/* The bounds of kernel.perf_event_paranoid are those of the kernel's perf_event_open. */
#include "doctor/hints.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Up to which level everybody may. */
static const int paranoid_levels[PERF_ABILITIES] = {
	[PERF_OWN_PROCESSES] = 2, [PERF_CYCLES] = 2,	   [PERF_KERNEL_FRAMES] = 1,
	[PERF_SYSTEM] = 0,	  [PERF_TRACEPOINTS] = -1,
};

static const char *sudo(void)
{
	return geteuid() == 0 ? "" : "sudo ";
}

void hint_copy(const char *command, char *hint)
{
	snprintf(hint, HINT_BYTES, "%s", command);
}

static void hint_for_root(const char *command, char *hint)
{
	snprintf(hint, HINT_BYTES, "%s%s", sudo(), command);
}

static void hint_for_level(int level, char *hint)
{
	const size_t length = strlen(hint);

	snprintf(hint + length, HINT_BYTES - length,
		 "%ssudo sysctl -w kernel.perf_event_paranoid=%d", length ? " && " : "", level);
}

void hint_for_perf(const struct perf_obstacle *obstacle, char *hint)
{
	const int level = paranoid_levels[obstacle->ability];
	const bool is_tracepoint = obstacle->ability == PERF_TRACEPOINTS;

	*hint = 0;
	if (is_tracepoint && obstacle->tracefs == TRACEFS_MISSING)
		hint_for_root("mount -t tracefs nodev /sys/kernel/tracing", hint);
	else if (is_tracepoint && obstacle->tracefs == TRACEFS_CLOSED)
		hint_for_root("mount -o remount,mode=755 /sys/kernel/tracing", hint);
	if (obstacle->paranoid > level && !obstacle->is_root)
		hint_for_level(level, hint);
	else if (*hint)
		return;
	else if (obstacle->all_refused || obstacle->ability != PERF_CYCLES)
		hint_copy("podman run --cap-add=PERFMON --security-opt=seccomp=unconfined … (in a "
			  "container; docker has the same options)",
			  hint);
}

void hint_for_package(const char *package, char *hint)
{
	snprintf(hint, HINT_BYTES, "%sapt-get install %s", sudo(), package);
}

/* Debian's package is below /usr, all else below places of other people's choice. */
void hint_for_runtime(char *hint)
{
	static const char packaged[] = "/usr/bin/tare";
	char own[sizeof(packaged)];
	const ssize_t length = readlink("/proc/self/exe", own, sizeof(own));

	if (length == sizeof(packaged) - 1 && memcmp(own, packaged, sizeof(packaged) - 1) == 0)
		hint_for_root("apt-get install --reinstall tare", hint);
	else
		hint_copy("make install (in tare's sources, or unpack its archive again)", hint);
}
