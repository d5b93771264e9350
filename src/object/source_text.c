/*
 * Source files are read as a whole, not mapped: somebody may be editing them. A path that is not
 * absolute is refused, as it would be looked for in whatever directory the report is made in.
 */
#include "object/source_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool source_prefix_parse(struct source_prefixes *prefixes, struct arena *arena, const char *text,
			 struct error *err)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text || !equals[1])
		return error_set(err, ERROR_USAGE,
				 "'%s' does not say which path to replace; write FROM=TO, "
				 "for example /build/hello=/home/me/hello",
				 text);
	const struct source_prefix prefix = {
		.from = arena_strndup(arena, text, (size_t)(equals - text)),
		.to = arena_strdup(arena, equals + 1),
	};
	vec_push(prefixes, prefix);
	return true;
}

/* What follows the prefix in `path`, or NULL where the path does not begin with it. */
static const char *behind_prefix(const char *path, const char *prefix)
{
	const size_t length = strlen(prefix);

	if (strncmp(path, prefix, length) != 0)
		return NULL;
	const char *rest = path + length;
	return !*rest || *rest == '/' || prefix[length - 1] == '/' ? rest : NULL;
}

void source_path_map(const struct source_prefixes *prefixes, const char *path, struct str *mapped)
{
	str_clear(mapped);
	for (size_t i = prefixes ? prefixes->len : 0; i-- > 0;) {
		const struct source_prefix *prefix = &prefixes->data[i];
		const char *rest = behind_prefix(path, prefix->from);
		if (!rest)
			continue;
		str_append(mapped, prefix->to);
		if (*rest && *rest != '/' && !str_ends_with(prefix->to, "/"))
			str_append(mapped, "/");
		str_append(mapped, rest);
		return;
	}
	str_append(mapped, path);
}

static bool read_all(int fd, struct source_text *text, struct error *err)
{
	struct stat info;

	if (fstat(fd, &info) < 0)
		return error_set_errno(err, errno, "cannot read the source file %s", text->path);
	if (!S_ISREG(info.st_mode))
		return error_set(err, ERROR_INPUT, "the source file %s is not a regular file",
				 text->path);
	if (info.st_size > SOURCE_BYTES_MAX)
		return error_set(err, ERROR_UNSUPPORTED,
				 "the source file %s is larger than %d MiB, so it is not shown",
				 text->path, SOURCE_BYTES_MAX >> 20);
	text->modified_unix_ns = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
	text->bytes = mem_alloc((size_t)info.st_size + 1);
	while (text->size < (size_t)info.st_size) {
		const ssize_t got =
			read(fd, text->bytes + text->size, (size_t)info.st_size - text->size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set_errno(err, errno, "cannot read the source file %s",
					       text->path);
		if (got == 0)
			break; /* it became shorter */
		text->size += (size_t)got;
	}
	if (memchr(text->bytes, '\0', text->size))
		return error_set(err, ERROR_INPUT, "the source file %s is not text", text->path);
	return true;
}

bool source_text_open(struct source_text *text, const struct source_prefixes *prefixes,
		      const char *path, struct error *err)
{
	struct str mapped = {0};

	source_path_map(prefixes, path, &mapped);
	*text = (struct source_text){.path = mapped.data};
	if (text->path[0] != '/') {
		error_set(err, ERROR_NOT_FOUND,
			  "where the source file %s is, the debug information does not say",
			  text->path);
		source_text_close(text);
		return false;
	}
	const int fd = open(text->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	const bool ok =
		fd < 0 ? error_set_errno(err, errno, "cannot open the source file %s", text->path)
		       : read_all(fd, text, err);
	if (fd >= 0)
		close(fd);
	if (!ok) {
		source_text_close(text);
		return false;
	}
	for (size_t at = 0; at < text->size;) {
		vec_push(&text->starts, at);
		const char *end = memchr(text->bytes + at, '\n', text->size - at);
		at = end ? (size_t)(end - text->bytes) + 1 : text->size;
	}
	return true;
}

void source_text_close(struct source_text *text)
{
	free(text->path);
	free(text->bytes);
	vec_fini(&text->starts);
	*text = (struct source_text){0};
}

const char *source_text_line(const struct source_text *text, size_t number, size_t *length)
{
	if (!number || number > text->starts.len)
		return NULL;
	const size_t start = text->starts.data[number - 1];
	size_t end = number < text->starts.len ? text->starts.data[number] : text->size;
	if (end > start && text->bytes[end - 1] == '\n')
		end--;
	if (end > start && text->bytes[end - 1] == '\r')
		end--;
	*length = end - start;
	return text->bytes + start;
}
