/*
 * Starts a program as if tare were not there: descriptors, signal dispositions and mask, working
 * directory, umask, process group and limits are those that tare itself was given.
 */
#ifndef TARE_TARGET_LAUNCH_H
#define TARE_TARGET_LAUNCH_H

#include "target/target.h"

#include <signal.h>
#include <sys/types.h>

/* Makes sure that descriptors 0, 1 and 2 are open (on /dev/null, closed at exec), so that no file
   of tare's gets such a number. Call before anything is opened. */
void launch_guard_descriptors(void);

/* The process that traces this one, and thereby what it starts; 0: none. */
pid_t launch_tracer_pid(void);
/* How many filters of system calls this process has, and what it starts will have; 0 also before
   Linux 5.9, which does not tell. */
uint64_t launch_filters(void);

struct launch_options {
	const char *path;	/* file to execute */
	char *const *arguments; /* ends with NULL */
	const char *runtime;	/* appended to LD_AUDIT; NULL: the environment stays as it is */
	const char *session;	/* TARE_SESSION */
	/* The reserve of static thread-local storage to ask the loader for; 0: its own */
	uint64_t static_tls_bytes;
	/* Called when there is a process that has not executed the program yet, and waits; false
	   with err gives up. May be NULL. */
	bool (*before_execution)(pid_t pid, void *context, struct error *err);
	void (*in_child)(void); /* called in the process, before all that; may be NULL */
	void *context;
};

struct launch {
	pid_t pid;
	int signal_fd; /* these two are readable when launch_handle_signals has something to do */
	int pid_fd;    /* of a process that is no child; else -1 */
	bool ended;
	bool interrupted; /* a signal that would end tare came after that */
	int wait_status;
	bool status_known, cpu_known; /* these are; always of a child's status */
	/* Once it has ended: CPU time that it has used, and that descendants have which it, or one
	   of them, has waited for */
	uint64_t cpu_ns, descendants_cpu_ns;
	sigset_t old_mask;
	struct sigaction old_interrupt, old_quit, old_child;
};

/*
 * Forks and executes. From then on tare ignores SIGINT and SIGQUIT (a terminal sends them to the
 * command itself), and launch_handle_signals forwards those of base/passed_on.h. False with err
 * and *status (enum target_status) when the program could not be started.
 */
bool launch_start(struct launch *launch, const struct launch_options *options, int *status,
		  struct error *err);
/*
 * Watches a process that is no child, and will execute a program. Signals are as after
 * launch_start, but none is forwarded: who ends that process does not mean tare.
 */
bool launch_watch(struct launch *launch, pid_t pid, struct error *err);
/* Executes in this process: path, arguments and variables of the options. Returns errno. */
int launch_execute(const struct launch_options *options);
/* Says why that failed; returns false. */
bool launch_fail(const struct launch_options *options, int reason, int *status, struct error *err);
/* Forwards signals, and reaps the command (only it): sets `ended` and `wait_status`. */
void launch_handle_signals(struct launch *launch);
/* From here on ^C is for tare: it sets `interrupted`, like SIGTERM once the command has ended. */
void launch_take_interrupts(struct launch *launch);
/* The command's exit status as a shell reports it; -1: unknown. */
int launch_exit_status(const struct launch *launch);
/* Restores tare's own signal handling. */
void launch_fini(struct launch *launch);

#endif
