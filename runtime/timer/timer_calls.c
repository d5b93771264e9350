/*
 * Calls that cannot come to wait for something that a signal would end: those about memory and
 * about the process itself, and reading and writing of files whose file system waits for nothing
 * but its disk. All others may.
 *
 * Refuses files of file systems that are not listed: FUSE asks a process, which a signal may reach.
 */
#include "runtime/base/kernel.h"
#include "runtime/timer/timer_thread.h"

#include <asm/stat.h>
#include <asm/statfs.h>
#include <linux/futex.h>
#include <linux/magic.h>

#define MODE_KIND	0170000U
#define MODE_REGULAR	0100000U
#define MODE_CHARACTERS 0020000U
#define DEVICE_NULL	0x103 /* major 1, minor 3 */
#define MAGIC_XFS	0x58465342

#ifndef F2FS_SUPER_MAGIC
#define F2FS_SUPER_MAGIC 0xf2f52010
#endif

static bool waits_for_disk_only(long type)
{
	switch (type) {
	case EXT4_SUPER_MAGIC:
	case MAGIC_XFS:
	case BTRFS_SUPER_MAGIC:
	case F2FS_SUPER_MAGIC:
	case TMPFS_MAGIC:
	case OVERLAYFS_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

static bool is_plain_file(uint64_t fd)
{
	struct stat file;
	struct statfs system;

	if (kernel_call(SYS_fstat, fd, &file))
		return false;
	if ((file.st_mode & MODE_KIND) == MODE_CHARACTERS)
		return file.st_rdev == DEVICE_NULL;
	return (file.st_mode & MODE_KIND) == MODE_REGULAR &&
	       !kernel_call(SYS_fstatfs, fd, &system) && waits_for_disk_only(system.f_type);
}

bool timer_call_cannot_wait(const struct probes_registers *registers, uint32_t *files)
{
	switch (registers->rax) {
	case SYS_brk:
	case SYS_mmap:
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_mremap:
	case SYS_madvise:
	case SYS_getpid:
	case SYS_gettid:
	case SYS_clock_gettime:
	case SYS_gettimeofday:
	case SYS_getrusage:
	case SYS_sched_yield:
		return true;
	case SYS_futex:
		return (registers->rsi & FUTEX_CMD_MASK) == FUTEX_WAKE;
	case SYS_lseek:
	case SYS_read:
	case SYS_write:
	case SYS_pread64:
	case SYS_pwrite64:
	case SYS_readv:
	case SYS_writev:
	case SYS_fstat:
		return *files && (*files)-- && is_plain_file(registers->rdi);
	default:
		return false;
	}
}
