/* What happens to which file: the default policy and the --module patterns. */
#ifndef TARE_RECORD_POLICY_H
#define TARE_RECORD_POLICY_H

#include "base/base.h"

enum policy_mode {
	POLICY_FULL,	 /* functions, calls and system calls */
	POLICY_SYSCALLS, /* only what holds system call instructions */
	POLICY_NONE,
};

struct policy {
	struct vec_of(const char *) modules; /* --module globs: base name or path */
};

/* C and C++ run-time library, loader, vDSO or sanitizer run-time, by base name. */
bool policy_is_system(const char *path);

/*
 * Run-time libraries are left alone but for the C library, whose system calls carry the OS flag.
 * With --module patterns only what they match is instrumented in full, run-time libraries too.
 */
enum policy_mode policy_mode_of(const struct policy *policy, const char *path);
const char *policy_mode_name(enum policy_mode mode);

#endif
