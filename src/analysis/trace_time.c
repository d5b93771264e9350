/* Points of time as users name them: milliseconds since the begin, or a mark. */
#include "analysis/trace.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mark_search {
	const char *name;
	bool last, found;
	uint64_t ticks;
};

static bool look_at_mark(const struct profile_mark *row, void *context)
{
	struct mark_search *search = context;
	char digits[24];

	snprintf(digits, sizeof(digits), "#%lld", (long long)row->mark);
	if (strcmp(search->name, digits) != 0 &&
	    (!row->name || strcmp(search->name, row->name) != 0))
		return true;
	if (search->found &&
	    (search->last ? row->ticks < search->ticks : row->ticks > search->ticks))
		return true;
	search->found = true;
	search->ticks = row->ticks;
	return true;
}

bool analysis_time_parse(const struct analysis *analysis, struct profile *profile, const char *text,
			 bool last, uint64_t *ticks, struct error *err)
{
	const uint64_t begin = profile_session(profile)->begin_ticks;
	struct mark_search search = {.name = text, .last = last};
	char *end;

	errno = 0;
	const double ms = strtod(text, &end);
	if (end != text && !*end) {
		if (!(ms >= 0) || !isfinite(ms) || ms > 1e13)
			return error_set(err, ERROR_USAGE,
					 "\"%s\" is no time since the begin in milliseconds", text);
		*ticks = (uint64_t)(ms * analysis->ticks_per_second / 1e3);
		return true;
	}
	if (!profile_each_mark(profile, look_at_mark, &search, err))
		return false;
	if (!search.found)
		return error_set(err, ERROR_USAGE,
				 "\"%s\" is neither a time in milliseconds nor the name or #number "
				 "of a mark; the marks view lists them",
				 text);
	*ticks = search.ticks > begin ? search.ticks - begin : 0;
	return true;
}
