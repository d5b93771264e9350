/*
 * A perf.data file, or the output of perf record through a pipe, with any contents. What is given
 * out must be as promised: events that exist, stacks with frames, counts that add up.
 */
#include "fuzz/fuzz.h"
#include "sampler/perf_data.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct seen {
	const struct perf_data *data;
	uint64_t samples, sum;
};

static void take_sample(void *context, const struct sampler_sample *sample)
{
	struct seen *seen = context;

	seen->samples++;
	assert(sample->event < perf_data_event_count(seen->data));
	assert(perf_data_event(seen->data, sample->event));
	assert(sample->process && sample->weight);
	assert(sample->kernel_count || sample->stack->count);
	assert(sample->kernel_count <= SAMPLER_FRAMES_MAX &&
	       sample->stack->count <= SAMPLER_FRAMES_MAX);
	for (size_t i = 0; i < sample->kernel_count; i++)
		seen->sum += sample->kernel[i];
	for (size_t i = 0; i < sample->stack->count; i++)
		seen->sum +=
			process_image_at(sample->process, sample->stack->frames[i].addr) != NULL;
}

static void take_record(void *context, const struct perf_record *record)
{
	struct seen *seen = context;

	if (record->type == PERF_RECORD_COMM)
		seen->sum += strlen(record->name.name);
}

static void check(const struct perf_data *data, const struct seen *seen)
{
	const struct perf_data_counts *counts = perf_data_counts(data);
	const struct perf_origin *origin = perf_data_origin(data);

	assert(counts->samples.samples == seen->samples);
	assert(counts->samples.complete <= seen->samples);
	for (size_t i = 0; i < perf_data_event_count(data); i++)
		assert(strlen(perf_data_event(data, i)->name) < sizeof(struct event));
	vec_foreach (word, &origin->command_line)
		assert(*word);
	assert(origin->host && origin->architecture && origin->release);
	for (size_t i = 0; i < images_count(perf_data_images(data)); i++)
		assert(images_at(perf_data_images(data), i)->path);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	char path[32];
	struct error err = {0};
	const int fd = memfd_create("perf.data", MFD_CLOEXEC);

	assert(fd >= 0);
	const ssize_t done = write(fd, input, size);
	assert(done == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct perf_data *data = perf_data_open(path, &err);

	assert(data || err.message[0]);
	if (data) {
		struct seen seen = {.data = data};
		const struct sampler_sink sink = {
			.sample = take_sample, .record = take_record, .context = &seen};

		if (perf_data_read(data, &sink, &err))
			check(data, &seen);
		else
			assert(err.message[0]);
	}
	perf_data_close(data);
	close(fd);
	return 0;
}
