/*
 *   probes took more than 1 / SUMS_BUDGET of late ─▶ the next LOOKS events take the general path
 *        its second begin within them, and short so far ─▶ disarmed
 *        probes took more than 1 / MUCH: its first one  ─▶ the same
 *        a call through a pointer that tells nothing     ─▶ counted for its site (sites.h)
 *   something found ─▶ LOOKS more;   nothing ─▶ twice as long a rest, up to REST_LAST
 *
 * Who is met is who costs much: by its share of the events, so that a long tail of functions goes,
 * too, as long as it costs much together. Refuses to judge by fewer calls than LOOKS_CALLS_MIN.
 */
#include "runtime/control/looks.h"

#include "runtime/base/arming_lock.h"
#include "runtime/base/bytes.h"
#include "runtime/base/stub.h"
#include "runtime/control/costs.h"
#include "runtime/control/disarmed.h"
#include "runtime/control/sites.h"
#include "runtime/control/waiters.h"
#include "runtime/os/os_flag.h"
#include "runtime/tree/context.h"

#define LOOKS	   64		/* events: some ten microseconds in the general path */
#define REST_FIRST (1ULL << 19) /* ticks of work between looks */
#define MUCH	   8		/* one in so many of the work */
#define REST_LAST  4		/* doubled so many times */

void looks_begin_when_dear(const struct tare_thread_file *self, struct adapt_local *local)
{
	if (local->looks)
		return;
	const struct sums_work work = costs_since(self, &local->looked);

	if (work.worked_ticks < REST_FIRST << local->looks_rest)
		return;
	local->looked = costs_now(self);
	if (work.taken_ticks <= work.worked_ticks / SUMS_BUDGET && !local->some_stay)
		return;
	local->some_stay = false;
	local->looks_at_once = work.taken_ticks > work.worked_ticks / MUCH;
	local->looks = LOOKS;
	local->looks_found = false;
	memset(local->met, 0, sizeof(local->met));
}

bool looks_want_next(struct adapt_local *local)
{
	if (!local->looks)
		return false;
	if (--local->looks)
		return true;
	if (local->looks_found)
		local->looks_rest = 0;
	else if (local->looks_rest < REST_LAST)
		local->looks_rest++;
	return false;
}

/* Was a call of it met among these events? It is now. */
static bool met_before(struct adapt_local *local, uint64_t key)
{
	const uint64_t mixed = key * 0x9e3779b97f4a7c15ULL;
	uint32_t *place = &local->met[(mixed >> 32) % ADAPT_MET];
	const uint32_t mark = (uint32_t)(mixed >> 24) | 1;
	const bool met = *place == mark;

	*place = mark;
	return met;
}

/* At least so long did a call wait in what it called: no sum is needed to know that. */
static uint64_t longest_below(const struct tare_node *node)
{
	const int64_t ticks = node->elapsed_inclusive_max - node->application_inclusive_max -
			      node->elapsed_exclusive_max;

	return ticks > 0 ? (uint64_t)ticks : 0;
}

/* By the path that it is on, or by all that the last sum has found. */
static bool is_short(const struct tare_thread_file *self, const struct adapt_sum *of_all,
		     const struct accumulate_event *event)
{
	const struct tare_node *node = context_node(self->top);
	const struct costs_mark never = {0};

	if (node->key != event->key)
		return false;
	const struct adapt_sum sum = costs_of_node(self, node);
	const struct sums_work work = costs_since(self, &never);

	if (sums_leads(&sum, longest_below(node), &work) ||
	    sums_leads(of_all ? of_all : &sum, waiters_below(event->key), &work))
		return false;
	return sum.calls >= LOOKS_CALLS_MIN || !of_all
		       ? sums_is_short(&sum, LOOKS_CALLS_MIN, &work)
		       : sums_is_short(of_all, LOOKS_CALLS_MIN, &work);
}

static bool target_goes(const struct tare_thread_file *self, struct adapt_local *local,
			const struct accumulate_event *event)
{
	const struct adapt_sum *sum = sums_find(&local->sums, event->key);

	if (waiters_know(event->key))
		return false;
	if (sum && (sum->goes || sums_stays(sum)))
		return sum->goes;
	if (!local->looks)
		return false;
	const bool met = met_before(local, event->key);

	return (met || local->looks_at_once) && is_short(self, sum, event);
}

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
		    bool goes)
{
	return goes || disarmed_now(event->key) || reports_itself(self, event);
}

/* The thread's calls of who goes: those of the last sum, or of the path that shows it. */
static uint64_t calls_of(const struct tare_thread_file *self, const struct adapt_local *local,
			 uint64_t key)
{
	const struct adapt_sum *sum = sums_find(&local->sums, key);

	return sum && sum->calls ? sum->calls : context_calls(context_node(self->top));
}

static bool site_disarm(const struct tare_thread_file *self, const struct adapt_local *local,
			const struct accumulate_event *event, bool goes)
{
	if (!(event->stub ? goes : sites_meet(event->arm, is_dull(self, event, goes))))
		return false;
	if (goes && (event->stub || !reports_itself(self, event)))
		return disarmed_add(event->key, event->arm, calls_of(self, local, event->key));
	return disarmed_add_site(event->arm);
}

static bool function_disarm(const struct tare_thread_file *self, const struct adapt_local *local)
{
	const struct tare_node *node = context_node(self->top);

	return node->stub > NODE_STUB_FORGOTTEN && os_flag_stubs_known() &&
	       disarmed_add(node->key, stub_addr(node->stub, 1), calls_of(self, local, node->key));
}

bool looks_at(const struct tare_thread_file *self, struct adapt_local *local,
	      const struct accumulate_event *event)
{
	const bool is_site = event->kind == TARE_EVENT_CALL && event->arm;

	if (!is_site && (event->kind != TARE_EVENT_ENTER || !local->looks))
		return false;
	const bool goes = target_goes(self, local, event);

	if ((!is_site && !goes) || !arming_lock())
		return false;
	const bool cleared =
		is_site ? site_disarm(self, local, event, goes) : function_disarm(self, local);

	arming_unlock();
	if (cleared && local->looks) {
		local->looks = LOOKS;
		local->looks_found = true;
	}
	return cleared;
}
