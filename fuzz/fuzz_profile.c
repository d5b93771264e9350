/*
 * Reading a profile, analysing it and writing reports. An input with an even first byte is a whole
 * file; with an odd one, it is a list of changes (three bytes of offset, one of value) to a sound
 * profile, which gets past the checks that random bytes do not pass.
 */
#include "fuzz/fuzz.h"
#include "report/report.h"
#include "tests/support/small_profile.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char path[] = "/tmp/fuzz_profile.XXXXXX";
static unsigned char *sound;
static size_t sound_size;

static void remove_file(void)
{
	unlink(path);
}

/* Two stacks of which one has an inlined function, and their samples in the order of time. */
static void add_samples(struct profile_writer *writer)
{
	static const struct small_sample samples[] = {{10, 1, 5}, {20, 2, 6}, {30, 2, 7}};
	static const struct profile_location_line lines[] = {{1, 0, "_ZN1a1cEv", 1, 7, 0},
							     {1, 1, "_ZN1a1bEv", 1, 9, 2}};
	struct error err;
	const int64_t event = small_event(writer, "cpu-clock", "ns");
	const int64_t outer = small_stack(writer, 0, 1, 0x14);
	const int64_t inner = small_stack(writer, outer, 2, 0x24);

	small_samples(writer, &(struct profile_stack_value){1, event, outer, 1, 0, 0});
	small_samples(writer, &(struct profile_stack_value){1, event, inner, 2, 0, 1});
	small_samples(writer, &(struct profile_stack_value){1, event, 0, 1, 0, 1});
	small_chunk(writer, (struct profile_sample_chunk){1, event, 1000, 0, 3, {0}}, samples);
	profile_add_source(writer, &(struct profile_source){"/nowhere/a.c"}, &err);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		profile_add_location_line(writer, &lines[i], &err);
	profile_add_sampling(writer, &(struct profile_sampling){.collector = "perf"}, &err);
}

static void make_sound(void)
{
	static const struct small_node nodes[] = {{.thread = 1},
						  {1, 1, 1, 2, 30, TARE_OS_SYSCALL, 10},
						  {1, 2, 2, 1, 5, 0, 0},
						  {1, 3, 1, 1, 5, 0, 0}};
	struct error err;
	const int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	atexit(remove_file);
	struct profile_writer *writer = small_profile_open(path);
	small_thread(writer, small_process(writer, 5, "p"), 6, 40, 10);
	const int64_t module = small_module(writer, "/bin/p");
	small_function(writer, module, "_ZN1a1bEv", 0x10);
	small_function(writer, module, "", 0x20);
	small_nodes(writer, nodes, sizeof(nodes) / sizeof(nodes[0]));
	profile_add_os(writer, &(struct profile_os){2, TARE_OS_SYSCALL, 1, 3, 1, 10, NULL}, &err);
	profile_add_coverage(writer, &(struct profile_coverage){1, "f", 1, 64, "part", 1}, &err);
	profile_add_mark(writer, &(struct profile_mark){1, -3, "m", 7}, &err);
	add_samples(writer);
	small_profile_commit_as(writer, "instrument,sample");
	struct file_view view;
	if (!file_view_open(&view, path, &err))
		abort();
	sound_size = view.size;
	sound = mem_alloc(sound_size);
	memcpy(sound, view.data, sound_size);
	file_view_close(&view);
}

static void write_input(const uint8_t *data, size_t size)
{
	const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		abort();
	if (size && !(data[0] & 1)) {
		if (pwrite(fd, data, size, 0) != (ssize_t)size)
			abort();
	} else if (pwrite(fd, sound, sound_size, 0) != (ssize_t)sound_size) {
		abort();
	}
	for (size_t i = 1; size && (data[0] & 1) && i + 4 <= size; i += 4) {
		const size_t offset =
			data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16;
		if (pwrite(fd, &data[i + 3], 1, (off_t)(offset % sound_size)) != 1)
			abort();
	}
	close(fd);
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

	if (!sound)
		make_sound();
	write_input(data, size);
	struct profile *profile = profile_open(path, &err);
	if (!profile)
		return 0;
	for (size_t i = 0; i < COUNT(choices); i++)
		analyse(profile, &choices[i]);
	profile_close(profile);
	return 0;
}
