/*
 * Which modules are the system's: those that the recording took for the C and C++ run-time
 * libraries and the loader, and what is the kernel's. A library of a distribution is not, as it
 * may be what the program is about (sqlite3 is libsqlite3). Whoever knows better names theirs.
 */
#include "analysis/private.h"

#include <fnmatch.h>
#include <string.h>

/* As maps and symbol tables of the kernel name what no file has; "[jit]" and the like are code. */
bool analysis_is_kernels(const char *path)
{
	static const char *const patterns[] = {"[[]kernel*",   "[[]guest*", "[[]vdso*",
					       "[[]vsyscall*", "*.ko",	    "*.ko.?z",
					       "*.ko.zst"};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (fnmatch(patterns[i], path, 0) == 0)
			return true;
	return false;
}

/* "GLOB,GLOB": whether one of them is the module's name or path. */
static bool is_listed(const char *list, const struct analysis_module *module)
{
	bool listed = false;

	for (const char *at = list; *at && !listed;) {
		const size_t length = strcspn(at, ",");
		struct str glob = {0};

		str_append_bytes(&glob, at, length);
		listed = length && (fnmatch(glob.data, module->name, 0) == 0 ||
				    fnmatch(glob.data, module->path, 0) == 0);
		str_fini(&glob);
		at += length + (at[length] == ',');
	}
	return listed;
}

bool analysis_choose_mine(struct analysis *analysis, const struct analysis_options *options,
			  struct error *err)
{
	const char *list = options->mine && options->mine[0] ? options->mine : NULL;
	bool any = false;

	analysis->my_code = options->my_code;
	vec_foreach (module, &analysis->modules) {
		module->system = list && options->my_code
					 ? !is_listed(list, module)
					 : module->system || analysis_is_kernels(module->path);
		any |= !module->system;
	}
	if (!options->my_code || any || !analysis->modules.len)
		return true;
	if (list)
		return error_set(err, ERROR_NOT_FOUND,
				 "no module of the profile matches --my-code=%s; the modules view "
				 "lists them",
				 list);
	return error_set(err, ERROR_NOT_FOUND,
			 "all modules of the profile are the system's, so that --my-code would "
			 "hide everything; name yours with --my-code=GLOB");
}
