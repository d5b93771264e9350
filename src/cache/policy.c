/* See policy.h. Libraries are known by the names that glibc, gcc and LLVM install. */
#include "cache/policy.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* The dot or dash keeps "libcurl" apart from "libc". */
static const char *const system_names[] = {
	"ld-linux*",	    "ld-[0-9]*",      "linux-vdso*",	   "libc.so*",
	"libc-[0-9]*",	    "libm.so*",	      "libm-[0-9]*",	   "libmvec.so*",
	"libmvec-[0-9]*",   "libpthread.so*", "libpthread-[0-9]*", "libdl.so*",
	"libdl-[0-9]*",	    "librt.so*",      "librt-[0-9]*",	   "libresolv.so*",
	"libresolv-[0-9]*", "libanl.so*",     "libutil.so*",	   "libnss_*.so*",
	"libBrokenLocale*", "libgcc_s.so*",   "libgcc_s-*",	   "libstdc++.so*",
	"libc++.so*",	    "libc++abi.so*",  "libunwind.so.1*",   "libasan.so*",
	"libtsan.so*",	    "libubsan.so*",   "liblsan.so*",	   "libtare-runtime.so*",
	"libtare.so*",
};

static const char *const syscall_names[] = {
	"libc.so*",
	"libc-[0-9]*",
	"libpthread.so*",
	"libpthread-[0-9]*",
};

static bool name_is_among(const char *name, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	}
	return false;
}

bool policy_is_system(const char *path)
{
	return name_is_among(path_basename(path), system_names,
			     sizeof(system_names) / sizeof(system_names[0]));
}

bool policy_file_matches(const char *glob, const char *path)
{
	return fnmatch(glob, path_basename(path), 0) == 0 || fnmatch(glob, path, 0) == 0;
}

/* ---- units ---- */

void policy_fini(struct policy *policy)
{
	vec_foreach (units, &policy->units)
		free(units->glob);
	vec_fini(&policy->units);
	vec_fini(&policy->modules);
}

static bool number_parse(const char **at, size_t *number)
{
	const char *const begin = *at;

	*number = 0;
	while (**at >= '0' && **at <= '9' && *at - begin < 12)
		*number = *number * 10 + (size_t)(*(*at)++ - '0');
	return *at > begin;
}

bool policy_units_parse(const char *text, size_t *first, size_t *last, struct error *err)
{
	const char *at = text;
	bool ok = number_parse(&at, first);

	*last = *first;
	if (ok && *at == '-') {
		at++;
		ok = number_parse(&at, last);
	}
	if (!ok || *at || *last < *first)
		return error_set(err, ERROR_USAGE,
				 "\"%s\" is no range of units; A-B with A not above B is one",
				 text);
	++*last;
	return true;
}

bool policy_add_units(struct policy *policy, const char *text, struct error *err)
{
	const char *colon = strrchr(text, ':');
	struct policy_units units = {0};

	/* Names may hold colons: only what looks like numbers is a range. */
	if (colon && strspn(colon + 1, "0123456789-") != strlen(colon + 1))
		colon = NULL;
	units.all = !colon;
	if (colon && !policy_units_parse(colon + 1, &units.first, &units.last, err))
		return false;
	units.glob = mem_strdup(text);
	if (colon)
		units.glob[colon - text] = 0;
	if (!*units.glob) {
		free(units.glob);
		return error_set(err, ERROR_USAGE, "\"%s\" names no file before its units", text);
	}
	vec_push(&policy->units, units);
	return true;
}

const struct policy_units *policy_units_of(const struct policy *policy, const char *path)
{
	vec_foreach (units, &policy->units) {
		if (policy_file_matches(units->glob, path))
			return units;
	}
	return NULL;
}

/* ---- modes ---- */

enum policy_mode policy_mode_of(const struct policy *policy, const char *path)
{
	const char *name = path_basename(path);
	const bool chosen =
		!policy->syscalls_only && (!policy->units.len || policy_units_of(policy, path));

	vec_foreach (module, &policy->modules) {
		if (chosen && policy_file_matches(*module, path))
			return POLICY_FULL;
	}
	if (name_is_among(name, syscall_names, sizeof(syscall_names) / sizeof(syscall_names[0])))
		return POLICY_SYSCALLS;
	return !chosen || policy->modules.len || policy_is_system(path) ? POLICY_NONE : POLICY_FULL;
}

const char *policy_mode_name(enum policy_mode mode)
{
	static const char *const names[] = {"full", "syscalls", "none"};
	table_covers(names, POLICY_MODES);

	return names[mode];
}
