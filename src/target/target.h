/*
 * target: finds a program, says whether it can be profiled, starts it exactly as the shell would
 * have, and tells where the runtime library is. Knows nothing of sessions, caches and profiles.
 */
#ifndef TARE_TARGET_TARGET_H
#define TARE_TARGET_TARGET_H

#include "base/base.h"

/* Exit statuses of tare record beside the command's own; the same as env(1) and the shell use. */
enum target_status {
	TARGET_STATUS_FAILED = 125,	    /* tare failed, or does not support the program */
	TARGET_STATUS_NOT_EXECUTABLE = 126, /* found, but the system could not run it */
	TARGET_STATUS_NOT_FOUND = 127,
};

/*
 * The absolute path of libtare-runtime.so: beside the build tree's or the installation's tare
 * (../../runtime/ or ../lib/tare/ and the like, relative to /proc/self/exe). Free it.
 */
char *target_runtime_path(struct error *err);
/* The same of libtare-poison.so, the companion of poisoned files. */
char *target_poison_path(struct error *err);

#endif
