/*
 * A thread file becomes rows: the thread, its nodes and their OS time, marks, the event log.
 *
 *   thread file ─▶ tree: sums, overhead, pruning ─▶ node and OS rows
 */
#include "assemble/private.h"
#include "assemble/process_name.h"

#include "assemble/thread_ahead.h"
#include "assemble/thread_tree.h"
#include "assemble/thread_waits.h"
#include "assemble/trace_log.h"
#include "session/thread_part.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct thread_rows {
	struct thread_file *file;
	struct assemble_process *process;
	struct tree tree;
	struct thread_fold fold;
	struct resolve_target *targets; /* per node */
	int64_t *call_sites;		/* per node: location id */
	int64_t *ids;			/* per node, 0: dropped */
	int64_t *os_ids;		/* per OS record, 0: dropped */
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

static void note_thread_state(struct assembly *assembly, const struct thread_rows *rows)
{
	struct error err;
	const struct tare_thread_file *header = &rows->file->header;

	if (rows->file->damaged)
		assembly_add_reason(assembly,
				    "the data of thread %" PRId32 " are damaged in %" PRIu64
				    " places",
				    header->tid, rows->file->damaged);
	if (!tree_check_sums(&rows->tree, &err))
		assembly_add_reason(assembly, "thread %" PRId32 " was cut off: %s", header->tid,
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

/* A process is called as its first thread is, which it may have renamed since it began. */
static bool rename_process(struct assembly *assembly, const struct thread_rows *rows,
			   struct error *err)
{
	const struct tare_process_file *process = &rows->process->file.header;
	const struct tare_thread_file *header = &rows->file->header;
	const char *name = rows->file->given_name ? rows->file->given_name : header->name;

	if (header->tid != process->pid || header->threads_before || !name[0] ||
	    strcmp(name, process->command) == 0)
		return true;
	return profile_set_process_name(
		assembly->writer, rows->process->id,
		process_name_choose(assembly_executable(rows->process), name), err);
}

/* What the probes of a call cost at least. */
static uint64_t pair_ticks(const struct assemble_process *process)
{
	const uint64_t *ticks = process->file.header.cost_ticks;

	return ticks[TARE_EVENT_ENTER] + ticks[TARE_EVENT_LEAVE];
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
	learning_add_thread(&assembly->learning, &row, pair_ticks(rows->process));
	note_thread_state(assembly, rows);
	assembly_take_last_ticks(assembly, header->now_ticks + header->lost_ticks);
	assembly_take_last_ticks(assembly, header->end_ticks);
	assembly->assembled->threads++;
	return rows->thread != 0 && rename_process(assembly, rows, err);
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
	const struct counted_timed timed = {rows->process->id, rows->thread, row.function,
					    row.calls};
	counted_note_node(&assembly->counted_notes, &timed, &rows->targets[index],
			  row.folded ? NULL : from, node);
	learning_add_node(&assembly->learning, &row);
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

static bool write_os(struct assembly *assembly, struct thread_rows *rows, struct error *err)
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
			.longest_ticks = record->longest_ticks,
		};
		if (!row.node)
			continue;
		rows->os_ids[i] = profile_add_os(assembly->writer, &row, err);
		ok = rows->os_ids[i] != 0;
		holders_add_wait(&assembly->holders, rows->process->id, rows->file, record,
				 rows->os_ids[i]);
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
	return write_os(assembly, rows, err) &&
	       thread_waits_write(rows->file, rows->thread, rows->os_ids, assembly->writer, err) &&
	       write_marks(assembly, rows, err);
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
			assembly_add_reason(assembly, "%s", reason.message);
	}
	str_fini(&name);
	const bool ok = trace_log_write(&log, assembly->writer, err);

	if (log.fd >= 0)
		close(log.fd);
	if (log.damaged)
		assembly_add_reason(assembly,
				    "the event log of thread %" PRId32 " is damaged in %" PRIu64
				    " places",
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
		assembly_add_reason(assembly, "%s", ahead->err.message);
		return true;
	}
	thread_file_bound(file, assembly->span_ticks);
	rows.process =
		assembly_process_of(assembly, file->header.pid, file->header.process_begin_ticks);
	if (!rows.process) {
		if (assembly->recording->follow)
			assembly_add_reason(assembly, "%s belongs to no process file",
					    thread->name);
	} else {
		tree_init(&rows.tree, file);
		if (assembly->recording->is_snapshot && !(file->header.flags & TARE_THREAD_ENDED))
			tree_settle(&rows.tree, file);
		rows.targets = mem_zalloc(file->node_count * sizeof(*rows.targets));
		rows.ids = mem_zalloc(file->node_count * sizeof(*rows.ids));
		rows.call_sites = mem_zalloc(file->node_count * sizeof(*rows.call_sites));
		rows.os_ids = mem_zalloc((file->os_count + 1) * sizeof(*rows.os_ids));
		ok = write_tree(assembly, &rows, thread->claim.room, err) &&
		     write_trace(assembly, &rows, err);
		if (!thread->is_alone)
			holders_add_thread(&assembly->holders, rows.process->id, rows.thread, file,
					   rows.ids);
		thread_fold_fini(&rows.fold);
		free(rows.targets);
		free(rows.ids);
		free(rows.os_ids);
		free(rows.call_sites);
		tree_fini(&rows.tree);
	}
	return ok;
}

/* Each file is read while the one before becomes rows. */
bool assembly_write_threads(struct assembly *assembly, struct error *err)
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
