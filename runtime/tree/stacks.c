/*
 * Where an event belongs, by the place of its frame:
 *
 *   a signal frame, a registered signal stack    nested on the present stack
 *   in the extent of a stack set aside           back to that one
 *   near the present extent; on the thread's     the present stack, which is larger than it was
 *     own stack; called by the top call's code     known to be
 *   anywhere else                                a new stack
 *
 * What it refuses: to ask the kernel what is mapped where (sandboxes forbid it, and it would not
 * tell stacks of one allocation apart). A new stack directly below another one, entered from there,
 * whose first frame is less than STACKS_NEAR_BYTES away is taken for the same; so are stacks that
 * lie within the thread's own. What comes of it are calls ended as unwound and ends without begin,
 * which are counted.
 */
#include "runtime/tree/stacks.h"

#include "runtime/tree/accumulate.h"
#include "runtime/tree/calls.h"
#include "runtime/tree/extent.h"
#include "runtime/tree/host.h"
#include "runtime/tree/trace.h"

#define PAGE_BYTES	   4096ULL
#define STACKS_ABOVE_BYTES (64ULL << 20) /* how far a probe can be left behind on its own stack */

static struct accumulate_local *local_of(const struct tare_thread_file *self)
{
	return (struct accumulate_local *)self->local;
}

static struct tare_node *top_of(const struct tare_thread_file *self)
{
	return context_node(self->top);
}

static bool is_empty(const struct tare_thread_file *self)
{
	return top_of(self) == context_nodes(self);
}

/* ---- the present stack ---- */

static bool is_own(const struct tare_thread_file *self, uint64_t place)
{
	struct stacks_local *stacks = extent_stacks(self);

	if (!stacks->opened && self->tid == self->pid)
		stacks->own_base = place;
	return place - stacks->own_base + STACKS_OWN_BYTES < 2 * STACKS_OWN_BYTES ||
	       accumulate_host->is_own_stack(self, place);
}

static void stack_open(struct tare_thread_file *self, uint64_t place)
{
	struct stacks_local *stacks = extent_stacks(self);

	stacks->now = (struct stack_extent){
		.low = place & ~(PAGE_BYTES - 1), .base = place, .own = is_own(self, place)};
	stacks->opened = true;
	extent_show(self);
}

void stacks_take_in(struct tare_thread_file *self, uint64_t place)
{
	const struct stacks_local *stacks = extent_stacks(self);

	if (!stacks->opened)
		stack_open(self, place);
	else if (place - stacks->now.base + STACKS_OWN_BYTES < 2 * STACKS_OWN_BYTES)
		extent_take_in(self, place);
}

void stacks_init(struct tare_thread_file *self)
{
	*extent_stacks(self) = (struct stacks_local){.now = {.low = ~0ULL}};
	extent_show(self);
	context_nodes(self)->sp = 0;
}

/* ---- nested stacks ---- */

static bool nested_begin(struct tare_thread_file *self, const struct stack_extent *extent)
{
	struct stacks_local *stacks = extent_stacks(self);

	if (stacks->nested == STACKS_NESTED_MAX)
		return false;
	stacks->outer[stacks->nested++] =
		(struct stacks_outer){.extent = stacks->now, .floor = self->top};
	stacks->now = *extent;
	extent_show(self);
	return true;
}

/* Leaves the innermost nested stack, whose handler will not go on. */
static void nested_leave(struct tare_thread_file *self)
{
	const uint64_t level = extent_stacks(self)->nested;

	while (extent_stacks(self)->nested == level && !is_empty(self) &&
	       extent_has(&extent_stacks(self)->now, calls_place_of(top_of(self))))
		calls_end(self, CALL_UNWOUND);
	if (extent_stacks(self)->nested == level)
		extent_nested_end(self);
	if (!is_empty(self)) /* calls there that no handler has reported here, see handlers.inc */
		extent_take_in(self, calls_place_of(top_of(self)));
}

/* ---- calls set aside ---- */

static void frames_take_off(struct tare_thread_file *self, uint64_t count)
{
	struct stacks_local *stacks = extent_stacks(self);
	struct stack_saved *saved = stacks->saved;

	saved->count = count;
	saved->inherited = 0;
	for (uint64_t i = count; i-- > 0;) {
		struct stack_frame *frame = &saved->frames[i];

		if (i >= stacks->carried)
			*frame = (struct stack_frame){0};
		if (self->top == self->inherited)
			saved->inherited = i + 1;
		calls_take_off(self, frame);
	}
	if (saved->inherited)
		self->inherited = 0;
	stacks->carried = 0;
	self->calls_set_aside += count - saved->inherited;
}

/* The thread is on the stack `saved`, at its root. */
static void frames_put_on(struct tare_thread_file *self, struct stack_saved *saved)
{
	struct stacks_local *stacks = extent_stacks(self);

	stacks->saved = saved;
	stacks->now = saved->extent;
	self->calls_taken_back += saved->count - saved->inherited;
	for (stacks->carried = 0; stacks->carried < saved->count; stacks->carried++)
		if (!calls_put_on(self, &saved->frames[stacks->carried]))
			break;
	if (saved->inherited && saved->inherited <= stacks->carried)
		self->inherited = saved->frames[saved->inherited - 1].node;
	extent_show(self);
}

static void calls_end_all(struct tare_thread_file *self, enum call_ending how)
{
	while (!is_empty(self))
		calls_end(self, how);
}

/*
 * Ends the calls on stacks that are in no list any more, in a chain. The log has their ends. Where
 * some functions are only counted, the calls may go on: a thread was not asked to tell.
 */
static void chain_end(struct tare_thread_file *self, struct stack_saved *chain)
{
	while (chain) {
		struct stack_saved *saved = chain;

		chain = saved->next;
		frames_put_on(self, saved);
		local_of(self)->trace_silent = false;
		trace_stack(self);
		calls_end_all(self, local_of(self)->some_are_counted ? CALL_CUT : CALL_UNWOUND);
		local_of(self)->trace_silent = true;
		if (!stack_table_lock())
			continue; /* its record is lost */
		stack_table_free(saved);
		stack_table_unlock();
	}
	extent_stacks(self)->saved = NULL;
	extent_stacks(self)->carried = 0;
}

/* Takes a stack out of the table; a chain of those whose calls are to be ended grows by it. */
static void stack_void(struct stack_saved *saved, struct stack_saved **chain)
{
	stack_table_remove(saved);
	if (saved->on) {
		saved->taken = true;
		return;
	}
	saved->next = *chain;
	*chain = saved;
}

/* The lowest call's place. Of a stack that a thread is on only the base is sure. */
static uint64_t lowest_of(const struct stack_saved *saved)
{
	const struct tare_node node = {.sp = saved->frames[saved->count - 1].sp};

	return saved->on ? saved->extent.base : calls_place_of(&node);
}

/*
 * Stacks with calls among the calls of the one that is left now, which nobody is on any more, were
 * at the same addresses before, or are the same one, found here before the thread that had left it
 * told so.
 */
static uint64_t overlapping_void(struct stack_saved *saved, uint64_t lowest,
				 struct stack_saved **chain)
{
	uint64_t at = stack_table_position(lowest), count = 0;

	while (at < stack_table_count()) {
		struct stack_saved *other = stack_table_at(at);

		if (other == saved) {
			at++;
			continue;
		}
		if (lowest_of(other) > saved->extent.base)
			break;
		stack_void(other, chain);
		count++;
	}
	return count;
}

/*
 * Puts the stack that is left where threads find it. False when it has to be given up. A thread
 * that tells late is no loss where some functions are only counted: it is not asked to tell.
 */
static bool stack_publish(struct tare_thread_file *self, struct stack_saved *saved,
			  struct stack_saved **chain)
{
	const struct stack_extent *extent = &extent_stacks(self)->now;

	if (saved->taken)
		return false;
	if (saved->listed && saved->extent.base != extent->base)
		stack_table_remove(saved);
	saved->extent = *extent;
	saved->on = NULL;
	const uint64_t voided = overlapping_void(saved, lowest_of(saved), chain);

	if (!local_of(self)->some_are_counted)
		self->stacks_lost += voided;
	if (!saved->listed && stack_table_count() >= STACK_TABLE_MAX) {
		stack_void(stack_table_at(saved->extent.base / PAGE_BYTES % STACK_TABLE_MAX),
			   chain);
		self->stacks_lost++;
	}
	return saved->listed || stack_table_insert(saved);
}

/* The record of the present stack, with room for its calls. */
static struct stack_saved *stack_record(struct tare_thread_file *self, uint64_t count)
{
	struct stacks_local *stacks = extent_stacks(self);

	if (!stacks->saved) {
		if (!stack_table_lock())
			return NULL;
		stacks->saved = stack_table_new();
		if (stacks->saved)
			stacks->saved->on = self;
		stack_table_unlock();
	}
	if (stacks->carried > count)
		stacks->carried = count;
	return stacks->saved && stack_saved_reserve(stacks->saved, count) ? stacks->saved : NULL;
}

/* The present stack has no calls: nothing needs to be known of it. */
static void stack_forget(struct tare_thread_file *self)
{
	struct stacks_local *stacks = extent_stacks(self);
	struct stack_saved *saved = stacks->saved;

	stacks->saved = NULL;
	stacks->carried = 0;
	if (!saved || !stack_table_lock())
		return;
	if (saved->listed)
		stack_table_remove(saved);
	stack_table_free(saved);
	stack_table_unlock();
}

static void stack_leave(struct tare_thread_file *self)
{
	struct stacks_local *stacks = extent_stacks(self);
	struct stack_saved *chain = NULL;
	bool published = false;

	while (stacks->nested)
		nested_leave(self);
	const uint64_t count = top_of(self)->depth;
	struct stack_saved *saved = count ? stack_record(self, count) : NULL;

	if (!saved) {
		self->stacks_lost += count != 0;
		calls_end_all(self, CALL_UNWOUND);
		stack_forget(self);
		return;
	}
	frames_take_off(self, count);
	if (stack_table_lock()) {
		published = stack_publish(self, saved, &chain);
		stack_table_unlock();
	}
	if (!published) {
		self->stacks_lost += !saved->taken || !local_of(self)->some_are_counted;
		saved->next = chain;
		chain = saved;
	}
	chain_end(self, chain);
}

/* ---- finding the way ---- */

/* Is an event at `place`, below the extent, one of a stack whose innermost call is `top`? */
static bool reaches_down(const struct stack_extent *extent, const struct tare_node *top,
			 const struct accumulate_event *event, uint64_t place)
{
	if (place + STACKS_NEAR_BYTES > extent->low)
		return true;
	if (extent->own && extent->base - place < STACKS_OWN_BYTES)
		return true;
	/* code that calls has reported where it is before, unless it has made a large frame */
	if (!top || calls_marks_of(top) & TARE_CALL_PENDING)
		return false;
	return event->kind == TARE_EVENT_CALL ||
	       (event->kind == TARE_EVENT_ENTER && accumulate_host->called_by(event, top->stub));
}

static bool reaches(const struct stack_extent *extent, const struct tare_node *top,
		    const struct accumulate_event *event, uint64_t place)
{
	if (place > extent->base)
		return place - extent->base < STACKS_NEAR_BYTES;
	return place >= extent->low || reaches_down(extent, top, event, place);
}

/* Is the present stack between `place` and that other base? Then it is the nearer one. */
static bool is_nearer(const struct stack_extent *now, uint64_t place, uint64_t base)
{
	return base >= place ? now->base >= place && now->base < base
			     : now->base <= place && now->base > base;
}

static struct stack_saved *saved_find(const struct tare_thread_file *self,
				      const struct accumulate_event *event, uint64_t place)
{
	const struct stack_extent *now = &extent_stacks(self)->now;
	const uint64_t above = stack_table_position(place);

	for (uint64_t at = above + 1; at-- > 0 && at + 1 >= above;) {
		if (at == stack_table_count())
			continue;
		struct stack_saved *saved = stack_table_at(at);

		if (!saved->on && !is_nearer(now, place, saved->extent.base) &&
		    reaches(&saved->extent, NULL, event, place))
			return saved;
	}
	return NULL;
}

/* The stack set aside at `place`, which is the thread's from now on; NULL if there is none. */
static struct stack_saved *saved_claim(struct tare_thread_file *self,
				       const struct accumulate_event *event, uint64_t place)
{
	struct stack_saved *saved = NULL;

	if (!stack_table_count() || !stack_table_lock())
		return NULL;
	saved = saved_find(self, event, place);
	if (saved)
		saved->on = self;
	stack_table_unlock();
	return saved;
}

static void stack_go(struct tare_thread_file *self, struct stack_saved *saved, uint64_t place)
{
	const bool first = !extent_stacks(self)->opened;

	self->stack_switches += !first;
	local_of(self)->trace_silent = true;
	stack_leave(self);
	if (saved) {
		frames_put_on(self, saved);
		local_of(self)->deeper = saved->count - extent_stacks(self)->carried;
	} else {
		stack_open(self, place);
		local_of(self)->deeper = 0;
	}
	extent_take_in(self, place);
	extent_stacks(self)->arrived = !first;
	local_of(self)->trace_silent = false;
	if (!first)
		trace_stack(self);
}

/* Goes back to the stack that a signal has interrupted, if another one was thought present. */
static void interrupted_find(struct tare_thread_file *self, const struct stacks_signs *signs)
{
	const struct accumulate_event event = {.kind = TARE_EVENT_RETURN};
	const uint64_t place = calls_place_at(signs->interrupted);

	if (!signs->interrupted || extent_has(&extent_stacks(self)->now, place))
		return;
	struct stack_saved *saved = saved_claim(self, &event, place);

	if (saved)
		stack_go(self, saved, place);
}

static void stack_find(struct tare_thread_file *self, const struct accumulate_event *event,
		       uint64_t place)
{
	struct stacks_local *stacks = extent_stacks(self);

	while (stacks->nested && !extent_has(&stacks->now, place))
		nested_leave(self);
	if (extent_has(&stacks->now, place))
		return;
	struct stack_saved *saved = saved_claim(self, event, place);

	if (saved || !stacks->opened ||
	    !reaches(&stacks->now, is_empty(self) ? NULL : top_of(self), event, place))
		stack_go(self, saved, place);
	else
		extent_take_in(self, place);
}

/*
 * May the event be one of a handler whose stack lies within the extent of the present one? The
 * first one of a handler that is only counted is a call that it makes.
 */
static bool is_suspicious(const struct tare_thread_file *self, const struct accumulate_event *event,
			  uint64_t place)
{
	return (event->kind == TARE_EVENT_ENTER || event->kind == TARE_EVENT_CALL) &&
	       !is_empty(self) && place > calls_place_of(top_of(self));
}

/* The interval that ends here belongs to the stack that is left. */
static void interval_end(struct tare_thread_file *self, struct accumulate_event *event)
{
	struct accumulate_event end = *event;

	end.cost_ticks = 0;
	calls_charge(self, &end);
	event->os = false;
}

void stacks_follow(struct tare_thread_file *self, struct accumulate_event *event)
{
	const uint64_t place = calls_place_at(event->sp);
	const bool within = extent_has(&extent_stacks(self)->now, place);
	struct stacks_signs signs = {0};

	extent_stacks(self)->arrived = false;
	if (within && !is_suspicious(self, event, place))
		return;
	const enum stacks_sign sign = accumulate_host->stack_sign(self, event, &signs);

	if (within &&
	    (sign != STACKS_NESTED || extent_has(&signs.extent, extent_stacks(self)->now.low)))
		return;
	interval_end(self, event);
	if (sign != STACKS_UNKNOWN)
		interrupted_find(self, &signs);
	if (sign == STACKS_SIGNAL && extent_stacks(self)->opened)
		extent_take_in(self, place);
	else if (sign != STACKS_NESTED || !nested_begin(self, &signs.extent))
		stack_find(self, event, place);
}

bool stacks_is_arrival(const struct tare_thread_file *self, uint64_t sp)
{
	return extent_stacks(self)->arrived &&
	       (is_empty(self) || calls_place_at(sp) < calls_place_of(top_of(self)));
}

/* ---- ends ---- */

/* Which of the stacks that are one within the other; -1: none. */
static int level_of(const struct stacks_local *stacks, uint64_t sp)
{
	const uint64_t place = calls_place_at(sp);

	for (uint64_t level = stacks->nested + 1; level-- > 0;) {
		const struct stack_extent *extent =
			level == stacks->nested ? &stacks->now : &stacks->outer[level].extent;

		if (place + STACKS_NEAR_BYTES > extent->low &&
		    place < extent->base + (extent->own ? STACKS_ABOVE_BYTES : STACKS_NEAR_BYTES))
			return (int)level;
	}
	return -1;
}

bool stacks_abandoned(const struct tare_thread_file *self, uint64_t gate, uint64_t sp)
{
	const struct accumulate_event event = {.kind = TARE_EVENT_RETURN, .sp = sp};
	const struct stacks_local *stacks = extent_stacks(self);
	struct stacks_signs signs;

	if (!stacks->opened)
		return sp >= gate && sp - gate <= STACKS_ABOVE_BYTES;
	if (accumulate_host->stack_sign(self, &event, &signs) == STACKS_NESTED &&
	    !extent_has(&signs.extent, calls_place_at(gate)))
		return false;
	const int gate_level = level_of(stacks, gate), level = level_of(stacks, sp);

	return level >= 0 && (level < gate_level || (level == gate_level && sp >= gate));
}

void stacks_thread_end(struct tare_thread_file *self)
{
	stack_forget(self);
}

void stacks_process_end(struct tare_thread_file *self)
{
	struct stacks_local *stacks = extent_stacks(self);
	const struct stack_extent now = stacks->now;
	struct stack_saved *chain = NULL;

	if (!stack_table_count())
		return;
	while (stacks->nested)
		nested_leave(self);
	const uint64_t count = top_of(self)->depth;
	struct stack_saved *present = stack_record(self, count);

	if (!present || !stack_table_lock())
		return;
	for (uint64_t at = stack_table_count(); at-- > 0;)
		if (!stack_table_at(at)->on)
			stack_void(stack_table_at(at), &chain);
	stack_table_unlock();
	local_of(self)->trace_silent = true;
	frames_take_off(self, count);
	chain_end(self, chain);
	present->extent = now;
	frames_put_on(self, present);
	local_of(self)->trace_silent = false;
	trace_stack(self);
}
