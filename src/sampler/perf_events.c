/*
 * An inherited event can only be mapped if it belongs to one processor, so each event is opened on
 * each of them; all events of a processor write into one ring.
 */
#include "sampler/perf_events.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { RING_PAGES = 256, PERF_FLAGS = PERF_FLAG_FD_CLOEXEC };

/* rax to rsp and rip, and r8 to r15: not the segments, which 64-bit user mode does not have. */
#define USER_REGISTERS                                                                             \
	(((1ULL << (PERF_REG_X86_IP + 1)) - 1) |                                                   \
	 (((1ULL << (PERF_REG_X86_R15 + 1)) - 1) & ~((1ULL << PERF_REG_X86_R8) - 1)))

static struct perf_event_attr attributes(const struct perf_events_options *options, size_t index,
					 bool kernel)
{
	const struct event *event = &options->events[index];
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(attr),
		.config = event->config,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = USER_REGISTERS,
		.sample_stack_user = (uint32_t)options->stack_bytes,
		.disabled = 1,
		.enable_on_exec = options->on_exec,
		.inherit = 1,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
		.exclude_callchain_user = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.watermark = 1,
		.wakeup_watermark = RING_PAGES * 4096 / 4,
	};
	if (event->period) {
		attr.sample_period = event->period;
	} else {
		attr.freq = 1;
		attr.sample_freq = event->frequency;
	}
	if (kernel)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (index == 0) { /* one event tells of the processes */
		attr.mmap = 1;
		attr.mmap2 = 1;
		attr.comm = 1;
		attr.comm_exec = 1;
		attr.task = 1;
	}
	return attr;
}

static int paranoid_level(void)
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

static bool fail_open(const struct event *event, uint32_t task, int errno_value, struct error *err)
{
	switch (errno_value) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		return error_set(err, ERROR_UNSUPPORTED,
				 "this machine cannot sample the event %s (virtual machines often "
				 "have no hardware counters); cpu-clock always works",
				 event->name);
	case ESRCH:
		return error_set(err, ERROR_NOT_FOUND, "there is no process %u", task);
	case EACCES:
	case EPERM:
		return error_set(err, ERROR_PERMISSION,
				 "the kernel does not permit sampling of process %u with the event "
				 "%s (perf_event_paranoid is %d)",
				 task, event->name, paranoid_level());
	case EMFILE:
		return error_set(err, ERROR_SYSTEM,
				 "too many open files for a descriptor per thread and processor; "
				 "raise the limit (ulimit -n)");
	case EINVAL:
		return error_set(err, ERROR_UNSUPPORTED,
				 "the kernel refuses the event %s with this period or frequency "
				 "(at most /proc/sys/kernel/perf_event_max_sample_rate per second)",
				 event->name);
	default:
		return error_set_errno(err, errno_value, "cannot sample the event %s", event->name);
	}
}

static int open_one(struct perf_events *set, const struct perf_events_options *options,
		    size_t index, uint32_t task, int processor)
{
	struct perf_event_attr attr = attributes(options, index, set->kernel);
	int fd = (int)syscall(SYS_perf_event_open, &attr, task, processor, -1, PERF_FLAGS);

	if (fd < 0 && (errno == EACCES || errno == EPERM) && set->kernel && !set->descriptors.len) {
		set->kernel = false; /* user code may still be permitted */
		attr = attributes(options, index, false);
		fd = (int)syscall(SYS_perf_event_open, &attr, task, processor, -1, PERF_FLAGS);
	}
	set->layout = (struct perf_layout){.sample_type = attr.sample_type,
					   .regs_user = attr.sample_regs_user,
					   .sample_id_all = true};
	return fd;
}

static bool keep_descriptor(struct perf_events *set, int fd, size_t event)
{
	uint64_t id;

	vec_push(&set->descriptors, fd);
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) != 0)
		return false;
	vec_push(&set->ids, id);
	vec_push(&set->event_of_ids, event);
	return true;
}

/* All events of a task on one processor, into the processor's ring, which the first one makes. */
static bool open_processor(struct perf_events *set, const struct perf_events_options *options,
			   uint32_t task, size_t processor, struct error *err)
{
	for (size_t i = 0; i < options->event_count; i++) {
		const int fd = open_one(set, options, i, task, (int)processor);

		if (fd < 0 && errno == ENODEV && processor)
			return true; /* the processor is off-line */
		if (fd < 0)
			return fail_open(&options->events[i], task, errno, err);
		if (!keep_descriptor(set, fd, i))
			return error_set_errno(err, errno, "cannot identify an event");
		if (set->rings.len > processor) {
			if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT,
				  set->ring_descriptors.data[processor]) != 0)
				return error_set_errno(err, errno,
						       "cannot share a ring of samples");
			continue;
		}
		struct perf_ring ring;
		if (!perf_ring_open(&ring, fd, RING_PAGES, err))
			return false;
		vec_push(&set->rings, ring);
		vec_push(&set->ring_descriptors, fd);
	}
	return true;
}

bool perf_events_open(struct perf_events *set, const struct perf_events_options *options,
		      uint32_t task, struct error *err)
{
	const size_t processors = (size_t)sysconf(_SC_NPROCESSORS_CONF);

	if (!set->descriptors.len)
		set->kernel = options->kernel;
	for (size_t processor = 0; processor < processors; processor++)
		if (!open_processor(set, options, task, processor, err))
			return false;
	return true;
}

void perf_events_enable(const struct perf_events *set, bool enabled)
{
	vec_foreach (fd, &set->descriptors)
		ioctl(*fd, enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void perf_events_close(struct perf_events *set)
{
	vec_foreach (ring, &set->rings)
		perf_ring_close(ring);
	vec_foreach (fd, &set->descriptors)
		close(*fd);
	vec_fini(&set->rings);
	vec_fini(&set->ring_descriptors);
	vec_fini(&set->descriptors);
	vec_fini(&set->ids);
	vec_fini(&set->event_of_ids);
}

size_t perf_events_index(const struct perf_events *set, uint64_t id)
{
	for (size_t i = 0; i < set->ids.len; i++)
		if (set->ids.data[i] == id)
			return set->event_of_ids.data[i];
	return 0;
}
