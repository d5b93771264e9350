/*
 * startup: what both ways into a process share, the loader's constructor (audit.c) and the entry
 * of a static executable (static.c): reading the initial stack, taking up the session.
 */
#ifndef TARE_RUNTIME_START_STARTUP_H
#define TARE_RUNTIME_START_STARTUP_H

#include "runtime/base/state.h"

#include <elf.h>

/* Who started the program that has this initial stack. */
enum startup_origin {
	STARTUP_BY_KERNEL, /* or nobody can tell */
	STARTUP_BY_LOADER, /* which the kernel has started: /proc/self/exe is not the program */
	/* Another program, which runs it by itself: the stack is not the process's, and what it
	   asks for need not be what the process does. Nothing of the runtime may act there. */
	STARTUP_AS_GUEST,
};

/* What the kernel and the recorder say on the initial stack. */
struct startup {
	const char *audit, *session; /* values of the variables, NULL if not there */
	uint64_t loader_base, headers, header_count;
	uint64_t random; /* where the kernel has put its random bytes, above the vector */
	uint64_t signal_frame_bytes; /* 0: unknown */
	uint64_t user;		     /* effective */
	uint64_t vdso;		     /* where the kernel's code for the process is, 0: nowhere */
	bool secure;		     /* the program has gained privileges by its start */
	bool no_syscall_sites;	     /* no module has any, and none will come */
	Elf64_auxv_t *vector;	     /* auxiliary, on the target's stack */
	enum startup_origin origin;  /* known from startup_take_session on */
};

void startup_scan(struct startup *startup, char **environment);

/* Fills state_session with the session's paths and settings; false where there is none. */
bool startup_take_session(struct startup *startup);

/* Of a guest: the recorder is told, and the session is over here. */
void startup_withdraw(void);

/*
 * Learns what this host offers and what probes cost, and makes the process file; state_session
 * stays active only if that works. The thread pointer must be good.
 */
void startup_begin(const struct startup *startup);

/* The target of a symbolic link in `path` (TARE_PATH_MAX bytes). */
bool startup_read_link(const char *link, char *path);

#endif
