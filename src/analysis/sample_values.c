/* Reads the samples of one event, of the selected threads. See sample_stacks.h. */
#include "analysis/sample_stacks.h"

struct sample_loader {
	const struct analysis *analysis;
	int64_t event;
	struct sample_values *values;
	struct sample_values *unclocked; /* NULL: they are `values`, too */
	uint64_t truncated;
};

/* What no clock of the thread's has seen of a row; of cut stacks as many as can be. */
static struct sample_value unclocked_of(const struct sample_loader *loader,
					const struct profile_stack_value *row)
{
	const uint32_t thread = (uint32_t)(row->thread - 1);
	struct sample_value value = {.thread = thread, .stack = (uint32_t)row->stack};

	if (!loader->unclocked)
		return value;
	const bool all = loader->analysis->threads.data[thread].root == ANALYSIS_NONE;
	value.samples = all ? row->samples : row->unclocked_samples;
	value.weight = all ? row->weight : row->unclocked_weight;
	value.squares = all ? row->squares : row->unclocked_squares;
	value.truncated = row->truncated < value.samples ? row->truncated : value.samples;
	return value;
}

static bool take_value(const struct profile_stack_value *row, void *context)
{
	struct sample_loader *loader = context;
	const uint32_t thread = (uint32_t)(row->thread - 1);

	if (row->event != loader->event || !loader->analysis->threads.data[thread].selected)
		return true;
	const struct sample_value unclocked = unclocked_of(loader, row);
	const struct sample_value clocked = {.thread = thread,
					     .stack = (uint32_t)row->stack,
					     .samples = row->samples - unclocked.samples,
					     .weight = row->weight - unclocked.weight,
					     .truncated = row->truncated - unclocked.truncated,
					     .squares = row->squares - unclocked.squares};
	if (unclocked.samples)
		vec_push(loader->unclocked, unclocked);
	if (clocked.samples || !unclocked.samples)
		vec_push(loader->values, clocked);
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

void sample_values_sort(struct sample_values *values)
{
	vec_sort(values, sample_values_compare);
}

static bool load(struct sample_loader *loader, struct profile *profile, struct error *err)
{
	size_t count;

	profile_stacks(profile, &count);
	if (count >= ANALYSIS_NONE)
		return error_set(err, ERROR_UNSUPPORTED, "the profile has more than %u stacks",
				 ANALYSIS_NONE - 1);
	return profile_each_stack_value(profile, take_value, loader, err);
}

bool sample_values_load(const struct analysis *analysis, struct profile *profile, int64_t event,
			struct sample_values *values, uint64_t *truncated, struct error *err)
{
	struct sample_loader loader = {.analysis = analysis, .event = event, .values = values};
	const bool ok = load(&loader, profile, err);

	*truncated += loader.truncated;
	return ok;
}

bool sample_values_load_apart(const struct analysis *analysis, struct profile *profile,
			      int64_t event, struct sample_values *clocked,
			      struct sample_values *unclocked, struct error *err)
{
	struct sample_loader loader = {
		.analysis = analysis, .event = event, .values = clocked, .unclocked = unclocked};

	return load(&loader, profile, err);
}
