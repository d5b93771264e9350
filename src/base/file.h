/*
 * Files: output that appears only when it is complete (written beside its place, fsynced, renamed),
 * directories. See file_view.h for reading.
 */
#ifndef TARE_BASE_FILE_H
#define TARE_BASE_FILE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { FILE_PAGE_BYTES = 4096 };

/* The next run of pages from *begin on that are not all zero is [*begin, *end). False: none. */
bool file_next_extent(const void *bytes, size_t size, size_t *begin, size_t *end);
/* The contents of a new, empty file. Pages of zeros become holes, which take no room on the disk.
   False with errno. */
bool file_write_sparse(int fd, const void *bytes, size_t size);

/* An output file under a temporary name in the directory of `path`. */
struct file_output {
	int fd;
	char *path, *temporary;
	bool unsynced; /* who reads it finds out if the machine stopped before it was whole */
};

/* Creates the temporary (O_EXCL, mode 0600 until commit). */
bool file_output_open(struct file_output *out, const char *path, struct error *err);
/* All contents at once, as file_write_sparse. */
bool file_output_write(struct file_output *out, const void *bytes, size_t size, struct error *err);
/* Whether both are there, and one file. */
bool file_is_same(const char *a, const char *b);
/* The rights that the umask leaves of these. */
mode_t file_mode_allowed(mode_t mode);
/* Of what tells a recording's command line, in which passwords may stand. */
enum { FILE_MODE_PRIVATE = 0600 };
/* chmod to `mode`, fsync, rename over `path`, close. On failure the temporary is removed. */
bool file_output_commit(struct file_output *out, mode_t mode, struct error *err);
/* Removes the temporary. Does nothing after a commit. */
void file_output_discard(struct file_output *out);

/*
 * Creates `path` and missing parents with mode 0700. Fails if the last component exists and is not
 * a directory of this user, or is a symbolic link.
 */
bool directory_create_private(const char *path, struct error *err);

/* Fails unless `path` itself, no link to it, is a directory that only this user can write. */
bool directory_check_own(const char *path, struct error *err);

/* Removes a directory and everything below it; never follows links. */
bool directory_remove(const char *path, struct error *err);

#endif
