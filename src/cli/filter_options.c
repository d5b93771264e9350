/* See filter_options.h. */
#include "cli/filter_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES_MAX = 4096 };

static void add(struct filter_lists *lists, const char *filter)
{
	if (report_filter_is_expression(filter))
		vec_push(&lists->expressions, filter);
	else
		vec_push(&lists->names, filter);
}

static char *trimmed(char *line)
{
	char *begin = line + strspn(line, " \t\r\n");
	size_t length = strlen(begin);

	while (length && strchr(" \t\r\n", begin[length - 1]))
		begin[--length] = 0;
	return begin;
}

static bool add_file(struct filter_lists *lists, const char *path, struct error *err)
{
	char line[LINE_BYTES_MAX];
	FILE *file = fopen(path, "re");

	if (!file)
		return error_set_errno(err, errno, "cannot read the filters of %s", path);
	bool ok = true;
	while (ok && fgets(line, sizeof(line), file)) {
		if (strlen(line) + 1 == sizeof(line) && !strchr(line, '\n'))
			ok = error_set(err, ERROR_INPUT, "a line of %s is longer than %d bytes",
				       path, LINE_BYTES_MAX - 2);
		const char *filter = trimmed(line);
		if (*filter && *filter != '#')
			add(lists, arena_strdup(&lists->arena, filter));
	}
	if (ok && ferror(file))
		ok = error_set_errno(err, errno, "cannot read the filters of %s", path);
	fclose(file);
	return ok;
}

bool filter_lists_init(struct filter_lists *lists, const struct option_list *values,
		       struct report_options *options, struct error *err)
{
	*lists = (struct filter_lists){0};
	arena_init(&lists->arena);
	vec_foreach (value, values) {
		if (value->value[0] != '@')
			add(lists, value->value);
		else if (!add_file(lists, value->value + 1, err))
			return false;
	}
	options->filters =
		(struct analysis_globs){.items = lists->names.data, .count = lists->names.len};
	options->expressions = (struct analysis_globs){.items = lists->expressions.data,
						       .count = lists->expressions.len};
	return true;
}

void filter_lists_fini(struct filter_lists *lists)
{
	vec_fini(&lists->names);
	vec_fini(&lists->expressions);
	arena_fini(&lists->arena);
}
