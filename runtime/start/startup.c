/*
 * The first steps of the runtime in a process. Refuses sessions whose paths are not absolute or do
 * not fit, whose directory others than this user and root can write, and kernels that cannot wipe a
 * page in forked children.
 */
#include "runtime/start/startup.h"

#include "runtime/base/answers.h"
#include "runtime/base/budget.h"
#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/base/session.h"
#include "runtime/control/control.h"
#include "runtime/control/disarmed.h"
#include "runtime/files/process.h"
#include "runtime/files/thread_file.h"
#include "runtime/files/trace_file.h"
#include "runtime/os/os_flag.h"
#include "runtime/os/stack_signs.h"
#include "runtime/probes/calibrate.h"
#include "runtime/probes/probes.h"
#include "runtime/process/birth.h"
#include "runtime/timer/timer.h"
#include "runtime/tree/host.h"

#include <fcntl.h>
#include <linux/prctl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

#ifndef HWCAP2_FSGSBASE
#define HWCAP2_FSGSBASE 2 /* of x86: bit 1 */
#endif

#ifndef PR_GET_AUXV
#define PR_GET_AUXV 0x41555856
#endif

#define VECTOR_ENTRIES 64 /* the kernel's have about 25 */

void startup_scan(struct startup *startup, char **environment)
{
	struct tare_rank_scan scan = {0};

	for (; *environment; environment++) {
		tare_rank_take(&scan, *environment);
		if (bytes_begin_with(*environment, "LD_AUDIT="))
			startup->audit = *environment + 9;
		if (bytes_begin_with(*environment, TARE_ENV_SESSION "="))
			startup->session = *environment + sizeof(TARE_ENV_SESSION);
	}
	startup->vector = (Elf64_auxv_t *)(environment + 1);
	for (const Elf64_auxv_t *entry = startup->vector; entry->a_type != AT_NULL; entry++) {
		if (entry->a_type == AT_BASE)
			startup->loader_base = entry->a_un.a_val;
		if (entry->a_type == AT_MINSIGSTKSZ)
			startup->signal_frame_bytes = entry->a_un.a_val;
		if (entry->a_type == AT_EUID)
			startup->user = entry->a_un.a_val;
		if (entry->a_type == AT_SYSINFO_EHDR)
			startup->vdso = entry->a_un.a_val;
		if (entry->a_type == AT_PHDR)
			startup->headers = entry->a_un.a_val;
		if (entry->a_type == AT_PHNUM)
			startup->header_count = entry->a_un.a_val;
		if (entry->a_type == AT_RANDOM)
			startup->random = entry->a_un.a_val;
		if (entry->a_type == AT_HWCAP2)
			state_session.sets_bases = entry->a_un.a_val & HWCAP2_FSGSBASE;
		if (entry->a_type == AT_SECURE)
			startup->secure = entry->a_un.a_val != 0;
	}
	state_session.stack_addr = startup->random;
	state_session.rank = tare_rank_of(&scan);
}

/* What is not there stays zero. */
static void settings_read(void)
{
	struct tare_settings *settings = &state_session.settings;

	const long fd = files_open(TARE_SETTINGS_NAME, O_RDONLY);
	if (fd < 0)
		return;
	kernel_call(SYS_read, fd, settings, sizeof(*settings));
	kernel_call(SYS_close, fd);
	if (settings->abi != TARE_SESSION_ABI)
		*settings = (struct tare_settings){0};
}

/*
 * The vector that the kernel has made; how many bytes of it are there. Emulators answer for
 * /proc/self and /proc/PID of their guest, but not for this name of it, nor do they know the call,
 * which is there since Linux 6.4 and takes a tenth of the time.
 */
static long vector_read(Elf64_auxv_t vector[VECTOR_ENTRIES])
{
	const long size_bytes = VECTOR_ENTRIES * (long)sizeof(vector[0]);
	long got = kernel_call(SYS_prctl, PR_GET_AUXV, vector, size_bytes, 0, 0);

	if (got >= 0)
		return got < size_bytes ? got : size_bytes;
	const long fd =
		kernel_call(SYS_openat, AT_FDCWD, "/proc/thread-self/auxv", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fd;
	got = kernel_call(SYS_read, fd, vector, size_bytes);
	kernel_call(SYS_close, fd);
	return got;
}

/* By the kernel's vector and the one on this stack. */
static enum startup_origin origin_find(const struct startup *startup)
{
	Elf64_auxv_t vector[VECTOR_ENTRIES];
	uint64_t random = 0, headers = 0;
	const long got = vector_read(vector);

	for (long i = 0; (i + 1) * (long)sizeof(vector[0]) <= got; i++) {
		if (vector[i].a_type == AT_RANDOM)
			random = vector[i].a_un.a_val;
		if (vector[i].a_type == AT_PHDR)
			headers = vector[i].a_un.a_val;
	}
	if (random && random != startup->random)
		return STARTUP_AS_GUEST;
	return headers && headers != startup->headers ? STARTUP_BY_LOADER : STARTUP_BY_KERNEL;
}

/*
 * Whoever can write to the session says what the process loads and executes: that is the process's
 * own user, or root. What cannot be asked for cannot be used either, which shows later.
 */
static bool directory_is_trusted(const struct startup *startup)
{
	struct stat info;

	if (kernel_call(SYS_newfstatat, AT_FDCWD, state_session.directory, &info,
			AT_SYMLINK_NOFOLLOW))
		return true;
	return S_ISDIR(info.st_mode) && !(info.st_mode & 0022) &&
	       (info.st_uid == startup->user || info.st_uid == 0);
}

bool startup_take_session(struct startup *startup)
{
	struct bytes_text directory = {.start = state_session.directory,
				       .size_bytes = TARE_PATH_MAX};
	struct bytes_text runtime = {.start = state_session.runtime_path,
				     .size_bytes = TARE_PATH_MAX};

	if (!startup->audit || !startup->session || startup->session[0] != '/')
		return false;
	const char *last = startup->audit;

	for (const char *at = last; *at; at++)
		if (*at == ':')
			last = at + 1;
	bytes_put(&directory, startup->session);
	bytes_put(&runtime, last);
	state_session.active = !directory.full && !runtime.full && directory_is_trusted(startup);
	if (!state_session.active)
		return false;
	startup->origin = origin_find(startup);
	settings_read();
	answers_begin();
	return true;
}

void startup_withdraw(void)
{
	static char path[TARE_PATH_MAX];

	if (!startup_read_link("/proc/self/exe", path) || path[0] != '/')
		memcpy(path, "/", 2);
	session_tell(TARE_REQUEST_GUEST, path);
	state_session.active = false;
}

bool startup_read_link(const char *link, char *path)
{
	const long length = kernel_call(SYS_readlinkat, AT_FDCWD, link, path, TARE_PATH_MAX - 1);

	if (length <= 0)
		return false;
	path[length] = 0;
	return true;
}

static const struct accumulate_host host = {.grow = thread_grow,
					    .loses_ends = disarmed_ever,
					    .stack_sign = stack_signs_sign,
					    .called_by = stack_signs_called_by,
					    .is_own_stack = stack_signs_is_own,
					    .trace_grow = trace_file_grow,
					    .trace_next = trace_file_next};

/*
 * The page that all processes of the session write to; NULL: there is none. Backed at once: the
 * recorder has written it, and a fault would be one of the target.
 */
static char *shared_page_map(void)
{
	const long fd = files_open(TARE_CONTROL_NAME, O_RDWR);

	if (fd < 0)
		return NULL;
	const long map = kernel_call(SYS_mmap, 0, TARE_CONTROL_BYTES, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_POPULATE, fd, 0);

	kernel_call(SYS_close, fd);
	return map < 0 && map > -4096 ? NULL : (char *)map;
}

void startup_begin(const struct startup *startup)
{
	/* what the kernel zeroes in a forked child */
	if (kernel_call(SYS_madvise, &state_process, sizeof(state_process),
			18 /* MADV_WIPEONFORK */)) {
		state_session.active = false;
		return;
	}
	accumulate_host = &host;
	char *const shared = shared_page_map();

	if (shared)
		budget_begin((struct tare_usage *)(shared + TARE_USAGE_OFFSET));
	memory_begin();
	control_begin_session((struct tare_session_control *)shared);
	os_flag_probe_host(startup->loader_base);
	if (startup->no_syscall_sites)
		state_session.os_means &= ~(uint32_t)TARE_OS_BY_SITES;
	if (!state_session.settings.timer_only)
		calibrate_begin(probes_slots());
	if (!process_begin()) {
		state_session.active = false;
		return;
	}
	timer_begin(
		&(struct timer_surroundings){.first_stack_end = (uint64_t)startup->vector,
					     .vdso = startup->vdso,
					     .signal_frame_bytes = startup->signal_frame_bytes});
}
