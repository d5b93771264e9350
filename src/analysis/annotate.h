/*
 * annotate: functions with their samples beside each source line, and what was inlined there below
 * it; or beside each instruction.
 */
#ifndef TARE_ANALYSIS_ANNOTATE_H
#define TARE_ANALYSIS_ANNOTATE_H

#include "analysis/analysis.h"

enum annotation_kind {
	ANNOTATION_LINE,    /* of the function */
	ANNOTATION_INLINED, /* a line of an inlined function, below that it was inlined into */
	ANNOTATION_SMALL,   /* stands for `left_out` inlined ones, each of little */
	ANNOTATION_INSTRUCTION,
	ANNOTATION_GAP, /* stands for `left_out` lines or instructions without samples */
};

struct annotation_row {
	enum annotation_kind kind;
	const char *heading; /* of what begins with this row; NULL: nothing does */
	const char *name;    /* of the function that the line is in */
	uint32_t module;
	uint32_t depth;	    /* of inlining: 0 for the function's own lines */
	const char *source; /* NULL: not known */
	uint32_t line;	    /* 0: not known */
	uint64_t link_addr;
	const char *text; /* of the line or instruction; not NUL-clean; NULL: not known */
	/* Of inlined code: rows below it, of which it has the exclusive values. */
	uint64_t left_out;
	struct analysis_place values;
};

/* Lines of a file that belong to a function by its debug information, the last one included. */
struct annotation_extent {
	const char *source;
	uint32_t first, last;
};

/* One function as a whole, for those who know its code: see listing.h. */
struct annotation_whole {
	uint32_t function; /* index */
	const struct annotation_extent *extents;
	size_t extent_count;
	/* A profile may name any file: unless this is set, only those of `extents` are read. */
	bool reads_any;
	struct code_reader *code; /* of listings, whose files are open already; borrowed */
};

struct annotation_options {
	const char *function;		      /* name or glob */
	const struct annotation_whole *whole; /* instead of `function`; NULL: by that */
	bool assembly;			      /* instructions, not lines */
	/* Lines around those with samples; UINT32_MAX: all of the function, and all that was
	   inlined there. */
	uint32_t context;
	const char *const *source_paths; /* "FROM=TO": where sources are on this machine */
	size_t source_path_count;
};

struct annotation {
	struct arena arena;
	struct vec_of(struct annotation_row) rows;
	struct vec_of(const char *) notes; /* what could not be shown, in sentences */
};

/*
 * Needs analysis_options.places. Fails with ERROR_NOT_FOUND where no sample has a function of that
 * name, ERROR_USAGE where it means too many. Initialises `annotation` in any case.
 */
bool analysis_annotate(const struct analysis *analysis, const struct annotation_options *options,
		       struct annotation *annotation, struct error *err);
void analysis_annotation_fini(struct annotation *annotation);

#endif
