/* From the options' values to what analysis understands. */
#include "cli/profile_options.h"

const char *const profile_demangle_choices[] = {"yes", "no", NULL};
/* In the order of enum analysis_method. */
const char *const profile_method_choices[] = {"auto", "instrument", "sample", NULL};
table_covers(profile_method_choices, ANALYSIS_METHODS + 1);

struct analysis_globs globs_of(struct globs *globs, const struct option_list *list)
{
	vec_foreach (item, list)
		vec_push(globs, item->value);
	return (struct analysis_globs){.items = globs->data, .count = globs->len};
}

void profile_selection_init(struct profile_selection *selection,
			    const struct profile_values *values)
{
	*selection = (struct profile_selection){0};
	selection->options = (struct analysis_options){
		.processes = globs_of(&selection->processes, &values->processes),
		.threads = globs_of(&selection->threads, &values->threads),
		.keep_mangled = values->demangle == 1,
		.method = (enum analysis_method)values->method,
		.event = values->event,
		.inlines = values->inlines,
		.no_kernel = values->no_kernel,
		.my_code = values->shape.my_code != NULL,
		.mine = values->shape.my_code,
		.root = values->shape.root,
		.fold_recursion = values->shape.fold_recursion,
	};
}

void profile_selection_fini(struct profile_selection *selection)
{
	vec_fini(&selection->processes);
	vec_fini(&selection->threads);
}
