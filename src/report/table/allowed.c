/* Which options go with which views. Refuses the others, which would do nothing. */
#include "report/table/calltree.h"

#define V(view) (1u << VIEW_##view)

struct allowed {
	bool given;
	const char *option;
	unsigned views;
};

static void append_views(struct str *out, unsigned views)
{
	unsigned left = views & ~V(CALLTREE_INVERTED);

	for (size_t i = 0; i < report_view_count; i++) {
		const unsigned bit = 1u << report_views[i].id;
		if (!(left & bit) || !report_views[i].name)
			continue;
		const bool first = left == (views & ~V(CALLTREE_INVERTED));
		left &= ~bit;
		str_printf(out, "%s%s", first ? "" : left ? ", " : " and ", report_views[i].name);
	}
}

bool report_check_allowed(const struct report_options *options, enum view_id view,
			  struct error *err)
{
	const unsigned from_top = V(CALLTREE), hot_path = from_top | V(SUMMARY);
	const unsigned tree = from_top | V(CALLTREE_INVERTED);
	const struct allowed known[] = {
		{options->my_code, "my-code",
		 hot_path | tree | V(FUNCTIONS) | V(CALLERS) | V(MODULES) | V(OS)},
		{options->root, "root", tree},
		{options->fold_recursion, "fold-recursion", tree},
		{options->merge_threads, "merge-threads", from_top},
		{options->trim_given, "trim", hot_path | tree | V(FUNCTIONS)},
		{options->fold_given, "fold", hot_path},
		{options->is_expanded, "expand", from_top},
		{options->inverted, "inverted", tree},
		{options->never, "never", V(LINES) | V(INSTRUCTIONS)},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct str views = {0};
		if (!known[i].given || known[i].views & (1u << view))
			continue;
		if (view == VIEW_CALLTREE_INVERTED)
			return error_set(err, ERROR_USAGE,
					 "--inverted begins with single functions, and --%s has no "
					 "meaning there: one of them",
					 known[i].option);
		append_views(&views, known[i].views);
		const unsigned named = known[i].views & ~V(CALLTREE_INVERTED);
		error_set(err, ERROR_USAGE, "--%s is for the view%s %s", known[i].option,
			  named & (named - 1) ? "s" : "", views.data);
		str_fini(&views);
		return false;
	}
	if (options->noise && (options->trim_given || options->fold_given))
		return error_set(err, ERROR_USAGE,
				 "--noise shows all rows, and --%s leaves some out: one of them",
				 options->trim_given ? "trim" : "fold");
	if (view == VIEW_WAKERS && (options->from || options->to))
		return error_set(err, ERROR_USAGE,
				 "who ended waits is known of the whole recording; leave out "
				 "--from and --to");
	return true;
}
