/*
 * Samples in Chrome's trace event format, as V8's CPU profiler has them there: per thread an event
 * "Profile" and events "ProfileChunk" with nodes of a tree (each with its parent, which precedes
 * it), samples, which are ids of nodes, and the microseconds from each to the next. Chrome's
 * developer tools, ui.perfetto.dev and speedscope read that. Chunks are written as they are full.
 *
 * A sample lasts until the next one. Where the event is a time, a sample stands for as much of it
 * before it was taken, so that is where it begins, or where the one before ends; "(idle)" fills
 * what is left between them. So sums of times are those of the samples, each rounded to a
 * microsecond.
 */
#include "report/export/chrome.h"
#include "report/export/paths.h"
#include "report/export/timeline.h"
#include "report/words/json_string.h"

#include "analysis/sample_stream.h"

#include <inttypes.h>
#include <string.h>

enum { CHUNK_SAMPLES = 1000 };
/* Ids of nodes: those of the analysis follow these. */
enum { ROOT = 1, IDLE = 2, FIRST_NODE = 3 };

struct chrome_samples {
	struct chrome chrome;
	struct paths paths;
	bool is_time;
	bool *known; /* nodes that have been written */
	uint32_t thread;
	uint64_t end_ns; /* up to there something is written */
	uint64_t us;	 /* of the last delta */
	struct path_chain chain;
	struct vec_of(uint32_t) nodes; /* of the chunk: new ones */
	struct vec_of(uint64_t) samples, deltas;
	bool has_root, any_node; /* the thread's profile; its chunk */
};

static uint64_t node_id(uint32_t node)
{
	return (uint64_t)node + FIRST_NODE;
}

static void begin_profile_event(struct chrome_samples *writer, const char *name)
{
	chrome_begin_event(&writer->chrome, "P", writer->thread);
	fprintf(writer->chrome.stream,
		",\"cat\":\"disabled-by-default-v8.cpu_profiler\",\"name\":\"%s\",\"id\":"
		"\"0x%" PRIx32 "\",\"ts\":%" PRIu64 ",\"args\":{\"data\":{",
		name, writer->thread + 1, writer->us);
}

/* Up to the value of "functionName"; parent 0: none. */
static void begin_node(struct chrome_samples *writer, uint64_t id, uint64_t parent)
{
	FILE *stream = writer->chrome.stream;

	fprintf(stream, "%s\n{\"id\":%" PRIu64, writer->any_node ? "," : "", id);
	if (parent)
		fprintf(stream, ",\"parent\":%" PRIu64, parent);
	fputs(",\"callFrame\":{\"scriptId\":0,\"functionName\":", stream);
	writer->any_node = true;
}

static void write_node(struct chrome_samples *writer, uint32_t index)
{
	const struct analysis *analysis = writer->chrome.analysis;
	const struct analysis_node *node = &analysis->nodes.data[index];
	const struct analysis_function *function =
		node->function == ANALYSIS_NONE ? NULL : &analysis->functions.data[node->function];
	FILE *stream = writer->chrome.stream;

	const bool outermost = node->parent == ANALYSIS_NONE ||
			       analysis->nodes.data[node->parent].parent == ANALYSIS_NONE;
	begin_node(writer, node_id(index), outermost ? ROOT : node_id(node->parent));
	json_write_string(stream, paths_name(&writer->paths, index));
	fputs(",\"url\":", stream);
	json_write_string(stream, !function ? ""
				  : function->source
					  ? function->source
					  : analysis->modules.data[function->module].path);
	if (function && function->source && function->line > 0)
		fprintf(stream, ",\"lineNumber\":%" PRId64, function->line - 1); /* from 0 */
	fputs("}}", stream);
}

static void write_own_nodes(struct chrome_samples *writer)
{
	begin_node(writer, ROOT, 0);
	fputs("\"(root)\",\"url\":\"\"}}", writer->chrome.stream);
	begin_node(writer, IDLE, ROOT);
	fputs("\"(idle)\",\"url\":\"\"}}", writer->chrome.stream);
}

static void write_numbers(FILE *stream, const uint64_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fprintf(stream, "%s%" PRIu64, i ? "," : "", numbers[i]);
}

static void write_chunk(struct chrome_samples *writer, bool is_last)
{
	FILE *stream = writer->chrome.stream;

	begin_profile_event(writer, "ProfileChunk");
	fputs("\"cpuProfile\":{\"nodes\":[", stream);
	writer->any_node = false;
	if (!writer->has_root)
		write_own_nodes(writer);
	writer->has_root = true;
	vec_foreach (node, &writer->nodes)
		write_node(writer, *node);
	fputs("],\n\"samples\":[", stream);
	write_numbers(stream, writer->samples.data, writer->samples.len);
	fputs("]},\n\"timeDeltas\":[", stream);
	write_numbers(stream, writer->deltas.data, writer->deltas.len);
	fputc(']', stream);
	if (is_last)
		fprintf(stream, ",\"endTime\":%" PRIu64, writer->us);
	fputs("}}}", stream);
	writer->nodes.len = writer->samples.len = writer->deltas.len = 0;
}

/* ---- samples ---- */

static void add(struct chrome_samples *writer, uint64_t id, uint64_t begin_ns)
{
	const uint64_t us = (begin_ns + 500) / 1000;

	vec_push(&writer->samples, id);
	vec_push(&writer->deltas, us - writer->us);
	writer->us = us;
	if (writer->samples.len >= CHUNK_SAMPLES)
		write_chunk(writer, false);
}

/* With the callers that are new, too: outermost first. */
static void add_nodes(struct chrome_samples *writer, uint32_t node)
{
	if (writer->known[node])
		return;
	paths_chain(&writer->paths, node, &writer->chain);
	vec_foreach (at, &writer->chain) {
		if (!writer->known[*at])
			vec_push(&writer->nodes, *at);
		writer->known[*at] = true;
	}
}

static void end_thread(struct chrome_samples *writer)
{
	if (writer->thread == ANALYSIS_NONE)
		return;
	add(writer, IDLE, writer->end_ns);
	write_chunk(writer, true);
}

static void begin_thread(struct chrome_samples *writer, uint32_t thread)
{
	end_thread(writer);
	writer->thread = thread;
	writer->end_ns = writer->us = 0;
	writer->has_root = false;
	begin_profile_event(writer, "Profile");
	fputs("\"startTime\":0}}}", writer->chrome.stream);
}

static bool take_sample(const struct analysis_sample *sample, void *context)
{
	struct chrome_samples *writer = context;
	const uint64_t ns = analysis_ns(writer->chrome.analysis, sample->ticks);
	const uint64_t lasts = writer->is_time ? sample->weight : 0;
	const uint64_t before = ns > lasts ? ns - lasts : 0;

	if (sample->thread != writer->thread)
		begin_thread(writer, sample->thread);
	const uint64_t begin = before > writer->end_ns ? before : writer->end_ns;
	if (writer->is_time && begin > writer->end_ns)
		add(writer, IDLE, writer->end_ns);
	add_nodes(writer, sample->node);
	add(writer, node_id(sample->node), begin);
	writer->end_ns = begin + lasts;
	return !ferror(writer->chrome.stream);
}

bool chrome_write_samples(const struct analysis *analysis, const struct export_options *options,
			  FILE *stream, struct error *err)
{
	struct chrome_samples writer = {.chrome = {.analysis = analysis, .stream = stream},
					.thread = ANALYSIS_NONE,
					.is_time = strcmp(analysis->event->unit, "ns") == 0};
	uint64_t from, to;

	if (!timeline_range(analysis, options, &from, &to, err) ||
	    !paths_open(&writer.paths, analysis, NULL, err))
		return false;
	writer.known = mem_zalloc(analysis->nodes.len + 1);
	chrome_begin(&writer.chrome);
	bool ok = analysis_each_sample(analysis, from, to, take_sample, &writer, err);
	end_thread(&writer);
	ok = ok && chrome_write_states(&writer.chrome, options, err);
	chrome_end(&writer.chrome);
	fputs(",\"event\":", stream);
	json_write_string(stream, analysis->event->name);
	fprintf(stream, ",\"samples_lost\":%" PRIu64 "}}\n", analysis->totals.samples.lost);
	free(writer.known);
	vec_fini(&writer.chain);
	vec_fini(&writer.nodes);
	vec_fini(&writer.samples);
	vec_fini(&writer.deltas);
	paths_close(&writer.paths);
	return ok;
}
