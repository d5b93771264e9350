/* See record_parts.h. */
#include "record/record_parts.h"

#include "assemble/assemble.h"
#include "cache/learned.h"
#include "record/rescue.h"
#include "session/notes.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CLOCK_FIRST_WAIT_MS = 10, CLOCK_LAST_WAIT_MS = 60000 };

char *record_choose_output(const char *given, const char *name, struct error *err)
{
	struct str path = {0};
	struct stat info;
	struct file_output probe = {.fd = -1};
	char directory[PATH_MAX];

	/* Absolute, because a recovery may happen elsewhere. */
	if (!given || given[0] != '/') {
		if (!getcwd(directory, sizeof(directory))) {
			error_set_errno(err, errno, "the working directory has no path");
			return NULL;
		}
		str_printf(&path, "%s/", strcmp(directory, "/") ? directory : "");
	}
	if (given)
		str_append(&path, given);
	else
		str_printf(&path, "%s.tare", name);
	if (stat(path.data, &info) == 0 && !S_ISREG(info.st_mode)) {
		error_set(err, ERROR_INPUT, "the output %s exists and is not a regular file",
			  path.data);
	} else if (!file_output_open(&probe, path.data, err)) {
		error_prefix(err, "the profile cannot be written");
	} else {
		file_output_discard(&probe);
		return path.data;
	}
	str_fini(&path);
	return NULL;
}

static int64_t unix_time_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void record_describe(struct recording *recording, const char *output, bool follow)
{
	recording_put_boot(recording);
	recording_put_clock(recording);
	recording_put_number(recording, "recorder_pid", getpid());
	recording_put_number(recording, "follow", follow);
	recording_put_text(recording, "output", output);
	recording_put_host(recording);
}

void record_put_begin(struct recording *recording)
{
	recording_put_number(recording, "begin_unix_ns", unix_time_ns());
	recording_put_number(recording, "begin_ticks", (int64_t)clock_ticks());
}

/* ---- clock ---- */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void clock_schedule_init(struct clock_schedule *clock)
{
	*clock = (struct clock_schedule){CLOCK_FIRST_WAIT_MS, now_ms() + CLOCK_FIRST_WAIT_MS};
}

int clock_schedule_left_ms(const struct clock_schedule *clock)
{
	const int64_t left_ms = clock->due_ms - now_ms();

	return left_ms > 0 ? (int)left_ms : 0;
}

void clock_schedule_take_due(struct clock_schedule *clock, struct recording *recording)
{
	if (now_ms() < clock->due_ms)
		return;
	recording_put_clock(recording);
	if (clock->wait_ms * 2 <= CLOCK_LAST_WAIT_MS)
		clock->wait_ms *= 2;
	clock->due_ms = now_ms() + clock->wait_ms;
}

void clock_schedule_finish(struct recording *recording)
{
	enum { SPAN_NS_GOOD = 10000000 };
	const struct clock_point first = recording->clock.data[0];

	for (;;) {
		const struct clock_point now = clock_take_point();
		const uint64_t span_ns = now.raw_ns - first.raw_ns;
		if (span_ns >= SPAN_NS_GOOD)
			break;
		const struct timespec rest = {.tv_nsec = (long)(SPAN_NS_GOOD - span_ns)};
		nanosleep(&rest, NULL);
	}
	recording_put_clock(recording);
}

/* ---- the profile ---- */

static void keep_learned(const struct record_learning *learning, const struct assembled *assembled)
{
	vec_foreach (file, &learning->instrumenter->files)
		if (learned_keep(*file, assembled->disarmed.data, assembled->disarmed.len,
				 learning->command))
			vec_push(learning->bare, mem_strdup((*file)->path));
}

bool record_build_profile(const struct session *session, const struct recording *recording,
			  const char *output, struct record_result *result,
			  const struct record_learning *learning, struct error *err)
{
	struct assembled assembled = {0};
	struct profile_writer *writer = profile_writer_open(output, true, err);

	if (!writer)
		return false;
	rescue_remove(profile_writer_temporary(writer));
	bool ok = assemble_profile(session, recording, writer, &assembled, err);
	rescue_remove(NULL);
	if (ok)
		ok = profile_writer_commit(writer, err);
	else
		profile_writer_discard(writer);
	if (ok) {
		result->output = mem_strdup(output);
		if (!assembled.complete)
			result->partial = mem_strdup(assembled.reason.data);
	}
	if (ok && learning)
		keep_learned(learning, &assembled);
	assembled_fini(&assembled);
	return ok;
}

bool record_keep_and_explain(const char *directory, struct error *err)
{
	struct error cause = *err;

	error_set(err, cause.code, "%.600s; the recorded data are kept: tare recover %s",
		  cause.message, directory);
	return false;
}
