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
#include "runtime/control/costs.h"
#include "runtime/control/disarmed.h"
#include "runtime/control/imports.h"
#include "runtime/control/looks.h"
#include "runtime/control/phases.h"
#include "runtime/control/sites.h"
#include "runtime/control/sums.h"
#include "runtime/control/waiters.h"
#include "runtime/files/counters.h"
#include "runtime/os/os_flag.h"
#include "runtime/tree/calls.h"
#include "runtime/tree/context.h"

#define NODES_MAX   (1U << 18)
#define NODE_TICKS  1024	 /* to add up a node takes about so many, out of the cache */
#define PAUSE_FIRST (1ULL << 20) /* ticks between two sums: half a millisecond … */
#define PAUSE_LAST  (1ULL << 23) /* … and a few */
#define WORK_MIN    (1ULL << 19) /* ticks: by less nobody is judged */
#define PAYS_TAKEN  4		 /* a sum is worth it where the probes have taken so many … */
#define PAYS_WORKED 256		 /* … or the program has worked so many times what it takes */

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
	context_local(self)->some_are_counted = disarmed_any();
}

void adapt_before(struct tare_thread_file *self, struct adapt_local *local,
		  const struct accumulate_event *event)
{
	unseen_expect(self, local, event);
	while (top_ends_unseen(self) && !accumulate_ends_top(self, event))
		calls_abandon(self);
	if (event->blocked_ticks && state_session.settings.adaptive_percent)
		waiters_note(self, local);
}

/* ---- sums ---- */

/* Behind the last of the thread's nodes that are looked at. */
static uint32_t nodes_end(const struct tare_thread_file *self)
{
	return (uint32_t)(self->node_count < NODES_MAX ? self->node_count : NODES_MAX);
}

static void nodes_sum(const struct tare_thread_file *self, struct adapt_sums *sums)
{
	const uint32_t end = nodes_end(self);

	for (uint32_t at = CONTEXT_NODE_LAST + 1; at < end; at++) {
		const struct tare_node *node = context_node_at(self, at);

		if (!context_calls(node))
			continue;
		const struct adapt_sum part = costs_of_node(self, node);

		sums_add(sums, &part);
	}
}

/* Adds what the node has waited to the functions that it was called by. */
static void waits_sum(const struct tare_node *node, uint64_t blocked_ticks, struct adapt_sums *sums)
{
	const struct tare_node *caller = context_node(node->parent);

	for (int i = 0; i < TARE_JUDGED_CALLERS && caller->key; i++) {
		struct adapt_sum *sum = sums_find(sums, caller->key);

		if (sum && caller->key != node->key && sum->below_node != node->index)
			sum->below_ticks += blocked_ticks;
		if (sum)
			sum->below_node = node->index;
		caller = context_node(caller->parent);
	}
}

/* When all nodes have been added: whose calls lead to waits. Tells the other threads. */
static void waits_sum_all(const struct tare_thread_file *self, struct adapt_sums *sums)
{
	const uint32_t end = nodes_end(self);

	for (uint32_t at = CONTEXT_NODE_LAST + 1; at < end; at++) {
		const struct tare_node *node = context_node_at(self, at);
		const uint64_t blocked_ticks = context_waits(self, node).blocked_ticks;

		if (blocked_ticks)
			waits_sum(node, blocked_ticks, sums);
	}
	for (uint64_t i = 0; i < sums->room; i++) {
		const struct adapt_sum *sum = &sums->items[i];

		if (sum->below_ticks > sum->below_before)
			waiters_note_below(sum->key, sum->below_ticks - sum->below_before);
	}
}

/* ---- disarming ---- */

/* Returns whether a byte was cleared. */
static bool nodes_disarm(const struct tare_thread_file *self, const struct adapt_sums *sums)
{
	const uint32_t end = nodes_end(self);
	bool cleared = false;

	for (uint32_t at = CONTEXT_NODE_LAST + 1; at < end; at++) {
		const struct tare_node *node = context_node_at(self, at);
		struct adapt_sum *sum = node->stub ? sums_find(sums, node->key) : NULL;

		if (sum && sum->goes && disarmed_add(sum->key, node_arm(node), sum->calls))
			cleared = sum->gone = true;
	}
	return cleared;
}

/* What waits in another thread stays, or leads to waits there; of its own this one knows all. */
static void waiters_keep(const struct tare_thread_file *self, struct adapt_sums *sums,
			 const struct sums_work *work)
{
	for (uint64_t i = 0; i < sums->room; i++) {
		struct adapt_sum *sum = &sums->items[i];

		if (!sum->goes)
			continue;
		waiters_take_back(self, sum->key);
		sum->goes =
			!waiters_know(sum->key) && !sums_leads(sum, waiters_below(sum->key), work);
	}
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

static void nodes_judge(const struct tare_thread_file *self, struct adapt_local *local)
{
	const struct sums_work work = costs_since(self, &local->judged);

	if (!os_flag_stubs_known() || !sums_begin(&local->sums))
		return;
	nodes_sum(self, &local->sums);
	waits_sum_all(self, &local->sums);
	sums_judge(&local->sums, &work);
	waiters_keep(self, &local->sums, &work);
	if (nodes_disarm(self, &local->sums))
		generation_begin();
	local->some_stay = some_stay(&local->sums);
}

/* What judging takes, which began at `now`, is none of the probes' cost: it will be charged. */
static void judged(const struct tare_thread_file *self, struct adapt_local *local, uint64_t now)
{
	const uint64_t spent_ticks = costs_between(now, kernel_ticks());

	local->due_ticks = now + local->pause_ticks;
	if (local->pause_ticks < PAUSE_LAST)
		local->pause_ticks *= 2;
	local->judged = costs_now(self);
	local->judged.taken_ticks += spent_ticks;
	local->judged.own_ticks += spent_ticks;
	local->looked.taken_ticks += spent_ticks;
}

static void judge(const struct tare_thread_file *self, struct adapt_local *local, uint64_t now)
{
	if (!arming_lock())
		return;
	nodes_judge(self, local);
	if (phases_look(now, costs_pair_ticks()))
		rearmings_begin();
	arming_unlock();
	judged(self, local, now);
}

/* Is there enough that a judgement may save? */
static bool judging_pays(const struct tare_thread_file *self, const struct adapt_local *local)
{
	const struct sums_work work = costs_since(self, &local->judged);
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

/* ---- events ---- */

void adapt_after(struct tare_thread_file *self, struct adapt_local *local,
		 const struct accumulate_event *event)
{
	if (!state_session.settings.adaptive_percent)
		return;
	/* Who runs one instruction at a time has no costs to judge by, and no time for it. */
	if (counters_are_kept() && !kernel_is_stepped()) {
		if (looks_at(self, local, event) | imports_look(local, event))
			generation_begin();
		judge_when_due(self, local, event->ticks);
		looks_begin_when_dear(self, local);
	}
	const uint64_t present = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);

	if (local->generation != present)
		stack_watch(self);
	local->generation = present;
	tops_abandon(self);
}

void adapt_forget(uint64_t begin, uint64_t end)
{
	arming_lock_wait();
	disarmed_forget(begin, end);
	sites_forget(begin, end);
	waiters_forget(begin, end);
	arming_unlock();
}

void adapt_begin(struct adapt_local *local)
{
	const struct adapt_sums sums = local->sums;

	if (sums.items)
		memset(sums.items, 0, sums.room * sizeof(*sums.items));
	*local = (struct adapt_local){.sums = {sums.items, sums.room, 0}};
}
