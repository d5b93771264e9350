/*
 * Keeps the cache within its bound: entries that nobody holds are removed, least recently used
 * first (the meta file's mtime says when). Leftovers of killed runs go after an hour.
 */
#include "cache/cache.h"

#include "cache/cache_entry.h"
#include "cache/cache_lock.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LEFTOVER_SECONDS = 3600, STAT_ENTRIES_MAX = 20000 };

struct trim_entry {
	char name[DIGEST_TEXT_BYTES];
	struct timespec used;
	uint64_t size_bytes;
};

struct trim_entries vec_of(struct trim_entry);

static int trim_compare(const void *a, const void *b)
{
	const struct trim_entry *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

static DIR *trim_open_directory(int at_fd, const char *name)
{
	const int fd = openat(at_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);

	if (!directory && fd >= 0)
		close(fd);
	return directory;
}

static uint64_t directory_size(int at_fd, const char *name)
{
	struct stat info;
	uint64_t size = 0;
	DIR *directory = trim_open_directory(at_fd, name);

	if (!directory)
		return 0;
	for (const struct dirent *file; (file = readdir(directory));) {
		if (fstatat(dirfd(directory), file->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(info.st_mode))
			size += (uint64_t)info.st_blocks * 512;
	}
	closedir(directory);
	return size;
}

static uint64_t entry_size(int files_fd, const char *name)
{
	char copy[DIGEST_TEXT_BYTES + 16];

	snprintf(copy, sizeof(copy), "%s/" COPY_NAME, name);
	return directory_size(files_fd, name) + directory_size(files_fd, copy);
}

static void remove_leftover(struct cache *cache, int files_fd, const char *name)
{
	struct stat info;
	struct error ignored;
	struct str path = {0};

	if (fstatat(files_fd, name, &info, AT_SYMLINK_NOFOLLOW) < 0 ||
	    info.st_mtim.tv_sec > time(NULL) - LEFTOVER_SECONDS)
		return;
	str_printf(&path, "%s/files/%s", cache->root, name);
	directory_remove(path.data, &ignored);
	str_fini(&path);
}

static uint64_t trim_list(struct cache *cache, struct trim_entries *entries)
{
	uint64_t total = 0;
	DIR *files = trim_open_directory(cache->root_fd, "files");

	if (!files)
		return 0;
	for (const struct dirent *file; (file = readdir(files));) {
		struct stat info;
		struct trim_entry entry = {0};
		char meta[DIGEST_TEXT_BYTES + 16];
		if (file->d_name[0] == '.')
			continue;
		if (strlen(file->d_name) != DIGEST_TEXT_BYTES - 1) {
			remove_leftover(cache, dirfd(files), file->d_name);
			continue;
		}
		memcpy(entry.name, file->d_name, DIGEST_TEXT_BYTES);
		snprintf(meta, sizeof(meta), "%s/" META_NAME, entry.name);
		if (fstatat(dirfd(files), meta, &info, AT_SYMLINK_NOFOLLOW) == 0)
			entry.used = info.st_mtim;
		entry.size_bytes = entry_size(dirfd(files), entry.name);
		total += entry.size_bytes;
		vec_push(entries, entry);
	}
	closedir(files);
	return total;
}

/* Removes the entry unless some run holds it. */
static bool trim_remove(struct cache *cache, const char *name)
{
	char meta[DIGEST_TEXT_BYTES + 32];

	snprintf(meta, sizeof(meta), "files/%s/" META_NAME, name);
	const int fd = openat(cache->root_fd, meta, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close(fd);
		return false;
	}
	cache_entry_remove(cache, name);
	if (fd >= 0)
		close(fd);
	return true;
}

/* The stat index is cheap to make again: when it has grown beyond measure it starts anew. */
static void trim_stat_index(struct cache *cache)
{
	size_t count = 0;
	DIR *directory = trim_open_directory(cache->root_fd, "stat");

	if (!directory)
		return;
	while (readdir(directory))
		count++;
	rewinddir(directory);
	for (const struct dirent *file; count > STAT_ENTRIES_MAX && (file = readdir(directory));) {
		if (file->d_name[0] != '.')
			unlinkat(dirfd(directory), file->d_name, 0);
	}
	closedir(directory);
}

void cache_trim(struct cache *cache)
{
	struct trim_entries entries = {0};
	uint64_t total = trim_list(cache, &entries);

	vec_sort(&entries, trim_compare);
	vec_foreach (entry, &entries) {
		if (total <= cache->limit_bytes)
			break;
		if (trim_remove(cache, entry->name))
			total -= entry->size_bytes;
	}
	vec_fini(&entries);
	trim_stat_index(cache);
	cache_lock_trim(cache);
}
