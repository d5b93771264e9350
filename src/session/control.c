/*
 * Levels are changed in the shared files; what follows for each process is worked out under its
 * lock as the process itself would, and one that is to run probes again gets its arming bytes set.
 *
 * Refuses files that are too short or of another version, and ranges outside of their file.
 */
#include "session/control.h"

#include "abi/module.h"
#include "abi/session.h"
#include "session/text_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FOLLOW_SECONDS_MAX = 5 };

_Static_assert(sizeof(struct tare_session_control) <= TARE_USAGE_OFFSET &&
		       TARE_USAGE_OFFSET + sizeof(struct tare_usage) <= TARE_CONTROL_BYTES,
	       "both have room in the page");

/* ---- files ---- */

bool control_create(const struct session *session, bool stopped, struct error *err)
{
	const struct tare_session_control control = {.magic = TARE_CONTROL_MAGIC,
						     .abi = TARE_CONTROL_ABI,
						     .global = stopped ? TARE_LEVEL_STOPPED : 0};
	const struct tare_usage usage = {.abi = TARE_SESSION_ABI};
	const int fd = openat(session->fd, TARE_CONTROL_NAME,
			      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	errno = 0;
	const bool ok = fd >= 0 && write(fd, &control, sizeof(control)) == sizeof(control) &&
			pwrite(fd, &usage, sizeof(usage), TARE_USAGE_OFFSET) == sizeof(usage) &&
			ftruncate(fd, TARE_CONTROL_BYTES) == 0;
	if (!ok)
		error_set_errno(err, errno ? errno : ENOSPC, "cannot write %s/%s",
				session->directory, TARE_CONTROL_NAME);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* Maps the first `size` bytes of a regular file, shared; NULL. */
static void *map_shared(const struct session *session, const char *name, size_t size)
{
	struct stat info;
	const int fd = openat(session->fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	void *map = MAP_FAILED;
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= (off_t)size)
		map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

static struct tare_session_control *map_session(const struct session *session, struct error *err)
{
	struct tare_session_control *control =
		map_shared(session, TARE_CONTROL_NAME, sizeof(*control));

	if (control && control->magic == TARE_CONTROL_MAGIC && control->abi == TARE_CONTROL_ABI)
		return control;
	if (control)
		munmap(control, sizeof(*control));
	error_set(err, ERROR_UNSUPPORTED,
		  "the recording in %s cannot be controlled: it is another version's",
		  session->directory);
	return NULL;
}

void control_take_gs(const struct session *session)
{
	struct error ignored;
	struct tare_session_control *control = map_session(session, &ignored);

	if (!control)
		return;
	__atomic_store_n(&control->gs_is_taken, 1, __ATOMIC_RELEASE);
	munmap(control, sizeof(*control));
}

/* The file of a process that has not ended, or NULL. */
static struct tare_process_file *map_process(const struct session *session, const char *name)
{
	struct tare_process_file *file = map_shared(session, name, sizeof(*file));

	if (!file)
		return NULL;
	if (file->magic == TARE_PROCESS_MAGIC && file->abi == TARE_SESSION_FILES_ABI &&
	    file->pid > 0 && !(file->flags & TARE_PROCESS_ENDED) &&
	    (kill(file->pid, 0) == 0 || errno == EPERM))
		return file;
	munmap(file, sizeof(*file));
	return NULL;
}

/* Calls `each` for the names in the session that begin with `prefix`. */
static void each_name(const struct session *session, const char *prefix,
		      void (*each)(const struct session *session, const char *name, void *context),
		      void *context)
{
	const int fd = openat(session->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);

	if (!directory) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (const struct dirent *file; (file = readdir(directory));) {
		if (str_starts_with(file->d_name, prefix))
			each(session, file->d_name, context);
	}
	closedir(directory);
}

/* ---- changes ---- */

static void arming_set(const struct session *session, const char *name, void *context)
{
	struct tare_arming_file file;
	struct stat info;
	unsigned char ones[4096];
	const int fd = openat(session->fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	(void)context;
	if (fd < 0)
		return;
	memset(ones, TARE_ARMED, sizeof(ones));
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
	    pread(fd, &file, sizeof(file), 0) == sizeof(file) && file.magic == TARE_ARMING_MAGIC &&
	    file.offset >= TARE_ARMING_OFFSET && file.offset <= (uint64_t)info.st_size &&
	    file.size_bytes <= (uint64_t)info.st_size - file.offset) {
		for (uint64_t done = 0; done < file.size_bytes;) {
			const uint64_t left = file.size_bytes - done;
			const ssize_t put =
				pwrite(fd, ones, left < sizeof(ones) ? left : sizeof(ones),
				       (off_t)(file.offset + done));
			if (put <= 0)
				break;
			done += (uint64_t)put;
		}
	}
	close(fd);
}

static void process_follow(const struct session *session, const char *name, void *context)
{
	const struct tare_session_control *control = context;
	struct tare_process_file *file = map_process(session, name);
	char prefix[64];

	if (!file)
		return;
	snprintf(prefix, sizeof(prefix), TARE_ARMING_NAME "%" PRId32 ".", file->pid);
	if (tare_control_lock(&file->control, (uint32_t)getpid())) {
		const uint64_t global = __atomic_load_n(&control->global, __ATOMIC_ACQUIRE);

		if (tare_control_apply(&file->control, global, clock_ticks()) &&
		    !file->control.off_since)
			each_name(session, prefix, arming_set, NULL);
		tare_control_unlock(&file->control);
	}
	munmap(file, sizeof(*file));
}

void control_follow(const struct session *session)
{
	struct error ignored;
	struct tare_session_control *control = map_session(session, &ignored);

	if (!control)
		return;
	each_name(session, TARE_PROCESS_NAME, process_follow, control);
	munmap(control, sizeof(*control));
}

void control_follow_apart(const struct session *session)
{
	const pid_t child = fork();

	if (child == 0) {
		alarm(FOLLOW_SECONDS_MAX);
		control_follow(session);
		_exit(0);
	}
	if (child > 0)
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
}

struct wanted_process {
	pid_t pid;
	enum tare_operation operation;
	bool found;
};

static void process_change(const struct session *session, const char *name, void *context)
{
	struct wanted_process *wanted = context;
	struct tare_process_file *file = map_process(session, name);

	if (!file)
		return;
	if (file->pid == wanted->pid) {
		tare_level_change(&file->control.process, wanted->operation);
		wanted->found = true;
	}
	munmap(file, sizeof(*file));
}

/* Probes have levels, samples have none. */
static bool check_method(const struct session *session, struct error *err)
{
	struct recording recording = {.fd = -1};

	if (!recording_read(&recording, session->fd, err))
		return false;
	const bool ok = recording_instruments(&recording);
	recording_fini(&recording);
	return ok || error_set(err, ERROR_UNSUPPORTED,
			       "this recording only samples, which is not started and stopped; end "
			       "it with ^C, and begin another one with: tare record -p PID");
}

bool control_change_level(const struct session *session, enum tare_operation operation, pid_t pid,
			  struct error *err)
{
	struct wanted_process wanted = {.pid = pid, .operation = operation};

	if (!check_method(session, err))
		return false;
	struct tare_session_control *control = map_session(session, err);
	if (!control)
		return false;
	if (pid)
		each_name(session, TARE_PROCESS_NAME, process_change, &wanted);
	else
		tare_level_change(&control->global, operation);
	munmap(control, sizeof(*control));
	if (pid && !wanted.found)
		return error_set(err, ERROR_NOT_FOUND,
				 "process %d is none of those recorded that run now", (int)pid);
	control_follow(session);
	return true;
}

/* ---- state ---- */

struct status_reader {
	struct control_status *status;
	pid_t thread_pid;
	size_t threads;
};

static void thread_count(const struct session *session, const char *name, void *context)
{
	struct tare_thread_file header = {0};
	size_t *threads = context;
	const int fd = openat(session->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	*threads += pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
		    header.magic == TARE_THREAD_MAGIC && !(header.flags & TARE_THREAD_ENDED);
	close(fd);
}

static void process_read(const struct session *session, const char *name, void *context)
{
	struct control_status *status = context;
	struct tare_process_file *file = map_process(session, name);
	struct tare_control_view view;
	char prefix[64];

	if (!file)
		return;
	struct control_process process = {.pid = file->pid,
					  .level = file->control.process,
					  .on = !file->control.off_since,
					  .begin_ticks = file->begin_ticks,
					  .unreachable = file->control.unreachable};
	snprintf(process.command, sizeof(process.command), "%.*s", (int)sizeof(file->command) - 1,
		 file->command);
	snprintf(prefix, sizeof(prefix), "thread.%d.", (int)process.pid);
	each_name(session, prefix, thread_count, &process.threads);
	if (tare_control_look(&file->control, &view))
		process.off_ticks = tare_control_off_ticks(&view, clock_ticks());
	vec_push(&status->processes, process);
	munmap(file, sizeof(*file));
}

static int compare_pids(const void *a, const void *b)
{
	const struct control_process *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

bool control_status_read(const struct session *session, struct control_status *status,
			 struct error *err)
{
	struct tare_session_control *control = map_session(session, err);

	*status = (struct control_status){0};
	if (!control)
		return false;
	status->global = __atomic_load_n(&control->global, __ATOMIC_ACQUIRE);
	status->on = tare_level_is_on(status->global);
	munmap(control, sizeof(*control));
	each_name(session, TARE_PROCESS_NAME, process_read, status);
	vec_sort(&status->processes, compare_pids);
	return true;
}

void control_status_fini(struct control_status *status)
{
	vec_fini(&status->processes);
}

/* ---- marks ---- */

bool control_mark(const struct session *session, int64_t id, const char *text, struct error *err)
{
	struct tare_session_control *control = map_session(session, err);
	struct str line = {0};

	if (!control)
		return false;
	const bool on = tare_level_is_on(control->global);
	munmap(control, sizeof(*control));
	if (!on)
		return error_set(err, ERROR_INPUT,
				 "the recording is off, so no mark is kept; tare ctl PID start");
	text_put_field(&line, "mark");
	text_put_fieldf(&line, "%" PRIu64, clock_ticks());
	text_put_fieldf(&line, "%" PRId64, id);
	text_put_field(&line, text);
	text_end_line(&line);
	const int fd = openat(session->fd, CONTROL_MARKS_NAME,
			      O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	errno = 0;
	const bool ok = fd >= 0 && write(fd, line.data, line.len) == (ssize_t)line.len;
	if (!ok)
		error_set_errno(err, errno ? errno : ENOSPC, "cannot write the mark to %s",
				session->directory);
	if (fd >= 0)
		close(fd);
	str_fini(&line);
	return ok;
}
