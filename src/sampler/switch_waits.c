/*
 * A thread has one wait at most, whose storage is used again for its next one. A switch whose
 * sample was lost is a wait without frames; one whose end was lost is lost, and counted so, as its
 * length is not known.
 */
#include "sampler/switch_waits.h"

#include "sampler/sched_text.h"

#include <string.h>

enum wait_state { WAIT_NONE, WAIT_SAMPLED, WAIT_GOES_ON, WAIT_NEVER };

/* Who has woken the thread; its storage is used again, too. */
struct waker {
	bool known;
	const struct process *process; /* NULL: an interrupt */
	uint32_t tid;
	uint64_t time;
	struct vec_of(struct unwind_frame) frames;
	struct vec_of(uint64_t) kernel;
	enum unwind_result end;
};

struct wait {
	uint32_t tid, cpu;
	enum wait_state state;
	bool preempted;
	uint64_t begin_time;
	const struct process *process;
	struct vec_of(struct unwind_frame) frames;
	struct vec_of(uint64_t) kernel;
	enum unwind_result end;
	struct waker waker;
};

struct waits {
	struct sampler_sink sink;
	struct sampler_counts *counts;
	size_t blocked_event, preempted_event; /* SIZE_MAX: not asked for */
	struct sched_text scheduler;
	struct map by_tid;
	struct vec_of(struct wait) list;
};

struct waits *waits_new(const struct event *events, size_t event_count,
			const struct sampler_sink *sink, struct sampler_counts *counts)
{
	struct waits *waits = mem_zalloc(sizeof(*waits));

	waits->sink = *sink;
	waits->counts = counts;
	waits->blocked_event = waits->preempted_event = SIZE_MAX;
	for (size_t i = event_count; i-- > 0;) {
		if (events[i].kind == EVENT_OFF_CPU)
			waits->blocked_event = i;
		if (events[i].kind == EVENT_PREEMPTED)
			waits->preempted_event = i;
	}
	waits->scheduler = sched_text_read();
	map_init(&waits->by_tid);
	return waits;
}

static void wait_fini(struct wait *wait)
{
	vec_fini(&wait->frames);
	vec_fini(&wait->kernel);
	vec_fini(&wait->waker.frames);
	vec_fini(&wait->waker.kernel);
}

void waits_free(struct waits *waits)
{
	if (!waits)
		return;
	vec_foreach (wait, &waits->list)
		wait_fini(wait);
	vec_fini(&waits->list);
	map_fini(&waits->by_tid);
	free(waits);
}

static struct wait *wait_get(struct waits *waits, uint32_t tid)
{
	const uint64_t *index = map_put(&waits->by_tid, tid, waits->list.len);

	if (*index == waits->list.len) {
		const struct wait wait = {.tid = tid};
		vec_push(&waits->list, wait);
	}
	return &waits->list.data[*index];
}

void waits_sample(struct waits *waits, const struct sampler_sample *sample)
{
	struct wait *wait = wait_get(waits, sample->tid);

	if (wait->state == WAIT_NEVER)
		return;
	if (wait->state == WAIT_GOES_ON)
		waits->counts->lost++;
	wait->state = WAIT_SAMPLED;
	wait->process = sample->process;
	wait->cpu = sample->cpu;
	wait->begin_time = sample->time;
	wait->end = sample->stack->end;
	wait->frames.len = wait->kernel.len = 0;
	vec_append(&wait->frames, sample->stack->frames, sample->stack->count);
	/* What it waits in is what called the scheduler. */
	const size_t own =
		sched_text_frames(&waits->scheduler, sample->kernel, sample->kernel_count);
	vec_append(&wait->kernel, sample->kernel + own, sample->kernel_count - own);
}

static void switched_out(struct waits *waits, struct wait *wait, const struct process *process,
			 const struct perf_record *record)
{
	if (wait->state != WAIT_SAMPLED) {
		if (wait->state == WAIT_GOES_ON)
			waits->counts->lost++;
		wait->process = process;
		wait->frames.len = wait->kernel.len = 0;
		wait->end = UNWIND_UNREADABLE;
	}
	wait->state = WAIT_GOES_ON;
	wait->waker.known = false;
	wait->begin_time = record->time;
	wait->preempted = record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
}

bool waits_goes_on(const struct waits *waits, uint32_t tid)
{
	const uint64_t *index = map_get(&waits->by_tid, tid);

	return index && waits->list.data[*index].state == WAIT_GOES_ON;
}

void waits_waken(struct waits *waits, uint32_t tid, const struct sampler_waker *from)
{
	struct waker *waker = &wait_get(waits, tid)->waker;

	waker->known = true;
	waker->process = from->process;
	waker->tid = from->tid;
	waker->time = from->time;
	waker->frames.len = waker->kernel.len = 0;
	if (!from->process)
		return;
	waker->end = from->stack->end;
	vec_append(&waker->frames, from->stack->frames, from->stack->count);
	vec_append(&waker->kernel, from->kernel, from->kernel_count);
}

static void wait_tell(struct waits *waits, struct wait *wait, uint64_t time)
{
	const size_t event = wait->preempted ? waits->preempted_event : waits->blocked_event;
	const struct unwind_stack stack = {.frames = wait->frames.data,
					   .room = wait->frames.len,
					   .count = wait->frames.len,
					   .end = wait->end};
	const struct waker *waker = &wait->waker;
	const struct unwind_stack waker_stack = {.frames = waker->frames.data,
						 .room = waker->frames.len,
						 .count = waker->frames.len,
						 .end = waker->end};
	const struct sampler_waker told = {.process = waker->process,
					   .tid = waker->tid,
					   .time = waker->time,
					   .kernel = waker->kernel.data,
					   .kernel_count = waker->kernel.len,
					   .stack = &waker_stack};
	const bool ready = wait->state == WAIT_GOES_ON && time > wait->begin_time;

	wait->state = WAIT_NONE;
	if (event == SIZE_MAX || !ready)
		return;
	waits->counts->samples++;
	waits->counts->complete += wait->end == UNWIND_ROOT;
	waits->sink.sample(
		waits->sink.context,
		&(struct sampler_sample){.process = wait->process,
					 .tid = wait->tid,
					 .cpu = wait->cpu,
					 .time = wait->begin_time,
					 .weight = time - wait->begin_time,
					 .event = event,
					 .kernel = wait->kernel.data,
					 .kernel_count = wait->kernel.len,
					 .stack = &stack,
					 .waker = waker->known && !wait->preempted ? &told : NULL});
}

void waits_switch(struct waits *waits, const struct process *process,
		  const struct perf_record *record)
{
	struct wait *wait = wait_get(waits, record->switched.tid);

	if (wait->state == WAIT_NEVER)
		return;
	if (record->misc & PERF_RECORD_MISC_SWITCH_OUT)
		switched_out(waits, wait, process, record);
	else
		wait_tell(waits, wait, record->time);
}

void waits_begin(struct waits *waits, uint32_t tid)
{
	const uint64_t *index = map_get(&waits->by_tid, tid);

	if (index)
		waits->list.data[*index].state = WAIT_NONE;
}

/* The last switch, from which no thread comes back, is still to come. */
void waits_end(struct waits *waits, uint32_t tid)
{
	struct wait *wait = wait_get(waits, tid);

	wait_fini(wait);
	wait->state = WAIT_NEVER;
}

void waits_finish(struct waits *waits, uint64_t time)
{
	vec_foreach (wait, &waits->list)
		wait_tell(waits, wait, time);
}
