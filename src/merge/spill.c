/* See private.h. Where the file system knows no files without a name, its name is removed at once.
 */
#include "merge/private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int open_beside(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct str name = {0};

	str_append_bytes(&name, slash ? path : ".", slash ? (size_t)(slash + 1 - path) : 1);
	int fd = open(name.data, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0) {
		str_clear(&name);
		str_printf(&name, "%s.XXXXXX", path);
		fd = mkostemp(name.data, O_CLOEXEC);
		if (fd >= 0)
			unlink(name.data);
	}
	str_fini(&name);
	return fd;
}

bool spill_put(struct spill *spill, const void *bytes, size_t size, uint64_t *offset,
	       struct error *err)
{
	const char *at = bytes;

	if (spill->fd < 0)
		spill->fd = open_beside(spill->beside);
	if (spill->fd < 0)
		return error_set_errno(err, errno, "cannot create a file beside %s", spill->beside);
	*offset = spill->size;
	while (size) {
		const ssize_t done = pwrite(spill->fd, at, size, (off_t)spill->size);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return error_set_errno(err, done ? errno : ENOSPC,
					       "cannot write a file beside %s", spill->beside);
		at += done;
		size -= (size_t)done;
		spill->size += (uint64_t)done;
	}
	return true;
}

bool spill_get(const struct spill *spill, uint64_t offset, void *bytes, size_t size,
	       struct error *err)
{
	char *at = bytes;

	while (size) {
		const ssize_t done = pread(spill->fd, at, size, (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return error_set_errno(err, done ? errno : EIO,
					       "cannot read what was written beside %s",
					       spill->beside);
		at += done;
		size -= (size_t)done;
		offset += (uint64_t)done;
	}
	return true;
}

bool spill_fail(const struct spill *spill, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "what was written beside %s is not what is read",
			 spill->beside);
}

void spill_fini(struct spill *spill)
{
	if (spill->fd >= 0)
		close(spill->fd);
	spill->fd = -1;
}
