/*
 * What changes a level works out at once what follows for the process (settle); each thread takes
 * it in at its next event that goes the general path: one whose gate is closed, or to which
 * attention has been called (os_flag.h), or, after a change from outside, the first one behind the
 * next interrupt.
 *
 * Calls in progress when the process goes off may end before it is on again, unseen. So their
 * return addresses are kept in their nodes: a call whose address is another afterwards is not the
 * same (accumulate_resume). A thread that gets by without having its addresses kept loses only the
 * path that led to where it is.
 */
#include "runtime/control/control.h"

#include "abi/module.h"
#include "runtime/base/arming_lock.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/control/arming.h"
#include "runtime/files/counters.h"
#include "runtime/files/process.h"
#include "runtime/os/os_flag.h"
#include "runtime/tree/calls.h"
#include "runtime/tree/trace.h"

#define LOOK_ROUNDS	1000
#define CALLS_NOTED_MAX 65536
#define SETTLE_ROUNDS	16
#define SEEN_OFF	(~0U) /* tare_thread_file.control_seen while off: no generation */

static struct tare_session_control own_session;
static struct tare_session_control *session = &own_session;
static struct tare_control own_control; /* until there is a process file */
static struct tare_control *control = &own_control;
static uint64_t process_level; /* as last seen, for forked children */
static bool probes_paused;

/* ---- beginnings ---- */

void control_begin_session(struct tare_session_control *shared)
{
	if (state_session.settings.triggers & TARE_TRIGGERS_STARTS)
		process_level = TARE_LEVEL_STOPPED;
	if (shared && shared->magic == TARE_CONTROL_MAGIC && shared->abi == TARE_CONTROL_ABI)
		session = shared;
}

void control_notice_gs(void)
{
	static bool noticed;

	if (noticed || !__atomic_load_n(&session->gs_is_taken, __ATOMIC_ACQUIRE))
		return;
	noticed = true;
	counters_give_up_gs();
}

static uint64_t global_level(void)
{
	return __atomic_load_n(&session->global, __ATOMIC_ACQUIRE);
}

static uint32_t own_id(void)
{
	const int32_t id = kernel_tid();

	return id > 0 ? (uint32_t)id : 1;
}

/* ---- calls in progress ---- */

/*
 * Keeps the return addresses of a thread's calls in progress in their nodes. The thread may be
 * another one, at work or about to end: what is read may be gone or outdated, and then will not
 * match.
 */
static void calls_note(uint64_t file_addr)
{
	const uint64_t root = file_addr + TARE_THREAD_HEADER_BYTES;
	uint64_t node_addr = 0;
	struct tare_node node;

	memory_read(&node_addr, file_addr + offsetof(struct tare_thread_file, top),
		    sizeof(node_addr));
	for (int i = 0; i < CALLS_NOTED_MAX && node_addr && node_addr != root; i++) {
		if (memory_read(&node, node_addr, sizeof(node)) != sizeof(node))
			return;
		const uint64_t slot =
			((node.sp + TARE_CALL_MARKS) & ~TARE_CALL_MARKS) + TARE_CALL_BELOW;
		struct tare_node *in_place = (struct tare_node *)node_addr;

		if (memory_read(&in_place->stub, slot, sizeof(in_place->stub)) < 0)
			in_place->stub = 0;
		node_addr = node.parent;
	}
}

static bool call_stands(uint64_t slot_addr, uint64_t return_addr)
{
	uint64_t now = 0;

	return memory_read(&now, slot_addr, sizeof(now)) == sizeof(now) && now == return_addr;
}

/* ---- the process ---- */

/* With the lock: makes the probes follow the levels. */
static void probes_follow(void)
{
	const bool off = control->off_since != 0;

	if (off == probes_paused)
		return;
	if (!arming_lock()) /* nobody must be looking at stubs */
		return;
	if (off)
		process_each_thread(calls_note);
	arming_unlock();
	os_flag_renew();
	if (!arming_pause(off))
		return;
	counters_switch(off);
	probes_paused = off;
	control->unreachable = arming_unreachable();
}

static bool is_settled(void)
{
	return (control->off_since != 0) == probes_paused;
}

static bool levels_are_applied(void)
{
	const bool on = tare_level_is_on(global_level()) &&
			tare_level_is_on(__atomic_load_n(&control->process, __ATOMIC_ACQUIRE));

	return on == !control->off_since;
}

/*
 * Works out what the levels amount to, and lets the probes follow. Where a signal handler's call
 * has interrupted another one at it, that one does it again for both.
 */
static void settle(void)
{
	const uint32_t self = own_id();

	for (int round = 0; round < SETTLE_ROUNDS; round++) {
		if (!tare_control_lock(control, self))
			return;
		process_level = __atomic_load_n(&control->process, __ATOMIC_ACQUIRE);
		tare_control_apply(control, global_level(), kernel_ticks());
		probes_follow();
		tare_control_unlock(control);
		if (levels_are_applied())
			return;
	}
}

void control_begin_process(struct tare_control *own)
{
	control = own ? own : &own_control;
	control->process = process_level;
	arming_forked();
	if (probes_paused)
		arming_pause(true);
	settle();
}

void control_note_module(void)
{
	control->unreachable = arming_unreachable();
}

bool control_process_is_off(void)
{
	if (!control->off_since)
		return false;
	if (!is_settled())
		settle();
	return control->off_since != 0;
}

bool control_is_paused(void)
{
	return probes_paused;
}

bool control_is_off_now(void)
{
	const struct tare_thread_file *self = state_thread;

	return control->off_since || (self && !tare_level_is_on(self->level));
}

uint64_t control_off_mark(void)
{
	const struct tare_thread_file *self = state_thread;

	return __atomic_load_n(&control->generation, __ATOMIC_RELAXED) +
	       (self ? self->off_ticks : 0);
}

void control_follow(void)
{
	if (!levels_are_applied() || !is_settled())
		settle();
}

/* ---- a thread ---- */

static bool look(struct tare_control_view *view)
{
	for (int round = 0; round < LOOK_ROUNDS; round++)
		if (tare_control_look(control, view))
			return true;
	return false;
}

void control_begin_thread(struct tare_thread_file *self, uint64_t sp)
{
	struct tare_control_view view;

	self->level = 0; /* the file may have been another thread's */
	self->begun_above = ~0ULL;
	if (!look(&view))
		return;
	self->off_seen = tare_control_off_ticks(&view, self->begin_ticks);
	self->off_periods = view.off_periods;
	if (view.off_periods)
		self->begun_above = sp;
	self->control_seen = view.off_since ? SEEN_OFF : view.generation;
}

void control_begin_own(struct tare_thread_file *self)
{
	self->control_seen = control->generation;
}

bool control_thread_is_off(const struct tare_thread_file *self)
{
	return control_process_is_off() || !tare_level_is_on(self->level);
}

/* The clock stands still for `ticks`, at most until the event. */
static void clock_hold(struct tare_thread_file *self, const struct accumulate_event *event,
		       uint64_t ticks)
{
	const int64_t interval = (int64_t)(event->ticks - self->lost_ticks - self->now_ticks);

	if (interval <= 0)
		return;
	if (ticks > (uint64_t)interval)
		ticks = (uint64_t)interval;
	self->lost_ticks += ticks;
	self->off_ticks += ticks;
}

/* What is behind the last event still counts. */
static void thread_goes_off(struct tare_thread_file *self, const struct accumulate_event *event)
{
	struct accumulate_event last = *event;

	last.cost_ticks = 0;
	calls_charge(self, &last);
	trace_state(self, false);
	self->control_seen = SEEN_OFF;
}

/* Takes in what has happened to the process. */
static bool catch_up(struct tare_thread_file *self, const struct accumulate_event *event)
{
	struct tare_control_view view;
	const bool was_off = self->control_seen == SEEN_OFF;

	if (!is_settled())
		settle();
	if (!look(&view) || !tare_level_is_on(self->level))
		return !was_off;
	const uint64_t off_ticks = tare_control_off_ticks(&view, event->ticks);

	if (off_ticks > self->off_seen)
		clock_hold(self, event, off_ticks - self->off_seen);
	self->off_seen = off_ticks;
	if (view.off_since) {
		if (!was_off)
			thread_goes_off(self, event);
		return false;
	}
	if (was_off || self->off_periods != view.off_periods)
		accumulate_resume(self, event, call_stands);
	self->off_periods = view.off_periods;
	self->control_seen = view.generation;
	return true;
}

bool control_admits(struct tare_thread_file *self, const struct accumulate_event *event)
{
	return self->control_seen == __atomic_load_n(&control->generation, __ATOMIC_ACQUIRE) ||
	       catch_up(self, event);
}

/* ---- changes ---- */

void control_change_process(enum tare_operation operation)
{
	const uint64_t level = __atomic_load_n(&control->process, __ATOMIC_ACQUIRE);

	if (tare_level_after(level, operation) == level)
		return;
	tare_level_change(&control->process, operation);
	settle();
}

bool control_change_session(enum tare_operation operation)
{
	const bool was_on = tare_level_is_on(global_level());

	tare_level_change(&session->global, operation);
	settle();
	return was_on != tare_level_is_on(global_level());
}

/* From the thread's own stop: everything since its clock stood still is time off. */
static void thread_goes_on(struct tare_thread_file *self, const struct accumulate_event *event)
{
	struct tare_control_view view;

	clock_hold(self, event, ~0ULL);
	if (look(&view))
		self->off_seen = tare_control_off_ticks(&view, event->ticks);
}

bool control_change_thread(struct tare_thread_file *self, enum tare_operation operation,
			   uint64_t sp)
{
	struct accumulate_event event = {
		.kind = TARE_EVENT_LEAVE, .sp = sp, .ticks = kernel_ticks()};
	const bool was_on = tare_level_is_on(self->level);
	const uint64_t level = tare_level_after(self->level, operation);
	const bool goes_on = tare_level_is_on(level);

	os_flag_collect(self, state_private, &event);
	if (was_on && !goes_on && control_admits(self, &event)) {
		thread_goes_off(self, &event);
		calls_note((uint64_t)self);
	} else if (!was_on && goes_on) {
		thread_goes_on(self, &event);
	}
	self->level = level;
	counters_switch_thread(!goes_on);
	os_flag_settle(self, state_private);
	return self->control_seen != SEEN_OFF;
}
