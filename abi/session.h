/*
 * How the runtime inside the target talks to the recorder.
 *
 * Environment (set by the recorder, removed from the target's sight by the runtime before any of
 * its code runs, added again at every execve of a program that will remove it; see
 * runtime/exec/exec_image.h):
 *   LD_AUDIT      …:<path of the runtime>   (appended to the user's own, if any)
 *   TARE_SESSION  absolute path of the session directory
 *   GLIBC_TUNABLES  …:TARE_TUNABLE_STATIC_TLS and 16 hexadecimal digits, where it is needed: under
 *                 LD_AUDIT the loader places the thread-local storage of libraries as that of ones
 *                 opened later, so what wants a place at a fixed offset needs a larger reserve
 *
 * In the session directory lies a Unix stream socket, TARE_SOCKET_NAME. For every library that
 * the loader is about to open, for what the program is about to execute, and for the executable if
 * it is not instrumented, the runtime connects, sends one struct tare_request and the path, and
 * reads one struct tare_reply and a path. When anything fails, the original file is used. Who does
 * not send its request within seconds is hung up on.
 *
 * Beside it lies the file TARE_SETTINGS_NAME: struct tare_settings, what the runtime is to do; and,
 * where there are any, TARE_TRIGGERS_NAME: one struct tare_trigger after another, those of a file
 * before the path of its copy is replied.
 */
#ifndef TARE_ABI_SESSION_H
#define TARE_ABI_SESSION_H

#include "abi/session_files.h"

#include <stdint.h>

#define TARE_ENV_SESSION	"TARE_SESSION"
#define TARE_SOCKET_NAME	"socket"
#define TARE_SETTINGS_NAME	"settings"
#define TARE_TRIGGERS_NAME	"triggers"
#define TARE_ENV_TUNABLES	"GLIBC_TUNABLES"
#define TARE_TUNABLE_STATIC_TLS "glibc.rtld.optional_static_tls=0x"
#define TARE_SESSION_ABI	3
#define TARE_PATH_MAX		4096

enum tare_request_kind {
	TARE_REQUEST_LIBRARY = 1,    /* which file to load instead of this library? */
	TARE_REQUEST_EXECUTABLE = 2, /* which file to run instead of this executable? */
	/* Of which file is this a copy? The reply is the path of a symbolic link, in the session
	   directory, that leads to the original: what /proc/self/exe would be without tare. */
	TARE_REQUEST_ORIGINAL = 3,
	/* The global level, or a process's, has changed: let the processes take it in. The path is
	   the session directory; it is the reply, too. */
	TARE_REQUEST_CONTROL = 4,
	/* Unwind rules (src/unwind/rule_table.h) of this file, of its instrumented copy, or of
	   TARE_TIMER_VDSO (abi/timer.h): the reply is the path of a file in the session. */
	TARE_REQUEST_RULES = 5,
	TARE_REQUEST_RULES_OF_COPY = 6,
	/* The runtime has found itself in a program that an emulator runs, and does nothing there:
	   to be counted. The path is that program's, or "/"; there need be no reply. */
	TARE_REQUEST_GUEST = 7,
	/* Which file to run instead of this executable, which the asking process would execute now,
	   without variables for the loader? Only what is at hand is replied. */
	TARE_REQUEST_CHILD = 8,
	/* Where in the original is this address of a copy? Path and reply are a slash and sixteen
	   hexadecimal digits, a run address of the asking process; in the request the original's
	   path may follow: then they are link addresses. */
	TARE_REQUEST_PLACE = 9,
};

struct tare_request {
	uint32_t abi;
	uint32_t kind;
	int32_t pid;
	uint32_t path_bytes; /* absolute path follows, no NUL; < TARE_PATH_MAX */
};

struct tare_reply {
	uint32_t abi;
	uint32_t path_bytes;	   /* 0: use the original. Path of the copy follows, no NUL */
	uint64_t static_tls_bytes; /* TARE_REQUEST_EXECUTABLE: for the tunable; 0: none needed */
};

/* A function whose begin changes the process's level. */
struct tare_trigger {
	uint8_t source_id[32]; /* of the instrumented file: struct tare_module */
	uint64_t link_addr;    /* the function's original entry */
	uint32_t function;     /* number of its arming byte */
	uint32_t operation;    /* enum tare_operation: TARE_START or TARE_STOP */
};

#define TARE_TRIGGERS_MAX 256 /* in a session */

/* tare_settings.triggers */
#define TARE_TRIGGERS_ANY    1U
#define TARE_TRIGGERS_STARTS 2U /* some start: processes begin stopped */

/* Zero means the default. New members go to the end; those missing in a file are zero. */
struct tare_settings {
	uint32_t abi; /* TARE_SESSION_ABI */
	/* --adaptive: 100 × RATIO; 0: no function is disarmed */
	uint32_t adaptive_percent;
	/* --max-depth: calls in progress that are kept apart; 0: any number */
	uint32_t max_depth;
	uint32_t triggers;	   /* --start-at, --stop-at: TARE_TRIGGERS_ANY … */
	uint64_t max_nodes;	   /* --max-nodes: per thread */
	uint64_t max_memory_bytes; /* --max-memory: of the runtime in one process */
	uint64_t max_disk_bytes;   /* --max-disk: of all files of the session */
	uint64_t max_threads;	   /* --max-threads: of a process with files of their own */
	/* --trace: the event log of a thread. 0: none; TARE_TRACE_FULL: all; else a ring of so
	   many bytes */
	uint64_t trace_bytes;
	/* Samples by timers of the threads' processor time (abi/timer.h), one in so many
	   nanoseconds; 0: none */
	uint64_t timer_period_ns;
	uint64_t timer_only; /* functions are not instrumented */
	uint64_t call_sites; /* --call-sites: calls from different places have nodes of their own */
	uint64_t no_follow;  /* --no-follow: what children of the command execute is not recorded */
	uint64_t tracer_pid; /* of the recorder, which then has the command, too; 0: none */
	uint64_t filters;    /* of system calls that the recorder has: so many */
	uint64_t in_memory;  /* the session's files are on no disk */
};

#define TARE_NODES_USUAL	(1ULL << 17)
#define TARE_NODES_COUNTED	(1ULL << 15) /* where functions may be counted only */
#define TARE_MEMORY_BYTES_USUAL (2ULL << 30)
#define TARE_DISK_BYTES_USUAL	(4ULL << 30)
#define TARE_THREADS_USUAL	1000ULL

/*
 * What all processes of a session have used, and what probes cost as one of them has measured it:
 * in the page of TARE_CONTROL_NAME (abi/control.h).
 */
struct tare_usage {
	uint32_t abi;	   /* TARE_SESSION_ABI */
	uint32_t sequence; /* odd while what follows disk_bytes is written */
	uint64_t disk_bytes;
	uint64_t measured_ticks; /* when; 0: never */
	uint64_t measured_means; /* by which handlers and marks: others cost something else */
	struct tare_calibration measured;
};

#define TARE_TRACE_FULL (~0ULL)

#endif
