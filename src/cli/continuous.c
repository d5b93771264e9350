/* See continuous.h. */
#include "cli/continuous.h"

#include "base/base.h"
#include "base/vec.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROFILE_SUFFIX ".tare"

/* What a recording's child ends with: whether there is a profile is told beside the status. */
enum { STATUS_WITHOUT_PROFILE = 125 };

enum part_state {
	PART_RECORDING,
	PART_WRITTEN, /* to be sent, if anything is */
	PART_SENDING,
	PART_DONE, /* sent, or not to be sent; or there is no profile */
};

struct part {
	char *path;
	int64_t begin_s, end_s; /* since 1970 */
	enum part_state state;
	pid_t child; /* 0: none */
};

struct running {
	const struct continuous *of;
	struct vec_of(struct part) parts; /* by time */
	sigset_t mine, mask;
	double begin, next; /* of all, and when the next part begins; of CLOCK_MONOTONIC */
	double send_after;  /* a server that has refused is left alone until then */
	uint64_t unsent;    /* removed before they were sent */
	int status;
	bool stopping;
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void continuous_output(const char *output, int64_t begin_s, struct str *out)
{
	const char *path = output ? output : "tare" PROFILE_SUFFIX;
	const size_t suffix = str_ends_with(path, PROFILE_SUFFIX) ? strlen(PROFILE_SUFFIX) : 0;
	const time_t time = (time_t)begin_s;
	struct tm utc;
	char text[32];

	gmtime_r(&time, &utc);
	strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &utc);
	str_append_bytes(out, path, strlen(path) - suffix);
	str_printf(out, ".%s" PROFILE_SUFFIX, text);
}

/* ---- children ---- */

/* In a group of its own: ^C in the terminal is for this process, which tells its children once. */
static pid_t begin_child(const struct running *running)
{
	const pid_t child = fork();

	if (child)
		return child;
	setpgid(0, 0);
	sigprocmask(SIG_SETMASK, &running->mask, NULL);
	return 0;
}

static bool begin_part(struct running *running, struct error *err)
{
	const struct continuous *of = running->of;
	struct part part = {.begin_s = time(NULL), .state = PART_RECORDING};
	struct str path = {0};

	/* Names differ by it. */
	if (running->parts.len && part.begin_s <= vec_last(&running->parts).begin_s)
		part.begin_s = vec_last(&running->parts).begin_s + 1;
	continuous_output(of->output, part.begin_s, &path);
	part.path = path.data;
	part.child = begin_child(running);
	if (part.child < 0) {
		free(part.path);
		return error_set_errno(err, errno, "cannot start a process for a recording");
	}
	if (!part.child) {
		int status = 0;
		if (!of->make(part.path, &status, of->context))
			status = status ? status : STATUS_WITHOUT_PROFILE;
		exit(status);
	}
	vec_push(&running->parts, part);
	running->next += of->part_s;
	/* After a long stop of the machine, not all that would have been are begun at once. */
	if (running->next < now_s())
		running->next = now_s() + of->part_s;
	return true;
}

static void say(const struct running *running, const char *sentence)
{
	running->of->say(sentence, running->of->context);
}

static void stop(struct running *running)
{
	if (running->stopping)
		return;
	running->stopping = true;
	vec_foreach (part, &running->parts)
		if (part->state == PART_RECORDING)
			kill(part->child, SIGTERM);
}

static void end_recording(struct running *running, struct part *part, int status)
{
	const bool has_profile = access(part->path, F_OK) == 0;
	const bool is_early = !running->stopping && now_s() < running->next;

	part->end_s = time(NULL);
	if (part->end_s > part->begin_s + (int64_t)ceil(running->of->part_s))
		part->end_s = part->begin_s + (int64_t)ceil(running->of->part_s);
	part->state = has_profile && running->of->send ? PART_WRITTEN : PART_DONE;
	running->status = running->status ? running->status : status;
	/* All that was to be recorded has ended, or cannot be. */
	if (!has_profile || (is_early && part == &vec_last(&running->parts)))
		stop(running);
}

static void end_sending(struct running *running, struct part *part, int status)
{
	part->state = status ? PART_WRITTEN : PART_DONE;
	if (status)
		running->send_after = running->stopping ? INFINITY : running->next;
}

static void reap(struct running *running)
{
	int status;
	pid_t child;

	while ((child = waitpid(-1, &status, WNOHANG)) > 0)
		vec_foreach (part, &running->parts) {
			if (part->child != child)
				continue;
			const int code =
				WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
			part->child = 0;
			if (part->state == PART_RECORDING)
				end_recording(running, part, code);
			else
				end_sending(running, part, code);
			break;
		}
}

/* ---- sending ---- */

static void send_one(struct running *running)
{
	const struct continuous *of = running->of;
	struct part *first = NULL;

	vec_foreach (part, &running->parts) {
		if (part->state == PART_SENDING)
			return;
		first = !first && part->state == PART_WRITTEN ? part : first;
	}
	if (!first || now_s() < running->send_after)
		return;
	first->child = begin_child(running);
	if (first->child < 0) {
		first->child = 0; /* tried again */
		return;
	}
	if (!first->child)
		exit(of->send(first->path, first->begin_s, first->end_s, of->context) ? 0 : 1);
	first->state = PART_SENDING;
}

/* ---- the disk ---- */

static void remove_oldest(struct running *running)
{
	size_t on_disk = 0, kept = 0;

	vec_foreach (part, &running->parts)
		on_disk += part->state == PART_WRITTEN || part->state == PART_DONE;
	for (size_t i = 0; i < running->parts.len; i++) {
		struct part *part = &running->parts.data[i];
		const bool is_whole = part->state == PART_WRITTEN || part->state == PART_DONE;

		if (!is_whole || on_disk <= (size_t)running->of->keep) {
			running->parts.data[kept++] = *part;
			continue;
		}
		on_disk--;
		running->unsent += part->state == PART_WRITTEN;
		unlink(part->path);
		free(part->path);
	}
	running->parts.len = kept;
}

static bool is_busy(const struct running *running)
{
	vec_foreach (part, &running->parts)
		if (part->child || (part->state == PART_WRITTEN && running->send_after < INFINITY))
			return true;
	return false;
}

static void say_unsent(const struct running *running)
{
	struct str sentence = {0};
	uint64_t left = 0;

	vec_foreach (part, &running->parts)
		left += part->state == PART_WRITTEN;
	if (running->unsent)
		str_printf(&sentence, "removed before a server had taken them: %ju%s",
			   (uintmax_t)running->unsent, left ? "; " : "");
	if (left)
		str_printf(&sentence, "not sent, and left here: %ju", (uintmax_t)left);
	if (left || running->unsent)
		say(running, sentence.data);
	str_fini(&sentence);
}

/* ---- all ---- */

/* Until a child ends, a signal comes, or the next part is due. */
static void wait_a_while(struct running *running)
{
	enum { MOST_S = 1 };
	double left = running->stopping ? MOST_S : running->next - now_s();
	siginfo_t info;

	left = left < 0 ? 0 : left > MOST_S ? MOST_S : left;
	const struct timespec timeout = {.tv_sec = (time_t)left,
					 .tv_nsec = (long)((left - floor(left)) * 1e9)};
	const int number = sigtimedwait(&running->mine, &info, &timeout);
	if (number > 0 && number != SIGCHLD)
		stop(running);
}

static bool record_all(struct running *running, struct error *err)
{
	const struct continuous *of = running->of;

	running->begin = running->next = now_s();
	while (!running->stopping || is_busy(running)) {
		const double now = now_s();
		if (of->duration_s > 0 && now >= running->begin + of->duration_s)
			stop(running);
		if (!running->stopping && now >= running->next && !begin_part(running, err)) {
			stop(running);
			return false;
		}
		wait_a_while(running);
		reap(running);
		send_one(running);
		remove_oldest(running);
	}
	return true;
}

bool continuous_record(const struct continuous *continuous, int *status, struct error *err)
{
	const struct sigaction standard = {.sa_handler = SIG_DFL};
	struct running running = {.of = continuous};
	struct sigaction child;

	sigemptyset(&running.mine);
	sigaddset(&running.mine, SIGCHLD);
	sigaddset(&running.mine, SIGINT);
	sigaddset(&running.mine, SIGTERM);
	sigaddset(&running.mine, SIGHUP);
	sigprocmask(SIG_BLOCK, &running.mine, &running.mask);
	/* Where it is ignored, nothing tells that a child has ended. */
	sigaction(SIGCHLD, &standard, &child);
	const bool ok = record_all(&running, err);
	say_unsent(&running);
	sigaction(SIGCHLD, &child, NULL);
	sigprocmask(SIG_SETMASK, &running.mask, NULL);
	*status = running.status;
	vec_foreach (part, &running.parts)
		free(part->path);
	vec_fini(&running.parts);
	return ok;
}
