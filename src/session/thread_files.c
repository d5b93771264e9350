/*
 * Thread and process files, checked. Everything is read with pread, never mapped: a process that
 * still runs, or truncates its file, must not be able to hurt the reader.
 *
 *   header ─▶ magic, abi ─▶ nodes: callers first, see thread_nodes.c
 *                                                        ─▶ open calls: see open_calls.c
 *                                                        ─▶ OS records: node, cause in range
 */
#include "session/thread_part.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { MODULE_RECORDS_BYTES_MAX = 256 << 20 };

static void cut_value(uint64_t *value, uint64_t *damaged)
{
	if (*value <= SESSION_FILE_VALUE_MAX)
		return;
	*value = 0;
	++*damaged;
}

/* Time stamps are larger than times, but still fit a signed number. */
static void cut_stamp(uint64_t *ticks, uint64_t *damaged)
{
	if (*ticks >> 62 == 0)
		return;
	*ticks = 0;
	++*damaged;
}

static void bound_counts(uint64_t *counts, size_t count, uint64_t most, uint64_t *damaged)
{
	for (size_t i = 0; most && i < count; i++) {
		if (counts[i] <= most)
			continue;
		counts[i] = 0;
		++*damaged;
	}
}

/* ---- process files ---- */

static void cut_calibration(struct tare_calibration *calibration, uint64_t *damaged)
{
	for (size_t i = 0; i < TARE_PAIRS; i++) {
		cut_value(&calibration->inside_ticks[i], damaged);
		cut_value(&calibration->outside_ticks[i], damaged);
	}
	cut_value(&calibration->bare_ticks, damaged);
	cut_value(&calibration->syscall_ticks, damaged);
	cut_value(&calibration->counters_ticks, damaged);
	cut_value(&calibration->gates_ticks, damaged);
}

static bool process_check_header(struct process_file *process, struct error *err)
{
	struct tare_process_file *header = &process->header;

	if (header->magic != TARE_PROCESS_MAGIC)
		return error_set(err, ERROR_INPUT, "it is no process file");
	if (header->abi != TARE_SESSION_FILES_ABI)
		return error_set(err, ERROR_UNSUPPORTED,
				 "it has version %" PRIu32 ", this tare reads version %d",
				 header->abi, TARE_SESSION_FILES_ABI);
	header->command[sizeof(header->command) - 1] = 0;
	for (size_t i = 0; i < TARE_EVENT_KINDS; i++)
		cut_value(&header->cost_ticks[i], &process->damaged);
	for (size_t i = 0; i < TABLE_COUNT(header->process_losses); i++)
		cut_value(&header->process_losses[i], &process->damaged);
	cut_value(&header->images_unreached, &process->damaged);
	cut_calibration(&header->begin_calibration, &process->damaged);
	cut_calibration(&header->end_calibration, &process->damaged);
	cut_stamp(&header->begin_ticks, &process->damaged);
	cut_stamp(&header->end_ticks, &process->damaged);
	return true;
}

static void process_take_open(struct process_file *process, const struct tare_module_record *record,
			      const char *path)
{
	const size_t room = record->head.size_bytes - sizeof(*record);

	if (record->path_bytes > room || strnlen(path, room) == room) {
		process->damaged++;
		return;
	}
	const struct process_file_module module = {
		.open_ticks = record->ticks,
		.close_ticks = UINT64_MAX,
		.bias = record->bias,
		.dynamic_addr = record->dynamic_addr,
		.ordinal = record->ordinal,
		.instrumented = record->instrumented == 1,
		.path = mem_strdup(path),
	};
	vec_push(&process->modules, module);
}

static void process_take_close(struct process_file *process,
			       const struct tare_module_record *record)
{
	for (size_t i = process->modules.len; i-- > 0;) {
		struct process_file_module *module = &process->modules.data[i];
		if (module->dynamic_addr != record->dynamic_addr ||
		    module->close_ticks != UINT64_MAX)
			continue;
		module->close_ticks = record->ticks;
		return;
	}
}

static void process_take_disarm(struct process_file *process, const char *bytes)
{
	struct tare_disarm_record record;

	memcpy(&record, bytes, sizeof(record));
	cut_stamp(&record.ticks, &process->damaged);
	cut_value(&record.calls, &process->damaged);
	if (record.what < TARE_DISARMS)
		vec_push(&process->disarmed, record);
	else
		process->damaged++;
}

static void process_take_unfollowed(struct process_file *process, const char *bytes)
{
	struct tare_unfollowed_record record;

	memcpy(&record, bytes, sizeof(record));
	const char *path = bytes + sizeof(record);
	const size_t room = record.head.size_bytes - sizeof(record);
	if (record.reason == TARE_UNFOLLOWED_NOT || record.reason >= TARE_UNFOLLOWED_REASONS ||
	    record.count > INT32_MAX || strnlen(path, room) == room) {
		process->damaged++;
		return;
	}
	const struct process_file_unfollowed unfollowed = {
		.reason = record.reason,
		.count = record.count,
		.path = record.count ? mem_strdup(path) : NULL,
	};
	if (unfollowed.count)
		vec_push(&process->unfollowed, unfollowed);
}

static void process_take_mapped(struct process_file *process, const char *bytes)
{
	struct tare_mapped_record record;

	memcpy(&record, bytes, sizeof(record));
	cut_stamp(&record.ticks, &process->damaged);
	if (record.begin < record.end)
		vec_push(&process->mapped, record);
	else
		process->damaged++;
}

static void process_take_records(struct process_file *process, const char *bytes, size_t size)
{
	size_t at = 0;

	while (size - at >= sizeof(struct tare_record)) {
		struct tare_module_record record = {0};
		memcpy(&record.head, bytes + at, sizeof(record.head));
		const uint32_t length = record.head.size_bytes;
		if (length < sizeof(record.head) || length % 8 || length > size - at) {
			process->damaged++;
			return;
		}
		if (record.head.type == TARE_RECORD_DISARM &&
		    length >= sizeof(struct tare_disarm_record)) {
			process_take_disarm(process, bytes + at);
		} else if (record.head.type == TARE_RECORD_MAPPED) {
			if (length >= sizeof(struct tare_mapped_record))
				process_take_mapped(process, bytes + at);
		} else if (record.head.type == TARE_RECORD_UNFOLLOWED) {
			if (length >= sizeof(struct tare_unfollowed_record))
				process_take_unfollowed(process, bytes + at);
		} else if (length >= sizeof(record)) {
			memcpy(&record, bytes + at, sizeof(record));
			record.head.size_bytes = length;
			if (record.head.type == TARE_RECORD_MODULE_OPEN)
				process_take_open(process, &record, bytes + at + sizeof(record));
			else if (record.head.type == TARE_RECORD_MODULE_CLOSE)
				process_take_close(process, &record);
		}
		at += length;
	}
}

bool process_file_parse(struct process_file *process, const void *bytes, size_t size,
			struct error *err)
{
	*process = (struct process_file){0};
	if (size < sizeof(process->header))
		return error_set(err, ERROR_INPUT, "it is cut off within its header");
	memcpy(&process->header, bytes, sizeof(process->header));
	if (!process_check_header(process, err))
		return false;
	uint64_t used = process->header.used_bytes;
	if (used > size || used < sizeof(process->header)) {
		process->damaged++;
		used = used > size ? size : sizeof(process->header);
	}
	process_take_records(process, (const char *)bytes + sizeof(process->header),
			     (size_t)used - sizeof(process->header));
	return true;
}

/* A process file is made as large as it may grow and is nearly all hole: only what it says to use
 * is read. What it has in use grows while its process lives, so the header is that of before. */
static char *process_read_used(int fd, uint64_t size, size_t *have)
{
	struct tare_process_file header;
	uint64_t used = size;

	*have = session_file_read_at(fd, &header, sizeof(header), 0);
	if (*have == sizeof(header) && header.used_bytes < size)
		used = header.used_bytes;
	if (used < *have)
		used = *have;
	char *bytes = mem_alloc((size_t)used + 1);
	memcpy(bytes, &header, *have);
	*have += session_file_read_at(fd, bytes + *have, (size_t)used - *have, *have);
	return bytes;
}

bool process_file_read(struct process_file *process, int dir_fd, const char *name,
		       struct error *err)
{
	uint64_t size;
	const int fd = session_file_open(dir_fd, name, &size, err);

	if (fd < 0)
		return false;
	if (size > MODULE_RECORDS_BYTES_MAX)
		size = MODULE_RECORDS_BYTES_MAX;
	size_t have;
	char *bytes = process_read_used(fd, size, &have);
	close(fd);
	const bool ok = process_file_parse(process, bytes, have, err);
	free(bytes);
	return ok || error_prefix(err, "cannot use %s", name);
}

void process_file_bound(struct process_file *process, uint64_t ticks, uint64_t processors)
{
	struct tare_process_file *header = &process->header;
	const uint64_t most = ticks / PROCESS_FILE_LOSS_TICKS_MIN * processors;

	bound_counts(header->process_losses, TABLE_COUNT(header->process_losses), most,
		     &process->damaged);
	bound_counts(&header->images_unreached, 1, most, &process->damaged);
}

uint64_t process_file_modules_at(const struct process_file *file, uint64_t ticks)
{
	uint64_t seen = 0;

	vec_foreach (module, &file->modules)
		if (module->open_ticks <= ticks && module->ordinal > seen)
			seen = module->ordinal;
	return seen;
}

void process_file_fini(struct process_file *process)
{
	vec_foreach (module, &process->modules)
		free(module->path);
	vec_fini(&process->modules);
	vec_fini(&process->disarmed);
	vec_fini(&process->mapped);
	vec_foreach (unfollowed, &process->unfollowed)
		free(unfollowed->path);
	vec_fini(&process->unfollowed);
}

/* ---- thread files ---- */

/* A sum of times; those below 0 are the reader's to raise. */
static void cut_sum(int64_t *sum, uint64_t *damaged)
{
	if (session_sum_is_sound(*sum))
		return;
	*sum = 0;
	(*damaged)++;
}

/* The thread's clock, a sum as well. */
static void cut_clock(uint64_t *ticks, uint64_t *damaged)
{
	int64_t sum = (int64_t)*ticks;

	cut_sum(&sum, damaged);
	*ticks = (uint64_t)sum;
}

static bool thread_check_header(struct thread_file *thread, struct error *err)
{
	struct tare_thread_file *header = &thread->header;
	uint64_t *const values[] = {
		&header->os_ticks,	   &header->blocked_ticks, &header->preempted_ticks,
		&header->own_ticks,	   &header->syscalls,	   &header->events,
		&header->inherited_frames,
	};

	if (header->magic != TARE_THREAD_MAGIC)
		return error_set(err, ERROR_INPUT, "it is no thread file");
	if (header->abi != TARE_SESSION_FILES_ABI)
		return error_set(err, ERROR_UNSUPPORTED,
				 "it has version %" PRIu32 ", this tare reads version %d",
				 header->abi, TARE_SESSION_FILES_ABI);
	header->name[sizeof(header->name) - 1] = 0;
	for (size_t i = 0; i < TABLE_COUNT(values); i++)
		cut_value(values[i], &thread->damaged);
	for (size_t i = 0; i < TABLE_COUNT(header->thread_losses); i++)
		cut_value(&header->thread_losses[i], &thread->damaged);
	cut_clock(&header->now_ticks, &thread->damaged);
	cut_stamp(&header->begin_ticks, &thread->damaged);
	cut_stamp(&header->end_ticks, &thread->damaged);
	cut_stamp(&header->lost_ticks, &thread->damaged);
	return true;
}

void thread_file_bound(struct thread_file *thread, uint64_t ticks)
{
	struct tare_thread_file *header = &thread->header;

	bound_counts(header->thread_losses, TABLE_COUNT(header->thread_losses), ticks,
		     &thread->damaged);
}

/* Calls that were shorter than their probes' cost took no time. */
static void range_check(int64_t *min, int64_t *max)
{
	*min = *min < 0 ? 0 : *min;
	*max = *max < 0 ? 0 : *max;
	if (*min <= *max && *max <= (int64_t)SESSION_FILE_VALUE_MAX)
		return;
	*min = 1;
	*max = 0;
}

void thread_file_lengths(const struct thread_file *thread, size_t node,
			 uint64_t lengths[TARE_CALL_BUCKETS])
{
	const uint32_t *buckets = thread->nodes[node].buckets;

	for (uint32_t bucket = 0; bucket < TARE_CALL_BUCKETS; bucket++)
		lengths[bucket] = buckets[bucket];
	vec_foreach (record, &thread->full_buckets)
		if (record->node == node)
			lengths[record->syscall_number] += record->count;
	lengths[0] += lengths[TARE_CALL_BUCKETS - 1];
	lengths[TARE_CALL_BUCKETS - 1] = 0;
}

uint64_t thread_file_calls(const struct thread_file *thread, size_t node)
{
	uint64_t calls = 0;

	for (uint32_t bucket = 0; bucket < TARE_CALL_BUCKETS; bucket++)
		calls += thread->nodes[node].buckets[bucket];
	vec_foreach (record, &thread->full_buckets)
		calls += record->node == node ? record->count : 0;
	return calls;
}

/* A part of the calls; one more where the thread was killed in the probe that counts the call. */
static void cut_excess(struct thread_file *thread, uint64_t *part, uint64_t calls)
{
	if (*part <= calls)
		return;
	thread->damaged += *part > calls + (thread->header.gate != 0);
	*part = calls;
}

static void node_check(struct thread_file *thread, size_t index)
{
	struct tare_node *node = &thread->nodes[index];
	const uint64_t calls = thread_file_calls(thread, index);

	cut_sum(&node->elapsed_ticks, &thread->damaged);
	cut_sum(&node->folded_elapsed, &thread->damaged);
	cut_sum(&node->folded_os, &thread->damaged);
	cut_value(&node->clamped_ticks, &thread->damaged);
	cut_excess(thread, &node->calls_by_call, calls);
	cut_excess(thread, &node->unwound, calls);
	for (size_t i = 0; i < TABLE_COUNT(node->ranges); i++)
		range_check(&node->ranges[i][0], &node->ranges[i][1]);
}

static void nodes_check(struct thread_file *thread)
{
	for (size_t i = 0; i < thread->node_count; i++)
		node_check(thread, i);
}

/* `syscall_number` is what the cause says. */
static bool os_cause_is_known(const struct tare_os_record *record)
{
	if (record->cause == TARE_RECORD_CALLS)
		return record->syscall_number < TARE_CALL_BUCKETS;
	if (record->cause == TARE_RECORD_WAITS)
		return record->syscall_number < TARE_OS_CAUSES;
	return record->cause < TARE_OS_CAUSES;
}

static bool os_is_whole(const struct thread_file *thread, const struct tare_os_record *record)
{
	return record->node < thread->number_count &&
	       thread->numbers[record->node] != THREAD_FILE_NODE_NONE &&
	       os_cause_is_known(record) && record->ticks <= SESSION_FILE_VALUE_MAX &&
	       record->count <= SESSION_FILE_VALUE_MAX;
}

/* The list, and of each record of the file 1 + where it is in there, which is to be freed. */
static uint32_t *read_os(struct thread_file *thread, const struct thread_file_source *source,
			 size_t *number_count)
{
	uint64_t wanted = thread->header.os_count;

	if (wanted > TARE_THREAD_OS_MAX)
		wanted = TARE_THREAD_OS_MAX;
	const size_t count = thread_file_read_kind(thread, source, TARE_CHUNK_OS, wanted, NULL);

	thread->damaged += thread->header.os_count != count;
	*number_count = count;
	if (!count)
		return NULL;
	uint32_t *numbers = mem_zalloc(count * sizeof(*numbers));

	thread->os = mem_zalloc(count * sizeof(*thread->os));
	thread_file_read_kind(thread, source, TARE_CHUNK_OS, count, thread->os);
	for (size_t i = 0; i < count; i++) {
		struct tare_os_record record = thread->os[i];

		if (!record.count && !record.ticks)
			continue;
		if (!os_is_whole(thread, &record)) {
			thread->damaged++;
			continue;
		}
		record.node = thread->numbers[record.node];
		if (record.longest_ticks > record.ticks)
			record.longest_ticks = record.ticks;
		if (record.cause == TARE_RECORD_CALLS) {
			vec_push(&thread->full_buckets, record);
			continue;
		}
		if (record.cause == TARE_RECORD_WAITS)
			continue; /* the records of these causes have it */
		thread->os[thread->os_count++] = record;
		numbers[i] = (uint32_t)thread->os_count;
	}
	return numbers;
}

static void settle_sum(uint64_t *counted, uint64_t of_records)
{
	if (of_records < *counted)
		*counted = of_records;
}

/*
 * A probe that was at work when the thread was killed may have counted OS time for the thread and
 * not yet for its cause: it was not seen to the end, so it is not taken for OS time.
 */
static void settle_os(struct thread_file *thread)
{
	struct tare_thread_file *header = &thread->header;
	uint64_t ticks = 0, by_cause[TARE_OS_CAUSES] = {0};

	if (!header->gate || header->os_lost)
		return;
	for (size_t i = 0; i < thread->os_count; i++) {
		ticks += thread->os[i].ticks;
		by_cause[thread->os[i].cause] += thread->os[i].ticks;
	}
	settle_sum(&header->os_ticks, ticks);
	settle_sum(&header->blocked_ticks, by_cause[TARE_OS_BLOCKED]);
	settle_sum(&header->preempted_ticks, by_cause[TARE_OS_PREEMPTED]);
}

bool thread_file_parse(struct thread_file *thread, int fd, uint64_t size, struct error *err)
{
	const struct thread_file_source source = {.fd = fd, .size = size};

	*thread = (struct thread_file){0};
	if (session_file_read_at(fd, &thread->header, sizeof(thread->header), 0) !=
	    sizeof(thread->header))
		return error_set(err, ERROR_INPUT, "it is cut off within its header");
	if (!thread_check_header(thread, err))
		return false;
	thread_file_read_nodes(thread, &source);
	size_t number_count;
	uint32_t *os_numbers = read_os(thread, &source, &number_count);

	settle_os(thread);
	waits_read(thread, &source, os_numbers, number_count);
	free(os_numbers);
	nodes_check(thread);
	open_calls_read(thread);
	marks_read(thread, &source);
	names_read(thread, &source);
	return true;
}

bool thread_file_read(struct thread_file *thread, int dir_fd, const char *name, struct error *err)
{
	uint64_t size;
	const int fd = session_file_open(dir_fd, name, &size, err);

	if (fd < 0)
		return false;
	const bool ok = thread_file_parse(thread, fd, size, err);
	close(fd);
	return ok || error_prefix(err, "cannot use %s", name);
}

void thread_file_fini(struct thread_file *thread)
{
	vec_foreach (mark, &thread->marks)
		free(mark->text);
	vec_fini(&thread->marks);
	names_fini(thread);
	free(thread->given_name);
	free(thread->nodes);
	free(thread->parents);
	free(thread->numbers);
	free(thread->folded);
	free(thread->open_calls);
	free(thread->os);
	free(thread->waits);
	vec_fini(&thread->full_buckets);
	*thread = (struct thread_file){0};
}
