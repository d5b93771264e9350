/*
 * Making and writing tables. A file that cannot be written or has no rules is as if it had none:
 * stacks then end there, and are counted as truncated.
 */
#include "cache/timer_rules.h"

#include "abi/timer.h"
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
	strmap_init(&rules->by_file);
}

void timer_rules_fini(struct timer_rules *rules)
{
	vec_foreach (file, &rules->files)
		free(*file);
	vec_fini(&rules->files);
	strmap_fini(&rules->by_file);
	str_fini(&rules->answer);
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

static bool make_table(const struct session *session, const char *name, const char *path)
{
	struct unwind_build_statistics statistics;
	struct object *object = open_file(path);

	if (!object)
		return false;
	struct unwind_table *table = unwind_table_build(object, &statistics);
	const bool ok = table->row_count && write_table(session, name, table);

	free(table);
	object_close(object);
	return ok;
}

static void put_key(struct str *key, const char *path)
{
	struct stat info;

	str_printf(key, "%s|", path);
	if (stat(path, &info) == 0)
		cache_stat_text(&info, key);
}

const char *timer_rules_get(struct timer_rules *rules, const struct session *session,
			    const char *path)
{
	struct str key = {0}, name = {0};

	put_key(&key, path);
	const uint64_t *known = strmap_get(&rules->by_file, key.data);
	uint64_t number = known ? *known : 0;

	if (!known) {
		str_printf(&name, "rules.%zu", rules->files.len);
		if (make_table(session, name.data, path))
			number = rules->files.len + 1;
		vec_push(&rules->files, key.data);
		strmap_put(&rules->by_file, key.data, number);
		str_fini(&name);
	} else {
		str_fini(&key);
	}
	if (!number)
		return NULL;
	str_clear(&rules->answer);
	str_printf(&rules->answer, "%s/rules.%ju", session->directory, (uintmax_t)number - 1);
	return rules->answer.data;
}
