/*
 * The look of text on a terminal: escape sequences of the 16 colours, chosen to be read on dark and
 * on light grounds. Private to report.
 */
#ifndef TARE_REPORT_WORDS_STYLE_H
#define TARE_REPORT_WORDS_STYLE_H

#define STYLE_OFF	  "\033[0m"
#define STYLE_BOLD	  "\033[1m"
#define STYLE_DIM	  "\033[2m"
#define STYLE_HOT	  "\033[1;31m" /* large shares, and what must not be overlooked */
#define STYLE_WARM	  "\033[35m"
#define STYLE_WORK	  "\033[32m" /* the part of a bar that was on the CPU */
#define STYLE_WAIT	  "\033[94m" /* the operating system's part of a bar */
#define STYLE_WAIT_GROUND "\033[104m"

/* Of a share of the whole, in per cent; "" where it is nothing special. */
static inline const char *style_of_share(double percent)
{
	if (percent >= 20)
		return STYLE_HOT;
	if (percent >= 5)
		return STYLE_WARM;
	return percent < 0.5 ? STYLE_DIM : "";
}

#endif
