/* The sentences say what was refused, and then what would permit it. */
#include "sampler/perf_errors.h"

#include "sampler/perf_events.h"
#include "sampler/sampler.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_paranoid_level(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = -1;

	if (file) {
		if (fscanf(file, "%d", &level) != 1)
			level = -1;
		fclose(file);
	}
	return level;
}

static bool fail_permission(const struct event *event, int64_t task, struct error *err)
{
	const int level = perf_paranoid_level();

	if (task == PERF_EVERYTHING && level > 0)
		return error_set(err, ERROR_PERMISSION,
				 "sampling all processes is not permitted: it takes root, "
				 "CAP_PERFMON, or kernel.perf_event_paranoid at 0 or below (it is "
				 "%d)",
				 level);
	if (event_is_in_kernel(event) && level > 1)
		return error_set(err, ERROR_PERMISSION,
				 "the event %s is not permitted, as it happens in the kernel: it "
				 "takes root, CAP_PERFMON, or kernel.perf_event_paranoid at 1 or "
				 "below (it is %d)",
				 event->name, level);
	if (event->type == PERF_TYPE_TRACEPOINT && level > -1)
		return error_set(err, ERROR_PERMISSION,
				 "the tracepoint %s is not permitted: it takes root, CAP_PERFMON, "
				 "or kernel.perf_event_paranoid at -1 (it is %d)",
				 event->name, level);
	if (level > 2)
		return error_set(err, ERROR_PERMISSION,
				 "the kernel does not permit perf events: they take root, "
				 "CAP_PERFMON, or kernel.perf_event_paranoid at 2 or below (it is "
				 "%d)",
				 level);
	return error_set(err, ERROR_PERMISSION,
			 "the kernel does not permit sampling of process %" PRId64
			 ": it belongs to another user, or a sandbox (seccomp) forbids "
			 "perf_event_open (kernel.perf_event_paranoid is %d)",
			 task, level);
}

bool perf_errors_open(const struct event *event, int64_t task, int errno_value, struct error *err)
{
	switch (errno_value) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		return error_set(err, ERROR_UNSUPPORTED,
				 "this machine does not count the event %s, or cannot sample it "
				 "(virtual machines often have no hardware counters); cpu-clock "
				 "always works",
				 event->name);
	case ENOSYS:
		return error_set(err, ERROR_PERMISSION,
				 "this kernel, or a sandbox (seccomp), has no perf_event_open");
	case ESRCH:
		return error_set(err, ERROR_NOT_FOUND, "there is no process %" PRId64, task);
	case EACCES:
	case EPERM:
		return fail_permission(event, task, err);
	case EMFILE:
		return error_set(err, ERROR_SYSTEM,
				 "too many open files: sampling takes a descriptor per event, "
				 "thread and processor; raise the limit (ulimit -Hn)");
	case EINVAL:
		return error_set(err, ERROR_UNSUPPORTED,
				 "the kernel refuses to sample the event %s with this period or "
				 "frequency, or for single processes (at most "
				 "kernel.perf_event_max_sample_rate per second; some counters only "
				 "count)",
				 event->name);
	case EBUSY:
		return error_set(err, ERROR_SYSTEM,
				 "another program uses the counter of the event %s", event->name);
	default:
		return error_set_errno(err, errno_value, "cannot sample the event %s", event->name);
	}
}

bool perf_errors_ring(int errno_value, struct error *err)
{
	switch (errno_value) {
	case EACCES:
	case ENOSYS: {
		const struct event clock = {.name = "cpu-clock", .type = PERF_TYPE_SOFTWARE};
		return perf_errors_open(&clock, 0, errno_value, err);
	}
	case EPERM:
		if (!sampler_is_permitted(err))
			return false;
		return error_set(err, ERROR_SYSTEM,
				 "the kernel does not let this user have memory for samples: "
				 "kernel.perf_event_mlock_kb is used up, perhaps by another "
				 "recording");
	default:
		return error_set_errno(err, errno_value, "cannot map a ring for samples");
	}
}

bool sampler_is_permitted(struct error *err)
{
	const struct event clock = {.name = "cpu-clock", .type = PERF_TYPE_SOFTWARE};
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .sample_period = 1000000,
				       .exclude_kernel = 1,
				       .exclude_hv = 1,
				       .disabled = 1};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return perf_errors_open(&clock, getpid(), errno, err);
	close(fd);
	return true;
}

void perf_errors_kernel(char *text, size_t size)
{
	snprintf(text, size,
		 "what the kernel does for the target is not sampled: it takes root, CAP_PERFMON, "
		 "or kernel.perf_event_paranoid at 1 or below (it is %d)",
		 perf_paranoid_level());
}
