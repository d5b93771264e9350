/*
 * The thread's clock, and calls that begin and end by it, whatever the event that says so.
 *
 * Refuses a call without a node for it; the caller counts that.
 */
#include "runtime/tree/calls.h"

#include "runtime/tree/extent.h"
#include "runtime/tree/trace.h"
#include "runtime/tree/wait_times.h"

#define OS_OBJECT_UNKNOWN  0
#define OS_SYSCALL_UNKNOWN 0xffff

static struct tare_node *top_of(const struct tare_thread_file *self)
{
	return context_node(self->top);
}

static bool is_root(const struct tare_thread_file *self, const struct tare_node *node)
{
	return node == context_nodes(self);
}

static void mark_special(const struct tare_thread_file *self, struct tare_node *node)
{
	if (!is_root(self, node))
		node->sp = calls_place_of(node) - (calls_marks_of(node) | TARE_CALL_SPECIAL);
}

/* ---- the clock ---- */

/* So much more was taken off for probes than they took: the call that they are of gets it back. */
static void clock_put_forward(struct tare_thread_file *self, struct tare_node *node, uint64_t ticks)
{
	node->clamped_ticks += ticks;
	self->now_ticks += ticks;
	self->lost_ticks -= ticks;
}

/* The clock has stepped back by more than the cost of a probe: it goes on from where it was. */
static void clock_step_over(struct tare_thread_file *self, uint64_t ticks)
{
	self->negative++;
	clock_put_forward(self, top_of(self), ticks);
}

static uint64_t missing_to(uint64_t floor_ticks, uint64_t ticks)
{
	const int64_t missing = (int64_t)(floor_ticks - ticks);

	return missing > 0 ? (uint64_t)missing : 0;
}

/*
 * The event before this one was too early by so much. Where the top call began with it, the time
 * before is its caller's, and the call has no more than the interval that ends.
 */
static void clock_put_before(struct tare_thread_file *self, uint64_t before, uint64_t missing)
{
	struct tare_node *top = top_of(self);
	const bool has_begun = !is_root(self, top) && top->start == before;

	clock_put_forward(self, has_begun ? context_node(top->parent) : top, missing);
	if (has_begun)
		top->start += missing;
}

/*
 * From one time that the OS was at work to the next, thousands of probes as a rule, the clock does
 * not go back: probes that take less now than was measured cannot have taken more than all the
 * time. `before`: the clock at the event before this one. Returns it as it has to be.
 */
static uint64_t clock_keep_floor(struct tare_thread_file *self, uint64_t before)
{
	struct accumulate_local *local = context_local(self);
	const uint64_t floor = local->floor_ticks, missing = missing_to(floor, before);

	if (missing)
		clock_put_before(self, before, missing);
	clock_put_forward(self, top_of(self), missing_to(floor, self->now_ticks));
	local->floor_ticks = self->now_ticks;
	return before + missing;
}

/* A system call makes a thread wait, and takes time; preemption and faults have none. */
static bool has_syscall(enum tare_os_cause cause)
{
	return cause == TARE_OS_BLOCKED || cause == TARE_OS_SYSCALL;
}

/* What an interval has of a cause, or a system call counted without time; the record's number from
   1 on, 0: there was no room. */
static uint32_t os_record(struct tare_thread_file *self, const struct accumulate_event *event,
			  enum tare_os_cause cause, uint64_t delta)
{
	struct tare_os_record wanted = {.node = context_index(top_of(self)),
					.cause = (uint16_t)cause,
					.syscall_number = OS_SYSCALL_UNKNOWN};
	if (has_syscall(cause)) {
		wanted.syscall_number = event->syscall_number;
		wanted.object = event->syscall_object;
		wanted.name = event->syscall_name;
	}
	if (cause == TARE_OS_BLOCKED)
		wanted.holder = event->syscall_holder;
	uint32_t number = context_os(self, &wanted, self->os_limit / 2);

	if (!number && (wanted.name || wanted.holder.tid)) {
		wanted.name = wanted.name ? TARE_NAME_OTHERS : TARE_NAME_UNKNOWN;
		wanted.holder = (struct tare_holder){0};
		number = context_os(self, &wanted, self->os_limit / 4);
	}
	if (!number) {
		wanted.syscall_number = OS_SYSCALL_UNKNOWN;
		wanted.object = OS_OBJECT_UNKNOWN;
		wanted.name = TARE_NAME_UNKNOWN;
		number = context_os(self, &wanted, 0);
	}
	if (!number) {
		self->os_lost++;
		return 0;
	}
	struct tare_os_record *record = context_os_at(self, number);

	record->count++;
	record->ticks += delta;
	if (record->longest_ticks < delta)
		record->longest_ticks = delta;
	return number;
}

void calls_note_syscall(struct tare_thread_file *self, const struct accumulate_event *event)
{
	os_record(self, event, TARE_OS_SYSCALL, 0);
}

/* Takes no more than there is from what is `left`. */
static uint64_t wait_take(uint64_t waited, uint64_t *left)
{
	const uint64_t taken = waited < *left ? waited : *left;

	*left -= taken;
	return taken;
}

/* Splits the OS time of an interval: what the thread waited, and the rest by its cause. */
static void os_split(struct tare_thread_file *self, const struct accumulate_event *event,
		     uint64_t os_ticks, uint64_t begin)
{
	uint64_t left = os_ticks;
	struct tare_wait wait = {
		.begin = begin, .end = self->now_ticks, .lost_ticks = self->lost_ticks};

	wait.blocked_ticks = wait_take(event->blocked_ticks, &left);
	wait.preempted_ticks = wait_take(event->preempted_ticks, &left);
	self->blocked_ticks += wait.blocked_ticks;
	self->preempted_ticks += wait.preempted_ticks;
	if (event->blocked_ticks)
		wait.os = os_record(self, event, TARE_OS_BLOCKED, wait.blocked_ticks);
	if (event->preempted_ticks) {
		const uint32_t number =
			os_record(self, event, TARE_OS_PREEMPTED, wait.preempted_ticks);

		if (wait.preempted_ticks > wait.blocked_ticks)
			wait.os = number;
	}
	os_record(self, event, event->os_cause, left);
	context_waits_add(self, top_of(self), TARE_OS_BLOCKED, wait.blocked_ticks);
	context_waits_add(self, top_of(self), TARE_OS_PREEMPTED, wait.preempted_ticks);
	if (wait.blocked_ticks || wait.preempted_ticks)
		wait_times_note(self, &wait);
}

/* OS time never exceeds the call's exclusive time, which a short interval may have reduced. */
static void os_charge(struct tare_thread_file *self, const struct accumulate_event *event,
		      uint64_t begin)
{
	const int64_t delta = (int64_t)(self->now_ticks - begin);
	struct tare_node *top = top_of(self);
	const int64_t room =
		(int64_t)(self->now_ticks - top->start - top->child - top->os_exclusive);
	int64_t os_ticks = delta < room ? delta : room;

	if (os_ticks < 0)
		os_ticks = 0;
	self->flagged++;
	self->os_ticks += (uint64_t)os_ticks;
	mark_special(self, top);
	top->os_inclusive += (uint64_t)os_ticks;
	top->os_exclusive += (uint64_t)os_ticks;
	os_split(self, event, (uint64_t)os_ticks, begin);
}

void calls_charge(struct tare_thread_file *self, const struct accumulate_event *event)
{
	const uint64_t before = self->now_ticks;

	trace_clock(self, event->ticks);
	self->now_ticks = event->ticks - self->lost_ticks;
	const int64_t delta = (int64_t)(self->now_ticks - before);

	if (delta < -TARE_PROBE_TICKS_MAX)
		clock_step_over(self, (uint64_t)-delta);
	if (event->os) {
		os_charge(self, event, clock_keep_floor(self, before));
		trace_os(self, event);
	}
	self->lost_ticks += event->cost_ticks;
}

/* ---- begin and end of calls ---- */

static void extreme_note(int64_t *min, int64_t *max, int64_t value)
{
	if (value < *min)
		*min = value;
	if (value > *max)
		*max = value;
}

/* A call that ends. */
struct ended_call {
	uint64_t marks;
	int64_t inclusive, exclusive, os_inclusive, os_exclusive;
	enum call_ending how;
};

static void call_count(struct tare_thread_file *self, struct tare_node *node,
		       const struct ended_call *ended)
{
	const uint32_t bucket = tare_call_bucket((uint64_t)ended->inclusive);

	if (++node->buckets[bucket] >= TARE_BUCKET_FULL)
		context_bucket_full(self, node, bucket);
	node->calls_by_call += (ended->marks & TARE_CALL_BY_CALL) != 0;
	if (ended->how == CALL_CUT)
		return;
	node->unwound += ended->how == CALL_UNWOUND;
	extreme_note(&node->elapsed_inclusive_min, &node->elapsed_inclusive_max, ended->inclusive);
	extreme_note(&node->elapsed_exclusive_min, &node->elapsed_exclusive_max, ended->exclusive);
	extreme_note(&node->application_inclusive_min, &node->application_inclusive_max,
		     ended->inclusive - ended->os_inclusive);
	extreme_note(&node->application_exclusive_min, &node->application_exclusive_max,
		     ended->exclusive - ended->os_exclusive);
}

/* The values of the top call, which ends now. */
static struct ended_call top_close(struct tare_thread_file *self)
{
	struct tare_node *top = top_of(self);
	struct ended_call ended = {.marks = calls_marks_of(top),
				   .os_inclusive = top->os_inclusive,
				   .os_exclusive = top->os_exclusive};

	ended.inclusive = (int64_t)(self->now_ticks - top->start);
	ended.exclusive = ended.inclusive - top->child;
	top->os_inclusive = 0;
	top->os_exclusive = 0;
	return ended;
}

/*
 * Takes the top call, which is not the root, off its node at the present clock; its caller is the
 * top before anything is charged: when a signal handler leaves this for good, accumulate_repair
 * charges what is then missing to it.
 */
static struct ended_call top_take_off(struct tare_thread_file *self)
{
	struct tare_node *node = top_of(self), *caller = context_node(node->parent);
	const struct ended_call ended = top_close(self);

	self->top = (uint64_t)caller;
	node->elapsed_ticks += ended.exclusive;
	caller->child += ended.inclusive;
	if (ended.os_inclusive && !is_root(self, caller)) {
		mark_special(self, caller);
		caller->os_inclusive += ended.os_inclusive;
	}
	return ended;
}

/* Adds what the call had before its stack was left and found again. */
static void carried_add(struct tare_thread_file *self, const struct tare_node *node,
			struct ended_call *ended)
{
	const struct stack_frame *carried = extent_carried(self, node);

	if (!carried)
		return;
	ended->inclusive += carried->inclusive;
	ended->exclusive += carried->exclusive;
	ended->os_inclusive += carried->os_inclusive;
	ended->os_exclusive += carried->os_exclusive;
}

/*
 * Ends the top call, which is not the root, at the present clock. Returns the node that counts the
 * call; NULL where it is none of this thread's.
 */
static struct tare_node *top_end(struct tare_thread_file *self, struct ended_call *ended)
{
	struct tare_node *node = top_of(self);

	*ended = top_take_off(self);
	carried_add(self, node, ended);
	extent_call_ended(self);
	if ((uint64_t)node != self->inherited)
		return node;
	self->inherited = node->parent;
	return NULL;
}

void calls_end(struct tare_thread_file *self, enum call_ending how)
{
	struct ended_call ended;

	trace_call_end(self, how == CALL_UNWOUND);
	struct tare_node *node = top_end(self, &ended);

	ended.how = how;
	if (node)
		call_count(self, node, &ended);
}

void calls_abandon(struct tare_thread_file *self)
{
	struct ended_call ended;

	top_end(self, &ended);
	trace_clock(self, self->now_ticks + self->lost_ticks);
	trace_stack(self);
}

void calls_take_off(struct tare_thread_file *self, struct stack_frame *frame)
{
	const struct tare_node *node = top_of(self);
	const uint64_t sp = node->sp;
	const struct ended_call ended = top_take_off(self);

	frame->callee = (struct accumulate_callee){node->key, node->call_site};
	frame->sp = sp;
	frame->site = node->site;
	frame->node = (uint64_t)node;
	frame->inclusive += ended.inclusive;
	frame->exclusive += ended.exclusive;
	frame->os_inclusive += ended.os_inclusive;
	frame->os_exclusive += ended.os_exclusive;
}

void calls_watch(const struct tare_thread_file *self, struct tare_node *node)
{
	mark_special(self, node);
}

bool calls_is_deepest(const struct tare_thread_file *self)
{
	const uint32_t max_depth = context_local(self)->max_depth;

	return max_depth && top_of(self)->depth >= max_depth;
}

struct tare_node *calls_begin(struct tare_thread_file *self, const struct accumulate_callee *callee,
			      uint64_t sp, uint64_t marks)
{
	if (calls_is_deepest(self)) {
		self->beyond_depth += sp != context_local(self)->beyond_sp;
		context_local(self)->beyond_sp = marks & TARE_CALL_PENDING ? sp : 0;
		return NULL;
	}
	struct tare_node *node = context_child(self, top_of(self), callee);

	if (!node) {
		self->too_deep++;
		return NULL;
	}
	if (extent_is_floor(self, top_of(self)))
		marks |= TARE_CALL_SPECIAL;
	node->sp = calls_place_at(sp) - marks;
	node->start = self->now_ticks;
	node->child = 0;
	trace_call_begin(self, node);
	self->top = (uint64_t)node;
	return node;
}

bool calls_put_on(struct tare_thread_file *self, struct stack_frame *frame)
{
	struct tare_node *node = calls_begin(self, &frame->callee, 0, 0);

	if (!node)
		return false;
	node->sp = frame->sp;
	mark_special(self, node);
	node->site = frame->site;
	frame->node = (uint64_t)node;
	return true;
}
