/*
 * Collects, orders and unwinds.
 *
 *   rings ── next record of each ── the oldest, if it is old enough ── apply or unwind ── sink
 *
 * A processor publishes a record a moment after its time; what is younger than that moment waits
 * for the next round, so that no older record of another processor can come behind it.
 */
#include "sampler/sampler.h"

#include "sampler/attach.h"
#include "sampler/callchain.h"
#include "sampler/perf_errors.h"
#include "sampler/perf_events.h"
#include "sampler/stack_reader.h"
#include "sampler/switch_rate.h"
#include "sampler/switch_waits.h"
#include "sampler/timer_thin.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define SETTLE_NS 2000000ULL
#define POLL_NS	  50000000ULL
#define HASTE_NS  100000ULL /* where a ring is filling up */

/* The next record of a ring. */
struct waiting {
	struct perf_record record;
	size_t size_bytes; /* 0: not read yet, or there is none */
};

struct sampler {
	struct perf_events events;
	struct sampler_sink sink;
	struct sampler_counts counts;
	struct images *images;
	struct processes *processes;
	struct callchains *callchains;
	struct waits *waits; /* NULL: not asked for */
	struct switch_rate switch_rate;
	struct timer_thin timer_thin;
	bool everything;       /* all processes are sampled… */
	bool filtered;	       /* …and those that are no target discarded */
	struct map unexecuted; /* targets that count from their execve on */
	int epoll, timer;      /* the timer ends the waiting for records that are too young */
	struct vec_of(struct waiting) waiting; /* one per ring… */
	struct vec_of(uint64_t) times;	       /* …and its record's time; UINT64_MAX: none */
	bool timer_runs, hurries;
	int nice_before;
	uint64_t lost_time; /* when records were found to be lost, mappings perhaps */
	char no_kernel[ERROR_MESSAGE_BYTES];
	struct unwind_frame frames[SAMPLER_FRAMES_MAX];
	uint64_t kernel[SAMPLER_FRAMES_MAX];
	unsigned char beyond[STACK_READER_BYTES];
};

/* ---- one sample ---- */

static void copy_walk(struct sampler *sampler, struct process *process,
		      const struct perf_sample *sample, struct unwind_stack *stack)
{
	struct stack_reader reader = {.pid = sample->pid, .stack = stack, .bytes = sampler->beyond};
	const struct unwind_memory memory = {.begin = sample->registers.value[UNWIND_RSP],
					     .size_bytes = sample->stack_bytes,
					     .bytes = sample->stack,
					     .read = stack_reader_read,
					     .context = &reader};

	reader.copy = &memory;
	unwind_walk(process->memory->map, &sample->registers, &memory, stack);
	sampler->counts.long_stacks += reader.asked;
	sampler->counts.gone += reader.gone;
}

/* No record has told what it has mapped, or that record is lost. */
static void look_at_process(struct sampler *sampler, struct process *process, uint64_t ip)
{
	const struct processes_told told = {.record = sampler->sink.record,
					    .context = sampler->sink.context};
	struct error err;

	if (process->known &&
	    (!ip || sampler->lost_time <= process->looked_time || process_image_at(process, ip)))
		return;
	processes_attach(sampler->processes, process->pid, told.record ? &told : NULL, &err);
	process->known = true;
	process->looked_time = sampler_clock_ns();
}

/* In execve: the registers are still those of the program before, whose stack is gone. */
static bool is_executing(struct process *process, const struct perf_sample *sample)
{
	if (process->executing && sample->has_registers &&
	    process_image_at(process, sample->registers.value[UNWIND_RA]))
		process->executing = false;
	return process->executing && sample->has_registers;
}

static void walk(struct sampler *sampler, struct process *process, const struct perf_sample *sample,
		 struct unwind_stack *stack)
{
	const bool copied = sample->has_registers;

	look_at_process(sampler, process, copied ? sample->registers.value[UNWIND_RA] : 0);
	if (is_executing(process, sample)) {
		stack->count = 0;
	} else if (sample->is_32_bit) {
		stack->frames[stack->count++] =
			(struct unwind_frame){.addr = sample->ip, .flags = UNWIND_FRAME_EXACT};
		stack->end = UNWIND_NO_RULE;
		sampler->counts.other_abi++;
	} else if (copied) {
		copy_walk(sampler, process, sample, stack);
	} else {
		callchain_user(sampler->callchains, process, sample, stack);
	}
	/* A thread of the kernel, or in execve, has no frames but the kernel's. */
	if (!stack->count)
		stack->end = UNWIND_ROOT;
}

/* The thread has ended, or its process: it has no number any more, nor a name. */
static bool is_gone(uint32_t pid, uint32_t tid)
{
	return pid == UINT32_MAX || tid == UINT32_MAX;
}

static struct process *outside(struct sampler *sampler)
{
	sampler->counts.outside++;
	sampler->counts.discarded++;
	return NULL;
}

/*
 * Counts those that are not the target's; NULL then. Events that begin with execve tell of its
 * last steps already, in what still is the launcher's process.
 */
static struct process *process_of(struct sampler *sampler, const struct perf_sample *sample)
{
	const bool is_idle = !sample->pid;

	if (is_idle || is_gone(sample->pid, sample->tid)) {
		sampler->counts.idle += is_idle;
		sampler->counts.outside += !is_idle;
		sampler->counts.discarded++;
		return NULL;
	}
	struct process *process = processes_get(sampler->processes, sample->pid);

	const bool has_user_code = sample->has_registers || sample->is_32_bit ||
				   sampler->events.options.by_frame_pointer;

	if (!process->target && (sampler->filtered || map_get(&sampler->unexecuted, sample->pid)))
		return outside(sampler);
	if (sampler->filtered || sampler->everything || has_user_code)
		return process;
	return outside(sampler);
}

static uint64_t weight_of(const struct sampler *sampler, const struct perf_sample *sample,
			  size_t event)
{
	const uint64_t fixed =
		event == PERF_EVENTS_WAITS ? 0 : sampler->events.options.events[event].period;

	return fixed ? fixed : sample->period;
}

/*
 * Whose stack is looked at only if somebody is known to wait for it. Each waking is told once:
 * where those by interrupts are seen whoever runs, the events of threads tell of others only.
 */
static void take_waking(struct sampler *sampler, const struct perf_sample *sample, size_t event)
{
	const struct wakings *wakings = &sampler->events.wakings;
	const uint32_t woken = wakings_woken(wakings, sample);

	if (!woken || !sampler->waits || !waits_goes_on(sampler->waits, woken))
		return;
	struct unwind_stack stack = {.frames = sampler->frames, .room = SAMPLER_FRAMES_MAX};
	struct sampler_waker waker = {
		.tid = sample->tid,
		.time = sample->time,
		.kernel = sampler->kernel,
		.kernel_count = callchain_kernel(sample, sampler->kernel, SAMPLER_FRAMES_MAX),
		.stack = &stack};
	const bool by_interrupt =
		wakings_by_interrupt(wakings, sample, waker.kernel, waker.kernel_count);

	if (sampler->events.interrupts && by_interrupt != (event == PERF_EVENTS_INTERRUPTS))
		return;
	if (!by_interrupt) {
		if (is_gone(sample->pid, sample->tid))
			return;
		struct process *process = processes_get(sampler->processes, sample->pid);

		/* Of others nothing is told. */
		if (sampler->filtered && !process->target)
			return;
		walk(sampler, process, sample, &stack);
		waker.process = process;
	}
	waits_waken(sampler->waits, woken, &waker);
}

static void take_sample(struct sampler *sampler, const struct perf_sample *sample)
{
	const size_t event = perf_events_index(&sampler->events, sample->id);

	if (event == PERF_EVENTS_WAKINGS || event == PERF_EVENTS_INTERRUPTS) {
		take_waking(sampler, sample, event);
		return;
	}
	if (event == SIZE_MAX) {
		sampler->counts.unknown++;
		return;
	}
	struct process *process = process_of(sampler, sample);
	if (!process)
		return;
	struct unwind_stack stack = {.frames = sampler->frames, .room = SAMPLER_FRAMES_MAX};
	const struct sampler_sample taken = {
		.process = process,
		.tid = sample->tid,
		.cpu = sample->cpu,
		.time = sample->time,
		.weight = weight_of(sampler, sample, event),
		.event = event,
		.kernel = sampler->kernel,
		.kernel_count = callchain_kernel(sample, sampler->kernel, SAMPLER_FRAMES_MAX),
		.stack = &stack};

	walk(sampler, process, sample, &stack);
	if (event == PERF_EVENTS_WAITS) {
		waits_sample(sampler->waits, &taken);
		return;
	}
	sampler->counts.samples++;
	sampler->counts.complete += stack.end == UNWIND_ROOT;
	sampler->sink.sample(sampler->sink.context, &taken);
}

/* ---- other records ---- */

static void take_switch(struct sampler *sampler, const struct perf_record *record)
{
	const uint32_t pid = record->switched.pid;

	if (!sampler->waits || !pid || is_gone(pid, record->switched.tid))
		return;
	const struct process *process = processes_get(sampler->processes, pid);
	if (record->misc & PERF_RECORD_MISC_SWITCH_OUT)
		switch_rate_note(&sampler->switch_rate);
	if (!sampler->filtered || process->target)
		waits_switch(sampler->waits, process, record);
}

static void take_fork(struct sampler *sampler, const struct perf_record *record)
{
	processes_apply(sampler->processes, record);
	if (!sampler->waits)
		return;
	const struct process *process = processes_get(sampler->processes, record->task.pid);
	waits_begin(sampler->waits, !sampler->filtered || process->target ? process : NULL, record);
}

static void take_exit(struct sampler *sampler, const struct perf_record *record)
{
	const struct perf_task *task = &record->task;

	if (sampler->waits)
		waits_end(sampler->waits, task->tid);
	processes_apply(sampler->processes, record);
	const struct process *process = processes_get(sampler->processes, task->pid);
	if (!sampler->waits || !sampler->events.wakings.wanted || process->threads ||
	    (sampler->filtered && !process->target))
		return;
	const struct unwind_stack none = {.end = UNWIND_UNREADABLE};
	waits_child_ends(sampler->waits, task->parent_pid,
			 &(struct sampler_waker){.process = process,
						 .tid = task->tid,
						 .time = record->time,
						 .stack = &none});
}

static void take_name(struct sampler *sampler, const struct perf_name *name)
{
	if (name->exec && sampler->waits)
		waits_forget(sampler->waits, name->tid);
	if (name->exec && map_get(&sampler->unexecuted, name->pid))
		processes_get(sampler->processes, name->pid)->target = true;
}

static void take_record(struct sampler *sampler, const struct perf_record *record)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(sampler, &record->sample);
		return;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		sampler->counts.lost += record->lost;
		sampler->lost_time = sampler_clock_ns();
		break;
	case PERF_RECORD_THROTTLE:
		sampler->counts.throttled++;
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		take_switch(sampler, record);
		return;
	case PERF_RECORD_FORK:
		take_fork(sampler, record);
		break;
	case PERF_RECORD_EXIT:
		take_exit(sampler, record);
		break;
	case PERF_RECORD_COMM:
		processes_apply(sampler->processes, record);
		take_name(sampler, &record->name);
		break;
	default:
		processes_apply(sampler->processes, record);
		break;
	}
	if (sampler->sink.record)
		sampler->sink.record(sampler->sink.context, record);
}

/* ---- order ---- */

static uint64_t time_of(const struct perf_record *record)
{
	return record->type == PERF_RECORD_SAMPLE ? record->sample.time : record->time;
}

/* Reads the next record of a ring. */
static void look_at(struct sampler *sampler, size_t index)
{
	struct waiting *waiting = &sampler->waiting.data[index];
	struct perf_ring *ring = &sampler->events.processors.data[index].ring;
	size_t size;

	sampler->times.data[index] = UINT64_MAX;
	for (const void *bytes; (bytes = perf_ring_next(ring, &size));) {
		if (perf_record_read(perf_events_layout(&sampler->events, bytes, size), bytes, size,
				     &waiting->record, &size)) {
			waiting->size_bytes = size;
			sampler->times.data[index] = time_of(&waiting->record);
			return;
		}
		sampler->counts.unknown++;
		perf_ring_consume(ring, size);
	}
}

/* The ring whose next record is the oldest; false if no record is older than `until`. */
static bool find_oldest(const struct sampler *sampler, uint64_t until, size_t *oldest)
{
	uint64_t time = until;
	bool found = false;

	for (size_t i = 0; i < sampler->times.len; i++) {
		if (sampler->times.data[i] >= time)
			continue;
		time = sampler->times.data[i];
		*oldest = i;
		found = true;
	}
	return found;
}

/* How full the fullest ring is. */
static double look(struct sampler *sampler)
{
	double fullest = 0;

	for (size_t i = 0; i < sampler->times.len; i++) {
		struct perf_ring *ring = &sampler->events.processors.data[i].ring;

		perf_ring_look(ring);
		if (sampler->times.data[i] == UINT64_MAX)
			look_at(sampler, i);
		const double full = (double)perf_ring_filled(ring) / (double)ring->data_bytes;
		fullest = full > fullest ? full : fullest;
	}
	return fullest;
}

static void take_until(struct sampler *sampler, uint64_t until)
{
	size_t index;

	while (find_oldest(sampler, until, &index)) {
		struct waiting *waiting = &sampler->waiting.data[index];

		timer_thin_note(&sampler->timer_thin, index);
		take_record(sampler, &waiting->record);
		perf_ring_consume(&sampler->events.processors.data[index].ring,
				  waiting->size_bytes);
		look_at(sampler, index);
	}
}

/* ---- begin and end ---- */

/*
 * Rings overflow where the recorder gets no processor in time, among a hundred busy threads say.
 * Who may, goes before these; what it starts does not inherit that.
 */
static void hurry(struct sampler *sampler, bool begin)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} wanted = {.size = sizeof(wanted), .flags = begin ? SCHED_FLAG_RESET_ON_FORK : 0};

	if (begin)
		sampler->nice_before = getpriority(PRIO_PROCESS, 0);
	else if (!sampler->hurries)
		return;
	wanted.nice = begin ? -20 : sampler->nice_before;
	sampler->hurries = syscall(SYS_sched_setattr, 0, &wanted, 0) == 0 && begin;
}

static bool sampler_ready(struct sampler *sampler, struct error *err)
{
	struct epoll_event timer = {.events = EPOLLIN};

	sampler->epoll = epoll_create1(EPOLL_CLOEXEC);
	sampler->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (sampler->epoll < 0 || sampler->timer < 0 ||
	    epoll_ctl(sampler->epoll, EPOLL_CTL_ADD, sampler->timer, &timer) != 0)
		return error_set_errno(err, errno, "cannot wait for samples");
	vec_foreach (processor, &sampler->events.processors) {
		struct epoll_event event = {.events = EPOLLIN};

		if (epoll_ctl(sampler->epoll, EPOLL_CTL_ADD, processor->descriptor, &event) != 0)
			return error_set_errno(err, errno, "cannot wait for samples");
		vec_push(&sampler->waiting, (struct waiting){.size_bytes = 0});
		vec_push(&sampler->times, UINT64_MAX);
	}
	return true;
}

static struct sampler *sampler_new(const struct sampler_options *options, bool on_exec,
				   struct error *err)
{
	struct sampler *sampler = mem_zalloc(sizeof(*sampler));
	const struct perf_events_options wanted = {.events = options->events,
						   .event_count = options->event_count,
						   .stack_bytes = options->stack_bytes & ~(size_t)7,
						   .kernel = options->kernel,
						   .wakers = options->wakers,
						   .by_frame_pointer = options->by_frame_pointer,
						   .on_exec = on_exec};

	sampler->sink = options->sink;
	sampler->epoll = sampler->timer = -1;
	sampler->images = images_new();
	sampler->processes = processes_new(sampler->images, true);
	sampler->callchains = callchains_new();
	map_init(&sampler->unexecuted);
	if (perf_events_have_waits(options->events, options->event_count)) {
		const struct sched_text scheduler = sched_text_read();

		sampler->waits = waits_new(options->events, options->event_count, &scheduler,
					   &options->sink, &sampler->counts);
	}
	hurry(sampler, true);
	if (!perf_events_begin(&sampler->events, &wanted, err) || !sampler_ready(sampler, err)) {
		sampler_close(sampler);
		return NULL;
	}
	if (options->kernel && !sampler->events.kernel)
		perf_errors_kernel(sampler->no_kernel, sizeof(sampler->no_kernel));
	return sampler;
}

static struct sampler *sampler_checked(struct sampler *sampler, bool good)
{
	if (!good) {
		sampler_close(sampler);
		return NULL;
	}
	/* Timers of processors are not set at switches. */
	if (!sampler->everything)
		timer_thin_init(&sampler->timer_thin, &sampler->events);
	return sampler;
}

struct sampler *sampler_open_command(const struct sampler_options *options, uint32_t pid,
				     struct error *err)
{
	struct sampler *sampler = sampler_new(options, true, err);

	if (!sampler)
		return NULL;
	processes_get(sampler->processes, pid);
	map_put(&sampler->unexecuted, pid, 1);
	return sampler_checked(sampler, perf_events_add(&sampler->events, pid, err));
}

static bool attach_process(struct sampler *sampler, uint32_t pid, struct error *err)
{
	const struct processes_told told = {.record = sampler->sink.record,
					    .context = sampler->sink.context};

	return processes_attach(sampler->processes, pid, told.record ? &told : NULL, err);
}

struct sampler *sampler_open_running(const struct sampler_options *options, const uint32_t *pids,
				     size_t count, struct error *err)
{
	struct sampler *sampler = sampler_new(options, false, err);
	bool good = sampler != NULL;

	for (size_t i = 0; good && i < count; i++)
		good = attach_threads(&sampler->events, pids[i], err);
	/* First the records of what is mapped from now on, then what is mapped already. */
	if (good)
		perf_events_enable(&sampler->events, true);
	for (size_t i = 0; good && i < count; i++)
		good = attach_process(sampler, pids[i], err);
	return sampler_checked(sampler, good);
}

/* It is still this program, and will be another one. */
static bool is_unexecuted(const struct process *process)
{
	char path[64], own[4096], its[4096];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/exe", process->pid);
	const ssize_t own_size = readlink("/proc/self/exe", own, sizeof(own));
	const ssize_t its_size = readlink(path, its, sizeof(its));

	return own_size > 0 && own_size == its_size && memcmp(own, its, (size_t)own_size) == 0;
}

static bool add_target(struct sampler *sampler, uint32_t pid, struct error *err)
{
	if (!attach_process(sampler, pid, err))
		return false;
	struct process *process = processes_get(sampler->processes, pid);

	if (is_unexecuted(process))
		map_put(&sampler->unexecuted, pid, 1);
	else
		process->target = true;
	return true;
}

struct sampler *sampler_open_everything(const struct sampler_options *options, struct error *err)
{
	struct sampler *sampler = sampler_new(options, false, err);

	assert(options->target || !options->target_count);
	if (!sampler)
		return NULL;
	sampler->everything = true;
	sampler->filtered = options->target != NULL;
	bool good = perf_events_add(&sampler->events, PERF_EVERYTHING, err);

	if (good)
		perf_events_enable(&sampler->events, true);
	for (size_t i = 0; good && i < options->target_count; i++)
		good = add_target(sampler, options->target[i], err);
	return sampler_checked(sampler, good);
}

void sampler_close(struct sampler *sampler)
{
	if (!sampler)
		return;
	if (sampler->epoll >= 0)
		close(sampler->epoll);
	if (sampler->timer >= 0)
		close(sampler->timer);
	timer_thin_fini(&sampler->timer_thin);
	perf_events_close(&sampler->events);
	hurry(sampler, false);
	callchains_free(sampler->callchains);
	waits_free(sampler->waits);
	processes_free(sampler->processes);
	images_free(sampler->images);
	map_fini(&sampler->unexecuted);
	vec_fini(&sampler->waiting);
	vec_fini(&sampler->times);
	free(sampler);
}

int sampler_descriptor(const struct sampler *sampler)
{
	return sampler->epoll;
}

/* The kernel does not wake for records that it has told of, and for none if a ring is full. */
static void set_timer(struct sampler *sampler)
{
	struct itimerspec when = {.it_value.tv_nsec = 0};

	vec_foreach (processor, &sampler->events.processors)
		if (perf_ring_filled(&processor->ring) > processor->ring.data_bytes / 4)
			when.it_value.tv_nsec = SETTLE_NS;
	if (!when.it_value.tv_nsec && !sampler->timer_runs)
		return;
	sampler->timer_runs = when.it_value.tv_nsec;
	timerfd_settime(sampler->timer, 0, &when, NULL);
}

/* Threads that switch all the time have a sample at some of their switches only. */
static void thin(struct sampler *sampler, uint64_t now)
{
	const bool many = switch_rate_look(&sampler->switch_rate, &SWITCH_RATE_LIMITS, now);

	if (!sampler->waits)
		return;
	perf_events_thin(&sampler->events, many);
	if (many)
		waits_thin(sampler->waits);
}

void sampler_poll(struct sampler *sampler, int timeout_ms)
{
	struct epoll_event events[16];

	epoll_wait(sampler->epoll, events, sizeof(events) / sizeof(events[0]), timeout_ms);
	uint64_t now = sampler_clock_ns();
	const uint64_t long_enough = now + POLL_NS; /* the caller has other things to do */
	while (look(sampler) > 0.5 && now < long_enough) {
		take_until(sampler, now - HASTE_NS);
		now = sampler_clock_ns();
	}
	take_until(sampler, now - SETTLE_NS);
	thin(sampler, now);
	timer_thin_look(&sampler->timer_thin, now, sampler->counts.samples);
	set_timer(sampler);
}

void sampler_stop(struct sampler *sampler)
{
	const uint64_t end = sampler_clock_ns();

	timer_thin_fini(&sampler->timer_thin); /* it may begin timers */
	perf_events_enable(&sampler->events, false);
	look(sampler);
	take_until(sampler, UINT64_MAX);
	if (sampler->waits)
		waits_finish(sampler->waits, end);
}

bool sampler_is_over(const struct sampler *sampler)
{
	const size_t count = processes_count(sampler->processes);

	if (sampler->everything && !sampler->filtered)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct process *process = processes_at(sampler->processes, i);

		if (sampler->filtered && !process->target &&
		    !map_get(&sampler->unexecuted, process->pid))
			continue;
		/* The record of its end can be lost. */
		if (!process->end_time && (kill((pid_t)process->pid, 0) == 0 || errno != ESRCH))
			return false;
	}
	return true;
}

uint64_t sampler_frequency_limit(const struct sampler *sampler)
{
	return sampler->events.frequency_limit;
}

const char *sampler_no_kernel(const struct sampler *sampler)
{
	return sampler->no_kernel[0] ? sampler->no_kernel : NULL;
}

const char *sampler_no_wakers(const struct sampler *sampler)
{
	return sampler->events.wakings.reason[0] ? sampler->events.wakings.reason : NULL;
}

const struct sampler_counts *sampler_counts(const struct sampler *sampler)
{
	return &sampler->counts;
}

struct processes *sampler_processes(const struct sampler *sampler)
{
	return sampler->processes;
}

struct images *sampler_images(const struct sampler *sampler)
{
	return sampler->images;
}
