/*
 * The profile that is looked at, and its analyses: one for most views, one with places in the code,
 * each opened when it is first needed. Private to tui.
 */
#ifndef TARE_TUI_SOURCE_H
#define TARE_TUI_SOURCE_H

#include "analysis/analysis.h"
#include "report/table/row.h"

struct tui_source {
	const char *path; /* borrowed */
	struct profile *profile;
	struct analysis_options asked; /* as the command line says */
	struct analysis *plain, *places;
	/* What is looked at: globs, or NULL for all that was asked for. */
	char *process, *thread;
	struct str filter; /* the same in words; empty: all */
	bool merge_threads;
};

/* Opens the profile, no analysis yet; `asked` is copied, what it points to has to stay. */
bool tui_source_open(struct tui_source *source, const char *path,
		     const struct analysis_options *asked, struct error *err);
void tui_source_close(struct tui_source *source);

/* Whether it is there already, so that the next function takes no time. */
bool tui_source_has(const struct tui_source *source, bool places);
/* Whether the profile has what an analysis with places is of; without, none is opened for it. */
bool tui_source_has_places(const struct tui_source *source);
/* NULL with err where it cannot be made. */
struct analysis *tui_source_analysis(struct tui_source *source, bool places, struct error *err);

/*
 * The row's thread or process alone, or NULL for all. What was made of the analyses before must be
 * closed. False: the row has neither, and nothing is changed.
 */
bool tui_source_select(struct tui_source *source, const struct report_row *row);
void tui_source_merge(struct tui_source *source, bool merge_threads);

/* Appends `text` as a glob that only it matches. */
void tui_append_glob(struct str *out, const char *text);

#endif
