/* From the options' values to what record understands. */
#include "cli/selection_options.h"

#include "analysis/demangle.h"

const char *const selection_small_choices[] = {"count", "keep", NULL};
const char *const selection_transform_choices[] = {"full", "null", "poison", NULL};
table_covers(selection_transform_choices, INSTRUMENT_TRANSFORMS + 1);
const char *const selection_probes_choices[] = {"merged", "all", NULL};

static char *demangle(const char *name)
{
	struct arena arena = {0};

	arena_init(&arena);
	const char *text = analysis_demangle(&arena, name);
	char *copy = text == name ? NULL : mem_strdup(text);
	arena_fini(&arena);
	return copy;
}

void selection_from_options(const struct selection_values *values,
			    struct instrument_request *selection)
{
	*selection = (struct instrument_request){
		.transform = (enum instrument_transform)values->transform,
		.probes_all = values->probes == 1,
		.keep_small = values->small_functions == 1,
		.count_executions = values->lines,
		.demangle = demangle,
	};
	vec_foreach (item, &values->patterns) {
		const struct instrument_pattern pattern = {
			.text = item->value, .exclude = item->tag == SELECTION_EXCLUDE};
		vec_push(&selection->patterns, pattern);
	}
}

void selection_release(struct instrument_request *selection)
{
	vec_fini(&selection->patterns);
	vec_fini(&selection->modules);
	vec_fini(&selection->units);
	vec_fini(&selection->start_at);
	vec_fini(&selection->stop_at);
}
