/* See table_options.h. */
#include "cli/table_options.h"

#include "cli/print.h"
#include "cli/sink.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 100, WIDTH_MIN = 40, WIDTH_MAX = 10000 };

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER, COLOR_CHOICES };

const char *const table_unit_choices[] = {"ms", "ticks", NULL};
table_covers(table_unit_choices, REPORT_UNITS + 1);
const char *const table_format_choices[] = {"text", "csv", "json", NULL};
table_covers(table_format_choices, REPORT_FORMATS + 1);
const char *const table_color_choices[] = {"auto", "always", "never", NULL};
table_covers(table_color_choices, COLOR_CHOICES + 1);

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

static bool use_color(bool to_file, enum color_when color)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	return !to_file && isatty(STDOUT_FILENO) && !(no_color && no_color[0]) && term &&
	       strcmp(term, "dumb") != 0;
}

void table_options_apply(const struct table_values *values, struct report_options *options,
			 struct table_globs *globs)
{
	const bool to_file = values->output != NULL;

	*globs = (struct table_globs){0};
	options->format = (enum report_format)values->format;
	options->unit = (enum report_unit)values->unit;
	options->limit = values->limit;
	options->modules = globs_of(&globs->modules, &values->modules);
	options->functions = globs_of(&globs->functions, &values->functions);
	options->width = text_width(to_file);
	options->color = use_color(to_file, (enum color_when)values->color);
	options->unicode = options->format != REPORT_TEXT || print_is_unicode();
}

void table_globs_fini(struct table_globs *globs)
{
	vec_fini(&globs->modules);
	vec_fini(&globs->functions);
}

unsigned table_options_sink(const struct table_values *values)
{
	const bool pages = values->format == REPORT_TEXT && !values->no_pager;

	/* The headers of text and JSON tell the command line. */
	return (pages ? SINK_PAGES : 0) | (values->format == REPORT_CSV ? 0 : SINK_PRIVATE);
}
