/* What the files of annotate share. Private to analysis. */
#ifndef TARE_ANALYSIS_ANNOTATOR_H
#define TARE_ANALYSIS_ANNOTATOR_H

#include "analysis/annotate.h"
#include "analysis/code.h"
#include "analysis/stack_counts.h"
#include "object/source_text.h"

/* A function to annotate: one with code, inlined code of its symbol, or both. */
struct annotated {
	uint32_t module;
	uint32_t function;  /* ANALYSIS_NONE: it was only inlined */
	const char *symbol; /* "" if it has none */
	const char *name;
};

struct annotator {
	const struct analysis *analysis;
	const struct annotation_options *options;
	struct annotation *annotation;
	struct code_reader code;
	struct source_prefixes prefixes;
	const uint32_t *first_line; /* of locations: see analysis_lines_of_locations */
	struct error *err;
};

__attribute__((format(printf, 2, 3))) void annotator_note(struct annotator *annotator,
							  const char *format, ...);

/* Appends rows[from..] of the annotation again with gaps instead of rows far from any sample. */
void annotator_leave_out(struct annotator *annotator, size_t from);

/* Appends the function's lines; false where none is known. */
bool annotate_source(struct annotator *annotator, const struct annotated *target);
/* Appends its instructions. */
void annotate_code(struct annotator *annotator, const struct annotated *target);

#endif
