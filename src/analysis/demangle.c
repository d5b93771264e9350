/*
 * C++, Rust and D names by libiberty. Names that are no valid mangling stay as they are; so do
 * overlong ones, as the demangler's result may be exponentially longer than its input.
 */
#include "analysis/private.h"

#include <libiberty/demangle.h>
#include <string.h>

enum { SYMBOL_MAX = 4096, NAME_MAX_BYTES = 100000 };

static bool looks_mangled(const char *symbol)
{
	return strncmp(symbol, "_Z", 2) == 0 || strncmp(symbol, "_R", 2) == 0 ||
	       strncmp(symbol, "__Z", 3) == 0 || strncmp(symbol, "_D", 2) == 0;
}

const char *analysis_demangle(struct arena *arena, const char *symbol)
{
	if (!looks_mangled(symbol) || strlen(symbol) > SYMBOL_MAX)
		return symbol;
	char *text = cplus_demangle(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	if (!text)
		return symbol;
	const char *result = strlen(text) <= NAME_MAX_BYTES ? arena_strdup(arena, text) : symbol;
	free(text);
	return result;
}
