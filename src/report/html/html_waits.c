/*
 * The tree of what `tare export --format=folded --waits` tells in lines: below each thread its call
 * paths with their ns of cpu-clock. What was waited at a path is a node of its own below it, as if
 * the function had called `waits`; and paths of idle waits stand below a node `idle` of the thread:
 *
 *   thread ─┬─ main ── work ─┬─ read ── (waits)
 *           │                └─ parse
 *           └─ (idle) ── main ── poll
 *
 * These two have the numbers behind those of the functions.
 */
#include "report/html/html_waits.h"

#include "analysis/sample_stacks.h"

struct wait_node {
	uint32_t parent, subject; /* parent NONE: a thread, which is the subject then */
	uint64_t ns;
};

struct waits {
	const struct analysis *analysis;
	const struct profile_stack *stacks;
	const struct profile_location *locations;
	struct map known; /* parent << 32 | subject → node */
	struct vec_of(struct wait_node) nodes;
	struct vec_of(uint32_t) chain; /* functions of a stack, innermost first */
	size_t most;
	uint64_t cut_ns; /* of samples that stand at a caller */
};

static uint32_t node_of(struct waits *waits, uint32_t parent, uint32_t subject, bool *room)
{
	const uint64_t key = (uint64_t)parent << 32 | subject;
	const uint64_t *known = map_get(&waits->known, key);

	if (known)
		return (uint32_t)*known;
	if (parent != ANALYSIS_NONE && waits->nodes.len >= waits->most) {
		*room = false;
		return parent;
	}
	map_put(&waits->known, key, waits->nodes.len);
	vec_push(&waits->nodes, ((struct wait_node){.parent = parent, .subject = subject}));
	return (uint32_t)waits->nodes.len - 1;
}

static void read_chain(struct waits *waits, int64_t stack)
{
	waits->chain.len = 0;
	for (int64_t at = stack; at; at = waits->stacks[at - 1].parent) {
		const struct profile_location *location =
			&waits->locations[waits->stacks[at - 1].location - 1];

		vec_push(&waits->chain, waits->analysis->function_of[location->function - 1]);
	}
}

static void take(struct waits *waits, const struct sample_value *value, bool waited)
{
	const uint32_t waiting = (uint32_t)waits->analysis->functions.len;
	const bool idle = waited && analysis_stack_is_idle(waits->analysis, value->stack);
	bool room = true;
	uint32_t node = node_of(waits, ANALYSIS_NONE, value->thread, &room);

	read_chain(waits, value->stack);
	if (idle)
		node = node_of(waits, node, waiting + 1, &room);
	for (size_t i = waits->chain.len; i-- > 0 && room;)
		node = node_of(waits, node, waits->chain.data[i], &room);
	if (waited && !idle && room)
		node = node_of(waits, node, waiting, &room);
	waits->nodes.data[node].ns += value->weight;
	waits->cut_ns += room ? 0 : value->weight;
}

static bool take_event(struct waits *waits, int64_t event, bool waited, struct error *err)
{
	struct sample_values values = {0};
	uint64_t truncated = 0;
	const bool ok =
		sample_values_load(waits->analysis, (struct profile *)waits->analysis->profile,
				   event, &values, &truncated, err);

	vec_foreach (value, &values)
		if (value->weight)
			take(waits, value, waited);
	vec_fini(&values);
	return ok;
}

static void pack_columns(struct html_pack *pack, const struct waits *waits)
{
	html_pack_key_number(pack, "waits_cut_ns", waits->cut_ns);
	html_pack_begin(pack);
	for (size_t i = 0; i < waits->nodes.len; i++) {
		const uint32_t parent = waits->nodes.data[i].parent;
		html_pack_number(pack, parent == ANALYSIS_NONE ? 0 : i - parent);
	}
	html_pack_end(pack, "waits.parent");
	html_pack_begin(pack);
	vec_foreach (node, &waits->nodes) {
		html_pack_number(pack, node->subject);
	}
	html_pack_end(pack, "waits.subject");
	html_pack_begin(pack);
	vec_foreach (node, &waits->nodes) {
		html_pack_number(pack, node->ns);
	}
	html_pack_end(pack, "waits.ns");
}

bool html_pack_waits_within(struct html_pack *pack, const struct analysis *analysis, size_t most,
			    struct error *err)
{
	const int64_t cpu = analysis_event_id(analysis->profile, "cpu-clock");
	const int64_t waited = analysis_event_id(analysis->profile, "off-cpu");
	struct waits waits = {.analysis = analysis, .most = most};
	size_t count;

	if (!cpu || !waited)
		return true;
	waits.stacks = profile_stacks(analysis->profile, &count);
	waits.locations = profile_locations(analysis->profile, &count);
	map_init(&waits.known);
	const bool ok =
		take_event(&waits, cpu, false, err) && take_event(&waits, waited, true, err);
	if (ok && waits.nodes.len)
		pack_columns(pack, &waits);
	vec_fini(&waits.nodes);
	vec_fini(&waits.chain);
	map_fini(&waits.known);
	return ok;
}

bool html_pack_waits(struct html_pack *pack, const struct analysis *analysis, struct error *err)
{
	return html_pack_waits_within(pack, analysis, HTML_WAITS_MAX, err);
}
