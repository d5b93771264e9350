/*
 * kernel: system calls without libc. They return what the kernel returns (-errno on failure) and
 * never touch the target's errno. What the program's own filters do not allow is not tried, and
 * fails with -EPERM (filter.h).
 */
#ifndef TARE_RUNTIME_BASE_KERNEL_H
#define TARE_RUNTIME_BASE_KERNEL_H

#include "runtime/base/filter.h"

#include <asm/errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long kernel_call6(long number, const long arguments[6])
{
	if (__builtin_expect(filter_newest != NULL, 0) && !filter_permits(number, arguments))
		return -EPERM;
	register long r10 __asm__("r10") = arguments[3];
	register long r8 __asm__("r8") = arguments[4];
	register long r9 __asm__("r9") = arguments[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]),
			   "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#define KERNEL_ARGUMENTS(a, b, c, d, e, f, ...)                                                    \
	((const long[6]){(long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f)})

/* kernel_call(number, up to six arguments) */
#define kernel_call(number, ...)                                                                   \
	kernel_call6((number), KERNEL_ARGUMENTS(__VA_ARGS__, 0, 0, 0, 0, 0, 0))

static inline uint64_t kernel_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

static inline int32_t kernel_pid(void)
{
	return (int32_t)kernel_call(SYS_getpid, 0);
}

static inline int32_t kernel_tid(void)
{
	return (int32_t)kernel_call(SYS_gettid, 0);
}

/*
 * Are these the calling process and thread, and not a vfork child in their memory? Where it may not
 * be asked they are taken to be.
 */
static inline int kernel_is_pid(int32_t pid)
{
	const int32_t own = kernel_pid();

	return own < 0 || own == pid;
}

static inline int kernel_is_tid(int32_t tid)
{
	const int32_t own = kernel_tid();

	return own < 0 || own == tid;
}

/*
 * Is the calling thread its process's first one? What /proc tells of that one is found in half the
 * time, and leaves the kernel less to forget, under the process's own name. False where it may not
 * be asked.
 */
static inline int kernel_is_first(void)
{
	const int32_t own = kernel_tid();

	return own > 0 && own == kernel_pid();
}

/* The processor traps behind each instruction; the kernel kills who blocks the signal of that. */
static __attribute__((noinline, unused)) bool kernel_is_stepped(void)
{
	const uint64_t trap = 0x100; /* TF of the flags */
	uint64_t flags;

	__asm__ volatile("pushfq\n\t.cfi_adjust_cfa_offset 8\n\t"
			 "popq %0\n\t.cfi_adjust_cfa_offset -8"
			 : "=r"(flags)::"memory");
	return flags & trap;
}

/* Keeps signals off the calling thread; the mask of before goes to kernel_signals_restore. */
static inline uint64_t kernel_signals_block(void)
{
	const uint64_t all = ~0ULL;
	uint64_t before = 0;

	kernel_call(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, &before, sizeof(all));
	return before;
}

static inline void kernel_signals_restore(uint64_t before)
{
	kernel_call(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &before, 0, sizeof(before));
}

#endif
