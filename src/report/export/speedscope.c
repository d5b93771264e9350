/*
 * speedscope's JSON (www.speedscope.app/file-format-schema.json): one sampled profile per thread
 * and measure, frames shared among them. A sample is a call path, its weight the path's exclusive
 * value.
 */
#include "report/export/paths.h"
#include "report/words/json_string.h"

#include <inttypes.h>

struct speedscope {
	struct paths paths;
	FILE *stream;
	struct path_chain chain;
	struct vec_of(uint64_t) weights; /* of the profile that is being written */
	bool any_profile;
};

/* Frame i is function i; the last one is what is outside of all functions. */
static void write_frames(const struct speedscope *speedscope)
{
	const struct analysis *analysis = speedscope->paths.analysis;
	FILE *stream = speedscope->stream;

	fputs("\"shared\":{\"frames\":[", stream);
	for (size_t i = 0; i < analysis->functions.len; i++) {
		const struct analysis_function *function = &analysis->functions.data[i];

		fputs("\n{\"name\":", stream);
		json_write_string(stream, speedscope->paths.names[i]);
		fputs(",\"file\":", stream);
		json_write_string(stream, function->source
						  ? function->source
						  : analysis->modules.data[function->module].path);
		if (function->source && function->line > 0)
			fprintf(stream, ",\"line\":%" PRId64, function->line);
		fputs("},", stream);
	}
	fputs("\n{\"name\":", stream);
	json_write_string(stream, speedscope->paths.outside);
	fputs("}]},\n", stream);
}

static void write_stack(struct speedscope *speedscope, uint32_t node, bool first)
{
	const struct analysis *analysis = speedscope->paths.analysis;

	paths_chain(&speedscope->paths, node, &speedscope->chain);
	fputs(first ? "[" : ",\n[", speedscope->stream);
	vec_foreach (at, &speedscope->chain) {
		const uint32_t function = analysis->nodes.data[*at].function;

		fprintf(speedscope->stream, "%s%zu", at == speedscope->chain.data ? "" : ",",
			function == ANALYSIS_NONE ? analysis->functions.len : (size_t)function);
	}
	fputc(']', speedscope->stream);
}

/* Begins the profile of a thread, with the first sample. */
static void begin_profile(struct speedscope *speedscope, uint32_t thread, size_t measure)
{
	const struct path_measure_info *info = &speedscope->paths.measures[measure];
	struct str name = {0};

	fputs(speedscope->any_profile ? ",\n" : "\n", speedscope->stream);
	speedscope->any_profile = true;
	str_printf(&name, "%s, %s", speedscope->paths.thread_names[thread], info->name);
	fputs("{\"type\":\"sampled\",\"name\":", speedscope->stream);
	json_write_string(speedscope->stream, name.data);
	str_fini(&name);
	fprintf(speedscope->stream, ",\"unit\":\"%s\",\"samples\":[",
		info->unit[0] == 'n' ? info->unit : "none");
}

static void end_profile(struct speedscope *speedscope)
{
	uint64_t total = 0;

	fputs("],\n\"weights\":[", speedscope->stream);
	vec_foreach (weight, &speedscope->weights) {
		fprintf(speedscope->stream, "%s%" PRIu64,
			weight == speedscope->weights.data ? "" : ",", *weight);
		total += *weight;
	}
	fprintf(speedscope->stream, "],\"startValue\":0,\"endValue\":%" PRIu64 "}", total);
	speedscope->weights.len = 0;
}

/* The next thread's paths. */
static void write_profile(struct speedscope *speedscope, uint32_t thread, size_t measure)
{
	struct path path;

	while (paths_next_of(&speedscope->paths, thread, &path)) {
		if (!path.values[measure])
			continue;
		if (!speedscope->weights.len)
			begin_profile(speedscope, thread, measure);
		write_stack(speedscope, path.node, !speedscope->weights.len);
		vec_push(&speedscope->weights, path.values[measure]);
	}
	if (speedscope->weights.len)
		end_profile(speedscope);
}

bool paths_write_speedscope(const struct analysis *analysis, const struct export_options *options,
			    FILE *stream, struct error *err)
{
	struct speedscope speedscope = {.stream = stream};

	if (!paths_open(&speedscope.paths, analysis, options->measure, err))
		return false;
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"tare " TARE_VERSION "\",\"name\":",
	      stream);
	json_write_string(stream, profile_session(analysis->profile)->command_line);
	fputs(",\"activeProfileIndex\":0,\n", stream);
	write_frames(&speedscope);
	fputs("\"profiles\":[", stream);
	for (size_t i = 0; i < speedscope.paths.measure_count; i++) {
		/* The measure that was asked for comes first. */
		const size_t measure =
			(speedscope.paths.first_measure + i) % speedscope.paths.measure_count;

		paths_rewind(&speedscope.paths);
		for (uint32_t thread = 0; thread < analysis->threads.len; thread++)
			write_profile(&speedscope, thread, measure);
	}
	fputs("]}\n", stream);
	vec_fini(&speedscope.chain);
	vec_fini(&speedscope.weights);
	paths_close(&speedscope.paths);
	return true;
}
