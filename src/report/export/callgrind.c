/*
 * Callgrind's profile format (valgrind.org/docs/manual/cl-format.html), for KCachegrind and
 * callgrind_annotate: per function its exclusive values, and for each callee the calls and their
 * inclusive values. Times are nanoseconds. Values stand at the source lines that are known of
 * samples, and of calls with call sites; the rest where its function begins. Intervals with several
 * calls of the same edge on the stack are counted once in it, as data values have it: at the line
 * of the outermost of these calls. Of recordings with --lines the last event is Ir, the
 * instructions executed, as callgrind itself counts them; calls of one function stand for its
 * average one.
 *
 * Edges are gathered in one walk over all trees; an edge is open while one of its calls is on the
 * path from the root to the node.
 */
#include "analysis/executed_code.h"
#include "analysis/node_lines.h"
#include "report/export/paths.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* A source line; the first one is that where a function begins, whichever it is. */
struct place {
	uint32_t source, line;
};

/* What a function has at a place: values of its own, or an edge's calls and inclusive values. */
struct costs {
	uint32_t place; /* index */
	struct place at;
	uint64_t calls, sum[PATH_MEASURES_MAX]; /* of edges: see paths_inclusive */
	uint64_t instructions;
};

struct costs_list vec_of(struct costs);

struct edge {
	uint32_t caller, callee; /* functions */
	uint32_t open;
	struct costs_list parts;
};

struct function_edges {
	struct costs_list own;
	struct vec_of(uint32_t) edges;
};

struct callgrind {
	struct paths paths;
	const struct analysis *analysis;
	FILE *stream;
	struct vec_of(struct place) places;
	struct map place_of; /* source << 32 | line → index */
	struct vec_of(struct edge) edges;
	struct map edge_of;		  /* caller << 32 | callee → index + 1 */
	struct map own_of, part_of;	  /* function, edge << 32 | place → index in its list */
	struct function_edges *functions; /* the last one is what is outside of all */
	bool *named;			  /* functions, then modules: written with their number */
	struct strmap files;		  /* source → number, of those that were written */
	const char *file;		  /* the one that lines are of at this point */
	const char *command_line, **modules, **sources; /* safe; sources by function */
	const char **line_sources;			/* by source of the profile */
	struct executed_code code;
	bool has_code; /* the code's instructions are known */
};

static uint32_t function_of(const struct callgrind *callgrind, uint32_t node)
{
	const uint32_t function = callgrind->analysis->nodes.data[node].function;

	return function == ANALYSIS_NONE ? (uint32_t)callgrind->analysis->functions.len : function;
}

/* ---- gathering ---- */

static struct edge *edge_get(struct callgrind *callgrind, uint32_t caller, uint32_t callee)
{
	uint64_t *index = map_put(&callgrind->edge_of, (uint64_t)caller << 32 | callee, 0);

	if (!*index) {
		const struct edge edge = {.caller = caller, .callee = callee};

		vec_push(&callgrind->edges, edge);
		*index = callgrind->edges.len;
		vec_push(&callgrind->functions[caller].edges, (uint32_t)(*index - 1));
	}
	return &callgrind->edges.data[*index - 1];
}

static uint32_t place_get(struct callgrind *callgrind, const struct analysis_node_line *row)
{
	if (!row || row->source == ANALYSIS_NONE)
		return 0;
	const uint64_t fresh = callgrind->places.len;
	const uint64_t place =
		*map_put(&callgrind->place_of, (uint64_t)row->source << 32 | row->line, fresh);

	if (place == fresh)
		vec_push(&callgrind->places, ((struct place){row->source, row->line}));
	return (uint32_t)place;
}

/* What `owner`, a function or an edge, has at the line of `row`. */
static struct costs *costs_get(struct callgrind *callgrind, struct map *known,
			       struct costs_list *list, uint32_t owner,
			       const struct analysis_node_line *row)
{
	const uint32_t place = place_get(callgrind, row);
	const uint64_t fresh = list->len;
	const uint64_t index = *map_put(known, (uint64_t)owner << 32 | place, fresh);

	if (index == fresh)
		vec_push(list,
			 ((struct costs){.place = place, .at = callgrind->places.data[place]}));
	return &list->data[index];
}

/* What a measure is shared among lines by; they are those of the method shown. */
static uint64_t weight_of(const struct callgrind *callgrind, const struct analysis_node_line *line,
			  size_t measure)
{
	const enum analysis_value first = callgrind->analysis->method == ANALYSIS_SAMPLE
						  ? ANALYSIS_FIRST_SAMPLED
						  : VALUE_ELAPSED;

	return line->values.amount[analysis_measure_of(
		callgrind->paths.measures[measure].value - first, INCLUSIVE)];
}

/* Hands a value out to rows by their weights, to the last unit; to the first where all are zero. */
struct sharing {
	uint64_t value, all, served;
};

static uint64_t sharing_next(struct sharing *sharing, uint64_t weight)
{
	if (!sharing->all) {
		const uint64_t value = sharing->value;
		sharing->value = 0;
		return value;
	}
	const uint64_t before =
		(uint64_t)((__uint128_t)sharing->value * sharing->served / sharing->all);
	sharing->served += weight;
	return (uint64_t)((__uint128_t)sharing->value * sharing->served / sharing->all) - before;
}

/* A node's values, and calls, at its lines. */
struct spread {
	struct sharing calls, instructions, sum[PATH_MEASURES_MAX];
	const struct analysis_node_line *rows;
	size_t count; /* at least 1; rows is NULL where none is known */
};

static struct spread spread_begin(const struct callgrind *callgrind, uint32_t node, bool called,
				  uint64_t calls, const uint64_t *values)
{
	const struct analysis_node_lines *lines = callgrind->analysis->node_lines;
	struct spread spread = {0};

	if (lines)
		spread.rows = analysis_lines_of_node(called ? &lines->called : &lines->own, node,
						     &spread.count);
	spread.calls.value = calls;
	for (size_t i = 0; i < spread.count; i++)
		spread.calls.all += spread.rows[i].values.calls;
	spread.instructions.all = spread.calls.all;
	for (size_t i = 0; i < callgrind->paths.cost_count; i++) {
		spread.sum[i].value = values[i];
		for (size_t k = 0; k < spread.count; k++)
			spread.sum[i].all += weight_of(callgrind, &spread.rows[k], i);
	}
	if (!spread.rows)
		spread.count = 1;
	return spread;
}

static void spread_next(const struct callgrind *callgrind, struct spread *spread, size_t row,
			struct costs *to)
{
	const struct analysis_node_line *line = spread->rows ? &spread->rows[row] : NULL;

	to->calls += sharing_next(&spread->calls, line ? line->values.calls : 0);
	to->instructions += sharing_next(&spread->instructions, line ? line->values.calls : 0);
	for (size_t i = 0; i < callgrind->paths.cost_count; i++)
		to->sum[i] +=
			sharing_next(&spread->sum[i], line ? weight_of(callgrind, line, i) : 0);
}

static void edge_enter(struct callgrind *callgrind, uint32_t node)
{
	const struct analysis_node *row = &callgrind->analysis->nodes.data[node];
	uint64_t values[PATH_MEASURES_MAX] = {0};

	if (row->parent == ANALYSIS_NONE)
		return;
	struct edge *edge = edge_get(callgrind, function_of(callgrind, row->parent),
				     function_of(callgrind, node));
	const bool is_outermost = !edge->open++;
	for (size_t i = 0; is_outermost && i < callgrind->paths.cost_count; i++)
		values[i] = paths_inclusive(&callgrind->paths, i, node);
	struct spread spread = spread_begin(callgrind, node, true, row->values.calls, values);
	if (is_outermost && callgrind->has_code)
		spread.instructions.value = callgrind->code.inclusive[node];
	for (size_t i = 0; i < spread.count; i++)
		spread_next(callgrind, &spread, i,
			    costs_get(callgrind, &callgrind->part_of, &edge->parts,
				      (uint32_t)(edge - callgrind->edges.data),
				      spread.rows ? &spread.rows[i] : NULL));
}

static void edge_leave(struct callgrind *callgrind, uint32_t node)
{
	const struct analysis_node *row = &callgrind->analysis->nodes.data[node];

	if (row->parent != ANALYSIS_NONE)
		edge_get(callgrind, function_of(callgrind, row->parent),
			 function_of(callgrind, node))
			->open--;
}

/* Down to the first child, else on to the next sibling of the nearest node that has one. */
static void walk_tree(struct callgrind *callgrind, uint32_t root)
{
	const struct analysis_node *nodes = callgrind->analysis->nodes.data;
	uint32_t at = root;

	for (;;) {
		edge_enter(callgrind, at);
		if (nodes[at].first_child != ANALYSIS_NONE) {
			at = nodes[at].first_child;
			continue;
		}
		edge_leave(callgrind, at);
		while (at != root && nodes[at].next_sibling == ANALYSIS_NONE) {
			at = nodes[at].parent;
			edge_leave(callgrind, at);
		}
		if (at == root)
			return;
		at = nodes[at].next_sibling;
	}
}

static void gather(struct callgrind *callgrind)
{
	const struct analysis *analysis = callgrind->analysis;
	struct path path;

	while (paths_next(&callgrind->paths, &path)) {
		const uint32_t function = function_of(callgrind, path.node);
		struct spread spread = spread_begin(callgrind, path.node, false, 0, path.values);

		for (size_t i = 0; i < spread.count; i++)
			spread_next(callgrind, &spread, i,
				    costs_get(callgrind, &callgrind->own_of,
					      &callgrind->functions[function].own, function,
					      spread.rows ? &spread.rows[i] : NULL));
	}
	for (uint32_t i = 0; i < analysis->nodes.len; i++)
		if (analysis->nodes.data[i].parent == ANALYSIS_NONE)
			walk_tree(callgrind, i);
	vec_foreach (cost, &callgrind->code.costs) {
		const struct analysis_node_line at = {.source = cost->source, .line = cost->line};
		costs_get(callgrind, &callgrind->own_of, &callgrind->functions[cost->function].own,
			  cost->function, &at)
			->instructions += cost->instructions;
	}
}

/* ---- writing ---- */

/* KIND=(NUMBER) NAME, the name only where the number stands for the first time. */
static void write_name(struct callgrind *callgrind, const char *kind, size_t number,
		       const char *name)
{
	fprintf(callgrind->stream, "%s=(%zu)", kind, number + 1);
	if (!callgrind->named[number])
		fprintf(callgrind->stream, " %s", name);
	callgrind->named[number] = true;
	fputc('\n', callgrind->stream);
}

static int64_t line_of(const struct callgrind *callgrind, uint32_t function)
{
	const struct analysis *analysis = callgrind->analysis;

	return function < analysis->functions.len ? analysis->functions.data[function].line : 0;
}

/* KIND=(NUMBER) NAME, of a source. */
static void write_file(struct callgrind *callgrind, const char *kind, const char *name)
{
	const uint64_t fresh = callgrind->files.len + 1;
	const uint64_t number = *strmap_put(&callgrind->files, name, fresh);

	fprintf(callgrind->stream, number == fresh ? "%s=(%" PRIu64 ") %s\n" : "%s=(%" PRIu64 ")\n",
		kind, number, name);
}

static const char *file_of(const struct callgrind *callgrind, uint32_t function)
{
	const struct analysis *analysis = callgrind->analysis;
	const bool known =
		function < analysis->functions.len && analysis->functions.data[function].source;

	return known ? callgrind->sources[function] : "???";
}

/* Objects are numbered behind the functions. */
static void write_function(struct callgrind *callgrind, uint32_t function, bool is_callee)
{
	const struct analysis *analysis = callgrind->analysis;
	const size_t functions = analysis->functions.len + 1;
	const bool known = function < analysis->functions.len;

	if (known) {
		const uint32_t module = analysis->functions.data[function].module;
		write_name(callgrind, is_callee ? "cob" : "ob", functions + module,
			   callgrind->modules[module]);
	} else {
		fprintf(callgrind->stream, "%s=???\n", is_callee ? "cob" : "ob");
	}
	write_file(callgrind, is_callee ? "cfi" : "fl", file_of(callgrind, function));
	write_name(callgrind, is_callee ? "cfn" : "fn", function,
		   known ? callgrind->paths.names[function] : callgrind->paths.outside);
}

/* The line of a place in `function`, after its file where that is another than before. */
static void write_place(struct callgrind *callgrind, uint32_t function, const struct costs *costs)
{
	const char *own = file_of(callgrind, function);
	const char *file = costs->place ? callgrind->line_sources[costs->at.source] : own;

	if (strcmp(file, callgrind->file) != 0)
		write_file(callgrind, strcmp(file, own) == 0 ? "fe" : "fi", file);
	callgrind->file = file;
}

static void write_costs(struct callgrind *callgrind, uint32_t function, const struct costs *costs,
			const uint64_t *values)
{
	if (costs->place)
		fprintf(callgrind->stream, "%" PRIu32, costs->at.line);
	else
		fprintf(callgrind->stream, "%" PRId64, line_of(callgrind, function));
	for (size_t i = 0; i < callgrind->paths.cost_count; i++)
		fprintf(callgrind->stream, " %" PRIu64, values[i]);
	if (callgrind->has_code)
		fprintf(callgrind->stream, " %" PRIu64, costs->instructions);
	fputc('\n', callgrind->stream);
}

/* By line, those of a source together; what has no line of its own first. */
static int compare_costs(const void *a, const void *b)
{
	const struct costs *x = a, *y = b;

	if (x->at.source != y->at.source)
		return x->at.source < y->at.source ? -1 : 1;
	return x->at.line < y->at.line ? -1 : x->at.line > y->at.line;
}

/* The parts in the measures' units add up to the edge's. */
static void write_edge(struct callgrind *callgrind, struct edge *edge)
{
	uint64_t before[PATH_MEASURES_MAX] = {0};

	vec_sort(&edge->parts, compare_costs);
	vec_foreach (part, &edge->parts) {
		uint64_t values[PATH_MEASURES_MAX];
		for (size_t i = 0; i < callgrind->paths.cost_count; i++) {
			const uint64_t sum = before[i] + part->sum[i];
			values[i] = paths_in_unit(&callgrind->paths, i, sum) -
				    paths_in_unit(&callgrind->paths, i, before[i]);
			before[i] = sum;
		}
		write_place(callgrind, edge->caller, part);
		write_function(callgrind, edge->callee, true);
		/* Of samples, and of calls in progress, at least one: after "calls=0"
		   callgrind_annotate takes the callee's cost for the caller's own. */
		fprintf(callgrind->stream, "calls=%" PRIu64 " %" PRId64 "\n",
			part->calls ? part->calls : 1, line_of(callgrind, edge->callee));
		write_costs(callgrind, edge->caller, part, values);
	}
}

static void write_functions(struct callgrind *callgrind)
{
	for (uint32_t i = 0; i <= callgrind->analysis->functions.len; i++) {
		struct function_edges *function = &callgrind->functions[i];
		const struct costs none = {0};

		if (!function->edges.len && !function->own.len)
			continue;
		fputc('\n', callgrind->stream);
		write_function(callgrind, i, false);
		callgrind->file = file_of(callgrind, i);
		if (!function->own.len)
			write_costs(callgrind, i, &none, none.sum);
		vec_sort(&function->own, compare_costs);
		vec_foreach (costs, &function->own) {
			write_place(callgrind, i, costs);
			write_costs(callgrind, i, costs, costs->sum);
		}
		vec_foreach (edge, &function->edges)
			write_edge(callgrind, &callgrind->edges.data[*edge]);
	}
}

/* Letters and digits, as the format has it. */
static void write_event_name(FILE *stream, const char *name)
{
	for (; *name; name++)
		fputc(isalnum((unsigned char)*name) ? *name : '_', stream);
}

static void write_head(struct callgrind *callgrind)
{
	uint64_t totals[PATH_MEASURES_MAX] = {0};
	const struct paths *paths = &callgrind->paths;

	fprintf(callgrind->stream,
		"# callgrind format\nversion: 1\ncreator: tare " TARE_VERSION "\n"
		"cmd: %s\npositions: line\n",
		callgrind->command_line);
	for (size_t i = 0; i < paths->cost_count; i++) {
		fputs("event: ", callgrind->stream);
		write_event_name(callgrind->stream, paths->measures[i].name);
		fprintf(callgrind->stream, " : %s, %s\n", paths->measures[i].name,
			paths->measures[i].unit);
	}
	if (callgrind->has_code)
		fputs("event: Ir : instructions executed\n", callgrind->stream);
	fputs("events:", callgrind->stream);
	for (size_t i = 0; i < paths->cost_count; i++) {
		fputc(' ', callgrind->stream);
		write_event_name(callgrind->stream, paths->measures[i].name);
	}
	if (callgrind->has_code)
		fputs(" Ir", callgrind->stream);
	for (uint32_t i = 0; i <= callgrind->analysis->functions.len; i++)
		vec_foreach (costs, &callgrind->functions[i].own)
			for (size_t k = 0; k < paths->cost_count; k++)
				totals[k] += costs->sum[k];
	fputs("\nsummary:", callgrind->stream);
	for (size_t i = 0; i < paths->cost_count; i++)
		fprintf(callgrind->stream, " %" PRIu64, totals[i]);
	if (callgrind->has_code)
		fprintf(callgrind->stream, " %" PRIu64, callgrind->code.total);
	fputc('\n', callgrind->stream);
}

static void make_names(struct callgrind *callgrind)
{
	const struct analysis *analysis = callgrind->analysis;
	struct arena *arena = &callgrind->paths.arena;

	callgrind->command_line =
		paths_text(&callgrind->paths, profile_session(analysis->profile)->command_line);
	callgrind->modules = arena_array(arena, const char *, analysis->modules.len + 1);
	for (size_t i = 0; i < analysis->modules.len; i++)
		callgrind->modules[i] =
			paths_text(&callgrind->paths, analysis->modules.data[i].path);
	callgrind->sources = arena_array(arena, const char *, analysis->functions.len + 1);
	for (size_t i = 0; i < analysis->functions.len; i++)
		callgrind->sources[i] =
			paths_text(&callgrind->paths, analysis->functions.data[i].source);
	size_t count;
	const struct profile_source *sources = profile_sources(analysis->profile, &count);
	callgrind->line_sources = arena_array(arena, const char *, count + 1);
	for (size_t i = 0; i < count; i++)
		callgrind->line_sources[i] = paths_text(&callgrind->paths, sources[i].path);
}

static void callgrind_fini(struct callgrind *callgrind)
{
	for (size_t i = 0; i <= callgrind->analysis->functions.len; i++) {
		vec_fini(&callgrind->functions[i].own);
		vec_fini(&callgrind->functions[i].edges);
	}
	vec_foreach (edge, &callgrind->edges)
		vec_fini(&edge->parts);
	free(callgrind->functions);
	free(callgrind->named);
	map_fini(&callgrind->edge_of);
	map_fini(&callgrind->own_of);
	map_fini(&callgrind->part_of);
	map_fini(&callgrind->place_of);
	strmap_fini(&callgrind->files);
	vec_fini(&callgrind->edges);
	vec_fini(&callgrind->places);
	executed_code_free(&callgrind->code);
	paths_close(&callgrind->paths);
}

bool paths_write_callgrind(const struct analysis *analysis, const struct export_options *options,
			   FILE *stream, struct error *err)
{
	struct callgrind callgrind = {.analysis = analysis, .stream = stream};
	const size_t count = analysis->functions.len + 1;

	if (!paths_open(&callgrind.paths, analysis, options->measure, err))
		return false;
	make_names(&callgrind);
	map_init(&callgrind.edge_of);
	map_init(&callgrind.own_of);
	map_init(&callgrind.part_of);
	map_init(&callgrind.place_of);
	strmap_init(&callgrind.files);
	vec_push(&callgrind.places, (struct place){0});
	callgrind.functions = mem_zalloc(count * sizeof(*callgrind.functions));
	callgrind.named = mem_zalloc(count + analysis->modules.len);
	callgrind.has_code = analysis->method == ANALYSIS_INSTRUMENT &&
			     executed_code_load(&callgrind.code, analysis);
	gather(&callgrind);
	write_head(&callgrind);
	write_functions(&callgrind);
	callgrind_fini(&callgrind);
	return true;
}
