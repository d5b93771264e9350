/*
 * The names of rows of several frames. A separator within a name is escaped, so that it ends no
 * frame.
 */
#include "report/table/calltree.h"
#include "report/words/name.h"

#include <string.h>

enum { PART_MIN = 6 };

const char *report_frames_separator(bool unicode)
{
	return unicode ? " \u203a " : " -> ";
}

static void append_name(struct str *out, const char *name, bool unicode)
{
	const char *sign = report_frames_separator(unicode);

	for (const char *next; (next = strstr(name, sign)); name = next + strlen(sign)) {
		str_append_bytes(out, name, (size_t)(next - name));
		str_append(out, unicode ? " \\u{203a} " : " -\\x3e ");
	}
	str_append(out, name);
}

void report_append_function(const struct report *report, const struct analysis_function *function,
			    struct str *out)
{
	str_append(out, function->name);
	if (report->options->format == REPORT_TEXT && function->inlined)
		str_append(out, " (inlined)");
	if (report->options->format == REPORT_TEXT && function->has_twin)
		str_printf(out, " @%llx", (unsigned long long)function->link_addr);
}

static void append_frame(const struct report *report, uint32_t node, struct str *out)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_function *function =
		&analysis->functions.data[analysis->nodes.data[node].function];
	struct str name = {0};

	report_append_function(report, function, &name);
	append_name(out, name.data ? name.data : "", report->options->unicode);
	str_fini(&name);
}

void report_append_frames(const struct report *report, const struct report_row *row,
			  struct str *out)
{
	const struct analysis_node *nodes = report->analysis->nodes.data;
	struct vec_of(uint32_t) frames = {0};

	for (uint32_t at = row->last; at != row->node; at = nodes[at].parent)
		vec_push(&frames, at);
	append_frame(report, row->node, out);
	for (size_t i = frames.len; i-- > 0;) {
		str_append(out, report_frames_separator(report->options->unicode));
		append_frame(report, frames.data[i], out);
	}
	vec_fini(&frames);
}

/* Where the next separator is that none has escaped; NULL: there is none. */
static const char *separator_find(const char *text, const char *sign)
{
	const char *at = strstr(text, sign);

	while (at && at > text && at[-1] == '\\')
		at = strstr(at + 1, sign);
	return at;
}

void report_append_frames_plain(struct str *out, const char *text, const char *sign, bool unicode)
{
	struct str name = {0};

	for (const char *next; (next = separator_find(text, sign)); text = next + strlen(sign)) {
		str_clear(&name);
		str_append_bytes(&name, text, (size_t)(next - text));
		name_append_plain(out, name.data ? name.data : "", unicode);
		str_append(out, sign);
	}
	name_append_plain(out, text, unicode);
	str_fini(&name);
}

/* "[2]..." tells apart where it stands between numbers, too. */
static void append_between(struct str *out, size_t count, const char *mark, bool unicode)
{
	const char *sign = report_frames_separator(unicode);

	if (count)
		str_printf(out, "%s%zu more", sign, count);
	if (*mark)
		str_printf(out, "%s%.*s", count ? " " : sign, (int)strcspn(mark, "."), mark);
	str_append(out, sign);
}

/* Each gets half, and what the other does not need. */
static size_t share_of(size_t room, size_t own, size_t other)
{
	const size_t half = room / 2;

	if (other < room - half)
		return own < room - other ? own : room - other;
	return own < half ? own : half;
}

/* As text.c does with names that stand alone. */
static void append_part(struct str *out, const char *name, size_t width, bool fitted, bool unicode)
{
	if (fitted)
		name_append_fitted(out, name, width, unicode);
	else
		name_append_middle(out, name, width, unicode);
}

void report_append_frames_shortened(struct str *out, const char *text, size_t width,
				    const char *mark, bool unicode)
{
	const char *sign = report_frames_separator(unicode), *first_end = strstr(text, sign),
		   *last = text;
	struct str first = {0}, between = {0};
	size_t count = 0;

	for (const char *next; (next = strstr(last, sign)); last = next + strlen(sign))
		count++;
	if (count)
		append_between(&between, count - 1, mark ? mark : "", unicode);
	const size_t fixed = count ? name_width(between.data) : 0;
	if (!count || width < fixed + (size_t)2 * PART_MIN) {
		if (mark && *mark)
			name_append_shortened(out, text, width, mark);
		else
			append_part(out, text, width, !mark, unicode);
		str_fini(&between);
		return;
	}
	str_append_bytes(&first, text, (size_t)(first_end - text));
	const size_t room = width - fixed, left = name_width(first.data), right = name_width(last);
	append_part(out, first.data, share_of(room, left, right), !mark, unicode);
	str_append(out, between.data);
	append_part(out, last, room - share_of(room, left, right), !mark, unicode);
	str_fini(&first);
	str_fini(&between);
}
