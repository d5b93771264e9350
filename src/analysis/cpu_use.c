/* See cpu_use.h. */
#include "analysis/cpu_use.h"

#include "analysis/private.h"
#include "analysis/sample_timeline.h"

#include <string.h>

/* The recorder reads no more often than this. */
#define PART_NS_MIN 5000000.0

struct cpu_loader {
	const struct analysis *analysis;
	struct analysis_cpu_use *use;
	uint64_t begin, span; /* of the session */
	bool any;
};

static uint64_t session_span(const struct analysis *analysis)
{
	const struct profile_session *session = profile_session(analysis->profile);

	return session->end_ticks > session->begin_ticks ? session->end_ticks - session->begin_ticks
							 : 0;
}

uint64_t analysis_cpu_part_begin(const struct analysis *analysis,
				 const struct analysis_cpu_use *use, uint32_t i)
{
	return (uint64_t)((unsigned __int128)session_span(analysis) * i / use->count);
}

uint32_t analysis_cpu_parts(const struct analysis *analysis, uint32_t most)
{
	const double fit =
		(double)session_span(analysis) / analysis->ticks_per_second * 1e9 / PART_NS_MIN;

	return fit < 1 ? 1 : fit < most ? (uint32_t)fit : most;
}

static uint32_t part_at(const struct cpu_loader *loader, uint64_t ticks)
{
	const uint32_t count = loader->use->count;
	const uint32_t part = (uint32_t)((unsigned __int128)ticks * count / loader->span);

	return part < count ? part : count - 1;
}

static uint64_t since_begin(const struct cpu_loader *loader, uint64_t ticks)
{
	const uint64_t since = ticks > loader->begin ? ticks - loader->begin : 0;

	return since < loader->span ? since : loader->span;
}

/* Each part gets what there is up to its end, less what the parts before have got. */
static void spread(const struct cpu_loader *loader, const struct profile_cpu_use *row)
{
	const uint64_t begin = since_begin(loader, row->begin_ticks);
	const uint64_t end = since_begin(loader, row->end_ticks);
	const uint32_t last = part_at(loader, end > begin ? end - 1 : end);
	uint64_t given = 0;

	for (uint32_t part = part_at(loader, begin); part < last; part++) {
		const uint64_t until =
			analysis_cpu_part_begin(loader->analysis, loader->use, part + 1);
		const uint64_t due = until <= begin ? 0
						    : (uint64_t)((unsigned __int128)row->cpu_ticks *
								 (until - begin) / (end - begin));
		loader->use->parts[part] += due - given;
		given = due;
	}
	loader->use->parts[last] += row->cpu_ticks - given;
}

static bool take_row(const struct profile_cpu_use *row, void *context)
{
	struct cpu_loader *loader = context;

	if (!row->process) {
		loader->use->unplaced += row->cpu_ticks;
		return true;
	}
	loader->any = true;
	if (loader->analysis->processes.data[row->process - 1].selected)
		spread(loader, row);
	return true;
}

static bool all_selected(const struct analysis *analysis)
{
	vec_foreach (process, &analysis->processes) {
		if (!process->selected)
			return false;
	}
	return true;
}

/* The processes' time is not that of some of their threads. */
static bool threads_are_chosen(const struct analysis *analysis)
{
	vec_foreach (thread, &analysis->threads) {
		if (!thread->selected && analysis->processes.data[thread->process].selected)
			return true;
	}
	return false;
}

static bool is_merged(const struct analysis *analysis)
{
	const char *settings = profile_session(analysis->profile)->settings;

	return settings && str_starts_with(settings, "merged=");
}

static bool take_samples(const struct cpu_loader *loader, struct error *err)
{
	const struct analysis *analysis = loader->analysis;
	const struct profile_event *event = analysis->event;
	struct analysis_cpu_use *use = loader->use;
	bool known = false;

	if (!event || !event->unit || strcmp(event->unit, "ns") != 0 || !event->name ||
	    analysis_event_is_of_waits(event))
		return true;
	struct analysis_bin *bins = mem_zalloc(use->count * sizeof(*bins));
	const bool ok = analysis_timeline(analysis, bins, use->count, &known, err);
	for (uint32_t i = 0; i < use->count && known; i++)
		use->parts[i] =
			(uint64_t)((double)bins[i].weight * analysis->ticks_per_second / 1e9 + 0.5);
	if (known)
		use->source = CPU_USE_SAMPLED;
	free(bins);
	return ok;
}

bool analysis_cpu_use(const struct analysis *analysis, uint32_t count, struct analysis_cpu_use *use,
		      struct error *err)
{
	struct profile *profile = (struct profile *)analysis->profile;
	struct cpu_loader loader = {.analysis = analysis,
				    .use = use,
				    .begin = profile_session(profile)->begin_ticks,
				    .span = session_span(analysis)};

	*use = (struct analysis_cpu_use){.count = count};
	use->parts = mem_zalloc(use->count * sizeof(*use->parts));
	if (!loader.span || is_merged(analysis))
		return true;
	if (!profile_each_cpu_use(profile, take_row, &loader, err))
		return false;
	/* Nobody knows whose that is which has no process. */
	if (!all_selected(analysis))
		use->unplaced = 0;
	if (loader.any && !threads_are_chosen(analysis))
		use->source = CPU_USE_READ;
	return loader.any || take_samples(&loader, err);
}

void analysis_cpu_use_fini(struct analysis_cpu_use *use)
{
	free(use->parts);
	use->parts = NULL;
}
