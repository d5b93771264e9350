/*
 * Patterns over function names. Refuses malformed ones when they are given, not when they are
 * used. Names without patterns are never demangled, so that the common case costs nothing.
 */
#include "cache/selection.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

bool selection_add(struct selection *selection, const char *text, bool exclude, struct error *err)
{
	struct selection_pattern pattern = {.exclude = exclude};
	const size_t length = strlen(text);

	if (!length)
		return error_set(err, ERROR_USAGE, "an empty function pattern selects nothing");
	pattern.is_regex = length >= 2 && text[0] == '/' && text[length - 1] == '/';
	if (pattern.is_regex) {
		char reason[128], *expression = mem_strdup(text + 1);
		expression[length - 2] = 0;
		const int code = regcomp(&pattern.regex, expression, REG_EXTENDED | REG_NOSUB);
		free(expression);
		if (code) {
			regerror(code, &pattern.regex, reason, sizeof(reason));
			return error_set(err, ERROR_USAGE,
					 "the function pattern %s is malformed: %s", text, reason);
		}
	}
	pattern.text = mem_strdup(text);
	vec_push(&selection->patterns, pattern);
	return true;
}

void selection_fini(struct selection *selection)
{
	vec_foreach (pattern, &selection->patterns) {
		if (pattern->is_regex)
			regfree(&pattern->regex);
		free(pattern->text);
	}
	vec_fini(&selection->patterns);
}

/*
 * Cuts a demangled name before its parameter list: the last '(' outside of any bracket that is
 * not part of "(anonymous namespace)" or "operator()".
 */
static char *name_without_parameters(const char *name)
{
	char *copy = mem_strdup(name), *end = strrchr(copy, ')');
	int depth = 0;

	if (!end || end == copy)
		return copy;
	for (char *at = end; at > copy; at--) {
		depth += *at == ')';
		depth -= *at == '(';
		if (depth)
			continue;
		if (at - copy < 8 || strncmp(at - 8, "operator", 8) != 0 || at[1] != ')')
			*at = 0;
		break;
	}
	return copy;
}

/* What the compiler split off or specialised (work.constprop.0) is still that function. */
static char *name_of_clone(const char *name)
{
	char *copy = mem_strdup(name), *dot = *copy ? strchr(copy + 1, '.') : NULL;

	if (dot)
		*dot = 0;
	return copy;
}

struct names {
	const char *mangled;
	char *full, *plain;
};

static struct names names_make(const struct selection *selection, const char *name)
{
	struct names names = {.mangled = name};

	if (selection->demangle)
		names.full = selection->demangle(name);
	names.plain = names.full ? name_without_parameters(names.full) : name_of_clone(name);
	return names;
}

static void names_free(struct names *names)
{
	free(names->full);
	free(names->plain);
}

static bool pattern_matches(const struct selection_pattern *pattern, const struct names *names)
{
	const char *full = names->full ? names->full : names->mangled;

	if (pattern->is_regex)
		return regexec(&pattern->regex, full, 0, NULL, 0) == 0;
	return fnmatch(pattern->text, full, 0) == 0 ||
	       fnmatch(pattern->text, names->plain, 0) == 0 ||
	       fnmatch(pattern->text, names->mangled, 0) == 0;
}

bool selection_decide(struct selection *selection, const char *name)
{
	if (!selection->patterns.len)
		return true;
	bool wanted = selection->patterns.data[0].exclude;
	if (!*name)
		return wanted;
	struct names names = names_make(selection, name);
	vec_foreach (pattern, &selection->patterns) {
		if (!pattern_matches(pattern, &names))
			continue;
		pattern->matches++;
		wanted = !pattern->exclude;
	}
	names_free(&names);
	return wanted;
}

void selection_clear_counts(struct selection *selection)
{
	vec_foreach (pattern, &selection->patterns)
		pattern->matches = 0;
}

void selection_describe(const struct selection *selection, struct str *out)
{
	vec_foreach (pattern, &selection->patterns)
		str_printf(out, "%s--%s=%s", out->len ? " " : "",
			   pattern->exclude ? "exclude" : "function", pattern->text);
}

void selection_put_matches(const struct selection *selection, struct str *out)
{
	vec_foreach (pattern, &selection->patterns)
		str_append(out, pattern->matches ? "1" : "0");
}

void selection_add_matches(struct selection *selection, const char *matches)
{
	vec_foreach (pattern, &selection->patterns) {
		if (!*matches)
			return;
		pattern->matches += *matches++ == '1';
	}
}

enum { NEAREST_COUNT = 3 };

struct nearest {
	char *name;
	size_t distance;
};

/* Inserts into the short sorted list; equal names count once. */
static void nearest_insert(struct nearest *list, size_t *count, char *name, size_t distance)
{
	size_t at = *count;

	for (size_t i = 0; i < *count; i++) {
		if (!strcmp(list[i].name, name)) {
			free(name);
			return;
		}
	}
	while (at && list[at - 1].distance > distance)
		at--;
	if (at == NEAREST_COUNT) {
		free(name);
		return;
	}
	if (*count == NEAREST_COUNT)
		free(list[--*count].name);
	memmove(&list[at + 1], &list[at], (*count - at) * sizeof(*list));
	list[at] = (struct nearest){name, distance};
	++*count;
}

static char *pattern_as_name(const char *pattern)
{
	char *name = mem_strdup(pattern), *to = name;

	for (const char *at = pattern; *at; at++) {
		if (!strchr("*?[]/^$\\", *at))
			*to++ = *at;
	}
	*to = 0;
	return name;
}

void selection_nearest(const struct selection *selection, const char *pattern,
		       const char *const *names, size_t count, struct str *out)
{
	struct nearest list[NEAREST_COUNT + 1];
	size_t found = 0;
	char *wanted = pattern_as_name(pattern);
	const size_t limit = strlen(wanted) / 2 + 1;

	for (size_t i = 0; i < count; i++) {
		struct names forms = names_make(selection, names[i]);
		const char *name = forms.plain;
		size_t distance = str_distance(wanted, name);
		/* A part of a name is what people type when they do not know the whole. */
		if (*wanted && strstr(name, wanted))
			distance = 1;
		if (*name && distance <= limit)
			nearest_insert(list, &found, mem_strdup(name), distance);
		names_free(&forms);
	}
	for (size_t i = 0; i < found; i++) {
		str_printf(out, "%s%s", !i ? "" : i + 1 == found ? " or " : ", ", list[i].name);
		free(list[i].name);
	}
	free(wanted);
}
