/*
 * See rescue.h. Signals that would end the recorder:
 *
 *   SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT   a fault, or no memory
 *   SIGXCPU, SIGPROF                           the limit's, and a timer's before its SIGKILL
 *   exit                                       libraries that give up
 *   SIGPIPE                                    ignored: nobody needs to read what tare says
 *
 * Whoever waits in the socket for an answer must not wait for one that never comes, so all
 * descriptors are closed; signals for the command are received without one.
 */
#include "record/rescue.h"

#include "base/passed_on.h"
#include "session/interrupt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct {
	int number;
	const char *reason;
} fatal[] = {
#ifndef __SANITIZE_ADDRESS__ /* which tells more */
	{SIGSEGV, "it met a fault of its own (signal 11)"},
	{SIGBUS, "it met a fault of its own (signal 7)"},
	{SIGFPE, "it met a fault of its own (signal 8)"},
	{SIGILL, "it met a fault of its own (signal 4)"},
	{SIGABRT, "it gave up (signal 6)"},
#endif
	{SIGXCPU, "it has used the processor time that it may use (ulimit -t)"},
	{SIGPROF, "it has used the processor time that it may use (ulimit -t)"},
};

enum { FATAL = sizeof(fatal) / sizeof(fatal[0]), STACK_BYTES = 64 << 10 };

static struct sigaction before[FATAL], before_pipe;
static const struct launch *command;
static const char *session, *half_written;
static bool armed, at_exit_is_set, pipe_is_ignored;
static int ending;
static pid_t recorder;

/* A line in one piece. What is no plain text in it shows as \xNN: paths may have any bytes. */
static void say(const char *reason, const char *more, const char *path)
{
	static const char digits[] = "0123456789abcdef";
	static char line[8192];
	const char *const parts[] = {"tare record: ", reason, more, path};
	size_t length = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const unsigned char *at = (const unsigned char *)parts[i];
		for (; *at && length + 5 < sizeof(line); at++) {
			if (*at >= 0x20 && *at < 0x7f) {
				line[length++] = (char)*at;
				continue;
			}
			line[length++] = '\\';
			line[length++] = 'x';
			line[length++] = digits[*at >> 4];
			line[length++] = digits[*at & 15];
		}
	}
	line[length++] = '\n';
	if (write(STDERR_FILENO, line, length) < 0)
		return; /* nobody reads it */
}

/* They would go on working, and use up what processor time is left. */
static void stop_other_threads(void)
{
	char entries[2048];
	const int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const long own = syscall(SYS_gettid);
	long got;

	while (fd >= 0 && (got = syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < got;) {
			const struct dirent64 *entry = (const struct dirent64 *)(entries + at);
			long thread = 0;
			for (const char *digit = entry->d_name; *digit >= '0' && *digit <= '9';
			     digit++)
				thread = thread * 10 + (*digit - '0');
			if (thread && thread != own)
				syscall(SYS_tgkill, recorder, thread, SIGSEGV);
			at += entry->d_reclen;
		}
	}
	if (fd >= 0)
		close(fd);
}

/* The wait status of the command; what is sent to tare goes to it. */
static int wait_for_command(void)
{
	const struct timespec moment = {.tv_sec = 1};
	sigset_t mine;
	int status = command->wait_status;

	sigemptyset(&mine);
	passed_on_add(&mine);
	sigaddset(&mine, SIGCHLD);
	while (!command->ended) {
		const pid_t got = waitpid(command->pid, &status, WNOHANG);
		if (got == command->pid || (got < 0 && errno != EINTR))
			break;
		const int number = sigtimedwait(&mine, NULL, &moment);
		if (passed_on_has(number))
			kill(command->pid, number);
	}
	return status;
}

static void end(const char *reason) __attribute__((noreturn));

static void end(const char *reason)
{
	/* Helpers of this process, too, end by this: they are not to speak for it. */
	if (getpid() != recorder)
		_exit(TARGET_STATUS_FAILED);
	/* Several threads may meet their end; one is enough, and the others rest here. */
	while (__atomic_exchange_n(&ending, 1, __ATOMIC_ACQ_REL))
		pause();
	armed = false;
	if (half_written)
		unlink(half_written);
	if (session) {
		say(reason, "; the recorded data are kept: tare recover ", session);
	} else {
		say(reason, "", "");
		interrupt_remove_now();
	}
	if (!command)
		_exit(TARGET_STATUS_FAILED);
	close_range(3, ~0U, 0);
	stop_other_threads();
	const int status = wait_for_command();
	_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

static void handle(int number)
{
	for (size_t i = 0; i < FATAL; i++)
		if (fatal[i].number == number)
			end(fatal[i].reason);
}

static void handle_exhaustion(const char *sentence)
{
	if (armed)
		end(sentence);
}

static void handle_exit(void)
{
	if (armed)
		end("a library ended it");
}

/* The limit itself ends a process without a word, so some time before it there is a signal. */
static void watch_processor_time(void)
{
	enum { RESERVE_US_MAX = 1000000 };
	struct rlimit limit;
	struct itimerval timer = {0};
	const int64_t used_us = (int64_t)clock() * 1000000 / CLOCKS_PER_SEC;

	if (getrlimit(RLIMIT_CPU, &limit) < 0 || limit.rlim_max > INT32_MAX)
		return;
	const int64_t all_us = (int64_t)limit.rlim_max * 1000000;
	const int64_t reserve_us = all_us / 4 < RESERVE_US_MAX ? all_us / 4 : RESERVE_US_MAX;
	const int64_t left_us = all_us - reserve_us - used_us;

	timer.it_value.tv_sec = left_us > 0 ? left_us / 1000000 : 0;
	timer.it_value.tv_usec = left_us > 0 ? left_us % 1000000 : 1;
	/* It counts as the limit does, by ticks; clocks of processor time do not. */
	setitimer(ITIMER_PROF, &timer, NULL);
}

void rescue_arm(void)
{
	static char stack[STACK_BYTES];
	const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};

	recorder = getpid();
	sigaltstack(&other, NULL);
	for (size_t i = 0; i < FATAL; i++)
		sigaction(fatal[i].number, &action, &before[i]);
	/* It stays ignored between recordings: the next one's command gets what was before. */
	if (!pipe_is_ignored)
		pipe_is_ignored = sigaction(SIGPIPE, &ignore, &before_pipe) == 0;
	mem_on_exhaustion(handle_exhaustion);
	if (!at_exit_is_set)
		at_exit_is_set = atexit(handle_exit) == 0;
	watch_processor_time();
	armed = true;
}

void rescue_session(const char *directory)
{
	session = directory;
}

void rescue_command(const struct launch *launch)
{
	command = launch;
}

void rescue_remove(const char *path)
{
	half_written = path;
}

static void restore_signals(void)
{
	for (size_t i = 0; armed && i < FATAL; i++)
		sigaction(fatal[i].number, &before[i], NULL);
}

void rescue_leave_child(void)
{
	restore_signals();
	if (armed)
		sigaction(SIGPIPE, &before_pipe, NULL);
}

void rescue_disarm(void)
{
	const stack_t none = {.ss_flags = SS_DISABLE};

	if (!armed)
		return;
	restore_signals();
	armed = false;
	mem_on_exhaustion(NULL);
	setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
	sigaltstack(&none, NULL);
	command = NULL;
	session = half_written = NULL;
}
