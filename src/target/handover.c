/*
 * See handover.h. What the recorder says is one message: a header and texts that end with a NUL.
 * The process answers with an errno where it cannot execute; the end of the stream says that it
 * has.
 *
 * Descriptors that are tare's own are closed by an exec, those that it was given are not: so the
 * recorder knows which to leave, and holds no pipe, lock or socket of the command's open.
 */
#include "target/handover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXTS_BYTES_MAX = 64 << 20 };

struct plan {
	int32_t refused; /* the error's code; 0: there is something to execute */
	int32_t status;	 /* of the process, if refused */
	int32_t recorder;
	int32_t observed; /* its memory is read from outside */
	uint64_t static_tls_bytes;
	/* The error's message; or the file, the runtime, the session (empty: none) and the
	 * arguments */
	uint64_t texts, texts_bytes;
};

enum { TEXTS_FIRST = 3 };

/* ---- splitting ---- */

/*
 * A fork of whose child's end comes no signal: the command may have been given a mask in which
 * SIGCHLD stays pending until it looks.
 */
static pid_t fork_quietly(void)
{
	return (pid_t)syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL);
}

/* 0 in the child, which is nobody's. */
static pid_t fork_orphan(void)
{
	int status = 0;
	const pid_t between = fork_quietly();

	if (between == 0) {
		const pid_t pid = fork();
		if (pid == 0)
			return 0;
		_exit(pid < 0);
	}
	if (between < 0)
		return -1;
	while (waitpid(between, &status, __WCLONE) < 0 && errno == EINTR)
		;
	errno = EAGAIN;
	return status == 0 ? between : -1;
}

/* Where the process collects orphans itself, it must not get this one. */
static pid_t split(void)
{
	int collects = 0;

	prctl(PR_GET_CHILD_SUBREAPER, &collects, 0, 0, 0);
	if (collects)
		prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	const pid_t pid = fork_orphan();
	const int reason = errno;
	if (collects && pid != 0)
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	errno = reason;
	return pid;
}

/* Until it is told to go, the end of the process is the recorder's, too. */
static void watch_process(const struct handover *handover, bool watched)
{
	const int flags = fcntl(handover->fd, F_GETFL);

	fcntl(handover->fd, F_SETOWN, getpid());
	fcntl(handover->fd, F_SETSIG, SIGTERM);
	fcntl(handover->fd, F_SETFL, watched ? flags | O_ASYNC : flags & ~O_ASYNC);
}

enum handover_side handover_split(struct handover *handover, struct error *err)
{
	int fds[2];

	*handover = (struct handover){.pid = getpid(), .fd = -1};
	if (handover->pid == 1) {
		error_set(err, ERROR_UNSUPPORTED,
			  "tare is process 1 here, with whose end the recorder would be killed; "
			  "leave "
			  "out --exec");
		return HANDOVER_FAILED;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
		error_set_errno(err, errno, "cannot make a socket");
		return HANDOVER_FAILED;
	}
	const pid_t pid = split();
	const bool is_recorder = pid == 0;
	if (pid < 0)
		error_set_errno(err, errno, "cannot fork");
	handover->fd = fds[is_recorder];
	close(fds[!is_recorder]);
	if (pid < 0) {
		handover_fini(handover);
		return HANDOVER_FAILED;
	}
	if (is_recorder)
		watch_process(handover, true);
	return is_recorder ? HANDOVER_RECORDER : HANDOVER_PROCESS;
}

void handover_fini(struct handover *handover)
{
	if (handover->fd >= 0)
		close(handover->fd);
	free(handover->terminal);
	*handover = (struct handover){.fd = -1};
}

/* ---- the process ---- */

static bool receive(int fd, void *bytes, size_t size)
{
	for (size_t have = 0; have < size;) {
		const ssize_t got = recv(fd, (char *)bytes + have, size - have, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		have += (size_t)got;
	}
	return true;
}

static bool send_all(int fd, const void *bytes, size_t size)
{
	for (size_t sent = 0; sent < size;) {
		const ssize_t got = send(fd, (const char *)bytes + sent, size - sent, MSG_NOSIGNAL);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return false;
		sent += (size_t)got;
	}
	return true;
}

/* The texts, whose pointers end with NULL; free both. NULL where they are not whole. */
static char **receive_texts(int fd, const struct plan *plan, char **bytes)
{
	if (!plan->texts || plan->texts > plan->texts_bytes || plan->texts_bytes > TEXTS_BYTES_MAX)
		return NULL;
	*bytes = mem_zalloc(plan->texts_bytes + 1);
	char **texts = mem_zalloc((plan->texts + 1) * sizeof(*texts));
	char *at = *bytes, *const end = *bytes + plan->texts_bytes;
	if (receive(fd, *bytes, plan->texts_bytes)) {
		for (uint64_t i = 0; i < plan->texts && at < end; i++, at += strlen(at) + 1)
			texts[i] = at;
		if (texts[plan->texts - 1])
			return texts;
	}
	free(texts);
	return NULL;
}

static bool execute(const struct handover *handover, const struct plan *plan, char **texts,
		    int *status, struct error *err)
{
	const struct launch_options options = {
		.path = texts[0],
		.runtime = *texts[1] ? texts[1] : NULL,
		.session = texts[2],
		.arguments = texts + TEXTS_FIRST,
		.static_tls_bytes = plan->static_tls_bytes,
	};

	/* The recorder is no ancestor, whom Yama would let read. */
	if (plan->observed)
		prctl(PR_SET_PTRACER, (unsigned long)plan->recorder, 0, 0, 0);
	const int reason = launch_execute(&options);
	send_all(handover->fd, &reason, sizeof(reason));
	return launch_fail(&options, reason, status, err);
}

bool handover_execute(struct handover *handover, int *status, struct error *err)
{
	struct plan plan;
	char **texts = NULL, *bytes = NULL;

	*status = TARGET_STATUS_FAILED;
	if (receive(handover->fd, &plan, sizeof(plan)))
		texts = receive_texts(handover->fd, &plan, &bytes);
	if (!texts || (!plan.refused && plan.texts <= TEXTS_FIRST)) {
		error_set(err, ERROR_SYSTEM,
			  "the recorder ended before the command could be started");
	} else if (plan.refused) {
		*status = plan.status;
		error_set(err, (enum error_code)plan.refused, "%s", texts[0]);
	} else {
		execute(handover, &plan, texts, status, err);
	}
	free(texts);
	free(bytes);
	handover_fini(handover);
	return false;
}

/* ---- the recorder ---- */

static void put_text(struct plan *plan, struct str *texts, const char *text)
{
	str_append_bytes(texts, text, strlen(text) + 1);
	plan->texts++;
	plan->texts_bytes = texts->len;
}

static bool send_plan(const struct handover *handover, const struct plan *plan, struct str *texts)
{
	const bool ok = send_all(handover->fd, plan, sizeof(*plan)) &&
			send_all(handover->fd, texts->data, texts->len);

	str_fini(texts);
	return ok;
}

void handover_refuse(struct handover *handover, int status, struct error *err)
{
	struct plan plan = {.refused = err->code ? (int32_t)err->code : ERROR_SYSTEM,
			    .status = status};
	struct str texts = {0};

	if (handover->fd < 0)
		return;
	watch_process(handover, false);
	put_text(&plan, &texts, err->message);
	send_plan(handover, &plan, &texts);
	*err = (struct error){0};
}

/* Only its name: a terminal that is held open never hangs up. */
static void note_terminal(struct handover *handover)
{
	char path[256];

	if (!isatty(STDERR_FILENO) || ttyname_r(STDERR_FILENO, path, sizeof(path)) != 0 ||
	    fstat(STDERR_FILENO, &handover->terminal_then) < 0)
		return;
	handover->terminal = mem_strdup(path);
}

static void close_inherited(void)
{
	struct vec_of(int) inherited = {0};
	DIR *directory = opendir("/proc/self/fd");

	for (const struct dirent *entry; directory && (entry = readdir(directory));) {
		char *end;
		const long fd = strtol(entry->d_name, &end, 10);
		if (end == entry->d_name || *end || fd <= STDERR_FILENO)
			continue;
		if (!(fcntl((int)fd, F_GETFD) & FD_CLOEXEC))
			vec_push(&inherited, (int)fd);
	}
	vec_foreach (fd, &inherited)
		close(*fd);
	vec_fini(&inherited);
	if (directory)
		closedir(directory);
}

static bool leave(struct handover *handover, struct error *err)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return error_set_errno(err, errno, "cannot open /dev/null");
	note_terminal(handover);
	setsid();
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	close(null);
	close_inherited();
	return chdir("/") == 0 || error_set_errno(err, errno, "cannot leave the directory");
}

static bool send_command(const struct handover *handover, const struct launch_options *options)
{
	struct plan plan = {.recorder = getpid(),
			    .observed = options->before_execution != NULL,
			    .static_tls_bytes = options->static_tls_bytes};
	struct str texts = {0};

	put_text(&plan, &texts, options->path);
	put_text(&plan, &texts, options->runtime ? options->runtime : "");
	put_text(&plan, &texts, options->runtime ? options->session : "");
	for (char *const *argument = options->arguments; *argument; argument++)
		put_text(&plan, &texts, *argument);
	return send_plan(handover, &plan, &texts);
}

bool handover_start(struct handover *handover, struct launch *launch,
		    const struct launch_options *options, int *status, struct error *err)
{
	int reason = 0;

	*status = TARGET_STATUS_FAILED;
	watch_process(handover, false);
	if (!launch_watch(launch, handover->pid, err))
		return false;
	bool ok = (!options->before_execution ||
		   options->before_execution(launch->pid, options->context, err)) &&
		  leave(handover, err);
	if (ok && !send_command(handover, options))
		ok = error_set(err, ERROR_SYSTEM, "the process ended before it could execute");
	/* It has reported by itself what the system said. */
	if (ok && receive(handover->fd, &reason, sizeof(reason)))
		ok = false;
	if (!ok)
		launch_fini(launch);
	if (reason) {
		close(handover->fd);
		handover->fd = -1;
		*err = (struct error){0};
	}
	return ok;
}

void handover_show(const struct handover *handover)
{
	struct stat now;

	if (!handover->terminal)
		return;
	const int fd = open(handover->terminal, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	/* Another terminal may have its name by now. */
	const struct stat *then = &handover->terminal_then;
	if (fstat(fd, &now) == 0 && now.st_rdev == then->st_rdev && now.st_ino == then->st_ino &&
	    now.st_dev == then->st_dev && now.st_ctim.tv_sec == then->st_ctim.tv_sec &&
	    now.st_ctim.tv_nsec == then->st_ctim.tv_nsec && isatty(fd))
		dup2(fd, STDERR_FILENO);
	close(fd);
}
