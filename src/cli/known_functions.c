/* See known_functions.h. */
#include "cli/known_functions.h"

#include "analysis/demangle.h"
#include "base/base.h"
#include "cli/newest_profile.h"
#include "cli/print.h"
#include "profile/profile.h"

#include <string.h>

/* More are no help to choose from. */
enum { NAMES_MAX = 1000 };

struct names vec_of(const char *);

/* Without parameters; NULL where it has anything but letters, digits and what joins these. */
static const char *plain_name(struct arena *arena, const char *symbol)
{
	const char *name = analysis_demangle(arena, symbol);
	const size_t length = strcspn(name, "(");

	for (size_t i = 0; i < length; i++)
		if (!strchr("_:.@~$", name[i]) && !(name[i] >= '0' && name[i] <= '9') &&
		    !((name[i] | 0x20) >= 'a' && (name[i] | 0x20) <= 'z'))
			return NULL;
	return length ? arena_strndup(arena, name, length) : NULL;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void print_names(const struct profile *profile, const char *prefix)
{
	size_t count, printed = 0;
	const struct profile_function *functions = profile_functions(profile, &count);
	struct arena arena = {0};
	struct names names = {0};

	arena_init(&arena);
	for (size_t i = 0; i < count; i++) {
		const char *name = plain_name(&arena, functions[i].name);

		if (name && str_starts_with(name, prefix))
			vec_push(&names, name);
	}
	vec_sort(&names, by_text);
	for (size_t i = 0; i < names.len && printed < NAMES_MAX; i++) {
		if (i && strcmp(names.data[i], names.data[i - 1]) == 0)
			continue;
		print_line(stdout, "%s", names.data[i]);
		printed++;
	}
	vec_fini(&names);
	arena_fini(&arena);
}

bool known_functions_print(const struct command *command, const char *prefix,
			   const char *profile_path, struct error *err)
{
	char *newest = NULL;

	if (!profile_path)
		profile_path = newest = newest_profile(command, "tare help --functions FILE", err);
	struct profile *profile = profile_path ? profile_open(profile_path, err) : NULL;

	if (profile)
		print_names(profile, prefix);
	const bool ok = profile != NULL;
	profile_close(profile);
	free(newest);
	return ok;
}
