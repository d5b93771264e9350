/*
 * Call paths as columns: parents before children, exclusive values. Inclusive ones follow as sums
 * over subtrees; where paths have folded, what differs from such a sum is told beside.
 */
#include "report/html_tree.h"

#include <string.h>

/* What values are measured in; each has an inclusive and an exclusive one. */
enum quantity_kind { ELAPSED, APPLICATION, SAMPLES, WEIGHT };

struct quantity {
	enum quantity_kind kind;
	const char *name, *unit; /* unit "": a number of something */
	/* columns of the tables */
	const char *inclusive, *exclusive, *inclusive_percent, *exclusive_percent;
};

static const struct quantity quantities[] = {
	[ELAPSED] = {ELAPSED, "elapsed", "ticks", "elapsed_inclusive", "elapsed_exclusive",
		     "elapsed_inclusive_percent", "elapsed_exclusive_percent"},
	[APPLICATION] = {APPLICATION, "application", "ticks", "application_inclusive",
			 "application_exclusive", "application_inclusive_percent",
			 "application_exclusive_percent"},
	[SAMPLES] = {SAMPLES, "samples", "", "inclusive_samples", "exclusive_samples",
		     "inclusive_percent", "exclusive_percent"},
	[WEIGHT] = {WEIGHT, "weight", "", "inclusive_weight", "exclusive_weight",
		    "inclusive_weight_percent", "exclusive_weight_percent"},
};

static uint64_t value_of(const struct analysis_values *values, enum quantity_kind kind,
			 bool inclusive)
{
	const struct analysis_samples *samples = &values->samples;

	switch (kind) {
	case ELAPSED:
		return values->ticks[inclusive ? ELAPSED_INCLUSIVE : ELAPSED_EXCLUSIVE];
	case APPLICATION:
		return values->ticks[inclusive ? APPLICATION_INCLUSIVE : APPLICATION_EXCLUSIVE];
	case SAMPLES:
		return inclusive ? samples->inclusive : samples->exclusive;
	case WEIGHT:
		return inclusive ? samples->inclusive_weight : samples->exclusive_weight;
	}
	return 0;
}

static uint64_t total_of(const struct analysis *analysis, enum quantity_kind kind)
{
	const struct analysis_totals *totals = &analysis->totals;
	const uint64_t all[] = {[ELAPSED] = totals->elapsed,
				[APPLICATION] = totals->application,
				[SAMPLES] = totals->samples.kept,
				[WEIGHT] = totals->samples.weight};

	return all[kind];
}

/* Ends with -1. What a profile is ranked by comes first. */
static const int *quantities_of(const struct analysis *analysis)
{
	static const int calls[] = {ELAPSED, APPLICATION, -1};
	static const int samples[] = {SAMPLES, WEIGHT, -1}, weights[] = {WEIGHT, SAMPLES, -1};

	if (analysis->method != ANALYSIS_SAMPLE)
		return calls;
	return analysis->by_weight ? weights : samples;
}

/* ---- columns ---- */

/*
 * What the inclusive values have beyond the sums over subtrees; and what folded nodes add to their
 * functions' beyond their own.
 */
static void pack_beyond(struct html_pack *pack, const struct analysis *analysis,
			const struct quantity *quantity)
{
	const struct analysis_node *nodes = analysis->nodes.data;
	const size_t count = analysis->nodes.len;
	int64_t *beyond = mem_zalloc((count + 1) * sizeof(*beyond));

	for (size_t i = 0; i < count; i++) {
		const uint64_t all = value_of(&nodes[i].values, quantity->kind, true);
		beyond[i] += (int64_t)(all - value_of(&nodes[i].values, quantity->kind, false));
		if (nodes[i].parent != ANALYSIS_NONE && !nodes[i].folded)
			beyond[nodes[i].parent] -= (int64_t)all;
	}
	html_pack_begin(pack);
	for (size_t i = 0; i < count; i++) {
		if (!beyond[i])
			continue;
		html_pack_signed(pack, (int64_t)i);
		html_pack_signed(pack, beyond[i]);
	}
	html_pack_end(pack, "tree.%s.beyond", quantity->name);
	free(beyond);
}

static int64_t elsewhere(const struct analysis_node *node, enum quantity_kind kind)
{
	const struct analysis_folded_time *time = &node->folded_time;

	if (!node->folded || kind == SAMPLES || kind == WEIGHT)
		return 0;
	return kind == ELAPSED ? time->application + time->os : time->application;
}

static void pack_quantity(struct html_pack *pack, const struct analysis *analysis,
			  const struct quantity *quantity)
{
	html_pack_begin(pack);
	vec_foreach (node, &analysis->nodes) {
		html_pack_number(pack, value_of(&node->values, quantity->kind, false));
	}
	html_pack_end(pack, "tree.%s", quantity->name);
	pack_beyond(pack, analysis, quantity);
	html_pack_begin(pack);
	for (size_t i = 0; i < analysis->nodes.len; i++) {
		const int64_t value = elsewhere(&analysis->nodes.data[i], quantity->kind);
		if (!value)
			continue;
		html_pack_signed(pack, (int64_t)i);
		html_pack_signed(pack, value);
	}
	html_pack_end(pack, "tree.%s.elsewhere", quantity->name);
}

/* OS time of threads by cause: the page's first view needs no more of it. */
static void pack_os_of_threads(struct html_pack *pack, const struct analysis *analysis)
{
	uint64_t *sums = mem_zalloc((analysis->threads.len + 1) * sizeof(*sums));

	for (int cause = 0; cause < TARE_OS_CAUSES; cause++) {
		memset(sums, 0, analysis->threads.len * sizeof(*sums));
		vec_foreach (node, &analysis->nodes)
			sums[node->thread] += node->values.os_ticks[cause];
		html_pack_begin(pack);
		for (size_t i = 0; i < analysis->threads.len; i++)
			html_pack_number(pack, sums[i]);
		html_pack_end(pack, "thread.os.%s", analysis_causes[cause].name);
	}
	free(sums);
}

/* Of all causes, in their order, which is that of the page's colours. */
static void pack_cause_titles(struct html_pack *pack)
{
	html_pack_key(pack, "cause_titles");
	for (int cause = 0; cause < TARE_OS_CAUSES; cause++) {
		str_printf(&pack->json, "%s\"%s\":", cause ? "," : "{", analysis_causes[cause].name);
		html_json_text(&pack->json, analysis_causes[cause].words);
	}
	str_append(&pack->json, "}");
}

static void pack_causes(struct html_pack *pack, const struct analysis *analysis)
{
	pack_cause_titles(pack);
	html_pack_key(pack, "causes");
	str_append(&pack->json, "[");
	for (int cause = 0; cause < TARE_OS_CAUSES; cause++) {
		const char *name = analysis_causes[cause].name;
		if (analysis->method == ANALYSIS_SAMPLE)
			break;
		str_printf(&pack->json, "%s\"%s\"", cause ? "," : "", name);
		html_pack_begin(pack);
		vec_foreach (node, &analysis->nodes) {
			html_pack_number(pack, node->values.os_ticks[cause]);
		}
		html_pack_end(pack, "tree.os.%s", name);
	}
	str_append(&pack->json, "]");
	if (analysis->method != ANALYSIS_SAMPLE)
		pack_os_of_threads(pack, analysis);
}

static void pack_nodes(struct html_pack *pack, const struct analysis *analysis)
{
	html_pack_begin(pack);
	for (size_t i = 0; i < analysis->nodes.len; i++) {
		const uint32_t parent = analysis->nodes.data[i].parent;
		html_pack_number(pack, parent == ANALYSIS_NONE ? 0 : i - parent);
	}
	html_pack_end(pack, "tree.parent");
	html_pack_begin(pack);
	vec_foreach (node, &analysis->nodes) {
		html_pack_number(pack,
				 node->parent == ANALYSIS_NONE ? node->thread : node->function);
	}
	html_pack_end(pack, "tree.subject");
	html_pack_begin(pack);
	vec_foreach (node, &analysis->nodes) {
		html_pack_number(pack, node->values.calls);
	}
	html_pack_end(pack, "tree.calls");
	html_pack_begin(pack);
	vec_foreach (node, &analysis->nodes) {
		html_pack_number(pack, (node->folded ? 1u : 0) | (node->values.disarmed ? 2u : 0));
	}
	html_pack_end(pack, "tree.flags");
}

/* ---- what the columns are ---- */

static const char *title_of(const struct analysis *analysis, enum quantity_kind kind)
{
	const struct profile_event *event = analysis->event;

	switch (kind) {
	case ELAPSED:
		return "Elapsed";
	case APPLICATION:
		return "Application";
	case SAMPLES:
		return "Samples";
	case WEIGHT:
		break;
	}
	return event && event->name && event->name[0] ? event->name : "Events";
}

/* Weights of events may be times. */
static const char *unit_of(const struct analysis *analysis, const struct quantity *quantity)
{
	const struct profile_event *event = analysis->event;

	return quantity->kind == WEIGHT && event && event->unit ? event->unit : quantity->unit;
}

static void pack_description(struct html_pack *pack, const struct analysis *analysis,
			     const struct quantity *quantity)
{
	str_printf(&pack->json, "{\"name\":\"%s\",\"title\":", quantity->name);
	html_json_text(&pack->json, title_of(analysis, quantity->kind));
	str_append(&pack->json, ",\"unit\":");
	html_json_text(&pack->json, unit_of(analysis, quantity));
	str_printf(&pack->json,
		   ",\"total\":%llu,\"inclusive\":\"%s\",\"exclusive\":\"%s\","
		   "\"inclusive_percent\":\"%s\",\"exclusive_percent\":\"%s\"}",
		   (unsigned long long)total_of(analysis, quantity->kind), quantity->inclusive,
		   quantity->exclusive, quantity->inclusive_percent, quantity->exclusive_percent);
}

void html_pack_tree(struct html_pack *pack, const struct analysis *analysis)
{
	const int *kinds = quantities_of(analysis);

	html_pack_key(pack, "quantities");
	str_append(&pack->json, "[");
	for (int i = 0; kinds[i] >= 0; i++) {
		str_append(&pack->json, i ? "," : "");
		pack_description(pack, analysis, &quantities[kinds[i]]);
		pack_quantity(pack, analysis, &quantities[kinds[i]]);
	}
	str_append(&pack->json, "]");
	pack_causes(pack, analysis);
	pack_nodes(pack, analysis);
}
