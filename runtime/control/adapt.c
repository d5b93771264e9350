/*
 * Who is disarmed, and what that means for calls in progress.
 *
 *   general path ─ drop calls that will not report their end ─ the event ─ the same again
 *                        └ due? sum the nodes by function ─▶ judge (sums.h) ─▶ clear bytes, note
 *                          it, wake all threads' probes; set bytes again (phases.h)
 *
 * Refuses to sum more than NODES_MAX nodes: a tree of so many tells nothing by its late ones.
 */
#include "runtime/control/adapt.h"

#include "runtime/base/arming_lock.h"
#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/stub.h"
#include "runtime/control/disarmed.h"
#include "runtime/control/phases.h"
#include "runtime/control/sites.h"
#include "runtime/control/sums.h"
#include "runtime/files/counters.h"
#include "runtime/os/os_flag.h"
#include "runtime/tree/calls.h"
#include "runtime/tree/context.h"

#define NODES_MAX   (1U << 18)
#define NODE_TICKS  256		 /* to add up a node takes about so many */
#define PAUSE_FIRST (1ULL << 20) /* ticks between two sums: half a millisecond … */
#define PAUSE_LAST  (1ULL << 23) /* … and a few */
#define WORK_MIN    (1ULL << 19) /* ticks: by less nobody is judged */
#define PAYS_TAKEN  4		 /* a sum is worth it where the probes have taken so many … */
#define PAYS_WORKED 256		 /* … or the program has worked so many times what it takes */
#define LOOKS	    64		 /* events, for call sites */
#define LOOKS_REST  2		 /* judgements without, where that found none */

static uint64_t generation, rearmings;

/* ---- calls in progress ---- */

/* The byte of the function or call site that reported the node last, 0 where that is not known. */
static uint64_t node_arm(const struct tare_node *node)
{
	return node->stub > NODE_STUB_FORGOTTEN ? stub_addr(node->stub, 1) : 0;
}

/* Will the call in progress not report its end? Of a key some sites may be disarmed, others not. */
static bool ends_unseen(const struct tare_node *node)
{
	if (!disarmed_now(node->key))
		return false;
	const uint64_t arm = node_arm(node);

	return !arm || !*(const volatile uint8_t *)arm;
}

static bool top_ends_unseen(const struct tare_thread_file *self)
{
	return ends_unseen(context_node(self->top));
}

static void tops_abandon(struct tare_thread_file *self)
{
	while (top_ends_unseen(self))
		calls_abandon(self);
}

/* The ends of what disarmed functions have called must be noticed: they are on the top then. */
static void stack_watch(const struct tare_thread_file *self)
{
	const struct tare_node *root = context_nodes(self);
	struct tare_node *node = context_node(self->top);

	for (; node != root; node = context_node(node->parent))
		if (ends_unseen(context_node(node->parent)))
			calls_watch(self, node);
}

/* Calls that are in progress now may have begun unseen, and will report their end. */
static void unseen_expect(struct tare_thread_file *self, struct adapt_local *local,
			  const struct accumulate_event *event)
{
	const uint64_t present = __atomic_load_n(&rearmings, __ATOMIC_ACQUIRE);

	if (local->rearmings != present)
		context_local(self)->unseen_above = event->sp;
	local->rearmings = present;
}

void adapt_before(struct tare_thread_file *self, struct adapt_local *local,
		  const struct accumulate_event *event)
{
	unseen_expect(self, local, event);
	while (top_ends_unseen(self) && !accumulate_ends_top(self, event))
		calls_abandon(self);
}

/* ---- sums ---- */

static uint64_t pair_ticks(void)
{
	return state_session.cost_ticks[TARE_EVENT_ENTER] +
	       state_session.cost_ticks[TARE_EVENT_LEAVE];
}

/* The time that it was on a processor. */
static uint64_t worked_ticks(const struct tare_thread_file *self)
{
	return self->now_ticks - self->blocked_ticks - self->preempted_ticks;
}

/* What the runtime has taken; time while collection was off is in it, too. */
static uint64_t taken_ticks(const struct tare_thread_file *self)
{
	return self->lost_ticks - self->begin_ticks - self->idle_ticks;
}

/* What the calls that have ended have waited: elapsed_ticks is theirs. */
static uint64_t ended_waits(const struct tare_thread_file *self, const struct tare_node *node)
{
	const struct context_waits waits = context_waits(self, node);
	const uint64_t all = waits.blocked_ticks + waits.preempted_ticks;

	return all > node->os_exclusive ? all - node->os_exclusive : 0;
}

static void nodes_sum(const struct tare_thread_file *self, struct adapt_sums *sums)
{
	const uint32_t end =
		(uint32_t)(self->node_count < NODES_MAX ? self->node_count : NODES_MAX);

	for (uint32_t at = CONTEXT_NODE_LAST + 1; at < end; at++) {
		const struct tare_node *node = context_node_at(self, at);
		struct adapt_sum part = {.key = node->key, .calls = context_calls(node)};

		if (!part.calls)
			continue;
		part.blocked_ticks = context_waits(self, node).blocked_ticks;
		part.ticks = node->elapsed_ticks - (int64_t)ended_waits(self, node);
		sums_add(sums, &part);
	}
}

/* ---- disarming ---- */

/* Returns whether a byte was cleared. */
static bool nodes_disarm(const struct tare_thread_file *self, const struct adapt_sums *sums)
{
	const uint32_t end =
		(uint32_t)(self->node_count < NODES_MAX ? self->node_count : NODES_MAX);
	bool cleared = false;

	for (uint32_t at = CONTEXT_NODE_LAST + 1; at < end; at++) {
		const struct tare_node *node = context_node_at(self, at);
		struct adapt_sum *sum = node->stub ? sums_find(sums, node->key) : NULL;

		if (sum && sum->goes && disarmed_add(sum->key, node_arm(node), sum->calls))
			cleared = sum->gone = true;
	}
	return cleared;
}

/* Are there functions that should go, and are called through pointers? */
static bool some_stay(const struct adapt_sums *sums)
{
	for (uint64_t i = 0; i < sums->room; i++)
		if (sums->items[i].dear && sums->items[i].goes && !sums->items[i].gone)
			return true;
	return false;
}

/* Every thread has to look at its calls in progress. */
static void generation_begin(void)
{
	__atomic_fetch_add(&generation, 1, __ATOMIC_RELEASE);
	os_flag_renew();
}

static void rearmings_begin(void)
{
	__atomic_fetch_add(&rearmings, 1, __ATOMIC_RELEASE);
	os_flag_renew();
}

void adapt_begin_process(void)
{
	struct arming_cursor cursor = {0};
	struct arming_place place;
	uint64_t steps = UINT64_MAX;

	if (!state_session.settings.adaptive_percent || counters_are_kept())
		return;
	arming_lock_wait();
	while (arming_next_off(&cursor, &place, &steps))
		disarmed_take_back(&place);
	arming_unlock();
	rearmings_begin();
}

void adapt_open_plain(void)
{
	struct arming_cursor cursor = {0};
	struct arming_place place;
	uint64_t steps = UINT64_MAX;
	bool any = false;

	if (!state_session.settings.adaptive_percent)
		return;
	arming_lock_wait();
	while (arming_next_off(&cursor, &place, &steps)) {
		if (!disarmed_is_pointers(&place) || place.state->times == ARMING_TIMES_MAX)
			continue;
		disarmed_take_back(&place);
		any = true;
	}
	arming_unlock();
	if (any)
		rearmings_begin();
}

/* Judging itself is charged in advance, and is a little less in the end. */
static uint64_t since(uint64_t then, uint64_t now)
{
	return now > then ? now - then : 0;
}

static struct sums_work work_of(const struct tare_thread_file *self,
				const struct adapt_local *local)
{
	return (struct sums_work){
		.pair_ticks = pair_ticks(),
		.ratio_percent = state_session.settings.adaptive_percent,
		.worked_ticks = worked_ticks(self) - local->worked_ticks,
		.worked_ticks_all = worked_ticks(self),
		.taken_ticks = since(local->taken_ticks, taken_ticks(self)),
		.own_ticks = since(local->own_ticks, self->own_ticks),
	};
}

static void nodes_judge(const struct tare_thread_file *self, struct adapt_local *local)
{
	const struct sums_work work = work_of(self, local);

	if (!os_flag_stubs_known() || !sums_begin(&local->sums))
		return;
	nodes_sum(self, &local->sums);
	const bool is_dear = sums_judge(&local->sums, &work);

	if (nodes_disarm(self, &local->sums))
		generation_begin();
	if (local->looks_rest)
		local->looks_rest--;
	else if (is_dear || some_stay(&local->sums))
		local->looks = LOOKS;
}

/* What judging takes, which began at `now`, is none of the probes' cost. */
static void judged(const struct tare_thread_file *self, struct adapt_local *local, uint64_t now)
{
	const uint64_t spent_ticks = since(now, kernel_ticks());

	local->due_ticks = now + local->pause_ticks;
	if (local->pause_ticks < PAUSE_LAST)
		local->pause_ticks *= 2;
	local->worked_ticks = worked_ticks(self);
	local->taken_ticks = taken_ticks(self) + spent_ticks;
	local->own_ticks = self->own_ticks + spent_ticks;
}

static void judge(const struct tare_thread_file *self, struct adapt_local *local, uint64_t now)
{
	if (!arming_lock())
		return;
	nodes_judge(self, local);
	if (phases_look(now, pair_ticks()))
		rearmings_begin();
	arming_unlock();
	judged(self, local, now);
}

/* Is there enough that a judgement may save? */
static bool judging_pays(const struct tare_thread_file *self, const struct adapt_local *local)
{
	const struct sums_work work = work_of(self, local);
	const uint64_t cost_ticks = self->node_count * NODE_TICKS;

	return work.worked_ticks >= WORK_MIN && (work.taken_ticks >= PAYS_TAKEN * cost_ticks ||
						 work.worked_ticks >= PAYS_WORKED * cost_ticks);
}

static void judge_when_due(const struct tare_thread_file *self, struct adapt_local *local,
			   uint64_t now)
{
	if (!local->due_ticks) {
		local->pause_ticks = PAUSE_FIRST;
		local->due_ticks = now + PAUSE_FIRST;
	}
	if ((int64_t)(now - local->due_ticks) >= 0 && judging_pays(self, local))
		judge(self, local, now);
}

/* ---- call sites ---- */

/* At a call through a pointer: has the target ever reported itself, as its node knows? */
static bool reports_itself(const struct tare_thread_file *self,
			   const struct accumulate_event *event)
{
	const struct tare_node *node = context_node(self->top);

	return node->key == event->key && node->stub;
}

/*
 * A call tells nothing where the target should not be timed, or reports itself: then the site
 * measures the call instruction.
 */
static bool is_dull(const struct tare_thread_file *self, const struct accumulate_event *event,
		    bool target_goes)
{
	return target_goes || disarmed_now(event->key) || reports_itself(self, event);
}

static void site_judge(const struct tare_thread_file *self, struct adapt_local *local,
		       const struct accumulate_event *event)
{
	const struct adapt_sum *sum = sums_find(&local->sums, event->key);
	const bool goes = sum && sum->goes;
	bool cleared = false;

	if (!arming_lock())
		return;
	if (event->stub ? goes : sites_meet(event->arm, is_dull(self, event, goes)))
		cleared = goes && (event->stub || !reports_itself(self, event))
				  ? disarmed_add(event->key, event->arm, sum->calls)
				  : disarmed_add_site(event->arm);
	if (cleared)
		generation_begin();
	if (cleared && local->looks)
		local->looks = LOOKS;
	arming_unlock();
}

void adapt_after(struct tare_thread_file *self, struct adapt_local *local,
		 const struct accumulate_event *event)
{
	if (!state_session.settings.adaptive_percent)
		return;
	/* Who runs one instruction at a time has no costs to judge by, and no time for it. */
	if (counters_are_kept() && !kernel_is_stepped()) {
		if (event->kind == TARE_EVENT_CALL && event->arm)
			site_judge(self, local, event);
		judge_when_due(self, local, event->ticks);
	}
	const uint64_t present = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);

	if (local->generation != present)
		stack_watch(self);
	local->generation = present;
	tops_abandon(self);
}

bool adapt_wants_next(struct adapt_local *local)
{
	if (!local->looks)
		return false;
	if (!--local->looks)
		local->looks_rest = LOOKS_REST;
	return true;
}

void adapt_forget(uint64_t begin, uint64_t end)
{
	arming_lock_wait();
	disarmed_forget(begin, end);
	sites_forget(begin, end);
	arming_unlock();
}

void adapt_begin(struct adapt_local *local)
{
	const struct adapt_sums sums = local->sums;

	if (sums.items)
		memset(sums.items, 0, sums.room * sizeof(*sums.items));
	*local = (struct adapt_local){.sums = {sums.items, sums.room, 0}};
}
