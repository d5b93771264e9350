/* The functions of the running kernel and of its modules, as /proc/kallsyms has them. */
#ifndef TARE_RESOLVE_KERNEL_SYMBOLS_H
#define TARE_RESOLVE_KERNEL_SYMBOLS_H

#include "base/base.h"
#include "base/file_view.h"

struct kernel_symbol {
	uint64_t addr;
	const char *name;
	const char *module; /* "[name]", or NULL: the kernel itself */
};

struct kernel_range {
	uint64_t begin, end;
};

struct kernel_symbols {
	struct arena arena;
	struct vec_of(struct kernel_symbol) list; /* of code, ascending; one per address */
	const char *last_module;		  /* while they are read */
	uint64_t text_end;			  /* of the kernel's own code; 0: unknown */
	/* What was kept from an earlier reading, in the place of the list; elsewhere than in the
	   kernel's own code and in these ranges code may have come since. */
	struct file_view kept;
	struct vec_of(struct kernel_range) kept_ranges;
	struct kernel_symbol found; /* of what was kept: the last answer */
};

/*
 * Reads what this user may see, which may be nothing. `kept`: takes what an earlier recording has
 * kept (cache/derived.h), and keeps what it reads.
 */
void kernel_symbols_read(struct kernel_symbols *symbols, bool kept);
/* The same from text of that form. */
void kernel_symbols_parse(struct kernel_symbols *symbols, const char *text);
void kernel_symbols_fini(struct kernel_symbols *symbols);

/* The one that begins last at or below `addr`, or NULL. *size gets the distance to the next. Reads
   again where what was kept cannot tell; an answer holds until the next one. */
const struct kernel_symbol *kernel_symbols_covering(struct kernel_symbols *symbols, uint64_t addr,
						    uint64_t *size);

#endif
