/*
 * The processed profile of the Firefox Profiler, version 47 (github.com/firefox-devtools/profiler,
 * docs-developer/CHANGELOG-formats.md; newer ones upgrade it when they load it): per thread a tree
 * of stacks, which is the thread's call tree, and samples, which are its call paths with their
 * exclusive value as weight. Calls have no times of their own, so samples stand one after the
 * other, each as long as its value.
 */
#include "report/json_string.h"
#include "report/paths.h"

#include <inttypes.h>

enum { FORMAT_VERSION = 47, GECKO_VERSION = 27, RESOURCE_LIBRARY = 1 };

struct firefox {
	struct paths paths;
	FILE *stream;
	size_t measure;
	uint32_t *stack_of;		    /* node → number in its thread's table of stacks */
	struct vec_of(uint32_t) nodes;	    /* of the thread, in the order of its stacks */
	struct vec_of(struct path) samples; /* of the thread */
};

static bool is_time(const struct firefox *firefox)
{
	return firefox->paths.measures[firefox->measure].unit[0] == 'n';
}

/* Milliseconds with all digits of nanoseconds. */
static void write_ms(FILE *stream, uint64_t ns)
{
	fprintf(stream, "%" PRIu64 ".%06u", ns / 1000000, (unsigned)(ns % 1000000));
}

/* "key":[ item of 0, item of 1, … ], */
#define WRITE_COLUMN(firefox, key, count, ...)                                                     \
	do {                                                                                       \
		fprintf((firefox)->stream, "\"%s\":[", key);                                       \
		for (size_t i = 0; i < (size_t)(count); i++) {                                     \
			if (i)                                                                     \
				fputc(',', (firefox)->stream);                                     \
			__VA_ARGS__;                                                               \
		}                                                                                  \
		fputs("],\n", (firefox)->stream);                                                  \
	} while (0)

static void write_repeated(const struct firefox *firefox, const char *key, size_t count,
			   const char *what)
{
	WRITE_COLUMN(firefox, key, count, fputs(what, firefox->stream));
}

/* Frames, functions and texts: i is function i; the last one is outside of all functions. */
static void write_functions(struct firefox *firefox)
{
	const struct analysis *analysis = firefox->paths.analysis;
	const size_t functions = analysis->functions.len, count = functions + 1;
	FILE *stream = firefox->stream;

	fputs("\"frameTable\":{", stream);
	WRITE_COLUMN(firefox, "address", count,
		     fprintf(stream, "%" PRId64,
			     i < functions ? (int64_t)analysis->functions.data[i].link_addr : -1));
	write_repeated(firefox, "inlineDepth", count, "0");
	write_repeated(firefox, "category", count, "0");
	write_repeated(firefox, "subcategory", count, "0");
	WRITE_COLUMN(firefox, "func", count, fprintf(stream, "%zu", i));
	write_repeated(firefox, "nativeSymbol", count, "null");
	write_repeated(firefox, "innerWindowID", count, "0");
	write_repeated(firefox, "implementation", count, "null");
	write_repeated(firefox, "line", count, "null");
	write_repeated(firefox, "column", count, "null");
	fprintf(stream, "\"length\":%zu},\n\"funcTable\":{", count);
	write_repeated(firefox, "isJS", count, "false");
	write_repeated(firefox, "relevantForJS", count, "false");
	WRITE_COLUMN(firefox, "name", count, fprintf(stream, "%zu", i));
	WRITE_COLUMN(firefox, "resource", count,
		     fprintf(stream, "%d",
			     i < functions ? (int)analysis->functions.data[i].module : -1));
	write_repeated(firefox, "fileName", count, "null");
	WRITE_COLUMN(firefox, "lineNumber", count,
		     i < functions && analysis->functions.data[i].line > 0
			     ? (void)fprintf(stream, "%" PRId64, analysis->functions.data[i].line)
			     : (void)fputs("null", stream));
	write_repeated(firefox, "columnNumber", count, "null");
	fprintf(stream, "\"length\":%zu},\n\"resourceTable\":{", count);
	WRITE_COLUMN(firefox, "lib", analysis->modules.len, fprintf(stream, "%zu", i));
	WRITE_COLUMN(firefox, "name", analysis->modules.len, fprintf(stream, "%zu", count + i));
	write_repeated(firefox, "host", analysis->modules.len, "null");
	WRITE_COLUMN(firefox, "type", analysis->modules.len,
		     fprintf(stream, "%d", RESOURCE_LIBRARY));
	fprintf(stream, "\"length\":%zu},\n", analysis->modules.len);
	fputs("\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],"
	      "\"length\":0},\n\"stringArray\":[",
	      stream);
	for (size_t i = 0; i < count; i++) {
		json_write_string(stream,
				  i < functions ? firefox->paths.names[i] : firefox->paths.outside);
		fputs(",\n", stream);
	}
	for (size_t i = 0; i < analysis->modules.len; i++) {
		json_write_string(stream, analysis->modules.data[i].name);
		fputs(i + 1 < analysis->modules.len ? ",\n" : "", stream);
	}
	fputs(analysis->modules.len ? "]" : "\"\"]", stream);
}

/* Parents precede their children, as in the nodes. */
static void write_stacks(struct firefox *firefox)
{
	const struct analysis_node *nodes = firefox->paths.analysis->nodes.data;
	const size_t functions = firefox->paths.analysis->functions.len;
	FILE *stream = firefox->stream;

	fputs("\"stackTable\":{", stream);
	WRITE_COLUMN(
		firefox, "frame", firefox->nodes.len,
		const uint32_t function = nodes[firefox->nodes.data[i]].function;
		fprintf(stream, "%zu", function == ANALYSIS_NONE ? functions : (size_t)function));
	WRITE_COLUMN(firefox, "prefix", firefox->nodes.len,
		     const uint32_t parent = nodes[firefox->nodes.data[i]].parent;
		     if (parent == ANALYSIS_NONE || nodes[parent].parent == ANALYSIS_NONE)
			     fputs("null", stream);
		     else fprintf(stream, "%" PRIu32, firefox->stack_of[parent]));
	write_repeated(firefox, "category", firefox->nodes.len, "0");
	write_repeated(firefox, "subcategory", firefox->nodes.len, "0");
	fprintf(stream, "\"length\":%zu},\n", firefox->nodes.len);
}

static void write_samples(struct firefox *firefox)
{
	FILE *stream = firefox->stream;
	const size_t count = firefox->samples.len, measure = firefox->measure;
	const bool time = is_time(firefox);
	uint64_t now = 0;

	fprintf(stream, "\"samples\":{\"weightType\":\"%s\",\n", time ? "tracing-ms" : "samples");
	WRITE_COLUMN(firefox, "stack", count,
		     fprintf(stream, "%" PRIu32, firefox->stack_of[firefox->samples.data[i].node]));
	WRITE_COLUMN(firefox, "time", count, write_ms(stream, now);
		     now += time ? firefox->samples.data[i].values[measure] : 1000000);
	WRITE_COLUMN(firefox, "weight", count,
		     const uint64_t value = firefox->samples.data[i].values[measure];
		     if (time) write_ms(stream, value); else fprintf(stream, "%" PRIu64, value));
	fprintf(stream, "\"length\":%zu},\n", count);
}

/* The nodes of a thread but its root, and its paths with a value. */
static void gather_thread(struct firefox *firefox, uint32_t thread, size_t *order)
{
	const struct analysis *analysis = firefox->paths.analysis;
	struct path path;

	firefox->nodes.len = firefox->samples.len = 0;
	for (; *order < analysis->nodes.len; ++*order) {
		const uint32_t node = firefox->paths.order[*order];
		const struct analysis_node *row = &analysis->nodes.data[node];

		if (row->thread != thread)
			break;
		firefox->stack_of[node] = (uint32_t)firefox->nodes.len;
		vec_push(&firefox->nodes, node);
	}
	while (paths_next_of(&firefox->paths, thread, &path))
		if (path.values[firefox->measure])
			vec_push(&firefox->samples, path);
}

/*
 * An id as text. Programs that a process executed one after the other are told apart: the later
 * ones are "ID.1", "ID.2", …, as other importers have it.
 */
static void write_id(const struct firefox *firefox, int64_t id, uint32_t process)
{
	const struct analysis *analysis = firefox->paths.analysis;
	const int64_t pid = analysis->processes.data[process].row->pid;
	unsigned before = 0;

	for (uint32_t i = 0; i < process; i++)
		before += analysis->processes.data[i].row->pid == pid;
	fprintf(firefox->stream, "\"%" PRId64, id);
	if (before)
		fprintf(firefox->stream, ".%u", before);
	fputc('"', firefox->stream);
}

static void write_thread(struct firefox *firefox, uint32_t index)
{
	const struct analysis *analysis = firefox->paths.analysis;
	const struct analysis_thread *thread = &analysis->threads.data[index];
	const struct profile_process *process = analysis->processes.data[thread->process].row;
	FILE *stream = firefox->stream;

	fputs("{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
	      "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"name\":",
	      stream);
	json_write_string(stream, thread->row->name);
	fprintf(stream, ",\"isMainThread\":%s,\"pid\":",
		thread->row->tid == process->pid ? "true" : "false");
	write_id(firefox, process->pid, thread->process);
	fputs(",\"tid\":", stream);
	write_id(firefox, thread->row->tid, thread->process);
	fputs(",\"processName\":", stream);
	json_write_string(stream, process->name);
	fputs(",\n\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[]"
	      ","
	      "\"category\":[],\"length\":0},\n",
	      stream);
	write_samples(firefox);
	write_stacks(firefox);
	write_functions(firefox);
	fputc('}', stream);
}

static void write_meta(struct firefox *firefox)
{
	const struct analysis *analysis = firefox->paths.analysis;
	const struct profile_session *session = profile_session(analysis->profile);
	FILE *stream = firefox->stream;

	fprintf(stream,
		"{\"meta\":{\"interval\":1,\"startTime\":%" PRId64
		",\"processType\":0,\"stackwalk\":1,\"version\":%d,"
		"\"preprocessedProfileVersion\":%d,\"symbolicated\":true,\"product\":",
		session->begin_unix_ns / 1000000, GECKO_VERSION, FORMAT_VERSION);
	json_write_string(stream, session->command_line);
	fputs(",\"importedFrom\":\"tare " TARE_VERSION "\",\"oscpu\":", stream);
	json_write_string(stream, session->system);
	fputs(",\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":"
	      "[\"Other\"]}],\"markerSchema\":[]},\n\"libs\":[",
	      stream);
	for (size_t i = 0; i < analysis->modules.len; i++) {
		const struct analysis_module *module = &analysis->modules.data[i];

		fputs(i ? ",\n{\"name\":" : "{\"name\":", stream);
		json_write_string(stream, module->name);
		fputs(",\"path\":", stream);
		json_write_string(stream, module->path);
		fputs(",\"debugName\":", stream);
		json_write_string(stream, module->name);
		fputs(",\"debugPath\":", stream);
		json_write_string(stream, module->path);
		fputs(",\"breakpadId\":\"\",\"codeId\":", stream);
		json_write_string(stream, module->build_id);
		fputs(",\"arch\":\"x86_64\"}", stream);
	}
	fputs("],\n\"pages\":[],\"threads\":[", stream);
}

bool paths_write_firefox(const struct analysis *analysis, const struct export_options *options,
			 FILE *stream, struct error *err)
{
	struct firefox firefox = {.stream = stream};
	size_t order = 0;
	bool any = false;

	if (!paths_open(&firefox.paths, analysis, options->measure, err))
		return false;
	firefox.measure = firefox.paths.first_measure;
	firefox.stack_of = mem_zalloc((analysis->nodes.len + 1) * sizeof(*firefox.stack_of));
	write_meta(&firefox);
	for (uint32_t i = 0; i < analysis->threads.len; i++) {
		gather_thread(&firefox, i, &order);
		if (!firefox.samples.len)
			continue;
		fputs(any ? ",\n" : "\n", stream);
		any = true;
		write_thread(&firefox, i);
	}
	fputs("]}\n", stream);
	free(firefox.stack_of);
	vec_fini(&firefox.nodes);
	vec_fini(&firefox.samples);
	paths_close(&firefox.paths);
	return true;
}
