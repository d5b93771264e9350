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
#include "report/html/html_paths.h"

struct waits {
	struct html_paths paths;
	struct vec_of(uint64_t) ns; /* by node, of those that have some */
	uint64_t cut_ns;	    /* of samples that stand at a caller */
};

static void add_ns(struct waits *waits, uint32_t node, uint64_t ns)
{
	while (waits->ns.len <= node)
		vec_push(&waits->ns, 0);
	waits->ns.data[node] += ns;
}

static void take(struct waits *waits, const struct sample_value *value, bool waited)
{
	struct html_paths *paths = &waits->paths;
	const uint32_t waiting = (uint32_t)paths->analysis->functions.len;
	const bool idle = waited && analysis_stack_is_idle(paths->analysis, value->stack);
	bool room = true;
	uint32_t node = html_paths_thread(paths, value->thread);

	html_paths_read(paths, value->stack);
	if (idle)
		node = html_paths_node(paths, node, waiting + 1, &room);
	for (size_t i = paths->chain.len; i-- > 0 && room;)
		node = html_paths_node(paths, node, paths->chain.data[i], &room);
	if (waited && !idle && room)
		node = html_paths_node(paths, node, waiting, &room);
	add_ns(waits, node, value->weight);
	waits->cut_ns += room ? 0 : value->weight;
}

static bool take_event(struct waits *waits, int64_t event, bool waited, struct error *err)
{
	const struct analysis *analysis = waits->paths.analysis;
	struct sample_values values = {0};
	uint64_t truncated = 0;
	const bool ok = sample_values_load(analysis, (struct profile *)analysis->profile, event,
					   &values, &truncated, err);

	vec_foreach (value, &values)
		if (value->weight)
			take(waits, value, waited);
	vec_fini(&values);
	return ok;
}

static void pack_columns(struct html_pack *pack, const struct waits *waits)
{
	html_pack_key_number(pack, "waits_cut_ns", waits->cut_ns);
	html_paths_pack(&waits->paths, pack, "waits");
	html_pack_begin(pack);
	for (size_t i = 0; i < waits->paths.nodes.len; i++)
		html_pack_number(pack, i < waits->ns.len ? waits->ns.data[i] : 0);
	html_pack_end(pack, "waits.ns");
}

bool html_pack_waits_within(struct html_pack *pack, const struct analysis *analysis, size_t most,
			    struct error *err)
{
	const int64_t cpu = analysis_event_id(analysis->profile, "cpu-clock");
	const int64_t waited = analysis_event_id(analysis->profile, "off-cpu");
	struct waits waits = {0};

	if (!cpu || !waited)
		return true;
	html_paths_init(&waits.paths, analysis, most);
	const bool ok =
		take_event(&waits, cpu, false, err) && take_event(&waits, waited, true, err);
	if (ok && waits.paths.nodes.len)
		pack_columns(pack, &waits);
	vec_fini(&waits.ns);
	html_paths_fini(&waits.paths);
	return ok;
}

bool html_pack_waits(struct html_pack *pack, const struct analysis *analysis, struct error *err)
{
	return html_pack_waits_within(pack, analysis, HTML_WAITS_MAX, err);
}
