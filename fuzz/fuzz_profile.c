/*
 * Reading a profile, analysing it and writing it in every view, every format of other tools, and
 * compared with itself; see damaged_profile.h for the input.
 */
#include "fuzz/damaged_profile.h"
#include "fuzz/fuzz.h"
#include "report/diff/diff.h"
#include "report/export.h"
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

/* All views, each in one format, and all that the formats of other tools make of it. */
static void write_reports(const struct analysis *analysis, const struct analysis *base)
{
	FILE *stream = fopen("/dev/null", "w");
	struct error err;

	for (size_t i = 0; report_view_names()[i]; i++) {
		const struct report_options options = {.view = report_view_names()[i],
						       .function = i % 2 ? "a::*" : "*",
						       .profile_path = path,
						       .format = (enum report_format)(i % 3),
						       .limit = REPORT_LIMIT_DEFAULT,
						       .unicode = true,
						       .width = 80};

		if (!report_write(analysis, &options, stream, &err) &&
		    err.code != ERROR_NOT_FOUND && err.code != ERROR_USAGE)
			abort();
	}
	for (const struct export_format *format = export_formats; format->name; format++) {
		const struct export_options options = {.path = path, .code = EXPORT_CODE_ALL};

		if (!format->write(analysis, &options, stream, &err) && !err.message[0])
			abort();
	}
	for (size_t i = 0; base && diff_view_names[i]; i++) {
		const struct diff_options options = {.report = {.view = diff_view_names[i],
								.profile_path = path,
								.format = (enum report_format)i,
								.width = 80},
						     .base_path = path};
		struct str failures = {0};

		diff_write(base, analysis, &options, stream, &failures, &err);
		str_fini(&failures);
	}
	fclose(stream);
}

static void analyse(struct profile *profile, const struct analysis_options *options,
		    const struct analysis *base)
{
	struct error err;
	struct analysis *analysis = analysis_open(profile, options, &err);

	if (analysis)
		write_reports(analysis, base && base->method == analysis->method ? base : NULL);
	analysis_close(analysis);
}

static void analyse_all(struct profile *profile)
{
	static const struct analysis_options choices[] = {
		{.coverage_functions = true},
		{.places = true, .call_places = true, .root_by_thread = true},
		{.root_by_thread = true, .node_lines = true},
		{.my_code = true, .root = "a*", .fold_recursion = true},
		{.method = ANALYSIS_SAMPLE, .inlines = true, .places = true, .code = true},
		{.method = ANALYSIS_SAMPLE, .sample_stacks = true, .times = true},
		{.method = ANALYSIS_SAMPLE, .places = true, .from = "0", .to = "0.001"},
	};
	struct error err;
	struct analysis *base = analysis_open(profile, &choices[0], &err);

	for (size_t i = 0; i < COUNT(choices); i++)
		analyse(profile, &choices[i], base);
	analysis_close(base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};
	static bool made;

	if (!made)
		make_file();
	made = true;
	damaged_profile_write(path, data, size);
	struct profile *profile = profile_open(path, &err);
	if (!profile)
		return 0;
	analyse_all(profile);
	profile_close(profile);
	return 0;
}
