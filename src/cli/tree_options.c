/* See tree_options.h. */
#include "cli/tree_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const *tree_expand_proposals(void)
{
	static const char *const words[] = {"hot", "all", NULL};

	return words;
}

static bool expand_parse(const char *text, struct report_options *options, struct error *err)
{
	char *end;

	options->is_expanded = text != NULL;
	if (!text || strcmp(text, "all") == 0)
		return true;
	if (strcmp(text, "hot") == 0) {
		options->expand = EXPAND_HOT;
		return true;
	}
	errno = 0;
	const long levels = strtol(text, &end, 10);
	if (end == text || *end || errno || levels < 1 || levels > INT32_MAX)
		return error_set(err, ERROR_USAGE,
				 "--expand=%s is neither hot nor all nor a number of levels", text);
	options->expand = EXPAND_LEVELS;
	options->levels = (uint32_t)levels;
	return true;
}

bool tree_options_apply(const struct tree_values *values, const struct shape_values *shape,
			struct report_options *options, struct error *err)
{
	options->trim = values->trim;
	options->fold = values->fold;
	options->trim_given = values->trim >= 0;
	options->fold_given = values->fold >= 0;
	options->noise = values->noise;
	options->my_code = shape->my_code != NULL;
	options->root = shape->root;
	options->fold_recursion = shape->fold_recursion;
	options->inverted = values->inverted;
	options->merge_threads = values->merge_threads;
	return expand_parse(values->expand, options, err);
}
