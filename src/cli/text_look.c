/* See text_look.h. */
#include "cli/text_look.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 100, WIDTH_MIN = 60, WIDTH_MAX = 10000 };

const char *const text_color_choices[] = {"auto", "always", "never", NULL};

static int text_width(bool to_file)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int width = WIDTH_DEFAULT;

	if (!to_file && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		width = size.ws_col;
	else if (columns && atoi(columns) > 0)
		width = atoi(columns);
	if (width < WIDTH_MIN)
		return WIDTH_MIN;
	return width < WIDTH_MAX ? width : WIDTH_MAX;
}

static bool use_color(bool to_file, enum text_color color)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (color != TEXT_COLOR_AUTO)
		return color == TEXT_COLOR_ALWAYS;
	return !to_file && isatty(STDOUT_FILENO) && !(no_color && no_color[0]) && term &&
	       strcmp(term, "dumb") != 0;
}

static bool locale_is_unicode(void)
{
	setlocale(LC_CTYPE, "");
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

void text_look(struct report_options *options, bool to_file, enum text_color color)
{
	options->width = text_width(to_file);
	options->color = use_color(to_file, color);
	options->unicode = locale_is_unicode();
}
