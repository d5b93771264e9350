/* Makes the table of one ELF file from its .eh_frame, and .debug_frame for what that lacks. */
#ifndef TARE_UNWIND_BUILD_H
#define TARE_UNWIND_BUILD_H

#include "object/object.h"
#include "unwind/rule_table.h"

/* What a table leaves out: code whose unwind information is malformed or unknown. */
struct unwind_build_statistics {
	size_t functions, refused; /* FDEs */
};

/* What is done where there is no unwind information. */
enum unwind_gaps {
	UNWIND_GAPS_NONE, /* nothing, but at system calls */
	/* What the code does is followed: up to a second where there is much such code. */
	UNWIND_GAPS_FOLLOWED,
};

/*
 * The table of `object`, which was opened with OBJECT_UNWIND, and OBJECT_DEBUG_FRAME where that is
 * wanted; free() it. It has no rows when the file has no unwind information. Refused is code
 * further than 4 GB from the first.
 */
struct unwind_table *unwind_table_build(const struct object *object, enum unwind_gaps gaps,
					struct unwind_build_statistics *statistics);

/* The table of one function; free() it. It has no rows where its unwind information is refused. */
struct unwind_table *unwind_table_build_function(const struct object_fde *fde);

#endif
