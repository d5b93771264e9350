/* Opening and reading files of the session: regular ones only, and never by mapping them. */
#include "session/thread_part.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

size_t session_file_read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
	size_t have = 0;

	while (have < size) {
		const ssize_t got =
			pread(fd, (char *)bytes + have, size - have, (off_t)(offset + have));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	return have;
}

/* Where the target's umask took the owner's right to read, tare gives it back. */
static int open_own(int dir_fd, const char *name)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	const int fd = openat(dir_fd, name, flags);

	if (fd >= 0 || errno != EACCES || fchmodat(dir_fd, name, 0600, 0) < 0)
		return fd;
	return openat(dir_fd, name, flags);
}

ssize_t session_file_head(int dir_fd, const char *name, void *bytes, size_t size)
{
	const int fd = open_own(dir_fd, name);

	if (fd < 0)
		return -1;
	const size_t have = session_file_read_at(fd, bytes, size, 0);
	close(fd);
	return (ssize_t)have;
}

int session_file_open(int dir_fd, const char *name, uint64_t *size, struct error *err)
{
	struct stat info;
	const int fd = open_own(dir_fd, name);

	if (fd < 0) {
		error_set_errno(err, errno, "cannot open %s", name);
		return -1;
	}
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
		*size = (uint64_t)info.st_size;
		return fd;
	}
	error_set(err, ERROR_INPUT, "%s is not a regular file", name);
	close(fd);
	return -1;
}
