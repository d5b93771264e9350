/* See leftovers.h. */
#include "session/leftovers.h"

#include "base/file.h"
#include "session/members.h"
#include "session/recording_file.h"
#include "session/session_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A directory without a recording may be one that is just being filled. */
enum { YOUNG_SECONDS = 60 };

/* ---- what a directory is ---- */

static uint64_t storage_bytes(const char *directory)
{
	DIR *stream = *directory ? opendir(directory) : NULL;
	uint64_t bytes = 0;
	struct stat info;

	for (const struct dirent *entry; stream && (entry = readdir(stream));)
		if (fstatat(dirfd(stream), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(info.st_mode))
			bytes += (uint64_t)info.st_blocks * 512;
	if (stream)
		closedir(stream);
	return bytes;
}

static bool is_empty(const char *directory)
{
	DIR *stream = opendir(directory);
	bool empty = stream != NULL;

	for (const struct dirent *entry; empty && (entry = readdir(stream));)
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	if (stream)
		closedir(stream);
	return empty;
}

/* Made by a recorder that had not come to its recording: what is another program's is not ours. */
static bool is_begun(const struct session *session)
{
	return faccessat(session->fd, TARE_SETTINGS_NAME, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
	       is_empty(session->directory);
}

static bool has_members(const char *directory)
{
	struct member_list members = {0};

	members_find(directory, &members);
	const bool has = members.len != 0;
	members_fini(&members);
	return has;
}

static void describe(struct leftover *leftover, struct recording *recording)
{
	free(leftover->command_line);
	leftover->command_line = mem_strdup(recording->command_line);
	leftover->begin_unix_ns = recording->begin_unix_ns;
	leftover->bytes += storage_bytes(recording->private_copies);
	if (leftover->state != LEFTOVER_RECORDING)
		leftover->state =
			has_members(leftover->directory) ? LEFTOVER_RUNNING : LEFTOVER_PROFILE;
}

/* False: none of ours. */
static bool look_into(const struct session *session, struct leftover *leftover)
{
	struct recording recording = {.fd = -1};
	struct error ignored;
	const bool held = !session_hold(session);

	*leftover = (struct leftover){.state = held ? LEFTOVER_RECORDING : LEFTOVER_NOTHING};
	const bool is_recording = recording_read(&recording, session->fd, &ignored);
	if (!is_recording && !is_begun(session))
		return false;
	leftover->directory = mem_strdup(session->directory);
	leftover->command_line = mem_strdup("");
	leftover->bytes = storage_bytes(session->directory);
	if (is_recording) {
		describe(leftover, &recording);
		recording_fini(&recording);
	}
	return true;
}

/* ---- all of them ---- */

static bool is_known(const struct leftovers *leftovers, const char *directory)
{
	vec_foreach (leftover, leftovers)
		if (!strcmp(leftover->directory, directory))
			return true;
	return false;
}

static void find_in(const char *place, struct leftovers *leftovers)
{
	DIR *stream = opendir(place);

	for (const struct dirent *entry; stream && (entry = readdir(stream));) {
		struct session session = {.fd = -1};
		struct leftover leftover;
		struct error ignored;
		struct str path = {0};

		if (!str_starts_with(entry->d_name, SESSION_NAME_PREFIX))
			continue;
		str_printf(&path, "%s/%s", place, entry->d_name);
		if (session_open(&session, path.data, &ignored)) {
			if (!is_known(leftovers, session.directory) &&
			    look_into(&session, &leftover))
				vec_push(leftovers, leftover);
			session_close(&session, false);
		}
		str_fini(&path);
	}
	if (stream)
		closedir(stream);
}

static int by_begin(const void *a, const void *b)
{
	const int64_t one = ((const struct leftover *)a)->begin_unix_ns;
	const int64_t other = ((const struct leftover *)b)->begin_unix_ns;

	return (one > other) - (one < other);
}

void leftovers_find(struct leftovers *leftovers)
{
	const char *places[SESSION_PLACES];
	const size_t count = session_places(places);

	*leftovers = (struct leftovers){0};
	for (size_t i = 0; i < count; i++)
		find_in(places[i], leftovers);
	if (leftovers->len)
		qsort(leftovers->data, leftovers->len, sizeof(leftovers->data[0]), by_begin);
}

void leftovers_fini(struct leftovers *leftovers)
{
	vec_foreach (leftover, leftovers) {
		free(leftover->directory);
		free(leftover->command_line);
	}
	vec_fini(leftovers);
}

/* ---- removing ---- */

bool leftover_is_dead(const struct leftover *leftover)
{
	return leftover->state == LEFTOVER_PROFILE || leftover->state == LEFTOVER_NOTHING;
}

static bool is_young(const struct session *session)
{
	struct stat info;

	return fstat(session->fd, &info) < 0 || time(NULL) - info.st_mtime < YOUNG_SECONDS;
}

void leftover_remove_copies(const struct recording *recording)
{
	struct error ignored;
	struct session copies = {.fd = -1};

	if (str_starts_with(path_basename(recording->private_copies), SESSION_NAME_PREFIX) &&
	    session_open(&copies, recording->private_copies, &ignored))
		session_close(&copies, true);
}

bool leftover_remove(const struct leftover *leftover, struct error *err)
{
	struct session session = {.fd = -1};
	struct leftover now = {0};

	if (!session_open(&session, leftover->directory, err))
		return false;
	const bool ours = session_hold(&session) && look_into(&session, &now);
	const bool is_dead = ours && leftover_is_dead(&now) &&
			     (now.state == LEFTOVER_PROFILE || !is_young(&session));
	free(now.directory);
	free(now.command_line);
	if (!is_dead) {
		session_close(&session, false);
		return error_set(err, ERROR_INPUT,
				 "%s is in use, or was made less than a minute ago; try again "
				 "later",
				 leftover->directory);
	}
	struct recording recording = {.fd = -1};
	struct error ignored;
	if (recording_read(&recording, session.fd, &ignored)) {
		leftover_remove_copies(&recording);
		recording_fini(&recording);
	}
	session_close(&session, false);
	return directory_remove(leftover->directory, err);
}
