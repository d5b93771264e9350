/*
 * The cache of instrumented files: hits, misses, keys, damage, links and owners, the bound,
 * entries in use, concurrent builders, refusals.
 */
#include "cache/cache.h"
#include "tests/support/own_directory.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define COVERAGE "0x10\t0x20\t0x1010\t0x30\t0x8\t0\tinstrumented\tmain\n"

static char base[] = "/tmp/tare-test-cache-XXXXXX";
static char root[64], source[64];
static int builds;

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* Old enough for the stat index to trust it. */
static void age(const char *path)
{
	const struct timespec times[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static int set_up(void **state)
{
	(void)state;
	builds = 0;
	if (!own_directory_make(base))
		return -1;
	snprintf(root, sizeof(root), "%s/cache", base);
	snprintf(source, sizeof(source), "%s/program", base);
	write_text(source, "original");
	return 0;
}

static int tear_down(void **state)
{
	struct error err;

	(void)state;
	return directory_remove(base, &err) ? 0 : -1;
}

struct recipe {
	enum cache_outcome outcome;
	size_t size_bytes;
	bool fails;
	bool changes_source; /* as an update of the program at that moment does */
	bool links_source;   /* it gets a second name, as others' caches give it */
};

static bool build(const char *path, const char *key, struct cache_product *product, void *context,
		  struct error *err)
{
	const struct recipe *recipe = context;

	builds++;
	assert_string_equal(path, source);
	assert_int_equal(strlen(key), DIGEST_TEXT_BYTES - 1);
	if (recipe->fails)
		return error_set(err, ERROR_SYSTEM, "no luck");
	if (recipe->changes_source)
		write_text(source, "another program");
	if (recipe->links_source) {
		char name[sizeof(source) + 8];

		snprintf(name, sizeof(name), "%s.linked", source);
		assert_int_equal(link(source, name), 0);
		assert_int_equal(unlink(name), 0);
	}
	product->outcome = recipe->outcome;
	for (size_t i = 0; i < recipe->size_bytes; i++)
		vec_push(&product->bytes, (unsigned char)i);
	str_append(&product->summary, "one\ttwo");
	str_append(&product->coverage, COVERAGE);
	snprintf(product->refusal, sizeof(product->refusal), "it is a test");
	return true;
}

static bool get(struct cache *cache, struct recipe *recipe, const char *options,
		struct cache_entry *entry, struct error *err)
{
	const struct cache_request request = {
		.path = source, .options = options, .build = build, .context = recipe};

	return cache_get(cache, &request, entry, err);
}

static struct cache open_cache(uint64_t limit_bytes)
{
	struct cache cache;
	struct error err = {0};

	if (!cache_open(&cache, root, limit_bytes, &err))
		fail_msg("%s", err.message);
	return cache;
}

static struct recipe plain = {.outcome = CACHE_INSTRUMENTED, .size_bytes = 1000};

static void get_ok(struct cache *cache, struct recipe *recipe, const char *options,
		   struct cache_entry *entry)
{
	struct error err = {0};

	if (!get(cache, recipe, options, entry, &err))
		fail_msg("%s", err.message);
}

static void test_second_time_is_a_hit(void **state)
{
	struct cache cache = open_cache(1 << 20);
	struct cache_entry first, second;
	struct error err;
	struct stat info;

	(void)state;
	get_ok(&cache, &plain, "a", &first);
	assert_true(first.was_built);
	assert_string_equal(path_basename(first.copy), "program");
	assert_int_equal(stat(first.copy, &info), 0);
	assert_int_equal(info.st_mode & 07777, 0500);
	assert_int_equal(info.st_size, 1000);
	cache_close(&cache);

	cache = open_cache(1 << 20);
	get_ok(&cache, &plain, "a", &second);
	assert_false(second.was_built);
	assert_int_equal(builds, 1);
	assert_string_equal(second.copy, first.copy);
	assert_string_equal(second.summary, "one\ttwo");
	char *coverage = cache_read_coverage(second.directory, &err);
	assert_string_equal(coverage, COVERAGE);
	free(coverage);
	cache_entry_fini(&first);
	cache_entry_fini(&second);
	cache_close(&cache);
}

static void test_options_and_content_are_part_of_the_key(void **state)
{
	struct cache cache = open_cache(1 << 20);
	struct cache_entry a, b, c;

	(void)state;
	get_ok(&cache, &plain, "a", &a);
	get_ok(&cache, &plain, "b", &b);
	assert_string_not_equal(a.key, b.key);
	write_text(source, "other!!!"); /* of the same length */
	get_ok(&cache, &plain, "a", &c);
	assert_string_not_equal(a.key, c.key);
	assert_int_equal(builds, 3);
	cache_entry_fini(&a);
	cache_entry_fini(&b);
	cache_entry_fini(&c);
	cache_close(&cache);
}

/* Another build of tare makes other copies. */
static void test_the_tool_is_part_of_the_key(void **state)
{
	struct cache cache = open_cache(1 << 20);
	struct cache_entry a, b;

	(void)state;
	get_ok(&cache, &plain, "a", &a);
	free(cache.tool);
	cache.tool = mem_strdup("another tool");
	get_ok(&cache, &plain, "a", &b);
	assert_string_not_equal(a.key, b.key);
	assert_true(b.was_built);
	cache_entry_fini(&a);
	cache_entry_fini(&b);
	cache_close(&cache);
}

/* Of three entries the one goes that was used the longest time ago, and no more than needed. */
static void test_bound_keeps_what_was_used_last(void **state)
{
	static const char *const options[] = {"a", "b", "c"};
	struct recipe large = {.outcome = CACHE_INSTRUMENTED, .size_bytes = 100000};
	struct cache_entry entry;
	struct str meta = {0};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct cache cache = open_cache(1 << 20);
		const struct timespec used[2] = {{.tv_sec = 2000000 - i}, {.tv_sec = 2000000 - i}};

		get_ok(&cache, &large, options[i], &entry);
		str_clear(&meta);
		str_printf(&meta, "%s/.tare-meta", entry.directory);
		cache_entry_fini(&entry);
		cache_close(&cache);
		assert_int_equal(utimensat(AT_FDCWD, meta.data, used, 0), 0);
	}
	struct cache cache = open_cache(250000);
	cache_trim(&cache);
	cache_close(&cache);
	cache = open_cache(1 << 20);
	builds = 0;
	get_ok(&cache, &large, "a", &entry);
	cache_entry_fini(&entry);
	get_ok(&cache, &large, "b", &entry);
	cache_entry_fini(&entry);
	assert_int_equal(builds, 0);
	get_ok(&cache, &large, "c", &entry);
	assert_int_equal(builds, 1);
	cache_entry_fini(&entry);
	cache_close(&cache);
	str_fini(&meta);
}

/* What the entry's files occupy. */
static uint64_t occupied_bytes(const struct cache_entry *entry)
{
	static const char *const names[] = {"copy/program", ".tare-meta", ".tare-coverage"};
	uint64_t bytes = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct str path = {0};
		struct stat info;
		str_printf(&path, "%s/%s", entry->directory, names[i]);
		assert_int_equal(stat(path.data, &info), 0);
		bytes += (uint64_t)info.st_blocks * 512;
		str_fini(&path);
	}
	return bytes;
}

/* Entries that fill the cache to its bound stay; with one byte less there is one too many. */
static void test_bound_may_be_reached(void **state)
{
	struct cache cache = open_cache(1 << 20);
	struct cache_entry entry;

	(void)state;
	get_ok(&cache, &plain, "a", &entry);
	const uint64_t bytes = occupied_bytes(&entry);
	cache_close(&cache);
	for (int less = 0; less < 2; less++) {
		cache = open_cache(bytes - (uint64_t)less);
		cache_trim(&cache);
		assert_int_equal(access(entry.copy, F_OK), less ? -1 : 0);
		cache_close(&cache);
	}
	cache_entry_fini(&entry);
}

/* What a run that was killed has left is removed after a while, what another is making is not. */
static void test_leftovers(void **state)
{
	struct cache cache = open_cache(1 << 20);
	struct str fresh = {0}, old = {0};

	(void)state;
	str_printf(&fresh, "%s/files/new.fresh1", root);
	str_printf(&old, "%s/files/new.old123", root);
	assert_int_equal(mkdir(fresh.data, 0700), 0);
	assert_int_equal(mkdir(old.data, 0700), 0);
	age(old.data);
	cache_trim(&cache);
	assert_int_equal(access(fresh.data, F_OK), 0);
	assert_int_not_equal(access(old.data, F_OK), 0);
	str_fini(&fresh);
	str_fini(&old);
	cache_close(&cache);
}

static void test_copies_of_another_user_are_rebuilt(void **state)
{
	struct cache cache = open_cache(1 << 20);
	struct cache_entry entry;

	(void)state;
	if (geteuid() != 0)
		skip();
	get_ok(&cache, &plain, "a", &entry);
	assert_int_equal(chown(entry.copy, 65534, (gid_t)-1), 0);
	cache_entry_fini(&entry);
	get_ok(&cache, &plain, "a", &entry);
	assert_true(entry.was_built);
	cache_entry_fini(&entry);
	cache_close(&cache);
}

static void test_refusals_and_nothing_to_do_are_kept(void **state)
{
	struct cache cache = open_cache(1 << 20);
	struct recipe refused = {.outcome = CACHE_REFUSED},
		      nothing = {.outcome = CACHE_NOTHING_TO_DO};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct cache_entry entry;
		get_ok(&cache, &refused, "refused", &entry);
		assert_int_equal(entry.outcome, CACHE_REFUSED);
		assert_string_equal(entry.refusal, "it is a test");
		assert_null(entry.copy);
		cache_entry_fini(&entry);
		get_ok(&cache, &nothing, "nothing", &entry);
		assert_int_equal(entry.outcome, CACHE_NOTHING_TO_DO);
		assert_null(entry.copy);
		cache_entry_fini(&entry);
	}
	assert_int_equal(builds, 2);
	cache_close(&cache);
}

static void test_failures_leave_nothing(void **state)
{
	struct cache cache = open_cache(1 << 20);
	struct recipe failing = {.fails = true};
	struct cache_entry entry;
	struct error err;

	(void)state;
	assert_false(get(&cache, &failing, "a", &entry, &err));
	assert_string_equal(err.message, "no luck");
	get_ok(&cache, &plain, "a", &entry);
	assert_true(entry.was_built);
	cache_entry_fini(&entry);
	cache_close(&cache);
}

/* Such a file has other times, and is what it was. */
static void test_files_that_get_another_name_stay(void **state)
{
	struct cache cache = open_cache(1 << 20);
	struct recipe linking = plain;
	struct cache_entry entry;

	(void)state;
	linking.links_source = true;
	get_ok(&cache, &linking, "linked", &entry);
	assert_true(entry.was_built);
	cache_entry_fini(&entry);
	cache_close(&cache);
}

/* What was read may be a part of the old file and a part of the new one. */
static void test_files_that_change_meanwhile_leave_nothing(void **state)
{
	struct cache cache = open_cache(1 << 20);
	struct recipe changing = plain;
	struct cache_entry entry;
	struct error err;

	(void)state;
	changing.changes_source = true;
	assert_false(get(&cache, &changing, "a", &entry, &err));
	assert_non_null(strstr(err.message, "changed while it was instrumented"));
	/* Nothing is kept of it under the old content either. */
	write_text(source, "original");
	get_ok(&cache, &plain, "a", &entry);
	assert_true(entry.was_built);
	cache_entry_fini(&entry);
	cache_close(&cache);
}

/* Changes one byte of a file behind the cache's back. */
static void damage(const char *path, off_t offset)
{
	assert_int_equal(chmod(path, 0700), 0);
	const int fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "\x7f", 1, offset), 1);
	close(fd);
}

static void test_damaged_entries_are_rebuilt(void **state)
{
	static const char *const names[] = {"copy/program", ".tare-meta"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct cache cache = open_cache(1 << 20);
		struct cache_entry entry;
		struct str path = {0};
		char options[8];
		snprintf(options, sizeof(options), "%zu", i);
		get_ok(&cache, &plain, options, &entry);
		str_printf(&path, "%s/%s", entry.directory, names[i]);
		cache_entry_fini(&entry);
		cache_close(&cache);
		damage(path.data, 30);

		cache = open_cache(1 << 20);
		get_ok(&cache, &plain, options, &entry);
		assert_true(entry.was_built);
		cache_entry_fini(&entry);
		cache_close(&cache);
		str_fini(&path);
	}
}

/* Where the words of the text stand in the file. */
static off_t offset_of(const char *path, const char *words)
{
	char text[4096];
	const int fd = open(path, O_RDONLY);
	const ssize_t size = read(fd, text, sizeof(text) - 1);

	assert_true(size > 0);
	close(fd);
	text[size] = 0;
	const char *at = strstr(text, words);
	assert_non_null(at);
	return at - text;
}

/* A meta file that reads well, but not as it was written. */
static void test_changed_meta_files_are_not_believed(void **state)
{
	struct recipe refused = {.outcome = CACHE_REFUSED};
	struct cache cache = open_cache(1 << 20);
	struct cache_entry entry;
	struct str path = {0};

	(void)state;
	get_ok(&cache, &refused, "a", &entry);
	str_printf(&path, "%s/.tare-meta", entry.directory);
	cache_entry_fini(&entry);
	cache_close(&cache);
	damage(path.data, offset_of(path.data, "it is a test"));
	cache = open_cache(1 << 20);
	get_ok(&cache, &refused, "a", &entry);
	assert_true(entry.was_built);
	assert_string_equal(entry.refusal, "it is a test");
	cache_entry_fini(&entry);
	cache_close(&cache);
	str_fini(&path);
}

static void test_new_time_stamps_with_old_bytes_are_a_hit(void **state)
{
	struct cache cache = open_cache(1 << 20);
	struct cache_entry entry;

	(void)state;
	get_ok(&cache, &plain, "a", &entry);
	age(entry.copy);
	cache_entry_fini(&entry);
	get_ok(&cache, &plain, "a", &entry);
	assert_false(entry.was_built);
	cache_entry_fini(&entry);
	cache_close(&cache);
}

static void test_damaged_coverage_is_an_error(void **state)
{
	struct cache cache = open_cache(1 << 20);
	struct cache_entry entry;
	struct error err;
	struct str path = {0};

	(void)state;
	get_ok(&cache, &plain, "a", &entry);
	str_printf(&path, "%s/.tare-coverage", entry.directory);
	damage(path.data, 3);
	assert_null(cache_read_coverage(entry.directory, &err));
	assert_non_null(strstr(err.message, "damaged"));
	str_fini(&path);
	cache_entry_fini(&entry);
	cache_close(&cache);
}

static void test_roots_that_are_refused(void **state)
{
	struct cache cache;
	struct error err;
	char other[64];

	(void)state;
	snprintf(other, sizeof(other), "%s/other", base);
	assert_int_equal(mkdir(other, 0700), 0);
	assert_int_equal(symlink(other, root), 0);
	assert_false(cache_open(&cache, root, 1, &err));
	assert_int_equal(unlink(root), 0);
	assert_int_equal(mkdir(root, 0700), 0);
	assert_int_equal(chmod(root, 0777), 0);
	assert_false(cache_open(&cache, root, 1, &err));
	assert_non_null(strstr(err.message, "--no-cache"));
	assert_int_equal(chmod(root, 0700), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(root, 65534, 65534), 0);
		assert_false(cache_open(&cache, root, 1, &err));
		assert_non_null(strstr(err.message, "another user"));
	} else {
		print_message("not root: a cache of another user is not tried\n");
	}
}

static void test_links_in_place_of_files_are_not_followed(void **state)
{
	struct cache cache = open_cache(1 << 20);
	struct cache_entry entry;
	struct str elsewhere = {0};

	(void)state;
	get_ok(&cache, &plain, "a", &entry);
	str_printf(&elsewhere, "%s/elsewhere", base);
	assert_int_equal(rename(entry.copy, elsewhere.data), 0);
	assert_int_equal(symlink(elsewhere.data, entry.copy), 0);
	cache_entry_fini(&entry);
	get_ok(&cache, &plain, "a", &entry);
	assert_true(entry.was_built);
	cache_entry_fini(&entry);
	cache_close(&cache);
	str_fini(&elsewhere);
}

static void test_bound_keeps_what_is_in_use(void **state)
{
	struct cache cache = open_cache(150000), later;
	struct recipe large = {.outcome = CACHE_INSTRUMENTED, .size_bytes = 100000};
	struct cache_entry old, held, probe;

	(void)state;
	get_ok(&cache, &large, "old", &old);
	cache_close(&cache);
	cache = open_cache(150000);
	get_ok(&cache, &large, "held", &held);
	cache_trim(&cache);
	assert_int_not_equal(access(old.copy, F_OK), 0);
	assert_int_equal(access(held.copy, F_OK), 0);
	/* Another run with a smaller bound may not take it away either, until it is released. */
	later = open_cache(1);
	cache_trim(&later);
	assert_int_equal(access(held.copy, F_OK), 0);
	cache_close(&cache);
	cache_trim(&later);
	assert_int_not_equal(access(held.copy, F_OK), 0);
	get_ok(&later, &large, "held", &probe);
	assert_true(probe.was_built);
	cache_entry_fini(&old);
	cache_entry_fini(&held);
	cache_entry_fini(&probe);
	cache_close(&later);
}

static bool build_slowly(const char *path, const char *key, struct cache_product *product,
			 void *context, struct error *err)
{
	char mark[96];

	/* Two builders at once would meet here. */
	snprintf(mark, sizeof(mark), "%s/building", base);
	const int fd = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, "two builders at once");
	close(fd);
	usleep(20000);
	unlink(mark);
	return build(path, key, product, context, err);
}

static int child_gets(void)
{
	const struct cache_request request = {
		.path = source, .options = "a", .build = build_slowly, .context = &plain};
	struct cache_entry entry;
	struct cache cache;
	struct error err;

	if (!cache_open(&cache, root, 1 << 20, &err) || !cache_get(&cache, &request, &entry, &err))
		return 100;
	if (!entry.copy || access(entry.copy, X_OK) != 0)
		return 101;
	return entry.was_built;
}

static void test_concurrent_runs_build_once(void **state)
{
	enum { RUNS = 8 };
	pid_t pids[RUNS];
	int built = 0;

	(void)state;
	for (int i = 0; i < RUNS; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(child_gets());
	}
	for (int i = 0; i < RUNS; i++) {
		int status;
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
		built += WEXITSTATUS(status);
	}
	assert_int_equal(built, 1);
}

/* A file may have any name, those of the cache's own files too. */
static void test_programs_are_named_like_own_files(void **state)
{
	static const char *const names[] = {".tare-meta", ".tare-coverage", "copy"};
	struct cache cache = open_cache(1 << 20);
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct cache_entry entry;
		snprintf(source, sizeof(source), "%s/%s", base, names[i]);
		write_text(source, "original");
		for (int time = 0; time < 2; time++) {
			get_ok(&cache, &plain, "a", &entry);
			assert_int_equal(entry.was_built, !time);
			assert_string_equal(path_basename(entry.copy), names[i]);
			char *coverage = cache_read_coverage(entry.directory, &err);
			assert_string_equal(coverage, COVERAGE);
			free(coverage);
			cache_entry_fini(&entry);
		}
	}
	cache_close(&cache);
}

static void expect_refusal(const char *sentence)
{
	struct cache cache;
	struct error err;

	assert_false(cache_open(&cache, root, 1, &err));
	if (!strstr(err.message, sentence) || !strstr(err.message, "--no-cache"))
		fail_msg("%s", err.message);
}

/* What is in the directories is executed: whose they are counts as much as the root's owner. */
static void test_directories_that_are_refused(void **state)
{
	static const char *const names[] = {"files", "stat", "lock"};
	struct cache cache = open_cache(1 << 20);
	char directory[96], other[80];

	(void)state;
	cache_close(&cache);
	snprintf(other, sizeof(other), "%s/other", base);
	for (size_t i = 0; i < 3; i++) {
		snprintf(directory, sizeof(directory), "%s/%s", root, names[i]);
		assert_int_equal(rename(directory, other), 0);
		assert_int_equal(symlink(other, directory), 0);
		expect_refusal("link");
		assert_int_equal(unlink(directory), 0);
		assert_int_equal(rename(other, directory), 0);
		assert_int_equal(chmod(directory, 0770), 0);
		expect_refusal("can be written by other users");
		assert_int_equal(chmod(directory, 0700), 0);
		if (geteuid() == 0) {
			assert_int_equal(chown(directory, 65534, 65534), 0);
			expect_refusal("another user");
			assert_int_equal(chown(directory, 0, 0), 0);
		}
		write_text(other, "");
		assert_int_equal(rmdir(directory), 0);
		assert_int_equal(rename(other, directory), 0);
		expect_refusal("not a directory");
		assert_int_equal(unlink(directory), 0);
	}
}

/* ---- builders that do not get done ---- */

static char waiting_told[512];

static void take_waiting(const char *sentence, void *context)
{
	(void)context;
	snprintf(waiting_told + strlen(waiting_told), sizeof(waiting_told) - strlen(waiting_told),
		 "%s\n", sentence);
}

/* While one entry is built, another run wants this one. */
struct meanwhile {
	const char *options;
	struct cache *cache;
	struct cache_entry entry;
};

static bool build_meanwhile(const char *path, const char *key, struct cache_product *product,
			    void *context, struct error *err)
{
	struct meanwhile *meanwhile = context;

	get_ok(meanwhile->cache, &plain, meanwhile->options, &meanwhile->entry);
	return build(path, key, product, &plain, err);
}

static void get_meanwhile(struct cache *cache, const char *options, struct meanwhile *meanwhile)
{
	const struct cache_request request = {
		.path = source, .options = options, .build = build_meanwhile, .context = meanwhile};
	struct cache_entry entry;
	struct error err;

	alarm(60); /* a lock that is never got ends the test */
	if (!cache_get(cache, &request, &entry, &err))
		fail_msg("%s", err.message);
	alarm(0);
	assert_int_equal(access(entry.copy, X_OK), 0);
	assert_true(str_starts_with(entry.copy, root));
	cache_entry_fini(&entry);
}

/* Keys that begin alike are two all the same. */
static void test_builders_of_other_keys_do_not_wait(void **state)
{
	enum { KEYS = 400 };
	static char prefixes[KEYS][3];
	struct cache cache = open_cache(1 << 20), other;
	struct error err;
	char first[16] = "", second[16] = "";

	(void)state;
	for (int i = 0; i < KEYS && !*first; i++) {
		struct cache_entry entry;
		snprintf(second, sizeof(second), "%d", i);
		get_ok(&cache, &plain, second, &entry);
		memcpy(prefixes[i], entry.key, 2);
		for (int j = 0; j < i; j++)
			if (!strcmp(prefixes[i], prefixes[j]))
				snprintf(first, sizeof(first), "%d", j);
		cache_entry_fini(&entry);
	}
	assert_true(*first);
	cache_close(&cache);
	assert_true(directory_remove(root, &err));

	cache = open_cache(1 << 20);
	other = open_cache(1 << 20);
	other.limit_ms = other.notice_ms = 0;
	other.waiting = take_waiting;
	*waiting_told = 0;
	struct meanwhile meanwhile = {.options = second, .cache = &other};
	get_meanwhile(&cache, first, &meanwhile);
	assert_string_equal(waiting_told, "");
	assert_null(other.aside);
	assert_true(str_starts_with(meanwhile.entry.copy, root));
	cache_entry_fini(&meanwhile.entry);
	cache_close(&other);
	cache_close(&cache);
}

static void test_who_waits_is_told_and_helps_itself(void **state)
{
	struct cache cache = open_cache(1 << 20), other = open_cache(1 << 20);
	struct meanwhile meanwhile = {.options = "a", .cache = &other};
	struct error err;
	char expected[400];

	(void)state;
	other.limit_ms = other.notice_ms = 0;
	other.waiting = take_waiting;
	*waiting_told = 0;
	get_meanwhile(&cache, "a", &meanwhile);
	assert_int_equal(builds, 2);
	snprintf(
		expected, sizeof(expected),
		"waiting for process %d, which is instrumenting %s\n"
		"process %d does not get done with %s, so this recording makes a copy of its own\n",
		(int)getpid(), source, (int)getpid(), source);
	assert_string_equal(waiting_told, expected);
	assert_non_null(other.aside);
	assert_true(str_starts_with(meanwhile.entry.copy, other.aside->root));
	assert_false(str_starts_with(meanwhile.entry.copy, root));
	assert_int_equal(access(meanwhile.entry.copy, X_OK), 0);
	assert_true(directory_remove(other.aside->root, &err));
	cache_entry_fini(&meanwhile.entry);
	cache_close(&other);
	cache_close(&cache);
}

static bool build_refused_meanwhile(const char *path, const char *key,
				    struct cache_product *product, void *context, struct error *err)
{
	struct cache *other = context;
	const struct cache_request request = {
		.path = path, .options = "a", .build = build, .context = &plain};
	struct cache_entry entry;
	struct error busy;

	assert_false(cache_get(other, &request, &entry, &busy));
	assert_int_equal(busy.code, ERROR_SYSTEM);
	return build(path, key, product, &plain, err);
}

/* Who works ahead of another one neither waits nor makes copies of its own. */
static void test_busy_files_are_left(void **state)
{
	struct cache cache = open_cache(1 << 20), other = open_cache(1 << 20);
	const struct cache_request request = {.path = source,
					      .options = "a",
					      .build = build_refused_meanwhile,
					      .context = &other};
	struct cache_entry entry;
	struct error err;

	(void)state;
	other.leaves_busy = true;
	other.limit_ms = 0;
	other.waiting = take_waiting;
	*waiting_told = 0;
	assert_true(cache_get(&cache, &request, &entry, &err));
	cache_entry_fini(&entry);
	assert_string_equal(waiting_told, "");
	assert_null(other.aside);
	get_ok(&other, &plain, "a", &entry);
	assert_false(entry.was_built);
	cache_entry_fini(&entry);
	cache_close(&other);
	cache_close(&cache);
}

static void test_locks_are_not_left(void **state)
{
	struct cache cache = open_cache(1 << 20);
	struct cache_entry entry;
	char directory[80], left[192];

	(void)state;
	get_ok(&cache, &plain, "a", &entry);
	snprintf(directory, sizeof(directory), "%s/lock", root);
	snprintf(left, sizeof(left), "%s/%s", directory, entry.key);
	assert_int_equal(access(left, F_OK), -1);
	write_text(left, "4711\n"); /* as a builder that was killed leaves it */
	cache_trim(&cache);
	assert_int_equal(rmdir(directory), 0);
	cache_entry_fini(&entry);
	cache_close(&cache);
}

int main(void)
{
#define CACHE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CACHE_TEST(test_second_time_is_a_hit),
		CACHE_TEST(test_options_and_content_are_part_of_the_key),
		CACHE_TEST(test_the_tool_is_part_of_the_key),
		CACHE_TEST(test_bound_keeps_what_was_used_last),
		CACHE_TEST(test_bound_may_be_reached),
		CACHE_TEST(test_leftovers),
		CACHE_TEST(test_copies_of_another_user_are_rebuilt),
		CACHE_TEST(test_refusals_and_nothing_to_do_are_kept),
		CACHE_TEST(test_failures_leave_nothing),
		CACHE_TEST(test_files_that_get_another_name_stay),
		CACHE_TEST(test_files_that_change_meanwhile_leave_nothing),
		CACHE_TEST(test_damaged_entries_are_rebuilt),
		CACHE_TEST(test_changed_meta_files_are_not_believed),
		CACHE_TEST(test_new_time_stamps_with_old_bytes_are_a_hit),
		CACHE_TEST(test_damaged_coverage_is_an_error),
		CACHE_TEST(test_roots_that_are_refused),
		CACHE_TEST(test_links_in_place_of_files_are_not_followed),
		CACHE_TEST(test_bound_keeps_what_is_in_use),
		CACHE_TEST(test_concurrent_runs_build_once),
		CACHE_TEST(test_programs_are_named_like_own_files),
		CACHE_TEST(test_directories_that_are_refused),
		CACHE_TEST(test_builders_of_other_keys_do_not_wait),
		CACHE_TEST(test_who_waits_is_told_and_helps_itself),
		CACHE_TEST(test_busy_files_are_left),
		CACHE_TEST(test_locks_are_not_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
