/*
 * What is asked for decides how the sampler is opened: a command waits to execute, processes run
 * already, or all processors are sampled, for a command or for everything that they do.
 */
#include "record/sampling.h"

#include "sampler/interrupt_cost.h"

#include <stdio.h>
#include <string.h>

#define WORTH_MEASURING 100 /* samples */

/* ---- before ---- */

static bool add_events(struct sampling *sampling, const char *list, struct error *err)
{
	const size_t before = sampling->events.len;

	if (!events_parse(list, sampling->options->frequency, &sampling->events, err))
		return false;
	for (size_t i = before; i < sampling->events.len; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(sampling->events.data[i].name, sampling->events.data[j].name))
				return error_set(err, ERROR_USAGE, "the event %s is named twice",
						 sampling->events.data[i].name);
	return true;
}

static bool has_event(const struct sampling *sampling, const char *name)
{
	vec_foreach (event, &sampling->events)
		if (strcmp(event->name, name) == 0)
			return true;
	return false;
}

/* Without both, nobody would know when a thread ran. */
static bool add_waits(struct sampling *sampling, struct error *err)
{
	return add_events(sampling, "off-cpu", err) &&
	       (has_event(sampling, "preempted") || add_events(sampling, "preempted", err));
}

bool sampling_init(struct sampling *sampling, const struct record_sampling *options,
		   struct error *err)
{
	struct event standard;

	*sampling = (struct sampling){.options = options, .log = {.fd = -1}};
	vec_foreach (text, &options->events) {
		if (!add_events(sampling, *text, err))
			return false;
	}
	if (!sampling->events.len) {
		event_default(options->frequency, &standard);
		vec_push(&sampling->events, standard);
	}
	vec_foreach (event, &sampling->events)
		event->is_steady = options->frequency_is_asked;
	return !(options->off_cpu || options->wakers) || add_waits(sampling, err);
}

void sampling_describe(const struct sampling *sampling, struct str *settings)
{
	const struct record_sampling *options = sampling->options;

	str_append(settings, settings->len ? " --event=" : "--event=");
	vec_foreach (event, &sampling->events) {
		str_printf(settings, "%s%s", event == sampling->events.data ? "" : ",",
			   event->name);
		if (event->period)
			str_printf(settings, ":%ju", (uintmax_t)event->period);
	}
	str_printf(settings, " --frequency=%ju --unwind=%s", (uintmax_t)options->frequency,
		   options->by_frame_pointer ? "fp" : "dwarf");
	if (options->wakers)
		str_append(settings, " --wakers");
	if (!options->kernel)
		str_append(settings, " --no-kernel");
	for (size_t i = 0; i < options->pid_count; i++)
		str_printf(settings, "%s%u", i ? "," : " --pid=", options->pids[i]);
	if (options->everything)
		str_append(settings, " --all");
	if (options->duration_s > 0)
		str_printf(settings, " --duration=%g", options->duration_s);
}

/* ---- beginning ---- */

static struct sampler *open_sampler(struct sampling *sampling, uint32_t command_pid,
				    struct error *err)
{
	const struct record_sampling *from = sampling->options;
	struct sampler_options options = {
		.events = sampling->events.data,
		.event_count = sampling->events.len,
		.kernel = from->kernel,
		.wakers = from->wakers,
		.by_frame_pointer = from->by_frame_pointer,
		.sink = sample_collect_sink(sampling->collect),
	};

	if (from->everything) {
		options.target = command_pid ? &command_pid : NULL;
		options.target_count = command_pid != 0;
		return sampler_open_everything(&options, err);
	}
	return command_pid ? sampler_open_command(&options, command_pid, err)
			   : sampler_open_running(&options, from->pids, from->pid_count, err);
}

/* The frequency that the kernel lets the event be sampled at. */
static uint64_t frequency_of(const struct sampling *sampling, const struct event *event)
{
	const uint64_t limit = sampler_frequency_limit(sampling->sampler);

	if (event->period)
		return 0;
	return limit && limit < event->frequency ? limit : event->frequency;
}

static void log_events(struct sampling *sampling)
{
	vec_foreach (event, &sampling->events) {
		const struct sample_log_event row = {.period = event->period,
						     .frequency = frequency_of(sampling, event),
						     .name = event->name,
						     .unit = event_unit(event)};
		sample_log_put_event(&sampling->log, &row);
	}
}

/* What is not as it was asked for. */
static void put_reason(const struct sampling *sampling, struct recording *recording)
{
	const uint64_t limit = sampler_frequency_limit(sampling->sampler);
	const char *no_wakers = sampler_no_wakers(sampling->sampler);
	struct str text = {0};

	if (limit)
		str_printf(&text,
			   "kernel.perf_event_max_sample_rate allows %ju samples per second "
			   "instead of %ju",
			   (uintmax_t)limit, (uintmax_t)sampling->options->frequency);
	if (no_wakers)
		str_printf(&text, "%snobody knows who ended waits: %s", limit ? "; " : "",
			   no_wakers);
	if (sampler_counts(sampling->sampler)->borrowed)
		str_printf(
			&text,
			"%sthreads switched so often that %ju of %ju samples are waits with their "
			"own time and the stack of another wait of the thread, of like length",
			text.len ? "; " : "",
			(uintmax_t)sampler_counts(sampling->sampler)->borrowed,
			(uintmax_t)sampler_counts(sampling->sampler)->samples);
	if (sampler_counts(sampling->sampler)->borrowed_wakers)
		str_printf(&text, "; of %ju of them also with who ended such a wait",
			   (uintmax_t)sampler_counts(sampling->sampler)->borrowed_wakers);
	if (text.len)
		recording_put_text(recording, "sampling_reason", text.data);
	str_fini(&text);
}

bool sampling_start(struct sampling *sampling, const struct sampling_begin *begin,
		    struct error *err)
{
	struct recording *recording = begin->recording;
	const struct record_sampling *options = sampling->options;

	sampling->jit = jit_files_new();
	sampling->session_fd = begin->session->fd;
	const struct sample_collect_options collect = {
		.log = &sampling->log,
		.sampled_only = options->everything,
		.live = true,
		.jit = sampling->jit,
		.only = begin->follow	     ? NULL
			: begin->command_pid ? &begin->command_pid
					     : options->pids,
		.only_count = begin->command_pid ? 1 : options->pid_count,
	};

	if (!sample_log_create(&sampling->log, begin->session->fd, begin->limit_bytes, err))
		return false;
	sampling->collect = sample_collect_new(&collect);
	sampling->sampler = open_sampler(sampling, begin->command_pid, err);
	if (!sampling->sampler)
		return false;
	log_events(sampling);
	put_reason(sampling, recording);
	recording_put_text(recording, "collector", "perf");
	recording_put_text(recording, "unwinding", options->by_frame_pointer ? "fp" : "rules");
	recording_put_number(recording, "sampled_kernel",
			     options->kernel && !sampler_no_kernel(sampling->sampler));
	return true;
}

/* ---- while it goes on ---- */

int sampling_descriptor(const struct sampling *sampling)
{
	return sampling->sampler ? sampler_descriptor(sampling->sampler) : -1;
}

static void log_counts(struct sampling *sampling)
{
	const struct sampler_counts *from = sampler_counts(sampling->sampler);
	const uint64_t left_out = sample_collect_left_out(sampling->collect);
	const struct sample_log_counts counts = {
		.samples = from->samples - left_out,
		.discarded = from->discarded + left_out,
		.lost = from->lost,
		.throttled = from->throttled,
		.unreadable = from->unknown,
		.without_room = sample_collect_without_room(sampling->collect),
	};

	sample_log_put_counts(&sampling->log, &counts);
}

void sampling_take(struct sampling *sampling)
{
	if (!sampling->sampler)
		return;
	const struct sampler_counts before = *sampler_counts(sampling->sampler);
	sampler_poll(sampling->sampler, 0);
	if (memcmp(&before, sampler_counts(sampling->sampler), sizeof(before)) != 0)
		log_counts(sampling);
	sample_log_flush(&sampling->log);
}

uint64_t sampling_samples(const struct sampling *sampling)
{
	return sampling->sampler ? sampler_counts(sampling->sampler)->samples -
					   sample_collect_left_out(sampling->collect)
				 : 0;
}

bool sampling_is_over(const struct sampling *sampling)
{
	return !sampling->sampler || sampler_is_over(sampling->sampler);
}

/* Times go by the samples of the first event. */
static bool has_costly_interrupts(const struct sampling *sampling)
{
	return event_is_by_timer(&sampling->events.data[0]) &&
	       sampling_samples(sampling) >= WORTH_MEASURING;
}

void sampling_stop(struct sampling *sampling, struct recording *recording, bool with_clock)
{
	if (!sampling->sampler)
		return;
	sampler_stop(sampling->sampler);
	log_counts(sampling);
	put_reason(sampling, recording);
	sample_log_close(&sampling->log);
	jit_files_keep(sampling->jit, sampling->session_fd);
	if (sampling->log.unwritten)
		recording_put_number(recording, "samples_unwritten",
				     (int64_t)sampling->log.unwritten);
	const bool costly = with_clock && has_costly_interrupts(sampling);
	const bool kernel = sampling->options->kernel && !sampler_no_kernel(sampling->sampler);
	sampler_close(sampling->sampler);
	sampling->sampler = NULL;
	if (costly)
		recording_put_number(recording, "interrupt_ns", (int64_t)interrupt_cost_ns(kernel));
}

void sampling_fini(struct sampling *sampling)
{
	sampler_close(sampling->sampler);
	sampling->sampler = NULL;
	sample_collect_free(sampling->collect);
	sampling->collect = NULL;
	jit_files_free(sampling->jit);
	sampling->jit = NULL;
	sample_log_close(&sampling->log);
	vec_fini(&sampling->events);
}
