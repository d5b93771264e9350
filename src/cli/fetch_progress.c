/* The line is drawn over itself, at most ten times a second. */
#include "cli/fetch_progress.h"

#include "cli/print.h"
#include "record/debug_servers.h"
#include "report/words/name.h"

#include <time.h>
#include <unistd.h>

enum { LINE_AFTER_MS = 1000, REDRAW_MS = 100, NOTE_AFTER_MS = 5000, NAME_WIDTH = 40 };

static void append_file(const char *file, struct str *text)
{
	struct str name = {0};

	name_append_escaped(&name, path_basename(file), print_is_unicode());
	name_append_cut(text, name.data ? name.data : "", NAME_WIDTH);
	str_fini(&name);
}

static void draw(struct fetch_progress *progress, const char *file, const long done_and_all[2],
		 int64_t now_ms)
{
	struct str line = {0};

	str_append(&line, "asking debuginfod servers for the names of ");
	append_file(file, &line);
	if (done_and_all[1] > 0)
		str_printf(&line, ", %.1f of %.1f MB", (double)done_and_all[0] / 1e6,
			   (double)done_and_all[1] / 1e6);
	str_printf(&line, ", %jd s", (intmax_t)((now_ms - progress->begin_ms) / 1000));
	print_passing(line.data);
	str_fini(&line);
	progress->shown = true;
	progress->drawn_ms = now_ms;
}

static void tell(struct fetch_progress *progress, const char *file)
{
	struct str name = {0};

	append_file(file, &name);
	print_note(progress->command,
		   "asking debuginfod servers for the names of %s takes a while; --no-debuginfod "
		   "does without",
		   name.data);
	str_fini(&name);
	progress->told = true;
}

void fetch_progress_look(struct fetch_progress *progress, const char *file,
			 const long done_and_all[2], int64_t now_ms)
{
	if (progress->quiet)
		return;
	if (!file) {
		if (progress->shown)
			print_passing(NULL);
		progress->shown = progress->goes_on = false;
		return;
	}
	if (!progress->goes_on)
		progress->begin_ms = now_ms;
	progress->goes_on = true;
	const int64_t waited_ms = now_ms - progress->begin_ms;
	if (!progress->is_terminal && !progress->told && waited_ms >= NOTE_AFTER_MS)
		tell(progress, file);
	if (progress->is_terminal && waited_ms >= LINE_AFTER_MS &&
	    (!progress->shown || now_ms - progress->drawn_ms >= REDRAW_MS))
		draw(progress, file, done_and_all, now_ms);
}

static void show(const char *file, long done, long all, void *context)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	fetch_progress_look(context, file, (const long[]){done, all},
			    (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

void fetch_progress_begin(struct fetch_progress *progress, const struct command *command,
			  bool quiet)
{
	const struct debug_servers servers = {.show = show, .context = progress};

	*progress = (struct fetch_progress){
		.command = command, .quiet = quiet, .is_terminal = isatty(STDERR_FILENO) != 0};
	debug_servers_ask(&servers);
}
