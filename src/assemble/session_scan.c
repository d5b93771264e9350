/*
 * The files of a session: of processes by their begin, of threads by their process's and their own.
 * One that cannot be read is a reason why the profile is partial.
 */
#include "assemble/private.h"

#include "abi/counters.h"
#include "abi/timer.h"
#include "session/thread_part.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void take_process_file(struct assembly *assembly, const char *name, uint64_t processors)
{
	struct error err;
	struct assemble_process process = {0};
	const struct recording *recording = assembly->recording;

	if (!process_file_read(&process.file, assembly->session->fd, name, &err)) {
		assembly_add_reason(assembly, "%s", err.message);
		return;
	}
	process_file_bound(&process.file, assembly->span_ticks, processors);
	if (!recording->follow && process.file.header.pid != recording->command_pid) {
		process_file_fini(&process.file);
		return;
	}
	process.name = mem_strdup(name);
	vec_push(&assembly->processes, process);
}

/* What the thread worked; nothing where its clock lies below 0. */
static uint64_t worked_ticks(const struct tare_thread_file *header)
{
	const int64_t ticks =
		(int64_t)(header->now_ticks - header->blocked_ticks - header->preempted_ticks);

	return ticks > 0 ? (uint64_t)ticks : 0;
}

static void take_thread_file(struct assembly *assembly, const char *name,
			     const struct tare_thread_file *header)
{
	const struct assemble_thread thread = {
		.name = mem_strdup(name),
		.pid = header->pid,
		.tid = header->tid,
		.begin_ticks = header->begin_ticks,
		.claim = {.paths = header->node_count, .ticks = worked_ticks(header)}};
	vec_push(&assembly->threads, thread);
}

/*
 * By the magic number, which comes last when a file is made: one without was laid aside and never
 * needed, or its process was killed before it did anything that is recorded.
 */
static void take_file(struct assembly *assembly, const char *name, uint64_t processors)
{
	struct tare_thread_file header = {0}; /* a process file begins with its magic number, too */
	const ssize_t have =
		session_file_head(assembly->session->fd, name, &header, sizeof(header));

	if (have >= 0 && !header.magic)
		return;
	if (header.magic == TARE_TIMER_MAGIC) {
		vec_push(&assembly->timers, mem_strdup(name));
		return;
	}
	if (header.magic == TARE_PROCESS_MAGIC || str_starts_with(name, TARE_PROCESS_NAME))
		take_process_file(assembly, name, processors);
	else if (have == sizeof(header))
		take_thread_file(assembly, name, &header);
	else
		assembly_add_reason(assembly, "%s is cut off", name);
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

/* The list is sorted. */
static void find_lonely(struct assembly *assembly)
{
	struct assemble_thread *threads = assembly->threads.data;
	const size_t count = assembly->threads.len;

	for (size_t i = 0; i < count; i++)
		threads[i].is_alone = (!i || threads[i - 1].pid != threads[i].pid) &&
				      (i + 1 == count || threads[i + 1].pid != threads[i].pid);
}

bool assembly_find_files(struct assembly *assembly, struct error *err)
{
	const int fd = openat(assembly->session->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const uint64_t processors = (uint64_t)sysconf(_SC_NPROCESSORS_CONF);

	if (!directory) {
		error_set_errno(err, errno, "cannot read %s", assembly->session->directory);
		if (fd >= 0)
			close(fd);
		return false;
	}
	for (const struct dirent *file; (file = readdir(directory));) {
		if (str_starts_with(file->d_name, TARE_PROCESS_NAME) ||
		    str_starts_with(file->d_name, "thread.") ||
		    str_starts_with(file->d_name, "spare."))
			take_file(assembly, file->d_name, processors);
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
	find_lonely(assembly);
	share_room(assembly);
	return true;
}
