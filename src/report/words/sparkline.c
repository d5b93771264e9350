/* See sparkline.h. */
#include "report/words/sparkline.h"

enum { HEIGHTS = 8 };

static const char *column_of(uint64_t number, uint64_t most, bool unicode)
{
	static const char *const blocks[HEIGHTS] = {"\u2581", "\u2582", "\u2583", "\u2584",
						    "\u2585", "\u2586", "\u2587", "\u2588"};
	static const char *const signs[HEIGHTS] = {"_", "-", "~", "=", "+", "*", "#", "@"};

	if (!number)
		return unicode ? "\u00b7" : ".";
	const double share = (double)number / (double)most;
	const int height = share >= 1 ? HEIGHTS - 1 : (int)(share * HEIGHTS);
	return (unicode ? blocks : signs)[height];
}

void sparkline_append(struct str *out, const uint64_t *numbers, uint32_t count, uint64_t most,
		      bool unicode)
{
	for (uint32_t i = 0; i < count; i++)
		str_append(out, column_of(numbers[i], most, unicode));
}
