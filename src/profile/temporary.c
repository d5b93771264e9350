/*
 * Profiles appear only when they are complete: they are made beside, and renamed when all of them
 * is on the disk.
 */
#include "profile/temporary.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

char *temporary_create(const char *path, struct error *err)
{
	struct str temporary = {0};

	/* A name that SQLite cannot take for one of its special names. */
	str_printf(&temporary, "%s%s.XXXXXX", path[0] == '/' ? "" : "./", path);
	const int fd = mkostemp(temporary.data, O_CLOEXEC);
	if (fd < 0) {
		error_set_errno(err, errno, "cannot create a file beside %s", path);
		str_fini(&temporary);
		return NULL;
	}
	close(fd);
	return temporary.data;
}

int temporary_open(const char *temporary, sqlite3 **database)
{
	return sqlite3_open_v2(temporary, database,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX,
			       NULL);
}

bool temporary_make_durable(const char *temporary)
{
	const int fd = open(temporary, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return false;
	const bool ok = fchmod(fd, FILE_MODE_PRIVATE) == 0 && fsync(fd) == 0;
	const int saved = errno;
	close(fd);
	errno = saved;
	return ok;
}

bool temporary_rename(const char *temporary, const char *path, struct error *err)
{
	return rename(temporary, path) == 0 ||
	       error_set_errno(err, errno, "cannot write the profile %s", path);
}
