/* A process file becomes rows: the process, what was disarmed, what was not followed. */
#include "assemble/private.h"
#include "assemble/process_name.h"

#include "assemble/unfollowed.h"
#include "session/job_rank.h"

#include <inttypes.h>
#include <string.h>

static bool is_running(struct assembly *assembly, const struct assemble_process *process)
{
	if (!assembly->members_known)
		members_find(assembly->session->directory, &assembly->members);
	assembly->members_known = true;
	return members_have(&assembly->members, process->name, process->file.header.pid);
}

static void note_losses(struct assembly *assembly, const struct tare_process_file *header)
{
#define LOSS(name, since, line, place, key, words, what, named, fate)                              \
	{                                                                                          \
		what, fate, named                                                                  \
	}
	static const struct {
		const char *what, *fate;
		bool named;
	} losses[] = {TARE_PROCESS_LOSSES(LOSS)};
#undef LOSS

	for (size_t i = 0; i < TABLE_COUNT(losses); i++)
		if (header->process_losses[i] && losses[i].what)
			assembly_add_reason(assembly, "%" PRIu64 " %s %" PRId32 "%s%s%s %s",
					    header->process_losses[i], losses[i].what, header->pid,
					    losses[i].named ? " (" : "",
					    losses[i].named ? header->command : "",
					    losses[i].named ? ")" : "", losses[i].fate);
}

static void add_process_reason(struct assembly *assembly, const struct tare_process_file *header,
			       const char *what)
{
	assembly_add_reason(assembly, "process %" PRId32 " (%s) %s", header->pid, header->command,
			    what);
}

static void note_process_state(struct assembly *assembly, const struct assemble_process *process)
{
	const struct process_file *file = &process->file;
	const struct tare_process_file *header = &file->header;

	if (file->damaged)
		assembly_add_reason(assembly,
				    "the data of process %" PRId32 " are damaged in %" PRIu64
				    " places",
				    header->pid, file->damaged);
	note_losses(assembly, header);
	if (header->images_unreached)
		assembly_add_reason(
			assembly,
			"%" PRIu64 " programs that process %" PRId32
			" (%s) executed could not be recorded: its root, user or filters keep "
			"them from the session",
			header->images_unreached, header->pid, header->command);
	if (header->flags & TARE_PROCESS_BLINDED)
		add_process_reason(assembly, header,
				   header->flags & TARE_PROCESS_CALLS_TAKEN
					   ? "hands system calls to its own handler, and was "
					     "recorded until then"
					   : "gave up the right to read the clock, and was "
					     "recorded until then");
	if (header->flags & TARE_PROCESS_UNREADY)
		add_process_reason(assembly, header,
				   "never set up thread-local storage, so none of it was recorded");
	if (header->flags & TARE_PROCESS_ENDED)
		return;
	if (assembly->recording->is_snapshot && process->running) {
		assembly->assembled->running++;
		return;
	}
	if (process->running) {
		assembly->assembled->running++;
		add_process_reason(assembly, header, "was still running");
	} else if (!(header->os_means & TARE_OS_BY_SITES)) {
		add_process_reason(assembly, header,
				   "ended unseen: none of its system calls is instrumented");
	} else {
		add_process_reason(assembly, header, "was killed");
	}
}

/* One function may have several call targets: its own entry, and stubs that lead to it. */
static bool write_disarmed(struct assembly *assembly, struct assemble_process *process,
			   struct error *err)
{
	vec_foreach (record, &process->file.disarmed) {
		const struct resolve_time time = {
			record->ticks, record->ticks,
			process_file_modules_at(&process->file, record->ticks)};
		struct resolve_target target = {0};

		vec_push(&assembly->assembled->disarmed, *record);
		if (record->what != TARE_DISARM_FUNCTION)
			continue;
		if (!resolve_key(&assembly->resolver, &process->resolve, record->key, &time,
				 &target, err))
			return false;
		const struct profile_disarm row = {.process = process->id,
						   .function = target.function,
						   .ticks = record->ticks,
						   .calls = record->calls};
		if (!profile_add_disarm(assembly->writer, &row, err))
			return false;
	}
	return true;
}

/*
 * Does a process run whose end is not in its file? One that does not may have ended since the file
 * was read, so that is looked at once more.
 */
static void settle_end(struct assembly *assembly, struct assemble_process *process)
{
	struct tare_process_file *header = &process->file.header, now;

	if (header->flags & TARE_PROCESS_ENDED)
		return;
	process->running = is_running(assembly, process);
	if (process->running ||
	    session_file_head(assembly->session->fd, process->name, &now, sizeof(now)) !=
		    sizeof(now) ||
	    !(now.flags & TARE_PROCESS_ENDED) || now.end_ticks >> 62)
		return;
	header->flags |= TARE_PROCESS_ENDED;
	header->end_ticks = now.end_ticks;
}

const char *assembly_executable(const struct assemble_process *process)
{
	return process->resolve.loaded.len ? process->resolve.loaded.data[0].module->path
					   : process->file.header.command;
}

bool assembly_write_process(struct assembly *assembly, struct assemble_process *process,
			    struct error *err)
{
	const struct tare_process_file *header = &process->file.header;

	settle_end(assembly, process);
	if (!resolve_process_init(&assembly->resolver, &process->resolve, &process->file, err))
		return false;
	const char *executable = assembly_executable(process);
	struct profile_process row = {
		.pid = header->pid,
		.parent_pid = header->parent_pid,
		.name = process_name_choose(executable, header->command),
		.executable = executable,
		.begin_ticks = header->begin_ticks,
		.end_ticks = header->end_ticks,
		.forked = header->flags & TARE_PROCESS_FORKED,
		.ended = header->flags & TARE_PROCESS_ENDED,
		.os_means = header->os_means,
		.limits = header->limits,
		.begin_calibration = header->begin_calibration,
		.end_calibration = header->end_calibration,
		.host = assembly->recording->host,
		.launcher = job_rank_launcher(header->rank.launcher),
		.rank = header->rank.rank,
		.ranks = header->rank.size,
	};
	memcpy(row.cost_ticks, header->cost_ticks, sizeof(row.cost_ticks));
	memcpy(row.process_losses, header->process_losses, sizeof(row.process_losses));
	row.images_unfollowed += unfollowed_in_emulator(&row);
	process->id = profile_add_process(assembly->writer, &row, err);
	const struct sample_known_process known = {process->id, row.pid, row.begin_ticks,
						   &header->control};
	vec_push(&assembly->known_processes, known);
	note_process_state(assembly, process);
	assembly->assembled->processes++;
	return process->id != 0 && write_disarmed(assembly, process, err) &&
	       unfollowed_write(assembly->writer, &row, process->id, &process->file, err);
}
