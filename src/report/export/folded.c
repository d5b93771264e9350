/*
 * Folded stacks, one line per call path: names from the outermost on, separated by ";", a blank,
 * and the exclusive value (github.com/brendangregg/FlameGraph, stackcollapse-*.pl). The first name
 * is the process's. As ";" separates, it is ":" in names; paths of several threads that are the
 * same stand there several times, and readers add them up.
 */
#include "report/export/paths.h"

#include <inttypes.h>

void folded_write_name(FILE *stream, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' ? ':' : *name, stream);
}

bool paths_write_folded(const struct analysis *analysis, const struct export_options *options,
			FILE *stream, struct error *err)
{
	struct paths paths = {0};
	struct path path;
	struct path_chain chain = {0};

	if (options->waits)
		return folded_write_waits(analysis, stream, err);
	if (options->wakers)
		return folded_write_wakers(analysis, stream, err);
	if (!paths_open(&paths, analysis, options->measure, err))
		return false;
	while (paths_next(&paths, &path) && !ferror(stream)) {
		const struct analysis_node *node = &analysis->nodes.data[path.node];
		const uint64_t value = path.values[paths.first_measure];

		if (!value)
			continue;
		folded_write_name(
			stream, paths.process_names[analysis->threads.data[node->thread].process]);
		paths_chain(&paths, path.node, &chain);
		vec_foreach (at, &chain) {
			fputc(';', stream);
			folded_write_name(stream, paths_name(&paths, *at));
		}
		fprintf(stream, " %" PRIu64 "\n", value);
	}
	vec_fini(&chain);
	paths_close(&paths);
	return true;
}
