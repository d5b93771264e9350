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
#include "analysis/waker_stacks.h"
#include "report/export/paths.h"

#include <inttypes.h>
#include <string.h>

struct folded_wakers {
	const struct analysis *analysis;
	FILE *stream;
	struct paths paths;
	const struct profile_stack *stacks;
	const struct profile_location *locations;
	struct path_chain chain;
};

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

static bool write_ended(const struct waker_stacks *row, void *context)
{
	struct folded_wakers *writer = context;

	if (!row->ns)
		return true;
	write_wait(writer, row->thread, row->stack);
	if (row->wake)
		write_waker(writer, row->wake);
	else
		fputs("[unseen]", writer->stream);
	fprintf(writer->stream, " %" PRIu64 "\n", row->ns);
	return !ferror(writer->stream);
}

static bool folded_open(struct folded_wakers *writer, struct error *err)
{
	size_t count;

	if (!paths_open(&writer->paths, writer->analysis, NULL, err))
		return false;
	writer->stacks = profile_stacks(writer->analysis->profile, &count);
	writer->locations = profile_locations(writer->analysis->profile, &count);
	return true;
}

static void folded_close(struct folded_wakers *writer)
{
	vec_fini(&writer->chain);
	paths_close(&writer->paths);
}

bool folded_write_wakers(const struct analysis *analysis, FILE *stream, struct error *err)
{
	struct folded_wakers writer = {.analysis = analysis, .stream = stream};

	if (!analysis->wakers.len)
		return analysis_no_wakers(analysis, err);
	if (!folded_open(&writer, err))
		return false;
	const bool ok = analysis_each_waker_stacks(analysis, write_ended, &writer, err);
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
