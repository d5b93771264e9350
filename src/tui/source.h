/*
 * The profile that is looked at, and its analyses: what a view shows is of the analysis that `tare
 * report` makes for it. Views that need the same share one, opened when it is first needed. Private
 * to tui.
 */
#ifndef TARE_TUI_SOURCE_H
#define TARE_TUI_SOURCE_H

#include "analysis/analysis.h"
#include "report/table/row.h"
#include "tui/tui.h"

enum source_kind {
	SOURCE_PLAIN,	 /* most views */
	SOURCE_MERGED,	 /* threads of one name as one: summary */
	SOURCE_ALL_TIME, /* whatever part of the time the others are of */
	SOURCE_PLACES,	 /* of lines and instructions */
	SOURCE_EXECUTED, /* executions alone: branches */
	SOURCE_KINDS
};

struct tui_source {
	const char *path; /* borrowed */
	struct profile *profile;
	struct analysis_options asked; /* as the command line says */
	const char *from, *to;	       /* borrowed; of views that are of a part of the time */
	struct analysis *analyses[SOURCE_KINDS]; /* NULL: not opened */
	/* What is looked at: globs, or NULL for all that was asked for. */
	char *process, *thread;
	struct str filter; /* the same in words; empty: all */
	bool merge_threads;
};

/* Opens the profile, no analysis yet. What the options point to has to stay. */
bool tui_source_open(struct tui_source *source, const struct tui_options *options,
		     struct error *err);
void tui_source_close(struct tui_source *source);

/* Whether the view's analysis is there already, so that the next function takes no time. */
bool tui_source_has(const struct tui_source *source, const char *view);
/* NULL with err where it cannot be made. */
struct analysis *tui_source_analysis(struct tui_source *source, const char *view,
				     struct error *err);

/*
 * The row's thread or process alone, or NULL for all. What was made of the analyses before must be
 * closed. False: the row has neither, and nothing is changed.
 */
bool tui_source_select(struct tui_source *source, const struct report_row *row);
void tui_source_merge(struct tui_source *source, bool merge_threads);

/* Appends `text` as a glob that only it matches. */
void tui_append_glob(struct str *out, const char *text);

#endif
