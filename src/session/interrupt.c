/*
 * Removing temporary directories from a signal handler: only fork, execve and waitpid may be used
 * there, so rm does the work.
 */
#include "session/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

static struct sigaction before[SIGNALS];
static const char *volatile directories[INTERRUPT_DIRECTORIES_MAX];
static volatile sig_atomic_t directory_count;
static bool armed;

static void remove_directory(const char *path)
{
	char *const arguments[] = {(char *)"rm", (char *)"-rf", (char *)"--", (char *)path, NULL};
	char *const environment[] = {NULL};
	const pid_t pid = fork();

	if (pid == 0) {
		execve("/bin/rm", arguments, environment);
		_exit(1);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void interrupt_remove_now(void)
{
	for (int i = 0; i < directory_count; i++)
		remove_directory(directories[i]);
}

static void handle(int signal_number)
{
	interrupt_remove_now();
	/* SA_RESETHAND has restored the default; it takes effect when this handler returns. */
	raise(signal_number);
}

void interrupt_arm(void)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = (int)SA_RESETHAND};

	if (armed)
		return;
	/* One at a time: a second ^C must not interrupt the removal. */
	for (size_t i = 0; i < SIGNALS; i++)
		sigaddset(&action.sa_mask, signals[i]);
	for (size_t i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
	armed = true;
}

void interrupt_remove_directory(const char *path)
{
	if (directory_count == INTERRUPT_DIRECTORIES_MAX)
		return;
	directories[directory_count] = path;
	directory_count = directory_count + 1;
}

void interrupt_disarm(void)
{
	directory_count = 0;
	for (size_t i = 0; armed && i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
	armed = false;
}
