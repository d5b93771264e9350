/* See file.h. */
#include "base/file.h"

#include "base/arena.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REMOVE_DEPTH_MAX = 64 }; /* of directories */

bool file_output_open(struct file_output *out, const char *path, struct error *err)
{
	struct str temporary = {0};

	str_printf(&temporary, "%s.XXXXXX", path);
	out->fd = mkostemp(temporary.data, O_CLOEXEC);
	if (out->fd < 0) {
		error_set_errno(err, errno, "cannot create a file beside %s", path);
		str_fini(&temporary);
		return false;
	}
	out->temporary = temporary.data;
	out->path = mem_strdup(path);
	return true;
}

static bool page_is_zero(const unsigned char *page, size_t size)
{
	return page[0] == 0 && memcmp(page, page + 1, size - 1) == 0;
}

bool file_next_extent(const void *bytes, size_t size, size_t *begin, size_t *end)
{
	bool found = false;

	for (size_t at = *begin; at < size; at += FILE_PAGE_BYTES) {
		const size_t page = size - at < FILE_PAGE_BYTES ? size - at : FILE_PAGE_BYTES;
		const bool is_zero = page_is_zero((const unsigned char *)bytes + at, page);
		if (is_zero && found)
			break;
		if (!is_zero && !found)
			*begin = at;
		if (!is_zero)
			*end = at + page;
		found |= !is_zero;
	}
	return found;
}

static bool write_all(int fd, const char *bytes, size_t size, size_t offset)
{
	while (size) {
		const ssize_t done = pwrite(fd, bytes, size, (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done == 0)
			errno = ENOSPC;
		if (done <= 0)
			return false;
		bytes += done;
		size -= (size_t)done;
		offset += (size_t)done;
	}
	return true;
}

bool file_write_sparse(int fd, const void *bytes, size_t size)
{
	for (size_t begin = 0, end = 0; file_next_extent(bytes, size, &begin, &end); begin = end) {
		if (!write_all(fd, (const char *)bytes + begin, end - begin, begin))
			return false;
	}
	return ftruncate(fd, (off_t)size) == 0;
}

bool file_output_write(struct file_output *out, const void *bytes, size_t size, struct error *err)
{
	return file_write_sparse(out->fd, bytes, size) ||
	       error_set_errno(err, errno, "cannot write %s", out->path);
}

static void file_output_release(struct file_output *out)
{
	free(out->path);
	free(out->temporary);
	*out = (struct file_output){.fd = -1};
}

bool file_is_same(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

mode_t file_mode_allowed(mode_t mode)
{
	const mode_t mask = umask(0077);

	umask(mask);
	return mode & ~mask;
}

bool file_output_commit(struct file_output *out, mode_t mode, struct error *err)
{
	bool ok = fchmod(out->fd, mode) == 0 && (out->unsynced || fsync(out->fd) == 0) &&
		  rename(out->temporary, out->path) == 0;

	if (!ok) {
		error_set_errno(err, errno, "cannot write %s", out->path);
		file_output_discard(out);
		return false;
	}
	close(out->fd);
	file_output_release(out);
	return true;
}

void file_output_discard(struct file_output *out)
{
	if (!out->temporary)
		return;
	close(out->fd);
	unlink(out->temporary);
	file_output_release(out);
}

bool directory_check_own(const char *path, struct error *err)
{
	struct stat info;

	if (lstat(path, &info) < 0)
		return error_set_errno(err, errno, "cannot use the directory %s", path);
	if (!S_ISDIR(info.st_mode))
		return error_set(err, ERROR_INPUT, "%s is %s", path,
				 S_ISLNK(info.st_mode) ? "a link where a directory is expected"
						       : "not a directory");
	if (info.st_uid != geteuid())
		return error_set(err, ERROR_PERMISSION, "the directory %s belongs to another user",
				 path);
	if (info.st_mode & 0022)
		return error_set(
			err, ERROR_PERMISSION,
			"the directory %s can be written by other users; run chmod 700 on it",
			path);
	return true;
}

bool directory_create_private(const char *path, struct error *err)
{
	char *copy = mem_strdup(path);
	bool ok = true;

	for (char *slash = strchr(copy + 1, '/'); slash && ok; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		ok = mkdir(copy, 0700) == 0 || errno == EEXIST;
		if (!ok)
			error_set_errno(err, errno, "cannot create the directory %s", copy);
		*slash = '/';
	}
	if (ok && mkdir(copy, 0700) < 0 && errno != EEXIST)
		ok = error_set_errno(err, errno, "cannot create the directory %s", copy);
	free(copy);
	return ok && directory_check_own(path, err);
}

static bool remove_at(int dir_fd, const char *name, int depth);

/* All within, of which there may be many. Takes the descriptor. */
static bool empty_directory(int fd, int depth)
{
	DIR *directory = fdopendir(fd);
	bool ok = directory != NULL;

	if (!ok)
		close(fd);
	for (const struct dirent *entry; ok && (entry = readdir(directory));)
		ok = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		     remove_at(fd, entry->d_name, depth);
	const int why = errno;

	if (directory)
		closedir(directory);
	errno = why;
	return ok;
}

/* What it is, its removal tells. */
static bool remove_at(int dir_fd, const char *name, int depth)
{
	if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT)
		return true;
	if ((errno != EISDIR && errno != EPERM) || depth == REMOVE_DEPTH_MAX)
		return false;
	const int why = errno;
	const int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == ENOTDIR)
		errno = why;
	return fd >= 0 && empty_directory(fd, depth + 1) &&
	       (unlinkat(dir_fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT);
}

bool directory_remove(const char *path, struct error *err)
{
	return remove_at(AT_FDCWD, path, 0) ||
	       error_set_errno(err, errno, "cannot remove %s", path);
}
