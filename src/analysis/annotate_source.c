/*
 * Source lines of a function with their samples. A frame of the function stands at a line; below
 * it, as a tree, what was inlined there:
 *
 *      line 57 ── helper, parse.c:30 ── push_back, stl_vector.h:1280
 *
 * A node is inclusive where a frame stands in it or below, and exclusive where it executes, so that
 * a line's inlined calls are in its inclusive value as its real ones are.
 */
#include "analysis/annotator.h"

#include "analysis/demangle.h"
#include "analysis/executions.h"

#include <string.h>

/* A line, by the path of lines that it was inlined through. */
struct node {
	uint32_t parent; /* ANALYSIS_NONE: of the function itself */
	uint32_t depth;
	int64_t source; /* 0: unknown */
	uint32_t line;
	const char *symbol;
	struct analysis_place values;
};

struct children vec_of(uint32_t);

struct source_builder {
	struct annotator *annotator;
	const struct annotated *target;
	struct vec_of(struct node) nodes;
	struct strmap known; /* node's key → index */
	struct location_places places;
	struct arena arena;
};

static uint32_t node_at(struct source_builder *builder, uint32_t parent,
			const struct profile_location_line *row)
{
	const char *symbol = row->function ? row->function : "";
	const char *key =
		arena_printf(&builder->arena, "%u:%lld:%u:%s", parent, (long long)row->source,
			     row->line, parent == ANALYSIS_NONE ? "" : symbol);
	const uint64_t index = *strmap_put(&builder->known, key, builder->nodes.len);

	if (index == builder->nodes.len) {
		const uint32_t depth =
			parent == ANALYSIS_NONE ? 0 : builder->nodes.data[parent].depth + 1;
		vec_push(&builder->nodes, ((struct node){.parent = parent,
							 .depth = depth,
							 .source = row->source,
							 .line = row->line,
							 .symbol = symbol}));
	}
	return (uint32_t)index;
}

/* Whether rows[i] of `count` lines of a location is a frame of the target. */
static bool is_frame(const struct source_builder *builder, uint32_t function,
		     const struct profile_location_line *rows, uint32_t i, uint32_t count)
{
	const struct annotated *target = builder->target;
	const struct analysis *analysis = builder->annotator->analysis;

	if (i + 1 == count)
		return function == target->function;
	return rows[i].function && target->symbol[0] &&
	       strcmp(rows[i].function, target->symbol) == 0 &&
	       analysis->functions.data[function].module == target->module;
}

static void add_location(struct source_builder *builder, uint32_t function,
			 const struct profile_location_line *rows, uint32_t count)
{
	static const struct profile_location_line unknown;

	if (!count && function == builder->target->function)
		vec_push(&builder->places.at, node_at(builder, ANALYSIS_NONE, &unknown));
	for (uint32_t i = count; i-- > 0;) {
		uint32_t node = ANALYSIS_NONE;
		if (!is_frame(builder, function, rows, i, count))
			continue;
		for (uint32_t inner = i + 1; inner-- > 0;) {
			node = node_at(builder, node, &rows[inner]);
			vec_push(&builder->places.at, node);
		}
	}
}

static void count_nodes(struct source_builder *builder)
{
	const struct analysis *analysis = builder->annotator->analysis;
	const uint32_t *first = builder->annotator->first_line;
	size_t count, lines_count;
	const struct profile_location *locations = profile_locations(analysis->profile, &count);
	const struct profile_location_line *lines =
		profile_location_lines(analysis->profile, &lines_count);

	location_places_init(&builder->places, analysis);
	for (size_t i = 0; i < count; i++) {
		add_location(builder, analysis->function_of[locations[i].function - 1],
			     lines ? lines + first[i] : NULL, first[i + 1] - first[i]);
		location_places_end(&builder->places, i);
	}
	builder->places.count = (uint32_t)builder->nodes.len;
	struct analysis_place *values = mem_zalloc((builder->nodes.len + 1) * sizeof(*values));
	analysis_places_count(analysis, &builder->places, values);
	for (size_t i = 0; i < builder->nodes.len; i++)
		builder->nodes.data[i].values = values[i];
	free(values);
}

/* Lines that were executed without a sample: those of the file that declares the function. */
static void add_executed(struct source_builder *builder)
{
	const struct analysis *analysis = builder->annotator->analysis;
	const uint32_t target = builder->target->function;
	size_t count;
	const struct profile_source *sources = profile_sources(analysis->profile, &count);

	if (!analysis->executions || target == ANALYSIS_NONE ||
	    !analysis->functions.data[target].source)
		return;
	vec_foreach (line, &analysis->executions->lines) {
		const struct profile_location_line row = {.source = line->source,
							  .line = line->line};
		if (line->function != target ||
		    strcmp(sources[line->source - 1].path,
			   analysis->functions.data[target].source) != 0)
			continue;
		/* It may move the nodes, so it is called first. */
		const uint32_t index = node_at(builder, ANALYSIS_NONE, &row);
		struct node *node = &builder->nodes.data[index];
		node->values.has_executions = true;
		node->values.executions = line->count;
	}
}

/* ---- rows ---- */

static const char *source_path(const struct source_builder *builder, int64_t source)
{
	size_t count;

	return source ? profile_sources(builder->annotator->analysis->profile, &count)[source - 1]
				.path
		      : NULL;
}

static struct annotation_row row_of(struct source_builder *builder, const struct node *node)
{
	const struct annotated *target = builder->target;
	struct annotation_row row = {
		.kind = node->depth ? ANNOTATION_INLINED : ANNOTATION_LINE,
		.name = node->depth ? analysis_demangle(&builder->annotator->annotation->arena,
							node->symbol)
				    : target->name,
		.module = target->module,
		.depth = node->depth,
		.source = source_path(builder, node->source),
		.line = node->line,
		.values = node->values};

	row.values.has_executions =
		analysis_line_executions(builder->annotator->analysis, node->source, node->line,
					 target->function, &row.values.executions);
	return row;
}

/* ---- inlined code ---- */

/* The run-time libraries' own sources: nobody who reads the annotation can change them. */
static bool is_system_source(const char *path)
{
	static const char *const begins[] = {"/usr/include/", "/usr/local/include/", "/usr/lib/",
					     "/rustc/"};

	for (size_t i = 0; path && i < sizeof(begins) / sizeof(begins[0]); i++)
		if (str_starts_with(path, begins[i]))
			return true;
	return path && strstr(path, "/include/c++/");
}

/* The inclusive value that rows are ranked by. */
static uint64_t ranking_amount(const struct source_builder *builder, uint32_t node)
{
	const struct analysis *analysis = builder->annotator->analysis;
	const enum analysis_measure measure =
		analysis_measure_of(analysis_ranking_value(analysis), INCLUSIVE);

	return builder->nodes.data[node].values.amount[measure - analysis_place_base(analysis)];
}

/* Few enough for a search per node. The largest one comes first, of equals the one met first. */
static void children_of(const struct source_builder *builder, uint32_t parent,
			struct children *children)
{
	for (uint32_t i = parent + 1; i < builder->nodes.len; i++) {
		const struct node *node = &builder->nodes.data[i];
		const uint64_t amount = ranking_amount(builder, i);
		size_t at = children->len;

		if (node->parent != parent || !analysis_place_is_used(&node->values))
			continue;
		vec_push(children, i);
		for (; at && ranking_amount(builder, children->data[at - 1]) < amount; at--)
			children->data[at] = children->data[at - 1];
		children->data[at] = i;
	}
}

/* Takes what stands below the node into the row: its own values, as the rows that have them are
   left out, and how many those are. */
static void take_below(const struct source_builder *builder, uint32_t node,
		       struct annotation_row *row)
{
	struct children children = {0};

	children_of(builder, node, &children);
	vec_foreach (child, &children) {
		const struct analysis_place *values = &builder->nodes.data[*child].values;

		for (size_t i = EXCLUSIVE; i < ANALYSIS_PLACE_MEASURES; i += ANALYSIS_SIDES)
			row->values.amount[i] += values->amount[i];
		row->left_out++;
		take_below(builder, *child, row);
	}
	vec_fini(&children);
}

/* Below one percent of all. */
static bool is_small(const struct source_builder *builder, uint32_t node)
{
	const struct analysis *analysis = builder->annotator->analysis;

	return ranking_amount(builder, node) <
	       analysis_total(analysis, analysis_ranking_value(analysis)) / 100;
}

/* One row for the children from `from` on. */
static void add_rest(struct source_builder *builder, const struct children *children, size_t from)
{
	const struct node *first = &builder->nodes.data[children->data[from]];
	struct annotation_row rest = {.kind = ANNOTATION_SMALL,
				      .name = builder->target->name,
				      .module = builder->target->module,
				      .depth = first->depth};

	for (size_t i = from; i < children->len; i++) {
		const struct analysis_place *values =
			&builder->nodes.data[children->data[i]].values;

		for (size_t m = 0; m < ANALYSIS_PLACE_MEASURES; m++)
			rest.values.amount[m] += values->amount[m];
		rest.values.calls += values->calls;
		for (int k = 0; k < ANALYSIS_TIME_VALUES; k++)
			rest.values.called[k] += values->called[k];
		take_below(builder, children->data[i], &rest);
	}
	rest.left_out = children->len - from;
	vec_push(&builder->annotator->annotation->rows, rest);
}

/* What was inlined. Where not all is wanted, the insides of run-time libraries are one row, and
   what is small is one row. */
static void add_children(struct source_builder *builder, uint32_t parent)
{
	const bool whole = builder->annotator->options->context == UINT32_MAX;
	struct children children = {0};

	children_of(builder, parent, &children);
	for (size_t i = 0; i < children.len; i++) {
		const uint32_t child = children.data[i];

		if (!whole && i + 1 < children.len && is_small(builder, child)) {
			add_rest(builder, &children, i);
			break;
		}
		struct annotation_row row = row_of(builder, &builder->nodes.data[child]);
		const bool is_closed =
			!whole && (is_system_source(row.source) || is_small(builder, child));

		if (is_closed)
			take_below(builder, child, &row);
		vec_push(&builder->annotator->annotation->rows, row);
		if (!is_closed)
			add_children(builder, child);
	}
	vec_fini(&children);
}

/* ---- lines ---- */

struct extent {
	uint32_t first, last;
};

/* What debug information says of the file; NULL: nothing. */
static const struct annotation_extent *known_extent(const struct annotator *annotator,
						    const char *path)
{
	const struct annotation_whole *whole = annotator->options->whole;

	for (size_t i = 0; whole && i < whole->extent_count; i++)
		if (strcmp(whole->extents[i].source, path) == 0)
			return &whole->extents[i];
	return NULL;
}

/* By the lines that are near, of those that debug information knows. */
static struct extent widened(const struct annotator *annotator, const char *path,
			     struct extent extent)
{
	enum { NEAR = 20000 };
	const struct annotation_extent *known = known_extent(annotator, path);

	if (!known || !extent.last)
		return extent;
	if (known->first < extent.first && extent.first - known->first < NEAR)
		extent.first = known->first;
	if (known->last > extent.last && known->last - extent.last < NEAR)
		extent.last = known->last;
	return extent;
}

/* The lines to show of a file: from the declaration on, if it is there. */
static struct extent extent_of(const struct source_builder *builder, int64_t source)
{
	const struct annotator *annotator = builder->annotator;
	const char *path = source_path(builder, source);
	struct extent extent = {UINT32_MAX, 0};

	vec_foreach (node, &builder->nodes) {
		if (node->depth || node->source != source || !node->line)
			continue;
		if (node->line < extent.first)
			extent.first = node->line;
		if (node->line > extent.last)
			extent.last = node->line;
	}
	if (builder->target->function == ANALYSIS_NONE || !path)
		return extent;
	const struct analysis_function *function =
		&annotator->analysis->functions.data[builder->target->function];
	if (function->source && strcmp(function->source, path) == 0 && function->line > 0 &&
	    function->line < extent.first && extent.first - function->line < 10000)
		extent.first = (uint32_t)function->line;
	return widened(annotator, path, extent);
}

static void add_line(struct source_builder *builder, const struct source_text *text, int64_t source,
		     uint32_t number)
{
	struct annotation *annotation = builder->annotator->annotation;
	struct node empty = {.parent = ANALYSIS_NONE, .source = source, .line = number};
	uint32_t found = ANALYSIS_NONE;
	size_t length;
	const char *bytes = text ? source_text_line(text, number, &length) : NULL;

	for (uint32_t i = 0; i < builder->nodes.len && found == ANALYSIS_NONE; i++)
		if (!builder->nodes.data[i].depth && builder->nodes.data[i].source == source &&
		    builder->nodes.data[i].line == number)
			found = i;
	if (!text && found == ANALYSIS_NONE)
		return;
	struct annotation_row row =
		row_of(builder, found == ANALYSIS_NONE ? &empty : &builder->nodes.data[found]);
	if (bytes)
		row.text = arena_strndup(&annotation->arena, bytes, length);
	vec_push(&annotation->rows, row);
	if (found != ANALYSIS_NONE)
		add_children(builder, found);
}

static void open_source(struct source_builder *builder, const char *path, struct source_text *text,
			bool *opened)
{
	struct annotator *annotator = builder->annotator;
	const int64_t recorded = profile_session(annotator->analysis->profile)->begin_unix_ns;
	const struct annotation_whole *whole = annotator->options->whole;
	struct error err;

	if (whole && !whole->reads_any && !known_extent(annotator, path)) {
		annotator_note(annotator,
			       "the text of %s is left out: no debug information on this machine "
			       "names it for this function; --embed-source=all trusts the profile",
			       path);
		return;
	}
	*opened = source_text_open(text, &annotator->prefixes, path, &err);
	if (!*opened)
		annotator_note(annotator, "%s; --source-path=FROM=TO says where sources are",
			       err.message);
	else if (text->modified_unix_ns > recorded)
		annotator_note(annotator,
			       "%s was changed after the recording: its lines may have "
			       "moved",
			       text->path);
}

/* Characters before the line's first one that is no blank; SIZE_MAX: it has none. */
static size_t indentation(const struct source_text *text, uint32_t line)
{
	size_t length, at = 0;
	const char *bytes = source_text_line(text, line, &length);

	while (bytes && at < length && (bytes[at] == ' ' || bytes[at] == '\t'))
		at++;
	return bytes && at < length && bytes[at] != '\r' ? at : SIZE_MAX;
}

/* Whether a bracket that is indented no more than the function's first line ends the function. */
static bool closes(const struct source_text *text, uint32_t first, uint32_t line)
{
	const size_t at = indentation(text, line), outer = indentation(text, first);
	size_t length;

	return at != SIZE_MAX && outer != SIZE_MAX && at <= outer &&
	       source_text_line(text, line, &length)[at] == '}';
}

/* Where another function of the file begins behind the line; UINT32_MAX: none is known. */
static uint32_t next_function(const struct source_builder *builder, const char *path, uint32_t line)
{
	uint32_t next = UINT32_MAX;

	vec_foreach (function, &builder->annotator->analysis->functions)
		if (function->source && function->line > line && function->line < next &&
		    strcmp(function->source, path) == 0)
			next = (uint32_t)function->line;
	return next;
}

/* The lines after the last one that is known are shown too, but none of what follows the function.
 */
static uint32_t last_shown(const struct source_builder *builder, const struct source_text *text,
			   const char *path, struct extent extent)
{
	enum { AFTER = 2 };
	const uint32_t next = next_function(builder, path, extent.last);
	uint32_t last = extent.last;

	while (last - extent.last < AFTER && last < text->starts.len && last + 1 < next &&
	       !(last > extent.first && closes(text, extent.first, last)))
		last++;
	return last;
}

static void add_source(struct source_builder *builder, int64_t source)
{
	enum { LINES_MAX = 100000 };
	struct annotation *annotation = builder->annotator->annotation;
	const char *path = source_path(builder, source);
	struct extent extent = extent_of(builder, source);
	struct source_text text = {0};
	bool opened = false;
	const size_t from = annotation->rows.len;

	if (path)
		open_source(builder, path, &text, &opened);
	if (opened && extent.last)
		extent.last = last_shown(builder, &text, path, extent);
	if (!extent.last || extent.last - extent.first > LINES_MAX) {
		/* No line is known, or they are too far apart: only those with samples. */
		for (uint32_t i = 0; i < builder->nodes.len; i++) {
			const struct node *node = &builder->nodes.data[i];
			if (node->depth || node->source != source)
				continue;
			vec_push(&annotation->rows, row_of(builder, node));
			add_children(builder, i);
		}
	}
	for (uint32_t i = extent.first; i <= extent.last && extent.last - extent.first <= LINES_MAX;
	     i++)
		add_line(builder, opened ? &text : NULL, source, i);
	if (annotation->rows.len > from)
		annotation->rows.data[from].heading =
			arena_printf(&annotation->arena, "%s  %s", builder->target->name,
				     path ? path : "(lines not known)");
	annotator_leave_out(builder->annotator, from);
	if (opened)
		source_text_close(&text);
}

bool annotate_source(struct annotator *annotator, const struct annotated *target)
{
	struct source_builder builder = {.annotator = annotator, .target = target};
	struct vec_of(int64_t) sources = {0};
	bool any = false;

	strmap_init(&builder.known);
	arena_init(&builder.arena);
	count_nodes(&builder);
	add_executed(&builder);
	vec_foreach (node, &builder.nodes)
		any = any || (!node->depth && node->source);
	for (size_t i = 0; i < builder.nodes.len && any; i++) {
		const struct node *node = &builder.nodes.data[i];
		bool seen = node->depth || !analysis_place_is_used(&node->values);
		vec_foreach (source, &sources)
			seen = seen || *source == node->source;
		if (seen)
			continue;
		vec_push(&sources, node->source);
		add_source(&builder, node->source);
	}
	vec_fini(&sources);
	location_places_fini(&builder.places);
	strmap_fini(&builder.known);
	arena_fini(&builder.arena);
	vec_fini(&builder.nodes);
	return any;
}
