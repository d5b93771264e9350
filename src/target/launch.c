/*
 * Starting and waiting for the command. SIGCHLD and the signals that are passed on are blocked in
 * tare and read from a signalfd; the child gets the mask and the dispositions that tare had. Errors
 * of execve come back through a pipe that the exec closes; through another one the child is told to
 * go on, and ends if that never happens.
 */
#include "target/launch.h"

#include "abi/session.h"
#include "base/heap.h"
#include "base/passed_on.h"
#include "target/ending.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

void launch_guard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* The number that this process's status has behind `name`; 0: none. */
static long status_number(const char *name)
{
	char *line = NULL;
	size_t size = 0;
	long number = 0;
	FILE *status = fopen("/proc/self/status", "re");

	while (status && getline(&line, &size, status) > 0) {
		if (str_starts_with(line, name))
			number = strtol(line + strlen(name), NULL, 10);
	}
	free(line);
	if (status)
		fclose(status);
	return number;
}

pid_t launch_tracer_pid(void)
{
	return (pid_t)status_number("TracerPid:");
}

uint64_t launch_filters(void)
{
	return (uint64_t)status_number("Seccomp_filters:");
}

static bool is_variable(const char *entry, const char *name)
{
	const size_t length = strlen(name);

	return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

struct environment {
	char **entries; /* ends with NULL; those of tare itself are also in `own` */
	size_t count;
	struct vec_of(char *) own;
};

/*
 * Appends `value` to the variable, behind a colon, in its place; or adds the variable. The array
 * has room.
 */
static void environment_append(struct environment *environment, const char *name, const char *value)
{
	struct str entry = {0};
	size_t at = 0;

	while (at < environment->count && !is_variable(environment->entries[at], name))
		at++;
	if (at < environment->count)
		str_printf(&entry, "%s:%s", environment->entries[at], value);
	else
		str_printf(&entry, "%s=%s", name, value);
	environment->entries[at] = entry.data;
	environment->count += at == environment->count;
	vec_push(&environment->own, entry.data);
}

/* The present environment with the session's variables, see abi/session.h. */
static void environment_init(struct environment *environment, const struct launch_options *options)
{
	struct str tunable = {0};
	size_t count = 0;

	while (environ[count])
		count++;
	*environment = (struct environment){.entries = mem_zalloc((count + 4) * sizeof(char *))};
	for (size_t i = 0; i < count; i++) {
		if (!options->runtime || !is_variable(environ[i], TARE_ENV_SESSION))
			environment->entries[environment->count++] = environ[i];
	}
	if (!options->runtime)
		return;
	environment_append(environment, "LD_AUDIT", options->runtime);
	environment_append(environment, TARE_ENV_SESSION, options->session);
	if (!options->static_tls_bytes)
		return;
	str_printf(&tunable, TARE_TUNABLE_STATIC_TLS "%016jx",
		   (uintmax_t)options->static_tls_bytes);
	environment_append(environment, TARE_ENV_TUNABLES, tunable.data);
	str_fini(&tunable);
}

static void environment_fini(struct environment *environment)
{
	vec_foreach (entry, &environment->own)
		free(*entry);
	vec_fini(&environment->own);
	free(environment->entries);
}

struct launch_pipes {
	int error[2]; /* from the child: why it could not execute */
	int go[2];    /* to it: one byte */
};

static bool told_to_go(int go_fd)
{
	ssize_t got;
	char byte;

	do
		got = read(go_fd, &byte, sizeof(byte));
	while (got < 0 && errno == EINTR);
	return got == sizeof(byte);
}

static void child_run(const struct launch *launch, const struct launch_options *options,
		      char **environment, const struct launch_pipes *pipes)
	__attribute__((noreturn));

static void child_run(const struct launch *launch, const struct launch_options *options,
		      char **environment, const struct launch_pipes *pipes)
{
	if (options->in_child)
		options->in_child();
	close(pipes->go[1]);
	if (!told_to_go(pipes->go[0]))
		_exit(TARGET_STATUS_FAILED);
	rlimits_give_back();
	sigaction(SIGCHLD, &launch->old_child, NULL);
	sigprocmask(SIG_SETMASK, &launch->old_mask, NULL);
	execve(options->path, options->arguments, environment);
	const int reason = errno;
	if (write(pipes->error[1], &reason, sizeof(reason)) != sizeof(reason))
		_exit(TARGET_STATUS_FAILED);
	_exit(TARGET_STATUS_NOT_EXECUTABLE);
}

int launch_execute(const struct launch_options *options)
{
	struct environment environment = {0};

	environment_init(&environment, options);
	rlimits_give_back();
	execve(options->path, options->arguments, environment.entries);
	const int reason = errno;
	environment_fini(&environment);
	return reason;
}

/* 0 when the exec succeeded, else its errno. */
static int exec_result(int error_fd)
{
	int reason = 0;
	ssize_t got;

	do
		got = read(error_fd, &reason, sizeof(reason));
	while (got < 0 && errno == EINTR);
	return got == sizeof(reason) ? reason : 0;
}

static bool signals_take_over(struct launch *launch, struct error *err)
{
	const struct sigaction standard = {.sa_handler = SIG_DFL};
	sigset_t mine;

	/* With SIGCHLD ignored, as some parents leave it, the status of the child would be lost. */
	sigaction(SIGCHLD, &standard, &launch->old_child);
	sigaction(SIGINT, NULL, &launch->old_interrupt);
	sigaction(SIGQUIT, NULL, &launch->old_quit);
	sigemptyset(&mine);
	passed_on_add(&mine);
	sigaddset(&mine, SIGCHLD);
	/* Blocked until tare ignores them: a ^C while the child starts must not end tare. */
	sigaddset(&mine, SIGINT);
	sigaddset(&mine, SIGQUIT);
	sigprocmask(SIG_BLOCK, &mine, &launch->old_mask);
	sigdelset(&mine, SIGINT);
	sigdelset(&mine, SIGQUIT);
	launch->signal_fd = signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK);
	return launch->signal_fd >= 0 ||
	       error_set_errno(err, errno, "cannot receive signals by a descriptor");
}

/* A blocked signal stays pending even while it is ignored, so these two must not stay blocked. */
static void ignore_interrupts(const struct launch *launch)
{
	static const int signals[] = {SIGINT, SIGQUIT};
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t unblocked;

	sigemptyset(&unblocked);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaction(signals[i], &ignore, NULL);
		if (!sigismember(&launch->old_mask, signals[i]))
			sigaddset(&unblocked, signals[i]);
	}
	sigprocmask(SIG_UNBLOCK, &unblocked, NULL);
}

static bool pipes_open(struct launch_pipes *pipes, struct error *err)
{
	if (pipe2(pipes->error, O_CLOEXEC) < 0)
		return error_set_errno(err, errno, "cannot make a pipe");
	if (pipe2(pipes->go, O_CLOEXEC) == 0)
		return true;
	error_set_errno(err, errno, "cannot make a pipe");
	close(pipes->error[0]);
	close(pipes->error[1]);
	return false;
}

/* Lets the child execute, or end without. */
static bool let_go(const struct launch *launch, const struct launch_options *options, int go_fd,
		   struct error *err)
{
	if (options->before_execution &&
	    !options->before_execution(launch->pid, options->context, err))
		return false;
	return write(go_fd, "", 1) == 1 || error_set_errno(err, errno, "cannot write to a pipe");
}

static bool launch_fork(struct launch *launch, const struct launch_options *options, int *reason,
			struct error *err)
{
	struct environment environment = {0};
	struct launch_pipes pipes;

	if (!pipes_open(&pipes, err))
		return false;
	environment_init(&environment, options);
	launch->pid = fork();
	if (launch->pid == 0)
		child_run(launch, options, environment.entries, &pipes);
	const int fork_errno = errno;
	heap_leave_shared();
	ignore_interrupts(launch);
	close(pipes.error[1]);
	bool ok = launch->pid > 0 ? let_go(launch, options, pipes.go[1], err)
				  : error_set_errno(err, fork_errno, "cannot fork");
	close(pipes.go[0]); /* until now, as writing to nobody would be a signal */
	close(pipes.go[1]);
	*reason = ok ? exec_result(pipes.error[0]) : 0;
	close(pipes.error[0]);
	environment_fini(&environment);
	return ok;
}

/* A child that has not executed anything. */
static void child_wait(const struct launch *launch)
{
	while (waitpid(launch->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

bool launch_fail(const struct launch_options *options, int reason, int *status, struct error *err)
{
	*status = reason == ENOENT ? TARGET_STATUS_NOT_FOUND : TARGET_STATUS_NOT_EXECUTABLE;
	return error_set_errno(err, reason, "cannot execute %s", options->arguments[0]);
}

bool launch_start(struct launch *launch, const struct launch_options *options, int *status,
		  struct error *err)
{
	int reason = 0;

	*launch = (struct launch){.pid = -1, .signal_fd = -1, .pid_fd = -1};
	*status = TARGET_STATUS_FAILED;
	if (!signals_take_over(launch, err) || !launch_fork(launch, options, &reason, err)) {
		if (launch->pid > 0)
			child_wait(launch);
		launch_fini(launch);
		return false;
	}
	if (!reason)
		return true;
	child_wait(launch);
	launch_fini(launch);
	return launch_fail(options, reason, status, err);
}

bool launch_watch(struct launch *launch, pid_t pid, struct error *err)
{
	*launch = (struct launch){.pid = pid, .signal_fd = -1};
	launch->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (launch->pid_fd < 0)
		return error_set_errno(err, errno, "cannot watch process %d", (int)pid);
	if (signals_take_over(launch, err)) {
		ignore_interrupts(launch);
		return true;
	}
	launch_fini(launch);
	return false;
}

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

/* What its CPU clock says is lost with the process, and usage counts its descendants' in. */
static void reap(struct launch *launch)
{
	siginfo_t info = {.si_pid = 0};
	struct timespec used = {0};
	struct rusage usage;
	clockid_t clock;

	if (waitid(P_PID, (id_t)launch->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	    info.si_pid != launch->pid)
		return;
	const bool known =
		clock_getcpuclockid(launch->pid, &clock) == 0 && clock_gettime(clock, &used) == 0;
	if (wait4(launch->pid, &launch->wait_status, WNOHANG, &usage) != launch->pid)
		return;
	launch->ended = launch->status_known = true;
	launch->cpu_known = known;
	if (!known)
		return;
	const uint64_t all_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
	launch->cpu_ns = (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
	/* Usage is in microseconds. */
	if (all_ns > launch->cpu_ns)
		launch->descendants_cpu_ns = all_ns - launch->cpu_ns;
}

static void look(struct launch *launch)
{
	struct pollfd fd = {.fd = launch->pid_fd, .events = POLLIN};
	struct ending ending;

	if (poll(&fd, 1, 0) <= 0)
		return;
	ending_read(launch->pid, launch->pid_fd, &ending);
	launch->ended = true;
	launch->status_known = ending.known;
	launch->wait_status = ending.wait_status;
	launch->cpu_known = ending.cpu_known;
	launch->cpu_ns = ending.cpu_ns;
	launch->descendants_cpu_ns = ending.descendants_cpu_ns;
}

void launch_handle_signals(struct launch *launch)
{
	struct signalfd_siginfo info;

	while (read(launch->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (launch->ended)
			launch->interrupted = true;
		else if (launch->pid_fd < 0)
			kill(launch->pid, (int)info.ssi_signo);
	}
	/* SIGCHLD may stand for several children, and for stops: ask for the command itself. */
	if (!launch->ended && launch->pid_fd < 0)
		reap(launch);
	else if (!launch->ended)
		look(launch);
}

void launch_take_interrupts(struct launch *launch)
{
	static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	const struct sigaction standard = {.sa_handler = SIG_DFL};
	sigset_t mine;

	sigemptyset(&mine);
	sigaddset(&mine, SIGCHLD);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&mine, signals[i]);
	sigprocmask(SIG_BLOCK, &mine, NULL);
	/* An ignored signal does not reach the descriptor. */
	for (size_t i = 0; i < 2; i++)
		sigaction(signals[i], &standard, NULL);
	signalfd(launch->signal_fd, &mine, 0);
}

int launch_exit_status(const struct launch *launch)
{
	if (!launch->status_known)
		return -1;
	return WIFSIGNALED(launch->wait_status) ? 128 + WTERMSIG(launch->wait_status)
						: WEXITSTATUS(launch->wait_status);
}

void launch_fini(struct launch *launch)
{
	struct signalfd_siginfo info;

	if (launch->signal_fd >= 0) {
		/* What arrived meanwhile was meant for the command and is gone with it. */
		while (read(launch->signal_fd, &info, sizeof(info)) == sizeof(info))
			;
		close(launch->signal_fd);
	}
	launch->signal_fd = -1;
	if (launch->pid_fd >= 0)
		close(launch->pid_fd);
	launch->pid_fd = -1;
	sigaction(SIGINT, &launch->old_interrupt, NULL);
	sigaction(SIGQUIT, &launch->old_quit, NULL);
	sigaction(SIGCHLD, &launch->old_child, NULL);
	sigprocmask(SIG_SETMASK, &launch->old_mask, NULL);
}
