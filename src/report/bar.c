/* See bar.h. */
#include "report/bar.h"
#include "report/style.h"

#include <math.h>

enum { EIGHTHS = 8 };

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

static void append_shaded(struct str *out, size_t count, const struct bar_look *look)
{
	if (!count)
		return;
	str_append(out, look->color ? STYLE_WAIT : "");
	append_times(out, look->unicode ? "\u2591" : ":", count);
	str_append(out, look->color ? STYLE_OFF : "");
}

void bar_append(struct str *out, double whole, double solid, const struct bar_look *look)
{
	static const char *const parts[] = {"",	      "\u258f", "\u258e", "\u258d",
					    "\u258c", "\u258b", "\u258a", "\u2589"};
	const size_t units = look->unicode ? EIGHTHS : 1;
	const double columns = whole * (double)look->width;
	const size_t front = within(columns * solid * (double)units, look->width * units);
	const size_t full = front / units, part = front % units;
	const size_t used = full + (part > 0);
	const size_t all = within(columns, look->width);
	const size_t shaded = solid < 1 && all > used ? all - used : 0;

	if (used) {
		const bool styled = look->color && look->style && look->style[0];
		str_append(out, styled ? look->style : "");
		append_times(out, look->unicode ? "\u2588" : "#", full);
		str_append(out, parts[part]);
		str_append(out, styled ? STYLE_OFF : "");
	}
	append_shaded(out, shaded, look);
	append_times(out, " ", look->width - used - shaded);
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
