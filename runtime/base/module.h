/*
 * module: an instrumented file in memory: its note, its slots and arming bytes (abi/module.h).
 */
#ifndef TARE_RUNTIME_BASE_MODULE_H
#define TARE_RUNTIME_BASE_MODULE_H

#include "abi/module.h"

#include <elf.h>
#include <stdbool.h>

/* A loaded file as its program headers describe it. */
struct module_segments {
	uint64_t bias;
	const Elf64_Phdr *headers;
	uint64_t count;
};

/* The descriptor of the file's first note of tare's of a type, at least so long; or NULL. */
const void *module_note(const struct module_segments *segments, uint32_t type,
			uint64_t least_bytes);

/* Does the range lie in one of the file's own writable segments? */
bool module_may_write(const struct module_segments *segments, uint64_t addr, uint64_t size_bytes);

/* The descriptor of its note, or NULL where it is not instrumented. */
const struct tare_module *module_find(const struct module_segments *segments);

/* Its dynamic symbols, as far as they are known. */
struct module_symbols {
	const Elf64_Sym *table;
	const char *names;
	uint64_t names_bytes;
	uint64_t count;
};

/*
 * False where it has none, or where nothing tells their end: it is the next of the tables that the
 * dynamic section names. What lies between them may count as symbols, too.
 */
bool module_symbols_find(const struct module_segments *segments, struct module_symbols *symbols);

/* Empty where it has none within the names. */
const char *module_symbol_name(const struct module_symbols *symbols, uint64_t number);

/* The symbol that the file defines under this name, or NULL. */
const Elf64_Sym *module_symbol_find(const struct module_segments *segments,
				    const struct module_symbols *symbols, const char *name);

/* Does it want this function of other files? */
bool module_imports(const struct module_segments *segments, const char *name);

/* The addresses that it occupies: [begin, end). Both 0 where the headers are not known. */
uint64_t module_begin(const struct module_segments *segments);
uint64_t module_end(const struct module_segments *segments);

#endif
