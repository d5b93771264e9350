/*
 * Who is disarmed, and what that means for calls in progress.
 *
 *   general path ─ drop calls that will not report their end ─ the event ─ the same again
 *                        └ due? sum the nodes by function ─▶ short and dear? ─▶ clear its bytes,
 *                          note it, wake all threads' probes
 *
 * Refuses to disarm more than DISARMED_MAX functions, and to sum more than NODES_MAX nodes at a
 * time: the others are next. A function that is called in so many contexts is judged by those.
 */
#include "runtime/control/adapt.h"

#include "runtime/base/arming_lock.h"
#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/base/stub.h"
#include "runtime/control/arming.h"
#include "runtime/files/process.h"
#include "runtime/os/os_flag.h"
#include "runtime/tree/calls.h"
#include "runtime/tree/context.h"

#define DISARMED_SLOTS 16384 /* a power of two */
#define DISARMED_MAX   (DISARMED_SLOTS / 2)
#define NODES_MAX      65536
#define SUMS_FIRST     1024	    /* a power of two */
#define PAUSE_TICKS    (1ULL << 23) /* between two sums: a few milliseconds */
#define PAUSE_PER_WORK 64	    /* and so many times as long as the last took */
#define KEY_FORGOTTEN  (~0ULL - 1)  /* TARE_NODE_OTHER is no function either */

/* Keys of disarmed functions: read by any thread at any time, written under arming's lock. */
static uint64_t disarmed[DISARMED_SLOTS];
static bool silent[DISARMED_SLOTS]; /* beside them: a byte has been cleared */
static uint64_t disarmed_count, generation;

/* The calls of one function in the nodes at hand. Under arming's lock. */
struct sum {
	uint64_t key, calls;
	int64_t ticks;
};

static struct sum *sums;
static uint64_t sums_room, sums_used;

static uint64_t slot_of(uint64_t key, uint64_t slots)
{
	return (key * 0x9e3779b97f4a7c15ULL >> 20) & (slots - 1);
}

/* ---- the set ---- */

/* DISARMED_SLOTS where it is not. */
static uint64_t disarmed_find(uint64_t key)
{
	if (!__atomic_load_n(&disarmed_count, __ATOMIC_ACQUIRE))
		return DISARMED_SLOTS;
	for (uint64_t slot = slot_of(key, DISARMED_SLOTS);;
	     slot = (slot + 1) & (DISARMED_SLOTS - 1)) {
		const uint64_t found = __atomic_load_n(&disarmed[slot], __ATOMIC_RELAXED);

		if (!found)
			return DISARMED_SLOTS;
		if (found == key)
			return slot;
	}
}

static bool is_disarmed(uint64_t key)
{
	const uint64_t slot = disarmed_find(key);

	return slot < DISARMED_SLOTS && __atomic_load_n(&silent[slot], __ATOMIC_ACQUIRE);
}

bool adapt_loses_ends(uint64_t key)
{
	return disarmed_find(key) < DISARMED_SLOTS;
}

/* From now on its calls may end unseen; DISARMED_SLOTS where there is no place. */
static uint64_t disarmed_begin(uint64_t key)
{
	uint64_t slot = slot_of(key, DISARMED_SLOTS);

	if (disarmed_count >= DISARMED_MAX)
		return DISARMED_SLOTS;
	while (disarmed[slot])
		slot = (slot + 1) & (DISARMED_SLOTS - 1);
	__atomic_store_n(&disarmed[slot], key, __ATOMIC_RELAXED);
	__atomic_store_n(&disarmed_count, disarmed_count + 1, __ATOMIC_RELEASE);
	return slot;
}

void adapt_forget(uint64_t begin, uint64_t end)
{
	arming_lock_wait();
	for (uint64_t slot = 0; disarmed_count && slot < DISARMED_SLOTS; slot++)
		if (disarmed[slot] - begin < end - begin)
			__atomic_store_n(&disarmed[slot], KEY_FORGOTTEN, __ATOMIC_RELAXED);
	arming_unlock();
}

/* ---- calls in progress ---- */

static bool top_is_disarmed(const struct tare_thread_file *self)
{
	return is_disarmed(context_node(self->top)->key);
}

static void tops_abandon(struct tare_thread_file *self)
{
	while (top_is_disarmed(self))
		calls_abandon(self);
}

/* The ends of what disarmed functions have called must be noticed: they are on the top then. */
static void stack_watch(const struct tare_thread_file *self)
{
	const struct tare_node *root = context_nodes(self);
	struct tare_node *node = context_node(self->top);

	for (; node != root; node = context_node(node->parent))
		if (is_disarmed(context_node(node->parent)->key))
			calls_watch(self, node);
}

void adapt_before(struct tare_thread_file *self, const struct accumulate_event *event)
{
	while (top_is_disarmed(self) && !accumulate_ends_top(self, event))
		calls_abandon(self);
}

/* ---- sums ---- */

/* Makes room where the last time showed that there was too little; false without any. */
static bool sums_clear(void)
{
	if (sums_used >= sums_room / 2) {
		const uint64_t room = sums_room ? sums_room * 2 : SUMS_FIRST;
		struct sum *larger = memory_map(room * sizeof(*larger));

		if (larger && sums)
			memory_unmap(sums, sums_room * sizeof(*sums));
		if (larger) {
			sums = larger;
			sums_room = room;
		}
	}
	if (sums)
		memset(sums, 0, sums_room * sizeof(*sums));
	sums_used = 0;
	return sums != NULL;
}

/* NULL where the function has no place: half of the slots stay free. */
static struct sum *sum_of(uint64_t key, bool make)
{
	uint64_t slot = slot_of(key, sums_room);

	while (sums[slot].key && sums[slot].key != key)
		slot = (slot + 1) & (sums_room - 1);
	if (sums[slot].key)
		return &sums[slot];
	if (!make || sums_used >= sums_room / 2)
		return NULL;
	sums_used++;
	sums[slot].key = key;
	return &sums[slot];
}

/* The nodes that are looked at this time. */
struct part {
	uint64_t begin, end; /* numbers */
};

static struct part part_next(const struct tare_thread_file *self, struct adapt_local *local)
{
	const uint64_t first = CONTEXT_NODE_LAST + 1;
	uint64_t begin = local->next_node, end;

	if (begin < first || begin >= self->node_count)
		begin = first;
	end = begin + NODES_MAX < self->node_count ? begin + NODES_MAX : self->node_count;
	local->next_node = end;
	return (struct part){begin, end > begin ? end : begin};
}

/* Time that the operating system took is none of the function's own. */
static int64_t node_own_ticks(const struct tare_thread_file *self, const struct tare_node *node)
{
	return node->elapsed_ticks - (int64_t)context_os_ticks(self, node);
}

static void part_sum(const struct tare_thread_file *self, const struct part *part)
{
	for (uint64_t at = part->begin; at < part->end; at++) {
		const struct tare_node *node = context_node_at(self, (uint32_t)at);
		const uint64_t calls = context_calls(node);
		struct sum *sum = calls ? sum_of(node->key, true) : NULL;

		if (!sum)
			continue;
		sum->calls += calls;
		sum->ticks += node_own_ticks(self, node);
	}
}

/* ---- disarming ---- */

static bool is_worth_it(const struct tare_thread_file *self, const struct sum *sum)
{
	const int64_t pair_ticks = (int64_t)(state_session.cost_ticks[TARE_EVENT_ENTER] +
					     state_session.cost_ticks[TARE_EVENT_LEAVE]);
	const int64_t calls = (int64_t)sum->calls, probes_ticks = calls * pair_ticks;
	const int64_t worked_ticks = (int64_t)(self->now_ticks - self->os_ticks);

	return calls >= ADAPT_CALLS_MIN && probes_ticks >= worked_ticks / ADAPT_SHARE &&
	       sum->ticks / calls * 100 < pair_ticks * state_session.settings.adaptive_percent;
}

static bool byte_clear(uint64_t arm)
{
	uint8_t *byte = (uint8_t *)arm;

	return arm && *(volatile uint8_t *)byte && arming_disarm(byte);
}

/* The byte of the function or call site that reported the node last, 0 where that is not known. */
static uint64_t node_arm(const struct tare_node *node)
{
	return node->stub > NODE_STUB_FORGOTTEN ? stub_addr(node->stub, 1) : 0;
}

/* The one that was put there last: no other has been placed behind it. */
static void disarmed_take_back(uint64_t slot)
{
	__atomic_store_n(&disarmed[slot], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&disarmed_count, disarmed_count - 1, __ATOMIC_RELEASE);
}

/*
 * Clears the byte of a function that is not disarmed yet. Before that all threads know that its
 * calls may end unseen; when it has happened, that they will.
 */
static bool function_disarm(const struct sum *sum, uint64_t arm)
{
	const uint64_t slot = disarmed_begin(sum->key);

	if (slot == DISARMED_SLOTS)
		return false;
	if (!byte_clear(arm)) {
		disarmed_take_back(slot);
		return false;
	}
	__atomic_store_n(&silent[slot], true, __ATOMIC_RELEASE);
	process_disarm_note(sum->key, sum->calls);
	return true;
}

/* Returns whether a byte was cleared. */
static bool part_disarm(const struct tare_thread_file *self, const struct part *part)
{
	bool cleared = false;

	for (uint64_t at = part->begin; at < part->end; at++) {
		const struct tare_node *node = context_node_at(self, (uint32_t)at);
		const struct sum *sum = sum_of(node->key, false);

		if (is_disarmed(node->key))
			cleared |= byte_clear(node_arm(node));
		else if (sum && is_worth_it(self, sum))
			cleared |= function_disarm(sum, node_arm(node));
	}
	return cleared;
}

/* Every thread has to look at its calls in progress. */
static void generation_begin(void)
{
	__atomic_fetch_add(&generation, 1, __ATOMIC_RELEASE);
	os_flag_renew();
}

static void nodes_judge(const struct tare_thread_file *self, struct adapt_local *local)
{
	if (!os_flag_stubs_known() || !sums_clear())
		return;
	const struct part part = part_next(self, local);

	part_sum(self, &part);
	if (part_disarm(self, &part))
		generation_begin();
}

static void judge_when_due(const struct tare_thread_file *self, struct adapt_local *local,
			   uint64_t now)
{
	if (!local->due_ticks)
		local->due_ticks = now + PAUSE_TICKS;
	if ((int64_t)(now - local->due_ticks) < 0)
		return;
	const uint64_t begin = kernel_ticks();

	if (arming_lock()) {
		nodes_judge(self, local);
		arming_unlock();
	}
	const uint64_t pause = (kernel_ticks() - begin) * PAUSE_PER_WORK;

	local->due_ticks = now + (pause > PAUSE_TICKS ? pause : PAUSE_TICKS);
}

/*
 * At a call: its site is met with only now, or calls through a pointer, which no node tells. A
 * target that is always called so, and does not report itself, is judged here, in this context.
 */
static bool target_is_worth_it(const struct tare_thread_file *self,
			       const struct accumulate_event *event, struct sum *sum)
{
	const struct tare_node *node = context_node(self->top);

	if (event->stub || node->stub || node->key != event->key)
		return false;
	*sum = (struct sum){.key = node->key, .calls = context_calls(node)};
	if (sum->calls < ADAPT_CALLS_MIN)
		return false;
	sum->ticks = node_own_ticks(self, node);
	return is_worth_it(self, sum);
}

static void site_judge(const struct tare_thread_file *self, const struct accumulate_event *event)
{
	const bool known = is_disarmed(event->key);
	struct sum sum;

	if (!known && !target_is_worth_it(self, event, &sum))
		return;
	if (!arming_lock())
		return;
	if (known ? byte_clear(event->arm) : function_disarm(&sum, event->arm))
		generation_begin();
	arming_unlock();
}

void adapt_after(struct tare_thread_file *self, struct adapt_local *local,
		 const struct accumulate_event *event)
{
	if (!state_session.settings.adaptive_percent)
		return;
	if (event->kind == TARE_EVENT_CALL && event->arm)
		site_judge(self, event);
	judge_when_due(self, local, event->ticks);
	const uint64_t present = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);

	if (local->generation != present)
		stack_watch(self);
	local->generation = present;
	tops_abandon(self);
}
