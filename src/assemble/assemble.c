/*
 * Assembling the profile.
 *
 *   session directory ─▶ process files, by begin ─▶ process rows, modules
 *                     ├▶ thread files, each to the process file that it names ─▶ node and OS rows
 *                     └▶ counters, samples, the recording itself
 *
 * Refuses nothing as a whole but a failing output: an unreadable file is a reason why the profile
 * is partial, and the others count.
 */
#include "assemble/assemble.h"

#include "assemble/cpu_use.h"
#include "assemble/private.h"
#include "assemble/session_marks.h"
#include "assemble/timer_assemble.h"
#include "assemble/unfollowed.h"
#include "base/file_view.h"
#include "resolve/symbolize.h"
#include "session/thread_part.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_SECOND 1e9

/* ---- counters ---- */

static bool assemble_counters(struct assembly *assembly, const char *name, struct error *err)
{
	struct error reason;
	struct counted_file file = {.fd = -1};

	if (!counted_file_read(&file, assembly->session->fd, name, &reason)) {
		if (file.fd < 0 || file.header.magic) /* the magic number comes last */
			assembly_add_reason(assembly, "%s", reason.message);
		counted_file_fini(&file);
		return true;
	}
	struct assemble_process *process =
		assembly_process_of(assembly, file.header.pid, file.header.process_begin_ticks);
	bool ok = true;

	if (process) {
		const struct counted_process counted = {.resolver = &assembly->resolver,
							.resolve = &process->resolve,
							.id = process->id,
							.threads = assembly->rows.data,
							.thread_count = assembly->rows.len,
							.dir_fd = assembly->session->fd,
							.learned = &assembly->learned,
							.notes = &assembly->counted_notes,
							.file = &process->file,
							.executions = &assembly->executions};
		ok = counted_write(&file, &counted, err);
		if (file.damaged)
			assembly_add_reason(assembly,
					    "the counters of process %" PRId32
					    " are damaged in %" PRIu64 " places",
					    file.header.pid, file.damaged);
	} else if (assembly->recording->follow) {
		assembly_add_reason(assembly, "%s belongs to no process file", name);
	}
	counted_file_fini(&file);
	return ok;
}

static bool assemble_all_counters(struct assembly *assembly, struct error *err)
{
	vec_foreach (name, &assembly->counters)
		if (!assemble_counters(assembly, *name, err))
			return false;
	const struct executions *executions = &assembly->executions;
	if (executions->damaged)
		assembly_add_reason(assembly,
				    "the counters of %" PRIu64
				    " modules and threads do not tell their executions",
				    executions->damaged);
	if (executions->shared)
		assembly_add_reason(
			assembly,
			"executions in %" PRIu64
			" modules of processes whose threads count in one place, as the "
			"program uses %%gs itself, are not known",
			executions->shared);
	return executions_finish(&assembly->executions, err);
}

/* ---- the runtime's own samples ---- */

/* Of a thread that has run at the same time; NULL: it has no row. */
static const struct sample_known_thread *thread_row_of(const struct assembly *assembly,
						       int64_t process,
						       const struct tare_timer_file *header)
{
	vec_foreach (row, &assembly->rows)
		if (row->process == process && row->tid == header->tid &&
		    (!header->end_ticks || row->begin_ticks < header->end_ticks) &&
		    (!row->end_ticks || row->end_ticks > header->begin_ticks))
			return row;
	return NULL;
}

static bool assemble_timer(struct assembly *assembly, struct timer_assembly *timer,
			   struct timer_reader *reader, struct error *err)
{
	const struct tare_timer_file *header = &reader->header;
	const struct assemble_process *process =
		assembly_process_of(assembly, header->pid, header->process_begin_ticks);

	if (!process) {
		if (assembly->recording->follow)
			assembly_add_reason(assembly,
					    "samples of thread %" PRId32 " belong to no process",
					    header->tid);
		return true;
	}
	const struct timer_process of = {.id = process->id,
					 .resolve = &process->resolve,
					 .end_ticks = process->file.header.end_ticks};

	if (!timer->event && !timer_assemble_begin(timer, header->period_ns, err))
		return false;
	assembly->assembled->threads++;
	const struct sample_known_thread *row = thread_row_of(assembly, process->id, header);
	if (row)
		sample_builder_clock(timer->builder, row);
	return timer_assemble_thread(timer, reader, &of, row, err);
}

static bool assemble_timer_files(struct assembly *assembly, struct timer_assembly *timer,
				 struct error *err)
{
	struct timer_reader *reader = mem_zalloc(sizeof(*reader));
	struct error reason;
	bool ok = true;

	vec_foreach (name, &assembly->timers) {
		uint64_t magic = 0;
		if (session_file_head(assembly->session->fd, *name, &magic, sizeof(magic)) >= 0 &&
		    !magic)
			continue;
		if (!timer_reader_open(reader, assembly->session->fd, *name, &reason)) {
			assembly_add_reason(assembly, "%s", reason.message);
			continue;
		}
		ok = assemble_timer(assembly, timer, reader, err);
		timer_reader_close(reader);
		if (!ok)
			break;
	}
	free(reader);
	return ok;
}

/*
 * What a sample took, on average: the handler, and the kernel. 0 where the recorder did not measure
 * the latter, as nothing goes by samples, or they are few.
 */
static uint64_t timer_interrupt_ns(const struct recording *recording,
				   const struct timer_counts *counts)
{
	struct clock_rate rate;
	struct error ignored;

	if (!recording->timer_ns || counts->periods <= 0 ||
	    !clock_rate_compute(&recording->clock, &rate, &ignored))
		return 0;
	const double took_ns = counts->handler_ticks * NS_PER_SECOND / rate.ticks_per_second +
			       counts->signals * (double)recording->timer_ns +
			       counts->tick_signals * (double)recording->signal_ns;
	const double each_ns = took_ns / counts->periods;

	return each_ns < NS_PER_SECOND ? (uint64_t)each_ns : 0;
}

static void learn_samples(struct assembly *assembly, const struct sample_builder_counts *built)
{
	learning_add_samples(&assembly->learning, built->samples + built->in_runtime,
			     built->in_runtime);
}

static bool assemble_timers(struct assembly *assembly, struct error *err)
{
	if (!assembly->timers.len)
		return true;
	struct timer_assembly timer = {
		.resolver = &assembly->resolver,
		.writer = assembly->writer,
		.builder = sample_builder_new(&assembly->resolver, assembly->writer)};
	bool ok = assemble_timer_files(assembly, &timer, err);
	const struct profile_sampling row = {
		.collector = "timer",
		.reason = assembly->recording->timer_reason,
		.unwinding = "rules",
		.interrupt_ns = timer_interrupt_ns(assembly->recording, &timer.counts),
		.lost = timer.counts.lost};

	assembly_take_last_ticks(assembly, timer.counts.last_ticks);
	if (timer.counts.damaged)
		assembly_add_reason(assembly, "the samples are damaged in %" PRIu64 " places",
				    timer.counts.damaged);
	if (timer.counts.unsampled_ns)
		assembly_add_reason(
			assembly,
			"%.3f ms of processor time were not sampled: signal stacks of the "
			"program have no room for the timers' signal",
			(double)timer.counts.unsampled_ns / 1e6);
	learn_samples(assembly, sample_builder_counts(timer.builder));
	ok = ok && sample_builder_write(timer.builder, row, err);
	timer_assemble_end(&timer);
	sample_builder_free(timer.builder);
	return ok;
}

/* ---- samples of a sampler ---- */

static void note_samples(struct assembly *assembly, const struct sample_output *samples)
{
	const struct recording *recording = assembly->recording;

	assembly->assembled->processes += samples->processes;
	assembly->assembled->threads += samples->threads;
	assembly_take_last_ticks(assembly, samples->last_ticks);
	learn_samples(assembly, &samples->built);
	if (samples->damaged && !recording->is_snapshot && recording->exited &&
	    !recording->samples_unwritten)
		assembly_add_reason(assembly,
				    "the log of samples is damaged, and ends before its end");
	if (recording->samples_unwritten)
		assembly_add_reason(assembly, "%" PRIu64 " records of samples found no room",
				    recording->samples_unwritten);
	if (samples->counts.without_room)
		assembly_add_reason(assembly, "the stacks of %" PRIu64 " samples found no room",
				    samples->counts.without_room);
}

static bool write_samples(struct assembly *assembly, struct error *err)
{
	struct sample_output samples = {0};
	struct sample_input input = {
		.recording = assembly->recording,
		.resolver = &assembly->resolver,
		.writer = assembly->writer,
		.processes = assembly->known_processes.data,
		.process_count = assembly->known_processes.len,
		.threads = assembly->rows.data,
		.thread_count = assembly->rows.len,
	};
	struct file_view log = {0};
	struct error reason;
	char path[64];

	if (strcmp(assembly->recording->collector, "perf") != 0)
		return true;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/" SAMPLE_LOG_NAME, assembly->session->fd);
	if (!file_view_open(&log, path, &reason)) {
		assembly_add_reason(assembly, "there is no log of samples");
		return true;
	}
	input.log = log.data;
	input.log_bytes = log.size;
	const bool ok = sample_assemble(&input, &samples, err);
	note_samples(assembly, &samples);
	vec_append(&assembly->known_processes, samples.rows.data, samples.rows.len);
	vec_fini(&samples.rows);
	file_view_close(&log);
	return ok;
}

/* ---- session ---- */

static bool write_session(struct assembly *assembly, struct error *err)
{
	const struct recording *recording = assembly->recording;
	struct clock_rate rate;

	if (!clock_rate_compute(&recording->clock, &rate, err))
		return error_prefix(err, "times cannot be converted");
	if (recording->is_snapshot)
		assembly_add_reason(assembly, "a snapshot of a recording that went on");
	else if (!recording->exited)
		assembly_add_reason(assembly, "the recorder was killed");
	if (recording->failed)
		assembly_add_reason(assembly, "the recorder's own notes found no room");
	if (!assembly->assembled->processes)
		assembly_add_reason(assembly, "no process left any data");
	struct str settings = {0};
	str_append(&settings, recording->settings);
	thread_fold_describe(&assembly->folded, &settings);
	const uint64_t last_ticks = assembly->last_ticks > recording->begin_ticks
					    ? assembly->last_ticks
					    : recording->begin_ticks;
	const struct profile_session row = {
		.command_line = recording->command_line,
		.directory = recording->directory,
		.host = recording->host,
		.system = recording->system,
		.processor = recording->processor,
		.tare_version = TARE_VERSION,
		.method = *recording->method ? recording->method : "instrument",
		.settings = settings.data,
		.begin_unix_ns = recording->begin_unix_ns,
		.begin_ticks = recording->begin_ticks,
		.end_ticks = recording->end_ticks ? recording->end_ticks : last_ticks,
		.ticks_per_second = rate.ticks_per_second,
		.clock_drift_ppm = rate.drift_ppm,
		.exit_status = (int)recording->exit_status,
		.complete = assembly->assembled->complete,
		.incomplete_reason = assembly->assembled->reason.data,
	};
	const bool ok = profile_write_session(assembly->writer, &row, err);
	str_fini(&settings);
	return ok;
}

static bool write_cpu_use(struct assembly *assembly, struct error *err)
{
	const struct recording *recording = assembly->recording;
	const struct cpu_use_input input = {
		.session_fd = assembly->session->fd,
		.recording = recording,
		.processes = assembly->known_processes.data,
		.process_count = assembly->known_processes.len,
		.end_ticks = recording->end_ticks ? recording->end_ticks : assembly->last_ticks,
	};

	return cpu_use_assemble(&input, assembly->writer, err);
}

static bool assemble_rows(struct assembly *assembly, struct error *err)
{
	vec_foreach (process, &assembly->processes) {
		if (!assembly_write_process(assembly, process, err))
			return false;
	}
	return assembly_write_threads(assembly, err) &&
	       holders_write(&assembly->holders, assembly->writer, err) &&
	       unfollowed_write_guests(assembly->writer, assembly->recording->guests, err) &&
	       assemble_all_counters(assembly, err) && assemble_timers(assembly, err) &&
	       write_samples(assembly, err) &&
	       session_marks_write(assembly->session->fd, assembly->writer, err) &&
	       write_cpu_use(assembly, err) && symbolize_profile(&assembly->resolver, err) &&
	       resolver_write_coverage(&assembly->resolver, err) && write_session(assembly, err);
}

bool assemble_profile(const struct session *session, const struct recording *recording,
		      struct profile_writer *writer, struct assembled *assembled, struct error *err)
{
	struct assembly assembly = {.session = session,
				    .recording = recording,
				    .writer = writer,
				    .assembled = assembled,
				    .next_node = 1,
				    .span_ticks = recording_span_ticks(recording)};

	*assembled = (struct assembled){.complete = true};
	resolver_init(&assembly.resolver, recording, writer);
	assembly.resolver.jit_directory = session->directory;
	executions_init(&assembly.executions, &assembly.resolver);
	const bool ok = assembly_find_files(&assembly, err) && assemble_rows(&assembly, err);
	if (ok)
		learning_judge(&assembly.learning, &assembly.resolver, &assembled->disarmed);
	vec_foreach (process, &assembly.processes) {
		resolve_process_fini(&process->resolve);
		process_file_fini(&process->file);
		free(process->name);
	}
	members_fini(&assembly.members);
	vec_foreach (thread, &assembly.threads)
		free(thread->name);
	vec_fini(&assembly.processes);
	vec_foreach (name, &assembly.timers)
		free(*name);
	vec_fini(&assembly.threads);
	vec_foreach (name, &assembly.counters)
		free(*name);
	vec_fini(&assembly.counters);
	vec_fini(&assembly.timers);
	vec_fini(&assembly.rows);
	counted_notes_fini(&assembly.counted_notes);
	vec_fini(&assembly.known_processes);
	counted_learned_fini(&assembly.learned);
	learning_fini(&assembly.learning);
	executions_fini(&assembly.executions);
	holders_fini(&assembly.holders);
	resolver_fini(&assembly.resolver);
	return ok;
}

void assembled_fini(struct assembled *assembled)
{
	str_fini(&assembled->reason);
	vec_fini(&assembled->disarmed);
}
