/*
 * Choosing and making the session directory. A tmpfs is preferred: the target's files are shared
 * mappings that are written all the time, and a disk would be written along.
 */
#include "session/session_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct place {
	const char *path;
	uint64_t room_bytes;
	bool in_memory, executable;
};

static bool place_look(struct place *place, const char *path)
{
	struct statfs kind;
	struct statvfs room;

	if (!path || path[0] != '/' || access(path, W_OK | X_OK) < 0 || statfs(path, &kind) < 0 ||
	    statvfs(path, &room) < 0 || (room.f_flag & ST_RDONLY))
		return false;
	*place = (struct place){
		.path = path,
		.room_bytes = (uint64_t)room.f_bavail * room.f_frsize,
		.in_memory = kind.f_type == TMPFS_MAGIC,
		.executable = !(room.f_flag & ST_NOEXEC),
	};
	return true;
}

static size_t places_list(struct place places[SESSION_PLACES])
{
	const char *const paths[SESSION_PLACES] = {getenv("XDG_RUNTIME_DIR"), "/dev/shm",
						   getenv("TMPDIR"), "/tmp", "/var/tmp"};
	size_t count = 0;

	for (size_t i = 0; i < SESSION_PLACES; i++)
		count += place_look(&places[count], paths[i]);
	return count;
}

size_t session_places(const char *paths[SESSION_PLACES])
{
	struct place places[SESSION_PLACES];
	const size_t count = places_list(places);

	for (size_t i = 0; i < count; i++)
		paths[i] = places[i].path;
	return count;
}

/* In memory with much room, else anywhere with much room, else where there is most. */
static const struct place *place_choose(const struct place *places, size_t count)
{
	const struct place *best = NULL;

	for (size_t i = 0; i < count; i++) {
		if (places[i].in_memory && places[i].room_bytes >= SESSION_ROOM_BYTES_GOOD)
			return &places[i];
	}
	for (size_t i = 0; i < count; i++) {
		if (places[i].room_bytes >= SESSION_ROOM_BYTES_GOOD)
			return &places[i];
		if (!best || places[i].room_bytes > best->room_bytes)
			best = &places[i];
	}
	return best && best->room_bytes >= SESSION_ROOM_BYTES_MIN ? best : NULL;
}

/* Not in memory if possible; where there is most room. */
static const struct place *place_choose_large(const struct place *places, size_t count)
{
	const struct place *best = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct place *place = &places[i];
		if (place->room_bytes < SESSION_ROOM_BYTES_MIN)
			continue;
		if (!best || best->in_memory > place->in_memory ||
		    (best->in_memory == place->in_memory && best->room_bytes < place->room_bytes))
			best = place;
	}
	return best;
}

static char *make_directory(const char *place, struct error *err)
{
	struct str path = {0};

	str_printf(&path, "%s/" SESSION_NAME_PREFIX "XXXXXX", place);
	if (mkdtemp(path.data))
		return path.data;
	error_set_errno(err, errno, "cannot make a directory in %s", place);
	str_fini(&path);
	return NULL;
}

bool session_create(struct session *session, bool large, struct error *err)
{
	struct place places[SESSION_PLACES];
	const size_t count = places_list(places);
	const struct place *place =
		large ? place_choose_large(places, count) : place_choose(places, count);

	*session = (struct session){.fd = -1};
	if (!place)
		return error_set(
			err, ERROR_SYSTEM,
			"no place for the recorded data: XDG_RUNTIME_DIR, /dev/shm, TMPDIR, "
			"/tmp and /var/tmp are not writable or have less than %llu MB free",
			SESSION_ROOM_BYTES_MIN >> 20);
	session->directory = make_directory(place->path, err);
	if (!session->directory)
		return false;
	session->fd = open(session->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* Shared: who looks for what is left over takes it for a moment. */
	if (session->fd >= 0 && flock(session->fd, LOCK_SH) == 0)
		return true;
	error_set_errno(err, errno, "cannot open %s", session->directory);
	session_close(session, true);
	return false;
}

bool session_hold(const struct session *session)
{
	return flock(session->fd, LOCK_EX | LOCK_NB) == 0;
}

static bool is_private_of(const struct stat *info, uid_t user)
{
	return info->st_uid == user && !(info->st_mode & 0022);
}

static bool open_directory(struct session *session, const char *directory, bool of_any,
			   struct error *err)
{
	struct stat info;

	*session = (struct session){.fd = -1};
	session->fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (session->fd < 0)
		return error_set_errno(err, errno, "cannot open %s", directory);
	if (fstat(session->fd, &info) < 0 ||
	    !is_private_of(&info, of_any ? info.st_uid : geteuid())) {
		close(session->fd);
		return error_set(
			err, ERROR_PERMISSION,
			"%s is not a private directory of this user, so it is no recording",
			directory);
	}
	session->directory = realpath(directory, NULL);
	if (!session->directory)
		session->directory = mem_strdup(directory);
	return true;
}

bool session_open(struct session *session, const char *directory, struct error *err)
{
	return open_directory(session, directory, false, err);
}

bool session_open_of_any(struct session *session, const char *directory, struct error *err)
{
	return open_directory(session, directory, geteuid() == 0, err);
}

static bool write_file(const struct session *session, const char *name, const void *bytes,
		       size_t size, struct error *err)
{
	const int fd = openat(session->fd, name,
			      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	errno = 0;
	const bool ok = fd >= 0 && write(fd, bytes, size) == (ssize_t)size;
	if (!ok)
		error_set_errno(err, errno ? errno : ENOSPC, "cannot write %s/%s",
				session->directory, name);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool session_write_settings(const struct session *session, struct tare_settings settings,
			    struct error *err)
{
	struct statfs kind;

	settings.abi = TARE_SESSION_ABI;
	settings.in_memory = fstatfs(session->fd, &kind) == 0 && kind.f_type == TMPFS_MAGIC;
	return write_file(session, TARE_SETTINGS_NAME, &settings, sizeof(settings), err);
}

void session_close(struct session *session, bool remove)
{
	struct error ignored;

	if (session->fd >= 0)
		close(session->fd);
	if (remove && session->directory)
		directory_remove(session->directory, &ignored);
	free(session->directory);
	*session = (struct session){.fd = -1};
}

char *session_make_executable_directory(struct error *err)
{
	struct place places[SESSION_PLACES];
	const size_t count = places_list(places);

	for (size_t i = 0; i < count; i++) {
		if (places[i].executable && places[i].room_bytes >= SESSION_ROOM_BYTES_GOOD)
			return make_directory(places[i].path, err);
	}
	error_set(err, ERROR_SYSTEM,
		  "no place for instrumented files: XDG_RUNTIME_DIR, /dev/shm, TMPDIR, /tmp and "
		  "/var/tmp are not writable, mounted noexec, or have less than %llu MB free",
		  SESSION_ROOM_BYTES_GOOD >> 20);
	return NULL;
}
