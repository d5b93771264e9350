/* The functions of the running kernel and of its modules, as /proc/kallsyms has them. */
#ifndef TARE_SESSION_KERNEL_SYMBOLS_H
#define TARE_SESSION_KERNEL_SYMBOLS_H

#include "base/base.h"

struct kernel_symbol {
	uint64_t addr;
	const char *name;
	const char *module; /* "[name]", or NULL: the kernel itself */
};

struct kernel_symbols {
	struct arena arena;
	struct vec_of(struct kernel_symbol) list; /* of code, ascending; one per address */
};

/* Reads what this user may see, which may be nothing. */
void kernel_symbols_read(struct kernel_symbols *symbols);
/* The same from text of that form. */
void kernel_symbols_parse(struct kernel_symbols *symbols, const char *text);
void kernel_symbols_fini(struct kernel_symbols *symbols);

/* The one that begins last at or below `addr`, or NULL. *size gets the distance to the next. */
const struct kernel_symbol *kernel_symbols_covering(const struct kernel_symbols *symbols,
						    uint64_t addr, uint64_t *size);

#endif
