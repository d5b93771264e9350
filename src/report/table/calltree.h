/* The call tree and its noise reduction. Private to report. */
#ifndef TARE_REPORT_TABLE_CALLTREE_H
#define TARE_REPORT_TABLE_CALLTREE_H

#include "report/table/table.h"

bool report_fill_calltree(struct report *report, struct error *err);
/* inverted_rows.c: the same from its leaves. */
bool report_fill_inverted(struct report *report, struct error *err);
struct report_row report_inverted_row(const struct report *report,
				      const struct analysis_inverted *inverted);
/* The hot path's rows, as the call tree has them. */
void report_add_hot_path(struct report *report, struct report_table *table);

/*
 * For a tree that is opened row by row: appends what is directly below `above` (NULL: the first
 * rows), sorted. The report is prepared for the call tree, or for that from its leaves.
 */
void report_add_level(struct report *report, const struct report_row *above,
		      struct report_rows *rows);
/* Whether there is anything below. */
bool report_has_level(const struct report *report, const struct report_row *row);
/* A node as a row with the process and thread of the row above it. */
struct report_row report_row_of_node(const struct analysis *analysis,
				     const struct report_row *above, uint32_t index);

/* Refuses options that do nothing in the view. */
bool report_check_allowed(const struct report_options *options, enum view_id view,
			  struct error *err);

/* Whether rows are left out by names or filters; and of a tree: what they leave, found once. */
bool report_is_selective(const struct report *report);
void report_find_kept(struct report *report);
bool report_keeps_node(const struct report *report, uint32_t node);
bool report_keeps_process(const struct report *report, const struct analysis_process *process);
void report_kept_fini(struct report_kept *kept);

/* The threshold in effect, in percent; 0: none. */
double report_trim(const struct report *report);

/*
 * The names of a row's frames, "outer › inner". Shortened to `width`, the outermost and innermost
 * stay, with the number of those between; `mark` tells apart what would look alike, without one
 * (NULL) names are fitted as those of code.
 */
void report_append_frames(const struct report *report, const struct report_row *row,
			  struct str *out);
void report_append_frames_shortened(struct str *out, const char *text, size_t width,
				    const char *mark, bool unicode);
/* What stands between the names of two frames. */
const char *report_frames_separator(bool unicode);

/* Names of frames with `sign` between them, each as name_append_plain has it. */
void report_append_frames_plain(struct str *out, const char *text, const char *sign, bool unicode);

#endif
