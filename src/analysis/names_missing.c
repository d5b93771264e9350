/*
 * See names_missing.h. A package is named only for a file that is still the one that was recorded,
 * and has no debug file on this machine yet: a new recording would find names in that.
 */
#include "analysis/names_missing.h"

#include "analysis/code.h"
#include "object/debug_package.h"

#include <string.h>

enum { MODULES_MAX = 4 }; /* that are looked at: all lists of packages are read for each */

struct tried {
	uint32_t modules[MODULES_MAX];
	size_t count;
};

static bool was_tried(const struct tried *tried, uint32_t module)
{
	for (size_t i = 0; i < tried->count; i++)
		if (tried->modules[i] == module)
			return true;
	return false;
}

/* The hottest one of a module that was not tried; NULL: none is hot. */
static const struct analysis_function *find_nameless(const struct analysis *analysis,
						     double least_share, const struct tried *tried)
{
	const struct analysis_function *found = NULL;
	double most = least_share;

	vec_foreach (function, &analysis->functions) {
		const double share = analysis_exclusive_share(analysis, &function->values);
		if (function->symbol[0] || !function->link_addr || !(share >= most) ||
		    (found && share == most) || was_tried(tried, function->module))
			continue;
		found = function;
		most = share;
	}
	return found;
}

static bool find_package(struct code_reader *reader, uint32_t module, struct str *package)
{
	const char *ignored, *path = reader->analysis->modules.data[module].path;
	const struct object *object = code_of_module(reader, module, &ignored);

	return object && !object_debug_file(object) && debug_package_find(path, package);
}

bool analysis_names_missing(const struct analysis *analysis, double least_share,
			    struct names_missing *missing)
{
	const struct analysis_function *function;
	struct code_reader reader = {0};
	struct tried tried = {0};

	*missing = (struct names_missing){0};
	code_reader_init(&reader, analysis);
	while (!missing->module && tried.count < MODULES_MAX &&
	       (function = find_nameless(analysis, least_share, &tried))) {
		if (find_package(&reader, function->module, &missing->package))
			missing->module = &analysis->modules.data[function->module];
		tried.modules[tried.count++] = function->module;
	}
	code_reader_fini(&reader);
	return missing->module != NULL;
}
