/* See pager.h. An empty $PAGER, or cat, is the wish for none. */
#include "cli/pager.h"
#include "cli/external_program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { SHELL_NOT_EXECUTABLE = 126, SHELL_NOT_FOUND = 127 };

static const char *pager_name(void)
{
	const char *name = getenv("PAGER");

	if (!name)
		return program_is_there("less") ? "less" : NULL;
	return !name[0] || strcmp(name, "cat") == 0 ? NULL : name;
}

bool pager_open(struct pager *pager)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	const char *name = pager_name();

	if (!name)
		return false;
	/* Colours are shown, lines are not wrapped, and what fits stays on the screen. */
	setenv("LESS", "FRSX", 0);
	fflush(stdout);
	pager->stream = popen(name, "w");
	if (!pager->stream)
		return false;
	sigaction(SIGINT, &ignore, &pager->interrupt);
	sigaction(SIGQUIT, &ignore, &pager->quit);
	sigaction(SIGPIPE, &ignore, &pager->pipe);
	return true;
}

bool pager_close(struct pager *pager, struct error *err)
{
	const int status = pclose(pager->stream);

	sigaction(SIGINT, &pager->interrupt, NULL);
	sigaction(SIGQUIT, &pager->quit, NULL);
	sigaction(SIGPIPE, &pager->pipe, NULL);
	if (status < 0 || !WIFEXITED(status) ||
	    (WEXITSTATUS(status) != SHELL_NOT_FOUND && WEXITSTATUS(status) != SHELL_NOT_EXECUTABLE))
		return true;
	return error_set(err, ERROR_NOT_FOUND,
			 "cannot run the pager \"%s\"; say --no-pager, or set PAGER to another",
			 pager_name() ? pager_name() : "");
}
