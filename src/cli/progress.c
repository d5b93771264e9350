/* Draws the bar over itself on stderr, at most ten times a second. */
#include "cli/progress.h"

#include "cli/print.h"
#include "report/name.h"

#include <time.h>
#include <unistd.h>

enum { SHOW_AFTER_MS = 1000, REDRAW_MS = 100, BAR_CELLS = 30, NAME_WIDTH = 40 };

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void progress_begin(struct progress *progress, bool quiet)
{
	*progress =
		(struct progress){.enabled = !quiet && isatty(STDERR_FILENO), .begin_ms = now_ms()};
}

void progress_show(const char *path, double done, void *context)
{
	struct progress *progress = context;
	struct str line = {0}, name = {0};
	char bar[BAR_CELLS + 1];
	const int64_t now = now_ms();

	if (!progress->enabled || now - progress->begin_ms < SHOW_AFTER_MS ||
	    now - progress->drawn_ms < REDRAW_MS)
		return;
	if (done < 0)
		done = 0;
	if (done > 1)
		done = 1;
	for (int i = 0; i < BAR_CELLS; i++)
		bar[i] = i < (int)(done * BAR_CELLS) ? '#' : '.';
	bar[BAR_CELLS] = 0;
	name_append_escaped(&name, path_basename(path), print_is_unicode());
	str_printf(&line, "instrumenting [%s] %3.0f %% ", bar, done * 100);
	name_append_cut(&line, name.data ? name.data : "", NAME_WIDTH);
	print_passing(line.data);
	str_fini(&line);
	str_fini(&name);
	progress->shown = true;
	progress->drawn_ms = now;
}

void progress_erase(struct progress *progress)
{
	if (!progress->shown)
		return;
	print_passing(NULL);
	progress->shown = false;
}
