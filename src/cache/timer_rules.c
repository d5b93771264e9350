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
	if (rules->has_kept)
		derived_trim();
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
static struct unwind_table *table_make(const char *path, enum unwind_gaps gaps)
{
	struct unwind_build_statistics statistics;
	struct object *object = open_file(path);

	if (!object)
		return NULL;
	struct unwind_table *table = unwind_table_build(object, gaps, &statistics);

	object_close(object);
	if (table->row_count)
		return table;
	free(table);
	return NULL;
}

/* ---- kept ---- */

/* Other versions of tare may read a file's rules otherwise. */
static void kept_name(const struct stat *info, enum unwind_gaps gaps, struct str *name)
{
	str_clear(name);
	str_printf(name, "rules.%d.%s.%s", UNWIND_TABLE_VERSION, TARE_VERSION,
		   gaps == UNWIND_GAPS_FOLLOWED ? "code." : "");
	cache_stat_text(info, name);
	for (char *at = name->data; (at = strchr(at, ' '));)
		*at = '-';
}

/* The machine may have stopped before it was whole. What is in it the runtime checks. */
static bool is_whole(const char *path)
{
	struct unwind_table table;
	struct stat info;
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	const bool whole = fd >= 0 && fstat(fd, &info) == 0 &&
			   pread(fd, &table, sizeof(table), 0) == (ssize_t)sizeof(table) &&
			   table.magic == UNWIND_TABLE_MAGIC &&
			   table.size_bytes == (uint64_t)info.st_size;

	if (fd >= 0)
		close(fd);
	return whole;
}

/* Its path, which is the caller's to free; NULL where there is none. */
static char *find_kept(const char *name)
{
	char *path = derived_find(name);

	if (path && is_whole(path))
		return path;
	free(path);
	return NULL;
}

/* What rules are asked for. */
struct wanted {
	const char *path, *copy; /* the copy: NULL, or where the rules are of */
	struct stat original, info;
	bool is_file, is_settled; /* info's; what is kept of it stays true */
};

static const char *path_of(const struct wanted *wanted)
{
	return wanted->copy ? wanted->copy : wanted->path;
}

/* Nobody writes to a copy. */
static struct wanted wanted_of(const char *path, const char *copy)
{
	struct wanted wanted = {.path = path, .copy = copy};
	const bool has_original = stat(path, &wanted.original) == 0;

	if (!copy)
		wanted.info = wanted.original;
	wanted.is_file = copy ? stat(copy, &wanted.info) == 0 : has_original;
	wanted.is_settled = wanted.is_file && (copy || cache_stat_is_settled(&wanted.info));
	return wanted;
}

/* Whether the code has been followed of that very file. */
static bool is_followed(const struct stat *info)
{
	struct str name = {0};

	kept_name(info, UNWIND_GAPS_FOLLOWED, &name);
	char *path = find_kept(name.data);
	const bool known = path != NULL;

	free(path);
	str_fini(&name);
	return known;
}

/* In the session; NULL where there is no room. */
static char *put_in_session(const struct timer_rules *rules, const struct session *session,
			    const struct unwind_table *table)
{
	struct str name = {0}, path = {0};

	str_printf(&name, "rules.%zu", rules->files.len);
	if (write_table(session, name.data, table))
		str_printf(&path, "%s/%s", session->directory, name.data);
	str_fini(&name);
	return path.data;
}

/* Kept or made now; the caller's to free. NULL: there are none, or there is no room. */
static char *find_rules(struct timer_rules *rules, const struct session *session,
			const struct wanted *wanted)
{
	const bool is_kept = wanted->is_settled && !rules->in_session;
	const enum unwind_gaps gaps =
		is_kept && is_followed(&wanted->original) ? UNWIND_GAPS_FOLLOWED : UNWIND_GAPS_NONE;
	struct str name = {0};

	kept_name(&wanted->info, gaps, &name);
	char *found = is_kept ? find_kept(name.data) : NULL;
	struct unwind_table *table = found ? NULL : table_make(path_of(wanted), gaps);
	if (table && is_kept) {
		derived_keep_unsynced(name.data, table, table->size_bytes);
		found = find_kept(name.data);
		rules->has_kept = true;
	}
	if (table && !found)
		found = put_in_session(rules, session, table);
	free(table);
	str_fini(&name);
	return found;
}

static void follow_code(const struct wanted *wanted)
{
	struct unwind_table *table = !wanted->is_settled || is_followed(&wanted->info)
					     ? NULL
					     : table_make(path_of(wanted), UNWIND_GAPS_FOLLOWED);
	struct str name = {0};

	kept_name(&wanted->info, UNWIND_GAPS_FOLLOWED, &name);
	if (table)
		derived_keep(name.data, table, table->size_bytes);
	free(table);
	str_fini(&name);
}

void timer_rules_follow_code(const char *path, const char *copy)
{
	const struct wanted original = wanted_of(path, NULL), copied = wanted_of(path, copy);

	follow_code(&original);
	if (copy)
		follow_code(&copied);
}

const char *timer_rules_get(struct timer_rules *rules, const struct session *session,
			    const char *path, const char *copy)
{
	const struct wanted wanted = wanted_of(path, copy);
	struct str key = {0};

	str_printf(&key, "%s|", path_of(&wanted));
	if (wanted.is_file)
		cache_stat_text(&wanted.info, &key);
	const uint64_t *known = strmap_get(&rules->by_key, key.data);
	if (known) {
		str_fini(&key);
		return rules->files.data[*known].path;
	}
	const struct timer_rules_file file = {.key = key.data,
					      .path = find_rules(rules, session, &wanted)};
	strmap_put(&rules->by_key, file.key, rules->files.len);
	vec_push(&rules->files, file);
	return file.path;
}
