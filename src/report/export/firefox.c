/*
 * The processed profile of the Firefox Profiler, version 47 (github.com/firefox-devtools/profiler,
 * docs-developer/CHANGELOG-formats.md; newer ones upgrade it when they load it): per thread a tree
 * of stacks, which is the thread's call tree, and samples, which are its call paths with their
 * exclusive value as weight. Calls have no times of their own, so samples stand one after the
 * other from the thread's begin on, each as long as its value. Threads, marks and CPU use have the
 * times at which they were; states of threads, where they are known, are markers.
 */
#include "report/export/paths.h"
#include "report/export/states.h"
#include "report/words/json_string.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { FORMAT_VERSION = 47, GECKO_VERSION = 27, RESOURCE_LIBRARY = 1 };

enum category { CATEGORY_OTHER, CATEGORY_APPLICATION, CATEGORY_SYSTEM, CATEGORY_KERNEL };

static const char categories[] =
	"\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Application\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"System libraries\",\"color\":\"blue\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}]";

/* What the markers' data are; a mark without text has its number as name. */
static const char marker_schema[] =
	"\"markerSchema\":[{\"name\":\"tare mark\",\"display\":[\"marker-chart\",\"marker-table\","
	"\"timeline-overview\"],\"tooltipLabel\":\"{marker.name}\",\"tableLabel\":\"{marker.name}"
	"\","
	"\"chartLabel\":\"{marker.name}\",\"data\":[{\"key\":\"number\",\"label\":\"Number\","
	"\"format\":\"integer\"}]},"
	"{\"name\":\"tare state\",\"display\":[\"marker-chart\",\"marker-table\"],\"tooltipLabel\":"
	"\"{marker.name}\",\"tableLabel\":\"{marker.name} {marker.data.object}\",\"chartLabel\":"
	"\"{marker.data.object}\",\"data\":["
	"{\"key\":\"ticks\",\"label\":\"Ticks\",\"format\":\"integer\"},"
	"{\"key\":\"intervals\",\"label\":\"Intervals\",\"format\":\"integer\"},"
	"{\"key\":\"system call\",\"label\":\"System call\",\"format\":\"string\"},"
	"{\"key\":\"object\",\"label\":\"Object\",\"format\":\"string\"},"
	"{\"key\":\"function\",\"label\":\"Function\",\"format\":\"string\"},"
	"{\"key\":\"caller\",\"label\":\"Caller\",\"format\":\"string\"},"
	"{\"key\":\"held by\",\"label\":\"Held by\",\"format\":\"string\"},"
	"{\"key\":\"held in\",\"label\":\"Held in\",\"format\":\"string\"},"
	"{\"key\":\"ended by\",\"label\":\"Ended by\",\"format\":\"string\"},"
	"{\"key\":\"ended in\",\"label\":\"Ended in\",\"format\":\"string\"}]}]";

struct mark {
	int64_t thread, number; /* thread: its id; 0: made from outside */
	const char *name;	/* NULL: none */
	uint64_t ns;
};

/* CPU time that a process used since its point before. */
struct cpu_point {
	int64_t process; /* its id */
	uint64_t ns, cpu_ns;
};

struct firefox {
	struct paths paths;
	FILE *stream;
	size_t measure;
	uint32_t *stack_of;		    /* node → number in its thread's table of stacks */
	struct vec_of(uint32_t) nodes;	    /* of the thread, in the order of its stacks */
	struct vec_of(struct path) samples; /* of the thread */
	struct vec_of(struct mark) marks, own_marks; /* of all; of the thread */
	struct states states;
	struct vec_of(struct state_slice) slices; /* of the thread */
	uint32_t written;			  /* threads */
	uint32_t *main_of; /* by process: number of the first thread written, plus 1 */
	struct vec_of(struct cpu_point) cpu; /* those of a process together */
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

static uint64_t since_begin(const struct firefox *firefox, uint64_t ticks)
{
	const struct analysis *analysis = firefox->paths.analysis;
	const uint64_t begin = profile_session(analysis->profile)->begin_ticks;

	return ticks > begin ? analysis_ns(analysis, ticks - begin) : 0;
}

static enum category category_of(const struct firefox *firefox, uint32_t function)
{
	const struct analysis *analysis = firefox->paths.analysis;

	if (function >= analysis->functions.len)
		return CATEGORY_OTHER;
	const struct analysis_module *module =
		&analysis->modules.data[analysis->functions.data[function].module];
	if (analysis_is_kernels(module->path))
		return CATEGORY_KERNEL;
	return module->system ? CATEGORY_SYSTEM : CATEGORY_APPLICATION;
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

static void write_mark_name(const struct firefox *firefox, const struct mark *mark)
{
	if (mark->name && mark->name[0])
		json_write_string(firefox->stream, mark->name);
	else
		fprintf(firefox->stream, "\"#%" PRId64 "\"", mark->number);
}

static void write_state_data(struct firefox *firefox, const struct state_slice *slice)
{
	fputs("{\"type\":\"tare state\",", firefox->stream);
	state_write_json(&firefox->states, slice, firefox->stream);
	fputc('}', firefox->stream);
}

enum { MARKER_POINT, MARKER_INTERVAL }; /* phases */

/*
 * Marks, then states. Their names stand behind those of functions and modules: first those of all
 * states, then one per mark.
 */
static void write_markers(struct firefox *firefox)
{
	const struct analysis *analysis = firefox->paths.analysis;
	const size_t marks = firefox->own_marks.len, count = marks + firefox->slices.len;
	const size_t state_names = analysis->functions.len + 1 + analysis->modules.len;
	const struct mark *mark = firefox->own_marks.data;
	const struct state_slice *slice = firefox->slices.data;
	FILE *stream = firefox->stream;

	fputs("\"markers\":{", stream);
	WRITE_COLUMN(firefox, "data", count,
		     if (i < marks)
			     fprintf(stream, "{\"type\":\"tare mark\",\"number\":%" PRId64 "}",
				     mark[i].number);
		     else write_state_data(firefox, &slice[i - marks]));
	WRITE_COLUMN(firefox, "name", count,
		     fprintf(stream, "%zu",
			     state_names + (i < marks ? STATE_KINDS + i
						      : (size_t)slice[i - marks].kind)));
	WRITE_COLUMN(firefox, "startTime", count,
		     write_ms(stream, i < marks ? mark[i].ns : slice[i - marks].begin_ns));
	WRITE_COLUMN(firefox, "endTime", count, if (i < marks) fputs("null", stream);
		     else write_ms(stream, slice[i - marks].end_ns));
	WRITE_COLUMN(firefox, "phase", count,
		     fprintf(stream, "%d", i < marks ? MARKER_POINT : MARKER_INTERVAL));
	write_repeated(firefox, "category", count, "1");
	fprintf(stream, "\"length\":%zu},\n", count);
}

/* Frames, functions and texts: i is function i; the last one is outside of all functions. */
static void write_functions(struct firefox *firefox)
{
	const struct analysis *analysis = firefox->paths.analysis;
	const size_t functions = analysis->functions.len, count = functions + 1;
	FILE *stream = firefox->stream;

	fputs("\"frameTable\":{", stream);
	WRITE_COLUMN(firefox, "address", count,
		     const uint64_t addr =
			     i < functions ? analysis->functions.data[i].link_addr : UINT64_MAX;
		     /* Numbers of JSON that JavaScript knows exactly; the kernel's are larger. */
		     fprintf(stream, "%" PRId64, addr >> 53 ? -1 : (int64_t)addr));
	write_repeated(firefox, "inlineDepth", count, "0");
	WRITE_COLUMN(firefox, "category", count,
		     fprintf(stream, "%d", (int)category_of(firefox, (uint32_t)i)));
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
		fputs(",\n", stream);
	}
	for (int kind = 0; kind < STATE_KINDS; kind++) {
		json_write_string(stream, state_name((enum state_kind)kind));
		fputs(",\n", stream);
	}
	vec_foreach (mark, &firefox->own_marks) {
		write_mark_name(firefox, mark);
		fputs(",\n", stream);
	}
	fputs("\"\"]", stream);
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
	WRITE_COLUMN(firefox, "category", firefox->nodes.len,
		     fprintf(stream, "%d",
			     (int)category_of(firefox, nodes[firefox->nodes.data[i]].function)));
	write_repeated(firefox, "subcategory", firefox->nodes.len, "0");
	fprintf(stream, "\"length\":%zu},\n", firefox->nodes.len);
}

/* How long the path's sample is: its time, whichever value is shown; a millisecond without. */
static uint64_t duration_of(const struct firefox *firefox, const struct path *path)
{
	for (size_t i = 0; i < firefox->paths.measure_count; i++)
		if (firefox->paths.measures[i].unit[0] == 'n')
			return path->values[i];
	return 1000000;
}

/* An empty one at the thread's end makes the range of time that is shown the thread's. */
static void write_samples(struct firefox *firefox, const struct profile_thread *thread)
{
	FILE *stream = firefox->stream;
	const size_t count = firefox->samples.len, measure = firefox->measure;
	const struct path *paths = firefox->samples.data;
	const bool time = is_time(firefox);
	const uint64_t end = since_begin(firefox, thread->end_ticks);
	uint64_t now = since_begin(firefox, thread->begin_ticks);

	fprintf(stream, "\"samples\":{\"weightType\":\"%s\",\n", time ? "tracing-ms" : "samples");
	WRITE_COLUMN(firefox, "stack", count + 1, if (i == count) fputs("null", stream);
		     else fprintf(stream, "%" PRIu32, firefox->stack_of[paths[i].node]));
	WRITE_COLUMN(firefox, "time", count + 1,
		     write_ms(stream, i == count && end > now ? end : now);
		     now += i < count ? duration_of(firefox, &paths[i]) : 0);
	WRITE_COLUMN(firefox, "weight", count + 1,
		     const uint64_t value = i < count ? paths[i].values[measure] : 0;
		     if (time) write_ms(stream, value); else fprintf(stream, "%" PRIu64, value));
	fprintf(stream, "\"length\":%zu},\n", count + 1);
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

/* Those of the thread; from outside, of the first one. */
static void gather_marks(struct firefox *firefox, uint32_t thread)
{
	firefox->own_marks.len = 0;
	vec_foreach (mark, &firefox->marks)
		if (mark->thread ? mark->thread == (int64_t)thread + 1 : !firefox->written)
			vec_push(&firefox->own_marks, *mark);
}

static bool take_mark(const struct profile_mark *row, void *context)
{
	struct firefox *firefox = context;
	const struct analysis *analysis = firefox->paths.analysis;

	if (!row->thread || analysis->threads.data[row->thread - 1].selected)
		vec_push(&firefox->marks,
			 ((struct mark){.thread = row->thread,
					.number = row->mark,
					.name = row->name && row->name[0]
							? paths_text(&firefox->paths, row->name)
							: NULL,
					.ns = since_begin(firefox, row->ticks)}));
	return true;
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

/* 0: it is not known. */
static void write_end(const struct firefox *firefox, uint64_t ticks)
{
	if (ticks)
		write_ms(firefox->stream, since_begin(firefox, ticks));
	else
		fputs("null", firefox->stream);
}

static void write_thread(struct firefox *firefox, uint32_t index)
{
	const struct analysis *analysis = firefox->paths.analysis;
	const struct analysis_thread *thread = &analysis->threads.data[index];
	const struct profile_process *process = analysis->processes.data[thread->process].row;
	FILE *stream = firefox->stream;

	fputs("{\"processType\":\"default\",\"processStartupTime\":", stream);
	write_ms(stream, since_begin(firefox, process->begin_ticks));
	fputs(",\"processShutdownTime\":", stream);
	write_end(firefox, process->end_ticks);
	fputs(",\"registerTime\":", stream);
	write_ms(stream, since_begin(firefox, thread->row->begin_ticks));
	fputs(",\"unregisterTime\":", stream);
	write_end(firefox, thread->row->end_ticks);
	fputs(",\"pausedRanges\":[],\"name\":", stream);
	json_write_string(stream, thread->row->name);
	fprintf(stream, ",\"isMainThread\":%s,\"pid\":",
		thread->row->tid == process->pid ? "true" : "false");
	write_id(firefox, process->pid, thread->process);
	fputs(",\"tid\":", stream);
	write_id(firefox, thread->row->tid, thread->process);
	fputs(",\"processName\":", stream);
	json_write_string(stream, process->name);
	fputs(",\n", stream);
	write_markers(firefox);
	write_samples(firefox, thread->row);
	write_stacks(firefox);
	write_functions(firefox);
	fputc('}', stream);
	firefox->written++;
	if (!firefox->main_of[thread->process])
		firefox->main_of[thread->process] = firefox->written;
}

/* ---- CPU use: a counter per process ---- */

static bool take_cpu_use(const struct profile_cpu_use *row, void *context)
{
	struct firefox *firefox = context;
	const size_t count = firefox->cpu.len;
	const uint64_t begin = since_begin(firefox, row->begin_ticks);
	const struct cpu_point last = count ? vec_last(&firefox->cpu) : (struct cpu_point){0};

	if (!row->process)
		return true; /* of processes that are not known */
	/* A point has what was used since the one before. */
	if (!count || last.process != row->process || last.ns < begin)
		vec_push(&firefox->cpu, ((struct cpu_point){.process = row->process, .ns = begin}));
	vec_push(&firefox->cpu, ((struct cpu_point){.process = row->process,
						    .ns = since_begin(firefox, row->end_ticks),
						    .cpu_ns = analysis_ns(firefox->paths.analysis,
									  row->cpu_ticks)}));
	return true;
}

static void write_counter(const struct firefox *firefox, uint32_t process,
			  const struct cpu_point *points, size_t count)
{
	FILE *stream = firefox->stream;

	fputs("{\"name\":\"CPU use\",\"category\":\"CPU\",\"description\":"
	      "\"CPU time in milliseconds\",\"color\":\"green\",\"pid\":",
	      stream);
	write_id(firefox, firefox->paths.analysis->processes.data[process].row->pid, process);
	fprintf(stream,
		",\"mainThreadIndex\":%" PRIu32 ",\"sampleGroups\":[{\"id\":0,\"samples\":{",
		firefox->main_of[process] - 1);
	WRITE_COLUMN(firefox, "time", count, write_ms(stream, points[i].ns));
	WRITE_COLUMN(firefox, "count", count, write_ms(stream, points[i].cpu_ns));
	fprintf(stream, "\"length\":%zu}}]}", count);
}

/* Of processes with a thread in the file. */
static void write_counters(const struct firefox *firefox)
{
	const struct cpu_point *points = firefox->cpu.data;
	bool any = false;

	fputs(",\"counters\":[", firefox->stream);
	for (size_t begin = 0, end = 0; begin < firefox->cpu.len; begin = end) {
		const uint32_t process = (uint32_t)(points[begin].process - 1);
		while (end < firefox->cpu.len && points[end].process == points[begin].process)
			end++;
		if (!firefox->main_of[process])
			continue;
		fputs(any ? ",\n" : "\n", firefox->stream);
		any = true;
		write_counter(firefox, process, &points[begin], end - begin);
	}
	fputc(']', firefox->stream);
}

/* ---- all ---- */

/* As breakpad has it: the first 16 bytes of the build id as a GUID, and an age. */
static void write_debug_id(FILE *stream, const char *build_id)
{
	static const unsigned char order[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	const size_t digits = strspn(build_id, "0123456789abcdefABCDEF");

	fputs(",\"breakpadId\":\"", stream);
	for (size_t i = 0; digits && i < 2 * sizeof(order); i++) {
		const size_t at = 2 * (size_t)order[i / 2] + i % 2;
		fputc(at < digits ? toupper((unsigned char)build_id[at]) : '0', stream);
	}
	fputs(digits ? "0\",\"codeId\":" : "\",\"codeId\":", stream);
	if (digits)
		json_write_string(stream, build_id);
	else
		fputs("null", stream);
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
	fprintf(stream, ",%s,%s},\n\"libs\":[", categories, marker_schema);
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
		write_debug_id(stream, module->build_id ? module->build_id : "");
		fputs(",\"arch\":\"x86_64\"}", stream);
	}
	fputs("],\n\"pages\":[],\"threads\":[", stream);
}

static void take_slice(const struct state_slice *slice, void *context)
{
	struct firefox *firefox = context;

	vec_push(&firefox->slices, *slice);
}

static bool write_threads(struct firefox *firefox, struct error *err)
{
	size_t order = 0;

	for (uint32_t i = 0; i < firefox->paths.analysis->threads.len; i++) {
		gather_thread(firefox, i, &order);
		gather_marks(firefox, i);
		firefox->slices.len = 0;
		if (firefox->paths.analysis->threads.data[i].selected &&
		    !states_of_thread(&firefox->states, i, take_slice, firefox, err))
			return false;
		if (!firefox->samples.len && !firefox->own_marks.len && !firefox->slices.len)
			continue;
		fputs(firefox->written ? ",\n" : "\n", firefox->stream);
		write_thread(firefox, i);
	}
	return true;
}

bool paths_write_firefox(const struct analysis *analysis, const struct export_options *options,
			 FILE *stream, struct error *err)
{
	struct firefox firefox = {.stream = stream};
	/* Streaming moves the profile's cursor only: its contents stay as they are. */
	struct profile *profile = (struct profile *)analysis->profile;

	if (!paths_open(&firefox.paths, analysis, options->measure, err))
		return false;
	firefox.measure = firefox.paths.first_measure;
	firefox.stack_of = mem_zalloc((analysis->nodes.len + 1) * sizeof(*firefox.stack_of));
	firefox.main_of = mem_zalloc((analysis->processes.len + 1) * sizeof(*firefox.main_of));
	bool ok = states_open(&firefox.states, analysis, options, err) &&
		  profile_each_mark(profile, take_mark, &firefox, err) &&
		  profile_each_cpu_use(profile, take_cpu_use, &firefox, err);
	if (ok) {
		write_meta(&firefox);
		ok = write_threads(&firefox, err);
		fputc(']', stream);
		write_counters(&firefox);
		fputs("}\n", stream);
	}
	free(firefox.stack_of);
	free(firefox.main_of);
	vec_fini(&firefox.nodes);
	vec_fini(&firefox.samples);
	vec_fini(&firefox.marks);
	vec_fini(&firefox.own_marks);
	vec_fini(&firefox.slices);
	states_close(&firefox.states);
	vec_fini(&firefox.cpu);
	paths_close(&firefox.paths);
	return ok;
}
