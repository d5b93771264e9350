/*
 * Merging a damaged profile with a sound one, in both ways, and comparing them. What is written
 * must be a profile that merges to itself, byte for byte. See damaged_profile.h for the input.
 */
#include "base/file_view.h"
#include "fuzz/damaged_profile.h"
#include "fuzz/fuzz.h"
#include "merge/merge.h"
#include "report/diff/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In memory where there is such a file system: each merged profile is synced to the storage. */
static char in_memory[] = "/dev/shm/fuzz_merge.XXXXXX", in_tmp[] = "/tmp/fuzz_merge.XXXXXX";
static const char *folder;
static struct str damaged, sound, merged, again;

static void remove_folder(void)
{
	struct error err;

	directory_remove(folder, &err);
	str_fini(&damaged);
	str_fini(&sound);
	str_fini(&merged);
	str_fini(&again);
}

static void make_folder(void)
{
	folder = mkdtemp(in_memory);
	if (!folder)
		folder = mkdtemp(in_tmp);
	if (!folder)
		abort();
	str_printf(&damaged, "%s/damaged", folder);
	str_printf(&sound, "%s/sound", folder);
	str_printf(&merged, "%s/merged", folder);
	str_printf(&again, "%s/again", folder);
	damaged_profile_write(sound.data, NULL, 0);
	atexit(remove_folder);
}

/* `second` may be NULL. */
static bool merge_files(bool keep, const char *output, const char *first, const char *second)
{
	const struct merge_options options = {
		.keep_processes = keep, .output = output, .memory_bytes = 1};
	struct merge *merge = merge_new(&options);
	struct error err;
	const bool ok = merge_take(merge, first, &err) &&
			(!second || merge_take(merge, second, &err)) && merge_write(merge, &err);

	merge_free(merge);
	return ok;
}

static void require_same_bytes(void)
{
	struct file_view a = {0}, b = {0};
	struct error err;

	if (!file_view_open(&a, merged.data, &err) || !file_view_open(&b, again.data, &err) ||
	    a.size != b.size || memcmp(a.data, b.data, a.size) != 0)
		abort();
	file_view_close(&a);
	file_view_close(&b);
}

static void merge_both(bool keep)
{
	if (!merge_files(keep, merged.data, damaged.data, sound.data))
		return;
	if (!merge_files(keep, again.data, merged.data, NULL))
		abort();
	require_same_bytes();
}

static struct analysis *analyse(struct profile *profile)
{
	static const struct analysis_options options = {0};
	struct error err;

	return profile ? analysis_open(profile, &options, &err) : NULL;
}

static void write_difference(const struct analysis *base, const struct analysis *analysis)
{
	FILE *stream = fopen("/dev/null", "w");

	for (size_t i = 0; diff_view_names[i]; i++) {
		const struct diff_options options = {
			.report = {.view = diff_view_names[i],
				   .profile_path = damaged.data,
				   .format = (enum report_format)(i % 3),
				   .limit = REPORT_LIMIT_DEFAULT,
				   .width = 80},
			.base_path = sound.data,
		};
		struct str failures = {0};
		struct error err;
		diff_write(base, analysis, &options, stream, &failures, &err);
		str_fini(&failures);
	}
	fclose(stream);
}

static void compare(void)
{
	struct error err;
	struct profile *base = profile_open(sound.data, &err);
	struct profile *profile = profile_open(damaged.data, &err);
	struct analysis *of_base = analyse(base), *analysis = analyse(profile);

	if (of_base && analysis)
		write_difference(of_base, analysis);
	analysis_close(of_base);
	analysis_close(analysis);
	profile_close(base);
	profile_close(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!damaged.len)
		make_folder();
	damaged_profile_write(damaged.data, data, size);
	merge_both(false);
	merge_both(true);
	compare();
	return 0;
}
