/*
 * The recording goes the way of tare's own samples:
 *
 *   perf_data ─ sample_collect ─▶ log (a file without a name) ─ sample_assemble ─▶ profile
 *
 * Times are those of perf's clock, in nanoseconds since the first record that has one. Where the
 * file of a module is not the recorded one, its functions have no names; the kernel's have names if
 * it is the kernel that runs here.
 */
#include "record/import.h"

#include "assemble/sample_assemble.h"
#include "base/file_view.h"
#include "record/import_kernel.h"
#include "record/record_parts.h"
#include "record/sample_collect.h"
#include "resolve/symbolize.h"
#include "sampler/perf_data.h"
#include "session/notes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_SECOND  1000000000ULL
#define UNKNOWN_STATUS (-1)
#define MISSING_SHOWN  3

struct import {
	struct perf_data *data;
	struct sample_log log;
	int log_fd; /* for reading */
	struct sample_collect *collect;
	struct sampler_sink sink; /* of the collector */
	uint64_t first_time, last_time, kernel_frames;
	struct strmap used; /* paths of files that stacks lead to; keys are the log's */
	struct recording recording;
	struct str unused, partial, system, reason;
};

/* ---- collecting ---- */

static void take_time(struct import *import, uint64_t time)
{
	if (!time)
		return;
	if (!import->first_time || time < import->first_time)
		import->first_time = time;
	if (time > import->last_time)
		import->last_time = time;
}

static void take_sample(void *context, const struct sampler_sample *sample)
{
	struct import *import = context;

	take_time(import, sample->time);
	import->kernel_frames += sample->kernel_count;
	import->sink.sample(import->sink.context, sample);
}

static void take_record(void *context, const struct perf_record *record)
{
	struct import *import = context;

	take_time(import, record->time);
	import->sink.record(import->sink.context, record);
}

/* The log has no name, so that nothing of it is left whatever happens. */
static bool create_log(struct import *import, struct error *err)
{
	struct session session = {.fd = -1};

	if (!session_create(&session, true, err))
		return false;
	bool ok = sample_log_create(&import->log, session.fd, 0, err);

	if (ok) {
		import->log_fd = openat(session.fd, SAMPLE_LOG_NAME, O_RDONLY | O_CLOEXEC);
		if (import->log_fd < 0)
			ok = error_set_errno(err, errno, "cannot read the log of samples");
	}
	session_close(&session, true);
	return ok;
}

static void log_events(struct import *import)
{
	for (size_t i = 0; i < perf_data_event_count(import->data); i++) {
		const struct event *event = perf_data_event(import->data, i);
		const struct sample_log_event row = {.period = event->period,
						     .frequency = event->frequency,
						     .name = event->name,
						     .unit = event_unit(event)};

		sample_log_put_event(&import->log, &row);
	}
}

static void log_counts(struct import *import)
{
	const struct sampler_counts *from = &perf_data_counts(import->data)->samples;
	const struct sample_log_counts counts = {
		.samples = from->samples,
		.discarded = from->discarded,
		.lost = from->lost,
		.throttled = from->throttled,
		.unreadable = from->unknown,
		.without_room = sample_collect_without_room(import->collect),
	};

	sample_log_put_counts(&import->log, &counts);
}

static bool collect(struct import *import, struct error *err)
{
	const struct sampler_sink sink = {
		.sample = take_sample, .record = take_record, .context = import};

	if (!create_log(import, err))
		return false;
	import->collect = sample_collect_new(&(struct sample_collect_options){
		.log = &import->log, .sampled_only = perf_data_is_of_everything(import->data)});
	import->sink = sample_collect_sink(import->collect);
	log_events(import);
	if (!perf_data_read(import->data, &sink, err))
		return false;
	log_counts(import);
	sample_log_close(&import->log);
	if (import->log.unwritten)
		return error_set(err, ERROR_SYSTEM,
				 "there is no room for the samples: %" PRIu64
				 " records could not be kept; set TMPDIR to a directory with more",
				 import->log.unwritten);
	return true;
}

/* ---- what is said of it ---- */

static void add_unused(struct import *import, uint64_t count, const char *one, const char *many)
{
	if (!count)
		return;
	str_printf(&import->unused, "%s%" PRIu64 " %s", import->unused.len ? ", " : "", count,
		   count == 1 ? one : many);
}

/* The paths that stacks lead to, as keys. */
static bool find_used(struct import *import, const struct file_view *log, struct error *err)
{
	struct sample_log_reader reader = {0};
	struct sample_log_record record;

	if (!sample_log_reader_init(&reader, log->data, log->size, err))
		return false;
	while (sample_log_next(&reader, &record))
		if (record.kind == SAMPLE_LOG_IMAGE)
			strmap_put(&import->used, record.image.path, 1);
	sample_log_reader_fini(&reader);
	return true;
}

static bool is_used(const struct import *import, const struct image *image)
{
	return image->kind != IMAGE_RUNTIME && strmap_get(&import->used, image->path);
}

/* Files whose functions have no names, the first of them by name. */
static void add_missing_files(struct import *import)
{
	const struct images *images = perf_data_images(import->data);
	struct str names = {0};
	size_t missing = 0;

	for (size_t i = 0; i < images_count(images); i++) {
		const struct image *image = images_at(images, i);

		if (image->object || !is_used(import, image))
			continue;
		if (missing++ < MISSING_SHOWN)
			str_printf(&names, "%s%s", names.len ? ", " : "",
				   path_basename(image->path));
	}
	if (missing)
		str_printf(&import->unused,
			   "%s%zu %s not here as recorded, so without names (%s%s)",
			   import->unused.len ? ", " : "", missing,
			   missing == 1 ? "file that is" : "files that are", names.data,
			   missing > MISSING_SHOWN ? ", …" : "");
	str_fini(&names);
}

static void describe_losses(struct import *import, bool kernel_is_known)
{
	const struct perf_data_counts *counts = perf_data_counts(import->data);

	add_unused(import, counts->samples.lost, "sample that perf lost", "samples that perf lost");
	add_unused(import, counts->samples.unknown, "record that makes no sense",
		   "records that make no sense");
	add_unused(import, counts->samples.discarded, "sample of guests or filtered out",
		   "samples of guests or filtered out");
	add_unused(import, counts->late, "record out of order", "records out of order");
	add_unused(import, counts->trace_bytes, "byte of hardware traces",
		   "bytes of hardware traces");
	add_missing_files(import);
	if (import->kernel_frames && !kernel_is_known)
		str_printf(&import->unused, "%snames of the kernel, which is another one than here",
			   import->unused.len ? ", " : "");
	if (!counts->why_cut)
		return;
	str_append(&import->partial, counts->why_cut);
	if (counts->left_bytes)
		str_printf(&import->partial, ", and %" PRIu64 " bytes were not read",
			   counts->left_bytes);
}

/* ---- the profile ---- */

static int64_t begin_unix_ns(const struct import *import)
{
	const struct perf_origin *origin = perf_data_origin(import->data);
	const uint64_t written = perf_data_written_ns(import->data);
	const uint64_t duration = import->last_time - import->first_time;

	if (origin->wall_clock_ns)
		return (int64_t)(origin->wall_clock_ns + (import->first_time - origin->clock_ns));
	return written > duration ? (int64_t)(written - duration) : 0;
}

static const char *unwinding_of(const struct perf_data *data)
{
	if (perf_data_has_stacks(data))
		return "rules";
	return perf_data_has_chains(data) ? "fp" : "none";
}

/* As a recording of tare would have it. */
static void describe_recording(struct import *import)
{
	const struct perf_origin *origin = perf_data_origin(import->data);
	struct recording *recording = &import->recording;
	const struct clock_point points[] = {
		{.ticks = 0, .raw_ns = import->first_time},
		{.ticks = NS_PER_SECOND, .raw_ns = import->first_time + NS_PER_SECOND}};

	vec_append(&recording->clock, points, 2);
	recording->command_line = "";
	if (origin->command_line.len)
		recording_put_command_line(recording, (char *const *)origin->command_line.data,
					   origin->command_line.len);
	str_printf(&import->system, "Linux%s%s%s%s", *origin->release ? " " : "", origin->release,
		   *origin->architecture ? " " : "", origin->architecture);
	str_printf(&import->reason, "imported from a recording of perf%s%s",
		   *origin->perf_version ? " " : "", origin->perf_version);
	recording->host = origin->host;
	recording->processor = origin->processor;
	recording->system = import->system.data;
	recording->runtime = "";
	recording->collector = "perf.data";
	recording->sampling_reason = import->reason.data;
	recording->unwinding = unwinding_of(import->data);
	recording->sampled_kernel = import->kernel_frames != 0;
}

/* Modules that are to be read from elsewhere than their paths say, or not at all. */
static bool settle_modules(struct import *import, struct resolver *resolver, struct error *err)
{
	const struct images *images = perf_data_images(import->data);

	for (size_t i = 0; i < images_count(images); i++) {
		const struct image *image = images_at(images, i);
		const bool as_usual =
			image->kind == IMAGE_RUNTIME ||
			(image->object && (!image->file || !strcmp(image->file, image->path)));

		if (!as_usual && !resolver_settle(resolver, image->path,
						  image->object ? image->file : NULL, err))
			return false;
	}
	return true;
}

static bool write_session(struct import *import, struct profile_writer *writer, struct error *err)
{
	const struct recording *recording = &import->recording;
	const struct profile_session row = {
		.command_line = recording->command_line,
		.host = recording->host,
		.system = recording->system,
		.processor = recording->processor,
		.tare_version = TARE_VERSION,
		.method = "sample",
		.begin_unix_ns = begin_unix_ns(import),
		.end_ticks = import->last_time - import->first_time,
		.ticks_per_second = (double)NS_PER_SECOND,
		.exit_status = UNKNOWN_STATUS,
		.complete = !import->partial.len,
		.incomplete_reason = import->partial.data,
	};

	return profile_write_session(writer, &row, err);
}

static bool write_rows(struct import *import, struct profile_writer *writer, struct error *err)
{
	struct file_view log = {0};
	struct resolver resolver = {0};
	struct sample_output output = {0};
	char path[48];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", import->log_fd);
	if (!file_view_open(&log, path, err))
		return false;
	if (!find_used(import, &log, err)) {
		file_view_close(&log);
		return false;
	}
	resolver_init(&resolver, NULL, writer);
	resolver.kernel_is_read = true;
	describe_losses(import, import_kernel_symbols(import->data, &resolver.kernel));
	describe_recording(import);
	const struct sample_input input = {.log = log.data,
					   .log_bytes = log.size,
					   .recording = &import->recording,
					   .resolver = &resolver,
					   .writer = writer};
	const bool ok = write_session(import, writer, err) &&
			settle_modules(import, &resolver, err) &&
			sample_assemble(&input, &output, err) && symbolize_profile(&resolver, err);

	vec_fini(&output.rows);
	resolver_fini(&resolver);
	file_view_close(&log);
	return ok;
}

static bool write_profile(struct import *import, const char *path, struct error *err)
{
	struct profile_writer *writer = profile_writer_open(path, true, err);

	if (!writer)
		return false;
	if (write_rows(import, writer, err))
		return profile_writer_commit(writer, err);
	profile_writer_discard(writer);
	return false;
}

static bool check_samples(const struct import *import, const char *name, struct error *err)
{
	const struct perf_data_counts *counts = perf_data_counts(import->data);

	if (counts->samples.samples)
		return true;
	return error_set(err, ERROR_INPUT, "%s has no samples%s%s%s", name,
			 counts->why_cut ? ": " : "", counts->why_cut ? counts->why_cut : "",
			 counts->samples.unknown ? "; it has records, which make no sense" : "");
}

static void import_fini(struct import *import)
{
	sample_collect_free(import->collect);
	sample_log_close(&import->log);
	if (import->log_fd >= 0)
		close(import->log_fd);
	perf_data_close(import->data);
	strmap_fini(&import->used);
	recording_fini(&import->recording);
	str_fini(&import->system);
	str_fini(&import->reason);
	str_fini(&import->unused);
	str_fini(&import->partial);
}

bool import_perf_data(const struct import_options *options, struct import_result *result,
		      struct error *err)
{
	const bool is_stdin = strcmp(options->input, "-") == 0;
	const char *name = is_stdin ? "the standard input" : options->input;
	struct import import = {.log = {.fd = -1}, .log_fd = -1, .recording = {.fd = -1}};

	*result = (struct import_result){0};
	import.data = perf_data_open(options->input, err);
	if (!import.data)
		return false;
	result->output = record_choose_output(
		options->output, is_stdin ? "perf" : path_basename(options->input), err);
	const bool ok = result->output && collect(&import, err) &&
			check_samples(&import, name, err) &&
			write_profile(&import, result->output, err);

	result->samples = perf_data_counts(import.data)->samples.samples;
	if (ok && import.partial.len)
		result->partial = mem_strdup(import.partial.data);
	if (ok && import.unused.len)
		result->unused = mem_strdup(import.unused.data);
	import_fini(&import);
	return ok;
}

void import_result_fini(struct import_result *result)
{
	free(result->output);
	free(result->partial);
	free(result->unused);
	*result = (struct import_result){0};
}
