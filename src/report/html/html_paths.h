/* Call paths below threads, put together from stacks, as columns. Private to report. */
#ifndef TARE_REPORT_HTML_PATHS_H
#define TARE_REPORT_HTML_PATHS_H

#include "analysis/analysis.h"
#include "report/html/html_pack.h"

/* Nodes are numbers in the order in which they were made, so parents come before children. */
struct html_path {
	uint32_t parent, subject; /* parent NONE: a thread, which is the subject then */
};

struct html_paths {
	const struct analysis *analysis;
	const struct profile_stack *stacks;
	const struct profile_location *locations;
	struct map known; /* parent << 32 | subject → node */
	struct vec_of(struct html_path) nodes;
	struct vec_of(uint32_t) chain; /* functions of a stack, innermost first */
	size_t most;		       /* nodes, besides those of threads */
};

void html_paths_init(struct html_paths *paths, const struct analysis *analysis, size_t most);
void html_paths_fini(struct html_paths *paths);

/* The node of a thread. */
uint32_t html_paths_thread(struct html_paths *paths, uint32_t thread);
/* The node below `parent`. Where there is no room for it, *room is false, and it is `parent`. */
uint32_t html_paths_node(struct html_paths *paths, uint32_t parent, uint32_t subject, bool *room);
/* Puts the functions of a stack into `chain`. */
void html_paths_read(struct html_paths *paths, int64_t stack);

/* Packs the columns NAME.parent and NAME.subject. */
void html_paths_pack(const struct html_paths *paths, struct html_pack *pack, const char *name);

#endif
