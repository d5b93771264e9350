/*
 * Call paths as columns: parents before children, exclusive values. Inclusive ones follow as sums
 * over subtrees; where paths have folded, what differs from such a sum is told beside.
 */
#include "report/html/html_tree.h"

#include <string.h>

/* The columns of the tables that have a value. */
struct quantity {
	const char *inclusive, *exclusive, *inclusive_percent, *exclusive_percent;
};

#define TIME(ID, name, ...)                                                                        \
	{                                                                                          \
#name "_inclusive", #name "_exclusive", #name "_inclusive_percent",                \
			#name "_exclusive_percent"                                                 \
	}

static const struct quantity quantities[] = {
	ANALYSIS_TIMES(TIME),
	[VALUE_SAMPLES] = {"inclusive_samples", "exclusive_samples", "inclusive_percent",
			   "exclusive_percent"},
	[VALUE_WEIGHT] = {"inclusive_weight", "exclusive_weight", "inclusive_weight_percent",
			  "exclusive_weight_percent"},
};
table_covers(quantities, ANALYSIS_VALUES);

static uint64_t amount_of(const struct analysis_node *node, enum analysis_value value,
			  enum analysis_side side)
{
	return node->values.amount[analysis_measure_of(value, side)];
}

/* ---- columns ---- */

/*
 * What the inclusive values have beyond the sums over subtrees; and what folded nodes add to their
 * functions' beyond their own.
 */
static void pack_beyond(struct html_pack *pack, const struct analysis *analysis,
			enum analysis_value value)
{
	const struct analysis_node *nodes = analysis->nodes.data;
	const size_t count = analysis->nodes.len;
	int64_t *beyond = mem_zalloc((count + 1) * sizeof(*beyond));

	for (size_t i = 0; i < count; i++) {
		const uint64_t all = amount_of(&nodes[i], value, INCLUSIVE);
		beyond[i] += (int64_t)(all - amount_of(&nodes[i], value, EXCLUSIVE));
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
	html_pack_end(pack, "tree.%s.beyond", analysis_value_infos[value].name);
	free(beyond);
}

static void pack_quantity(struct html_pack *pack, const struct analysis *analysis,
			  enum analysis_value value)
{
	html_pack_begin(pack);
	vec_foreach (node, &analysis->nodes) {
		html_pack_number(pack, amount_of(node, value, EXCLUSIVE));
	}
	html_pack_end(pack, "tree.%s", analysis_value_infos[value].name);
	pack_beyond(pack, analysis, value);
	html_pack_begin(pack);
	for (size_t i = 0; i < analysis->nodes.len; i++) {
		const struct analysis_node *node = &analysis->nodes.data[i];
		const int64_t elsewhere =
			node->folded ? analysis_folded_amount(&node->folded_time, value) : 0;
		if (!elsewhere)
			continue;
		html_pack_signed(pack, (int64_t)i);
		html_pack_signed(pack, elsewhere);
	}
	html_pack_end(pack, "tree.%s.elsewhere", analysis_value_infos[value].name);
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
		str_printf(&pack->json, "%s\"%s\":", cause ? "," : "{",
			   analysis_causes[cause].name);
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
		html_pack_number(
			pack,
			(node->folded ? 1u : 0) |
				(analysis_calls_are(&node->values) == ANALYSIS_CALLS_AT_LEAST ? 2u
											      : 0));
	}
	html_pack_end(pack, "tree.flags");
}

/* ---- what the columns are ---- */

static const char *title_of(const struct analysis *analysis, enum analysis_value value)
{
	const struct profile_event *event = analysis->event;

	if (analysis_value_infos[value].title)
		return analysis_value_infos[value].title;
	return event && event->name && event->name[0] ? event->name : "Events";
}

/* "": a number of something. Weights of events may be times. */
static const char *unit_of(const struct analysis *analysis, enum analysis_value value)
{
	if (value < ANALYSIS_TIME_VALUES)
		return "ticks";
	return value == VALUE_WEIGHT && analysis->event && analysis->event->unit
		       ? analysis->event->unit
		       : "";
}

static void pack_description(struct html_pack *pack, const struct analysis *analysis,
			     enum analysis_value value)
{
	const struct quantity *quantity = &quantities[value];

	str_printf(&pack->json, "{\"name\":\"%s\",\"title\":", analysis_value_infos[value].name);
	html_json_text(&pack->json, title_of(analysis, value));
	str_append(&pack->json, ",\"unit\":");
	html_json_text(&pack->json, unit_of(analysis, value));
	str_printf(&pack->json,
		   ",\"total\":%llu,\"inclusive\":\"%s\",\"exclusive\":\"%s\","
		   "\"inclusive_percent\":\"%s\",\"exclusive_percent\":\"%s\"}",
		   (unsigned long long)analysis_total(analysis, value), quantity->inclusive,
		   quantity->exclusive, quantity->inclusive_percent, quantity->exclusive_percent);
}

/* Returns where the first one is then. */
static size_t sort_values(enum analysis_value *values, size_t count)
{
	size_t at = 0;

	for (; at + 1 < count && values[at + 1] < values[at]; at++) {
		const enum analysis_value first = values[at];
		values[at] = values[at + 1];
		values[at + 1] = first;
	}
	return at;
}

void html_pack_tree(struct html_pack *pack, const struct analysis *analysis)
{
	enum analysis_value values[ANALYSIS_VALUES];
	const size_t count = analysis_shown_values(analysis, values);
	size_t ranking = 0;

	/* Times stand in an order of their own, whichever is ranked by. */
	if (analysis->method == ANALYSIS_INSTRUMENT)
		ranking = sort_values(values, count);
	html_pack_key_number(pack, "ranking", ranking);
	html_pack_key(pack, "quantities");
	str_append(&pack->json, "[");
	for (size_t i = 0; i < count; i++) {
		str_append(&pack->json, i ? "," : "");
		pack_description(pack, analysis, values[i]);
		pack_quantity(pack, analysis, values[i]);
	}
	str_append(&pack->json, "]");
	pack_causes(pack, analysis);
	pack_nodes(pack, analysis);
}
