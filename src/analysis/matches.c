/* Names of functions and other things against the patterns of the user. */
#include "analysis/private.h"

#include <fnmatch.h>
#include <string.h>

bool analysis_glob_matches(const struct analysis_globs *globs, const char *text)
{
	for (size_t i = 0; i < globs->count; i++)
		if (strcmp(globs->items[i], text) == 0 || fnmatch(globs->items[i], text, 0) == 0)
			return true;
	return globs->count == 0;
}

/* "ns::f(int)" is found as "ns::f" too. Parentheses of a template argument do not end a name. */
static size_t length_without_parameters(const char *name)
{
	int depth = 0;

	for (const char *at = name; *at; at++) {
		if (*at == '<')
			depth++;
		else if (*at == '>' && depth > 0)
			depth--;
		else if (*at == '(' && depth == 0 && at > name &&
			 strncmp(at, "(anonymous", 10) != 0)
			return (size_t)(at - name);
	}
	return strlen(name);
}

bool analysis_name_matches(const char *name, const struct analysis_globs *globs)
{
	if (analysis_glob_matches(globs, name))
		return true;
	const size_t length = length_without_parameters(name);
	if (!name[length])
		return false;
	struct str bare = {0};
	str_append_bytes(&bare, name, length);
	const bool matches = analysis_glob_matches(globs, bare.data);
	str_fini(&bare);
	return matches;
}

/* Behind the module's name. */
static const char *nameless_address(const struct analysis_function *function)
{
	const char *address = strrchr(function->name, '+');

	return address ? address : "";
}

bool analysis_function_matches(const struct analysis *analysis, uint32_t function,
			       const struct analysis_globs *globs)
{
	const struct analysis_function *row = &analysis->functions.data[function];

	if (analysis_name_matches(row->name, globs))
		return true;
	/* Without a symbol: the address alone, as text shows it beside the module. */
	return analysis_glob_matches(globs, row->symbol[0] ? row->symbol : nameless_address(row));
}

bool analysis_was_seen(const struct analysis *analysis, const struct analysis_values *values)
{
	if (analysis->method == ANALYSIS_SAMPLE)
		return values->amount[SAMPLES_INCLUSIVE];
	return values->calls || values->amount[ELAPSED_INCLUSIVE];
}

bool analysis_fail_unknown(const struct analysis *analysis, const char *function, struct error *err)
{
	struct vec_of(const char *) names = {0};

	vec_foreach (row, &analysis->functions) {
		if (analysis_was_seen(analysis, &row->values))
			vec_push(&names, row->name);
	}
	const char *nearest = str_nearest(function, names.data, names.len);
	error_set(err, ERROR_NOT_FOUND, "no function of the profile is called \"%s\"%s; %s%s%s",
		  function, analysis->my_code ? ", or --my-code hides it" : "",
		  nearest ? "did you mean \"" : "the functions view lists them",
		  nearest ? nearest : "", nearest ? "\"?" : "");
	vec_fini(&names);
	return false;
}
