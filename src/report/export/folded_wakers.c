/*
 * Waits as folded stacks: with CPU time, or joined with the stacks of who ended them, as
 * offwaketime of bcc has them:
 *
 *   process;outermost;…;function that waits;--;function that ends the wait;…;outermost;thread ns
 *
 * and, of both, process;outermost;…;function ns, where waits have "[waits]" behind it, and those
 * for work or time "[idle]" before the outermost one, so that they stand apart.
 *
 * Of an interrupt and of what was not recorded a name in brackets stands in the place of the
 * latter. All together are the waits that were sampled.
 */
#include "analysis/sample_stacks.h"
#include "report/export/paths.h"

#include <inttypes.h>
#include <string.h>

struct folded_wakers {
	const struct analysis *analysis;
	FILE *stream;
	struct paths paths;
	const struct profile_stack *stacks;
	const struct profile_location *locations;
	struct vec_of(struct profile_wake) wakes;
	struct map told; /* thread << 32 | stack → ns of the waits that are written */
	struct path_chain chain;
};

static uint64_t key_of(int64_t thread, int64_t stack)
{
	return (uint64_t)thread << 32 | (uint64_t)stack;
}

static const char *name_at(const struct folded_wakers *writer, int64_t stack)
{
	const struct profile_location *location =
		&writer->locations[writer->stacks[stack - 1].location - 1];

	return writer->paths.names[writer->analysis->function_of[location->function - 1]];
}

static void write_process(struct folded_wakers *writer, uint32_t thread)
{
	const uint32_t process = writer->analysis->threads.data[thread].process;

	folded_write_name(writer->stream, writer->paths.process_names[process]);
}

static void write_stack(struct folded_wakers *writer, int64_t stack)
{
	writer->chain.len = 0;
	for (int64_t at = stack; at; at = writer->stacks[at - 1].parent)
		vec_push(&writer->chain, (uint32_t)at);
	for (size_t i = writer->chain.len; i-- > 0;) {
		fputc(';', writer->stream);
		folded_write_name(writer->stream, name_at(writer, writer->chain.data[i]));
	}
}

static void write_wait(struct folded_wakers *writer, uint32_t thread, int64_t stack)
{
	write_process(writer, thread);
	write_stack(writer, stack);
	fputs(";--;", writer->stream);
}

static void write_waker(struct folded_wakers *writer, const struct profile_wake *wake)
{
	if (!wake->thread) {
		fputs("[interrupt]", writer->stream);
		return;
	}
	for (int64_t at = wake->stack; at; at = writer->stacks[at - 1].parent) {
		folded_write_name(writer->stream, name_at(writer, at));
		fputc(';', writer->stream);
	}
	folded_write_name(writer->stream, writer->paths.thread_names[wake->thread - 1]);
}

static bool take_wake(int64_t id, const struct profile_wake *row, void *context)
{
	struct folded_wakers *writer = context;

	(void)id;
	vec_push(&writer->wakes, *row);
	return true;
}

static bool take_waker(const struct profile_waker *row, void *context)
{
	struct folded_wakers *writer = context;
	const uint32_t thread = (uint32_t)(row->thread - 1);

	if (!row->weight || !writer->analysis->threads.data[thread].selected || !row->wake ||
	    row->wake > (int64_t)writer->wakes.len)
		return true;
	write_wait(writer, thread, row->stack);
	write_waker(writer, &writer->wakes.data[row->wake - 1]);
	fprintf(writer->stream, " %" PRIu64 "\n", row->weight);
	*map_put(&writer->told, key_of(thread, row->stack), 0) += row->weight;
	return !ferror(writer->stream);
}

static bool write_rest(struct folded_wakers *writer, struct profile *profile, struct error *err)
{
	struct sample_values values = {0};
	uint64_t truncated = 0;
	const bool ok =
		sample_values_load(writer->analysis, profile, analysis_event_id(profile, "off-cpu"),
				   &values, &truncated, err);

	vec_foreach (value, &values) {
		const uint64_t *told = map_get(&writer->told, key_of(value->thread, value->stack));
		const uint64_t known = told ? *told : 0;

		if (value->weight <= known)
			continue;
		write_wait(writer, value->thread, value->stack);
		fprintf(writer->stream, "[unseen] %" PRIu64 "\n", value->weight - known);
	}
	vec_fini(&values);
	return ok;
}

static bool folded_open(struct folded_wakers *writer, struct error *err)
{
	size_t count;

	if (!paths_open(&writer->paths, writer->analysis, NULL, err))
		return false;
	writer->stacks = profile_stacks(writer->analysis->profile, &count);
	writer->locations = profile_locations(writer->analysis->profile, &count);
	map_init(&writer->told);
	return true;
}

static void folded_close(struct folded_wakers *writer)
{
	map_fini(&writer->told);
	vec_fini(&writer->wakes);
	vec_fini(&writer->chain);
	paths_close(&writer->paths);
}

bool folded_write_wakers(const struct analysis *analysis, FILE *stream, struct error *err)
{
	struct folded_wakers writer = {.analysis = analysis, .stream = stream};
	struct profile *profile = (struct profile *)analysis->profile;

	if (!analysis->wakers.len)
		return error_set(err, ERROR_NOT_FOUND,
				 "the profile does not say who ended waits; tare record "
				 "--method=sample --wakers records it, as root");
	if (!folded_open(&writer, err))
		return false;
	const bool ok = profile_each_wake(profile, take_wake, &writer, err) &&
			profile_each_waker(profile, take_waker, &writer, err) &&
			write_rest(&writer, profile, err);
	folded_close(&writer);
	return ok;
}

/* ---- CPU time and waits ---- */

static void write_time(struct folded_wakers *writer, const struct sample_value *value, bool waited)
{
	const bool idle = waited && analysis_stack_is_idle(writer->analysis, value->stack);

	write_process(writer, value->thread);
	if (idle)
		fputs(";[idle]", writer->stream);
	write_stack(writer, value->stack);
	if (waited && !idle)
		fputs(";[waits]", writer->stream);
	fprintf(writer->stream, " %" PRIu64 "\n", value->weight);
}

static bool write_times(struct folded_wakers *writer, int64_t event, bool waited, struct error *err)
{
	struct sample_values values = {0};
	uint64_t truncated = 0;
	const bool ok =
		sample_values_load(writer->analysis, (struct profile *)writer->analysis->profile,
				   event, &values, &truncated, err);

	vec_foreach (value, &values)
		if (value->weight)
			write_time(writer, value, waited);
	vec_fini(&values);
	return ok;
}

bool folded_write_waits(const struct analysis *analysis, FILE *stream, struct error *err)
{
	struct folded_wakers writer = {.analysis = analysis, .stream = stream};
	const int64_t waits = analysis_event_id(analysis->profile, "off-cpu");
	const int64_t cpu = analysis_event_id(analysis->profile, "cpu-clock");

	if (!waits || !cpu)
		return error_set(err, ERROR_NOT_FOUND,
				 "the profile has no samples of %s; tare record --method=sample "
				 "--event=cpu-clock --off-cpu records both",
				 waits ? "cpu-clock" : "waits");
	if (!folded_open(&writer, err))
		return false;
	const bool ok =
		write_times(&writer, cpu, false, err) && write_times(&writer, waits, true, err);
	folded_close(&writer);
	return ok;
}
