/* See recording_brief.h. */
#include "cli/recording_brief.h"

#include "cli/command.h"
#include "cli/print.h"
#include "report/text/brief.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROFILE_BYTES_MAX = 32 << 20, COLUMNS_DEFAULT = 80, WIDTH_LEAST = 40 };

/* What "tare NAME: " leaves of the terminal's width. */
static size_t line_width(const struct command *command)
{
	struct winsize size = {0};
	const int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col
				    ? size.ws_col
				    : COLUMNS_DEFAULT;
	const size_t prefix = strlen("tare : ") + strlen(command->name);

	return columns > (int)(prefix + WIDTH_LEAST) ? (size_t)columns - prefix : WIDTH_LEAST;
}

void recording_brief_print(const struct command *command, const char *profile_path)
{
	const struct brief_options options = {.width = line_width(command),
					      .unicode = print_is_unicode()};
	const struct analysis_options everything = {0};
	struct stat status;
	struct error ignored;

	if (!isatty(STDERR_FILENO) || stat(profile_path, &status) != 0 ||
	    status.st_size > PROFILE_BYTES_MAX)
		return;
	struct profile *profile = profile_open(profile_path, &ignored);
	struct analysis *analysis = profile ? analysis_open(profile, &everything, &ignored) : NULL;

	if (analysis) {
		struct str line = {0};

		brief_cpu(analysis, &options, &line);
		print_note(command, "%s", line.data);
		str_clear(&line);
		brief_waits(analysis, &options, &line);
		print_note(command, "%s", line.data);
		str_fini(&line);
	}
	analysis_close(analysis);
	profile_close(profile);
}
