/* See deferral.h. The process that makes the copies is `tare instrument --cache`. */
#include "cache/deferral.h"

#include "object/object.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char sentence[] =
	"it has much code and no copy was in the cache; one is made after the recording";

/* ---- which ---- */

static uint64_t code_bytes(const char *path)
{
	struct error ignored;
	struct object *object = object_open(path, 0, &ignored);
	uint64_t bytes = 0;
	size_t count = 0;

	if (!object)
		return 0;
	const Elf64_Phdr *segments = object_segments(object, &count);
	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_X))
			bytes += segments[i].p_filesz;
	object_close(object);
	return bytes;
}

static bool may_be_deferred(const struct deferral *deferral,
			    const struct instrumenter *instrumenter, const char *path)
{
	return deferral->allowed &&
	       policy_mode_of(&instrumenter->options->policy, path) == POLICY_FULL;
}

static const struct instrumented *defer(struct deferral *deferral,
					struct instrumenter *instrumenter, const char *path,
					uint64_t bytes, struct error *err)
{
	const struct instrumented *file = instrumenter_leave(instrumenter, path, sentence, err);

	if (file) {
		vec_push(&deferral->files, mem_strdup(file->path));
		deferral->bytes += bytes;
	}
	return file;
}

const struct instrumented *deferral_get(struct deferral *deferral,
					struct instrumenter *instrumenter, const char *path,
					bool *is_new, struct error *err)
{
	const struct instrumented *file = instrumenter_get_made(instrumenter, path, is_new, err);

	if (file || err->code != ERROR_NONE || !may_be_deferred(deferral, instrumenter, path))
		return file;
	const uint64_t bytes = code_bytes(path);
	if (bytes <= deferral->left_bytes) {
		deferral->left_bytes -= bytes;
		return NULL;
	}
	*is_new = true;
	return defer(deferral, instrumenter, path, bytes, err);
}

bool deferral_choose(struct deferral *deferral, struct instrumenter *instrumenter,
		     const struct path_list *libraries, struct path_list *missing,
		     struct error *err)
{
	bool is_new;

	vec_foreach (path, libraries) {
		if (deferral_get(deferral, instrumenter, *path, &is_new, err))
			continue;
		if (err->code != ERROR_NONE)
			return false;
		vec_push(missing, mem_strdup(*path));
	}
	return true;
}

/* ---- later ---- */

/* Processors and disks only while nothing else wants them. */
static void become_idle(void)
{
	const struct sched_param none = {0};

	sched_setscheduler(0, SCHED_IDLE, &none);
	setpriority(PRIO_PROCESS, 0, PRIO_MAX - 1);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
}

static void leave_recorder(void)
{
	const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t no_signals;

	for (int fd = 0; nowhere >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(nowhere, fd);
	sigemptyset(&no_signals);
	sigprocmask(SIG_SETMASK, &no_signals, NULL);
	if (chdir("/") < 0)
		_exit(1);
}

static _Noreturn void make_copies(const struct deferral *deferral)
{
	struct vec_of(char *) words = {0};

	leave_recorder();
	become_idle();
	vec_push(&words, (char *)"tare");
	vec_push(&words, (char *)"instrument");
	vec_push(&words, (char *)"--cache");
	vec_push(&words, (char *)"--learned");
	vec_push(&words, (char *)"--");
	vec_append(&words, deferral->files.data, deferral->files.len);
	vec_push(&words, NULL);
	execv("/proc/self/exe", words.data);
	_exit(1);
}

void deferral_start(const struct deferral *deferral)
{
	if (!deferral->files.len)
		return;
	const pid_t child = fork();
	if (child == 0) {
		setsid();
		if (fork() == 0)
			make_copies(deferral);
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

void deferral_fini(struct deferral *deferral)
{
	closure_fini(&deferral->files);
}
