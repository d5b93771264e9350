/*
 * Where the libraries are that run inside profiled processes, relative to the tare that runs.
 * Refuses a place that others than tare's owner could write.
 */
#include "target/target.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Relative to the directory that holds tare: installed (plain and Debian's), then build trees of
   tare itself and of its tests. */
static const char *const library_places[] = {
	"../lib/tare",
	"../lib/x86_64-linux-gnu/tare",
	"../lib64/tare",
	"../../runtime",
};

static char *library_path(const char *name, struct error *err)
{
	char own[PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (length < 0) {
		error_set_errno(err, errno, "cannot find tare's own place in /proc/self/exe");
		return NULL;
	}
	own[length] = 0;
	*strrchr(own, '/') = 0;
	for (size_t i = 0; i < sizeof(library_places) / sizeof(library_places[0]); i++) {
		struct str candidate = {0};
		struct stat info, own_info;
		str_printf(&candidate, "%s/%s/%s", own, library_places[i], name);
		char *path = realpath(candidate.data, NULL);
		str_fini(&candidate);
		if (!path || stat(path, &info) < 0 || !S_ISREG(info.st_mode)) {
			free(path);
			continue;
		}
		if ((info.st_mode & S_IWOTH) || stat("/proc/self/exe", &own_info) < 0 ||
		    (info.st_uid != own_info.st_uid && info.st_uid != geteuid() &&
		     info.st_uid != 0)) {
			error_set(err, ERROR_PERMISSION,
				  "the library %s can be changed by other users", path);
			free(path);
			return NULL;
		}
		return path;
	}
	error_set(err, ERROR_NOT_FOUND,
		  "the library %s is not in its place near %s; install tare again", name, own);
	return NULL;
}

char *target_runtime_path(struct error *err)
{
	return library_path("libtare-runtime.so", err);
}

char *target_poison_path(struct error *err)
{
	return library_path("libtare-poison.so", err);
}
