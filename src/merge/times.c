/*
 * Event logs, and samples in the order of time. They stay where processes are kept apart: then a
 * thread's nodes keep their numbers, by which logs name them, and all times are on one clock.
 *
 *   input ─▶ times in ns on the clock of the wall, stacks by index ─▶ spill
 *   spill ─▶ times since the first begin of all, ids of the output's stacks ─▶ output
 *
 * Refuses records and samples that make no sense.
 */
#include "merge/private.h"
#include "profile/sample_record.h"
#include "profile/trace_record.h"

/* What is read again behind the pass that lists it. */
struct part_list {
	struct input *input;
	struct vec_of(struct merged_part) parts; /* place: its id */
};

static bool damaged(const struct input *input, const char *what, uint64_t id, struct error *err)
{
	return error_set(err, ERROR_INPUT,
			 "the profile %s is damaged: part %llu of %s makes no sense", input->path,
			 (unsigned long long)id, what);
}

static bool put_part(struct merge *merge, struct merged_part *part, const struct byte_vec *data,
		     struct error *err)
{
	part->size = data->len;
	return spill_put(&merge->spill, data->data, data->len, &part->offset, err);
}

/* ---- event logs ---- */

static bool take_trace(const struct profile_trace *row, void *context)
{
	struct input *input = context;
	struct profile_trace trace = *row;

	trace.thread = input->threads[row->thread - 1];
	vec_push(&input->merge->traces, trace);
	return true;
}

static bool list_trace_part(int64_t id, const struct profile_trace_chunk *row, void *context)
{
	struct part_list *list = context;

	vec_push(&list->parts, ((struct merged_part){.trace = *row, .place = (uint64_t)id}));
	return true;
}

/* The records of a part with their times in nanoseconds. */
static bool records_rescale(const struct input *input, uint64_t ticks, struct trace_cursor cursor,
			    struct byte_vec *out)
{
	struct trace_record record;
	int more;

	while ((more = trace_record_read(&cursor, &record)) > 0) {
		const uint64_t now = trace_record_clock(&record, ticks);
		if (record.kind == TARE_TRACE_STACK)
			record.ticks = rescale_time(input, now);
		else
			record.delta = rescale_time(input, now) - rescale_time(input, ticks);
		trace_record_write(out, &record);
		ticks = now;
	}
	return more == 0;
}

static bool take_trace_part(struct input *input, struct merged_part *part, struct error *err)
{
	struct profile_trace_chunk *row = &part->trace;
	struct byte_vec out = {0};
	void *data = NULL;
	size_t size = 0;

	if (!profile_read_trace_chunk(input->profile, (int64_t)part->place, &data, &size, err))
		return false;
	const struct trace_cursor cursor = {data, (const unsigned char *)data + size};
	bool ok = records_rescale(input, row->begin_ticks, cursor, &out);
	free(data);
	if (!ok)
		damaged(input, "an event log", part->place, err);
	row->thread = input->threads[row->thread - 1];
	row->begin_ticks = rescale_time(input, row->begin_ticks);
	row->end_ticks = rescale_time(input, row->end_ticks);
	part->place = input->merge->trace_parts.len;
	ok = ok && put_part(input->merge, part, &out, err);
	if (ok)
		vec_push(&input->merge->trace_parts, *part);
	vec_fini(&out);
	return ok;
}

static bool take_traces(struct input *input, struct error *err)
{
	struct part_list list = {.input = input};
	bool ok = profile_each_trace(input->profile, take_trace, input, err) &&
		  profile_each_trace_chunk(input->profile, list_trace_part, &list, err);

	for (size_t i = 0; i < list.parts.len && ok; i++)
		ok = take_trace_part(input, &list.parts.data[i], err);
	vec_fini(&list.parts);
	return ok;
}

/* ---- samples ---- */

static bool list_samples(int64_t id, const struct profile_sample_chunk *row, void *context)
{
	struct part_list *list = context;

	vec_push(&list->parts, ((struct merged_part){.sample = *row, .place = (uint64_t)id}));
	return true;
}

static bool samples_rescale(const struct input *input, const struct profile_sample_chunk *row,
			    struct byte_reader reader, struct byte_vec *out)
{
	struct sample_record sample = {.ticks = row->begin_ticks};
	struct sample_record before = {.ticks = rescale_time(input, row->begin_ticks)};
	size_t stacks;

	profile_stacks(input->profile, &stacks);
	for (uint64_t i = 0; i < row->samples; i++) {
		if (!sample_record_read(&reader, row->end_ticks, &sample) || sample.stack > stacks)
			return false;
		const struct sample_record now = {
			.ticks = rescale_time(input, sample.ticks),
			.stack = sample.stack ? input->stacks[sample.stack - 1] : 0,
			.weight = sample.weight};
		sample_record_write(out, &before, &now);
		before = now;
	}
	return true;
}

static bool take_samples_of(struct input *input, struct merged_part *part, struct error *err)
{
	struct profile_sample_chunk *row = &part->sample;
	struct byte_vec out = {0};
	void *data = NULL;
	size_t size = 0;

	if (!profile_read_sample_chunk(input->profile, (int64_t)part->place, &data, &size, err))
		return false;
	bool ok = samples_rescale(input, row, byte_reader(data, size), &out);
	free(data);
	if (!ok)
		damaged(input, "the samples", part->place, err);
	row->thread = input->threads[row->thread - 1];
	row->event = input->events[row->event - 1];
	row->begin_ticks = rescale_time(input, row->begin_ticks);
	row->end_ticks = rescale_time(input, row->end_ticks);
	part->place = input->merge->sample_parts.len;
	ok = ok && put_part(input->merge, part, &out, err);
	if (ok)
		vec_push(&input->merge->sample_parts, *part);
	vec_fini(&out);
	return ok;
}

static bool take_samples(struct input *input, struct error *err)
{
	struct part_list list = {.input = input};
	bool ok = profile_each_sample_chunk(input->profile, list_samples, &list, err);

	for (size_t i = 0; i < list.parts.len && ok; i++)
		ok = take_samples_of(input, &list.parts.data[i], err);
	vec_fini(&list.parts);
	return ok;
}

/* ---- left out ---- */

static bool count_log(const struct profile_trace *row, void *context)
{
	struct input *input = context;

	(void)row;
	input->merge->summary.event_logs++;
	return true;
}

static bool count_samples(int64_t id, const struct profile_sample_chunk *row, void *context)
{
	struct input *input = context;

	(void)id;
	add_count(&input->merge->summary.sample_times, row->samples);
	return true;
}

static bool count_waits(int64_t id, const struct profile_wait *row, void *context)
{
	struct input *input = context;

	(void)id;
	add_count(&input->merge->summary.waits, row->waits);
	return true;
}

static bool count_wakers(const struct profile_waker *row, void *context)
{
	struct input *input = context;

	add_count(&input->merge->summary.waits, row->waits);
	return true;
}

bool combine_times(struct input *input, struct error *err)
{
	if (!profile_each_wait(input->profile, count_waits, input, err) ||
	    !profile_each_waker(input->profile, count_wakers, input, err))
		return false;
	if (input->merge->keep_processes)
		return take_traces(input, err) && take_samples(input, err);
	return profile_each_trace(input->profile, count_log, input, err) &&
	       profile_each_sample_chunk(input->profile, count_samples, input, err);
}

/* ---- writing ---- */

static int compare_traces(const void *a, const void *b)
{
	const struct profile_trace *x = a, *y = b;

	if (x->thread != y->thread)
		return compare_numbers((uint64_t)x->thread, (uint64_t)y->thread);
	if (x->limit_bytes != y->limit_bytes)
		return compare_numbers(x->limit_bytes, y->limit_bytes);
	if (x->events != y->events)
		return compare_numbers(x->events, y->events);
	return compare_numbers(x->lost, y->lost);
}

/* Parts of one thread come from one input, so their order there is theirs here. */
static int compare_trace_parts(const void *a, const void *b)
{
	const struct merged_part *x = a, *y = b;

	if (x->trace.thread != y->trace.thread)
		return compare_numbers((uint64_t)x->trace.thread, (uint64_t)y->trace.thread);
	return compare_numbers(x->place, y->place);
}

static int compare_sample_parts(const void *a, const void *b)
{
	const struct merged_part *x = a, *y = b;

	if (x->sample.thread != y->sample.thread)
		return compare_numbers((uint64_t)x->sample.thread, (uint64_t)y->sample.thread);
	if (x->sample.event != y->sample.event)
		return compare_numbers((uint64_t)x->sample.event, (uint64_t)y->sample.event);
	return compare_numbers(x->place, y->place);
}

/* False where the spill does not give back what was put there. */
static bool records_finish(const struct output *output, struct trace_cursor cursor,
			   struct byte_vec *out)
{
	struct trace_record record;
	int more;

	while ((more = trace_record_read(&cursor, &record)) > 0) {
		if (record.kind == TARE_TRACE_STACK)
			record.ticks = time_out(output, record.ticks);
		trace_record_write(out, &record);
	}
	return more == 0;
}

static bool samples_finish(const struct output *output, const struct profile_sample_chunk *row,
			   struct byte_reader reader, struct byte_vec *out)
{
	struct sample_record sample = {.ticks = row->begin_ticks}, before = sample;

	for (uint64_t i = 0; i < row->samples; i++) {
		if (!sample_record_read(&reader, row->end_ticks, &sample) ||
		    sample.stack >= output->merge->stacks.len)
			return false;
		struct sample_record now = sample;
		now.stack = output->stacks.rank[sample.stack];
		sample_record_write(out, &before, &now);
		before = now;
	}
	return true;
}

static bool write_trace_part(const struct output *output, const struct merged_part *part,
			     const unsigned char *data)
{
	struct profile_trace_chunk row = part->trace;
	struct byte_vec out = {0};

	bool ok = records_finish(output, (struct trace_cursor){data, data + part->size}, &out) ||
		  spill_fail(&output->merge->spill, output->err);
	row.begin_ticks = time_out(output, row.begin_ticks);
	row.end_ticks = time_out(output, row.end_ticks);
	row.data = (struct profile_bytes){out.data, out.len};
	ok = ok && profile_add_trace_chunk(output->writer, &row, output->err);
	vec_fini(&out);
	return ok;
}

static bool write_sample_part(const struct output *output, const struct merged_part *part,
			      const unsigned char *data)
{
	struct profile_sample_chunk row = part->sample;
	struct byte_vec out = {0};

	bool ok = samples_finish(output, &row, byte_reader(data, part->size), &out) ||
		  spill_fail(&output->merge->spill, output->err);
	row.begin_ticks = time_out(output, row.begin_ticks);
	row.end_ticks = time_out(output, row.end_ticks);
	row.data = (struct profile_bytes){out.data, out.len};
	ok = ok && profile_add_sample_chunk(output->writer, &row, output->err);
	vec_fini(&out);
	return ok;
}

static bool write_part(const struct output *output, const struct merged_part *part,
		       bool (*write)(const struct output *output, const struct merged_part *part,
				     const unsigned char *data))
{
	unsigned char *data = mem_alloc(part->size + 1);
	const bool ok =
		spill_get(&output->merge->spill, part->offset, data, part->size, output->err) &&
		write(output, part, data);

	free(data);
	return ok;
}

static bool write_traces(const struct output *output)
{
	struct merge *merge = output->merge;

	vec_foreach (row, &merge->traces)
		row->thread = id_of(&output->threads, row->thread);
	vec_sort(&merge->traces, compare_traces);
	vec_foreach (row, &merge->traces)
		if (!profile_add_trace(output->writer, row, output->err))
			return false;
	vec_foreach (part, &merge->trace_parts)
		part->trace.thread = id_of(&output->threads, part->trace.thread);
	vec_sort(&merge->trace_parts, compare_trace_parts);
	vec_foreach (part, &merge->trace_parts)
		if (!write_part(output, part, write_trace_part))
			return false;
	return true;
}

bool write_times(const struct output *output)
{
	struct merge *merge = output->merge;

	if (!write_traces(output))
		return false;
	vec_foreach (part, &merge->sample_parts) {
		part->sample.thread = id_of(&output->threads, part->sample.thread);
		part->sample.event = id_of(&output->events, part->sample.event);
	}
	vec_sort(&merge->sample_parts, compare_sample_parts);
	vec_foreach (part, &merge->sample_parts)
		if (!write_part(output, part, write_sample_part))
			return false;
	return true;
}
