/* Demangling for those outside of analysis that name functions. */
#ifndef TARE_ANALYSIS_DEMANGLE_H
#define TARE_ANALYSIS_DEMANGLE_H

#include "base/arena.h"

/* The demangled form of `symbol` in the arena, or `symbol` itself where it has none. */
const char *analysis_demangle(struct arena *arena, const char *symbol);

#endif
