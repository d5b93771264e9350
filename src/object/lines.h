/*
 * lines: from link addresses of one file to source lines, with the functions that were inlined
 * there. Reads DWARF 4 and 5 by libdw, from the file itself or its separate debug file; dwz files
 * (.gnu_debugaltlink) and split DWARF (.dwo) are followed. All answers are borrowed until
 * lines_close.
 */
#ifndef TARE_OBJECT_LINES_H
#define TARE_OBJECT_LINES_H

#include "base/file_view.h"
#include "object/object.h"

/* What is known of an address, or why nothing is. */
enum lines_reason {
	LINES_KNOWN,
	LINES_NO_SPLIT_FILE, /* the line only: functions are in a .dwo file that is not there */
	LINES_NO_FILE,	     /* the file is not there any more, or another one now */
	LINES_NO_DEBUG_INFO, /* it has none, nor was a separate debug file found */
	LINES_NOT_COVERED,   /* it has some, but none for this address */
	LINES_DAMAGED,	     /* it has some that could not be read */
	LINES_REASONS
};

/* "no debug information" and its like. */
const char *lines_reason_text(enum lines_reason reason);

struct lines_frame {
	const char *function;  /* linkage name if it has one; "" if unknown */
	const char *source;    /* path, absolute if the compiler said where; NULL: unknown */
	uint32_t line, column; /* 0: unknown, or code that belongs to no line */
};

struct lines_answer {
	enum lines_reason reason;
	/* Innermost inlined function first, the function that the code belongs to last. */
	const struct lines_frame *frames;
	size_t count;
	/* Where the function that the code belongs to was declared; NULL, 0: unknown. */
	const char *declared_source;
	uint32_t declared_line;
};

struct lines;

/* Where debug information is kept that was unpacked once, by a name that stands for one contents.
 */
struct lines_store {
	bool (*open)(const char *name, struct file_view *view);
	void (*keep)(const char *name, const void *bytes, size_t size);
};

/*
 * Prepares to look up addresses of `object`, which is borrowed until lines_close and was opened
 * with OBJECT_SYMBOLS. `store` is for debug information of separate files, or NULL; borrowed for
 * the call. Reads nothing but headers: what cannot be read shows in the answers.
 */
struct lines *lines_open(const struct object *object, const struct lines_store *store);
void lines_close(struct lines *lines);

/* Frees what is needed for looking up only; answers stay until lines_close. */
void lines_finish(struct lines *lines);

/* Whether there is debug information at all; if not, why. */
enum lines_reason lines_state(const struct lines *lines);

/*
 * Answers for `count` addresses, in any order; answers[i] is that of addrs[i]. Each unit of the
 * debug information is read once, so ask for many at a time. Not for two threads at once.
 */
void lines_find(struct lines *lines, const uint64_t *addrs, size_t count,
		struct lines_answer *answers);

#endif
