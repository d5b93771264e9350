/* Lines of the header: a key, and facts beside it. Private to report. */
#ifndef TARE_REPORT_TEXT_KEY_LINE_H
#define TARE_REPORT_TEXT_KEY_LINE_H

#include "report/table/table.h"

/* A line stands out, is as usual, is there for whom it may concern, or names what was recorded. */
enum key_line_look { LINE_ALERT, LINE_PLAIN, LINE_QUIET, LINE_NAMED };

enum { KEY_LINE_WIDTH = 11 };

const char *key_line_text_or(const char *text, const char *otherwise);

/* Columns that are left for what stands beside the key. */
size_t key_line_room(const struct report *report);

/* One line; `text` is escaped, shortened to the width, and cleared. */
void key_line_write(const struct report *report, FILE *stream, int look, const char *key,
		    struct str *text);
/* A sentence, or facts, of any length on as many lines as it takes. Clears `text`. */
void key_line_write_facts(const struct report *report, FILE *stream, int look, const char *key,
			  struct str *text);

/* "; " where there are facts already. */
void key_line_begin_fact(struct str *text);
void key_line_append_time(const struct report *report, uint64_t ticks, struct str *text);
/* "3 threads" */
void key_line_append_count(struct str *text, uint64_t count, const char *one, const char *many);
/* "3 events dropped" behind others of its kind; nothing where the count is 0. */
void key_line_append_loss(struct str *text, uint64_t count, const char *what);

#endif
