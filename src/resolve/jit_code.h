/*
 * jit_code: what compilers that work while the program runs tell of their code. Two forms, both
 * made for perf: a map (perf-PID.map: lines "START SIZE NAME" in hexadecimal) and a dump
 * (jit-PID.dump: see tools/perf/Documentation/jitdump-specification.txt in the source of Linux),
 * which has source lines too. Of code that took the place of other code, the last one counts.
 */
#ifndef TARE_RESOLVE_JIT_CODE_H
#define TARE_RESOLVE_JIT_CODE_H

#include "base/base.h"

struct jit_line {
	uint64_t run_addr;
	const char *source;
	uint32_t line;
};

struct jit_function {
	uint64_t run_addr, size;
	const char *name;
	const struct jit_line *lines; /* by run_addr, as they were when it was loaded; or NULL */
	size_t line_count;
	uint64_t moved; /* added to the run addresses of lines */
};

struct jit_code;

struct jit_code *jit_code_new(void);
void jit_code_free(struct jit_code *code);

/* These add what the bytes tell; what makes no sense in them is left out. Nothing is borrowed. */
void jit_code_read_map(struct jit_code *code, const void *bytes, size_t size);
void jit_code_read_dump(struct jit_code *code, const void *bytes, size_t size);

/* The function at a run address, or NULL. Valid until more is read. */
const struct jit_function *jit_code_find(struct jit_code *code, uint64_t run_addr);

/* Where it is declared, as far as its name says so, as V8's do: "JS:*name /path/of.js:12:34". */
bool jit_function_declared(const struct jit_function *function, struct arena *arena,
			   struct jit_line *declared);

/* The line at a run address of the function, or NULL if that is not known. */
const struct jit_line *jit_function_line(const struct jit_function *function, uint64_t run_addr);

#endif
