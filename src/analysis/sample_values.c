/* Reads the samples of one event, of the selected threads. See sample_stacks.h. */
#include "analysis/sample_stacks.h"

struct sample_loader {
	const struct analysis *analysis;
	int64_t event;
	struct sample_values *values;
	uint64_t truncated;
};

static bool take_value(const struct profile_stack_value *row, void *context)
{
	struct sample_loader *loader = context;
	const uint32_t thread = (uint32_t)(row->thread - 1);

	if (row->event != loader->event || !loader->analysis->threads.data[thread].selected)
		return true;
	vec_push(loader->values, ((struct sample_value){.thread = thread,
							.stack = (uint32_t)row->stack,
							.samples = row->samples,
							.weight = row->weight,
							.truncated = row->truncated,
							.squares = row->squares}));
	loader->truncated += row->truncated;
	return true;
}

int sample_values_compare(const void *a, const void *b)
{
	const struct sample_value *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

static uint64_t take(uint64_t *from, uint64_t *wanted)
{
	const uint64_t taken = *wanted < *from ? *wanted : *from;

	*from -= taken;
	*wanted -= taken;
	return taken;
}

struct sample_value sample_value_take(struct sample_value *from, struct sample_value *wanted)
{
	struct sample_value taken = *from;
	uint64_t truncated = wanted->samples;

	taken.samples = take(&from->samples, &wanted->samples);
	taken.weight = take(&from->weight, &wanted->weight);
	taken.squares = take(&from->squares, &wanted->squares);
	taken.truncated = take(&from->truncated, &truncated);
	return taken;
}

void sample_values_sort(struct sample_values *values)
{
	vec_sort(values, sample_values_compare);
}

bool sample_values_load(const struct analysis *analysis, struct profile *profile, int64_t event,
			struct sample_values *values, uint64_t *truncated, struct error *err)
{
	struct sample_loader loader = {.analysis = analysis, .event = event, .values = values};
	size_t count;

	profile_stacks(profile, &count);
	if (count >= ANALYSIS_NONE)
		return error_set(err, ERROR_UNSUPPORTED, "the profile has more than %u stacks",
				 ANALYSIS_NONE - 1);
	const bool ok = profile_each_stack_value(profile, take_value, &loader, err);

	*truncated += loader.truncated;
	return ok;
}
