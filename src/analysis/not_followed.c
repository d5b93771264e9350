/*
 * Programs that were executed and are not recorded: those of the selected processes together, by
 * file and reason. A file of an older tare has their number only.
 */
#include "abi/unfollowed.h"
#include "analysis/private.h"

#include <string.h>

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

const char *analysis_unfollowed_clause(const char *reason)
{
	static const struct {
		const char *name, *clause;
	} reasons[] = {
#define REASON(constant, name, clause) {name, clause},
		TARE_UNFOLLOWED_LIST(REASON)
#undef REASON
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (strcmp(reasons[i].name, reason) == 0)
			return reasons[i].clause;
	return reason;
}

static bool is_selected(const struct analysis *analysis, const struct profile_unfollowed *row)
{
	if (row->process)
		return analysis->processes.data[row->process - 1].selected;
	return analysis->totals.processes == analysis->processes.len;
}

static int compare_programs(const void *a, const void *b)
{
	const struct analysis_unfollowed *x = a, *y = b;
	const int by_path = strcmp(x->path, y->path);

	return by_path ? by_path : strcmp(x->reason, y->reason);
}

static int compare_counts(const void *a, const void *b)
{
	const struct analysis_unfollowed *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return compare_programs(a, b);
}

/* Rows of the same program become one. */
static void fold(struct analysis *analysis)
{
	size_t kept = 0;

	vec_sort(&analysis->unfollowed, compare_programs);
	vec_foreach (program, &analysis->unfollowed) {
		struct analysis_unfollowed *last =
			kept ? &analysis->unfollowed.data[kept - 1] : NULL;

		if (last && compare_programs(last, program) == 0)
			last->count += program->count;
		else
			analysis->unfollowed.data[kept++] = *program;
	}
	analysis->unfollowed.len = kept;
	vec_sort(&analysis->unfollowed, compare_counts);
}

void analysis_sum_unfollowed(struct analysis *analysis)
{
	size_t count;
	const struct profile_unfollowed *rows = profile_unfollowed(analysis->profile, &count);

	for (size_t i = 0; i < count; i++) {
		if (!is_selected(analysis, &rows[i]))
			continue;
		vec_push(&analysis->unfollowed,
			 ((struct analysis_unfollowed){.path = text_or_empty(rows[i].path),
						       .reason = text_or_empty(rows[i].reason),
						       .count = rows[i].count}));
		/* A process's are in its own number. */
		analysis->totals.images_unfollowed += rows[i].process ? 0 : rows[i].count;
	}
	fold(analysis);
}
