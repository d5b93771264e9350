/* See policy.h. Libraries are known by the names that glibc, gcc and LLVM install. */
#include "record/policy.h"

#include <fnmatch.h>
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

enum policy_mode policy_mode_of(const struct policy *policy, const char *path)
{
	const char *name = path_basename(path);

	vec_foreach (module, &policy->modules) {
		if (fnmatch(*module, name, 0) == 0 || fnmatch(*module, path, 0) == 0)
			return POLICY_FULL;
	}
	if (name_is_among(name, syscall_names, sizeof(syscall_names) / sizeof(syscall_names[0])))
		return POLICY_SYSCALLS;
	return policy->modules.len || policy_is_system(path) ? POLICY_NONE : POLICY_FULL;
}

const char *policy_mode_name(enum policy_mode mode)
{
	static const char *const names[] = {"full", "syscalls", "none"};

	return names[mode];
}
