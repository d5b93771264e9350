/* See recording_line.h. The line is drawn over itself, once a second. */
#include "cli/recording_line.h"

#include "base/base.h"
#include "base/process_parent.h"
#include "cli/print.h"
#include "report/words/name.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_WIDTH = 32 };

/* ---- whose terminal it is ---- */

/* Whether the process writes its output or errors to the terminal. */
static bool writes_to(uint32_t pid, dev_t terminal)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		struct stat status;
		char path[64];

		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd/%d", pid, fd);
		if (stat(path, &status) == 0 && S_ISCHR(status.st_mode) &&
		    status.st_rdev == terminal)
			return true;
	}
	return false;
}

static bool any_writes_to(dev_t terminal)
{
	DIR *processes = opendir("/proc");
	bool found = false;

	/* The shell that waits for tare, and what has started that, write nothing now. */
	for (const struct dirent *entry; processes && !found && (entry = readdir(processes));) {
		const uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		found = pid && writes_to(pid, terminal) &&
			!process_descends_from((uint32_t)getpid(), pid);
	}
	if (processes)
		closedir(processes);
	return found;
}

static bool is_allowed(const struct record_status *now)
{
	struct stat terminal;

	if (!isatty(STDERR_FILENO) || fstat(STDERR_FILENO, &terminal) != 0)
		return false;
	if (!now->name)
		return !any_writes_to(terminal.st_rdev);
	for (size_t i = 0; i < now->pid_count; i++)
		if (writes_to(now->pids[i], terminal.st_rdev))
			return false;
	return true;
}

/* ---- the line ---- */

static void append_what(const struct record_status *now, struct str *text)
{
	struct str name = {0};

	if (!now->name) {
		str_append(text, "all processes");
		return;
	}
	name_append_escaped(&name, now->name, print_is_unicode());
	name_append_cut(text, name.data ? name.data : "", NAME_WIDTH);
	str_fini(&name);
	if (now->pid_count == 1)
		str_printf(text, " (%" PRIu32 ")", now->pids[0]);
	else
		str_printf(text, " and %zu more", now->pid_count - 1);
}

static void draw(const struct record_status *now)
{
	struct str text = {0}, cut = {0};
	struct winsize size = {0};

	str_append(&text, "recording ");
	append_what(now, &text);
	str_printf(&text, ": %.0f s, %" PRIu64 " samples; ^C ends it", now->seconds, now->samples);
	const int columns =
		ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
	name_append_cut(&cut, text.data, (size_t)columns - 1);
	print_passing(cut.data);
	str_fini(&text);
	str_fini(&cut);
}

void recording_line_show(struct recording_line *line, const struct record_status *now)
{
	if (line->quiet || line->allowed == RECORDING_LINE_NEVER)
		return;
	if (line->allowed == RECORDING_LINE_UNKNOWN)
		line->allowed = is_allowed(now) ? RECORDING_LINE_ALLOWED : RECORDING_LINE_NEVER;
	if (line->allowed == RECORDING_LINE_NEVER ||
	    (line->shown && line->second == (int64_t)now->seconds))
		return;
	draw(now);
	line->shown = true;
	line->second = (int64_t)now->seconds;
}

void recording_line_erase(struct recording_line *line)
{
	if (line->shown)
		print_passing(NULL);
	line->shown = false;
}
