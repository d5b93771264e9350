/* file_view: files that are read where the kernel has them, without copying. */
#ifndef TARE_BASE_FILE_VIEW_H
#define TARE_BASE_FILE_VIEW_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A read-only mapping of a whole regular file. `data` is NULL for an empty file. */
struct file_view {
	const unsigned char *data;
	size_t size;
	mode_t mode;
};

/*
 * Views of one file share its mapping, and that stays a while when the last one is closed: to map a
 * file anew means to meet each of its pages anew. What another process writes to a file is seen
 * through all of its views. From any thread.
 */
bool file_view_open(struct file_view *view, const char *path, struct error *err);
/* Does nothing to one that is closed. */
void file_view_close(struct file_view *view);

/* What stays mapped of files that nobody views: so many, each and all no larger than… */
enum { FILE_VIEWS_KEPT = 64 };
#define FILE_VIEW_KEPT_BYTES  (64ULL << 20)
#define FILE_VIEWS_KEPT_BYTES (256ULL << 20)

#endif
