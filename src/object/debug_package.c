/*
 * dpkg has a list of files for each package, INFO/PACKAGE.list or INFO/PACKAGE:ARCHITECTURE.list, a
 * path per line. They are searched one after the other, until one has the path: some thousand
 * files, of which most are short. There is no library to ask: that of dpkg is for its own programs.
 */
#include "object/debug_package.h"

#include "base/file.h"
#include "base/file_view.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* Without the "/usr" that directories were moved below, as older lists have it; NULL: no such path.
 */
static const char *path_before_merge(const char *path)
{
	static const char usr[] = "/usr";
	const char *rest = path + strlen(usr);

	return str_starts_with(path, usr) &&
			       (str_starts_with(rest, "/lib") || str_starts_with(rest, "/bin/") ||
				str_starts_with(rest, "/sbin/"))
		       ? rest
		       : NULL;
}

/* Whether one of the lines is `path`. */
static bool list_has(const struct file_view *list, const char *path)
{
	const size_t length = strlen(path);
	const char *at = (const char *)list->data, *end = at + list->size;

	while (at && (size_t)(end - at) >= length) {
		const char *found = memmem(at, (size_t)(end - at), path, length);
		if (!found)
			return false;
		const bool begins = found == (const char *)list->data || found[-1] == '\n';
		const bool ends = found + length == end || found[length] == '\n';
		if (begins && ends)
			return true;
		at = found + 1;
	}
	return false;
}

static bool package_has(const char *list_path, const char *path)
{
	const char *before = path_before_merge(path);
	struct file_view list = {0};
	struct error ignored;

	if (!file_view_open(&list, list_path, &ignored))
		return false;
	const bool has = list_has(&list, path) || (before && list_has(&list, before));
	file_view_close(&list);
	return has;
}

/* Those of the C library are not built by themselves, as all others are. */
static void append_package(struct str *name, const char *list)
{
	const size_t length = strcspn(list, ":");
	static const char libc[] = "libc6";

	str_append_bytes(name, list, length);
	str_append(name,
		   length == strlen(libc) && memcmp(list, libc, length) == 0 ? "-dbg" : "-dbgsym");
}

bool debug_package_find(const char *path, struct str *name)
{
	const char *root = getenv("DPKG_ADMINDIR"), *suffix = ".list";
	struct str file = {0};
	bool found = false;

	str_printf(&file, "%s/info", root && *root ? root : "/var/lib/dpkg");
	const size_t directory_length = file.len;
	DIR *directory = opendir(file.data);
	for (const struct dirent *entry; directory && !found && (entry = readdir(directory));) {
		const size_t length = strlen(entry->d_name);
		if (!str_ends_with(entry->d_name, suffix))
			continue;
		file.len = directory_length;
		str_printf(&file, "/%s", entry->d_name);
		found = package_has(file.data, path);
		if (!found)
			continue;
		str_clear(&file);
		str_append_bytes(&file, entry->d_name, length - strlen(suffix));
		append_package(name, file.data);
	}
	if (directory)
		closedir(directory);
	str_fini(&file);
	return found;
}
