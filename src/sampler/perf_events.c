/*
 * An inherited event can only be mapped if it belongs to one processor, so each event is opened on
 * each of them.
 *
 * Rings are as large as samples with their stacks want; where the kernel locks no such amount of
 * memory for this user (perf_event_mlock_kb), halves are tried. Descriptors are many: events ×
 * processors × threads; the limit is raised as far as it goes when it is met.
 */
#include "sampler/perf_events.h"

#include "sampler/perf_errors.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	RING_SAMPLES = 128, /* that a ring has room for, where it can */
	RING_SAMPLES_MIN = 32,
	WAKE_PART = 16,
	WAKE_PART_SPACIOUS = 4,
	/* With fewer descriptors each event by a timer has one of a processor. */
	DESCRIPTORS_BASE = 64,
	DESCRIPTORS_PER_PROCESSOR = 16,
	RING_BYTES_MIN = 32 << 10,
	RING_BYTES_START = 512 << 10,
	RING_BYTES_MAX = 8 << 20,
	RINGS_BYTES_MAX = 256 << 20, /* all together */
	STACK_BYTES_MAX = 60 << 10,  /* a record's length has 16 bits */
	STACK_BYTES_BURSTS = 16 << 10,
	STACK_BYTES_WAITS = 4 << 10 /* what is beyond is read: who waits, or has woken somebody
				       and goes on to wait, mostly stands still */
};

/* rax to rsp and rip, and r8 to r15: not the segments, which 64-bit user mode does not have. */
#define USER_REGISTERS                                                                             \
	(((1ULL << (PERF_REG_X86_IP + 1)) - 1) |                                                   \
	 (((1ULL << (PERF_REG_X86_R15 + 1)) - 1) & ~((1ULL << PERF_REG_X86_R8) - 1)))

uint64_t sampler_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

/* kernel.perf_event_max_sample_rate; 0 if it cannot be read. */
static uint64_t kernel_rate_limit(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	char text[32] = "";

	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return strtoull(text, NULL, 10);
}

int perf_event_open(struct perf_event_attr *attr, int64_t task, int processor)
{
	return (int)syscall(SYS_perf_event_open, attr, (pid_t)task, processor, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* ---- rings ---- */

/* The next processor that is on-line; `list` is as in /sys/devices/system/cpu/online: 0-3,6. */
static bool next_processor(const char **list, int *last, int *number)
{
	char *end;

	if (*last < 0 || *number == *last) {
		if (**list < '0' || **list > '9')
			return false;
		*number = *last = (int)strtol(*list, &end, 10);
		if (*end == '-')
			*last = (int)strtol(end + 1, &end, 10);
		*list = *end == ',' ? end + 1 : end;
		return true;
	}
	return ++*number <= *last;
}

static void find_processors(struct perf_events *set)
{
	char text[4096] = "";
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	int last = -1, number = -1;

	if (!file || !fgets(text, sizeof(text), file))
		snprintf(text, sizeof(text), "0-%ld", sysconf(_SC_NPROCESSORS_ONLN) - 1);
	if (file)
		fclose(file);
	for (const char *list = text; next_processor(&list, &last, &number);) {
		const struct perf_processor processor = {.number = number, .descriptor = -1};

		vec_push(&set->processors, processor);
	}
}

/* Wakes whoever waits for records when one `part`-th of it is filled. */
static bool open_ring(struct perf_processor *processor, size_t bytes, size_t part)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_DUMMY,
				       .exclude_kernel = 1,
				       .exclude_hv = 1,
				       .use_clockid = 1,
				       .clockid = CLOCK_MONOTONIC_RAW,
				       .watermark = 1,
				       .wakeup_watermark = (uint32_t)(bytes / part)};
	processor->descriptor = perf_event_open(&attr, getpid(), processor->number);
	if (processor->descriptor < 0)
		return false;
	if (perf_ring_open(&processor->ring, processor->descriptor, bytes))
		return true;
	const int why = errno;
	close(processor->descriptor);
	processor->descriptor = -1;
	errno = why;
	return false;
}

static size_t ring_bytes(const struct perf_events *set)
{
	const size_t wanted = RING_SAMPLES * (set->options.stack_bytes + 1024);
	size_t bytes = RING_BYTES_START;

	while (bytes < wanted && bytes < RING_BYTES_MAX &&
	       2 * bytes * set->processors.len <= RINGS_BYTES_MAX)
		bytes *= 2;
	return bytes;
}

/* Some events can happen many times within a millisecond. */
static bool comes_in_bursts(const struct perf_events_options *options)
{
	for (size_t i = 0; i < options->event_count; i++)
		if (options->events[i].period || options->events[i].kind != EVENT_COUNTED)
			return true;
	return false;
}

/*
 * To be woken costs more than to take some samples. What comes in bursts, and what there is little
 * room for, is taken soon all the same.
 */
static size_t wake_part(const struct perf_events *set, bool spacious)
{
	return spacious && !comes_in_bursts(&set->options) ? WAKE_PART_SPACIOUS : WAKE_PART;
}

/*
 * Stacks as deep as they come are copied whole if the rings have room for some samples then. A
 * sample takes the room of its largest stack, not of the one that it has: where many come at once,
 * more samples are worth more than whole copies.
 */
static bool open_rings(struct perf_events *set, struct error *err)
{
	const bool chosen = set->options.stack_bytes || set->options.by_frame_pointer;

	if (!chosen)
		set->options.stack_bytes = STACK_BYTES_MAX;
	const size_t wanted = ring_bytes(set);
	size_t bytes = wanted;

	if (!chosen && comes_in_bursts(&set->options))
		set->options.stack_bytes = STACK_BYTES_BURSTS;
	vec_foreach (processor, &set->processors) {
		while (!open_ring(processor, bytes, wake_part(set, bytes == wanted))) {
			if ((errno != EPERM && errno != ENOMEM) || bytes / 2 < RING_BYTES_MIN)
				return perf_errors_ring(errno, err);
			bytes /= 2;
		}
	}
	if (!chosen && bytes / RING_SAMPLES_MIN < set->options.stack_bytes)
		set->options.stack_bytes = bytes / RING_SAMPLES_MIN;
	return true;
}

/* ---- events ---- */

/* Samples of what the kernel does for the target are permitted. */
static bool kernel_is_permitted(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .disabled = 1};
	const int fd = perf_event_open(&attr, 0, -1);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/*
 * With PERF_SAMPLE_PERIOD the kernel samples software events each time they happen, whatever period
 * is asked for.
 */
static void set_rate(const struct perf_events *set, struct perf_event_attr *attr,
		     const struct event *event)
{
	const uint64_t limit = set->frequency_limit;

	if (event->period) {
		attr->sample_period = event->period;
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	} else {
		attr->freq = 1;
		attr->sample_freq = limit && limit < event->frequency ? limit : event->frequency;
	}
}

static struct perf_event_attr attributes(const struct perf_events *set, const struct event *event)
{
	const struct perf_events_options *options = &set->options;
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(attr),
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.sample_type = set->layout.sample_type,
		.disabled = 1,
		.enable_on_exec = options->on_exec,
		.inherit = 1,
		.exclude_kernel = !event_is_in_kernel(event) && (event->user_only || !set->kernel),
		.exclude_user = event->kernel_only,
		.exclude_hv = event->type != PERF_TYPE_TRACEPOINT,
		.exclude_callchain_user = !options->by_frame_pointer,
		.exclude_callchain_kernel = !options->kernel || !set->kernel,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.watermark = 1,
	};

	if (!options->by_frame_pointer) {
		attr.sample_regs_user = USER_REGISTERS;
		attr.sample_stack_user = (uint32_t)options->stack_bytes;
	}
	set_rate(set, &attr, event);
	return attr;
}

/* Where an event that is opened belongs. */
struct added {
	size_t index; /* of the event, or one of those from PERF_EVENTS_WAITS on */
	bool timer, thinned;
	const char *filter; /* the kernel's, or NULL */
};

/*
 * One event tells of the processes, and of switches where waits are asked for. Files are told by
 * their inodes. Build-ids are not asked for: where one event has asked, Linux marks what it tells
 * other readers of the same mapping, too, as if it held one, and perf 6.1 dies of such a record.
 */
static void set_tracking(const struct perf_events *set, struct perf_event_attr *attr)
{
	attr->context_switch = set->waits;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
}

static bool keep_descriptor(struct perf_events *set, int fd, struct perf_processor *processor,
			    const struct added *added)
{
	uint64_t id;

	set->opened++;
	if (added->timer)
		vec_push(&processor->timers.descriptors[added->thinned], fd);
	else if (added->index >= PERF_EVENTS_WAITS && added->index <= PERF_EVENTS_INTERRUPTS)
		vec_push(&set->switches.descriptors[added->thinned], fd);
	else
		vec_push(&set->descriptors, fd);
	if (added->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, added->filter) != 0)
		return false;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) != 0 ||
	    ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, processor->descriptor) != 0)
		return false;
	*map_put(&set->by_id, id, added->index) = added->index;
	return true;
}

/* Raises the limit of open files as far as this user may; false if it is there already. */
static bool raise_limit(struct perf_events *set)
{
	struct rlimit limit, wanted;

	if (set->limit_raised || getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return false;
	set->limit = limit;
	set->limit_raised = true;
	wanted = (struct rlimit){.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
	if (limit.rlim_max < wanted.rlim_max && setrlimit(RLIMIT_NOFILE, &wanted) == 0)
		return true;
	wanted = (struct rlimit){.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
	return limit.rlim_cur < limit.rlim_max && setrlimit(RLIMIT_NOFILE, &wanted) == 0;
}

/*
 * The kernel lowers kernel.perf_event_max_sample_rate by itself where interrupts take long (virtual
 * machines), at any time. Whether an event asks for more, and then is brought down to it.
 */
static bool lower_frequency(struct perf_events *set, struct perf_event_attr *attr)
{
	const uint64_t limit = kernel_rate_limit();

	if (!attr->freq || !limit || attr->sample_freq <= limit)
		return false;
	attr->sample_freq = set->frequency_limit = limit;
	return true;
}

/* An event of a task on one processor; the descriptor, or -1 with errno. */
static int open_on(struct perf_events *set, struct perf_event_attr *attr, int64_t task,
		   const struct perf_processor *processor)
{
	int fd = perf_event_open(attr, task, processor->number);

	if (fd < 0 && errno == EMFILE) {
		if (!raise_limit(set))
			errno = EMFILE;
		else
			fd = perf_event_open(attr, task, processor->number);
	}
	while (fd < 0 && errno == EINVAL && lower_frequency(set, attr))
		fd = perf_event_open(attr, task, processor->number);
	return fd;
}

/* An event of a task on all processors. Some may lack it, or be off-line; not all. */
static bool add_event(struct perf_events *set, struct perf_event_attr *attr, int64_t task,
		      const struct added *added)
{
	size_t opened = 0;

	vec_foreach (processor, &set->processors) {
		const int fd = open_on(set, attr, task, processor);

		if (fd >= 0) {
			if (!keep_descriptor(set, fd, processor, added))
				return false;
			opened++;
		} else if (errno != ENODEV && errno != ENOENT) {
			return false;
		}
	}
	return opened > 0;
}

/* One event takes a sample each time, the other one waits for perf_events_thin. */
static bool add_both(struct perf_events *set, const struct perf_event_attr *from, int64_t task,
		     size_t index)
{
	for (int thinned = 0; thinned < 2; thinned++) {
		const struct added added = {.index = index, .thinned = thinned};
		struct perf_event_attr attr = *from;

		if (attr.sample_stack_user > STACK_BYTES_WAITS)
			attr.sample_stack_user = STACK_BYTES_WAITS;
		if (thinned != set->switches.thinned)
			attr.enable_on_exec = 0;
		if (thinned)
			attr.sample_period = PERF_EVENTS_ONE_OF;
		if (!add_event(set, &attr, task, &added))
			return false;
	}
	return true;
}

/*
 * An interrupt that wakes a thread comes in the time of whatever runs then: mostly nothing, or a
 * thread that is not recorded. Linux 6.18 counts it for the event of the woken thread as well, but
 * writes no sample. An event of all tasks does not begin with execve, so it begins before.
 */
static bool add_interrupts(struct perf_events *set)
{
	struct perf_event_attr attr = attributes(set, &set->wakings.event);

	attr.sample_type = set->interrupt_layout.sample_type;
	attr.sample_regs_user = attr.sample_stack_user = 0;
	attr.exclude_callchain_user = 1;
	attr.inherit = attr.enable_on_exec = 0;
	for (int thinned = 0; thinned < 2; thinned++) {
		const struct added added = {.index = PERF_EVENTS_INTERRUPTS,
					    .thinned = thinned,
					    .filter = WAKINGS_OUTSIDE_THREADS};

		attr.disabled = !set->options.on_exec || thinned != set->switches.thinned;
		if (thinned)
			attr.sample_period = PERF_EVENTS_ONE_OF;
		if (!add_event(set, &attr, PERF_EVERYTHING, &added))
			return false;
	}
	return set->interrupts = true;
}

/* Where it is refused, all goes on without. */
static void add_wakings(struct perf_events *set, int64_t task)
{
	struct error err;

	if (!set->wakings.wanted)
		return;
	struct perf_event_attr attr = attributes(set, &set->wakings.event);
	attr.sample_type = set->waking_layout.sample_type;
	const bool interrupts = task == PERF_EVERYTHING || set->interrupts || add_interrupts(set);
	if (interrupts && add_both(set, &attr, task, PERF_EVENTS_WAKINGS))
		return;
	perf_errors_open(&set->wakings.event, task, errno, &err);
	wakings_refuse(&set->wakings, &err);
}

static bool add_switches(struct perf_events *set, int64_t task, struct error *err)
{
	static const struct event switches = {.name = "context-switches",
					      .type = PERF_TYPE_SOFTWARE,
					      .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
					      .period = 1};
	const struct perf_event_attr attr = attributes(set, &switches);

	return add_both(set, &attr, task, PERF_EVENTS_WAITS) ||
	       perf_errors_open(&switches, task, errno, err);
}

/* Without an event that counts, one that counts nothing tells of processes and switches. */
static bool add_tracking(struct perf_events *set, int64_t task, struct error *err)
{
	static const struct event nothing = {.name = "dummy",
					     .type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_DUMMY,
					     .period = 1};
	const struct added added = {.index = SIZE_MAX};
	struct perf_event_attr attr = attributes(set, &nothing);

	set_tracking(set, &attr);
	return add_event(set, &attr, task, &added) || perf_errors_open(&nothing, task, errno, err);
}

static bool may_be_thinned(const struct event *event)
{
	return event->kind == EVENT_COUNTED && event_is_by_timer(event) && !event->period &&
	       !event->is_steady && event->frequency > PERF_EVENTS_TIMER_FEW;
}

bool perf_events_have_timers(const struct perf_events *set)
{
	for (size_t i = 0; i < set->options.event_count; i++)
		if (may_be_thinned(&set->options.events[i]))
			return true;
	return false;
}

static void close_from(int *descriptors, size_t first, size_t count)
{
	for (size_t i = first; i < count; i++)
		close(descriptors[i]);
}

/* Where one of an event's two is refused, as descriptors are few: other things need some, too. */
static void let_timers_stay(struct perf_events *set)
{
	for (size_t i = 0; i < set->processors.len; i++) {
		struct perf_turn *timers = &set->processors.data[i].timers;

		perf_events_thin_timers(set, i, false);
		close_from(timers->descriptors[1].data, 0, timers->descriptors[1].len);
		timers->descriptors[1].len = 0;
	}
	set->timers_stay = true;
}

static bool descriptors_are_few(const struct perf_events *set)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	       limit.rlim_max < DESCRIPTORS_BASE + DESCRIPTORS_PER_PROCESSOR * set->processors.len;
}

/* The same that waits for perf_events_thin_timers. */
static void add_thinned(struct perf_events *set, const struct perf_event_attr *from, int64_t task,
			size_t index)
{
	const struct added added = {.index = index, .timer = true, .thinned = true};
	struct perf_event_attr attr = *from;

	attr.enable_on_exec = 0;
	attr.sample_freq = PERF_EVENTS_TIMER_FEW;
	if (!set->timers_stay && !add_event(set, &attr, task, &added) && errno != ESRCH)
		let_timers_stay(set);
}

static bool add_counted(struct perf_events *set, int64_t task, bool tracked, struct error *err)
{
	for (size_t i = 0; i < set->options.event_count; i++) {
		const struct event *event = &set->options.events[i];
		const bool timer = task != PERF_EVERYTHING && may_be_thinned(event);
		const struct added added = {.index = i, .timer = timer};

		if (event->kind != EVENT_COUNTED)
			continue;
		struct perf_event_attr attr = attributes(set, event);
		if (!tracked)
			set_tracking(set, &attr);
		tracked = true;
		if (!add_event(set, &attr, task, &added))
			return perf_errors_open(event, task, errno, err);
		if (timer)
			add_thinned(set, &attr, task, i);
	}
	return tracked || add_tracking(set, task, err);
}

/*
 * What stops and goes on does not tell of the processes: a thread that begins meanwhile may inherit
 * both of an event's two as stopped, and what it starts then is not told of.
 */
static bool track_apart(struct perf_events *set, int64_t task)
{
	const size_t before = set->descriptors.len;
	struct error err;

	if (task == PERF_EVERYTHING || set->timers_stay || !perf_events_have_timers(set))
		return false;
	if (add_tracking(set, task, &err))
		return true;
	close_from(set->descriptors.data, before, set->descriptors.len);
	set->descriptors.len = before;
	if (err.code != ERROR_NOT_FOUND) /* a task that has ended meanwhile */
		let_timers_stay(set);
	return false;
}

bool perf_events_add(struct perf_events *set, int64_t task, struct error *err)
{
	const bool tracked = track_apart(set, task);

	if (!add_counted(set, task, tracked, err) || (set->waits && !add_switches(set, task, err)))
		return false;
	if (set->waits)
		add_wakings(set, task);
	return true;
}

bool perf_events_have_waits(const struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (events[i].kind != EVENT_COUNTED)
			return true;
	return false;
}

bool perf_events_begin(struct perf_events *set, const struct perf_events_options *options,
		       struct error *err)
{
	const uint64_t stack = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	*set = (struct perf_events){
		.options = *options,
		.waits = perf_events_have_waits(options->events, options->event_count),
		.kernel = kernel_is_permitted()};
	map_init(&set->by_id);
	set->layout = (struct perf_layout){
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		.regs_user = USER_REGISTERS,
		.sample_id_all = true,
	};
	if (!options->by_frame_pointer)
		set->layout.sample_type |= stack;
	if (options->by_frame_pointer || (options->kernel && set->kernel))
		set->layout.sample_type |= PERF_SAMPLE_CALLCHAIN;
	set->fixed_layout = set->layout;
	set->fixed_layout.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	set->waking_layout = set->fixed_layout;
	set->waking_layout.sample_type |= PERF_SAMPLE_RAW;
	set->interrupt_layout = set->waking_layout;
	set->interrupt_layout.sample_type &= ~stack;
	if (options->wakers)
		wakings_find(&set->wakings);
	find_processors(set);
	set->timers_stay = descriptors_are_few(set);
	return open_rings(set, err);
}

static void switch_all(const int *descriptors, size_t count, bool enabled)
{
	for (size_t i = 0; i < count; i++)
		ioctl(descriptors[i], enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

static void switch_turn(const struct perf_turn *turn, bool thinned, bool enabled)
{
	switch_all(turn->descriptors[thinned].data, turn->descriptors[thinned].len, enabled);
}

static void enable_turn(const struct perf_turn *turn, bool enabled)
{
	switch_turn(turn, turn->thinned, enabled);
	switch_turn(turn, !turn->thinned, false);
}

void perf_events_enable(const struct perf_events *set, bool enabled)
{
	switch_all(set->descriptors.data, set->descriptors.len, enabled);
	enable_turn(&set->switches, enabled);
	vec_foreach (processor, &set->processors)
		enable_turn(&processor->timers, enabled);
}

/*
 * A thread that begins meanwhile may inherit both as stopped, or both as going on, and leave them
 * to others, as the kernel exchanges the events of threads that follow each other on a processor.
 * So what has changed is said once more the next time.
 */
static void thin(struct perf_turn *turn, bool thinned)
{
	const bool changed = turn->thinned != thinned;

	if (!changed && !turn->again)
		return;
	turn->again = changed;
	turn->thinned = thinned;
	enable_turn(turn, true);
}

void perf_events_thin_timers(struct perf_events *set, size_t index, bool thinned)
{
	if (!set->timers_stay)
		thin(&set->processors.data[index].timers, thinned);
}

void perf_events_thin(struct perf_events *set, bool thinned)
{
	thin(&set->switches, thinned);
}

static void close_turn(struct perf_turn *turn)
{
	for (int thinned = 0; thinned < 2; thinned++) {
		close_from(turn->descriptors[thinned].data, 0, turn->descriptors[thinned].len);
		vec_fini(&turn->descriptors[thinned]);
	}
}

void perf_events_close(struct perf_events *set)
{
	close_from(set->descriptors.data, 0, set->descriptors.len);
	vec_fini(&set->descriptors);
	close_turn(&set->switches);
	vec_foreach (processor, &set->processors) {
		close_turn(&processor->timers);
		perf_ring_close(&processor->ring);
		if (processor->descriptor >= 0)
			close(processor->descriptor);
	}
	if (set->limit_raised)
		setrlimit(RLIMIT_NOFILE, &set->limit);
	vec_fini(&set->processors);
	map_fini(&set->by_id);
}

const struct perf_layout *perf_events_layout(const struct perf_events *set, const void *bytes,
					     size_t size)
{
	struct byte_reader reader = byte_reader(bytes, size);
	const bool is_sample = read_u32(&reader) == PERF_RECORD_SAMPLE;

	read_u32(&reader);
	const size_t index = perf_events_index(set, read_u64(&reader)); /* the identifier */
	if (!is_sample || index == SIZE_MAX)
		return &set->layout;
	if (index == PERF_EVENTS_WAKINGS)
		return &set->waking_layout;
	if (index == PERF_EVENTS_INTERRUPTS)
		return &set->interrupt_layout;
	return index == PERF_EVENTS_WAITS || set->options.events[index].period ? &set->fixed_layout
									       : &set->layout;
}

size_t perf_events_index(const struct perf_events *set, uint64_t id)
{
	const uint64_t *index = map_get(&set->by_id, id);

	return index ? *index : SIZE_MAX;
}
