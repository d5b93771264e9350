/*
 * Maps are written until the process ends (by some compilers only then), so they are read last:
 * from a descriptor that was opened early, or else from this host's own /tmp. A process in another
 * PID namespace names its files by its number there.
 */
#include "resolve/jit_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 512 << 20, SLACK_S = 2, PATH_BYTES = 64, STATUS_BYTES = 4096 };

struct jit_process {
	uint32_t pid, own_pid; /* own: in its innermost namespace */
	uid_t user;
	int64_t begin_unix_s;
	int map_fd, dump_fd; /* or -1 */
};

struct jit_files {
	struct vec_of(struct jit_process) processes;
	struct map by_pid; /* → index */
};

struct jit_files *jit_files_new(void)
{
	struct jit_files *files = mem_zalloc(sizeof(*files));

	map_init(&files->by_pid);
	return files;
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

void jit_files_free(struct jit_files *files)
{
	if (!files)
		return;
	vec_foreach (process, &files->processes) {
		close_if_open(process->map_fd);
		close_if_open(process->dump_fd);
	}
	vec_fini(&files->processes);
	map_fini(&files->by_pid);
	free(files);
}

/* ---- processes ---- */

/* A small file of /proc as text; false if it cannot be read. */
static bool read_proc(uint32_t pid, const char *name, char text[STATUS_BYTES])
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", pid, name);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	const ssize_t got = read(fd, text, STATUS_BYTES - 1);
	close(fd);
	text[got > 0 ? got : 0] = 0;
	return got > 0;
}

static int64_t begin_of(const char *stat)
{
	const char *behind_name = strrchr(stat, ')');
	struct timespec real, boot;
	unsigned long long start;

	if (!behind_name || sscanf(behind_name + 1,
				   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
				   "%*d %*d %*d %*d %llu",
				   &start) != 1)
		return 0;
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return real.tv_sec - boot.tv_sec + (int64_t)(start / (unsigned long)sysconf(_SC_CLK_TCK));
}

/* What its files must be like; false where it has ended. */
static bool process_look(struct jit_process *process)
{
	char text[STATUS_BYTES];
	unsigned user;

	if (!read_proc(process->pid, "stat", text))
		return false;
	process->begin_unix_s = begin_of(text);
	if (!read_proc(process->pid, "status", text))
		return false;
	const char *uid = strstr(text, "\nUid:"), *own = strstr(text, "\nNSpid:");
	if (!uid || sscanf(uid, "\nUid: %*u %u", &user) != 1)
		return false;
	process->user = user;
	process->own_pid = process->pid;
	if (own) {
		for (char *end = (char *)own + strlen("\nNSpid:"); *end == '\t' || *end == ' ';)
			process->own_pid = (uint32_t)strtoul(end, &end, 10);
	}
	return true;
}

static struct jit_process *process_get(struct jit_files *files, uint32_t pid)
{
	struct jit_process process = {.pid = pid, .map_fd = -1, .dump_fd = -1};
	const uint64_t *known = map_get(&files->by_pid, pid);

	if (known)
		return &files->processes.data[*known];
	if (!process_look(&process))
		return NULL;
	map_put(&files->by_pid, pid, files->processes.len);
	vec_push(&files->processes, process);
	return &vec_last(&files->processes);
}

/* ---- opening ---- */

static bool is_its_own(int fd, const struct jit_process *process)
{
	struct stat info;

	return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == process->user &&
	       info.st_mtim.tv_sec + SLACK_S >= process->begin_unix_s;
}

static int take_if_own(int fd, const struct jit_process *process)
{
	if (fd < 0 || is_its_own(fd, process))
		return fd;
	close(fd);
	return -1;
}

enum { OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK };

/* A file as the living process sees it, without following links out of its root. */
static int open_in_sight(const struct jit_process *process, const char *path)
{
	const struct open_how how = {.flags = OPEN_FLAGS, .resolve = RESOLVE_IN_ROOT};
	char root_path[PATH_BYTES];

	snprintf(root_path, sizeof(root_path), "/proc/%" PRIu32 "/root", process->pid);
	const int root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	/* Kernels before 5.6, and sandboxes that do not know the call. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
		char here[] = ".";
		struct stat its, ours;
		if (fstatat(root, here, &its, 0) == 0 && stat("/", &ours) == 0 &&
		    its.st_dev == ours.st_dev && its.st_ino == ours.st_ino)
			fd = open(path, OPEN_FLAGS);
	}
	close(root);
	return take_if_own(fd, process);
}

void jit_files_note_code(struct jit_files *files, uint32_t pid)
{
	struct jit_process *process = process_get(files, pid);
	char path[PATH_BYTES];

	if (!process || process->map_fd >= 0)
		return;
	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", process->own_pid);
	process->map_fd = open_in_sight(process, path);
}

static bool is_dump(const char *path)
{
	const char *name = path_basename(path);

	return path[0] == '/' && str_starts_with(name, "jit-") && str_ends_with(name, ".dump");
}

void jit_files_note_mapping(struct jit_files *files, uint32_t pid, const char *path)
{
	if (!is_dump(path))
		return;
	struct jit_process *process = process_get(files, pid);
	if (process && process->dump_fd < 0)
		process->dump_fd = open_in_sight(process, path);
}

/* ---- keeping ---- */

static void copy_into(int directory_fd, const char *name, int from)
{
	char buffer[1 << 16];
	off_t at = 0;
	ssize_t got;
	const int to = openat(directory_fd, name,
			      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (to < 0)
		return;
	while (at < FILE_BYTES_MAX && (got = pread(from, buffer, sizeof(buffer), at)) > 0) {
		if (write(to, buffer, (size_t)got) != got)
			break;
		at += got;
	}
	close(to);
}

void jit_files_keep(struct jit_files *files, int directory_fd)
{
	char path[PATH_BYTES];

	vec_foreach (process, &files->processes) {
		snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", process->pid);
		if (process->map_fd < 0)
			process->map_fd = take_if_own(open(path, OPEN_FLAGS), process);
		if (process->map_fd >= 0)
			copy_into(directory_fd, path_basename(path), process->map_fd);
		snprintf(path, sizeof(path), "jit-%" PRIu32 ".dump", process->pid);
		if (process->dump_fd >= 0)
			copy_into(directory_fd, path, process->dump_fd);
	}
}

/* ---- reading ---- */

typedef void read_code(struct jit_code *code, const void *bytes, size_t size);

static bool read_file(int fd, struct jit_code *code, read_code *read_it)
{
	struct byte_vec bytes = {0};
	ssize_t got = 1;

	if (fd < 0)
		return false;
	while (got > 0 && bytes.len < FILE_BYTES_MAX) {
		vec_reserve(&bytes, 1 << 16);
		got = read(fd, bytes.data + bytes.len, 1 << 16);
		bytes.len += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	if (bytes.len)
		read_it(code, bytes.data, bytes.len);
	vec_fini(&bytes);
	return true;
}

static int open_own(const char *path)
{
	const struct jit_process self = {.user = geteuid()};

	return take_if_own(open(path, OPEN_FLAGS), &self);
}

static int open_kept(const char *directory, const char *name)
{
	struct str path = {0};

	if (!directory)
		return -1;
	str_printf(&path, "%s/%s", directory, name);
	const int fd = open_own(path.data);
	str_fini(&path);
	return fd;
}

struct jit_code *jit_files_read(const char *map_path, const char *directory)
{
	struct jit_code *code = jit_code_new();
	char dump[PATH_BYTES];
	uint32_t pid;

	int map = open_kept(directory, path_basename(map_path));
	if (map < 0)
		map = open_own(map_path);
	bool any = read_file(map, code, jit_code_read_map);
	/* Read last: where both tell of an address, the dump knows more. */
	if (sscanf(path_basename(map_path), "perf-%" SCNu32 ".map", &pid) == 1) {
		snprintf(dump, sizeof(dump), "jit-%" PRIu32 ".dump", pid);
		any |= read_file(open_kept(directory, dump), code, jit_code_read_dump);
	}
	if (any)
		return code;
	jit_code_free(code);
	return NULL;
}
