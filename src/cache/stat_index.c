#include "cache/stat_index.h"

#include "session/text_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void cache_stat_text(const struct stat *info, struct str *out)
{
	str_printf(out, "%ju %ju %jd %jd.%09ld %jd.%09ld", (uintmax_t)info->st_dev,
		   (uintmax_t)info->st_ino, (intmax_t)info->st_size, (intmax_t)info->st_mtim.tv_sec,
		   info->st_mtim.tv_nsec, (intmax_t)info->st_ctim.tv_sec, info->st_ctim.tv_nsec);
}

static void stat_index_name(const char *stat_text, char name[32])
{
	snprintf(name, 32, "stat/%016jx", (uintmax_t)hash_bytes(stat_text, strlen(stat_text)));
}

static bool stat_index_find(const struct cache *cache, const char *stat_text,
			    char digest[DIGEST_TEXT_BYTES])
{
	struct error ignored;
	struct text_line line;
	unsigned char bytes[DIGEST_BYTES];
	char name[32];
	bool found = false;

	stat_index_name(stat_text, name);
	char *text = text_read_file(cache->root_fd, name, 4096, &ignored), *at = text;
	if (text && text_next_line(&at, &line) && !strcmp(text_field(&line, 0), stat_text) &&
	    digest_parse(text_field(&line, 1), bytes)) {
		memcpy(digest, text_field(&line, 1), DIGEST_TEXT_BYTES);
		found = true;
	}
	free(text);
	return found;
}

/* Best effort: without it the file is hashed again. */
static void stat_index_add(const struct cache *cache, const char *stat_text, const char *digest)
{
	char name[32], temporary[64];
	struct str text = {0};

	stat_index_name(stat_text, name);
	snprintf(temporary, sizeof(temporary), "%s.%d", name, (int)getpid());
	const int fd = openat(cache->root_fd, temporary,
			      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	str_printf(&text, "%s\t%s\n", stat_text, digest);
	const bool ok = write(fd, text.data, text.len) == (ssize_t)text.len;
	close(fd);
	if (!ok || renameat(cache->root_fd, temporary, cache->root_fd, name) < 0)
		unlinkat(cache->root_fd, temporary, 0);
	str_fini(&text);
}

bool cache_stat_is_settled(const struct stat *info)
{
	enum { SETTLE_SECONDS = 3 };
	const time_t now = time(NULL);

	return info->st_mtim.tv_sec < now - SETTLE_SECONDS &&
	       info->st_ctim.tv_sec < now - SETTLE_SECONDS;
}

static bool digest_make(int fd, const struct stat *info, enum stat_index_kind kind,
			char digest[DIGEST_TEXT_BYTES])
{
	const uint64_t size = (uint64_t)info->st_size;

	return kind == STAT_INDEX_SPARSE ? digest_sparse_file(fd, size, digest)
					 : digest_file(fd, size, digest);
}

bool stat_index_digest(const struct cache *cache, int fd, const struct stat *info,
		       enum stat_index_kind kind, char digest[DIGEST_TEXT_BYTES])
{
	const bool settled = cache_stat_is_settled(info);
	struct str text = {0};

	/* A copy in the cache may be recorded as a program, too. */
	str_append(&text, kind == STAT_INDEX_SPARSE ? "sparse " : "");
	cache_stat_text(info, &text);
	bool ok = settled && stat_index_find(cache, text.data, digest);
	if (!ok) {
		ok = digest_make(fd, info, kind, digest);
		if (ok && settled)
			stat_index_add(cache, text.data, digest);
	}
	str_fini(&text);
	return ok;
}
