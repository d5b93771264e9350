/*
 * A thread has one wait at most, whose storage is used again for its next one. A switch whose
 * sample was lost is a wait without frames; one whose end was lost is lost, and counted so, as its
 * length is not known.
 *
 * While not each switch has a sample (waits_thin), a wait without one gets the stack of the
 * thread's last wait that had one and was about as long: a thread waits long for other things than
 * it waits shortly for, so stacks that are seldom seldom stand for others.
 *
 *   length   4^9 … 4^10 ns   stack of the last sample      of each thread, blocked and
 *            4^10 … 4^11     stack of the last sample      preempted apart
 *
 * Who woke it is seen as seldom then: each waking that is seen stands for PERF_EVENTS_ONE_OF, so as
 * many waits of that length at the same place behind it get the same waker, and what is left is
 * not known.
 *
 * A process that ends wakes its parent when its events are closed already: what a thread of the
 * parent waits for is the end of the last child before, if it waits for children, or for the signal
 * that tells of that, which one of several threads gets.
 */
#include "sampler/switch_waits.h"

#include "sampler/perf_events.h"

#include <string.h>

#define CHILD_SIGNAL_NS 10000000 /* until who waits for a signal has a processor, at most */

enum wait_state { WAIT_NONE, WAIT_SAMPLED, WAIT_GOES_ON, WAIT_NEVER };

struct wait_stack {
	struct vec_of(struct unwind_frame) frames;
	struct vec_of(uint64_t) kernel;
	enum unwind_result end;
};

/* Who has woken the thread; its storage is used again, too. */
struct waker {
	bool known;
	const struct process *process; /* NULL: an interrupt */
	uint32_t tid;
	uint64_t time;
	struct wait_stack stack;
};

/* Of the last waits of a length: the stack of one that had a sample, and who was seen to end one.
 */
struct known_wait {
	int length; /* see length_of */
	bool preempted, has_stack;
	struct wait_stack stack;
	struct waker waker;
	uint64_t wakings;  /* that nobody has seen and which it stands for… */
	uint64_t woken_at; /* …of waits at that address */
};

struct wait {
	uint32_t tid, cpu;
	enum wait_state state;
	bool preempted, sampled;
	uint64_t begin_time;
	const struct process *process;
	uint64_t told_at; /* innermost address of the stack that it was told with */
	struct wait_stack stack;
	struct vec_of(struct known_wait) known;
	struct waker waker;
};

/* Of a process's children the last one that has ended. */
struct ended_child {
	struct waker child;
	bool took_signal; /* a thread that waited for signals was told of it */
};

struct waits {
	struct sampler_sink sink;
	struct sampler_counts *counts;
	size_t blocked_event, preempted_event; /* SIZE_MAX: not asked for */
	struct sched_text scheduler;
	bool thinned; /* not each switch has a sample, or there was such a time */
	struct map by_tid;
	struct vec_of(struct wait) list;
	struct map by_parent; /* pid → index */
	struct vec_of(struct ended_child) children;
};

struct waits *waits_new(const struct event *events, size_t event_count,
			const struct sched_text *scheduler, const struct sampler_sink *sink,
			struct sampler_counts *counts)
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
	waits->scheduler = *scheduler;
	map_init(&waits->by_tid);
	map_init(&waits->by_parent);
	return waits;
}

static void stack_fini(struct wait_stack *stack)
{
	vec_fini(&stack->frames);
	vec_fini(&stack->kernel);
}

static void known_fini(struct known_wait *known)
{
	stack_fini(&known->stack);
	stack_fini(&known->waker.stack);
}

static void wait_fini(struct wait *wait)
{
	stack_fini(&wait->stack);
	vec_foreach (known, &wait->known)
		known_fini(known);
	vec_fini(&wait->known);
	stack_fini(&wait->waker.stack);
}

static void stack_clear(struct wait_stack *stack)
{
	stack->frames.len = stack->kernel.len = 0;
	stack->end = UNWIND_UNREADABLE;
}

static void stack_take(struct wait_stack *stack, const struct unwind_stack *from,
		       const uint64_t *kernel, size_t kernel_count)
{
	stack_clear(stack);
	stack->end = from->end;
	vec_append(&stack->frames, from->frames, from->count);
	vec_append(&stack->kernel, kernel, kernel_count);
}

static struct unwind_stack stack_told(const struct wait_stack *stack)
{
	return (struct unwind_stack){.frames = stack->frames.data,
				     .room = stack->frames.len,
				     .count = stack->frames.len,
				     .end = stack->end};
}

void waits_free(struct waits *waits)
{
	if (!waits)
		return;
	vec_foreach (wait, &waits->list)
		wait_fini(wait);
	vec_fini(&waits->list);
	map_fini(&waits->by_tid);
	vec_foreach (ended, &waits->children)
		stack_fini(&ended->child.stack);
	vec_fini(&waits->children);
	map_fini(&waits->by_parent);
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
	/* What it waits in is what called the scheduler. */
	const size_t own =
		sched_text_frames(&waits->scheduler, sample->kernel, sample->kernel_count);
	stack_take(&wait->stack, sample->stack, sample->kernel + own, sample->kernel_count - own);
}

static void switched_out(struct waits *waits, struct wait *wait, const struct process *process,
			 const struct perf_record *record)
{
	wait->sampled = wait->state == WAIT_SAMPLED;
	if (!wait->sampled) {
		if (wait->state == WAIT_GOES_ON)
			waits->counts->lost++;
		wait->process = process;
		stack_clear(&wait->stack);
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

/* Without a stack. */
static void waker_take(struct waker *waker, const struct sampler_waker *from)
{
	waker->process = from->process;
	waker->tid = from->tid;
	waker->time = from->time;
	stack_clear(&waker->stack);
}

void waits_waken(struct waits *waits, uint32_t tid, const struct sampler_waker *from)
{
	struct waker *waker = &wait_get(waits, tid)->waker;

	waker->known = true;
	waker_take(waker, from);
	if (from->process)
		stack_take(&waker->stack, from->stack, from->kernel, from->kernel_count);
}

void waits_child_ends(struct waits *waits, uint32_t parent_pid, const struct sampler_waker *child)
{
	const uint64_t index = *map_put(&waits->by_parent, parent_pid, waits->children.len);

	if (index == waits->children.len)
		vec_push(&waits->children, (struct ended_child){0});
	struct ended_child *ended = &waits->children.data[index];
	ended->took_signal = false;
	waker_take(&ended->child, child);
	if (waits->scheduler.exit)
		vec_push(&ended->child.stack.kernel, waits->scheduler.exit);
}

/* ---- stacks of waits without a sample ---- */

static int length_of(uint64_t ns)
{
	return (63 - __builtin_clzll(ns | 1)) / 2;
}

/* NULL: nothing is known of such waits. */
static struct known_wait *known_of(const struct wait *wait, uint64_t ns)
{
	const int length = length_of(ns);

	vec_foreach (known, &wait->known)
		if (known->length == length && known->preempted == wait->preempted)
			return known;
	return NULL;
}

/* The same, made where there was none; what others have of the wait's known ones is no longer
 * valid. */
static struct known_wait *known_make(struct wait *wait, uint64_t ns)
{
	struct known_wait *known = known_of(wait, ns);

	if (known)
		return known;
	vec_push(&wait->known,
		 ((struct known_wait){.length = length_of(ns), .preempted = wait->preempted}));
	return &vec_last(&wait->known);
}

/* Keeps what is known of the wait, and gives it the storage of what was known before. */
static void keep(const struct waits *waits, struct wait *wait, uint64_t ns)
{
	if (!wait->sampled && !wait->waker.known)
		return;
	struct known_wait *known = known_make(wait, ns);

	if (wait->sampled) {
		const struct wait_stack before = known->stack;

		known->stack = wait->stack;
		known->has_stack = true;
		wait->stack = before;
	}
	if (wait->waker.known && !wait->preempted) {
		const struct waker before = known->waker;

		known->waker = wait->waker;
		known->woken_at = wait->told_at;
		known->wakings = waits->thinned ? known->wakings + PERF_EVENTS_ONE_OF - 1 : 0;
		wait->waker = before;
	}
}

/* That of the nearest length; NULL: there is none yet. */
static const struct wait_stack *stack_like(const struct wait *wait, uint64_t ns)
{
	const int length = length_of(ns);
	const struct known_wait *nearest = NULL;

	vec_foreach (known, &wait->known)
		if (known->preempted == wait->preempted && known->has_stack &&
		    (!nearest || abs(known->length - length) < abs(nearest->length - length)))
			nearest = known;
	return nearest ? &nearest->stack : NULL;
}

/*
 * The child whose end has ended the wait, that nobody was seen to end; NULL: none. Its signal comes
 * at once, and the thread as soon as a processor is free; whoever ends a wait for something else is
 * seen, unless only one in many is.
 */
static const struct waker *child_of(struct waits *waits, const struct wait *wait,
				    const struct wait_stack *stack, uint64_t ns)
{
	const enum sched_wait kind =
		sched_text_wait_of(&waits->scheduler, stack->kernel.data, stack->kernel.len);
	const uint64_t *index =
		kind == SCHED_WAIT_OTHER ? NULL : map_get(&waits->by_parent, wait->process->pid);
	struct ended_child *ended = index ? &waits->children.data[*index] : NULL;

	if (!ended || ended->child.time < wait->begin_time)
		return NULL;
	if (kind == SCHED_WAIT_CHILD)
		return &ended->child;
	if (waits->thinned || ended->took_signal ||
	    wait->begin_time + ns - ended->child.time > CHILD_SIGNAL_NS)
		return NULL;
	ended->took_signal = true;
	return &ended->child;
}

/* Who woke the thread, which waits at `stack`: seen, or one of those that nobody saw; NULL: not
   known. */
static const struct waker *waker_of(struct waits *waits, struct wait *wait,
				    const struct wait_stack *stack, uint64_t ns)
{
	if (wait->preempted)
		return NULL;
	if (wait->waker.known)
		return &wait->waker;
	const struct waker *child = child_of(waits, wait, stack, ns);
	if (child)
		return child;
	struct known_wait *known = waits->thinned ? known_of(wait, ns) : NULL;
	if (!known || !known->wakings || known->woken_at != wait->told_at)
		return NULL;
	known->wakings--;
	waits->counts->borrowed_wakers++;
	known->waker.time = wait->begin_time + ns;
	return &known->waker;
}

void waits_thin(struct waits *waits)
{
	waits->thinned = true;
}

/* ---- ends ---- */

/* The stack that a wait is told with. */
static const struct wait_stack *stack_of(struct waits *waits, const struct wait *wait, uint64_t ns)
{
	const struct wait_stack *like =
		waits->thinned && !wait->sampled ? stack_like(wait, ns) : NULL;

	waits->counts->borrowed += like != NULL;
	return like ? like : &wait->stack;
}

static void tell(struct waits *waits, struct wait *wait, size_t event, uint64_t ns)
{
	static const struct waker nobody;
	const struct wait_stack *from = stack_of(waits, wait, ns);

	wait->told_at = from->frames.len ? from->frames.data[0].addr : 0;
	const struct waker *seen = waker_of(waits, wait, from, ns);
	const struct waker *waker = seen ? seen : &nobody;
	const struct unwind_stack stack = stack_told(from);
	const struct unwind_stack waker_stack = stack_told(&waker->stack);
	const struct sampler_waker told = {.process = waker->process,
					   .tid = waker->tid,
					   .time = waker->time,
					   .kernel = waker->stack.kernel.data,
					   .kernel_count = waker->stack.kernel.len,
					   .stack = &waker_stack};

	waits->counts->samples++;
	waits->counts->complete += from->end == UNWIND_ROOT;
	waits->sink.sample(waits->sink.context,
			   &(struct sampler_sample){.process = wait->process,
						    .tid = wait->tid,
						    .cpu = wait->cpu,
						    .time = wait->begin_time,
						    .weight = ns,
						    .event = event,
						    .kernel = from->kernel.data,
						    .kernel_count = from->kernel.len,
						    .stack = &stack,
						    .waker = seen ? &told : NULL});
}

static void wait_tell(struct waits *waits, struct wait *wait, uint64_t time)
{
	const size_t event = wait->preempted ? waits->preempted_event : waits->blocked_event;
	const bool ready = wait->state == WAIT_GOES_ON && time > wait->begin_time;

	wait->state = WAIT_NONE;
	if (event == SIZE_MAX || !ready)
		return;
	tell(waits, wait, event, time - wait->begin_time);
	keep(waits, wait, time - wait->begin_time);
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

void waits_forget(struct waits *waits, uint32_t tid)
{
	const uint64_t *index = map_get(&waits->by_tid, tid);

	if (!index)
		return;
	struct wait *wait = &waits->list.data[*index];
	vec_foreach (known, &wait->known)
		known_fini(known);
	wait->known.len = 0;
}

void waits_begin(struct waits *waits, const struct process *process,
		 const struct perf_record *record)
{
	struct wait *wait = wait_get(waits, record->task.tid);

	waits_forget(waits, wait->tid);
	stack_clear(&wait->stack);
	wait->state = process && !record->task.ran_already ? WAIT_GOES_ON : WAIT_NONE;
	wait->waker.known = wait->sampled = false;
	wait->process = process;
	wait->begin_time = record->time;
	wait->preempted = true;
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
