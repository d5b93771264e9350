/*
 * The general path of every event.
 *
 *   event ── same stack? ── join? ── charge interval to top ── pop what control flow has left
 *         ── push or pop
 *
 * Refuses nothing: an event that cannot be kept (no memory, no node) is folded or dropped, and
 * counted in the thread file. Nothing here trusts that LEAVE follows ENTER.
 */
#include "runtime/calls.h"
#include "runtime/context.h"
#include "runtime/host.h"
#include "runtime/recursion.h"
#include "runtime/trace.h"

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

/* ---- places on the stack ---- */

static void mark_special(const struct tare_thread_file *self, struct tare_node *node)
{
	if (!is_root(self, node))
		node->sp = calls_place_of(node) - (calls_marks_of(node) | TARE_CALL_SPECIAL);
}

/* Is the frame of `node` at frame sp `sp`? */
static bool is_at(const struct tare_thread_file *self, const struct tare_node *node, uint64_t sp)
{
	return !is_root(self, node) && calls_place_of(node) == calls_place_at(sp);
}

static bool is_pending_at(const struct tare_thread_file *self, uint64_t sp)
{
	return is_at(self, top_of(self), sp) && calls_marks_of(top_of(self)) & TARE_CALL_PENDING;
}

/* ---- the clock ---- */

/* The clock has stepped back by more than the cost of a probe: it goes on from where it was. */
static void clock_step_over(struct tare_thread_file *self, uint64_t ticks)
{
	self->negative++;
	top_of(self)->clamped_ticks += ticks;
	self->now_ticks += ticks;
	self->lost_ticks -= ticks;
}

static void os_record(struct tare_thread_file *self, const struct accumulate_event *event,
		      uint64_t delta)
{
	struct tare_os_record wanted = {.node = context_index(top_of(self)),
					.cause = (uint16_t)event->os_cause,
					.syscall_number = event->syscall_number,
					.object = event->syscall_object,
					.name = event->syscall_name};
	struct tare_os_record *record = context_os(self, &wanted, self->os_limit / 2);

	if (!record && wanted.name) {
		wanted.name = TARE_NAME_OTHERS;
		record = context_os(self, &wanted, self->os_limit / 4);
	}
	if (!record) {
		wanted.syscall_number = OS_SYSCALL_UNKNOWN;
		wanted.object = OS_OBJECT_UNKNOWN;
		wanted.name = TARE_NAME_UNKNOWN;
		record = context_os(self, &wanted, 0);
	}
	if (!record) {
		self->os_lost++;
		return;
	}
	record->count++;
	record->ticks += delta;
}

/* OS time never exceeds the call's exclusive time, which a short interval may have reduced. */
static void os_charge(struct tare_thread_file *self, const struct accumulate_event *event,
		      int64_t delta)
{
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
	os_record(self, event, (uint64_t)os_ticks);
}

void accumulate_charge(struct tare_thread_file *self, const struct accumulate_event *event)
{
	const uint64_t before = self->now_ticks;

	trace_clock(self, event->ticks);
	self->now_ticks = event->ticks - self->lost_ticks;
	const int64_t delta = (int64_t)(self->now_ticks - before);

	if (delta < -TARE_PROBE_TICKS_MAX)
		clock_step_over(self, (uint64_t)-delta);
	if (event->os) {
		os_charge(self, event, delta);
		trace_os(self, event);
	}
	self->lost_ticks += event->cost_ticks;
}

/* ---- begin and end of calls ---- */

void accumulate_bucket_full(struct tare_thread_file *self, struct tare_node *node, uint32_t bucket)
{
	const struct tare_os_record wanted = {.node = context_index(node),
					      .cause = TARE_RECORD_CALLS,
					      .syscall_number = (uint16_t)bucket};
	struct tare_os_record *record = context_os(self, &wanted, 0);

	if (!record)
		return; /* tried again at each further call: the counter has room for as many */
	record->count += node->buckets[bucket];
	node->buckets[bucket] = 0;
}

uint64_t accumulate_calls(const struct tare_node *node)
{
	uint64_t calls = 0;

	for (int i = 0; i < TARE_CALL_BUCKETS; i++)
		calls += node->buckets[i];
	return calls;
}

static void extreme_note(int64_t *min, int64_t *max, int64_t value)
{
	if (value < *min)
		*min = value;
	if (value > *max)
		*max = value;
}

enum call_ending {
	CALL_RETURNS,
	CALL_UNWOUND,
	CALL_CUT, /* while collection was off: nobody knows when */
};

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
		accumulate_bucket_full(self, node, bucket);
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
	const struct stack_frame *carried = stacks_carried(self, node);

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
	if (stacks_is_floor(self, top_of(self)))
		stacks_nested_end(self);
	if ((uint64_t)node != self->inherited)
		return node;
	self->inherited = node->parent;
	return NULL;
}

static void call_end(struct tare_thread_file *self, enum call_ending how)
{
	struct ended_call ended;

	trace_call_end(self, how == CALL_UNWOUND);
	struct tare_node *node = top_end(self, &ended);

	ended.how = how;
	if (node)
		call_count(self, node, &ended);
}

void accumulate_abandon(struct tare_thread_file *self)
{
	struct ended_call ended;

	top_end(self, &ended);
	trace_clock(self, self->now_ticks + self->lost_ticks);
	trace_stack(self);
}

void calls_end(struct tare_thread_file *self, bool unwound)
{
	call_end(self, unwound ? CALL_UNWOUND : CALL_RETURNS);
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

void accumulate_watch(const struct tare_thread_file *self, struct tare_node *node)
{
	mark_special(self, node);
}

bool accumulate_ends_top(const struct tare_thread_file *self, const struct accumulate_event *event)
{
	return (event->kind == TARE_EVENT_LEAVE || event->kind == TARE_EVENT_RETURN) &&
	       is_at(self, top_of(self), event->sp);
}

/* Ends the top call, which control has left without an event. */
static void call_unwind(struct tare_thread_file *self)
{
	if (accumulate_host->loses_ends(top_of(self)->key))
		accumulate_abandon(self);
	else
		call_end(self, CALL_UNWOUND);
}

/* Ends, as unwound, the calls whose frames lie below `sp`. */
static void calls_unwind_below(struct tare_thread_file *self, uint64_t sp)
{
	while (!is_root(self, top_of(self)) && !stacks_is_floor(self, top_of(self)) &&
	       stacks_is_here(self, sp) && calls_place_of(top_of(self)) < calls_place_at(sp))
		call_unwind(self);
}

/* The same with those at `sp` that are not pending. */
static void calls_unwind(struct tare_thread_file *self, uint64_t sp)
{
	calls_unwind_below(self, sp);
	while (is_at(self, top_of(self), sp) && !is_pending_at(self, sp))
		call_unwind(self);
}

/*
 * Is the top call as deep as calls are kept apart (--max-depth)? Those that it makes have no node;
 * their time is its own.
 */
static bool is_deepest(const struct tare_thread_file *self)
{
	const uint32_t max_depth = context_local(self)->max_depth;

	return max_depth && top_of(self)->depth >= max_depth;
}

/* Whom the event of a call is about, and from where, if that tells calls apart. */
static struct accumulate_callee callee_of(const struct tare_thread_file *self,
					  const struct accumulate_event *event)
{
	return (struct accumulate_callee){event->key,
					  context_local(self)->call_sites ? event->call_site : 0};
}

static struct tare_node *call_begin(struct tare_thread_file *self,
				    const struct accumulate_callee *callee, uint64_t sp,
				    uint64_t marks)
{
	if (is_deepest(self)) {
		self->beyond_depth += sp != context_local(self)->beyond_sp;
		context_local(self)->beyond_sp = marks & TARE_CALL_PENDING ? sp : 0;
		return NULL;
	}
	struct tare_node *node = context_child(self, top_of(self), callee);

	if (!node) {
		self->too_deep++;
		return NULL;
	}
	if (stacks_is_floor(self, top_of(self)))
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
	struct tare_node *node = call_begin(self, &frame->callee, 0, 0);

	if (!node)
		return false;
	node->sp = frame->sp;
	mark_special(self, node);
	node->site = frame->site;
	frame->node = (uint64_t)node;
	return true;
}

/* ---- pending calls ---- */

/* The node of the function that a pending call of `node` turned out to be. */
static struct tare_node *alias_of(struct tare_thread_file *self, struct tare_node *node,
				  const struct accumulate_callee *callee)
{
	struct tare_node *function = context_node(node->alias);

	if (function->key == callee->key && function->call_site == callee->call_site &&
	    function->parent == node->parent && !(function->index & TARE_NODE_FOLDED))
		return function;
	function = context_child(self, context_node(node->parent), callee);
	if (function)
		node->alias = (uint64_t)function;
	return function;
}

/* Makes the call in progress at the top one of `callee`. */
static void top_rename(struct tare_thread_file *self, const struct accumulate_callee *callee)
{
	struct tare_node *top = top_of(self);

	struct tare_node *function = alias_of(self, top, callee);

	if (!function)
		return;
	function->sp = top->sp;
	function->start = top->start;
	function->child = top->child;
	function->os_inclusive = top->os_inclusive;
	top->os_inclusive = 0;
	trace_call_join(self, function);
	stacks_renamed(self, top, function);
	self->top = (uint64_t)function;
}

/*
 * The pending call becomes that of the function which reports ENTER. When time of the operating
 * system has been recorded for the target already (the loader binding it, say), the target keeps
 * its call and the function gets one of its own: records are not moved. `charged`: so is the
 * interval that ends here; otherwise it belongs to the function.
 */
static void call_join(struct tare_thread_file *self, const struct accumulate_event *event,
		      bool charged)
{
	struct tare_node *top = top_of(self);
	const struct accumulate_callee callee = callee_of(self, event);

	if (top->site)
		*(volatile uint8_t *)top->site = 0;
	top->site = 0;
	if (top->os_exclusive) {
		if (!charged)
			accumulate_charge(self, event);
		call_end(self, CALL_RETURNS);
		call_begin(self, &callee, event->sp, 0);
	} else {
		if (top->key != callee.key || top->call_site != callee.call_site)
			top_rename(self, &callee);
		top_of(self)->sp += TARE_CALL_PENDING;
		if (!charged)
			accumulate_charge(self, event);
	}
	top_of(self)->stub = event->stub;
}

/* ---- events ---- */

static void event_enter(struct tare_thread_file *self, const struct accumulate_event *event)
{
	if (is_pending_at(self, event->sp)) {
		call_join(self, event, false);
		return;
	}
	accumulate_charge(self, event);
	calls_unwind(self, event->sp);
	if (is_pending_at(self, event->sp)) {
		call_join(self, event, true);
		return;
	}
	const struct accumulate_callee callee = callee_of(self, event);
	struct tare_node *node = call_begin(self, &callee, event->sp, 0);

	if (node)
		node->stub = event->stub;
	else if (!is_deepest(self))
		context_local(self)->deeper++;
}

/* The end of a call that is not in progress: it may have begun while collection was off. */
static void end_without_begin(struct tare_thread_file *self, uint64_t sp)
{
	if (sp < self->begun_above) {
		self->unmatched++;
		return;
	}
	self->begun_while_off++;
	self->begun_above = sp + 1;
}

static void event_leave(struct tare_thread_file *self, const struct accumulate_event *event)
{
	struct accumulate_local *local = context_local(self);

	accumulate_charge(self, event);
	const struct tare_node *before = top_of(self);
	calls_unwind_below(self, event->sp);
	const struct tare_node *top = top_of(self);

	if (is_at(self, top, event->sp) && !(calls_marks_of(top) & TARE_CALL_PENDING))
		call_end(self, CALL_RETURNS);
	else if (local->deeper)
		local->deeper--;
	else if (top == before && !is_deepest(self) && !stacks_is_arrival(self, event->sp))
		/* else longjmp leaves: its own call was among the unwound */
		end_without_begin(self, event->sp);
}

static void event_call(struct tare_thread_file *self, const struct accumulate_event *event)
{
	accumulate_charge(self, event);
	calls_unwind(self, event->sp);
	if (is_pending_at(self, event->sp))
		call_end(self, CALL_UNWOUND);
	const struct accumulate_callee callee = callee_of(self, event);
	struct tare_node *node =
		call_begin(self, &callee, event->sp, TARE_CALL_PENDING | TARE_CALL_BY_CALL);

	if (!node)
		return;
	node->site = event->site;
	if (event->stub)
		node->stub = event->stub;
}

static void event_return(struct tare_thread_file *self, const struct accumulate_event *event)
{
	accumulate_charge(self, event);
	calls_unwind(self, event->sp);
	if (is_pending_at(self, event->sp))
		call_end(self, CALL_RETURNS);
}

void accumulate_event(struct tare_thread_file *self, const struct accumulate_event *event)
{
	struct accumulate_event here = *event;

	self->events++;
	trace_clock(self, event->ticks);
	stacks_follow(self, &here);
	switch (here.kind) {
	case TARE_EVENT_ENTER:
		event_enter(self, &here);
		break;
	case TARE_EVENT_LEAVE:
		event_leave(self, &here);
		break;
	case TARE_EVENT_CALL:
		event_call(self, &here);
		break;
	case TARE_EVENT_RETURN:
		event_return(self, &here);
		break;
	case TARE_EVENT_KINDS:
		break;
	}
}

/* ---- collection off and on ---- */

/* The call in progress that is outermost of those that no longer stand, or NULL. */
static const struct tare_node *outermost_fallen(const struct tare_thread_file *self,
						accumulate_stands *stands)
{
	const struct tare_node *fallen = NULL;

	for (const struct tare_node *node = top_of(self); !is_root(self, node);
	     node = context_node(node->parent))
		if (!stands(calls_place_of(node) + TARE_CALL_BELOW, node->stub))
			fallen = node;
	return fallen;
}

/* Has control flow left the top call, other than by the event itself? */
static bool top_is_left(const struct tare_thread_file *self, const struct accumulate_event *event)
{
	const struct tare_node *top = top_of(self);

	if (is_root(self, top) || calls_place_of(top) > calls_place_at(event->sp))
		return false;
	if (calls_place_of(top) < calls_place_at(event->sp))
		return true;
	switch (event->kind) {
	case TARE_EVENT_LEAVE:
		return calls_marks_of(top) & TARE_CALL_PENDING;
	case TARE_EVENT_RETURN:
	case TARE_EVENT_ENTER:
		return !(calls_marks_of(top) & TARE_CALL_PENDING);
	case TARE_EVENT_CALL:
	case TARE_EVENT_KINDS:
		break;
	}
	return true;
}

void accumulate_resume(struct tare_thread_file *self, const struct accumulate_event *event,
		       accumulate_stands *stands)
{
	const struct tare_node *fallen = outermost_fallen(self, stands);
	bool more = fallen != NULL;

	trace_clock(self, event->ticks);
	trace_state(self, true);
	for (struct tare_node *node = top_of(self); !is_root(self, node);
	     node = context_node(node->parent))
		node->stub = NODE_STUB_FORGOTTEN;
	while (more || top_is_left(self, event)) {
		more = more && top_of(self) != fallen;
		self->cut++;
		call_end(self, CALL_CUT);
	}
	self->begun_above = event->sp;
}

void accumulate_inherit(struct tare_thread_file *self, const struct accumulate_callee *callee,
			uint64_t sp)
{
	const struct tare_node parents = {.sp = sp};
	const uint64_t pending = calls_marks_of(&parents) & TARE_CALL_PENDING;
	struct tare_node *node = call_begin(self, callee, 0, 0);

	if (!node)
		return;
	node->sp = calls_place_of(&parents) - (pending | TARE_CALL_SPECIAL);
	stacks_take_in(self, calls_place_of(&parents));
	self->inherited = (uint64_t)node;
	self->inherited_frames++;
}

void accumulate_repair(struct tare_thread_file *self)
{
	uint64_t missing = 0;

	stack_table_lock_break();
	recursion_reset(context_local(self));
	for (uint64_t i = 0; i < self->node_count; i++)
		missing += context_node_at(self, (uint32_t)i)->elapsed_ticks;
	for (const struct tare_node *node = top_of(self);; node = context_node(node->parent)) {
		missing -= node->child;
		if (is_root(self, node))
			break;
	}
	top_of(self)->child += missing;
	trace_clock(self, self->now_ticks + self->lost_ticks);
	trace_stack(self);
}

void accumulate_place(struct tare_thread_file *self, uint64_t node_max)
{
	const uint64_t nodes_bytes = TARE_THREAD_FIRST_NODES * sizeof(struct tare_node);

	self->run_addr = (uint64_t)self;
	self->node_max = node_max;
	self->node_limit = TARE_THREAD_FIRST_NODES;
	self->os_limit = TARE_THREAD_FIRST_OS;
	self->chunk_count = 2;
	self->chunks[0] = (struct tare_chunk){.kind = TARE_CHUNK_NODES,
					      .file_offset = TARE_THREAD_HEADER_BYTES,
					      .count = TARE_THREAD_FIRST_NODES};
	self->chunks[1] = (struct tare_chunk){.kind = TARE_CHUNK_OS,
					      .file_offset = TARE_THREAD_HEADER_BYTES + nodes_bytes,
					      .count = TARE_THREAD_FIRST_OS};
	for (int i = 0; i < 2; i++)
		self->chunks[i].run_addr = self->run_addr + self->chunks[i].file_offset;
}

void accumulate_init(struct tare_thread_file *self, struct accumulate_local *local, uint64_t ticks)
{
	self->local = (uint64_t)local;
	context_init(self);
	self->begun_above = ~0ULL;
	stacks_init(self);
	accumulate_begin(self, ticks);
	self->top = (uint64_t)context_nodes(self);
}

void accumulate_begin(struct tare_thread_file *self, uint64_t ticks)
{
	self->begin_ticks = ticks;
	self->lost_ticks = ticks - self->now_ticks;
}

void accumulate_continue(struct tare_thread_file *self, uint64_t ticks)
{
	while (!is_root(self, top_of(self)))
		call_end(self, true);
	context_local(self)->deeper = 0;
	self->idle_ticks += ticks - self->now_ticks - self->lost_ticks;
	self->lost_ticks = ticks - self->now_ticks;
}

void accumulate_fini(struct accumulate_local *local)
{
	context_fini(local);
}
