/*
 * The text of source files that debug information names, for views that show it. Compilers write
 * the paths of the machine that built the program: a path's beginning can be replaced.
 */
#ifndef TARE_OBJECT_SOURCE_TEXT_H
#define TARE_OBJECT_SOURCE_TEXT_H

#include "base/base.h"

enum { SOURCE_BYTES_MAX = 32 << 20 };

/* Paths that begin with `from` (up to a '/' or the end) begin with `to` on this machine. */
struct source_prefix {
	const char *from, *to;
};

struct source_prefixes vec_of(struct source_prefix);

/* Adds "FROM=TO", whose text is copied into the arena. */
bool source_prefix_parse(struct source_prefixes *prefixes, struct arena *arena, const char *text,
			 struct error *err);
/* The path on this machine: by the last of the prefixes that fits, else `path` itself. */
void source_path_map(const struct source_prefixes *prefixes, const char *path, struct str *mapped);

struct source_text {
	char *path; /* that was opened */
	char *bytes;
	size_t size;
	int64_t modified_unix_ns;     /* later than the recording: it may be another text */
	struct vec_of(size_t) starts; /* of each line */
};

/*
 * Reads a source file of up to SOURCE_BYTES_MAX. `prefixes` may be NULL. Fails with the reason as a
 * sentence: missing, not absolute, no regular file, too large, not text.
 */
bool source_text_open(struct source_text *text, const struct source_prefixes *prefixes,
		      const char *path, struct error *err);
void source_text_close(struct source_text *text);

/* Line `number` (from 1) without its end, not NUL-terminated; NULL if there is none. */
const char *source_text_line(const struct source_text *text, size_t number, size_t *length);

#endif
