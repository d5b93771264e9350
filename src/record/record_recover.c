/*
 * Profiles of recordings that this process does not make: what a killed recorder has left, and a
 * look at one that goes on.
 */
#include "record/record.h"

#include "record/record_parts.h"
#include "session/leftovers.h"
#include "session/recording_file.h"
#include "session/session_dir.h"
#include "target/ending.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

/* ---- recovery ---- */

#define RECOVER_REST_NS 20000000L

enum { RECOVER_ATTEMPTS = 50 };

/* A killed recorder's other threads end, and let go of the session, a little after the first one.
 */
static bool hold_patiently(const struct session *session)
{
	const struct timespec rest = {.tv_nsec = RECOVER_REST_NS};

	for (int attempt = 0; attempt < RECOVER_ATTEMPTS; attempt++) {
		nanosleep(&rest, NULL);
		if (session_hold(session))
			return true;
	}
	return false;
}

static bool recover_open(const struct session *session, struct recording *recording,
			 const char *directory, struct error *err)
{
	if (!recording_read(recording, session->fd, err))
		return error_prefix(err, "%s", directory);
	if (session_hold(session))
		return true;
	if (recording->recorder_pid > 0 && !recording->exited &&
	    !ending_is_past((pid_t)recording->recorder_pid))
		error_set(err, ERROR_INPUT, "%s is still being recorded by process %jd", directory,
			  (intmax_t)recording->recorder_pid);
	else if (hold_patiently(session))
		return true;
	else
		error_set(err, ERROR_INPUT, "%s is in use: its profile is being made", directory);
	recording_fini(recording);
	return false;
}

bool record_recover(const char *directory, const char *output, struct record_result *result,
		    struct error *err)
{
	struct session session = {.fd = -1};
	struct recording recording = {.fd = -1};

	*result = (struct record_result){.command_status = -1};
	if (!session_open(&session, directory, err))
		return false;
	bool ok = recover_open(&session, &recording, directory, err);
	if (ok) {
		if (recording.exited)
			result->command_status = (int)recording.exit_status;
		recording_extend_clock(&recording);
		ok = record_build_profile(&session, &recording, output ? output : recording.output,
					  result, NULL, err);
		if (ok)
			leftover_remove_copies(&recording);
		recording_fini(&recording);
	}
	session_close(&session, ok);
	return ok;
}

/* ---- snapshots ---- */

static char *snapshot_path(const char *output)
{
	struct str path = {0};
	const char *suffix = ".tare";
	const size_t length = strlen(output) - (str_ends_with(output, suffix) ? strlen(suffix) : 0);

	str_append_bytes(&path, output, length);
	str_printf(&path, ".snapshot%s", suffix);
	return path.data;
}

bool record_dump(const struct session *session, const char *output, struct record_result *result,
		 struct error *err)
{
	struct recording recording = {.fd = -1};

	*result = (struct record_result){.command_status = -1};
	if (!recording_read(&recording, session->fd, err))
		return false;
	char *path = output ? mem_strdup(output) : snapshot_path(recording.output);
	recording.is_snapshot = true;
	recording_extend_clock(&recording);
	const bool ok = record_build_profile(session, &recording, path, result, NULL, err);
	free(path);
	recording_fini(&recording);
	return ok;
}
