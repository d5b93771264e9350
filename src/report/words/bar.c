/*
 * See bar.h. With colours the shaded part is solid as well, in a colour of its own, so that both
 * parts are exact to an eighth of a column; where they meet, one is the other's ground.
 */
#include "report/words/bar.h"
#include "report/words/style.h"

#include <math.h>

enum { EIGHTHS = 8 };

static const char *const parts[] = {" ",      "\u258f", "\u258e", "\u258d", "\u258c",
				    "\u258b", "\u258a", "\u2589", "\u2588"};

static void append_times(struct str *out, const char *text, size_t count)
{
	while (count--)
		str_append(out, text);
}

/* Within 0 and `most`; what is no number is 0. */
static size_t within(double value, size_t most)
{
	if (!(value > 0))
		return 0;
	return value < (double)most ? (size_t)lround(value) : most;
}

/* Ends of both parts in units of columns: `all` >= `front`. */
struct ends {
	size_t front, all;
};

static size_t part_of(size_t end, size_t column)
{
	const size_t begin = column * EIGHTHS;

	if (end <= begin)
		return 0;
	return end - begin < EIGHTHS ? end - begin : EIGHTHS;
}

static void append_styled(struct str *out, const char *style, const char *ground, const char *text)
{
	str_printf(out, "%s%s%s%s", style, ground, text, style[0] || ground[0] ? STYLE_OFF : "");
}

/* One column, of both colours where they meet in it. */
static void append_colored(struct str *out, const struct ends *ends, size_t column,
			   const char *style)
{
	const size_t front = part_of(ends->front, column), all = part_of(ends->all, column);

	if (!all)
		str_append(out, " ");
	else if (!front)
		append_styled(out, STYLE_WAIT, "", parts[all]);
	else if (front < EIGHTHS && all == EIGHTHS)
		append_styled(out, style, STYLE_WAIT_GROUND, parts[front]);
	else if (front == all || 2 * front >= all)
		append_styled(out, style, "", parts[all]);
	else
		append_styled(out, STYLE_WAIT, "", parts[all]);
}

/* Without colours: eighths of the solid part, then whole columns of shade. */
static void append_plain(struct str *out, const struct ends *ends, const struct bar_look *look)
{
	const size_t part = ends->front % EIGHTHS;
	const size_t full = ends->front / EIGHTHS, used = full + (part > 0);
	const size_t all = (ends->all + EIGHTHS / 2) / EIGHTHS;
	const size_t shaded = ends->all > ends->front && all > used ? all - used : 0;

	append_times(out, parts[EIGHTHS], full);
	str_append(out, part ? parts[part] : "");
	append_times(out, "\u2591", shaded);
	append_times(out, " ", look->width - used - shaded);
}

static void append_ascii(struct str *out, const struct ends *ends, const struct bar_look *look)
{
	const size_t front = (ends->front + EIGHTHS / 2) / EIGHTHS;
	const size_t all = (ends->all + EIGHTHS / 2) / EIGHTHS;

	append_times(out, "#", front);
	append_times(out, ":", all - front);
	append_times(out, " ", look->width - all);
}

void bar_append(struct str *out, double whole, double solid, const struct bar_look *look)
{
	const double units = whole * (double)look->width * EIGHTHS;
	struct ends ends = {.all = within(units, look->width * EIGHTHS)};

	ends.front = within(units * solid, ends.all);
	if (!look->unicode)
		append_ascii(out, &ends, look);
	else if (look->color)
		for (size_t i = 0; i < look->width; i++)
			append_colored(out, &ends, i, look->style ? look->style : "");
	else
		append_plain(out, &ends, look);
}

/* Halves of columns: heavy, none, the left or the right one. */
static const char *span_piece(bool left, bool right, bool unicode)
{
	if (!unicode)
		return left || right ? "=" : ".";
	if (left)
		return right ? "\u2501" : "\u2578";
	return right ? "\u257a" : "\u00b7";
}

void bar_append_span(struct str *out, double begin, double end, size_t width, bool unicode)
{
	const size_t halves = 2 * width;
	size_t first = within(floor(begin * (double)halves), halves - 1);
	size_t last = within(ceil(end * (double)halves), halves); /* the first behind it */

	if (last <= first)
		last = first + 1;
	for (size_t i = 0; i < width; i++)
		str_append(out, span_piece(2 * i >= first && 2 * i < last,
					   2 * i + 1 >= first && 2 * i + 1 < last, unicode));
}
