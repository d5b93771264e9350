/*
 * Four ways to lose ground:
 *
 *   filters       copied, and asked before every system call of the runtime (filter.h)
 *   no clock      seccomp's strict mode and PR_SET_TSC make rdtsc fatal: all probes are switched
 *                 off before, for good
 *   no calls      PR_SET_SYSCALL_USER_DISPATCH hands a thread's system calls to its handler of
 *                 SIGSYS, the runtime's as well: the same
 *   no session    another root, user or limit: files are laid aside for later (reserve.h)
 *
 * A call that will fail is not told from one that will work: the runtime is then more careful than
 * it need be. Refuses to see filters that code without probes installs.
 */
#include "runtime/exec/sandbox.h"

#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/base/reserve.h"
#include "runtime/control/arming.h"
#include "runtime/files/counters.h"
#include "runtime/files/process.h"
#include "runtime/files/thread_file.h"
#include "runtime/os/names.h"
#include "runtime/process/birth.h"
#include "runtime/process/thread.h"
#include "runtime/timer/timer.h"
#include "runtime/tree/accumulate.h"
#include "runtime/tree/gate.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif

#ifndef PR_GET_AUXV
#define PR_GET_AUXV 0x41555856
#endif

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON	     1
#endif

#define AT_AS_EFFECTIVE 0x200 /* AT_EACCESS */
#define SWITCH_ROUNDS	64
#define RESERVE_NODES	4096

static void files_reserve(struct tare_thread_file *self, enum reserve_kind last)
{
	reserve_maker *const timer =
		state_session.settings.timer_period_ns ? timer_file_spare : NULL;
	reserve_maker *const makers[RESERVE_KINDS] = {
		[RESERVE_PROCESS] = process_file_spare,
		[RESERVE_TIMER] = timer,
		[RESERVE_THREAD] = thread_file_spare,
		[RESERVE_SMALL_THREAD] = thread_file_spare_small,
		[RESERVE_SMALL_TIMER] = timer,
	};

	if (!process_begin()) /* nothing of it is recorded */
		return;
	const bool timed =
		self && !self->gate && gate_enter(self, (uint64_t)__builtin_frame_address(0));
	const uint64_t begin = kernel_ticks();

	reserve_make(makers, last, process_begin_ticks());
	if (timed) {
		gate_spend(self, kernel_ticks() - begin);
		gate_exit(self, 0);
	}
}

static void blind(struct tare_thread_file *self, unsigned why)
{
	if (self)
		thread_complete(self, true);
	timer_stop();
	process_note_flag(why);
	process_complete();
	for (int round = 0; round < SWITCH_ROUNDS && !arming_switch(false); round++)
		kernel_call(SYS_sched_yield, 0);
	counters_switch(true); /* what it calls from now on has no times */
	state_session.active = false;
}

/* The filter at `program` (struct sock_fprog) in the target's memory, copied; NULL: none. */
static struct filter *filter_copy(uint64_t program)
{
	struct sock_fprog header;

	if (memory_read(&header, program, sizeof(header)) != sizeof(header) || !header.len ||
	    header.len > BPF_MAXINSNS)
		return NULL;
	const uint64_t code_bytes = header.len * sizeof(struct sock_filter);
	struct filter *filter = memory_map(sizeof(*filter) + code_bytes);

	if (!filter)
		return NULL;
	if (memory_read(filter->code, (uint64_t)header.filter, code_bytes) != (long)code_bytes) {
		memory_unmap(filter, sizeof(*filter) + code_bytes);
		return NULL;
	}
	filter->length = header.len;
	return filter;
}

static void confine(struct tare_thread_file *self, uint64_t program)
{
	struct filter *filter = program ? filter_copy(program) : NULL;

	if (!filter)
		return;
	files_reserve(self, RESERVE_THREAD);
	process_file_reserve();
	if (self)
		accumulate_reserve(self, RESERVE_NODES);
	if (self)
		names_reserve(self);
	process_note_flag(TARE_PROCESS_FILTERED);
	timer_filter(filter);
	filter_add(filter);
}

/* Whether the program will get the runtime's calls. It lets those of one range pass: rdx, r10. */
static bool takes_calls(const struct probes_registers *registers)
{
	return registers->rdi == PR_SET_SYSCALL_USER_DISPATCH &&
	       registers->rsi == PR_SYS_DISPATCH_ON &&
	       (uint64_t)&takes_calls - registers->rdx >= registers->r10;
}

static bool is_privileged(void)
{
	return kernel_call(SYS_geteuid, 0) == 0;
}

/*
 * Whether the limit at `wanted` (struct rlimit) leaves less of what files are made of: descriptors,
 * bytes, addresses. Compilers' drivers ask for a larger stack, each of them.
 */
static bool limit_takes_files(uint64_t resource, uint64_t wanted)
{
	struct rlimit next, present;

	if (resource != RLIMIT_AS && resource != RLIMIT_FSIZE && resource != RLIMIT_NOFILE)
		return false;
	return memory_read(&next, wanted, sizeof(next)) != sizeof(next) ||
	       kernel_call(SYS_prlimit64, 0, resource, 0, &present) != 0 ||
	       next.rlim_cur < present.rlim_cur;
}

void sandbox_notice(struct tare_thread_file *self, const struct probes_registers *registers)
{
	if (!state_session.active)
		return;
	switch (registers->rax) {
	case SYS_seccomp:
		if (registers->rdi == SECCOMP_SET_MODE_STRICT && !registers->rsi && !registers->rdx)
			blind(self, TARE_PROCESS_BLINDED);
		if (registers->rdi == SECCOMP_SET_MODE_FILTER)
			confine(self, registers->rdx);
		break;
	case SYS_prctl:
		if ((registers->rdi == PR_SET_SECCOMP && registers->rsi == SECCOMP_MODE_STRICT) ||
		    (registers->rdi == PR_SET_TSC && registers->rsi == PR_TSC_SIGSEGV))
			blind(self, TARE_PROCESS_BLINDED);
		if (takes_calls(registers))
			blind(self, TARE_PROCESS_BLINDED | TARE_PROCESS_CALLS_TAKEN);
		if (registers->rdi == PR_SET_SECCOMP && registers->rsi == SECCOMP_MODE_FILTER)
			confine(self, registers->rdx);
		break;
	case SYS_setuid:
	case SYS_setreuid:
	case SYS_setresuid:
	case SYS_setfsuid:
		if (is_privileged())
			files_reserve(self, RESERVE_SMALL_TIMER);
		break;
	case SYS_prlimit64:
		if (registers->rdx && limit_takes_files(registers->rsi, registers->rdx))
			files_reserve(self, RESERVE_THREAD);
		break;
	case SYS_chroot:
	case SYS_pivot_root:
	case SYS_setns:
	case SYS_unshare:
		files_reserve(self, RESERVE_SMALL_TIMER);
		break;
	case SYS_setrlimit:
		if (limit_takes_files(registers->rdi, registers->rsi))
			files_reserve(self, RESERVE_THREAD);
		break;
	case SYS_landlock_restrict_self:
		files_reserve(self, RESERVE_THREAD);
		break;
	default:
		break;
	}
}

struct known_call {
	long number, arguments[6];
};

static bool filters_permit_all(const struct known_call *calls, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!filter_permits(calls[i].number, calls[i].arguments))
			return false;
	return true;
}

/* What takes samples of itself. */
static bool filters_permit_timers(void)
{
	static const struct known_call calls[] = {
		{SYS_rt_sigaction, {64, 4096, 4096, 8}},
		{SYS_rt_sigreturn, {0}},
		{SYS_rt_sigpending, {4096, 8}},
		{SYS_sigaltstack, {4096, 4096}},
		{SYS_timer_create, {1, 4096, 4096}},
		{SYS_timer_settime, {0, 0, 4096}},
		{SYS_timer_delete, {0}},
		{SYS_clock_getres, {1, 4096}},
		{SYS_lseek, {3, 0, SEEK_END}},
		{SYS_tgkill, {2, 2, 64}},
	};

	return filters_permit_all(calls, sizeof(calls) / sizeof(calls[0]));
}

/*
 * What the runtime of a new program does, which does not know these filters; arguments as far as
 * they do not vary.
 */
static bool filters_permit_start(void)
{
	static const struct known_call calls[] = {
		{SYS_openat,
		 {AT_FDCWD, 0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600}},
		{SYS_ftruncate, {3, 4096}},
		{SYS_mmap, {0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 3}},
		{SYS_mmap, {0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1}},
		{SYS_madvise, {4096, 4096, 18 /* MADV_WIPEONFORK */}},
		{SYS_madvise, {4096, 4096, 23 /* MADV_POPULATE_WRITE */}},
		{SYS_madvise, {4096, 4096, MADV_DONTFORK}},
		{SYS_munmap, {4096, 4096}},
		{SYS_close, {3}},
		{SYS_read, {3, 4096, 4096}},
		{SYS_readlinkat, {AT_FDCWD, 4096, 4096, 4096}},
		{SYS_newfstatat, {AT_FDCWD, 4096, 4096, AT_SYMLINK_NOFOLLOW}},
		{SYS_faccessat, {AT_FDCWD, 4096, 4}},
		{SYS_getpid, {0}},
		{SYS_getppid, {0}},
		{SYS_gettid, {0}},
		{SYS_getrusage, {1, 4096}},
		{SYS_prlimit64, {0, 1, 0, 4096}},
		{SYS_prctl, {PR_GET_NAME, 4096}},
		{SYS_prctl, {PR_GET_SECCOMP}},
		{SYS_prctl, {PR_GET_AUXV, 4096, 1024}},
		{SYS_mincore, {4096, 4096, 4096}},
		{SYS_process_vm_readv, {2, 4096, 1, 4096, 1}},
		{SYS_sched_yield, {0}},
		{SYS_unlinkat, {AT_FDCWD, 4096}},
		{SYS_rt_sigprocmask, {0, 4096, 4096, 8}},
		{SYS_socket, {1, 0x80001, 0}},
		{SYS_setsockopt, {3, 1, 20, 4096, 16}},
		{SYS_connect, {3, 4096, 110}},
		{SYS_sendto, {3, 4096, 16, 0x4000}},
		{SYS_execve, {4096, 4096, 4096}},
		{SYS_faccessat2, {AT_FDCWD, 4096, 4, AT_AS_EFFECTIVE}},
		{SYS_statx, {3, 4096, 0x1000, 3, 4096}},
		{SYS_fstatfs, {3, 4096}},
		{SYS_fgetxattr, {3, 4096, 4096}},
		{SYS_pread64, {3, 4096, 4096}},
		{SYS_fstat, {3, 4096}},
		{SYS_getsockopt, {3, 1, 1, 4096, 4096}},
		{SYS_clock_gettime, {3, 4096}},
		{SYS_clock_gettime, {-10, 4096}}, /* a thread's */
		{SYS_nanosleep, {4096}},
		{SYS_mprotect, {4096, 4096, PROT_READ}},
		{SYS_mremap, {4096, 4096, 4096, 1}},
		{SYS_arch_prctl, {ARCH_SET_GS, 4096}},
		{SYS_arch_prctl, {ARCH_GET_GS, 4096}},
		{SYS_geteuid, {0}},
		{SYS_getegid, {0}},
		{SYS_getuid, {0}},
		{SYS_getgid, {0}},
	};

	return filters_permit_all(calls, sizeof(calls) / sizeof(calls[0])) &&
	       (!state_session.settings.timer_period_ns || filters_permit_timers());
}

static bool is_reachable(const char *path, int mode)
{
	long result = kernel_call(SYS_faccessat2, AT_FDCWD, path, mode, AT_AS_EFFECTIVE);

	if (result == -ENOSYS) /* before Linux 5.8 */
		result = kernel_call(SYS_faccessat, AT_FDCWD, path, mode);
	return result == 0;
}

/* Not only reachable: there may be no descriptor to be had. */
static bool is_openable(const char *path)
{
	const long fd = kernel_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		kernel_call(SYS_close, fd);
	return fd >= 0;
}

bool sandbox_permits_image(void)
{
	return (!filter_newest || filters_permit_start()) &&
	       is_openable(state_session.runtime_path) &&
	       is_reachable(state_session.directory, 3 /* W_OK | X_OK */);
}
