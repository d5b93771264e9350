/*
 * pager: text on a terminal goes through $PAGER, or through less. While it is shown, ^C is the
 * pager's; a pager that is left before the end of the text is no error.
 */
#ifndef TARE_CLI_PAGER_H
#define TARE_CLI_PAGER_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

struct pager {
	FILE *stream;
	struct sigaction interrupt, quit, pipe; /* before */
};

/* False where there is none, or none is wanted: write to the standard output then. */
bool pager_open(struct pager *pager);
/* Waits until the user has left it. Fails where it could not be run. */
bool pager_close(struct pager *pager, struct error *err);

#endif
