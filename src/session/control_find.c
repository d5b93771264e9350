/*
 * Which recording does a process belong to? One that is instrumented has its process file mapped, a
 * recorder has the session directory open: /proc says so, wherever the directory lies. Nothing is
 * in a process that is only sampled: the recordings that run say whom they sample.
 *
 * Refuses processes that cannot be looked into.
 */
#include "session/control.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum whose { WHOSE_OWN, WHOSE_ANY };

static bool is_recording(const char *directory, enum whose whose, struct session *session)
{
	struct error ignored;
	const bool opened = whose == WHOSE_ANY ? session_open_of_any(session, directory, &ignored)
					       : session_open(session, directory, &ignored);

	if (!opened)
		return false;
	if (faccessat(session->fd, "recording", R_OK, 0) == 0)
		return true;
	session_close(session, false);
	return false;
}

/* As a recorded process: the directory of the first process file among its mappings. */
static bool find_by_maps(pid_t pid, struct session *session)
{
	char path[64], *line = NULL;
	size_t room = 0;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *maps = fopen(path, "re");
	if (!maps)
		return false;
	while (!found && getline(&line, &room, maps) > 0) {
		char *start = strchr(line, '/'), *end = start ? strrchr(start, '/') : NULL;

		if (!end || !str_starts_with(end, "/process."))
			continue;
		*end = 0;
		found = is_recording(start, WHOSE_ANY, session);
	}
	free(line);
	fclose(maps);
	return found;
}

static bool recorder_is(const struct session *session, pid_t pid)
{
	struct recording recording = {.fd = -1};
	struct error ignored;

	if (!recording_read(&recording, session->fd, &ignored))
		return false;
	const bool is = recording.recorder_pid == pid && !recording.exited;
	recording_fini(&recording);
	return is;
}

/* Whether it samples the process, or, for 0, is any; but not what tare top records for itself,
   which writes no profile and ends with that. */
static bool is_of_process(const struct session *session, pid_t pid)
{
	struct recording recording = {.fd = -1};
	struct error ignored;

	if (!recording_read(&recording, session->fd, &ignored))
		return false;
	const bool is = *recording.output && (!pid || recording_samples(&recording, pid));
	recording_fini(&recording);
	return is;
}

/* As a recorder: a directory that it has open and that says so. */
static bool find_by_descriptors(pid_t pid, enum whose whose, struct session *session)
{
	char path[64], target[PATH_MAX];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	DIR *directory = opendir(path);
	if (!directory)
		return false;
	for (const struct dirent *entry; !found && (entry = readdir(directory));) {
		const ssize_t length =
			readlinkat(dirfd(directory), entry->d_name, target, sizeof(target) - 1);

		if (length <= 0)
			continue;
		target[length] = 0;
		if (!str_starts_with(path_basename(target), "tare.") ||
		    !is_recording(target, whose, session))
			continue;
		found = recorder_is(session, pid);
		if (!found)
			session_close(session, false);
	}
	closedir(directory);
	return found;
}

/* As a process that a recording samples: nothing in it tells so, but the recording does. */
static bool find_by_samples(pid_t pid, enum whose whose, struct session *session)
{
	DIR *directory = opendir("/proc");
	bool found = false;

	if (!directory)
		return false;
	for (const struct dirent *entry; !found && (entry = readdir(directory));) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !find_by_descriptors(atoi(entry->d_name), whose, session))
			continue;
		found = is_of_process(session, pid);
		if (!found)
			session_close(session, false);
	}
	closedir(directory);
	return found;
}

bool control_find(pid_t pid, struct session *session, struct error *err)
{
	char path[64];

	if (pid <= 0 || (kill(pid, 0) < 0 && errno == ESRCH))
		return error_set(err, ERROR_NOT_FOUND, "there is no process %d", (int)pid);
	if (find_by_descriptors(pid, WHOSE_ANY, session) || find_by_maps(pid, session) ||
	    find_by_samples(pid, geteuid() == 0 ? WHOSE_ANY : WHOSE_OWN, session))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	char byte;
	const bool readable = fd >= 0 && read(fd, &byte, 1) >= 0;
	if (fd >= 0)
		close(fd);
	if (!readable && (kill(pid, 0) < 0 || geteuid() != 0))
		return error_set(err, ERROR_PERMISSION,
				 "process %d belongs to another user or cannot be looked into",
				 (int)pid);
	return error_set(err, ERROR_NOT_FOUND,
			 "process %d is not being recorded; tare record -p PID samples it, tare "
			 "record COMMAND begins one that is recorded",
			 (int)pid);
}

/* How many there are; the first one is opened. False where /proc cannot be read. */
static bool count_recordings(enum whose whose, struct session *session, size_t *count)
{
	DIR *directory = opendir("/proc");
	struct session other = {.fd = -1};

	*count = 0;
	if (!directory)
		return false;
	for (const struct dirent *entry; (entry = readdir(directory));) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !find_by_descriptors(atoi(entry->d_name), whose, *count ? &other : session))
			continue;
		const bool is_first = !*count;
		const bool counts = is_of_process(is_first ? session : &other, 0);
		*count += counts;
		if (!is_first || !counts)
			session_close(is_first ? session : &other, false);
	}
	closedir(directory);
	return true;
}

bool control_find_only(struct session *session, struct error *err)
{
	size_t count;

	if (!count_recordings(WHOSE_OWN, session, &count) ||
	    (!count && geteuid() == 0 && !count_recordings(WHOSE_ANY, session, &count)))
		return error_set_errno(err, errno, "cannot read /proc");
	if (count == 1)
		return true;
	if (count)
		session_close(session, false);
	return error_set(err, ERROR_NOT_FOUND,
			 count ? "%zu recordings are running; name a process of one of them"
			       : "no recording is running; tare top PID samples a process",
			 count);
}

bool control_act_as_owner(const struct session *session, struct error *err)
{
	struct stat info;

	if (fstat(session->fd, &info) < 0)
		return error_set_errno(err, errno, "cannot read %s", session->directory);
	if (info.st_uid == geteuid())
		return true;
	/* A static program can load no services of names: they need its own C library. */
	const struct passwd *user = TARE_IS_STATIC ? NULL : getpwuid(info.st_uid);
	const gid_t group = user ? user->pw_gid : info.st_gid;

	if ((user ? initgroups(user->pw_name, group) : setgroups(0, NULL)) == 0 &&
	    setegid(group) == 0 && seteuid(info.st_uid) == 0)
		return true;
	return error_set_errno(err, errno, "cannot become the user %ju, whose recording this is",
			       (uintmax_t)info.st_uid);
}
