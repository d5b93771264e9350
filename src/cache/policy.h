/* What happens to which file: the default policy and the --module patterns. */
#ifndef TARE_CACHE_POLICY_H
#define TARE_CACHE_POLICY_H

#include "base/base.h"

enum policy_mode {
	POLICY_FULL,	 /* functions, calls and system calls */
	POLICY_SYSCALLS, /* only what holds system call instructions */
	POLICY_NONE,
	POLICY_MODES
};

/* Units of the files that match; see rewrite_function.unit. */
struct policy_units {
	char *glob; /* base name or path */
	bool all;
	size_t first, last; /* [first, last) */
};

struct policy {
	struct vec_of(const char *) modules; /* --module globs: base name or path */
	struct vec_of(struct policy_units) units;
	bool syscalls_only; /* everything is left alone but for the C library's system calls */
};

void policy_fini(struct policy *policy);
/* "GLOB:A-B" or "GLOB:A", both ends included, or "GLOB" for all units. */
bool policy_add_units(struct policy *policy, const char *text, struct error *err);
/* Reads "A-B" or "A", both ends included, as [first, last). */
bool policy_units_parse(const char *text, size_t *first, size_t *last, struct error *err);
/* What holds for the file, or NULL. */
const struct policy_units *policy_units_of(const struct policy *policy, const char *path);

/* Whether the pattern is that of the file's base name or path. */
bool policy_file_matches(const char *glob, const char *path);

/* C and C++ run-time library, loader, vDSO or sanitizer run-time, by base name. */
bool policy_is_system(const char *path);

/*
 * Run-time libraries are left alone but for the C library, whose system calls carry the OS flag.
 * With --module patterns only what they match is instrumented in full, run-time libraries too.
 * Where units were added, files that none of them matches are left alone, but for the C library's
 * system calls: without them children would not be followed.
 */
enum policy_mode policy_mode_of(const struct policy *policy, const char *path);
const char *policy_mode_name(enum policy_mode mode);

#endif
