/*
 * See ending.h. Until its parent collects it, /proc tells of a process that has ended; afterwards
 * its descriptor does. A pid that is another process's by then is noticed.
 */
#include "target/ending.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000ULL

/* struct pidfd_info of linux/pidfd.h, which is newer than the headers that tare is built with. */
struct pidfd_ending {
	uint64_t mask, cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};

#define PIDFD_GET_ENDING _IOWR(0xff, 11, struct pidfd_ending)
enum { PIDFD_MASK_EXIT = 1 << 3, STAT_BYTES = 4096 };

static void read_descriptor(int pid_fd, struct ending *ending)
{
	struct pidfd_ending info = {.mask = PIDFD_MASK_EXIT};

	if (ioctl(pid_fd, PIDFD_GET_ENDING, &info) < 0 || !(info.mask & PIDFD_MASK_EXIT))
		return;
	ending->known = true;
	ending->wait_status = info.exit_code;
}

static uint64_t ns_of_clock_ticks(uint64_t ticks)
{
	const long per_second = sysconf(_SC_CLK_TCK);

	return ticks * (NS_PER_SECOND / (uint64_t)(per_second > 0 ? per_second : 100));
}

/* "PID (NAME) STATE …": numbers of fields as in proc(5). */
static bool parse_stat(const char *text, struct ending *ending)
{
	enum { STATE = 3, CHILDREN_USER = 16, CHILDREN_SYSTEM, EXIT_CODE = 52 };
	const char *at = strrchr(text, ')'); /* the name may hold anything */
	uint64_t children_ticks = 0;

	if (!at || at[1] != ' ' || at[2] != 'Z')
		return false;
	at += 2;
	for (int field = STATE; field < EXIT_CODE; field++) {
		if (field == CHILDREN_USER || field == CHILDREN_SYSTEM)
			children_ticks += strtoull(at, NULL, 10);
		at = strchr(at, ' ');
		if (!at)
			return false;
		at++;
	}
	ending->wait_status = atoi(at);
	ending->descendants_cpu_ns = ns_of_clock_ticks(children_ticks);
	return true;
}

static bool read_stat(pid_t pid, char *text, size_t room)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FILE *file = fopen(path, "re");
	const bool ok = file && fgets(text, (int)room, file);
	if (file)
		fclose(file);
	return ok;
}

bool ending_is_past(pid_t pid)
{
	struct ending ignored;
	char text[STAT_BYTES];

	if (kill(pid, 0) < 0 && errno == ESRCH)
		return true;
	return read_stat(pid, text, sizeof(text)) && parse_stat(text, &ignored);
}

static void read_proc(pid_t pid, int pid_fd, struct ending *ending)
{
	char text[STAT_BYTES];
	struct timespec used;
	clockid_t clock;

	const bool has_clock =
		clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &used) == 0;
	/* All of this was its own if it is there now. */
	if (!read_stat(pid, text, sizeof(text)) || !parse_stat(text, ending) ||
	    syscall(SYS_pidfd_send_signal, pid_fd, 0, NULL, 0) < 0)
		return;
	ending->known = true;
	ending->cpu_known = has_clock;
	if (has_clock)
		ending->cpu_ns = (uint64_t)used.tv_sec * NS_PER_SECOND + (uint64_t)used.tv_nsec;
}

void ending_read(pid_t pid, int pid_fd, struct ending *ending)
{
	*ending = (struct ending){0};
	read_proc(pid, pid_fd, ending);
	if (!ending->known)
		read_descriptor(pid_fd, ending);
	if (!ending->known)
		*ending = (struct ending){0};
}
