/*
 * Assembling the profile.
 *
 *   session directory ─▶ process files, by begin ─▶ process rows, modules
 *                     └▶ thread files, each to the process file that it names
 *                          └▶ tree: sums, overhead, pruning ─▶ node and OS rows
 *
 * Refuses nothing as a whole but a failing output: an unreadable file is a reason why the profile
 * is partial, and the others count.
 */
#include "assemble/assemble.h"

#include "assemble/counted.h"
#include "assemble/cpu_use.h"
#include "assemble/path_room.h"
#include "assemble/sample_assemble.h"
#include "assemble/session_marks.h"
#include "assemble/thread_ahead.h"
#include "assemble/thread_fold.h"
#include "assemble/thread_tree.h"
#include "assemble/timer_assemble.h"
#include "assemble/trace_log.h"
#include "assemble/unfollowed.h"
#include "resolve/resolve.h"
#include "resolve/symbolize.h"
#include "session/members.h"
#include "session/thread_part.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REASON_BYTES_MAX = 2000 };

struct assemble_process {
	char *name; /* of its file */
	bool running;
	struct process_file file;
	struct resolve_process resolve;
	int64_t id; /* in the profile; 0: left out */
};

/* A thread file whose header was read, to be sorted. */
struct assemble_thread {
	char *name;
	int32_t pid, tid;
	uint64_t begin_ticks;
	struct path_claim claim;
};

struct assembly {
	const struct session *session;
	const struct recording *recording;
	struct profile_writer *writer;
	struct assembled *assembled;
	struct resolver resolver;
	struct vec_of(struct assemble_process) processes; /* by begin */
	struct vec_of(struct assemble_thread) threads;	  /* by process begin, then own begin */
	struct vec_of(char *) timers;			  /* names of files of samples */
	struct vec_of(char *) counters;			  /* the same of counters */
	struct vec_of(struct sample_known_process) known_processes; /* rows written */
	struct vec_of(struct sample_known_thread) rows;
	struct counted_pointers by_pointer;
	struct member_list members; /* looked for where an end was not seen */
	bool members_known;
	int64_t next_node;
	uint64_t last_ticks; /* of all threads: the end where the recorder saw none */
	uint64_t span_ticks; /* what the recording can have taken; 0: not known */
	struct thread_fold_sums folded;
};

__attribute__((format(printf, 2, 3))) static void add_reason(struct assembly *assembly,
							     const char *format, ...)
{
	struct str *reason = &assembly->assembled->reason;
	char sentence[ERROR_MESSAGE_BYTES];
	va_list args;

	assembly->assembled->complete = false;
	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	if (reason->len + strlen(sentence) < REASON_BYTES_MAX)
		str_printf(reason, "%s%s", reason->len ? "; " : "", sentence);
}

/* ---- finding the files ---- */

static void take_process_file(struct assembly *assembly, const char *name)
{
	struct error err;
	struct assemble_process process = {0};
	const struct recording *recording = assembly->recording;

	if (!process_file_read(&process.file, assembly->session->fd, name, &err)) {
		add_reason(assembly, "%s", err.message);
		return;
	}
	process_file_bound(&process.file, assembly->span_ticks,
			   (uint64_t)sysconf(_SC_NPROCESSORS_CONF));
	if (!recording->follow && process.file.header.pid != recording->command_pid) {
		process_file_fini(&process.file);
		return;
	}
	process.name = mem_strdup(name);
	vec_push(&assembly->processes, process);
}

static void take_thread_file(struct assembly *assembly, const char *name)
{
	struct tare_thread_file header = {0};

	if (session_file_head(assembly->session->fd, name, &header, sizeof(header)) !=
	    sizeof(header)) {
		add_reason(assembly, "%s is cut off", name);
		return;
	}
	const struct assemble_thread thread = {.name = mem_strdup(name),
					       .pid = header.pid,
					       .tid = header.tid,
					       .begin_ticks = header.begin_ticks,
					       .claim = {.paths = header.node_count,
							 .ticks = header.now_ticks -
								  header.blocked_ticks -
								  header.preempted_ticks}};
	vec_push(&assembly->threads, thread);
}

/*
 * By the magic number, which comes last when a file is made: one without was laid aside and never
 * needed, or its process was killed before it did anything that is recorded.
 */
static void take_file(struct assembly *assembly, const char *name)
{
	uint64_t magic = 0;

	if (session_file_head(assembly->session->fd, name, &magic, sizeof(magic)) >= 0 && !magic)
		return;
	if (magic == TARE_PROCESS_MAGIC || str_starts_with(name, "process."))
		take_process_file(assembly, name);
	else
		take_thread_file(assembly, name);
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_processes(const void *a, const void *b)
{
	const struct assemble_process *x = a, *y = b;
	const int by_begin = compare_u64(x->file.header.begin_ticks, y->file.header.begin_ticks);

	return by_begin ? by_begin : x->file.header.pid - y->file.header.pid;
}

static int compare_threads(const void *a, const void *b)
{
	const struct assemble_thread *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	const int by_begin = compare_u64(x->begin_ticks, y->begin_ticks);
	return by_begin ? by_begin : strcmp(x->name, y->name);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void share_room(struct assembly *assembly)
{
	struct vec_of(struct path_claim *) claims = {0};

	vec_foreach (thread, &assembly->threads)
		vec_push(&claims, &thread->claim);
	path_room_share(claims.data, claims.len, assembly->recording->max_paths);
	vec_fini(&claims);
}

static bool find_files(struct assembly *assembly, struct error *err)
{
	const int fd = openat(assembly->session->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);

	if (!directory) {
		error_set_errno(err, errno, "cannot read %s", assembly->session->directory);
		if (fd >= 0)
			close(fd);
		return false;
	}
	for (const struct dirent *file; (file = readdir(directory));) {
		if (str_starts_with(file->d_name, "process.") ||
		    str_starts_with(file->d_name, "thread.") ||
		    str_starts_with(file->d_name, "spare."))
			take_file(assembly, file->d_name);
		if (str_starts_with(file->d_name, "timer."))
			vec_push(&assembly->timers, mem_strdup(file->d_name));
		if (str_starts_with(file->d_name, TARE_COUNTERS_NAME))
			vec_push(&assembly->counters, mem_strdup(file->d_name));
	}
	closedir(directory);
	vec_sort(&assembly->processes, compare_processes);
	vec_sort(&assembly->threads, compare_threads);
	vec_sort(&assembly->timers, compare_names);
	vec_sort(&assembly->counters, compare_names);
	share_room(assembly);
	return true;
}

/* ---- processes ---- */

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
			add_reason(assembly, "%" PRIu64 " %s %" PRId32 "%s%s%s %s",
				   header->process_losses[i], losses[i].what, header->pid,
				   losses[i].named ? " (" : "",
				   losses[i].named ? header->command : "",
				   losses[i].named ? ")" : "", losses[i].fate);
}

static void note_process_state(struct assembly *assembly, const struct assemble_process *process)
{
	const struct process_file *file = &process->file;
	const struct tare_process_file *header = &file->header;

	if (file->damaged)
		add_reason(assembly,
			   "the data of process %" PRId32 " are damaged in %" PRIu64 " places",
			   header->pid, file->damaged);
	note_losses(assembly, header);
	if (header->images_unreached)
		add_reason(assembly,
			   "%" PRIu64 " programs that process %" PRId32
			   " (%s) executed could not be recorded: its root, user or filters keep "
			   "them from the session",
			   header->images_unreached, header->pid, header->command);
	if (header->flags & TARE_PROCESS_BLINDED)
		add_reason(assembly,
			   "process %" PRId32
			   " (%s) gave up the right to read the clock, and was recorded until then",
			   header->pid, header->command);
	if (header->flags & TARE_PROCESS_UNREADY)
		add_reason(assembly,
			   "process %" PRId32
			   " (%s) never set up thread-local storage, so none of it was recorded",
			   header->pid, header->command);
	if (header->flags & TARE_PROCESS_ENDED)
		return;
	if (assembly->recording->is_snapshot && process->running) {
		assembly->assembled->running++;
		return;
	}
	if (process->running) {
		assembly->assembled->running++;
		add_reason(assembly, "process %" PRId32 " (%s) was still running", header->pid,
			   header->command);
	} else if (header->os_means && !(header->os_means & TARE_OS_BY_SITES)) {
		add_reason(assembly,
			   "process %" PRId32
			   " (%s) ended unseen: none of its system calls is instrumented",
			   header->pid, header->command);
	} else {
		add_reason(assembly, "process %" PRId32 " (%s) was killed", header->pid,
			   header->command);
	}
}

/* The modules that had been opened by then. */
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

static bool write_process(struct assembly *assembly, struct assemble_process *process,
			  struct error *err)
{
	const struct tare_process_file *header = &process->file.header;
	const char *executable = header->command;

	settle_end(assembly, process);
	if (!resolve_process_init(&assembly->resolver, &process->resolve, &process->file, err))
		return false;
	if (process->resolve.loaded.len)
		executable = process->resolve.loaded.data[0].module->path;
	struct profile_process row = {
		.pid = header->pid,
		.parent_pid = header->parent_pid,
		.name = path_basename(executable),
		.executable = executable,
		.begin_ticks = header->begin_ticks,
		.end_ticks = header->end_ticks,
		.forked = header->flags & TARE_PROCESS_FORKED,
		.ended = header->flags & TARE_PROCESS_ENDED,
		.os_means = header->os_means,
		.limits = header->limits,
		.begin_calibration = header->begin_calibration,
		.end_calibration = header->end_calibration,
	};
	memcpy(row.cost_ticks, header->cost_ticks, sizeof(row.cost_ticks));
	memcpy(row.process_losses, header->process_losses, sizeof(row.process_losses));
	row.images_unfollowed += unfollowed_in_emulator(&row);
	process->id = profile_add_process(assembly->writer, &row, err);
	const struct sample_known_process known = {process->id, row.pid, row.begin_ticks};
	vec_push(&assembly->known_processes, known);
	note_process_state(assembly, process);
	assembly->assembled->processes++;
	return process->id != 0 && write_disarmed(assembly, process, err) &&
	       unfollowed_write(assembly->writer, &row, process->id, &process->file, err);
}

static struct assemble_process *process_of(struct assembly *assembly, int32_t pid,
					   uint64_t begin_ticks)
{
	vec_foreach (process, &assembly->processes) {
		if (process->file.header.pid == pid &&
		    process->file.header.begin_ticks == begin_ticks)
			return process;
	}
	return NULL;
}

/* ---- threads ---- */

struct thread_rows {
	struct thread_file *file;
	struct assemble_process *process;
	struct tree tree;
	struct thread_fold fold;
	struct resolve_target *targets; /* per node */
	int64_t *call_sites;		/* per node: location id */
	int64_t *ids;			/* per node, 0: dropped */
	int64_t thread;			/* id */
};

static bool resolve_nodes(struct assembly *assembly, struct thread_rows *rows, struct error *err)
{
	const struct tare_thread_file *header = &rows->file->header;
	const struct resolve_time time = {header->begin_ticks, header->end_ticks,
					  header->modules_seen};

	for (size_t i = 1; i < rows->file->node_count; i++) {
		struct tree_node *node = &rows->tree.nodes[i];
		if (!node->keep)
			continue;
		if (!resolve_key(&assembly->resolver, &rows->process->resolve,
				 rows->file->nodes[i].key, &time, &rows->targets[i], err))
			return false;
		node->reports_enter = rows->targets[i].reports_enter;
		if (!resolve_call_site(&assembly->resolver, &rows->process->resolve,
				       rows->file->nodes[i].call_site, &time, &rows->call_sites[i],
				       err))
			return false;
	}
	return true;
}

static void take_last_ticks(struct assembly *assembly, uint64_t ticks)
{
	if (ticks > assembly->last_ticks && ticks >> 62 == 0)
		assembly->last_ticks = ticks;
}

static void note_thread_state(struct assembly *assembly, const struct thread_rows *rows)
{
	struct error err;
	const struct tare_thread_file *header = &rows->file->header;

	if (rows->file->damaged)
		add_reason(assembly,
			   "the data of thread %" PRId32 " are damaged in %" PRIu64 " places",
			   header->tid, rows->file->damaged);
	if (!tree_check_sums(&rows->tree, &err))
		add_reason(assembly, "thread %" PRId32 " was cut off: %s", header->tid,
			   err.message);
}

/* Of several threads that had the file one after the other, the last one's. */
static const char *thread_name(const struct thread_file *file, char *buffer, size_t size)
{
	const char *name = file->given_name ? file->given_name : file->header.name;

	if (!file->header.threads_before)
		return name;
	snprintf(buffer, size, "%.200s and %" PRIu32 " merged", name, file->header.threads_before);
	return buffer;
}

static bool write_thread(struct assembly *assembly, struct thread_rows *rows, struct error *err)
{
	const struct tare_thread_file *header = &rows->file->header;
	char name[256];
	struct profile_thread row = {
		.process = rows->process->id,
		.tid = header->tid,
		.name = thread_name(rows->file, name, sizeof(name)),
		.begin_ticks = header->begin_ticks,
		.end_ticks = header->end_ticks,
		.now_ticks = tree_clock(&rows->tree),
		.os_ticks = header->os_ticks,
		.blocked_ticks = header->blocked_ticks,
		.preempted_ticks = header->preempted_ticks,
		.own_ticks = header->own_ticks,
		.overhead_ticks = rows->tree.overhead_ticks,
		.limits = header->limits,
	};

	memcpy(row.thread_losses, header->thread_losses, sizeof(row.thread_losses));
	row.open_frames = rows->file->open_call_count;
	rows->thread = profile_add_thread(assembly->writer, &row, err);
	const struct sample_known_thread added = {.id = rows->thread,
						  .process = rows->process->id,
						  .tid = header->tid,
						  .begin_ticks = header->begin_ticks,
						  .end_ticks = header->end_ticks,
						  .shared = header->threads_before != 0};
	vec_push(&assembly->rows, added);
	note_thread_state(assembly, rows);
	take_last_ticks(assembly, header->now_ticks + header->lost_ticks);
	take_last_ticks(assembly, header->end_ticks);
	assembly->assembled->threads++;
	return rows->thread != 0;
}

static bool write_node(struct assembly *assembly, struct thread_rows *rows, size_t index,
		       struct error *err)
{
	const struct tare_node *from = &rows->file->nodes[index];
	const struct tree_node *node = &rows->tree.nodes[index];
	uint64_t lengths[TARE_CALL_BUCKETS];
	struct profile_node row = {
		.id = assembly->next_node,
		.thread = rows->thread,
		.parent = index ? rows->ids[rows->file->parents[index]] : 0,
		.function = rows->targets[index].function,
		.calls = node->calls,
		.unwound = from->unwound,
		.calls_by_call = node->calls_by_call,
		.elapsed_ticks = node->elapsed_ticks,
		.overhead_ticks = node->overhead_ticks,
		.folded = rows->file->folded[index],
		.folded_elapsed_ticks = from->folded_elapsed,
		.folded_os_ticks = from->folded_os,
		.location = rows->file->folded[index] ? 0 : rows->call_sites[index],
		.lengths = lengths,
	};

	for (size_t i = 0; i < TABLE_COUNT(row.ranges); i++) {
		row.ranges[i][0] = (uint64_t)from->ranges[i][0];
		row.ranges[i][1] = (uint64_t)from->ranges[i][1];
	}
	memcpy(row.os_ticks, node->os_ticks, sizeof(row.os_ticks));
	thread_fold_lengths(&rows->fold, rows->file, index, lengths);
	if (!profile_add_node(assembly->writer, &row, err))
		return false;
	if (!row.folded)
		counted_note_node(&assembly->by_pointer, rows->process->id, row.function, from,
				  node);
	rows->ids[index] = assembly->next_node++;
	assembly->assembled->nodes++;
	return true;
}

/* What the runtime knows, or where in a module a futex is; NULL where neither is known. */
static const char *object_name(const struct thread_rows *rows, const struct tare_os_record *record,
			       struct str *scratch)
{
	str_clear(scratch);
	if (tare_object_of(record->syscall_number) == TARE_OBJECT_FUTEX)
		return resolve_data(&rows->process->resolve, record->object, scratch)
			       ? scratch->data
			       : NULL;
	return thread_file_name(rows->file, record->name);
}

static bool write_os(struct assembly *assembly, const struct thread_rows *rows, struct error *err)
{
	struct str scratch = {0};
	bool ok = true;

	for (size_t i = 0; i < rows->file->os_count && ok; i++) {
		const struct tare_os_record *record = &rows->file->os[i];
		const struct profile_os row = {
			.node = rows->ids[record->node],
			.cause = (enum tare_os_cause)record->cause,
			.syscall_number =
				record->syscall_number == 0xffff ? -1 : record->syscall_number,
			.object = record->object,
			.path = object_name(rows, record, &scratch),
			.count = record->count,
			.ticks = record->ticks,
		};
		if (row.node)
			ok = profile_add_os(assembly->writer, &row, err);
	}
	str_fini(&scratch);
	return ok;
}

static bool write_marks(struct assembly *assembly, const struct thread_rows *rows,
			struct error *err)
{
	vec_foreach (mark, &rows->file->marks) {
		const struct profile_mark row = {.thread = rows->thread,
						 .mark = mark->id,
						 .name = mark->text,
						 .ticks = mark->ticks};
		if (!profile_add_mark(assembly->writer, &row, err))
			return false;
	}
	return true;
}

static bool write_tree(struct assembly *assembly, struct thread_rows *rows, uint64_t room,
		       struct error *err)
{
	if (!resolve_nodes(assembly, rows, err))
		return false;
	tree_compute_overhead(&rows->tree, rows->process->file.header.cost_ticks);
	/* The event log says of every call on which path it is. */
	thread_fold_make(&rows->fold, &rows->tree, rows->file, rows->targets,
			 trace_log_exists(rows->file) ? UINT64_MAX : room);
	thread_fold_sum(&assembly->folded, &rows->fold, &rows->tree);
	if (!write_thread(assembly, rows, err))
		return false;
	for (size_t i = 0; i < rows->file->node_count; i++) {
		if (rows->tree.nodes[i].keep && !write_node(assembly, rows, i, err))
			return false;
	}
	return write_os(assembly, rows, err) && write_marks(assembly, rows, err);
}

/* The event log, if there is one. */
static bool write_trace(struct assembly *assembly, const struct thread_rows *rows,
			struct error *err)
{
	const struct tare_thread_file *header = &rows->file->header;
	struct error reason;
	struct str name = {0};
	struct trace_log log = {
		.thread = rows->file, .ids = rows->ids, .thread_id = rows->thread, .fd = -1};

	if (!trace_log_exists(rows->file))
		return true;
	str_printf(&name, "trace.%" PRId32 ".%" PRId32 ".%" PRIu32, header->pid, header->trace_tid,
		   header->trace_number);
	if (header->trace_slots) {
		log.fd = session_file_open(assembly->session->fd, name.data, &log.file_bytes,
					   &reason);
		if (log.fd < 0)
			add_reason(assembly, "%s", reason.message);
	}
	str_fini(&name);
	const bool ok = trace_log_write(&log, assembly->writer, err);

	if (log.fd >= 0)
		close(log.fd);
	if (log.damaged)
		add_reason(assembly,
			   "the event log of thread %" PRId32 " is damaged in %" PRIu64 " places",
			   header->tid, log.damaged);
	return ok;
}

static bool assemble_thread(struct assembly *assembly, const struct assemble_thread *thread,
			    struct thread_ahead *ahead, struct error *err)
{
	struct thread_file *file = &ahead->file;
	struct thread_rows rows = {.file = file};
	bool ok = true;

	if (!ahead->ok) {
		add_reason(assembly, "%s", ahead->err.message);
		return true;
	}
	thread_file_bound(file, assembly->span_ticks);
	rows.process = process_of(assembly, file->header.pid, file->header.process_begin_ticks);
	if (!rows.process) {
		if (assembly->recording->follow)
			add_reason(assembly, "%s belongs to no process file", thread->name);
	} else {
		tree_init(&rows.tree, file);
		if (assembly->recording->is_snapshot && !(file->header.flags & TARE_THREAD_ENDED))
			tree_settle(&rows.tree, file);
		rows.targets = mem_zalloc(file->node_count * sizeof(*rows.targets));
		rows.ids = mem_zalloc(file->node_count * sizeof(*rows.ids));
		rows.call_sites = mem_zalloc(file->node_count * sizeof(*rows.call_sites));
		ok = write_tree(assembly, &rows, thread->claim.room, err) &&
		     write_trace(assembly, &rows, err);
		thread_fold_fini(&rows.fold);
		free(rows.targets);
		free(rows.ids);
		free(rows.call_sites);
		tree_fini(&rows.tree);
	}
	return ok;
}

/* Each file is read while the one before becomes rows. */
static bool assemble_threads(struct assembly *assembly, struct error *err)
{
	const struct assemble_thread *threads = assembly->threads.data;
	struct thread_ahead reads[2] = {{0}}, *now = &reads[1];
	bool ok = true;

	for (size_t i = 0; i <= assembly->threads.len && ok; i++, now = &reads[(i + 1) % 2]) {
		if (i)
			thread_ahead_end(now);
		if (i < assembly->threads.len)
			thread_ahead_begin(&reads[i % 2], assembly->session->fd, threads[i].name);
		ok = !i || assemble_thread(assembly, &threads[i - 1], now, err);
		thread_ahead_fini(now);
	}
	thread_ahead_fini(&reads[0]);
	thread_ahead_fini(&reads[1]);
	return ok;
}

/* ---- counters ---- */

static bool assemble_counters(struct assembly *assembly, const char *name, struct error *err)
{
	struct error reason;
	struct counted_file file = {0};
	uint64_t magic = 0;

	/* The magic number comes last. */
	if (session_file_head(assembly->session->fd, name, &magic, sizeof(magic)) >= 0 && !magic)
		return true;
	if (!counted_file_read(&file, assembly->session->fd, name, &reason)) {
		add_reason(assembly, "%s", reason.message);
		return true;
	}
	struct assemble_process *process =
		process_of(assembly, file.header.pid, file.header.process_begin_ticks);
	bool ok = true;

	if (process) {
		const struct counted_process counted = {.resolver = &assembly->resolver,
							.resolve = &process->resolve,
							.id = process->id,
							.begin_ticks =
								file.header.process_begin_ticks,
							.threads = assembly->rows.data,
							.thread_count = assembly->rows.len,
							.dir_fd = assembly->session->fd,
							.by_pointer = &assembly->by_pointer,
							.file = &process->file};
		ok = counted_write(&file, &counted, err);
		if (file.damaged)
			add_reason(assembly,
				   "the counters of process %" PRId32 " are damaged in %" PRIu64
				   " places",
				   file.header.pid, file.damaged);
	} else if (assembly->recording->follow) {
		add_reason(assembly, "%s belongs to no process file", name);
	}
	counted_file_fini(&file);
	return ok;
}

static bool assemble_all_counters(struct assembly *assembly, struct error *err)
{
	vec_foreach (name, &assembly->counters)
		if (!assemble_counters(assembly, *name, err))
			return false;
	return true;
}

/* ---- the runtime's own samples ---- */

/* Of a thread that has run at the same time; 0: it has no row. */
static int64_t thread_row_of(const struct assembly *assembly, int64_t process,
			     const struct tare_timer_file *header)
{
	vec_foreach (row, &assembly->rows)
		if (row->process == process && row->tid == header->tid &&
		    (!header->end_ticks || row->begin_ticks < header->end_ticks) &&
		    (!row->end_ticks || row->end_ticks > header->begin_ticks))
			return row->id;
	return 0;
}

static bool assemble_timer(struct assembly *assembly, struct timer_assembly *timer,
			   struct timer_reader *reader, struct error *err)
{
	const struct tare_timer_file *header = &reader->header;
	const struct assemble_process *process =
		process_of(assembly, header->pid, header->process_begin_ticks);

	if (!process) {
		if (assembly->recording->follow)
			add_reason(assembly, "samples of thread %" PRId32 " belong to no process",
				   header->tid);
		return true;
	}
	const struct timer_process of = {.id = process->id,
					 .resolve = &process->resolve,
					 .end_ticks = process->file.header.end_ticks};

	if (!timer->event && !timer_assemble_begin(timer, header->period_ns, err))
		return false;
	assembly->assembled->threads++;
	return timer_assemble_thread(timer, reader, &of,
				     thread_row_of(assembly, process->id, header), err);
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
			add_reason(assembly, "%s", reason.message);
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

static bool assemble_timers(struct assembly *assembly, struct error *err)
{
	if (!assembly->timers.len)
		return true;
	struct timer_assembly timer = {
		.resolver = &assembly->resolver,
		.writer = assembly->writer,
		.builder = sample_builder_new(&assembly->resolver, assembly->writer)};
	bool ok = assemble_timer_files(assembly, &timer, err);
	const struct profile_sampling row = {.collector = "timer",
					     .reason = assembly->recording->timer_reason,
					     .unwinding = "rules",
					     .lost = timer.counts.lost};

	take_last_ticks(assembly, timer.counts.last_ticks);
	if (timer.counts.damaged)
		add_reason(assembly, "the samples are damaged in %" PRIu64 " places",
			   timer.counts.damaged);
	if (timer.counts.unsampled_ns)
		add_reason(assembly,
			   "%.3f ms of processor time were not sampled: signal stacks of the "
			   "program have no room for the timers' signal",
			   (double)timer.counts.unsampled_ns / 1e6);
	ok = ok && sample_builder_write(timer.builder, row, err);
	sample_builder_free(timer.builder);
	return ok;
}

/* ---- samples of a sampler ---- */

static void note_samples(struct assembly *assembly, const struct sample_output *samples)
{
	const struct recording *recording = assembly->recording;

	assembly->assembled->processes += samples->processes;
	assembly->assembled->threads += samples->threads;
	take_last_ticks(assembly, samples->last_ticks);
	if (samples->damaged && !recording->is_snapshot && recording->exited &&
	    !recording->samples_unwritten)
		add_reason(assembly, "the log of samples is damaged, and ends before its end");
	if (recording->samples_unwritten)
		add_reason(assembly, "%" PRIu64 " records of samples found no room",
			   recording->samples_unwritten);
	if (samples->counts.without_room)
		add_reason(assembly, "the stacks of %" PRIu64 " samples found no room",
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
		add_reason(assembly, "there is no log of samples");
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
		add_reason(assembly, "a snapshot of a recording that went on");
	else if (!recording->exited)
		add_reason(assembly, "the recorder was killed");
	if (recording->failed)
		add_reason(assembly, "the recorder's own notes found no room");
	if (!assembly->assembled->processes)
		add_reason(assembly, "no process left any data");
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
		if (!write_process(assembly, process, err))
			return false;
	}
	return assemble_threads(assembly, err) &&
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
	const bool ok = find_files(&assembly, err) && assemble_rows(&assembly, err);
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
	vec_fini(&assembly.by_pointer);
	vec_fini(&assembly.known_processes);
	resolver_fini(&assembly.resolver);
	return ok;
}

void assembled_fini(struct assembled *assembled)
{
	str_fini(&assembled->reason);
	vec_fini(&assembled->disarmed);
}
