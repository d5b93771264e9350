/* The lines of a source file on this machine, for those that write them beside what is known. */
#ifndef TARE_ANALYSIS_SOURCE_LINES_H
#define TARE_ANALYSIS_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

struct source_lines;

/* NULL where the file is not here, or no text. */
struct source_lines *source_lines_open(const char *path);
void source_lines_close(struct source_lines *lines);
/* Line `number` (from 1) without its end, not NUL-terminated; NULL behind the last one. */
const char *source_lines_at(const struct source_lines *lines, size_t number, size_t *length);

#endif
