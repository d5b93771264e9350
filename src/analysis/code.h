/*
 * The code of modules, read from their files on this machine: only where these are still the files
 * that were recorded. Private to analysis.
 */
#ifndef TARE_ANALYSIS_CODE_H
#define TARE_ANALYSIS_CODE_H

#include "analysis/analysis.h"
#include "object/object.h"

struct code_file; /* of one module */

struct code_reader {
	const struct analysis *analysis;
	struct code_file *files; /* by module */
};

void code_reader_init(struct code_reader *reader, const struct analysis *analysis);
void code_reader_fini(struct code_reader *reader);

/* NULL with a sentence in *reason, which lives as long as the reader. */
const struct object *code_of_module(struct code_reader *reader, uint32_t module,
				    const char **reason);

/* Where a function's code ends: by its size, else by its symbol or call-frame information. */
uint64_t code_end(const struct object *object, const struct analysis_function *function);

/*
 * The text of the instruction at `addr`, which ends before `end`; its length, 0 where the file has
 * no code there. `text` may be NULL.
 */
size_t code_text(const struct object *object, uint64_t addr, uint64_t end, char *text,
		 size_t text_size);

/* Of the instruction of that length there. */
bool code_calls_indirectly(const struct object *object, uint64_t addr, size_t length);

#endif
