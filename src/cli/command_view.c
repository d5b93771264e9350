/*
 * tare view: the HTML page of a profile, in a browser. Without -o the page is a temporary file of
 * this user alone, which stays, as the browser reads it later. Refuses nothing that it could write:
 * where no browser is found the error names the file.
 */
#include "cli/command.h"
#include "cli/compared.h"
#include "cli/embed_option.h"
#include "cli/external_program.h"
#include "cli/newest_profile.h"
#include "cli/print.h"
#include "cli/sink.h"
#include "report/html/html.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct view_values {
	const char *output, *compare;
	int embed_source; /* enum export_code */
	struct option_list source_paths;
	struct profile_values profile;
};

#define AT(member) offsetof(struct view_values, member)

static const struct option view_command_options[] = {
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "Write the page to FILE and open no browser",
	 .type = OPTION_TEXT,
	 .offset = AT(output)},
	{.name = "compare",
	 .argument = "BASE",
	 .help = "Compare with the profile BASE: differences of functions and call paths",
	 .type = OPTION_TEXT,
	 .offset = AT(compare)},
	EMBED_SOURCE_OPTION(AT(embed_source)),
	{.name = "source-path",
	 .argument = "FROM=TO",
	 .help = "Sources whose path begins with FROM are at TO (repeatable)",
	 .type = OPTION_LIST,
	 .offset = AT(source_paths)},
	PROFILE_SELECTION_OPTIONS(AT(profile)),
	{0},
};

/* ---- browser ---- */

/* $BROWSER, a command with arguments, or xdg-open; NULL where neither can be run. */
static const char *browser_find(void)
{
	const char *chosen = getenv("BROWSER");
	char program[4096];

	if (!chosen || !chosen[0])
		return program_is_there("xdg-open") ? "xdg-open" : NULL;
	const size_t length = strcspn(chosen, " ");
	snprintf(program, sizeof(program), "%.*s", (int)length, chosen);
	return program_is_there(program) ? chosen : NULL;
}

static _Noreturn void browser_run(const char *browser, const char *path)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	setenv("TARE_BROWSER", browser, 1);
	execl("/bin/sh", "sh", "-c", "exec $TARE_BROWSER \"file://$1\"", "sh", path, (char *)NULL);
	_exit(127);
}

/* It lives on by itself: many browsers stay in the foreground. */
static bool browser_open(const char *browser, const char *path, struct error *err)
{
	const pid_t child = fork();

	if (child < 0)
		return error_set_errno(err, errno, "cannot start a browser for %s", path);
	if (child == 0) {
		setsid();
		if (fork() == 0)
			browser_run(browser, path);
		_exit(0);
	}
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return true;
}

/* ---- page ---- */

/* What to show and how. */
struct page {
	const struct view_values *values;
	struct compared compared;
};

static bool write_page(const struct page *page, FILE *stream, struct error *err)
{
	const struct compared *compared = &page->compared;
	struct globs sources = {0};
	const struct export_options options = {
		.path = compared->profile.path,
		.from = page->values->profile.from,
		.to = page->values->profile.to,
		.base = compared->base.analysis,
		.base_path = compared->base.path,
		.code = (enum export_code)page->values->embed_source,
		.lines = compared->profile.lines,
		.source_paths = globs_of(&sources, &page->values->source_paths)};
	const bool ok = html_write(compared->profile.analysis, &options, stream, err);

	vec_fini(&sources);
	return ok;
}

static bool write_output(const struct page *page, struct error *err)
{
	struct sink sink = {.file = {.fd = -1}};

	if (!sink_open(&sink, page->values->output, SINK_PRIVATE, err))
		return false;
	return sink_close(&sink, write_page(page, sink.stream, err), err);
}

/* Makes the file anew with a name that nobody can know before; returns its stream. */
static FILE *temporary_open(struct str *path, struct error *err)
{
	static const char suffix[] = ".html";
	const char *directory = getenv("TMPDIR");

	str_printf(path, "%s/tare-XXXXXX%s", directory && directory[0] == '/' ? directory : "/tmp",
		   suffix);
	const int fd = mkostemps(path->data, sizeof(suffix) - 1, O_CLOEXEC);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");
	if (!stream)
		error_set_errno(err, errno, "cannot write %s", path->data);
	if (!stream && fd >= 0)
		close(fd);
	return stream;
}

static bool write_temporary(const struct page *page, struct str *path, struct error *err)
{
	FILE *stream = temporary_open(path, err);

	if (!stream)
		return false;
	bool ok = write_page(page, stream, err);
	if (ok && ferror(stream))
		ok = error_set_errno(err, ENOSPC, "cannot write %s", path->data);
	if (fclose(stream) != 0 && ok)
		ok = error_set_errno(err, errno, "cannot write %s", path->data);
	if (!ok)
		unlink(path->data);
	return ok;
}

static bool show(const struct page *page, struct error *err)
{
	struct str path = {0};
	bool ok = write_temporary(page, &path, err);

	if (ok) {
		const char *browser = browser_find();
		ok = browser ? browser_open(browser, path.data, err)
			     : error_set(err, ERROR_NOT_FOUND,
					 "no browser: neither $BROWSER nor xdg-open can be run; "
					 "the page is %s",
					 path.data);
		if (ok)
			print_note(&command_view, "the page is %s", path.data);
	}
	str_fini(&path);
	return ok;
}

/*
 * One profile, or the base and the new one: the latter is the page's. None: the newest one here.
 * free() *shown.
 */
static bool operands_choose(const struct operands *operands, const char **base, char **shown,
			    struct error *err)
{
	if (operands->count > 2 || (operands->count == 2 && *base))
		return error_set(err, ERROR_USAGE,
				 "a page has one profile and at most one to compare it with: tare "
				 "view BASE NEW");
	if (operands->count == 2)
		*base = operands->items[0];
	*shown = operands->count ? mem_strdup(operands->items[operands->count - 1])
				 : newest_profile(&command_view,
						  "tare view FILE, or tare view BASE NEW", err);
	return *shown != NULL;
}

static int view_run(const void *opaque, const struct operands *operands, struct error *err)
{
	const struct view_values *values = opaque;
	struct page page = {.values = values};
	const char *base = values->compare;
	char *shown = NULL;

	if (!operands_choose(operands, &base, &shown, err))
		return -1;
	bool ok = compared_open(&page.compared, shown, base, &values->profile, COMPARED_PAGE, err);
	if (ok)
		ok = values->output ? write_output(&page, err) : show(&page, err);
	compared_close(&page.compared);
	free(shown);
	return ok ? EXIT_STATUS_OK : -1;
}

const struct command command_view = {
	.name = "view",
	.operands = "[[BASE] FILE]",
	.summary = "show a profile in a browser",
	.description =
		"Writes the profile FILE as one HTML page, which needs neither other files nor a "
		"network,\n"
		"and opens it with $BROWSER or xdg-open: summary, functions, callers and callees, "
		"call\n"
		"tree, flame graph, OS time. With two profiles, or --compare, also what differs "
		"from BASE.\n"
		"Without FILE it is the newest profile in this directory.\n"
		"\n"
		"Exit status: 0 written and handed to a browser, 1 failed (no such profile, "
		"damaged,\n"
		"page not writable, no browser), 2 wrong command line.",
	.examples = "tare view prog.tare\n"
		    "tare view old.tare new.tare -o page.html\n",
	.options = view_command_options,
	.values_bytes = sizeof(struct view_values),
	.run = view_run,
};
