/* Reads the CPU use of processes, interval by interval; refuses nothing: odd intervals are cut. */
#include "analysis/cpu_timeline.h"

#include <math.h>

struct cpu_loader {
	const struct analysis *analysis;
	double *bins;
	uint32_t count;
	double begin, width; /* ticks; of a bin */
	bool any;
};

static bool take_use(const struct profile_cpu_use *row, void *context)
{
	struct cpu_loader *loader = context;
	const double from = ((double)row->begin_ticks - loader->begin) / loader->width;
	const double to = ((double)row->end_ticks - loader->begin) / loader->width;

	if (!loader->analysis->processes.data[row->process - 1].selected || !(to > from))
		return true;
	loader->any = true;
	for (uint32_t bin = from > 0 ? (uint32_t)fmin(from, loader->count) : 0;
	     bin < loader->count && bin < to; bin++) {
		const double inside = fmin(to, bin + 1.0) - fmax(from, bin);
		loader->bins[bin] += (double)row->cpu_ticks * fmax(inside, 0) / (to - from);
	}
	return true;
}

bool analysis_cpu_timeline(const struct analysis *analysis, double *cpu_ticks, uint32_t count,
			   bool *known, struct error *err)
{
	struct profile *profile = (struct profile *)analysis->profile;
	const struct profile_session *session = profile_session(profile);
	struct cpu_loader loader = {.analysis = analysis, .bins = cpu_ticks, .count = count};

	*known = false;
	if (session->end_ticks <= session->begin_ticks)
		return true;
	loader.begin = (double)session->begin_ticks;
	loader.width = (double)(session->end_ticks - session->begin_ticks) / count;
	if (!profile_each_cpu_use(profile, take_use, &loader, err))
		return false;
	*known = loader.any;
	return true;
}
