/* Makes the table of one ELF file from its .eh_frame. */
#ifndef TARE_UNWIND_BUILD_H
#define TARE_UNWIND_BUILD_H

#include "object/object.h"
#include "unwind/table.h"

/* What a table leaves out: code whose unwind information is malformed or unknown. */
struct unwind_build_statistics {
	size_t functions, refused; /* FDEs */
};

/*
 * The table of `object`, which was opened with OBJECT_UNWIND; free() it. It has no rows when the
 * file has no unwind information. Refused is code further than 4 GB from the first.
 */
struct unwind_table *unwind_table_build(const struct object *object,
					struct unwind_build_statistics *statistics);

#endif
