/*
 * Lines of tab-separated fields: the form of tare's own small files (the recording file of a
 * session, the metadata of the cache). Fields may hold any bytes; tabs, newlines, other control
 * characters and backslashes are written as \xHH.
 */
#ifndef TARE_SESSION_TEXT_FILE_H
#define TARE_SESSION_TEXT_FILE_H

#include "base/base.h"

#include <stdint.h>

enum { TEXT_FIELDS_MAX = 12 };

/* Appends `field`, escaped, behind a tab unless it is the first of its line. */
void text_put_field(struct str *out, const char *field);
__attribute__((format(printf, 2, 3))) void text_put_fieldf(struct str *out, const char *format,
							   ...);
void text_end_line(struct str *out);

struct text_line {
	char *fields[TEXT_FIELDS_MAX];
	size_t count;
};

/*
 * Takes the next line off `*text` and splits and unescapes it in place. False at the end; a last
 * line without newline (cut off while it was written) counts as the end.
 */
bool text_next_line(char **text, struct text_line *line);

/* The field as a number; false where it is missing or is not wholly a number. */
bool text_u64(const struct text_line *line, size_t field, uint64_t *value);
bool text_i64(const struct text_line *line, size_t field, int64_t *value);
/* The field, or "" where it is missing. */
const char *text_field(const struct text_line *line, size_t field);

/* Reads a whole regular file of at most `limit` bytes, relative to `dir_fd`, never following a
   link, owned by this user; NUL-terminated, free it. */
char *text_read_file(int dir_fd, const char *name, size_t limit, struct error *err);

#endif
