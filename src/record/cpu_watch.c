/* See cpu_watch.h. Whatever fails here leaves readings out, and nothing else. */
#include "record/cpu_watch.h"

#include "abi/session_files.h"
#include "session/clock.h"
#include "session/cpu_readings.h"
#include "session/members.h"
#include "session/text_file.h"
#include "session/thread_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000ULL

/* A process file is there a moment before its process has mapped it. */
enum { CANDIDATE_LOOKS = 3 };

/*
 * Every process leaves files behind, so to list them for each new one would cost the square of
 * their number: no more than one part in so many of the time goes into that.
 */
enum { LIST_PARTS = 256 };

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t now_ms(void)
{
	return now_us() / 1000;
}

/* False where the process is no more. */
static bool clock_read(clockid_t clock, uint64_t *ns)
{
	struct timespec time;

	if (clock_gettime(clock, &time) < 0)
		return false;
	*ns = (uint64_t)time.tv_sec * NS_PER_SECOND + (uint64_t)time.tv_nsec;
	return true;
}

void cpu_watch_start(struct cpu_watch *watch, const struct session *session,
		     const struct sample_collect *collect)
{
	*watch = (struct cpu_watch){.collect = collect,
				    .wait_ms = CPU_READINGS_FIRST_MS,
				    .due_ms = now_ms() + CPU_READINGS_FIRST_MS};
	map_init(&watch->files);
	watch->fd = openat(session->fd, CPU_READINGS_NAME,
			   O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (watch->fd >= 0)
		watch->session = session;
}

/* ---- which processes ---- */

static struct cpu_watched *find(struct cpu_watch *watch, pid_t pid)
{
	vec_foreach (process, &watch->processes) {
		if (process->pid == pid)
			return process;
	}
	return NULL;
}

/* `is_new`: it has begun within the recording. */
static void add(struct cpu_watch *watch, pid_t pid, bool is_new)
{
	struct cpu_watched process = {.pid = pid};

	if (find(watch, pid) || clock_getcpuclockid(pid, &process.clock) != 0)
		return;
	if (!is_new) {
		process.ticks = clock_ticks();
		if (!clock_read(process.clock, &process.used_ns))
			return;
	}
	vec_push(&watch->processes, process);
}

void cpu_watch_add_command(struct cpu_watch *watch, pid_t pid)
{
	if (watch->session)
		add(watch, pid, false);
}

/* By the number in the file's name: most short processes have, when their files are found. */
static bool has_ended(const struct cpu_candidate *candidate)
{
	const long pid = strtol(candidate->name + strlen(TARE_PROCESS_NAME), NULL, 10);

	return pid > 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* True when there is no need to look again. */
static bool candidate_settle(struct cpu_watch *watch, struct cpu_candidate *candidate)
{
	struct tare_process_file header;

	if (has_ended(candidate))
		return true;
	if (session_file_head(watch->session->fd, candidate->name, &header, sizeof(header)) ==
		    sizeof(header) &&
	    header.magic == TARE_PROCESS_MAGIC && header.pid > 0 &&
	    (find(watch, header.pid) || members_has(watch->session->directory, header.pid))) {
		add(watch, header.pid, true);
		return true;
	}
	return ++candidate->looks == CANDIDATE_LOOKS;
}

static bool file_is_new(struct cpu_watch *watch, const char *name)
{
	const size_t before = watch->files.len;

	map_put(&watch->files, hash_bytes(name, strlen(name)), 0);
	return watch->files.len != before;
}

static void find_files(struct cpu_watch *watch)
{
	const int fd = openat(watch->session->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *files = fd >= 0 ? fdopendir(fd) : NULL;

	for (const struct dirent *entry; files && (entry = readdir(files));) {
		struct cpu_candidate candidate = {.looks = 0};

		if (!str_starts_with(entry->d_name, TARE_PROCESS_NAME) ||
		    strlen(entry->d_name) >= sizeof(candidate.name) ||
		    !file_is_new(watch, entry->d_name))
			continue;
		memcpy(candidate.name, entry->d_name, strlen(entry->d_name));
		vec_push(&watch->candidates, candidate);
	}
	if (files)
		closedir(files);
	else if (fd >= 0)
		close(fd);
}

/* The directory's time tells whether there are new files. */
static void find_by_files(struct cpu_watch *watch)
{
	struct stat info;
	size_t kept = 0;

	if (fstat(watch->session->fd, &info) == 0 &&
	    (info.st_mtim.tv_sec != watch->directory_time.tv_sec ||
	     info.st_mtim.tv_nsec != watch->directory_time.tv_nsec) &&
	    now_us() >= watch->list_due_us) {
		const int64_t begin_us = now_us();

		watch->directory_time = info.st_mtim;
		find_files(watch);
		watch->list_due_us = now_us() + LIST_PARTS * (now_us() - begin_us);
	}
	vec_foreach (candidate, &watch->candidates) {
		if (!candidate_settle(watch, candidate))
			watch->candidates.data[kept++] = *candidate;
	}
	watch->candidates.len = kept;
}

static void find_processes(struct cpu_watch *watch)
{
	uint32_t pid;
	bool is_new;

	if (!watch->collect)
		find_by_files(watch);
	while (watch->collect &&
	       sample_collect_process(watch->collect, watch->collected, &pid, &is_new)) {
		add(watch, (pid_t)pid, is_new);
		watch->collected++;
	}
}

/* ---- reading ---- */

static void put_line(struct cpu_watched *process, uint64_t used_ns, uint64_t ticks,
		     struct str *lines)
{
	/* Less than before: another process has got the number. */
	const uint64_t used = used_ns - (used_ns < process->used_ns ? 0 : process->used_ns);

	if (used)
		str_printf(lines, "%d\t%ju\t%ju\t%ju\n", (int)process->pid,
			   (uintmax_t)process->ticks, (uintmax_t)ticks, (uintmax_t)used);
	process->used_ns = used_ns;
	process->ticks = ticks;
}

static void put_lines(const struct cpu_watch *watch, struct str *lines)
{
	/* A line that finds no room is cut off: it is not read, nor is anything behind it. */
	if (lines->len && write(watch->fd, lines->data, lines->len) < 0)
		lines->len = 0;
	str_fini(lines);
}

static void read_all(struct cpu_watch *watch)
{
	struct str lines = {0};
	size_t kept = 0;

	find_processes(watch);
	vec_foreach (process, &watch->processes) {
		uint64_t used_ns;

		if (!clock_read(process->clock, &used_ns))
			continue;
		put_line(process, used_ns, clock_ticks(), &lines);
		watch->processes.data[kept++] = *process;
	}
	watch->processes.len = kept;
	put_lines(watch, &lines);
}

void cpu_watch_end_command(struct cpu_watch *watch, pid_t pid, uint64_t used_ns)
{
	struct cpu_watched *process = watch->session ? find(watch, pid) : NULL;
	struct str lines = {0};

	if (!process)
		return;
	put_line(process, used_ns, clock_ticks(), &lines);
	put_lines(watch, &lines);
}

int cpu_watch_left_ms(const struct cpu_watch *watch)
{
	const int64_t left_ms = watch->due_ms - now_ms();

	return !watch->session ? INT32_MAX : left_ms > 0 ? (int)left_ms : 0;
}

void cpu_watch_take_due(struct cpu_watch *watch)
{
	if (!watch->session || now_ms() < watch->due_ms)
		return;
	read_all(watch);
	if (++watch->readings == CPU_WATCH_READINGS) {
		watch->readings = 0;
		watch->wait_ms *= 2;
	}
	watch->due_ms = now_ms() + watch->wait_ms;
}

void cpu_watch_stop(struct cpu_watch *watch)
{
	if (!watch->session)
		return;
	read_all(watch);
	close(watch->fd);
	vec_fini(&watch->processes);
	vec_fini(&watch->candidates);
	map_fini(&watch->files);
	*watch = (struct cpu_watch){.fd = -1};
}
