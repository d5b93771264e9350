/*
 * Finding and building entries of the cache of instrumented files, and keeping it bounded.
 *
 *   path ──stat──▶ stat index ──hit──▶ digest ─┐
 *                     └─miss──▶ SHA-256 ───────┴▶ key ──▶ files/KEY ──hit──▶ held, handed out
 *                                                   └─miss──▶ lock/KEY ──▶ build ──▶ store
 *                                                                 └─busy too long──▶ aside
 *
 * Refuses a root, and directories in it, that are links, of another user, or writable by others;
 * and a root that is mounted without execution.
 */
#include "cache/cache.h"

#include "cache/cache_entry.h"
#include "cache/cache_lock.h"
#include "cache/stat_index.h"
#include "session/session_dir.h"
#include "session/text_file.h"
#include "target/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

char *cache_default_root(struct error *err)
{
	struct str root = {0};
	const char *base = getenv("XDG_CACHE_HOME");

	if (base && base[0] == '/') {
		str_printf(&root, "%s/tare", base);
		return root.data;
	}
	base = getenv("HOME");
	if (base && base[0] == '/') {
		str_printf(&root, "%s/.cache/tare", base);
		return root.data;
	}
	error_set(err, ERROR_USAGE,
		  "neither XDG_CACHE_HOME nor HOME is set, so there is no place for instrumented "
		  "files; set one, or use --no-cache");
	return NULL;
}

static void put_file_identity(struct str *tool, const char *path)
{
	struct stat info;

	if (path && stat(path, &info) == 0)
		str_printf(tool, " %jd %jd.%09ld", (intmax_t)info.st_size,
			   (intmax_t)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

/* Whoever builds tare anew must not meet copies that an older rewriter made, nor static
   executables that carry an older runtime. */
static char *tool_identity(void)
{
	struct str tool = {0};
	struct error ignored;
	char *runtime = target_runtime_path(&ignored);

	str_printf(&tool, "tare " TARE_VERSION);
	put_file_identity(&tool, "/proc/self/exe");
	put_file_identity(&tool, runtime);
	free(runtime);
	return tool.data;
}

/* Makes it if it is not there. What lies in it is executed. */
static bool root_make_directory(const struct cache *cache, const char *name, struct error *err)
{
	struct str path = {0};

	if (mkdirat(cache->root_fd, name, 0700) < 0 && errno != EEXIST)
		return error_set_errno(err, errno, "cannot write to the cache %s", cache->root);
	str_printf(&path, "%s/%s", cache->root, name);
	const bool ok = directory_check_own(path.data, err);
	str_fini(&path);
	return ok;
}

static bool root_make_directories(struct cache *cache, struct error *err)
{
	static const char *const names[] = {"files", "stat", "lock"};
	struct statvfs file_system;

	cache->root_fd = open(cache->root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (cache->root_fd < 0)
		return error_set_errno(err, errno, "cannot open the cache %s", cache->root);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!root_make_directory(cache, names[i], err))
			return false;
	}
	if (fstatvfs(cache->root_fd, &file_system) == 0 && (file_system.f_flag & ST_NOEXEC))
		return error_set(err, ERROR_PERMISSION,
				 "the cache %s lies on a file system that is mounted noexec, so no "
				 "program could run from it; set XDG_CACHE_HOME to another place",
				 cache->root);
	return true;
}

bool cache_open(struct cache *cache, const char *root, uint64_t limit_bytes, struct error *err)
{
	*cache = (struct cache){.root_fd = -1,
				.limit_bytes = limit_bytes,
				.notice_ms = CACHE_NOTICE_MS,
				.limit_ms = CACHE_WAIT_MS};
	cache->root = mem_strdup(root);
	cache->tool = tool_identity();
	if (directory_create_private(root, err) && root_make_directories(cache, err))
		return true;
	cache_close(cache);
	return error_prefix(err, "no cache for instrumented files (see --no-cache)");
}

void cache_close(struct cache *cache)
{
	vec_foreach (fd, &cache->held)
		close(*fd);
	vec_fini(&cache->held);
	if (cache->aside)
		cache_close(cache->aside);
	free(cache->aside);
	if (cache->root_fd >= 0)
		close(cache->root_fd);
	free(cache->root);
	free(cache->tool);
	*cache = (struct cache){.root_fd = -1};
}

void cache_entry_fini(struct cache_entry *entry)
{
	free(entry->directory);
	free(entry->copy);
	free(entry->refusal);
	free(entry->summary);
	*entry = (struct cache_entry){0};
}

/* What is to be instrumented, as it was when that began. */
struct source {
	struct str stat_text;
	char content[DIGEST_TEXT_BYTES];
};

static bool source_read(const struct cache *cache, const char *path, struct source *source,
			struct error *err)
{
	struct str *stat_text = &source->stat_text;
	struct stat info;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return error_set_errno(err, errno, "cannot open %s", path);
	bool ok = fstat(fd, &info) == 0;
	if (!ok) {
		error_set_errno(err, errno, "cannot read %s", path);
	} else if (!S_ISREG(info.st_mode)) {
		ok = error_set(err, ERROR_INPUT, "%s is not a regular file", path);
	} else {
		cache_stat_text(&info, stat_text);
		ok = stat_index_digest(cache, fd, &info, STAT_INDEX_WHOLE, source->content);
		if (!ok)
			error_set_errno(err, errno, "cannot read %s", path);
	}
	close(fd);
	return ok;
}

/* ---- getting ---- */

static void entry_key(const struct cache *cache, const struct cache_request *request,
		      const char *content, char key[DIGEST_TEXT_BYTES])
{
	struct str text = {0};

	text_put_field(&text, cache->tool);
	text_put_field(&text, content);
	text_put_field(&text, request->path);
	text_put_field(&text, request->options);
	digest_bytes(text.data, text.len, key);
	str_fini(&text);
}

/* Who gives the file another name, say, changes its times only. */
static bool source_is_unchanged(const struct cache *cache, const char *path,
				const struct source *source, struct error *err)
{
	struct source now = {0};
	const bool is_read = source_read(cache, path, &now, err);
	const bool same = is_read && !strcmp(now.content, source->content);

	str_fini(&now.stat_text);
	return same || (is_read &&
			error_set(err, ERROR_INPUT, "%s changed while it was instrumented", path));
}

static bool entry_build(struct cache *cache, const struct cache_request *request, const char *key,
			const struct source *source, struct error *err)
{
	struct cache_product product = {0};

	const bool ok = request->build(request->path, key, &product, request->context, err) &&
			source_is_unchanged(cache, request->path, source, err) &&
			cache_entry_store(cache, key, request->path, &product, err);
	vec_fini(&product.bytes);
	str_fini(&product.summary);
	str_fini(&product.coverage);
	return ok;
}

/* With the lock: another run may have built it while this one waited for that. */
static bool get_locked(struct cache *cache, const struct cache_request *request, const char *key,
		       const struct source *source, struct cache_entry *entry, struct error *err)
{
	if (cache_entry_load(cache, key, request->path, entry))
		return true;
	if (!entry_build(cache, request, key, source, err))
		return false;
	entry->was_built = cache_entry_load(cache, key, request->path, entry);
	return entry->was_built ||
	       error_set(err, ERROR_SYSTEM,
			 "the copy of %s vanished from the cache %s; run the command again",
			 request->path, cache->root);
}

static bool open_aside(struct cache *cache, struct error *err)
{
	struct error ignored;
	char *root = session_make_executable_directory(err);

	if (!root)
		return false;
	struct cache *aside = mem_zalloc(sizeof(*aside));
	const bool ok = cache_open(aside, root, cache->limit_bytes, err);

	if (ok) {
		cache->aside = aside;
	} else {
		free(aside);
		directory_remove(root, &ignored);
	}
	free(root);
	return ok;
}

/* The key of what is made of the file as it is now, and the entry where that is there. */
static bool look_up(struct cache *cache, const struct cache_request *request, struct source *source,
		    char key[DIGEST_TEXT_BYTES], struct cache_entry *entry, struct error *err)
{
	*entry = (struct cache_entry){0};
	if (!source_read(cache, request->path, source, err))
		return false;
	entry_key(cache, request, source->content, key);
	cache_entry_load(cache, key, request->path, entry);
	return true;
}

bool cache_find(struct cache *cache, const struct cache_request *request, struct cache_entry *entry,
		struct error *err)
{
	char key[DIGEST_TEXT_BYTES];
	struct source source = {0};
	const bool ok = look_up(cache, request, &source, key, entry, err);

	str_fini(&source.stat_text);
	return ok;
}

bool cache_get(struct cache *cache, const struct cache_request *request, struct cache_entry *entry,
	       struct error *err)
{
	char key[DIGEST_TEXT_BYTES];
	struct source source = {0};
	struct cache_lock lock;
	bool ok = look_up(cache, request, &source, key, entry, err);

	if (!ok || entry->directory)
		goto out;
	ok = false;
	switch (cache_lock_take(cache, key, request->path, &lock, err)) {
	case CACHE_LOCK_TAKEN:
		ok = get_locked(cache, request, key, &source, entry, err);
		cache_lock_release(cache, &lock);
		break;
	case CACHE_LOCK_BUSY:
		if (cache->leaves_busy)
			error_set(err, ERROR_SYSTEM, "another process makes a copy of %s",
				  request->path);
		else
			ok = (cache->aside || open_aside(cache, err)) &&
			     cache_get(cache->aside, request, entry, err);
		break;
	case CACHE_LOCK_FAILED:
		break;
	}
out:
	str_fini(&source.stat_text);
	return ok;
}
