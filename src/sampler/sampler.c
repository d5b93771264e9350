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
#include "sampler/perf_events.h"

#include <poll.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#define SETTLE_NS 20000000ULL

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
	struct vec_of(struct waiting) waiting; /* one per ring */
	struct vec_of(struct pollfd) poll;
	struct unwind_frame frames[SAMPLER_FRAMES_MAX];
	uint64_t kernel[SAMPLER_FRAMES_MAX];
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

/* ---- one sample ---- */

/* The stack beyond the copy. Its older part stays as it is while the thread runs on. */
static bool read_process(void *context, uint64_t run_addr, uint64_t *word)
{
	const struct iovec here = {.iov_base = word, .iov_len = sizeof(*word)};
	const struct iovec there = {.iov_base = (void *)run_addr, .iov_len = sizeof(*word)};

	return process_vm_readv(*(const pid_t *)context, &here, 1, &there, 1, 0) ==
	       (ssize_t)sizeof(*word);
}

static size_t kernel_frames(struct sampler *sampler, const struct perf_sample *sample)
{
	size_t count = 0;

	for (uint64_t i = 0; i < sample->callchain_count && count < SAMPLER_FRAMES_MAX; i++) {
		const uint64_t addr = perf_callchain_at(sample, i);

		if (addr < (uint64_t)PERF_CONTEXT_MAX) /* else it says whose the next ones are */
			sampler->kernel[count++] = addr;
	}
	return count;
}

static void take_sample(struct sampler *sampler, const struct perf_sample *sample)
{
	struct process *process = processes_get(sampler->processes, sample->pid);
	struct unwind_stack stack = {.frames = sampler->frames, .room = SAMPLER_FRAMES_MAX};
	pid_t pid = (pid_t)sample->pid;
	struct error err;
	const struct unwind_memory memory = {.begin = sample->registers.value[UNWIND_RSP],
					     .size_bytes = sample->stack_bytes,
					     .bytes = sample->stack,
					     .read = read_process,
					     .context = &pid};

	if (!sample->has_registers) {
		sampler->counts.discarded++;
		return;
	}
	/* No record has told of it, or that record is lost. */
	if (!process->images.len && !process->looked_at)
		processes_attach(sampler->processes, sample->pid, &err);
	process->looked_at = true;
	unwind_walk(process->map, &sample->registers, &memory, &stack);
	sampler->counts.samples++;
	sampler->counts.complete += stack.end == UNWIND_ROOT;
	sampler->sink.sample(
		sampler->sink.context,
		&(struct sampler_sample){.process = process,
					 .tid = sample->tid,
					 .cpu = sample->cpu,
					 .time = sample->time,
					 .weight = sample->period,
					 .event = perf_events_index(&sampler->events, sample->id),
					 .kernel = sampler->kernel,
					 .kernel_count = kernel_frames(sampler, sample),
					 .stack = &stack});
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
		break;
	case PERF_RECORD_THROTTLE:
		sampler->counts.throttled++;
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

/* Reads the next record of a ring, if that has not been done; false if there is none. */
static bool look_at(struct sampler *sampler, size_t ring)
{
	struct waiting *waiting = &sampler->waiting.data[ring];
	struct perf_ring *source = &sampler->events.rings.data[ring];
	size_t size;

	while (!waiting->size_bytes) {
		const void *bytes = perf_ring_next(source, &size);

		if (!bytes)
			return false;
		if (perf_record_read(&sampler->events.layout, bytes, size, &waiting->record,
				     &size)) {
			waiting->size_bytes = size;
			return true;
		}
		sampler->counts.unknown++;
		perf_ring_consume(source, size);
	}
	return true;
}

/* The ring whose next record is the oldest; false if no record is older than `until`. */
static bool find_oldest(struct sampler *sampler, uint64_t until, size_t *oldest)
{
	bool found = false;
	uint64_t time = until;

	for (size_t i = 0; i < sampler->events.rings.len; i++) {
		if (!look_at(sampler, i))
			continue;
		const uint64_t its = time_of(&sampler->waiting.data[i].record);
		if (its > time)
			continue;
		time = its;
		*oldest = i;
		found = true;
	}
	return found;
}

static void take_until(struct sampler *sampler, uint64_t until)
{
	size_t ring;

	while (find_oldest(sampler, until, &ring)) {
		struct waiting *waiting = &sampler->waiting.data[ring];

		take_record(sampler, &waiting->record);
		perf_ring_consume(&sampler->events.rings.data[ring], waiting->size_bytes);
		waiting->size_bytes = 0;
	}
}

/* ---- begin and end ---- */

static struct sampler *sampler_new(const struct sampler_options *options)
{
	struct sampler *sampler = mem_zalloc(sizeof(*sampler));

	sampler->sink = options->sink;
	sampler->images = images_new();
	sampler->processes = processes_new(sampler->images);
	return sampler;
}

static struct perf_events_options events_options(const struct sampler_options *options,
						 bool on_exec)
{
	return (struct perf_events_options){.events = options->events,
					    .event_count = options->event_count,
					    .stack_bytes = options->stack_bytes,
					    .kernel = options->kernel,
					    .on_exec = on_exec};
}

static void sampler_ready(struct sampler *sampler)
{
	vec_foreach (fd, &sampler->events.ring_descriptors) {
		const struct pollfd entry = {.fd = *fd, .events = POLLIN};
		const struct waiting none = {.size_bytes = 0};

		vec_push(&sampler->poll, entry);
		vec_push(&sampler->waiting, none);
	}
}

struct sampler *sampler_open_command(const struct sampler_options *options, uint32_t pid,
				     struct error *err)
{
	struct sampler *sampler = sampler_new(options);
	const struct perf_events_options wanted = events_options(options, true);

	if (!perf_events_open(&sampler->events, &wanted, pid, err)) {
		sampler_close(sampler);
		return NULL;
	}
	sampler_ready(sampler);
	return sampler;
}

struct sampler *sampler_open_running(const struct sampler_options *options, const uint32_t *pids,
				     size_t count, struct error *err)
{
	struct sampler *sampler = sampler_new(options);
	const struct perf_events_options wanted = events_options(options, false);

	bool good = true;

	for (size_t i = 0; good && i < count; i++)
		good = attach_threads(&sampler->events, &wanted, pids[i], err);
	/* First the records of what is mapped from now on, then what is mapped already. */
	perf_events_enable(&sampler->events, good);
	for (size_t i = 0; good && i < count; i++)
		good = processes_attach(sampler->processes, pids[i], err);
	if (!good) {
		sampler_close(sampler);
		return NULL;
	}
	sampler_ready(sampler);
	return sampler;
}

void sampler_close(struct sampler *sampler)
{
	if (!sampler)
		return;
	perf_events_close(&sampler->events);
	processes_free(sampler->processes);
	images_free(sampler->images);
	vec_fini(&sampler->waiting);
	vec_fini(&sampler->poll);
	free(sampler);
}

void sampler_poll(struct sampler *sampler, int timeout_ms)
{
	poll(sampler->poll.data, sampler->poll.len, timeout_ms);
	take_until(sampler, now_ns() - SETTLE_NS);
}

void sampler_stop(struct sampler *sampler)
{
	perf_events_enable(&sampler->events, false);
	take_until(sampler, UINT64_MAX);
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
