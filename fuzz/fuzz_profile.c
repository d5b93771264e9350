/* Reading a profile, analysing it and writing reports; see damaged_profile.h for the input. */
#include "fuzz/damaged_profile.h"
#include "fuzz/fuzz.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char path[] = "/tmp/fuzz_profile.XXXXXX";

static void remove_file(void)
{
	unlink(path);
}

static void make_file(void)
{
	const int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	atexit(remove_file);
}

static void write_reports(const struct analysis *analysis)
{
	static const char *const views[] = {"summary", "functions",    "calltree", "threads",
					    "lines",   "instructions", "annotate"};
	FILE *stream = fopen("/dev/null", "w");

	for (size_t i = 0; i < COUNT(views); i++) {
		const struct report_options options = {.view = views[i],
						       .function = i == COUNT(views) - 1 ? "a::*"
											 : NULL,
						       .profile_path = path,
						       .format = (enum report_format)(i % 3),
						       .limit = REPORT_LIMIT_DEFAULT,
						       .width = 80};
		struct error err;
		if (!report_write(analysis, &options, stream, &err) &&
		    err.code != ERROR_NOT_FOUND && err.code != ERROR_USAGE)
			abort();
	}
	fclose(stream);
}

static void analyse(struct profile *profile, const struct analysis_options *options)
{
	struct error err;
	struct analysis *analysis = analysis_open(profile, options, &err);

	if (analysis)
		write_reports(analysis);
	analysis_close(analysis);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct analysis_options choices[] = {
		{.coverage_functions = true},
		{.method = ANALYSIS_SAMPLE, .inlines = true, .places = true, .code = true},
		{.method = ANALYSIS_SAMPLE, .places = true, .from = "0", .to = "0.001"},
	};
	struct error err = {0};

	static bool made;

	if (!made)
		make_file();
	made = true;
	damaged_profile_write(path, data, size);
	struct profile *profile = profile_open(path, &err);
	if (!profile)
		return 0;
	for (size_t i = 0; i < COUNT(choices); i++)
		analyse(profile, &choices[i]);
	profile_close(profile);
	return 0;
}
