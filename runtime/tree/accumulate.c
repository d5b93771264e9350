/*
 * The general path of every event.
 *
 *   event ── same stack? ── join? ── charge interval to top ── pop what control flow has left
 *         ── push or pop
 *
 * Refuses nothing: an event that cannot be kept (no memory, no node) is folded or dropped, and
 * counted in the thread file. Nothing here trusts that LEAVE follows ENTER.
 */
#include "runtime/tree/calls.h"
#include "runtime/tree/extent.h"
#include "runtime/tree/host.h"
#include "runtime/tree/recursion.h"
#include "runtime/tree/trace.h"

static struct tare_node *top_of(const struct tare_thread_file *self)
{
	return context_node(self->top);
}

static bool is_root(const struct tare_thread_file *self, const struct tare_node *node)
{
	return node == context_nodes(self);
}

/* ---- places on the stack ---- */

/* Is the frame of `node` at frame sp `sp`? */
static bool is_at(const struct tare_thread_file *self, const struct tare_node *node, uint64_t sp)
{
	return !is_root(self, node) && calls_place_of(node) == calls_place_at(sp);
}

static bool is_pending_at(const struct tare_thread_file *self, uint64_t sp)
{
	return is_at(self, top_of(self), sp) && calls_marks_of(top_of(self)) & TARE_CALL_PENDING;
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
		calls_abandon(self);
	else
		calls_end(self, CALL_UNWOUND);
}

/* Ends, as unwound, the calls whose frames lie below `sp`. */
static void calls_unwind_below(struct tare_thread_file *self, uint64_t sp)
{
	while (!is_root(self, top_of(self)) && !extent_is_floor(self, top_of(self)) &&
	       extent_is_here(self, sp) && calls_place_of(top_of(self)) < calls_place_at(sp))
		call_unwind(self);
}

/* The same with those at `sp` that are not pending. */
static void calls_unwind(struct tare_thread_file *self, uint64_t sp)
{
	calls_unwind_below(self, sp);
	while (is_at(self, top_of(self), sp) && !is_pending_at(self, sp))
		call_unwind(self);
}

/* Whom the event of a call is about, and from where, if that tells calls apart. */
static struct accumulate_callee callee_of(const struct tare_thread_file *self,
					  const struct accumulate_event *event)
{
	return (struct accumulate_callee){event->key,
					  context_local(self)->call_sites ? event->call_site : 0};
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
	extent_renamed(self, top, function);
	self->top = (uint64_t)function;
}

/*
 * The pending call becomes that of the function which reports ENTER. When time of the operating
 * system has been recorded for another target already (the loader binding it, say), the target
 * keeps its time until now, and the function has the call: records are not moved. `charged`: so is
 * the interval that ends here; otherwise it belongs to the function.
 */
static void call_join(struct tare_thread_file *self, const struct accumulate_event *event,
		      bool charged)
{
	struct tare_node *top = top_of(self);
	const struct accumulate_callee callee = callee_of(self, event);
	const bool is_target = top->key == callee.key && top->call_site == callee.call_site;

	if (top->site)
		*(volatile uint8_t *)top->site = 0;
	top->site = 0;
	if (top->os_exclusive && !is_target) {
		if (!charged)
			calls_charge(self, event);
		calls_abandon(self);
		calls_begin(self, &callee, event->sp, 0);
	} else {
		if (!is_target)
			top_rename(self, &callee);
		top_of(self)->sp += TARE_CALL_PENDING;
		if (!charged)
			calls_charge(self, event);
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
	calls_charge(self, event);
	calls_unwind(self, event->sp);
	if (is_pending_at(self, event->sp)) {
		call_join(self, event, true);
		return;
	}
	const struct accumulate_callee callee = callee_of(self, event);
	struct tare_node *node = calls_begin(self, &callee, event->sp, 0);

	if (node)
		node->stub = event->stub;
	else if (!calls_is_deepest(self))
		context_local(self)->deeper++;
}

/*
 * The end of a call that is not in progress: it may have begun while its function was only counted,
 * or while collection was off. Where some functions are only counted, a thread goes from stack to
 * stack without an event too, so calls begin in the name of the stack, or of the thread, before.
 */
static void end_without_begin(struct tare_thread_file *self, uint64_t sp)
{
	struct accumulate_local *local = context_local(self);

	if (local->some_are_counted && self->stack_switches)
		return;
	if (local->unseen_above && sp >= local->unseen_above) {
		local->unseen_above = sp + 1;
		return;
	}
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

	calls_charge(self, event);
	const struct tare_node *before = top_of(self);
	calls_unwind_below(self, event->sp);
	const struct tare_node *top = top_of(self);

	if (is_at(self, top, event->sp)) {
		/* The other way round the caller reports the end: what began there is only counted,
		   and went on elsewhere, as swapcontext by setcontext. */
		if (!(calls_marks_of(top) & TARE_CALL_PENDING))
			calls_end(self, CALL_RETURNS);
	} else if (local->deeper) {
		local->deeper--;
	} else if (top == before && !calls_is_deepest(self) &&
		   !stacks_is_arrival(self, event->sp)) {
		/* else longjmp leaves: its own call was among the unwound */
		end_without_begin(self, event->sp);
	}
}

static void event_call(struct tare_thread_file *self, const struct accumulate_event *event)
{
	calls_charge(self, event);
	calls_unwind(self, event->sp);
	if (is_pending_at(self, event->sp))
		calls_end(self, CALL_UNWOUND);
	const struct accumulate_callee callee = callee_of(self, event);
	struct tare_node *node =
		calls_begin(self, &callee, event->sp, TARE_CALL_PENDING | TARE_CALL_BY_CALL);

	if (!node)
		return;
	node->site = event->site;
	if (event->stub)
		node->stub = event->stub;
}

static void event_return(struct tare_thread_file *self, const struct accumulate_event *event)
{
	calls_charge(self, event);
	calls_unwind(self, event->sp);
	if (is_pending_at(self, event->sp))
		calls_end(self, event->landing ? CALL_UNWOUND : CALL_RETURNS);
}

void accumulate_event(struct tare_thread_file *self, const struct accumulate_event *event)
{
	struct accumulate_event here = *event;

	self->events++;
	trace_clock(self, event->ticks);
	stacks_follow(self, &here);
	switch (here.kind) {
	case TARE_EVENT_ENTER:
		extent_hold(self);
		event_enter(self, &here);
		extent_release(self);
		break;
	case TARE_EVENT_LEAVE:
		event_leave(self, &here);
		break;
	case TARE_EVENT_CALL:
		extent_hold(self);
		event_call(self, &here);
		extent_release(self);
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
		calls_end(self, CALL_CUT);
	}
	self->begun_above = event->sp;
}

void accumulate_inherit(struct tare_thread_file *self, const struct accumulate_callee *callee,
			uint64_t sp)
{
	const struct tare_node parents = {.sp = sp};
	const uint64_t pending = calls_marks_of(&parents) & TARE_CALL_PENDING;
	struct tare_node *node = calls_begin(self, callee, 0, 0);

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
	extent_release(self);
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

/* The first chunk of a kind lies behind the one that was placed before it. */
static void chunk_place(struct tare_thread_file *self, enum tare_chunk_kind kind, uint32_t count,
			uint64_t *offset)
{
	struct tare_chunk *chunk = &self->chunks[self->chunk_count++];

	*chunk = (struct tare_chunk){.kind = kind,
				     .file_offset = *offset,
				     .run_addr = self->run_addr + *offset,
				     .count = count};
	*offset += (uint64_t)chunks_element(self, kind, count) - chunk->run_addr;
}

void accumulate_place(struct tare_thread_file *self, uint64_t node_max)
{
	uint64_t offset = TARE_THREAD_HEADER_BYTES;

	self->run_addr = (uint64_t)self;
	self->node_max = node_max;
	self->node_limit = TARE_THREAD_FIRST_NODES;
	self->os_limit = TARE_THREAD_FIRST_OS;
	self->wait_limit = TARE_THREAD_FIRST_WAITS;
	self->chunk_count = 0;
	chunk_place(self, TARE_CHUNK_NODES, TARE_THREAD_FIRST_NODES, &offset);
	chunk_place(self, TARE_CHUNK_OS, TARE_THREAD_FIRST_OS, &offset);
	chunk_place(self, TARE_CHUNK_WAITS, TARE_THREAD_FIRST_WAITS, &offset);
}

void accumulate_init(struct tare_thread_file *self, struct accumulate_local *local, uint64_t ticks)
{
	self->local = (uint64_t)local;
	context_init(self);
	self->begun_above = ~0ULL;
	local->floor_ticks = 0;
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
		calls_end(self, true);
	context_local(self)->deeper = 0;
	self->idle_ticks += ticks - self->now_ticks - self->lost_ticks;
	self->lost_ticks = ticks - self->now_ticks;
}

void accumulate_fini(struct accumulate_local *local)
{
	context_fini(local);
	*local = (struct accumulate_local){0};
}

void accumulate_reset(struct accumulate_local *local)
{
	struct accumulate_index nodes = local->nodes, os = local->os;

	local->nodes = local->os = (struct accumulate_index){0};
	accumulate_fini(local);
	index_empty(&nodes);
	index_empty(&os);
	local->nodes = nodes;
	local->os = os;
}
