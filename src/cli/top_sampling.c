/* See top_sampling.h. */
#include "cli/top_sampling.h"

#include "base/base.h"
#include "record/record.h"
#include "session/control.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_US = 10000, LOOKS_MAX = 1000 };

#define LOG_BYTES_MAX (1ULL << 30)

/* ---- in the recorder ---- */

static bool sample(uint32_t target, const char *events, struct error *err)
{
	struct record_options options = {
		.method = RECORD_SAMPLE,
		.follow = true,
		.settings = {.max_disk_bytes = LOG_BYTES_MAX},
		.sampling = {.frequency = TOP_SAMPLING_HZ,
			     .kernel = true,
			     .pids = &target,
			     .pid_count = 1,
			     .is_discarded = true},
	};
	struct record_result result = {0};
	int status;

	vec_push(&options.sampling.events, events);
	const bool ok = record_attach(&options, &result, &status, err);
	record_result_fini(&result);
	vec_fini(&options.sampling.events);
	return ok;
}

/* Waits take more rights than time does. What failed is told by the descriptor. */
static void run_recorder(uint32_t target, pid_t parent, int failure)
{
	struct error err = {0};

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	if (sample(target, "cpu-clock,off-cpu,preempted", &err) ||
	    sample(target, "cpu-clock", &err))
		_exit(0);
	if (write(failure, &err, sizeof(err)) != (ssize_t)sizeof(err))
		_exit(2);
	_exit(1);
}

/* ---- beside it ---- */

/* False: it has ended. */
static bool recorder_runs(struct top_sampling *sampling)
{
	if (waitpid(sampling->recorder, NULL, WNOHANG) == 0)
		return true;
	sampling->recorder = 0;
	return false;
}

/* Its session can be found as soon as it says who samples. */
static bool await_session(struct top_sampling *sampling, struct session *session)
{
	struct error ignored;

	for (int i = 0; i < LOOKS_MAX && recorder_runs(sampling); i++) {
		struct recording recording = {.fd = -1};

		if (control_find(sampling->recorder, session, &ignored)) {
			const bool begun = recording_read(&recording, session->fd, &ignored) &&
					   *recording.collector;
			recording_fini(&recording);
			if (begun)
				return true;
			session_close(session, false);
		}
		usleep(LOOK_US);
	}
	return false;
}

bool top_sampling_begin(struct top_sampling *sampling, uint32_t target, struct session *session,
			struct error *err)
{
	const pid_t parent = getpid();
	int failure[2];

	if (pipe2(failure, O_CLOEXEC) < 0)
		return error_set_errno(err, errno, "cannot begin to sample process %u", target);
	*sampling = (struct top_sampling){.recorder = fork(), .target = target};
	if (sampling->recorder == 0)
		run_recorder(target, parent, failure[1]);
	close(failure[1]);
	const bool ok = sampling->recorder > 0 && await_session(sampling, session);
	if (!ok && read(failure[0], err, sizeof(*err)) != (ssize_t)sizeof(*err))
		error_set(err, ERROR_SYSTEM, "process %u cannot be sampled", target);
	close(failure[0]);
	if (!ok)
		top_sampling_end(sampling);
	return ok;
}

void top_sampling_end(struct top_sampling *sampling)
{
	if (sampling->recorder <= 0)
		return;
	kill(sampling->recorder, SIGTERM);
	while (waitpid(sampling->recorder, NULL, 0) < 0 && errno == EINTR)
		;
	sampling->recorder = 0;
}
