/*
 * tare import from end to end: any bytes as a recording of perf → a profile, which is then read,
 * analysed and shown. What was imported must open, and its text must hold no control characters.
 */
#include "fuzz/fuzz.h"
#include "record/import.h"
#include "report/report.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char directory[] = "/dev/shm/fuzz_import.XXXXXX";
static char profile_path[sizeof(directory) + 16], older_path[sizeof(directory) + 16];

static void remove_directory(void)
{
	unlink(profile_path);
	unlink(older_path);
	rmdir(directory);
}

static void make_directory(void)
{
	if (!mkdtemp(directory))
		abort();
	snprintf(profile_path, sizeof(profile_path), "%s/a.tare", directory);
	snprintf(older_path, sizeof(older_path), "%s/a.tare.old", directory);
	atexit(remove_directory);
}

static void check_text(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		assert((unsigned char)text[i] >= ' ' || text[i] == '\n');
}

static void show(const struct analysis *analysis, const char *view, bool unicode)
{
	const struct report_options options = {.view = view,
					       .profile_path = profile_path,
					       .format = REPORT_TEXT,
					       .limit = REPORT_LIMIT_DEFAULT,
					       .width = 80,
					       .unicode = unicode};
	struct error err = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	const bool ok = report_write(analysis, &options, stream, &err);

	fclose(stream);
	assert(ok || err.code == ERROR_NOT_FOUND);
	check_text(text, size);
	free(text);
}

/* One view of each profile, which the input decides: opening takes longest. */
static void open_and_show(uint64_t choice)
{
	static const char *const views[] = {"summary", "functions", "calltree", "threads", "lines"};
	const struct analysis_options shown = {.method = ANALYSIS_SAMPLE,
					       .inlines = choice >> 8 & 1,
					       .places = choice >> 9 & 1,
					       .no_kernel = choice >> 10 & 1};
	struct error err = {0};
	struct profile *profile = profile_open(profile_path, &err);

	assert(profile);
	struct analysis *analysis = analysis_open(profile, &shown, &err);

	assert(analysis);
	show(analysis, views[choice % COUNT(views)], choice >> 11 & 1);
	analysis_close(analysis);
	profile_close(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static bool made;
	char path[32];
	struct error err = {0};
	struct import_result result = {0};
	const int fd = memfd_create("perf.data", MFD_CLOEXEC);

	if (!made)
		make_directory();
	made = true;
	assert(fd >= 0);
	const ssize_t done = write(fd, input, size);
	assert(done == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const struct import_options options = {.input = path, .output = profile_path};

	if (import_perf_data(&options, &result, &err)) {
		assert(result.samples && !strcmp(result.output, profile_path));
		open_and_show(hash_bytes(input, size));
	} else {
		assert(err.message[0] && access(profile_path, F_OK) != 0);
	}
	import_result_fini(&result);
	unlink(profile_path);
	unlink(older_path);
	close(fd);
	return 0;
}
