/* See repeated_runs.h. */
#include "cli/repeated_runs.h"

#include "base/base.h"
#include "base/passed_on.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROFILE_SUFFIX ".tare"

void repeated_runs_output(const struct repeated_runs *runs, int64_t number, struct str *out)
{
	char last[24];
	const char *path = runs->output ? runs->output : path_basename(runs->command);
	const size_t length =
		strlen(path) - (str_ends_with(path, PROFILE_SUFFIX) ? strlen(PROFILE_SUFFIX) : 0);
	const int digits = snprintf(last, sizeof(last), "%jd", (intmax_t)runs->count);

	str_append_bytes(out, path, length);
	str_printf(out, ".%0*jd" PROFILE_SUFFIX, digits, (intmax_t)number);
}

bool repeated_runs_lose_input(const struct repeated_runs *runs)
{
	struct stat status;

	return runs->count > 1 && fstat(STDIN_FILENO, &status) == 0 &&
	       (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

bool repeated_runs_end_at(int status)
{
	return status == 128 + SIGINT || status == 128 + SIGTERM || status == 128 + SIGHUP ||
	       status == 128 + SIGQUIT;
}

/* What a child tells: in memory that both have. */
struct told {
	bool has_profile;
};

/* ^C reaches the child by itself, from the terminal; what is sent to this process goes to it. */
static int wait_for(pid_t child, const sigset_t *mine)
{
	int status = 0;

	while (waitpid(child, &status, WNOHANG) == 0) {
		const int number = sigwaitinfo(mine, NULL);
		if (passed_on_has(number))
			kill(child, number);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* How signals were before this process took care of its children. */
struct signals {
	sigset_t mine, mask;
	struct sigaction child;
};

static void take_signals(struct signals *signals)
{
	const struct sigaction standard = {.sa_handler = SIG_DFL};

	sigemptyset(&signals->mine);
	sigaddset(&signals->mine, SIGCHLD);
	passed_on_add(&signals->mine);
	sigprocmask(SIG_BLOCK, &signals->mine, &signals->mask);
	/* Where it is ignored, nothing tells that a child has ended. */
	sigaction(SIGCHLD, &standard, &signals->child);
}

static void give_back_signals(const struct signals *signals)
{
	sigaction(SIGCHLD, &signals->child, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

static pid_t begin(const struct repeated_runs *runs, int64_t number, const struct signals *signals,
		   struct told *told)
{
	const pid_t child = fork();
	struct str path = {0};
	int status = 0;

	if (child)
		return child;
	give_back_signals(signals);
	repeated_runs_output(runs, number, &path);
	told->has_profile = runs->make(path.data, &status, runs->context);
	str_fini(&path);
	exit(status);
}

static bool make_all(const struct repeated_runs *runs, const struct signals *signals,
		     struct told *told, int *status)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	const off_t input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	struct sigaction interrupt, quit;

	*status = 0;
	for (int64_t i = 1; i <= runs->count; i++) {
		if (input >= 0)
			lseek(STDIN_FILENO, input, SEEK_SET);
		told->has_profile = false;
		const pid_t child = begin(runs, i, signals, told);
		if (child < 0)
			return false;
		sigaction(SIGINT, &ignore, &interrupt);
		sigaction(SIGQUIT, &ignore, &quit);
		const int now = wait_for(child, &signals->mine);
		sigaction(SIGINT, &interrupt, NULL);
		sigaction(SIGQUIT, &quit, NULL);
		*status = *status ? *status : now;
		if (!told->has_profile || repeated_runs_end_at(now))
			break;
	}
	return true;
}

bool repeated_runs_make(const struct repeated_runs *runs, int *status, struct error *err)
{
	struct told *told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct signals signals;

	if (told == MAP_FAILED)
		return error_set_errno(err, errno, "no memory to share with the runs");
	take_signals(&signals);
	const bool ok = make_all(runs, &signals, told, status) ||
			error_set_errno(err, errno, "cannot start a process for a run");
	give_back_signals(&signals);
	munmap(told, sizeof(*told));
	return ok;
}
