/*
 * Callgrind's profile format (valgrind.org/docs/manual/cl-format.html), for KCachegrind and
 * callgrind_annotate: per function its exclusive values, and for each callee the calls and their
 * inclusive values. Times are nanoseconds. Lines are those where functions begin, as nothing finer
 * is known of calls. Intervals with several calls of the same edge on the stack are counted once in
 * it, as data values have it.
 *
 * Edges are gathered in one walk over all trees; an edge is open while one of its calls is on the
 * path from the root to the node.
 */
#include "report/paths.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct edge {
	uint32_t caller, callee;		/* functions */
	uint64_t calls, sum[PATH_MEASURES_MAX]; /* inclusive, see paths_inclusive */
	uint32_t open;
};

struct function_edges {
	uint64_t exclusive[PATH_MEASURES_MAX];
	struct vec_of(uint32_t) edges;
};

struct callgrind {
	struct paths paths;
	const struct analysis *analysis;
	FILE *stream;
	struct vec_of(struct edge) edges;
	struct map edge_of;		  /* caller << 32 | callee → index + 1 */
	struct function_edges *functions; /* the last one is what is outside of all */
	bool *named;			  /* functions, then modules: written with their number */
	const char *command_line, **modules, **sources; /* safe; sources by function */
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

static void edge_enter(struct callgrind *callgrind, uint32_t node)
{
	const struct analysis_node *row = &callgrind->analysis->nodes.data[node];

	if (row->parent == ANALYSIS_NONE)
		return;
	struct edge *edge = edge_get(callgrind, function_of(callgrind, row->parent),
				     function_of(callgrind, node));
	edge->calls += row->values.calls;
	if (edge->open++)
		return;
	for (size_t i = 0; i < callgrind->paths.cost_count; i++)
		edge->sum[i] += paths_inclusive(&callgrind->paths, i, node);
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
		struct function_edges *function =
			&callgrind->functions[function_of(callgrind, path.node)];

		for (size_t i = 0; i < callgrind->paths.cost_count; i++)
			function->exclusive[i] += path.values[i];
	}
	for (uint32_t i = 0; i < analysis->nodes.len; i++)
		if (analysis->nodes.data[i].parent == ANALYSIS_NONE)
			walk_tree(callgrind, i);
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

/* Object and source are numbered behind the functions, by module and by function. */
static void write_function(struct callgrind *callgrind, uint32_t function, bool is_callee)
{
	const struct analysis *analysis = callgrind->analysis;
	const size_t functions = analysis->functions.len + 1;

	if (function < analysis->functions.len) {
		const struct analysis_function *row = &analysis->functions.data[function];

		write_name(callgrind, is_callee ? "cob" : "ob", functions + row->module,
			   callgrind->modules[row->module]);
		fprintf(callgrind->stream, "%s=%s\n", is_callee ? "cfi" : "fl",
			row->source ? callgrind->sources[function] : "???");
		write_name(callgrind, is_callee ? "cfn" : "fn", function,
			   callgrind->paths.names[function]);
	} else {
		fprintf(callgrind->stream, "%s=???\n%s=???\n", is_callee ? "cob" : "ob",
			is_callee ? "cfi" : "fl");
		write_name(callgrind, is_callee ? "cfn" : "fn", function, callgrind->paths.outside);
	}
}

static void write_edge(struct callgrind *callgrind, const struct edge *edge)
{
	write_function(callgrind, edge->callee, true);
	/* Of samples, and of calls in progress, at least one: after "calls=0" callgrind_annotate
	   takes the callee's cost for the caller's own. */
	fprintf(callgrind->stream, "calls=%" PRIu64 " %" PRId64 "\n%" PRId64,
		edge->calls ? edge->calls : 1, line_of(callgrind, edge->callee),
		line_of(callgrind, edge->caller));
	for (size_t i = 0; i < callgrind->paths.cost_count; i++)
		fprintf(callgrind->stream, " %" PRIu64,
			paths_in_unit(&callgrind->paths, i, edge->sum[i]));
	fputc('\n', callgrind->stream);
}

static void write_functions(struct callgrind *callgrind)
{
	for (uint32_t i = 0; i <= callgrind->analysis->functions.len; i++) {
		const struct function_edges *function = &callgrind->functions[i];
		uint64_t any = function->edges.len;

		for (size_t k = 0; k < callgrind->paths.cost_count; k++)
			any |= function->exclusive[k];
		if (!any)
			continue;
		fputc('\n', callgrind->stream);
		write_function(callgrind, i, false);
		fprintf(callgrind->stream, "%" PRId64, line_of(callgrind, i));
		for (size_t k = 0; k < callgrind->paths.cost_count; k++)
			fprintf(callgrind->stream, " %" PRIu64, function->exclusive[k]);
		fputc('\n', callgrind->stream);
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
	fputs("events:", callgrind->stream);
	for (size_t i = 0; i < paths->cost_count; i++) {
		fputc(' ', callgrind->stream);
		write_event_name(callgrind->stream, paths->measures[i].name);
	}
	for (uint32_t i = 0; i <= callgrind->analysis->functions.len; i++)
		for (size_t k = 0; k < paths->cost_count; k++)
			totals[k] += callgrind->functions[i].exclusive[k];
	fputs("\nsummary:", callgrind->stream);
	for (size_t i = 0; i < paths->cost_count; i++)
		fprintf(callgrind->stream, " %" PRIu64, totals[i]);
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
	callgrind.functions = mem_zalloc(count * sizeof(*callgrind.functions));
	callgrind.named = mem_zalloc(count + analysis->modules.len);
	gather(&callgrind);
	write_head(&callgrind);
	write_functions(&callgrind);
	for (size_t i = 0; i < count; i++)
		vec_fini(&callgrind.functions[i].edges);
	free(callgrind.functions);
	free(callgrind.named);
	map_fini(&callgrind.edge_of);
	vec_fini(&callgrind.edges);
	paths_close(&callgrind.paths);
	return true;
}
