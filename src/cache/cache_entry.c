/*
 * One entry of the cache on disk. The meta file names the copy with its size, stat tuple and
 * digest, and ends with its own digest:
 *
 *   tare-entry 1 | outcome N | source PATH | refusal TEXT | summary TEXT | coverage SIZE DIGEST
 *   copy NAME STAT DIGEST | end DIGEST
 *
 * The copy is trusted while its stat tuple is the one that was stored; when it differs (a restored
 * backup, damage, or a tool that keeps a link to the file), its digest decides. Refuses entries of
 * other users and links.
 */
#include "cache/cache_entry.h"

#include "cache/stat_index.h"
#include "session/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

enum { META_LIMIT = 1 << 20, COVERAGE_LIMIT = 1 << 28, HELD_MAX = 512 };

struct meta {
	uint64_t outcome;
	char *text; /* what the fields point into */
	const char *source, *refusal, *summary;
	const char *copy_name, *copy_stat, *copy_digest;
	const char *coverage_digest;
};

static bool outcome_is_refusal(uint64_t outcome)
{
	return outcome == CACHE_REFUSED || outcome == CACHE_TOO_LARGE;
}

static void meta_take_line(struct meta *meta, const struct text_line *line)
{
	const char *name = text_field(line, 0);

	if (!strcmp(name, "source")) {
		meta->source = text_field(line, 1);
	} else if (!strcmp(name, "refusal")) {
		meta->refusal = text_field(line, 1);
	} else if (!strcmp(name, "summary")) {
		meta->summary = text_field(line, 1);
	} else if (!strcmp(name, "coverage")) {
		meta->coverage_digest = text_field(line, 1);
	} else if (!strcmp(name, "copy")) {
		meta->copy_name = text_field(line, 1);
		meta->copy_stat = text_field(line, 2);
		meta->copy_digest = text_field(line, 3);
	}
}

/* False where the text is not exactly what cache_entry_store wrote. */
static bool meta_parse(struct meta *meta, char *text)
{
	struct text_line line;
	char digest[DIGEST_TEXT_BYTES], *end = strstr(text, "\nend\t");

	*meta = (struct meta){.text = text};
	if (!end)
		return false;
	digest_bytes(text, (size_t)(end + 1 - text), digest);
	if (strncmp(end + 5, digest, DIGEST_TEXT_BYTES - 1) != 0)
		return false;
	end[1] = 0;
	char *at = text;
	if (!text_next_line(&at, &line) || strcmp(text_field(&line, 0), "tare-entry") != 0 ||
	    strcmp(text_field(&line, 1), "1") != 0)
		return false;
	if (!text_next_line(&at, &line) || strcmp(text_field(&line, 0), "outcome") != 0 ||
	    !text_u64(&line, 1, &meta->outcome) || meta->outcome > CACHE_TOO_LARGE)
		return false;
	while (text_next_line(&at, &line))
		meta_take_line(meta, &line);
	return meta->source && meta->summary && meta->coverage_digest &&
	       (meta->outcome != CACHE_INSTRUMENTED || meta->copy_name) &&
	       (!outcome_is_refusal(meta->outcome) || meta->refusal);
}

static int copy_open_directory(int dir_fd)
{
	return openat(dir_fd, COPY_NAME, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool copy_is_intact(const struct cache *cache, int dir_fd, const struct meta *meta)
{
	struct stat info;
	struct str now = {0};
	char digest[DIGEST_TEXT_BYTES];
	bool intact = false;
	const int copy_fd = copy_open_directory(dir_fd);

	if (copy_fd < 0)
		return false;
	const int fd = openat(copy_fd, meta->copy_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	close(copy_fd);
	if (fd < 0)
		return false;
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid()) {
		cache_stat_text(&info, &now);
		intact = !strcmp(now.data, meta->copy_stat) ||
			 (stat_index_digest(cache, fd, &info, STAT_INDEX_SPARSE, digest) &&
			  !strcmp(digest, meta->copy_digest));
	}
	close(fd);
	str_fini(&now);
	return intact;
}

static void entry_fill(struct cache_entry *entry, const struct cache *cache, const char *key,
		       const struct meta *meta)
{
	struct str directory = {0}, copy = {0};

	str_printf(&directory, "%s/files/%s", cache->root, key);
	*entry = (struct cache_entry){.outcome = (enum cache_outcome)meta->outcome,
				      .directory = directory.data,
				      .summary = mem_strdup(meta->summary)};
	memcpy(entry->key, key, DIGEST_TEXT_BYTES);
	if (meta->outcome == CACHE_INSTRUMENTED) {
		str_printf(&copy, "%s/" COPY_NAME "/%s", directory.data, meta->copy_name);
		entry->copy = copy.data;
	}
	if (outcome_is_refusal(meta->outcome))
		entry->refusal = mem_strdup(meta->refusal);
}

/* Opens the entry's directory and takes its meta file's lock. The lock's descriptor, or -1. */
static int entry_hold(const struct cache *cache, const char *key, int *dir_fd)
{
	struct stat info;
	char path[DIGEST_TEXT_BYTES + 8];

	snprintf(path, sizeof(path), "files/%s", key);
	*dir_fd = openat(cache->root_fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*dir_fd < 0)
		return -1;
	const int fd = openat(*dir_fd, META_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	/* A removed entry's meta file has no link left: then it is gone, though still open. */
	if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0 && fstat(fd, &info) == 0 &&
	    info.st_nlink > 0 && faccessat(*dir_fd, META_NAME, F_OK, 0) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	close(*dir_fd);
	return -1;
}

/* A run over thousands of files must not use up the descriptors. */
static size_t held_max(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 4 < HELD_MAX
		       ? (size_t)limit.rlim_cur / 4
		       : HELD_MAX;
}

bool cache_entry_load(struct cache *cache, const char *key, const char *source,
		      struct cache_entry *entry)
{
	struct error ignored;
	struct meta meta;
	bool ok = false;
	int dir_fd;
	const int held_fd = entry_hold(cache, key, &dir_fd);

	if (held_fd < 0)
		return false;
	char *text = text_read_file(dir_fd, META_NAME, META_LIMIT, &ignored);
	if (text && meta_parse(&meta, text) && !strcmp(meta.source, source) &&
	    (meta.outcome != CACHE_INSTRUMENTED || copy_is_intact(cache, dir_fd, &meta))) {
		futimens(held_fd, NULL);
		entry_fill(entry, cache, key, &meta);
		if (cache->held.len < held_max())
			vec_push(&cache->held, held_fd);
		else
			close(held_fd);
		ok = true;
	} else {
		close(held_fd);
	}
	free(text);
	close(dir_fd);
	return ok;
}

struct entry_file {
	const char *name;
	mode_t mode;
	const void *bytes;
	size_t size;
};

/* Writes one file of a new entry; its stat text is appended to `stat_out` where wanted. */
static bool entry_write_file(int dir_fd, const struct entry_file *file, struct str *stat_out,
			     struct error *err)
{
	struct stat info;
	const int fd = openat(dir_fd, file->name,
			      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return error_set_errno(err, errno, "cannot write %s in the cache", file->name);
	if (!file_write_sparse(fd, file->bytes, file->size) || fchmod(fd, file->mode) < 0 ||
	    fsync(fd) < 0 || fstat(fd, &info) < 0)
		goto fail;
	if (stat_out)
		cache_stat_text(&info, stat_out);
	close(fd);
	return true;
fail:
	error_set_errno(err, errno,
			"cannot write %s in the cache (--no-cache or XDG_CACHE_HOME choose another "
			"place)",
			file->name);
	close(fd);
	return false;
}

static void meta_compose(struct str *out, const char *source, const struct cache_product *product,
			 const char *copy_stat)
{
	char digest[DIGEST_TEXT_BYTES];

	str_append(out, "tare-entry\t1\n");
	str_printf(out, "outcome\t%d\n", (int)product->outcome);
	text_put_field(out, "source");
	text_put_field(out, source);
	str_append(out, "\nsummary");
	text_put_field(out, product->summary.data ? product->summary.data : "");
	if (outcome_is_refusal(product->outcome)) {
		str_append(out, "\nrefusal");
		text_put_field(out, product->refusal);
	}
	digest_bytes(product->coverage.data, product->coverage.len, digest);
	str_printf(out, "\ncoverage\t%s\n", digest);
	if (product->outcome == CACHE_INSTRUMENTED) {
		digest_sparse_bytes(product->bytes.data, product->bytes.len, digest);
		text_put_field(out, "copy");
		text_put_field(out, path_basename(source));
		text_put_field(out, copy_stat);
		text_put_field(out, digest);
		text_end_line(out);
	}
	digest_bytes(out->data, out->len, digest);
	str_printf(out, "end\t%s\n", digest);
}

static bool copy_write(int dir_fd, const char *source, const struct cache_product *product,
		       struct str *stat_out, struct error *err)
{
	const struct entry_file copy = {path_basename(source), 0500, product->bytes.data,
					product->bytes.len};
	const int copy_fd =
		mkdirat(dir_fd, COPY_NAME, 0700) == 0 ? copy_open_directory(dir_fd) : -1;

	if (copy_fd < 0)
		return error_set_errno(err, errno, "cannot make a directory in the cache");
	const bool ok = entry_write_file(copy_fd, &copy, stat_out, err);

	close(copy_fd);
	return ok;
}

static bool entry_write_all(int dir_fd, const char *source, const struct cache_product *product,
			    struct error *err)
{
	const struct entry_file coverage = {COVERAGE_NAME, 0400, product->coverage.data,
					    product->coverage.len};
	struct str meta = {0}, copy_stat = {0};
	bool ok = true;

	/* The meta file comes last: an entry without one is no entry. */
	if (product->outcome == CACHE_INSTRUMENTED)
		ok = copy_write(dir_fd, source, product, &copy_stat, err);
	ok = ok && entry_write_file(dir_fd, &coverage, NULL, err);
	if (ok) {
		meta_compose(&meta, source, product, copy_stat.data);
		const struct entry_file file = {META_NAME, 0600, meta.data, meta.len};
		ok = entry_write_file(dir_fd, &file, NULL, err);
	}
	str_fini(&meta);
	str_fini(&copy_stat);
	return ok;
}

void cache_entry_remove(struct cache *cache, const char *name)
{
	struct error ignored;
	struct str from = {0}, to = {0};

	str_printf(&from, "%s/files/%s", cache->root, name);
	str_printf(&to, "%s/files/dead.%d.%s", cache->root, (int)getpid(), name);
	if (rename(from.data, to.data) == 0)
		directory_remove(to.data, &ignored);
	str_fini(&from);
	str_fini(&to);
}

bool cache_entry_store(struct cache *cache, const char *key, const char *source,
		       const struct cache_product *product, struct error *err)
{
	struct error ignored;
	struct str temporary = {0}, final = {0};
	bool ok = false;

	str_printf(&temporary, "%s/files/new.XXXXXX", cache->root);
	str_printf(&final, "%s/files/%s", cache->root, key);
	if (!mkdtemp(temporary.data)) {
		error_set_errno(err, errno, "cannot make a directory in the cache %s", cache->root);
		goto out;
	}
	const int dir_fd = open(temporary.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0) {
		error_set_errno(err, errno, "cannot open %s", temporary.data);
	} else {
		ok = entry_write_all(dir_fd, source, product, err);
		close(dir_fd);
	}
	if (ok && rename(temporary.data, final.data) < 0) {
		cache_entry_remove(cache, key);
		ok = rename(temporary.data, final.data) == 0;
		if (!ok)
			error_set_errno(err, errno, "cannot store %s in the cache", final.data);
	}
	if (!ok)
		directory_remove(temporary.data, &ignored);
out:
	str_fini(&temporary);
	str_fini(&final);
	return ok;
}

char *cache_read_coverage(const char *directory, struct error *err)
{
	struct meta meta;
	char digest[DIGEST_TEXT_BYTES], *coverage = NULL;
	const int dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir_fd < 0) {
		error_set_errno(err, errno, "cannot open %s", directory);
		return NULL;
	}
	char *text = text_read_file(dir_fd, META_NAME, META_LIMIT, err);
	if (text && !meta_parse(&meta, text))
		error_set(err, ERROR_INPUT, "the cache entry %s is damaged", directory);
	else if (text)
		coverage = text_read_file(dir_fd, COVERAGE_NAME, COVERAGE_LIMIT, err);
	if (coverage) {
		digest_bytes(coverage, strlen(coverage), digest);
		if (strcmp(digest, meta.coverage_digest) != 0) {
			error_set(err, ERROR_INPUT, "the cache entry %s is damaged", directory);
			free(coverage);
			coverage = NULL;
		}
	}
	free(text);
	close(dir_fd);
	return coverage;
}
