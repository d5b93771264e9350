/* See derived.h. Refuses files and folders of other users, as what stands there is believed. */
#include "cache/derived.h"

#include "cache/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct derived_file {
	char *path;
	struct timespec used;
	uint64_t size_bytes;
};

struct derived_files vec_of(struct derived_file);

/* The folder, or NULL. */
static char *folder(void)
{
	struct error ignored;
	struct str path = {0};
	char *root = cache_default_root(&ignored);

	if (!root)
		return NULL;
	str_printf(&path, "%s/derived", root);
	free(root);
	return path.data;
}

static char *path_of(const char *directory, const char *name)
{
	struct str path = {0};

	str_printf(&path, "%s/%s", directory, name);
	return path.data;
}

char *derived_find(const char *name)
{
	struct error ignored;
	struct stat info;
	char *directory = folder();

	if (!directory)
		return NULL;
	char *path = path_of(directory, name);
	const bool ok = directory_check_own(directory, &ignored) && lstat(path, &info) == 0 &&
			S_ISREG(info.st_mode) && info.st_uid == geteuid();
	free(directory);
	if (ok) {
		utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
		return path;
	}
	free(path);
	return NULL;
}

bool derived_open(const char *name, struct file_view *view)
{
	struct error ignored;
	char *path = derived_find(name);
	const bool ok = path && file_view_open(view, path, &ignored);

	free(path);
	return ok;
}

static int compare_used(const void *a, const void *b)
{
	const struct derived_file *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->path, y->path);
}

static uint64_t list(const char *directory, struct derived_files *files)
{
	uint64_t total = 0;
	DIR *entries = opendir(directory);

	for (const struct dirent *entry; entries && (entry = readdir(entries));) {
		struct stat info;

		if (fstatat(dirfd(entries), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(info.st_mode))
			continue;
		const struct derived_file file = {.path = path_of(directory, entry->d_name),
						  .used = info.st_mtim,
						  .size_bytes = (uint64_t)info.st_size};
		total += file.size_bytes;
		vec_push(files, file);
	}
	if (entries)
		closedir(entries);
	return total;
}

void derived_trim(void)
{
	struct derived_files files = {0};
	struct error ignored;
	char *directory = folder();

	if (directory && directory_check_own(directory, &ignored)) {
		uint64_t total = list(directory, &files);

		vec_sort(&files, compare_used);
		vec_foreach (file, &files)
			if (total > DERIVED_LIMIT_BYTES && unlink(file->path) == 0)
				total -= file->size_bytes;
	}
	vec_foreach (file, &files)
		free(file->path);
	vec_fini(&files);
	free(directory);
}

static void keep(const char *name, const void *bytes, size_t size, bool unsynced)
{
	struct error ignored;
	struct file_output out = {.fd = -1};
	char *directory = folder();

	if (!directory)
		return;
	char *path = path_of(directory, name);
	if (directory_create_private(directory, &ignored) &&
	    directory_check_own(directory, &ignored) && file_output_open(&out, path, &ignored)) {
		out.unsynced = unsynced;
		if (file_output_write(&out, bytes, size, &ignored))
			file_output_commit(&out, FILE_MODE_PRIVATE, &ignored);
		file_output_discard(&out);
	}
	free(directory);
	free(path);
}

void derived_keep(const char *name, const void *bytes, size_t size)
{
	keep(name, bytes, size, false);
	derived_trim();
}

void derived_keep_unsynced(const char *name, const void *bytes, size_t size)
{
	keep(name, bytes, size, true);
}
