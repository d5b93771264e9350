/*
 * Making and writing tables. A file that cannot be written or has no rules is as if it had none:
 * stacks then end there, and are counted as truncated.
 */
#include "cache/timer_rules.h"

#include "abi/timer.h"
#include "cache/derived.h"
#include "cache/stat_index.h"
#include "unwind/build.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VDSO_BYTES = 8192 };

void timer_rules_init(struct timer_rules *rules)
{
	*rules = (struct timer_rules){0};
	strmap_init(&rules->by_key);
}

void timer_rules_fini(struct timer_rules *rules)
{
	vec_foreach (file, &rules->files) {
		free(file->key);
		free(file->path);
	}
	vec_fini(&rules->files);
	strmap_fini(&rules->by_key);
}

static struct object *open_file(const char *path)
{
	struct error ignored;
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (strcmp(path, "/" TARE_TIMER_VDSO) != 0)
		return object_open(path, OBJECT_UNWIND | OBJECT_DEBUG_FRAME, &ignored);
	return vdso ? object_open_bytes(vdso, VDSO_BYTES, path, OBJECT_UNWIND, &ignored) : NULL;
}

static bool write_table(const struct session *session, const char *name,
			const struct unwind_table *table)
{
	const int fd = openat(session->fd, name,
			      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	const char *at = (const char *)table, *end = at + table->size_bytes;

	while (fd >= 0 && at < end) {
		const ssize_t written = write(fd, at, (size_t)(end - at));
		if (written <= 0)
			break;
		at += written;
	}
	if (fd >= 0 && at < end)
		unlinkat(session->fd, name, 0);
	if (fd >= 0)
		close(fd);
	return at == end;
}

/* NULL: the file cannot be read, or has none. */
static struct unwind_table *table_make(const char *path)
{
	struct unwind_build_statistics statistics;
	struct object *object = open_file(path);

	if (!object)
		return NULL;
	struct unwind_table *table = unwind_table_build(object, &statistics);

	object_close(object);
	if (table->row_count)
		return table;
	free(table);
	return NULL;
}

/* Other versions of tare may read a file's rules otherwise. */
static void kept_name(const struct stat *info, struct str *name)
{
	str_printf(name, "rules.%d.%s.%jx.%jx.%jx.%jx.%lx.%jx.%lx", UNWIND_TABLE_VERSION,
		   TARE_VERSION, (uintmax_t)info->st_dev, (uintmax_t)info->st_ino,
		   (uintmax_t)info->st_size, (uintmax_t)info->st_mtim.tv_sec, info->st_mtim.tv_nsec,
		   (uintmax_t)info->st_ctim.tv_sec, info->st_ctim.tv_nsec);
}

/* In the cache; NULL where it cannot be kept. */
static char *keep_table(const char *name, const struct unwind_table *table)
{
	derived_keep(name, table, table->size_bytes);
	return derived_find(name);
}

/* In the session; NULL where there is no room. */
static char *put_table(const struct timer_rules *rules, const struct session *session,
		       const struct unwind_table *table)
{
	struct str name = {0}, path = {0};

	str_printf(&name, "rules.%zu", rules->files.len);
	if (write_table(session, name.data, table))
		str_printf(&path, "%s/%s", session->directory, name.data);
	str_fini(&name);
	return path.data;
}

/* Path of a file's rules, kept or made now; the caller's to free. NULL: it has none. */
static char *find_rules(const struct timer_rules *rules, const struct session *session,
			const char *path, const struct stat *info)
{
	struct str name = {0};
	char *found = NULL;

	if (info) {
		kept_name(info, &name);
		found = derived_find(name.data);
	}
	struct unwind_table *table = found ? NULL : table_make(path);
	if (table && info)
		found = keep_table(name.data, table);
	if (table && !found)
		found = put_table(rules, session, table);
	free(table);
	str_fini(&name);
	return found;
}

const char *timer_rules_get(struct timer_rules *rules, const struct session *session,
			    const char *path, bool is_copy)
{
	struct str key = {0};
	struct stat info;
	const bool is_file = stat(path, &info) == 0;
	const bool stays =
		is_file && !rules->in_session && (is_copy || cache_stat_is_settled(&info));

	str_printf(&key, "%s|", path);
	if (is_file)
		cache_stat_text(&info, &key);
	const uint64_t *known = strmap_get(&rules->by_key, key.data);
	if (known) {
		str_fini(&key);
		return rules->files.data[*known].path;
	}
	const struct timer_rules_file file = {
		.key = key.data, .path = find_rules(rules, session, path, stays ? &info : NULL)};
	strmap_put(&rules->by_key, file.key, rules->files.len);
	vec_push(&rules->files, file);
	return file.path;
}
