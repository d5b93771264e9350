/*
 * tui: the views of a profile on a terminal, to move over, open, sort and search. What is shown are
 * the rows, columns and lines of report's tables; nothing is computed here. The only user of
 * ncurses. The terminal is as it was before, however the pages are left, but by SIGKILL.
 */
#ifndef TARE_TUI_TUI_H
#define TARE_TUI_TUI_H

#include "analysis/analysis.h"
#include "report/report.h"

struct tui_options {
	const char *path;	     /* of the profile */
	const char *view, *function; /* to begin with; function NULL: none */
	bool inverted;		     /* of the view calltree */
	const struct analysis_options *selection;
	/* Units, sources, colours and characters; the rest is the pages' own. */
	const struct report_options *report;
};

/*
 * Returns when the user quits. Fails where the profile cannot be read, and where standard input and
 * output are no terminal that can place its cursor. A signal that ends the process does so.
 */
bool tui_run(const struct tui_options *options, struct error *err);

#endif
