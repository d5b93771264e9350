/* The bar is drawn over itself, at most ten times a second. */
#include "cli/progress.h"

#include "cli/print.h"
#include "report/words/name.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_AFTER_MS = 1000, REDRAW_MS = 100, LINE_AFTER_MS = 10000, BAR_CELLS = 30 };
enum { NAME_WIDTH = 40 };

static int64_t monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void progress_begin(struct progress *progress, const struct command *command, bool quiet)
{
	*progress = (struct progress){.command = command,
				      .quiet = quiet,
				      .is_terminal = isatty(STDERR_FILENO) != 0,
				      .begin_ms = monotonic_ms(),
				      .lock = PTHREAD_MUTEX_INITIALIZER,
				      .changed = PTHREAD_COND_INITIALIZER};
	print_is_unicode(); /* found out before there is a thread */
}

/* ---- what is shown ---- */

static void append_file(const struct progress *progress, struct str *text)
{
	struct str name = {0};

	if (progress->now.files > 1)
		str_printf(text, "file %zu of %zu, ", progress->now.file, progress->now.files);
	name_append_escaped(&name, path_basename(progress->file), print_is_unicode());
	name_append_cut(text, name.data ? name.data : "", NAME_WIDTH);
	str_fini(&name);
}

static void draw(struct progress *progress, int64_t now_ms)
{
	const double asked = progress->now.done, done = asked < 0 ? 0 : asked > 1 ? 1 : asked;
	struct str line = {0};
	char bar[BAR_CELLS + 1];

	for (int i = 0; i < BAR_CELLS; i++)
		bar[i] = i < (int)(done * BAR_CELLS) ? '#' : '.';
	bar[BAR_CELLS] = 0;
	str_printf(&line, "instrumenting [%s] %3.0f %% ", bar, done * 100);
	append_file(progress, &line);
	str_printf(&line, ", %jd s", (intmax_t)((now_ms - progress->begin_ms) / 1000));
	print_passing(line.data);
	str_fini(&line);
	progress->shown = true;
	progress->drawn_ms = now_ms;
}

static void tell(struct progress *progress)
{
	struct str file = {0};

	append_file(progress, &file);
	print_note(progress->command, "%s: %s%s",
		   progress->now.running ? "a process waits until a file is instrumented"
					 : "instrumenting takes a while",
		   file.data, progress->kept ? "; the next recording finds it done" : "");
	str_fini(&file);
	progress->told = true;
}

void progress_look(struct progress *progress, int64_t now_ms)
{
	const bool running = progress->now.running;
	const int64_t all_ms = now_ms - progress->begin_ms,
		      waited_ms = running ? now_ms - progress->file_begin_ms : all_ms;

	if (progress->quiet || !progress->goes_on)
		return;
	if (running == progress->is_terminal && !progress->told && waited_ms >= LINE_AFTER_MS)
		tell(progress);
	if (!running && progress->is_terminal && all_ms >= BAR_AFTER_MS &&
	    (!progress->shown || now_ms - progress->drawn_ms >= REDRAW_MS))
		draw(progress, now_ms);
}

/* ---- when ---- */

static void *watch(void *progress_at)
{
	struct progress *progress = progress_at;

	pthread_mutex_lock(&progress->lock);
	while (!progress->ends) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += REDRAW_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (progress->goes_on)
			pthread_cond_timedwait(&progress->changed, &progress->lock, &until);
		else
			pthread_cond_wait(&progress->changed, &progress->lock);
		progress_look(progress, monotonic_ms());
	}
	pthread_mutex_unlock(&progress->lock);
	return NULL;
}

/* Signals are for the thread that records. */
static void start_thread(struct progress *progress)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	progress->has_thread = pthread_create(&progress->thread, NULL, watch, progress) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The end of a path that is too long is what tells files apart. */
static void take_file(struct progress *progress, const char *path)
{
	const size_t length = strlen(path), room = sizeof(progress->file) - 1;
	const char *end = path + (length > room ? length - room : 0);

	if (strcmp(end, progress->file) == 0 && progress->goes_on)
		return;
	memcpy(progress->file, end, strlen(end) + 1);
	progress->file_begin_ms = monotonic_ms();
}

void progress_show(const struct instrument_progress *now, void *context)
{
	struct progress *progress = context;

	if (progress->quiet)
		return;
	pthread_mutex_lock(&progress->lock);
	take_file(progress, now->path);
	progress->now = *now;
	progress->now.path = NULL;
	const bool went_on = progress->goes_on;
	progress->goes_on = now->done < 1;
	if (!progress->has_thread && progress->goes_on)
		start_thread(progress);
	else if (!went_on && progress->goes_on)
		pthread_cond_signal(&progress->changed);
	pthread_mutex_unlock(&progress->lock);
}

static void erase(struct progress *progress)
{
	if (progress->shown)
		print_passing(NULL);
	progress->shown = progress->goes_on = false;
}

void progress_erase(struct progress *progress)
{
	pthread_mutex_lock(&progress->lock);
	erase(progress);
	pthread_mutex_unlock(&progress->lock);
}

void progress_restart(struct progress *progress)
{
	pthread_mutex_lock(&progress->lock);
	erase(progress);
	progress->begin_ms = monotonic_ms();
	pthread_mutex_unlock(&progress->lock);
}

void progress_end(struct progress *progress)
{
	pthread_mutex_lock(&progress->lock);
	erase(progress);
	progress->ends = true;
	pthread_cond_signal(&progress->changed);
	pthread_mutex_unlock(&progress->lock);
	if (progress->has_thread)
		pthread_join(progress->thread, NULL);
	progress->has_thread = false;
}
