/*
 * Escaping, splitting and reading of tare's own small text files. Numbers are decimal or 0x….
 * Refuses what is no regular file of this user, or of the one whose directory root reads; a
 * half-written last line is ignored.
 */
#include "session/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void text_put_field(struct str *out, const char *field)
{
	if (out->len && out->data[out->len - 1] != '\n')
		str_append_bytes(out, "\t", 1);
	for (const char *at = field; *at; at++) {
		const unsigned char byte = (unsigned char)*at;
		if (byte < 0x20 || byte == '\\' || byte == 0x7f)
			str_printf(out, "\\x%02x", byte);
		else
			str_append_bytes(out, at, 1);
	}
}

void text_put_fieldf(struct str *out, const char *format, ...)
{
	char *field;
	va_list args;

	va_start(args, format);
	const int length = vasprintf(&field, format, args);
	va_end(args);
	if (length < 0)
		return;
	text_put_field(out, field);
	free(field);
}

void text_end_line(struct str *out)
{
	str_append_bytes(out, "\n", 1);
}

/* A table: lists of functions have hundreds of thousands of digits. */
static int hex_digit(char digit)
{
	static const signed char one_more[UCHAR_MAX + 1] = {
		['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
		['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
		['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16};

	return one_more[(unsigned char)digit] - 1;
}

static void text_unescape(char *field)
{
	char *to = strchr(field, '\\');

	if (!to)
		return;
	for (const char *at = to; *at; at++) {
		if (at[0] == '\\' && at[1] == 'x' && hex_digit(at[2]) >= 0 &&
		    hex_digit(at[3]) >= 0) {
			*to++ = (char)(hex_digit(at[2]) * 16 + hex_digit(at[3]));
			at += 3;
		} else {
			*to++ = *at;
		}
	}
	*to = 0;
}

bool text_next_line(char **text, struct text_line *line)
{
	char *at = *text, *newline = strchr(at, '\n');

	*line = (struct text_line){0};
	if (!newline)
		return false;
	*newline = 0;
	*text = newline + 1;
	const bool is_escaped = memchr(at, '\\', (size_t)(newline - at)) != NULL;

	while (at && line->count < TEXT_FIELDS_MAX) {
		char *field = at, *tab = strchr(at, '\t');
		at = tab ? tab + 1 : NULL;
		if (tab)
			*tab = 0;
		if (is_escaped)
			text_unescape(field);
		line->fields[line->count++] = field;
	}
	return true;
}

static bool hex_u64(const char *digits, uint64_t *value)
{
	int digit;

	*value = 0;
	for (; (digit = hex_digit(*digits)) >= 0; digits++) {
		if (*value >> 60)
			return false;
		*value = *value << 4 | (unsigned)digit;
	}
	return !*digits;
}

static bool decimal_u64(const char *digits, uint64_t *value)
{
	*value = 0;
	for (; *digits >= '0' && *digits <= '9'; digits++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (unsigned)(*digits - '0'), value))
			return false;
	return !*digits;
}

bool text_u64(const struct text_line *line, size_t field, uint64_t *value)
{
	const char *text = text_field(line, field);

	if (!*text)
		return false;
	return text[0] == '0' && text[1] == 'x' && text[2] ? hex_u64(text + 2, value)
							   : decimal_u64(text, value);
}

bool text_i64(const struct text_line *line, size_t field, int64_t *value)
{
	char *end;

	if (field >= line->count || !line->fields[field][0])
		return false;
	errno = 0;
	*value = strtoll(line->fields[field], &end, 0);
	return errno == 0 && *end == 0;
}

const char *text_field(const struct text_line *line, size_t field)
{
	return field < line->count ? line->fields[field] : "";
}

static bool read_all(int fd, char *bytes, size_t size)
{
	size_t have = 0;

	while (have < size) {
		const ssize_t got = pread(fd, bytes + have, size - have, (off_t)have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		have += (size_t)got;
	}
	return true;
}

/* For root also what belongs to the same user as the directory that it is in. */
static bool is_permitted(int dir_fd, const struct stat *file)
{
	struct stat directory;

	return file->st_uid == geteuid() || (geteuid() == 0 && fstat(dir_fd, &directory) == 0 &&
					     directory.st_uid == file->st_uid);
}

char *text_read_file(int dir_fd, const char *name, size_t limit, struct error *err)
{
	struct stat info;
	char *text = NULL;
	const int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0) {
		error_set_errno(err, errno, "cannot open %s", name);
		return NULL;
	}
	if (fstat(fd, &info) < 0) {
		error_set_errno(err, errno, "cannot read %s", name);
	} else if (!S_ISREG(info.st_mode) || !is_permitted(dir_fd, &info)) {
		error_set(err, ERROR_PERMISSION, "%s is not a regular file of this user", name);
	} else if (info.st_size < 0 || (uint64_t)info.st_size > limit) {
		error_set(err, ERROR_INPUT, "%s is larger than the %zu bytes that it may have",
			  name, limit);
	} else {
		const size_t size = (size_t)info.st_size;
		text = mem_alloc(size + 1);
		text[size] = 0;
		if (!read_all(fd, text, size)) {
			error_set(err, ERROR_SYSTEM, "cannot read %s", name);
			free(text);
			text = NULL;
		}
	}
	close(fd);
	return text;
}
