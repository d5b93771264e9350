/* Draws the bar over itself on stderr, at most ten times a second. */
#include "cli/progress.h"

#include "base/str.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { SHOW_AFTER_MS = 1000, REDRAW_MS = 100, BAR_CELLS = 30 };

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

static void print_name(const char *path)
{
	const char *name = path_basename(path);

	for (int i = 0; name[i] && i < 40; i++)
		fputc((unsigned char)name[i] < 0x20 || name[i] == 0x7f ? '?' : name[i], stderr);
}

void progress_show(const char *path, double done, void *context)
{
	struct progress *progress = context;
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
	fprintf(stderr, "\r\033[Kinstrumenting [%s] %3.0f %% ", bar, done * 100);
	print_name(path);
	fflush(stderr);
	progress->shown = true;
	progress->drawn_ms = now;
}

void progress_erase(struct progress *progress)
{
	if (!progress->shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress->shown = false;
}
