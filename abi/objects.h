/*
 * What system calls are about, and the names of that: the file behind a descriptor, a path, the
 * peer of a socket. The runtime writes names into a chunk of bytes of the thread's file
 * (abi/session_files.h), each once; OS records refer to them.
 */
#ifndef TARE_ABI_OBJECTS_H
#define TARE_ABI_OBJECTS_H

#include <stdint.h>
#include <sys/syscall.h>

/* What `object` of a system call's records is; and, in the runtime, which argument that comes from.
 */
enum tare_object {
	TARE_OBJECT_NONE,
	TARE_OBJECT_FD,		    /* descriptor: argument 1 */
	TARE_OBJECT_CONNECT,	    /* the same; argument 2 is the address to be its peer's */
	TARE_OBJECT_MAPPED,	    /* descriptor: argument 5, where the name is known */
	TARE_OBJECT_PATH,	    /* 0; the name is the path of argument 1 */
	TARE_OBJECT_PATH_SECOND,    /* the path of argument 2 */
	TARE_OBJECT_PATH_AT,	    /* the path of argument 2, in the directory of 1; or that
				       directory's descriptor, where the path is empty */
	TARE_OBJECT_PATH_AT_SECOND, /* arguments 3 and 2 */
	TARE_OBJECT_POLL,	    /* 0; the name is that of all descriptors waited for */
	TARE_OBJECT_SELECT,	    /* the same, of three sets */
	TARE_OBJECT_FUTEX,	    /* run address */
	TARE_OBJECT_PROCESS,	    /* 32 bits of a process id, as wait4 has it: argument 1 */
	TARE_OBJECT_WAIT,	    /* the same, of waitid */
	TARE_OBJECT_SLEEP,	    /* requested ns, to two digits; 0: unknown. Argument 1 */
	TARE_OBJECT_SLEEP_CLOCK,    /* the same, of argument 3 */
};

static inline enum tare_object tare_object_of(int64_t syscall_number)
{
	static const uint8_t objects[] = {
		[SYS_read] = TARE_OBJECT_FD,
		[SYS_write] = TARE_OBJECT_FD,
		[SYS_close] = TARE_OBJECT_FD,
		[SYS_fstat] = TARE_OBJECT_FD,
		[SYS_lseek] = TARE_OBJECT_FD,
		[SYS_ioctl] = TARE_OBJECT_FD,
		[SYS_pread64] = TARE_OBJECT_FD,
		[SYS_pwrite64] = TARE_OBJECT_FD,
		[SYS_readv] = TARE_OBJECT_FD,
		[SYS_writev] = TARE_OBJECT_FD,
		[SYS_dup] = TARE_OBJECT_FD,
		[SYS_dup2] = TARE_OBJECT_FD,
		[SYS_sendfile] = TARE_OBJECT_FD,
		[SYS_accept] = TARE_OBJECT_FD,
		[SYS_sendto] = TARE_OBJECT_FD,
		[SYS_recvfrom] = TARE_OBJECT_FD,
		[SYS_sendmsg] = TARE_OBJECT_FD,
		[SYS_recvmsg] = TARE_OBJECT_FD,
		[SYS_shutdown] = TARE_OBJECT_FD,
		[SYS_bind] = TARE_OBJECT_FD,
		[SYS_listen] = TARE_OBJECT_FD,
		[SYS_getsockname] = TARE_OBJECT_FD,
		[SYS_getpeername] = TARE_OBJECT_FD,
		[SYS_setsockopt] = TARE_OBJECT_FD,
		[SYS_getsockopt] = TARE_OBJECT_FD,
		[SYS_fcntl] = TARE_OBJECT_FD,
		[SYS_flock] = TARE_OBJECT_FD,
		[SYS_fsync] = TARE_OBJECT_FD,
		[SYS_fdatasync] = TARE_OBJECT_FD,
		[SYS_ftruncate] = TARE_OBJECT_FD,
		[SYS_getdents] = TARE_OBJECT_FD,
		[SYS_fchdir] = TARE_OBJECT_FD,
		[SYS_fchmod] = TARE_OBJECT_FD,
		[SYS_fchown] = TARE_OBJECT_FD,
		[SYS_fstatfs] = TARE_OBJECT_FD,
		[SYS_readahead] = TARE_OBJECT_FD,
		[SYS_fsetxattr] = TARE_OBJECT_FD,
		[SYS_fgetxattr] = TARE_OBJECT_FD,
		[SYS_flistxattr] = TARE_OBJECT_FD,
		[SYS_fremovexattr] = TARE_OBJECT_FD,
		[SYS_getdents64] = TARE_OBJECT_FD,
		[SYS_fadvise64] = TARE_OBJECT_FD,
		[SYS_epoll_wait] = TARE_OBJECT_FD,
		[SYS_epoll_ctl] = TARE_OBJECT_FD,
		[SYS_mq_timedsend] = TARE_OBJECT_FD,
		[SYS_mq_timedreceive] = TARE_OBJECT_FD,
		[SYS_mq_notify] = TARE_OBJECT_FD,
		[SYS_mq_getsetattr] = TARE_OBJECT_FD,
		[SYS_inotify_add_watch] = TARE_OBJECT_FD,
		[SYS_inotify_rm_watch] = TARE_OBJECT_FD,
		[SYS_splice] = TARE_OBJECT_FD,
		[SYS_tee] = TARE_OBJECT_FD,
		[SYS_sync_file_range] = TARE_OBJECT_FD,
		[SYS_vmsplice] = TARE_OBJECT_FD,
		[SYS_epoll_pwait] = TARE_OBJECT_FD,
		[SYS_fallocate] = TARE_OBJECT_FD,
		[SYS_timerfd_settime] = TARE_OBJECT_FD,
		[SYS_timerfd_gettime] = TARE_OBJECT_FD,
		[SYS_accept4] = TARE_OBJECT_FD,
		[SYS_dup3] = TARE_OBJECT_FD,
		[SYS_preadv] = TARE_OBJECT_FD,
		[SYS_pwritev] = TARE_OBJECT_FD,
		[SYS_recvmmsg] = TARE_OBJECT_FD,
		[SYS_syncfs] = TARE_OBJECT_FD,
		[SYS_sendmmsg] = TARE_OBJECT_FD,
		[SYS_setns] = TARE_OBJECT_FD,
		[SYS_finit_module] = TARE_OBJECT_FD,
		[SYS_copy_file_range] = TARE_OBJECT_FD,
		[SYS_preadv2] = TARE_OBJECT_FD,
		[SYS_pwritev2] = TARE_OBJECT_FD,
		[SYS_pidfd_send_signal] = TARE_OBJECT_FD,
		[SYS_io_uring_enter] = TARE_OBJECT_FD,
		[SYS_io_uring_register] = TARE_OBJECT_FD,
		[SYS_pidfd_getfd] = TARE_OBJECT_FD,
		[SYS_epoll_pwait2] = TARE_OBJECT_FD,
		[451] = TARE_OBJECT_FD, /* cachestat */
		[SYS_connect] = TARE_OBJECT_CONNECT,
		[SYS_mmap] = TARE_OBJECT_MAPPED,
		[SYS_open] = TARE_OBJECT_PATH,
		[SYS_stat] = TARE_OBJECT_PATH,
		[SYS_lstat] = TARE_OBJECT_PATH,
		[SYS_access] = TARE_OBJECT_PATH,
		[SYS_execve] = TARE_OBJECT_PATH,
		[SYS_truncate] = TARE_OBJECT_PATH,
		[SYS_chdir] = TARE_OBJECT_PATH,
		[SYS_rename] = TARE_OBJECT_PATH,
		[SYS_mkdir] = TARE_OBJECT_PATH,
		[SYS_rmdir] = TARE_OBJECT_PATH,
		[SYS_creat] = TARE_OBJECT_PATH,
		[SYS_link] = TARE_OBJECT_PATH,
		[SYS_unlink] = TARE_OBJECT_PATH,
		[SYS_readlink] = TARE_OBJECT_PATH,
		[SYS_chmod] = TARE_OBJECT_PATH,
		[SYS_chown] = TARE_OBJECT_PATH,
		[SYS_lchown] = TARE_OBJECT_PATH,
		[SYS_utime] = TARE_OBJECT_PATH,
		[SYS_mknod] = TARE_OBJECT_PATH,
		[SYS_uselib] = TARE_OBJECT_PATH,
		[SYS_statfs] = TARE_OBJECT_PATH,
		[SYS_chroot] = TARE_OBJECT_PATH,
		[SYS_umount2] = TARE_OBJECT_PATH,
		[SYS_swapon] = TARE_OBJECT_PATH,
		[SYS_swapoff] = TARE_OBJECT_PATH,
		[SYS_acct] = TARE_OBJECT_PATH,
		[SYS_setxattr] = TARE_OBJECT_PATH,
		[SYS_lsetxattr] = TARE_OBJECT_PATH,
		[SYS_getxattr] = TARE_OBJECT_PATH,
		[SYS_lgetxattr] = TARE_OBJECT_PATH,
		[SYS_listxattr] = TARE_OBJECT_PATH,
		[SYS_llistxattr] = TARE_OBJECT_PATH,
		[SYS_removexattr] = TARE_OBJECT_PATH,
		[SYS_lremovexattr] = TARE_OBJECT_PATH,
		[SYS_utimes] = TARE_OBJECT_PATH,
		[SYS_mq_open] = TARE_OBJECT_PATH,
		[SYS_mq_unlink] = TARE_OBJECT_PATH,
		[SYS_symlink] = TARE_OBJECT_PATH_SECOND,
		[SYS_mount] = TARE_OBJECT_PATH_SECOND,
		[SYS_pivot_root] = TARE_OBJECT_PATH_SECOND,
		[SYS_openat] = TARE_OBJECT_PATH_AT,
		[SYS_mkdirat] = TARE_OBJECT_PATH_AT,
		[SYS_mknodat] = TARE_OBJECT_PATH_AT,
		[SYS_fchownat] = TARE_OBJECT_PATH_AT,
		[SYS_futimesat] = TARE_OBJECT_PATH_AT,
		[SYS_newfstatat] = TARE_OBJECT_PATH_AT,
		[SYS_unlinkat] = TARE_OBJECT_PATH_AT,
		[SYS_renameat] = TARE_OBJECT_PATH_AT,
		[SYS_linkat] = TARE_OBJECT_PATH_AT,
		[SYS_readlinkat] = TARE_OBJECT_PATH_AT,
		[SYS_fchmodat] = TARE_OBJECT_PATH_AT,
		[SYS_faccessat] = TARE_OBJECT_PATH_AT,
		[SYS_utimensat] = TARE_OBJECT_PATH_AT,
		[SYS_name_to_handle_at] = TARE_OBJECT_PATH_AT,
		[SYS_renameat2] = TARE_OBJECT_PATH_AT,
		[SYS_execveat] = TARE_OBJECT_PATH_AT,
		[SYS_statx] = TARE_OBJECT_PATH_AT,
		[SYS_open_tree] = TARE_OBJECT_PATH_AT,
		[SYS_openat2] = TARE_OBJECT_PATH_AT,
		[SYS_faccessat2] = TARE_OBJECT_PATH_AT,
		[452] = TARE_OBJECT_PATH_AT, /* fchmodat2 */
		[SYS_symlinkat] = TARE_OBJECT_PATH_AT_SECOND,
		[SYS_poll] = TARE_OBJECT_POLL,
		[SYS_ppoll] = TARE_OBJECT_POLL,
		[SYS_select] = TARE_OBJECT_SELECT,
		[SYS_pselect6] = TARE_OBJECT_SELECT,
		[SYS_futex] = TARE_OBJECT_FUTEX,
		[SYS_futex_waitv] = TARE_OBJECT_FUTEX,
		[454] = TARE_OBJECT_FUTEX, /* futex_wake */
		[455] = TARE_OBJECT_FUTEX, /* futex_wait */
		[456] = TARE_OBJECT_FUTEX, /* futex_requeue */
		[SYS_wait4] = TARE_OBJECT_PROCESS,
		[SYS_kill] = TARE_OBJECT_PROCESS,
		[SYS_tkill] = TARE_OBJECT_PROCESS,
		[SYS_tgkill] = TARE_OBJECT_PROCESS,
		[SYS_waitid] = TARE_OBJECT_WAIT,
		[SYS_nanosleep] = TARE_OBJECT_SLEEP,
		[SYS_clock_nanosleep] = TARE_OBJECT_SLEEP_CLOCK,
	};

	return syscall_number >= 0 && (uint64_t)syscall_number < sizeof(objects)
		       ? (enum tare_object)objects[syscall_number]
		       : TARE_OBJECT_NONE;
}

/* ---- names ---- */

/* At most; a thread's file has no more. */
#define TARE_THREAD_NAMES_BYTES (1U << 20)
#define TARE_NAME_PATH_BYTES	1000U /* of a path; of longer ones the begin is kept */

/* What tare_os_record.name says besides 1 + a record's offset / 8 in the chunk. */
#define TARE_NAME_UNKNOWN 0U
#define TARE_NAME_OTHERS  UINT32_MAX /* there was no room for the name */

enum tare_name_kind {
	TARE_NAME_LINK = 1, /* text of the link /proc/self/fd/N */
	TARE_NAME_PATH,	    /* text, as the program gave it, in the directory that it named */
	TARE_NAME_SOCKET,   /* struct tare_name_socket */
	TARE_NAME_FDS,	    /* struct tare_name_fds */
};

enum tare_name_flags {
	TARE_NAME_CUT = 1, /* the text went on */
};

struct tare_name_record {
	uint16_t size_bytes; /* of the whole record, a multiple of 8; padded with zeros */
	uint16_t text_bytes; /* of a text, which follows; without NUL */
	uint16_t kind;	     /* enum tare_name_kind; 0: its making was not seen to the end */
	uint16_t flags;
};

#define TARE_NAME_ADDRESS_BYTES 112U

/* Addresses as the kernel gives them. Of accepted connections the peer's port is left out. */
struct tare_name_socket {
	uint32_t type; /* SOCK_STREAM…; 0: unknown */
	uint32_t is_listening;
	uint32_t local_bytes, peer_bytes; /* 0: none */
	uint8_t local[TARE_NAME_ADDRESS_BYTES], peer[TARE_NAME_ADDRESS_BYTES];
};

#define TARE_NAME_FDS_MAX 4U

struct tare_name_fd {
	int32_t fd;
	uint32_t name; /* as in struct tare_os_record */
};

struct tare_name_fds {
	uint32_t all;	/* so many descriptors; the first ones: */
	uint32_t known; /* at most TARE_NAME_FDS_MAX */
	struct tare_name_fd fds[TARE_NAME_FDS_MAX];
};

_Static_assert(sizeof(struct tare_name_record) == 8, "shared layout");
_Static_assert(sizeof(struct tare_name_socket) == 240, "shared layout");
_Static_assert(sizeof(struct tare_name_fds) == 40, "shared layout");

#endif
